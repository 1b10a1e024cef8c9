/* Ages in one unit; JSON as YAML. */
#include "cli/output.h"

#include "tap.h"

static void test_output_age(struct mst_test *t)
{
    static const struct {
        int64_t seconds;
        const char *want;
    } cases[] = {
        { -5, "0s" },    { 0, "0s" },       { 119, "119s" },  { 120, "2m" },     { 10799, "179m" },
        { 10800, "3h" }, { 172799, "47h" }, { 172800, "2d" }, { 864000, "10d" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) out = { 0 };
        mst_output_age(cases[i].seconds, &out);
        t_str(t, mst_buf_span(&out), cases[i].want);
    }
}

static void test_output_yaml(struct mst_test *t)
{
    MST_AUTO(mst_buf) out = { 0 };
    struct mst_err err;
    t_int(t, mst_output_yaml(MST_STR("{\"a\":[1,\"2\"]}"), &out, &err), MST_OK);
    t_str(t, mst_buf_span(&out), "a:\n- 1\n- \"2\"\n");
    t_int(t, mst_output_yaml(MST_STR("{"), &out, &err), MST_EDECODE);
}

MST_TEST_MAIN(T(test_output_age), T(test_output_yaml))

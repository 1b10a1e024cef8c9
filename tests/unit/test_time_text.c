/* Points in time as text. */
#include "base/time_text.h"

#include "tap.h"

static void test_time_print_known(struct mst_test *t)
{
    static const struct {
        int64_t s;
        int32_t nanos;
        const char *text;
    } cases[] = {
        { 0, 0, "1970-01-01T00:00:00Z" },
        { 1780272000, 0, "2026-06-01T00:00:00Z" },
        { 951782399, 500000000, "2000-02-28T23:59:59.5Z" },
        { 951782400, 1, "2000-02-29T00:00:00.000000001Z" },
        { 4107542400, 0, "2100-03-01T00:00:00Z" },
        { -1, 0, "1969-12-31T23:59:59Z" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) text = { 0 };
        t_case(t, cases[i].text);
        mst_time_print(cases[i].s, cases[i].nanos, &text);
        t_str(t, mst_buf_span(&text), cases[i].text);
    }
}

MST_TEST_MAIN(T(test_time_print_known))

/* What no decision reads goes; what decisions read stays. */
#include "cli/redact.h"

#include "tap.h"

static void check(struct mst_test *t, bool all, const char *text, const char *want)
{
    struct mst_arena arena = { 0 };
    struct mst_err err;
    const struct mst_value *value;
    MST_AUTO(mst_buf) out = { 0 };
    struct mst_json_writer w = { .out = &out };
    const mst_rc rc = mst_json_parse(mst_str_of(text), NULL, &arena, NULL, &value, &err);
    mst_assert(rc == MST_OK);
    struct mst_doc *doc = mst_doc_of(&arena, value);
    if (all)
        mst_redact(doc);
    else
        mst_redact_noise(doc);
    mst_doc_write(doc, &w);
    t_str(t, mst_buf_span(&out), want);
    mst_arena_done(&arena);
}

static void test_redact(struct mst_test *t)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        { "every container of a list",
          "{\"spec\":{\"containers\":[{\"name\":\"a\",\"env\":[1],\"image\":\"i\"},{\"name\":\"b\"}"
          ","
          "{\"args\":[2],\"ports\":[]}]}}",
          "{\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"i\"},{\"name\":\"b\"},"
          "{\"ports\":[]}]}}" },
        { "below an element",
          "{\"spec\":{\"volumes\":[{\"name\":\"a\"},{\"csi\":{\"driver\":\"d\","
          "\"volumeAttributes\":"
          "{\"k\":\"v\"}}}]}}",
          "{\"spec\":{\"volumes\":[{\"name\":\"a\"},{\"csi\":{\"driver\":\"d\"}}]}}" },
        { "empty lists", "{\"spec\":{\"containers\":[],\"template\":{}}}",
          "{\"spec\":{\"containers\":[]}}" },
        { "other types", "{\"spec\":{\"containers\":\"no\",\"volumes\":[1,null]},\"status\":7}",
          "{\"spec\":{\"containers\":\"no\",\"volumes\":[1,null]},\"status\":7}" },
        { "annotations",
          "{\"metadata\":{\"annotations\":{\"a\":\"1\",\"pv.kubernetes.io/bound-by-controller\":"
          "\"yes\",\"b\":\"2\",\"simulate.muster/run-for\":\"5s\"},\"labels\":{\"x\":\"y\"}}}",
          "{\"metadata\":{\"annotations\":{\"pv.kubernetes.io/bound-by-controller\":\"yes\","
          "\"simulate.muster/run-for\":\"5s\"},\"labels\":{\"x\":\"y\"}}}" },
        { "no annotation is kept", "{\"metadata\":{\"annotations\":{\"a\":\"1\"},\"name\":\"n\"}}",
          "{\"metadata\":{\"name\":\"n\"}}" },
        { "addresses", "{\"status\":{\"nodeInfo\":{},\"addresses\":[],\"allocatable\":{}}}",
          "{\"status\":{\"allocatable\":{}}}" },
        { "no object", "[1]", "[1]" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        check(t, true, cases[i].text, cases[i].want);
    }
    t_case(t, "noise");
    check(t, false, "{\"metadata\":{\"managedFields\":[1],\"annotations\":{\"a\":\"1\"}}}",
          "{\"metadata\":{\"annotations\":{\"a\":\"1\"}}}");
}

MST_TEST_MAIN(T(test_redact))

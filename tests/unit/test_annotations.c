/* simulate.muster/ annotations: what they say, and what is said about bad ones. */
#include "sim_fixture.h"

static void test_annotations_read(struct mst_test *t)
{
    struct fixture f;
    fixture_init(&f, ".yaml",
                 POD("a",
                     "simulate.muster/arrive-at: 10s, simulate.muster/delete-at: 1m, "
                     "simulate.muster/run-for: 1.5s, simulate.muster/fail-bind: \"3\"",
                     "", "1") POD("b", "other/x: z", "", "1"));
    t_ok(t, f.loaded);
    t_int(t, f.scenario.docs.n, 3); /* and the namespace */
    t_int(t, f.scenario.docs.v[0].arrive_ns, 10 * MST_NS_PER_S);
    t_int(t, f.scenario.docs.v[0].delete_ns, 60 * MST_NS_PER_S);
    t_int(t, f.scenario.docs.v[0].run_ns, 3 * MST_NS_PER_S / 2);
    t_int(t, f.scenario.docs.v[0].fail_binds, 3);
    t_int(t, f.scenario.docs.v[1].arrive_ns, 0);
    t_ok(t, f.scenario.docs.v[1].delete_ns == MST_NEVER);
    t_ok(t, f.scenario.docs.v[1].run_ns == MST_NEVER);
    t_int(t, f.scenario.docs.v[1].fail_binds, 0);
    fixture_done(&f);
}

static void test_annotations_refused(struct mst_test *t)
{
    static const struct {
        const char *annotation, *want;
    } cases[] = {
        { "simulate.muster/arrive-at: x",
          "FILE:3:62: error: Pod default/a: metadata.annotations[simulate.muster/arrive-at]: "
          "Invalid "
          "value: \"x\": not a duration" },
        { "simulate.muster/run-for: 5", "expected string, got number 5" },
        { "simulate.muster/run-for: \"-5s\"", "must not be negative" },
        { "simulate.muster/fail-bind: \"-1\"", "must be a whole number from 0 to 1000000" },
        { "simulate.muster/fail-bind: \"1000001\"", "must be a whole number from 0 to 1000000" },
        { "simulate.muster/fail-bind: \"\"", "must be a whole number from 0 to 1000000" },
        { "simulate.muster/fail-bind: \"99999999999999999999\"", "must be a whole number" },
        { "simulate.muster/arive-at: 5s", "Unsupported value" },
        { "simulate.muster/delete-at: 0s", "must be later than the arrival of the object at 0s" },
        { "simulate.muster/arrive-at: 5s, simulate.muster/delete-at: 5s",
          "must be later than the arrival of the object at 5s" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct fixture f;
        MST_AUTO(mst_buf) manifest = { 0 };
        MST_AUTO(mst_buf) said = { 0 };
        t_case(t, cases[i].annotation);
        mst_buf_printf(&manifest,
                       "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {%s}}\n"
                       "spec: {containers: [{name: main, image: i}]}\n",
                       cases[i].annotation);
        mst_buf_char(&manifest, 0);
        fixture_init(&f, ".yaml", manifest.p);
        fixture_diags(&f, &said);
        mst_buf_char(&said, 0);
        t_ok(t, !f.loaded);
        if (!strstr(said.p, cases[i].want))
            t_fail(t, "said: %s", said.p);
        fixture_done(&f);
    }
}

static void test_annotations_for_pods_only(struct mst_test *t)
{
    struct fixture f;
    MST_AUTO(mst_buf) said = { 0 };
    fixture_init(&f, ".yaml",
                 "apiVersion: v1\nkind: Node\n"
                 "metadata: {name: n0, annotations: {simulate.muster/run-for: 5s}}\n");
    fixture_diags(&f, &said);
    t_str(
        t, mst_buf_span(&said),
        "FILE:3:61: error: Node n0: metadata.annotations[simulate.muster/run-for]: Forbidden: only "
        "pods can have it\n");
    fixture_done(&f);
}

MST_TEST_MAIN(T(test_annotations_read), T(test_annotations_refused),
              T(test_annotations_for_pods_only))

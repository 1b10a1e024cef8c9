/* How full the cluster is: sums now, peaks, integrals over time. */
#include "sim_fixture.h"

static void test_use_sums_and_means(struct mst_test *t)
{
    struct fixture f;
    struct mst_run run;
    struct mst_err err;
    fixture_init(&f, ".yaml",
                 NODE("n1", "4") NODE("n2", "2") POD("a", "simulate.muster/run-for: 10s", "", "3")
                     POD("b", "simulate.muster/arrive-at: 20s", "", "1"));
    struct mst_run_options options = fixture_options(&f);
    options.until_ns = 40 * MST_NS_PER_S;
    t_int(t, mst_run_init(&run, &options, &err), MST_OK);
    mst_run_go(&run);
    const struct mst_use *cpu = &run.uses.v[MST_RES_CPU];
    t_int(t, cpu->used, 1000);
    t_int(t, cpu->of, 6000);
    t_int(t, cpu->peak, 3000);
    /* 3 cores for 10 s, 6 cores for 20 s; the ticks between events count for nothing. */
    t_ok(t, cpu->used_time > 3000 * 9990 && cpu->used_time <= 3000 * 10000);
    t_ok(t, cpu->of_time > 6000 * 19990 && cpu->of_time <= 6000 * 20000);
    t_int(t, run.uses.v[MST_USE_PODS].used, 1);
    t_int(t, run.uses.v[MST_USE_PODS].of, 220);
    mst_run_done(&run);
    fixture_done(&f);
}

static void test_use_saturates(struct mst_test *t)
{
    struct mst_uses uses = { 0 };
    uses.v[0].used = uses.v[0].of = INT64_MAX;
    for (int i = 0; i < 3; i++)
        mst_uses_passed(&uses, MST_DURATION_MAX_NS);
    t_ok(t, uses.v[0].used_time == uses.v[0].of_time);
    t_ok(t, uses.v[0].used_time > 0);
}

MST_TEST_MAIN(T(test_use_sums_and_means), T(test_use_saturates))

/* Whole runs: when they end, what they leave, and that they are the same bytes each time. */
#include "sim_fixture.h"

struct outcome {
    struct mst_run run;
    struct fixture f;
    struct mst_effect_lines lines;
    struct mst_buf text;
};

static void on_effect(void *ctx, const struct mst_effect *effect, int64_t at_ns,
                      struct mst_str error)
{
    struct outcome *o = ctx;
    if (effect->kind == MST_EFFECT_ATTEMPT)
        mst_effect_lines_flush(&o->lines, &o->text);
    mst_effect_lines_add(&o->lines, effect, at_ns, error);
}

struct limits {
    int64_t until_s; /* -1: none */
    uint32_t attempts;
    bool soft, retry;
};

static void go(struct outcome *o, const char *text, struct limits limits)
{
    struct mst_err err;
    *o = (struct outcome){ 0 };
    fixture_init(&o->f, ".yaml", text);
    mst_assert(o->f.loaded);
    struct mst_run_options options = fixture_options(&o->f);
    options.until_ns = limits.until_s < 0 ? MST_NEVER : limits.until_s * MST_NS_PER_S;
    options.attempts_max = limits.attempts;
    options.attempts_soft = limits.soft;
    options.retry_unchanged = limits.retry;
    options.on_effect = on_effect;
    options.ctx = o;
    mst_assert(mst_run_init(&o->run, &options, &err) == MST_OK);
    mst_run_go(&o->run);
    mst_effect_lines_flush(&o->lines, &o->text);
    mst_engine_check(o->run.engine);
}

static void done(struct outcome *o)
{
    mst_run_done(&o->run);
    mst_effect_lines_done(&o->lines);
    mst_buf_done(&o->text);
    fixture_done(&o->f);
}

static int64_t elapsed_s(const struct outcome *o)
{
    return mst_run_elapsed(&o->run) / MST_NS_PER_S;
}

static const struct limits none = { .until_s = -1 };

static void test_run_places_a_gang(struct mst_test *t)
{
    struct outcome o;
    go(&o,
       NODE("n1", "2") NODE("n2", "1") GANG("g", "3") MEMBER("a", "g", "1") MEMBER("b", "g", "1")
           MEMBER("c", "g", "1"),
       none);
    t_int(t, o.run.attempt_count, 1);
    t_int(t, o.run.bind_count, 3);
    t_int(t, o.run.end, MST_RUN_SETTLED);
    t_int(t, elapsed_s(&o), 0);
    done(&o);
}

static void test_run_all_or_nothing(struct mst_test *t)
{
    struct outcome o;
    go(&o,
       NODE("n1", "2") GANG("g", "3") MEMBER("a", "g", "1") MEMBER("b", "g", "1")
           MEMBER("c", "g", "1"),
       none);
    t_int(t, o.run.bind_count, 0);
    t_int(t, o.run.attempt_count, 1); /* a second attempt could not end differently */
    t_int(t, o.run.leftovers.backoff.n, 3);
    done(&o);
}

static void test_run_retries_after_a_change(struct mst_test *t)
{
    struct outcome o;
    go(&o,
       NODE("n1", "2") GANG("g", "3") MEMBER("a", "g", "1") MEMBER("b", "g", "1")
           MEMBER("c", "g", "1") "apiVersion: v1\nkind: Node\n"
                                 "metadata: {name: n2, annotations: {simulate.muster/arrive-at: "
                                 "10m}}\nstatus: {allocatable: {cpu: \"4\", pods: \"9\"}}\n",
       none);
    t_int(t, o.run.bind_count, 3);
    t_int(t, o.run.end, MST_RUN_SETTLED);
    t_ok(t, elapsed_s(&o) >= 600 && elapsed_s(&o) <= 640);
    done(&o);
}

static void test_run_until(struct mst_test *t)
{
    struct outcome o;
    static const char *const text =
        NODE("n1", "1") POD("a", "simulate.muster/run-for: 1m", "", "1") POD("b", "", "", "1");
    go(&o, text, (struct limits){ .until_s = 59 });
    t_int(t, o.run.bind_count, 1);
    t_int(t, o.run.end, MST_RUN_UNTIL);
    t_int(t, elapsed_s(&o), 59);
    done(&o);
    go(&o, text, none);
    t_int(t, o.run.bind_count, 2);
    t_int(t, o.run.end, MST_RUN_SETTLED);
    done(&o);
    go(&o, text, (struct limits){ .until_s = 0 }); /* what can be done at once */
    t_int(t, o.run.bind_count, 1);
    t_int(t, elapsed_s(&o), 0);
    done(&o);
}

static void test_run_attempts(struct mst_test *t)
{
    struct outcome o;
    static const char *const text =
        NODE("n1", "1") GANG("g", "2") MEMBER("a", "g", "1") MEMBER("b", "g", "1");
    go(&o, text, (struct limits){ .until_s = -1, .attempts = 4, .retry = true });
    t_int(t, o.run.attempt_count, 4);
    t_int(t, o.run.end, MST_RUN_ATTEMPTS);
    t_int(t, elapsed_s(&o), 10); /* backoff: 1, 2, 4 s, flushed on whole seconds */
    done(&o);
}

static void test_run_soft_attempts_wait_for_the_scenario(struct mst_test *t)
{
    struct outcome o;
    static const char *const text = NODE("n1", "1") GANG("g", "2") MEMBER("a", "g", "1")
        MEMBER("b", "g", "1") POD("late", "simulate.muster/arrive-at: 5m", "", "1");
    go(&o, text, (struct limits){ .until_s = -1, .attempts = 3, .soft = true, .retry = true });
    t_int(t, o.run.bind_count, 1);
    t_ok(t, o.run.attempt_count > 3);
    t_int(t, o.run.end, MST_RUN_ATTEMPTS);
    done(&o);
}

static void test_run_bind_failures(struct mst_test *t)
{
    struct outcome o;
    go(&o,
       NODE("n1", "4") GANG("g", "2") MEMBER("a", "g", "1")
           POD("b", "simulate.muster/fail-bind: \"2\"", "schedulingGroup: {podGroupName: g}, ",
               "1"),
       none);
    t_int(t, o.run.bind_count, 2);
    t_int(t, o.run.bind_failed_count, 2);
    t_int(t, o.run.end, MST_RUN_SETTLED);
    mst_buf_char(&o.text, 0);
    t_ok(t, strstr(o.text.p, "\"error\":\"simulated failure 2 of 2") != NULL);
    /* People count attempts of a group over the whole run. */
    t_ok(t, strstr(o.text.p, "\"attempt\":3") != NULL);
    done(&o);
}

static void test_run_held_members_are_told(struct mst_test *t)
{
    struct outcome o;
    go(&o, NODE("n1", "4") GANG("g", "2") MEMBER("a", "g", "1"), none);
    mst_buf_char(&o.text, 0);
    t_ok(t, strstr(o.text.p, "NotReadyForScheduling") != NULL);
    t_ok(t, elapsed_s(&o) >= 10 && elapsed_s(&o) <= 12);
    t_int(t, o.run.leftovers.gated.n, 1);
    done(&o);
}

static void test_run_nothing_at_all(struct mst_test *t)
{
    struct outcome o;
    go(&o, NODE("n1", "4"), none);
    t_int(t, o.run.attempt_count, 0);
    t_int(t, o.run.end, MST_RUN_SETTLED);
    done(&o);
}

/* Random scenarios: twice the same bytes, no gang in part (bindings do not fail here). */
static void test_run_random_scenarios(struct mst_test *t)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct mst_rng rng;
        struct outcome one, two;
        MST_AUTO(mst_buf) text = { 0 };
        mst_rng_init(&rng, seed);
        uint32_t nodes = 1 + (uint32_t)mst_rng_below(&rng, 4);
        for (uint32_t i = 0; i < nodes; i++)
            mst_buf_printf(&text,
                           "apiVersion: v1\nkind: Node\nmetadata: {name: node-%u}\nstatus: "
                           "{allocatable: {cpu: \"%u\", pods: \"20\"}}\n---\n",
                           i, 1 + (uint32_t)mst_rng_below(&rng, 6));
        for (uint32_t g = 0; g < 4; g++) {
            uint32_t members = 1 + (uint32_t)mst_rng_below(&rng, 5);
            mst_buf_printf(&text,
                           "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: "
                           "{name: g%u}\nspec: {schedulingPolicy: {gang: {minCount: %u}}}\n"
                           "---\n",
                           g, members);
            for (uint32_t i = 0; i < members; i++)
                mst_buf_printf(&text,
                               "apiVersion: v1\nkind: Pod\nmetadata: {name: g%u-%u, "
                               "annotations: {simulate.muster/arrive-at: %us, "
                               "simulate.muster/run-for: %us}}\nspec: {schedulingGroup: "
                               "{podGroupName: g%u}, containers: [{name: main, image: i, "
                               "resources: {requests: {cpu: \"%u\"}}}]}\n---\n",
                               g, i, (uint32_t)mst_rng_below(&rng, 30),
                               1 + (uint32_t)mst_rng_below(&rng, 60), g,
                               1 + (uint32_t)mst_rng_below(&rng, 3));
        }
        mst_buf_char(&text, 0);
        go(&one, text.p, none);
        go(&two, text.p, none);
        mst_buf_char(&two.text, 0);
        t_str(t, mst_buf_span(&one.text), two.text.p);
        uint32_t bound[4] = { 0 }, members[4] = { 0 };
        for (uint32_t i = 0; i < one.run.server.served.n; i++) {
            const struct mst_served *pod = &one.run.server.served.v[i];
            if (pod->object.kind != MST_KIND_POD)
                continue;
            uint32_t g = (uint32_t)(pod->object.u.meta.name.p[1] - '0');
            members[g]++;
            bound[g] += pod->bound_ns != MST_NEVER;
        }
        for (uint32_t g = 0; g < 4; g++)
            if (bound[g] != 0 && bound[g] != members[g])
                t_fail(t, "seed %d: group %u has %u of %u", (int)seed, g, bound[g], members[g]);
        done(&one);
        done(&two);
    }
}

MST_TEST_MAIN(T(test_run_places_a_gang), T(test_run_all_or_nothing),
              T(test_run_retries_after_a_change), T(test_run_until), T(test_run_attempts),
              T(test_run_soft_attempts_wait_for_the_scenario), T(test_run_bind_failures),
              T(test_run_held_members_are_told), T(test_run_nothing_at_all),
              T(test_run_random_scenarios))

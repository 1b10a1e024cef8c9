/* A run as a file, and back: the same effects, or the first place where they differ. */
#include "sim_fixture.h"

/* Runs the scenario with a recorder; the recording goes to `out`. */
static void record(const char *text, struct mst_buf *out)
{
    struct fixture f;
    struct mst_run run;
    struct mst_recorder recorder;
    struct mst_err err;
    char *bytes = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&bytes, &n);
    fixture_init(&f, ".yaml", text);
    mst_assert(f.loaded && file);
    struct mst_recording_head head = { .gates = &f.config.gates };
    mst_recorder_begin(&recorder, file, "memory", f.syms, &head);
    struct mst_run_options options = fixture_options(&f);
    options.recorder = &recorder;
    mst_assert(mst_run_init(&run, &options, &err) == MST_OK);
    mst_run_go(&run);
    mst_assert(mst_recorder_end(&recorder, &err) == MST_OK);
    fclose(file);
    mst_buf_add(out, bytes, n);
    free(bytes);
    mst_run_done(&run);
    mst_recorder_done(&recorder);
    fixture_done(&f);
}

static const char *const scenario = NODE("n1", "3") GANG("g", "2") MEMBER("a", "g", "1")
    POD("b", "simulate.muster/fail-bind: \"1\"", "schedulingGroup: {podGroupName: g}, ", "1")
        POD("c", "simulate.muster/arrive-at: 5s, simulate.muster/run-for: 1m", "", "1")
            POD("d", "simulate.muster/arrive-at: 6s, simulate.muster/delete-at: 9s", "",
                "1") "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: "
                     "high}\nvalue: 9\n---\n" POD("e", "", "priorityClassName: high, ", "9");

static mst_rc replay(struct mst_str text, struct mst_replay *out, struct mst_err *err)
{
    struct mst_registry registry = mst_plugins_registry();
    return mst_replay_run(text, &registry, NULL, out, err);
}

static void test_replay_gives_the_same(struct mst_test *t)
{
    MST_AUTO(mst_buf) text = { 0 };
    MST_AUTO(mst_buf) again = { 0 };
    struct mst_replay result;
    struct mst_err err = { 0 };
    record(scenario, &text);
    record(scenario, &again);
    mst_buf_char(&again, 0);
    t_str(t, mst_buf_span(&text), again.p);
    t_int(t, replay(mst_buf_span(&text), &result, &err), MST_OK);
    t_text(t, err.text, "");
    t_ok(t, result.same);
    t_ok(t, result.effects > 5 && result.steps > 5 && result.events > 8);
    mst_replay_done(&result);
}

/* Evictions: what follows from their answers is a flush; victims are marked and linger. */
static void test_replay_of_evictions(struct mst_test *t)
{
    static const char *const preempting =
        NODE("n1", "3") "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: "
                        "high}\nvalue: 9\n---\n" POD("a", "", "", "1") POD("b", "", "", "1")
                            POD("c", "", "", "1") POD("d", "simulate.muster/arrive-at: 5s",
                                                      "priorityClassName: high, ", "3")
                                POD("e", "simulate.muster/arrive-at: 6s",
                                    "priorityClassName: high, ", "1");
    MST_AUTO(mst_buf) text = { 0 };
    struct mst_replay result;
    struct mst_err err = { 0 };
    record(preempting, &text);
    mst_buf_char(&text, 0);
    t_ok(t, strstr(text.p, "\"flush\":") != NULL);
    t_ok(t, strstr(text.p, "DisruptionTarget") != NULL);
    text.n--;
    t_int(t, replay(mst_buf_span(&text), &result, &err), MST_OK);
    t_text(t, err.text, "");
    t_ok(t, result.same);
    mst_replay_done(&result);
}

/* A node with less room than the recorded one: the first step that differs is told. */
static void test_replay_tells_the_difference(struct mst_test *t)
{
    MST_AUTO(mst_buf) text = { 0 };
    struct mst_replay result;
    struct mst_err err;
    record(scenario, &text);
    char *cpu = memmem(text.p, text.n, "\"cpu\":\"3\"", 9);
    t_ok(t, cpu != NULL);
    cpu[7] = '1';
    t_int(t, replay(mst_buf_span(&text), &result, &err), MST_OK);
    t_ok(t, !result.same);
    mst_buf_char(&result.difference, 0);
    t_ok(t, strstr(result.difference.p, ": the recording has") != NULL);
    t_ok(t, strstr(result.difference.p, "\"op\":\"attempt\"") != NULL);
    mst_replay_done(&result);
}

static void test_replay_refuses_damage(struct mst_test *t)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        { "", "the file is empty" },
        { "x", "line 1, column 1: " },
        { "{}", "line 1: this is no recording of muster" },
        { "[1]", "line 1: this is no recording of muster" },
        { "{\"muster\":\"recording\"}", "line 1: a recording of another version" },
        { "{\"muster\":\"recording\",\"version\":3}", "line 1: a recording of another version" },
        { "{\"muster\":\"recording\",\"version\":2,\"gates\":\"GenericWorkload=maybe\"}",
          "line 1: gates: " },
        { "{\"muster\":\"recording\",\"version\":2}", "line 1: the recording breaks off" },
        { "{\"muster\":\"recording\",\"version\":2,\"seed\":\"x\"}",
          "line 1: the seed is no number" },
        { "{\"muster\":\"recording\",\"version\":2,\"config\":\"kind: Pod\"}",
          "line 1: the configuration is not valid" },
        { "{\"muster\":\"recording\",\"version\":2}\n{}", "line 2: \"at\" with a time is missing" },
        { "{\"muster\":\"recording\",\"version\":2}\n{\"at\":1}", "line 2: neither an event" },
        { "{\"muster\":\"recording\",\"version\":2}\n{\"at\":1,\"done\":0}",
          "line 2: an answer needs the number" },
        { "{\"muster\":\"recording\",\"version\":2}\n{\"at\":1,\"remove\":{\"kind\":\"X\",\"name\":"
          "\"a\"}}",
          "line 2: \"remove\" needs kind and name" },
        { "{\"muster\":\"recording\",\"version\":2}\n{\"at\":1,\"set\":{\"kind\":\"Pod\"}}",
          "line 2: set: " },
        { "{\"muster\":\"recording\",\"version\":2}\n{\"end\":true,\"hash\":\"x\"}",
          "line 2: the hash at the end" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_replay result;
        struct mst_err err = { 0 };
        t_case(t, cases[i].text);
        t_ok(t, replay(mst_str_of(cases[i].text), &result, &err) != MST_OK);
        if (!mst_str_has_prefix(mst_str_of(err.text), cases[i].why))
            t_fail(t, "said: %s", err.text);
        mst_replay_done(&result);
    }
}

/* Every cut and many flipped bytes: an error or a difference, never a crash. */
static void test_replay_of_noise(struct mst_test *t)
{
    MST_AUTO(mst_buf) text = { 0 };
    struct mst_rng rng;
    record(scenario, &text);
    mst_rng_init(&rng, 1);
    for (int i = 0; i < 150; i++) {
        struct mst_replay result;
        struct mst_err err;
        size_t n = mst_rng_below(&rng, text.n);
        t_ok(t, replay((struct mst_str){ text.p, n }, &result, &err) != MST_OK || !result.same ||
                    n + 1 >= text.n);
        mst_replay_done(&result);
    }
}

MST_TEST_MAIN(T(test_replay_gives_the_same), T(test_replay_of_evictions),
              T(test_replay_tells_the_difference), T(test_replay_refuses_damage),
              T(test_replay_of_noise))

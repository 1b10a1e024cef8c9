/* Objects come, change, end and go at their times; a watcher sees each step. */
#include "sim_fixture.h"

/* The watcher: one word per event. */
struct seen {
    struct mst_buf log;
    struct mst_syms *syms;
};

static void watch(void *ctx, const struct mst_event *event)
{
    struct seen *seen = ctx;
    if (event->kind != MST_EVENT_SET && event->kind != MST_EVENT_REMOVE) {
        mst_buf_text(&seen->log, event->kind == MST_EVENT_EFFECT_DONE ? "done " : "failed ");
        return;
    }
    const struct mst_meta *meta = &event->object->u.meta;
    mst_buf_printf(&seen->log, "%c%.*s", event->kind == MST_EVENT_SET ? '+' : '-',
                   MST_ARG(meta->name));
    if (event->kind == MST_EVENT_SET && event->object->kind == MST_KIND_POD) {
        struct mst_str phase = mst_sym_str(seen->syms, event->object->u.pod.status.phase);
        if (!mst_str_is(phase, "Pending"))
            mst_buf_printf(&seen->log, ":%.*s", MST_ARG(phase));
    }
    if (event->kind == MST_EVENT_SET && meta->deleted.set)
        mst_buf_text(&seen->log, "!");
    mst_buf_char(&seen->log, ' ');
}

struct server_fixture {
    struct fixture f;
    struct mst_clock clock;
    struct mst_apiserver server;
    struct seen seen;
};

static void init(struct server_fixture *s, const char *text)
{
    fixture_init(&s->f, ".yaml", text);
    mst_assert(s->f.loaded);
    s->seen = (struct seen){ .syms = s->f.syms };
    mst_clock_init(&s->clock);
    mst_apiserver_init(&s->server, &s->f.scenario, &s->clock, watch, &s->seen);
}

static void done(struct server_fixture *s)
{
    mst_apiserver_done(&s->server);
    mst_buf_done(&s->seen.log);
    fixture_done(&s->f);
}

/* Everything up to `at_s`; what was seen since the last call. */
static void expect(struct mst_test *t, struct server_fixture *s, int64_t at_s, const char *want)
{
    int64_t at_ns = MST_SIM_START_NS + at_s * MST_NS_PER_S;
    s->seen.log.n = 0;
    while (mst_apiserver_next(&s->server) <= at_ns) {
        mst_clock_advance(&s->clock, mst_apiserver_next(&s->server));
        t_ok(t, mst_apiserver_step(&s->server, s->clock.now_ns));
    }
    t_ok(t, !mst_apiserver_step(&s->server, at_ns));
    t_str(t, mst_buf_span(&s->seen.log), want);
}

static void test_apiserver_first_lists(struct mst_test *t)
{
    struct server_fixture s;
    /* Pending pods by age, then as they stand; everything else before them, by name;
       the namespace that nobody wrote, too. */
    init(&s,
         POD("p2", "", "", "1") POD("p1", "", "", "1") MEMBER("m", "g", "1")
             POD("b", "", "nodeName: n1, ", "1") GANG("g", "1") NODE("n2", "1") NODE("n1", "1"));
    expect(t, &s, 0, "+default +n1 +n2 +g +b +p2 +p1 +m ");
    t_ok(t, mst_apiserver_next(&s.server) == MST_NEVER);
    done(&s);
}

static void test_apiserver_arrive_update_delete(struct mst_test *t)
{
    struct server_fixture s;
    init(&s, POD("a", "simulate.muster/arrive-at: 5s, simulate.muster/delete-at: 20s", "", "1")
                 POD("a", "simulate.muster/arrive-at: 10s", "", "2")
                     POD("a", "simulate.muster/arrive-at: 30s", "", "3"));
    expect(t, &s, 4, "+default ");
    expect(t, &s, 5, "+a ");
    expect(t, &s, 10, "+a ");
    const struct mst_served *a =
        mst_apiserver_find(&s.server, MST_KIND_POD, MST_STR("default"), MST_STR("a"));
    t_int(t, a->object.u.meta.generation, 2);
    t_str(t, a->object.u.meta.uid, "pod-default-a");
    t_int(t, a->object.u.meta.created.unix_s, MST_SIM_START_S + 5);
    expect(t, &s, 20, "-a ");
    t_ok(t, !a->live);
    expect(t, &s, 30, "+a "); /* created again: another object */
    t_str(t, a->object.u.meta.uid, "pod-default-a-2");
    t_int(t, a->object.u.meta.generation, 1);
    done(&s);
}

static void test_apiserver_update_keeps_status(struct mst_test *t)
{
    struct server_fixture s;
    init(&s,
         POD("a", "", "nodeName: n0, ", "1") POD("a", "simulate.muster/arrive-at: 10s", "", "1"));
    expect(t, &s, 10, "+default +a +a ");
    const struct mst_served *a =
        mst_apiserver_find(&s.server, MST_KIND_POD, MST_STR("default"), MST_STR("a"));
    t_str(t, mst_sym_str(s.f.syms, a->object.u.pod.spec.node_name), "n0");
    t_int(t, a->object.u.pod.status.conditions.n, 1);
    t_int(t, a->bound_ns, a->arrived_ns);
    done(&s);
}

static void test_apiserver_grace_period(struct mst_test *t)
{
    struct server_fixture s;
    init(&s, POD("bound", "simulate.muster/delete-at: 10s", "nodeName: n0, ", "1")
                 POD("short", "simulate.muster/delete-at: 10s",
                     "nodeName: n0, terminationGracePeriodSeconds: 5, ", "1")
                     POD("none", "simulate.muster/delete-at: 10s",
                         "nodeName: n0, terminationGracePeriodSeconds: 0, ", "1")
                         POD("pending", "simulate.muster/delete-at: 10s", "", "1"));
    expect(t, &s, 9, "+default +bound +none +short +pending ");
    expect(t, &s, 10, "+bound! -none +short! -pending ");
    expect(t, &s, 15, "-short ");
    expect(t, &s, 39, "");
    expect(t, &s, 40, "-bound ");
    done(&s);
}

static void test_apiserver_run_for(struct mst_test *t)
{
    struct server_fixture s;
    init(&s,
         POD("a", "simulate.muster/run-for: 10s, simulate.muster/delete-at: 20s", "nodeName: n0, ",
             "1") POD("b", "simulate.muster/run-for: 10s, simulate.muster/delete-at: 5s",
                      "nodeName: n0, ", "1") POD("c", "simulate.muster/run-for: 10s", "", "1"));
    expect(t, &s, 0, "+default +a +b +c ");
    expect(t, &s, 11, "+b! +a:Succeeded "); /* b terminates, c never started */
    expect(t, &s, 20, "-a ");               /* nothing to wait for: it has ended */
    expect(t, &s, 100, "-b ");
    done(&s);
}

static void test_apiserver_group_waits_for_members(struct mst_test *t)
{
    struct server_fixture s;
    init(&s, "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\n"
             "metadata: {name: g, annotations: {simulate.muster/delete-at: 5s}}\n"
             "spec: {schedulingPolicy: {basic: {}}}\n---\n"
             "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\n"
             "metadata: {name: empty, annotations: {simulate.muster/delete-at: 5s}}\n"
             "spec: {schedulingPolicy: {basic: {}}}\n---\n" POD(
                 "a", "simulate.muster/run-for: 8s",
                 "nodeName: n0, schedulingGroup: {podGroupName: g}, ", "1")
                 POD("b", "simulate.muster/delete-at: 9s", "schedulingGroup: {podGroupName: g}, ",
                     "1"));
    expect(t, &s, 4, "+default +empty +g +a +b ");
    expect(t, &s, 5, "-empty +g! ");
    expect(t, &s, 100, "+a:Succeeded -b -g ");
    done(&s);
}

static void test_apiserver_versions_grow(struct mst_test *t)
{
    struct server_fixture s;
    init(&s, POD("a", "", "", "1") POD("b", "", "", "1"));
    expect(t, &s, 0, "+default +a +b ");
    t_str(t, s.server.served.v[1].object.u.meta.resource_version, "1002");
    t_str(t, s.server.served.v[2].object.u.meta.resource_version, "1003");
    done(&s);
}

MST_TEST_MAIN(T(test_apiserver_first_lists), T(test_apiserver_arrive_update_delete),
              T(test_apiserver_update_keeps_status), T(test_apiserver_grace_period),
              T(test_apiserver_run_for), T(test_apiserver_group_waits_for_members),
              T(test_apiserver_versions_grow))

/* Life of an engine: steps, deadlines, effects as records, same input same bytes. */
#include "engine_helper.h"
#include "tap.h"

static void test_engine_idle(struct mst_test *t)
{
    struct host *h = host_new(false);
    t_bool(t, host_step(h), false);
    t_int(t, h->out.list.n, 0);
    t_int(t, mst_engine_deadline(h->engine, h->now), INT64_MAX);
    t_int(t, mst_engine_cycles(h->engine), 0);
    host_free(h);
}

/* One attempt per step, the higher priority first, then the older. */
static void test_engine_one_attempt_per_step(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 8", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_add(h, (struct host_pod_spec){ .name = "b" });
    host_add(h, (struct host_pod_spec){ .name = "c", .priority = 9 });
    h->binds = HOST_BINDS_HANG;
    t_bool(t, host_step(h), true);
    t_str(t, host_log(h), "try default/c #1\nbind default/c n1\n");
    t_int(t, mst_engine_cycles(h->engine), 1);
    host_step(h);
    host_step(h);
    t_str(t, host_log(h),
          "try default/c #1\nbind default/c n1\ntry default/a #1\nbind default/a n1\n"
          "try default/b #1\nbind default/b n1\n");
    t_bool(t, host_step(h), false);
    host_free(h);
}

static void test_engine_deadline_is_the_end_of_the_backoff(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_gang(h, "g", 2, NULL);
    host_add(h, (struct host_pod_spec){ .name = "a", .group = "g" });
    host_add(h, (struct host_pod_spec){ .name = "b", .group = "g" });
    host_run(h);
    int64_t deadline = mst_engine_deadline(h->engine, h->now);
    t_int(t, deadline, h->now + 2 * HOST_SECOND); /* 1 s, and the second it ends in still waits */
    h->now = deadline - 1;
    t_bool(t, host_step(h), false);
    h->now = deadline;
    host_forget(h);
    host_run(h);
    t_ok(t, host_saw(h, "try default/g #2: *"));
    host_free(h);
}

/* Effects that an event leaves behind come with the next step, which is due at once. */
static void test_engine_effects_of_events(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    h->binds = HOST_BINDS_HANG;
    host_add(h, (struct host_pod_spec){ .name = "a" });
    host_run(h);
    host_answer(h, h->last_bind.id, NULL);
    t_int(t, mst_engine_deadline(h->engine, h->now), h->now);
    host_forget(h);
    t_bool(t, host_step(h), true);
    t_str(t, host_log(h), "event default/a Scheduled: Successfully assigned default/a to n1\n");
    /* Answered twice: the second answer concerns nobody. */
    host_answer(h, h->last_bind.id, "late");
    t_bool(t, host_step(h), false);
    host_free(h);
}

/* What a flush hands out is what was due and left behind; nobody is attempted. */
static void test_engine_flush(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 4", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a", .cpu = "1" });
    (void)host_step(h); /* its bind is answered, which leaves an event */
    host_add(h, (struct host_pod_spec){ .name = "b", .cpu = "1" });
    mst_engine_flush(h->engine, h->now, &h->out);
    t_int(t, h->out.list.n, 1);
    t_int(t, h->out.list.v[0].kind, MST_EFFECT_EVENT);
    t_str(t, h->out.list.v[0].reason, "Scheduled");
    t_int(t, mst_engine_cycles(h->engine), 1);
    mst_engine_flush(h->engine, h->now, &h->out);
    t_int(t, h->out.list.n, 0);
    host_forget(h);
    (void)host_step(h);
    t_ok(t, host_saw(h, "bind default/b n1"));
    host_free(h);
}

static void test_engine_effect_records(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a", .cpu = "2", .uid = "u1" });
    (void)mst_engine_step(h->engine, h->now, &h->out);
    t_int(t, h->out.list.n, 3);
    for (uint32_t i = 0; i < h->out.list.n; i++) {
        const struct mst_effect *e = &h->out.list.v[i];
        t_int(t, e->id, i + 1);
        t_int(t, e->cycle, 1);
        t_int(t, e->object_kind, MST_KIND_POD);
        t_str(t, e->ns, "default");
        t_str(t, e->name, "a");
        t_str(t, e->uid, "u1");
    }
    const struct mst_effect *event = &h->out.list.v[1], *status = &h->out.list.v[2];
    t_str(t, event->type, "Warning");
    t_str(t, event->action, "Scheduling");
    t_str(t, status->condition.type, "PodScheduled");
    t_str(t, status->condition.status, "False");
    t_bool(t, status->before.type.p == NULL, true);
    t_int(t, status->condition.last_transition.unix_s, h->now / HOST_SECOND);
    t_bool(t, status->nominated_set, false);
    host_free(h);
}

/*
 * The time of a transition changes with the status only; the note of an event is cut, not the
 * message.
 */
static void test_engine_transition_time_and_note(struct mst_test *t)
{
    struct host *h = host_new(false);
    for (uint32_t i = 0; i < 60; i++) /* 60 different reasons */
        host_node(h, mst_arena_printf(&h->arena, "n%u", i).p, "cpu: 1",
                  mst_arena_printf(&h->arena,
                                   "taints: [{key: a-rather-long-key-%u, effect: NoSchedule}]", i)
                      .p);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    int64_t first = h->now / HOST_SECOND;
    h->now += 5 * HOST_SECOND;
    (void)mst_engine_step(h->engine, h->now, &h->out);
    t_int(t, h->out.list.v[2].condition.last_transition.unix_s, first + 5);
    struct mst_str message = h->out.list.v[2].condition.message, note = h->out.list.v[1].note;
    t_ok(t, message.n < 1024 || note.n <= 1024);
    host_remove(h, MST_KIND_NODE, "n7");
    host_wait(h, 400); /* looked at again: another text, the same status */
    const struct mst_cond *c = &mst_engine_cluster(h->engine)->pods.v[host_pod(h, "a")].scheduled;
    t_ok(t, mst_str_has_prefix(c->message, "0/59 nodes"));
    t_int(t, c->last_transition.unix_s, first + 5);
    host_free(h);
}

static void test_engine_long_note_is_cut(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_add(h, (struct host_pod_spec){ .name = "a" });
    h->binds = HOST_BINDS_HANG;
    host_run(h);
    char *reason = mst_arena_zalloc(&h->arena, 2001, 1);
    memset(reason, 'x', 2000);
    host_answer(h, h->last_bind.id, reason);
    (void)mst_engine_step(h->engine, h->now, &h->out);
    const struct mst_effect *event = &h->out.list.v[0];
    t_int(t, event->note.n, 1024);
    struct mst_str end = { event->note.p + 1020, 4 };
    t_str(t, end, " ...");
    t_ok(t, h->out.list.v[1].condition.message.n > 2000);
    host_free(h);
}

/* Ties drawn from a seed: the same seed gives the same nodes, and not always the first. */
static void place_twenty(struct host *h, uint64_t seed, bool random)
{
    struct mst_err err;
    mst_engine_free(h->engine);
    h->engine = mst_engine_new(&(struct mst_engine_options){ .config = &h->config,
                                                             .registry = &h->registry,
                                                             .syms = h->syms,
                                                             .random_ties = random,
                                                             .seed = seed },
                               &err);
    host_forget(h);
    for (uint32_t i = 0; i < 20; i++)
        host_node(h, mst_arena_printf(&h->arena, "n%02u", i).p, "cpu: 8", NULL);
    for (uint32_t i = 0; i < 20; i++)
        host_apply(h, mst_arena_printf(&h->arena,
                                       "{apiVersion: v1, kind: Pod, metadata: {name: p%02u, "
                                       "namespace: default}, spec: {containers: [{name: c, "
                                       "image: i, resources: {requests: {cpu: 1}}}]}}",
                                       i)
                          .p);
    h->binds = HOST_BINDS_HANG;
    host_run(h);
}

static void test_engine_random_ties(struct mst_test *t)
{
    struct host *h = host_new(false);
    place_twenty(h, 0, false);
    t_ok(t, host_saw(h, "bind default/p00 n00"));
    t_ok(t, host_saw(h, "bind default/p19 n19"));
    place_twenty(h, 1, true);
    struct mst_str one = mst_arena_str(&h->arena, host_log(h));
    place_twenty(h, 1, true);
    t_bool(t, mst_str_eq(one, host_log(h)), true);
    place_twenty(h, 2, true);
    t_bool(t, mst_str_eq(one, host_log(h)), false);
    host_free(h);
}

MST_TEST_MAIN(T(test_engine_idle), T(test_engine_one_attempt_per_step),
              T(test_engine_deadline_is_the_end_of_the_backoff), T(test_engine_effects_of_events),
              T(test_engine_flush), T(test_engine_effect_records),
              T(test_engine_transition_time_and_note), T(test_engine_long_note_is_cut),
              T(test_engine_random_ties))

/* Order, concurrency, what waits and is merged or dropped, tries and their end. */
#include <stdio.h>

#include "writer_helper.h"

static void test_writer_bind_done(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, rig_bind(7, "p", "n1"));
    t_int(t, mst_writer_pending(r.writer), 1);
    t_answers(t, &r, "");
    rig_reply(&r, 0, 201, NULL);
    t_answers(t, &r, "done 7\n");
    t_int(t, mst_writer_pending(r.writer), 0);
    t_int(t, mst_writer_stats_of(r.writer).binds, 1);
    rig_stop(&r, t);
}

static void test_writer_parallel_fifo(struct mst_test *t)
{
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 2 });
    for (uint32_t i = 0; i < MST_COUNT(names); i++)
        rig_want(&r, rig_bind(i + 1, names[i], "n"));
    t_int(t, r.client.sent.n, 2);
    t_int(t, mst_writer_pending(r.writer), 5);
    rig_reply(&r, 1, 201, NULL);
    t_int(t, r.client.sent.n, 3);
    rig_reply(&r, 0, 201, NULL);
    rig_reply(&r, 3, 201, NULL);
    rig_reply(&r, 4, 201, NULL);
    rig_reply(&r, 2, 201, NULL);
    t_answers(t, &r, "done 2\ndone 1\ndone 4\ndone 5\ndone 3\n");
    rig_stop(&r, t);
}

/* The request of a pod's later effect is not sent before the earlier one is decided. */
static void test_writer_one_at_a_time(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, rig_bind(1, "p", "n1"));
    rig_want(&r, rig_evict(2, "p", NULL));
    rig_want(&r, rig_bind(3, "q", "n1"));
    t_int(t, r.client.sent.n, 2);
    rig_lose(&r, 0, MST_NET_REFUSED);
    t_int(t, r.client.sent.n, 2);
    rig_wait(&r, 3);
    t_ok(t, strstr(r.client.sent.v[2]->text.p, "pods/p/binding"));
    rig_reply(&r, 2, 201, NULL);
    t_ok(t, !memcmp(r.client.sent.v[3]->text.p, "DELETE ", 7));
    rig_reply(&r, 3, 200, NULL);
    t_answers(t, &r, "done 1\ndone 2\n");
    t_int(t, mst_writer_stats_of(r.writer).retries, 1);
    rig_stop(&r, t);
}

#define STATUS(name)                                                                               \
    "PATCH /api/v1/namespaces/ns/pods/" name "/status "                                            \
    "application/strategic-merge-patch+json {\"metadata\":{\"uid\":\"u\"},"
#define CONDITION(message)                                                                         \
    "\"status\":{\"conditions\":[{\"lastProbeTime\":null,"                                         \
    "\"lastTransitionTime\":\"2026-06-01T00:00:00Z\",\"message\":\"" message "\","                 \
    "\"observedGeneration\":1,\"reason\":\"Unschedulable\",\"status\":\"False\","                  \
    "\"type\":\"PodScheduled\"}]"

static void test_writer_patches_merge(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, rig_message(1, "p", "one"));
    rig_want(&r, rig_nominate(2, "p", "n1"));
    rig_want(&r, rig_message(3, "p", "two"));
    rig_want(&r, rig_message(4, "p", "three"));
    rig_want(&r, rig_nominate(5, "p", ""));
    t_int(t, r.client.sent.n, 1);
    t_int(t, mst_writer_pending(r.writer), 2);
    t_sent(t, &r, 0, STATUS("p") CONDITION("one") "}}");
    rig_reply(&r, 0, 200, NULL);
    t_int(t, r.client.sent.n, 2);
    t_sent(t, &r, 1, STATUS("p") CONDITION("three") ",\"nominatedNodeName\":null}}");
    rig_reply(&r, 1, 200, NULL);
    t_int(t, r.client.sent.n, 2);
    t_answers(t, &r, ""); /* nobody waits for patches */
    t_int(t, mst_writer_stats_of(r.writer).patches, 2);
    rig_stop(&r, t);
}

static void test_writer_patches_apart(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ 0 });
    struct mst_effect recreated = rig_message(3, "p", "of a namesake");
    struct mst_effect other_type = rig_message(4, "p", "of another type");
    recreated.uid = MST_STR("u2");
    other_type.uid = MST_STR("u2");
    other_type.condition.type = MST_STR("DisruptionTarget");
    rig_want(&r, rig_message(1, "p", "one"));
    rig_want(&r, rig_message(2, "p", "two"));
    rig_want(&r, recreated);
    rig_want(&r, other_type);
    t_int(t, mst_writer_pending(r.writer), 4);
    for (uint32_t i = 0; i < 4; i++)
        rig_reply(&r, i, 200, NULL);
    t_ok(t, strstr(r.client.sent.v[2]->text.p, "of a namesake"));
    t_ok(t, strstr(r.client.sent.v[3]->text.p, "of another type"));
    rig_stop(&r, t);
}

/* What a binding or an eviction makes pointless is not sent; what is under way goes on. */
static void test_writer_patches_dropped(struct mst_test *t)
{
    for (int evict = 0; evict < 2; evict++) {
        struct rig r;
        t_case(t, evict ? "eviction" : "binding");
        rig_start(&r, (struct mst_writer_options){ .parallel = 1 });
        rig_want(&r, rig_bind(1, "first", "n"));
        rig_want(&r, rig_message(2, "p", "waits"));
        rig_want(&r, rig_message(3, "q", "stays"));
        rig_want(&r, evict ? rig_evict(4, "p", NULL) : rig_bind(4, "p", "n"));
        t_int(t, mst_writer_pending(r.writer), 3);
        rig_reply(&r, 0, 201, NULL);
        t_ok(t, strstr(r.client.sent.v[1]->text.p, evict ? "DELETE" : "binding"));
        if (!evict) {
            rig_want(&r, rig_message(5, "p", "less than a binding"));
            t_int(t, mst_writer_pending(r.writer), 2);
        }
        rig_reply(&r, 1, 201, NULL);
        t_ok(t, strstr(r.client.sent.v[2]->text.p, "stays"));
        rig_want(&r, rig_message(6, "q", "comes late"));
        rig_want(&r, rig_bind(7, "q", "n"));
        rig_reply(&r, 2, 200, NULL);
        rig_reply(&r, 3, 201, NULL);
        t_int(t, r.client.sent.n, 4);
        t_answers(t, &r, "done 1\ndone 4\ndone 7\n");
        rig_stop(&r, t);
    }
}

static bool is_patch(const struct rig *r, uint32_t i)
{
    return strstr(r->client.sent.v[i]->text.p, "/status") != NULL;
}

/* Status is for people: it waits for bindings that wait, and where many are under way. */
static void test_writer_bindings_first(struct mst_test *t)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "becomes" };
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 4 });
    rig_want(&r, rig_message(1000, "at once", "w"));
    rig_want(&r, rig_bind(1, "beside it", "n"));
    t_int(t, r.client.sent.n, 2);
    rig_want(&r, rig_message(1001, "beside one", "w"));
    t_int(t, r.client.sent.n, 3); /* one of four: few */
    rig_want(&r, rig_message(1002, "becomes", "w"));
    rig_want(&r, rig_message(1003, "last", "w"));
    t_int(t, r.client.sent.n, 4);
    for (uint32_t i = 0; i < MST_COUNT(names); i++)
        rig_want(&r, rig_bind(2 + i, names[i], "n"));
    t_int(t, mst_writer_pending(r.writer), 11);
    t_int(t, mst_writer_work_pending(r.writer), 7);
    for (uint32_t i = 0; i < 11; i++)
        rig_reply(&r, i, 201, NULL);
    t_int(t, r.client.sent.n, 11);
    for (uint32_t i = 4; i < 11; i++)
        t_bool(t, is_patch(&r, i), i == 10);
    t_ok(t, strstr(r.client.sent.v[10]->text.p, "/last/status"));
    t_int(t, mst_writer_pending(r.writer), 0);
    t_int(t, mst_writer_work_pending(r.writer), 0);
    rig_stop(&r, t);
}

/* ... but not for ever: what waited long enough takes every other turn. */
static void test_writer_status_waits_so_long(struct mst_test *t)
{
    static const char *const names[] = { "a", "b", "c", "d" }, *const pods[] = { "p", "q", "r",
                                                                                 "s" };
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 4, .status_wait_ms = 200 });
    for (uint32_t i = 0; i < 2; i++)
        rig_want(&r, rig_bind(1 + i, names[i], "n"));
    for (uint32_t i = 0; i < 4; i++)
        rig_want(&r, rig_message(10 + i, pods[i], "w"));
    t_int(t, r.client.sent.n, 2);
    rig_wait(&r, 4); /* no answer came: the time alone did it */
    t_ok(t, is_patch(&r, 2) && is_patch(&r, 3));
    for (uint32_t i = 2; i < 4; i++)
        rig_want(&r, rig_bind(1 + i, names[i], "n"));
    rig_want(&r, rig_bind(5, "e", "n"));
    for (uint32_t i = 0; i < 4; i++)
        rig_reply(&r, i, 201, NULL);
    t_int(t, r.client.sent.n, 8);
    for (uint32_t i = 4; i < 8; i++)
        t_bool(t, is_patch(&r, i), i % 2 == 1);
    rig_stop(&r, t);
}

static void want_groups(struct rig *r, int n, const char *status)
{
    for (int i = 0; i < n; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "g%d", i);
        rig_want(r, rig_group(100 + (uint64_t)i, name, status));
    }
}

/* That groups were scheduled is told with a budget beside other work, in full when it is quiet. */
static void test_writer_success_yields(struct mst_test *t)
{
    enum { AT_ONCE = 1, GROUPS = 10 };
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 50, .success_qps = 0.01 });
    rig_want(&r, rig_bind(1, "a", "n"));
    want_groups(&r, GROUPS, "True");
    t_int(t, r.client.sent.n, 1 + AT_ONCE);
    t_int(t, mst_writer_pending(r.writer), 1 + GROUPS);
    rig_want(&r, rig_message(2, "p", "a failure does not wait"));
    t_ok(t, strstr(r.client.sent.v[r.client.sent.n - 1]->text.p, "/pods/p/status"));
    rig_want(&r, rig_event("p", "yields to all"));
    t_int(t, mst_writer_events_pending(r.writer), 1);
    rig_reply(&r, 0, 201, NULL);
    t_ok(t, r.client.sent.n < GROUPS); /* it has to stay quiet for a moment */
    rig_wait(&r, GROUPS + 3);
    t_ok(t, strstr(r.client.sent.v[GROUPS + 2]->text.p, "/events"));
    rig_stop(&r, t);
    t_case(t, "the budget grows with time");
    rig_start(&r, (struct mst_writer_options){ .parallel = 50, .success_qps = 20 });
    rig_want(&r, rig_bind(1, "a", "n"));
    want_groups(&r, 22, "True");
    rig_wait(&r, 1 + 22);
    rig_stop(&r, t);
    t_case(t, "a failure that becomes a success, and one that does not");
    rig_start(&r, (struct mst_writer_options){ .parallel = 50, .success_qps = 0.01 });
    rig_want(&r, rig_bind(1, "a", "n"));
    want_groups(&r, GROUPS, "False");
    t_int(t, r.client.sent.n, 1 + GROUPS);
    rig_stop(&r, t);
    rig_start(&r, (struct mst_writer_options){ .parallel = 1 });
    rig_want(&r, rig_bind(1, "a", "n"));
    rig_want(&r, rig_group(2, "g", "False"));
    rig_want(&r, rig_message(3, "p", "m"));
    rig_want(&r, rig_group(4, "g", "True"));
    t_int(t, mst_writer_pending(r.writer), 3);
    for (uint32_t i = 0; i < 3; i++)
        rig_reply(&r, i, 200, NULL);
    t_ok(t, strstr(r.client.sent.v[1]->text.p, "/pods/p/status"));
    t_ok(t, strstr(r.client.sent.v[2]->text.p, "\"status\":\"True\""));
    rig_stop(&r, t);
}

static void test_writer_success_waits_so_long(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 4, .success_wait_ms = 200 });
    rig_want(&r, rig_bind(1, "a", "n"));
    rig_want(&r, rig_bind(2, "b", "n"));
    rig_want(&r, rig_group(3, "g", "True"));
    rig_want(&r, rig_message(4, "p", "waits longer than this test"));
    t_int(t, r.client.sent.n, 2);
    rig_wait(&r, 3);
    t_ok(t, strstr(r.client.sent.v[2]->text.p, "/podgroups/g/status"));
    rig_stop(&r, t);
}

/* A pod's binding says nothing of a namesake's patches. */
static void test_writer_namesakes_kept(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 1 });
    struct mst_effect bind = rig_bind(3, "p", "n");
    bind.uid = MST_STR("u2");
    rig_want(&r, rig_bind(1, "first", "n"));
    rig_want(&r, rig_message(2, "p", "of the one before"));
    rig_want(&r, bind);
    rig_want(&r, rig_message(4, "p", "still of the one before"));
    t_int(t, mst_writer_pending(r.writer), 4);
    for (uint32_t i = 0; i < 4; i++)
        rig_reply(&r, i, 200, NULL);
    t_answers(t, &r, "done 1\ndone 3\n");
    rig_stop(&r, t);
}

/* Nobody would write it again; but no is no. */
static void test_writer_groups_go_on(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .tries_max = 2, .group_pause_ms = 1 });
    rig_want(&r, rig_group(1, "g", "True"));
    for (uint32_t i = 0; i < 6; i++) {
        rig_wait(&r, i + 1);
        if (i % 2)
            rig_lose(&r, i, MST_NET_REFUSED);
        else
            rig_reply(&r, i, 503, "not now");
    }
    t_int(t, mst_writer_pending(r.writer), 1);
    rig_wait(&r, 7);
    rig_reply(&r, 6, 200, NULL);
    t_int(t, mst_writer_pending(r.writer), 0);
    t_int(t, mst_writer_stats_of(r.writer).patches, 1);
    rig_want(&r, rig_group(2, "g", "True"));
    rig_reply(&r, 7, 503, "not now");
    rig_wait(&r, 9);
    rig_reply(&r, 8, 409, "a conflict, and no try is left for it");
    t_int(t, mst_writer_stats_of(r.writer).patch_errors, 1);
    rig_stop(&r, t);
}

static void test_writer_tries_end(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .tries_max = 4 });
    rig_want(&r, rig_bind(1, "p", "n"));
    rig_reply(&r, 0, 429, "too many requests");
    rig_wait(&r, 2);
    rig_lose(&r, 1, MST_NET_REFUSED);
    rig_wait(&r, 3);
    rig_lose(&r, 2, MST_NET_TLS);
    rig_wait(&r, 4);
    rig_reply(&r, 3, 503, "the server is currently unable to handle the request");
    t_answers(t, &r, "failed 1: the server is currently unable to handle the request\n");
    t_int(t, mst_writer_stats_of(r.writer).bind_errors, 1);
    t_int(t, mst_writer_stats_of(r.writer).retries, 3);
    rig_stop(&r, t);
}

static void test_writer_waits_as_told(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .retry_max_ms = 4 });
    rig_want(&r, rig_bind(1, "p", "n"));
    struct mst_reply busy = rig_status(429, "busy");
    busy.retry_after_s = 3600; /* not believed, but the next try is seconds away */
    rig_answer(&r, 0, &busy);
    rig_want(&r, rig_bind(2, "q", "n"));
    rig_reply(&r, 1, 500, "an error");
    rig_wait(&r, 3);
    t_ok(t, strstr(r.client.sent.v[2]->text.p, "pods/q/"));
    rig_stop(&r, t); /* the pod that waits goes with its timer */
}

struct chain {
    struct rig rig;
    uint32_t left;
};

static void bind_next(void *ctx, const struct mst_event *event)
{
    struct chain *c = ctx;
    rig_take_answer(ctx, event);
    if (c->left--) {
        rig_want(&c->rig, rig_bind(event->effect_id + 1, "p", "n"));
        rig_want(&c->rig, rig_message(100, "p", "less than a binding"));
    }
}

/* The engine answers an answer with the next effect of the same object. */
static void test_writer_effects_from_answers(struct mst_test *t)
{
    struct chain c = { 0 };
    rig_start(&c.rig, (struct mst_writer_options){ .answer = bind_next });
    c.left = 2;
    rig_want(&c.rig, rig_bind(1, "p", "n"));
    for (uint32_t i = 0; i < 3; i++)
        rig_reply(&c.rig, i, 404, "pods \"p\" not found");
    t_answers(t, &c.rig,
              "failed 1: pods \"p\" not found\nfailed 2: pods \"p\" not found\n"
              "failed 3: pods \"p\" not found\n");
    t_int(t, mst_writer_pending(c.rig.writer), 0);
    rig_stop(&c.rig, t);
}

static void test_writer_free_cancels(struct mst_test *t)
{
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .parallel = 2 });
    rig_want(&r, rig_bind(1, "p", "n"));
    rig_want(&r, rig_bind(2, "q", "n"));
    rig_want(&r, rig_bind(3, "r", "n"));
    rig_want(&r, rig_evict(4, "p", "m"));
    rig_lose(&r, 0, MST_NET_BROKEN);
    rig_stop(&r, t);
    t_int(t, r.answers.n, 0);
    mst_writer_free(NULL);
}

MST_TEST_MAIN(T(test_writer_bind_done), T(test_writer_parallel_fifo), T(test_writer_one_at_a_time),
              T(test_writer_patches_merge), T(test_writer_patches_apart),
              T(test_writer_patches_dropped), T(test_writer_bindings_first),
              T(test_writer_status_waits_so_long), T(test_writer_success_yields),
              T(test_writer_success_waits_so_long), T(test_writer_namesakes_kept),
              T(test_writer_groups_go_on), T(test_writer_tries_end), T(test_writer_waits_as_told),
              T(test_writer_effects_from_answers), T(test_writer_free_cancels))

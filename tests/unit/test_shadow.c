/* A dry run: decisions against those of another scheduler, and what the engine is answered. */
#include "daemon/shadow.h"

#include <event2/event.h>

#include "tap.h"

struct rig {
    struct event_base *loop;
    struct mst_syms *syms;
    struct mst_shadow *shadow;
    struct mst_buf answers; /* "done 1, failed 2, " */
};

static void on_answer(void *ctx, const struct mst_event *event)
{
    struct rig *rig = ctx;
    mst_buf_printf(&rig->answers, "%s %d, ",
                   event->kind == MST_EVENT_EFFECT_DONE ? "done" : "failed", (int)event->effect_id);
}

static void rig_init(struct rig *rig, int64_t patience_ms)
{
    *rig = (struct rig){ .loop = event_base_new(), .syms = mst_syms_new() };
    const struct mst_shadow_options options = { .loop = rig->loop,
                                                .syms = rig->syms,
                                                .patience_ms = patience_ms,
                                                .answer = on_answer,
                                                .ctx = rig };
    rig->shadow = mst_shadow_new(&options);
}

static void rig_done(struct rig *rig)
{
    mst_shadow_free(rig->shadow);
    mst_buf_done(&rig->answers);
    mst_syms_free(rig->syms);
    event_base_free(rig->loop);
}

static void pod(struct rig *rig, const char *uid, const char *node, bool ours)
{
    struct mst_pod p = { .meta = { .name = MST_STR("p"), .uid = mst_str_of(uid) } };
    p.meta.namespace_ = mst_sym_of(rig->syms, MST_STR("default"));
    p.spec.node_name = node ? mst_sym_of(rig->syms, mst_str_of(node)) : MST_SYM_NONE;
    mst_shadow_pod(rig->shadow, &p, ours);
}

static void effect(struct rig *rig, mst_effect_kind kind, uint64_t id, const char *uid,
                   const char *node)
{
    const struct mst_effect e = { .id = id,
                                  .kind = kind,
                                  .ns = MST_STR("default"),
                                  .name = MST_STR("p"),
                                  .uid = mst_str_of(uid),
                                  .node = mst_str_of(node) };
    mst_shadow_effect(rig->shadow, &e);
}

static void check(struct mst_test *t, struct rig *rig, const char *answers, uint64_t same,
                  uint64_t other, uint64_t there, uint64_t here)
{
    const struct mst_shadow_stats s = mst_shadow_stats_of(rig->shadow);
    t_str(t, mst_buf_span(&rig->answers), answers);
    t_int(t, s.same, same);
    t_int(t, s.other_node, other);
    t_int(t, s.only_there, there);
    t_int(t, s.only_here, here);
}

static void test_compares(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, 0);
    for (int i = 0; i < 4; i++)
        pod(&rig, (const char *[]){ "a", "b", "c", "d" }[i], NULL, true);
    effect(&rig, MST_EFFECT_BIND, 1, "a", "n1");
    effect(&rig, MST_EFFECT_BIND, 2, "b", "n1");
    check(t, &rig, "", 0, 0, 0, 0);
    pod(&rig, "a", "n1", true);
    check(t, &rig, "done 1, ", 1, 0, 0, 0);
    pod(&rig, "b", "n2", true);
    check(t, &rig, "done 1, failed 2, ", 1, 1, 0, 0);
    pod(&rig, "c", "n2", true);
    check(t, &rig, "done 1, failed 2, ", 1, 1, 1, 0);
    pod(&rig, "a", "n1", true); /* seen again: it is settled */
    check(t, &rig, "done 1, failed 2, ", 1, 1, 1, 0);
    rig_done(&rig);
}

/* Bound when it was first seen, or another scheduler's business: nothing to compare. */
static void test_leaves_out(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, 0);
    pod(&rig, "a", "n1", true);
    pod(&rig, "b", NULL, false);
    pod(&rig, "b", "n1", false);
    check(t, &rig, "", 0, 0, 0, 0);
    rig_done(&rig);
}

static void test_gone(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, 0);
    pod(&rig, "a", NULL, true);
    effect(&rig, MST_EFFECT_BIND, 7, "a", "n1");
    mst_shadow_pod_gone(rig.shadow, MST_STR("a"));
    mst_shadow_pod_gone(rig.shadow, MST_STR("unknown"));
    check(t, &rig, "failed 7, ", 0, 0, 0, 0);
    rig_done(&rig);
}

static void test_gives_up(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, 20);
    pod(&rig, "a", NULL, true);
    effect(&rig, MST_EFFECT_BIND, 7, "a", "n1");
    while (!rig.answers.n)
        event_base_loop(rig.loop, EVLOOP_ONCE);
    check(t, &rig, "failed 7, ", 0, 0, 0, 1);
    effect(&rig, MST_EFFECT_BIND, 8, "a", "n1"); /* the engine tries again */
    pod(&rig, "a", "n1", true);
    check(t, &rig, "failed 7, done 8, ", 1, 0, 0, 1);
    rig_done(&rig);
}

static void test_writes_nothing(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig, 0);
    effect(&rig, MST_EFFECT_EVICT, 1, "v", "");
    effect(&rig, MST_EFFECT_PV_UPDATE, 2, "", "");
    effect(&rig, MST_EFFECT_PVC_UPDATE, 3, "", "");
    effect(&rig, MST_EFFECT_POD_STATUS, 4, "a", "");
    effect(&rig, MST_EFFECT_EVENT, 5, "a", "");
    check(t, &rig, "failed 1, failed 2, failed 3, ", 0, 0, 0, 0);
    t_int(t, mst_shadow_stats_of(rig.shadow).evictions, 1);
    rig_done(&rig);
}

MST_TEST_MAIN(T(test_compares), T(test_leaves_out), T(test_gone), T(test_gives_up),
              T(test_writes_nothing))

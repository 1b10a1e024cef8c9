/* The loop over a group's members, on an open transaction: scheduling.md 2.4. */
#include "cycle/engine_internal.h"
#include "engine_helper.h"
#include "tap.h"

struct trial {
    struct host *h;
    struct mst_member members[8];
    struct mst_group_try t;
};

/*
 * Group g with `min` (0: basic) and members of the CPUs given; tried and left on the transaction.
 */
static uint32_t begin(struct trial *x, int min, const char *const *cpus)
{
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    uint32_t n = 0;
    x->h = host_new(false);
    host_node(x->h, "n1", "cpu: 4", NULL);
    host_gang(x->h, "g", min, NULL);
    for (; cpus[n]; n++) {
        host_add(x->h, (struct host_pod_spec){ .name = names[n], .group = "g", .cpu = cpus[n] });
        x->members[n] = (struct mst_member){ .pod = host_pod(x->h, names[n]) };
    }
    x->t = (struct mst_group_try){ .group = host_group(x->h, "g"),
                                   .fw = mst_engine_framework(x->h->engine, 0),
                                   .members = x->members,
                                   .member_count = n };
    uint32_t mark = mst_txn_begin(&x->h->engine->cluster);
    mst_group_try(x->h->engine, &x->t);
    return mark;
}

static void end(struct trial *x, uint32_t mark)
{
    mst_txn_rollback(&x->h->engine->cluster, mark);
    host_free(x->h);
}

#define P MST_MEMBER_PLACED
#define R MST_MEMBER_REJECTED
#define U MST_MEMBER_UNTRIED
static const struct {
    const char *name;
    int min;
    const char *cpus[6];
    mst_code code;
    uint32_t placed;
    mst_member_state states[5];
    const char *text; /* NULL: none */
} cases[] = {
    { "all fit", 3, { "1", "1", "1" }, MST_SUCCESS, 3, { P, P, P }, NULL },
    { "quorum and one more", 2, { "1", "1", "1" }, MST_SUCCESS, 3, { P, P, P }, NULL },
    { "quorum although one does not fit", 2, { "1", "9", "1" }, MST_SUCCESS, 2, { P, R, P }, NULL },
    { "stops at the first when all are needed",
      3,
      { "9", "1", "1" },
      MST_UNSCHEDULABLE,
      0,
      { R, U, U },
      "minCount (3) cannot be satisfied: 0 scheduled, 2 remaining" },
    { "stops in the middle",
      4,
      { "1", "1", "9", "9", "1" },
      MST_UNSCHEDULABLE,
      2,
      { P, P, R, R, U },
      "minCount (4) cannot be satisfied: 2 scheduled, 1 remaining" },
    { "the last one decides",
      2,
      { "3", "3" },
      MST_UNSCHEDULABLE,
      1,
      { P, R },
      "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining" },
    { "too few members",
      5,
      { "1", "1" },
      MST_UNSCHEDULABLE,
      0,
      { U, U },
      "minCount (5) cannot be satisfied: 0 scheduled, 2 remaining" },
    { "basic, one fits", 0, { "9", "1" }, MST_SUCCESS, 1, { R, P }, NULL },
    { "basic, none fits",
      0,
      { "9", "9" },
      MST_UNSCHEDULABLE,
      0,
      { R, R },
      "minCount (1) cannot be satisfied: 0 scheduled, 0 remaining" },
};
#undef P
#undef R
#undef U
static void test_group_try_outcomes(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct trial x;
        t_case(t, cases[i].name);
        uint32_t mark = begin(&x, cases[i].min, cases[i].cpus);
        t_int(t, x.t.code, cases[i].code);
        t_int(t, x.t.placed, cases[i].placed);
        t_int(t, x.h->engine->cluster.nodes.pod_count[0], cases[i].placed);
        for (uint32_t k = 0; k < x.t.member_count; k++)
            t_int(t, x.members[k].state, cases[i].states[k]);
        if (cases[i].text)
            t_str(t, x.t.text, cases[i].text);
        t_bool(t, x.t.refused_early,
               x.t.code != MST_SUCCESS && x.members[0].state == MST_MEMBER_UNTRIED);
        end(&x, mark);
    }
}

/* Enough run already, but nobody new fits: not a success, or it would be retried for ever. */
static void test_group_try_nothing_new(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 1", NULL);
    host_gang(h, "g", 1, NULL);
    host_add(h, (struct host_pod_spec){ .name = "a", .group = "g" });
    host_run(h);
    host_add(h, (struct host_pod_spec){ .name = "b", .group = "g" });
    struct mst_member m = { .pod = host_pod(h, "b") };
    struct mst_group_try g = { .group = host_group(h, "g"),
                               .fw = mst_engine_framework(h->engine, 0),
                               .members = &m,
                               .member_count = 1 };
    uint32_t mark = mst_txn_begin(&h->engine->cluster);
    mst_group_try(h->engine, &g);
    t_int(t, g.code, MST_UNSCHEDULABLE);
    t_int(t, g.scheduled_before, 1);
    t_bool(t, g.nothing_new, true);
    struct mst_group_texts texts;
    mst_group_texts_of(h->engine, &g, &h->arena, &texts);
    t_str(t, texts.condition, "pod group is unschedulable");
    mst_txn_rollback(&h->engine->cluster, mark);
    host_free(h);
}

/* A placed member's nomination is dropped on the transaction, and comes back with it. */
static void test_group_try_nominations(struct mst_test *t)
{
    struct host *h = host_new(false);
    host_node(h, "n1", "cpu: 4", NULL);
    host_gang(h, "g", 2, NULL);
    host_add(h, (struct host_pod_spec){
                    .name = "a", .group = "g", .cpu = "2", .status = "nominatedNodeName: n1" });
    struct mst_cluster *c = mst_engine_cluster(h->engine);
    struct mst_member m = { .pod = host_pod(h, "a") };
    struct mst_group_try g = { .group = host_group(h, "g"),
                               .fw = mst_engine_framework(h->engine, 0),
                               .members = &m,
                               .member_count = 1 };
    c->groups.v[g.group].min_count = 1;
    uint32_t mark = mst_txn_begin(c);
    mst_group_try(h->engine, &g);
    t_int(t, g.code, MST_SUCCESS);
    t_int(t, c->nominated_pod_count, 0);
    mst_txn_rollback(c, mark);
    t_int(t, c->nominated_pod_count, 1);
    t_int(t, c->nodes.nominated_count[0], 1);
    host_free(h);
}

/* ---- plugins that answer what ours never do ---- */

static void answer_feasible(const struct mst_view *view, const void *instance, uint32_t group,
                            struct mst_progress progress, struct mst_arena *arena,
                            struct mst_status *out)
{
    (void)view;
    (void)group;
    (void)progress;
    (void)arena;
    *out = (struct mst_status){ .code = *(const mst_code *)instance, .reason = MST_STR("why") };
}

static void answer_error(const struct mst_view *view, const void *instance,
                         const struct mst_class *klass, struct mst_arena *arena,
                         struct mst_pre_filter *out)
{
    (void)view;
    (void)instance;
    (void)klass;
    (void)arena;
    *out = (struct mst_pre_filter){ .code = MST_ERROR, .reason = MST_STR("lost") };
}

static const struct mst_plugin feasible_plugin = { .name = "F",
                                                   .placement_feasible = answer_feasible };
static const struct mst_plugin error_plugin = { .name = "E", .pre_filter = answer_error };

/* One member is tried with a framework that has only this slot. */
static void try_with(struct trial *x, const struct mst_plugin *plugin, mst_code *instance,
                     struct mst_framework *fw)
{
    *fw = *mst_engine_framework(x->h->engine, 0);
    fw->slot_count = 1;
    fw->slots[0] = (struct mst_slot){ .plugin = plugin, .instance = instance };
    fw->gang_slot = plugin->placement_feasible ? 0 : MST_ROW_NONE;
    fw->pre_filter_count = plugin->pre_filter ? 1 : 0;
    fw->pre_filter[0] = 0;
    fw->generation_count = fw->filter_count = fw->pre_score_count = fw->score_count = 0;
    x->members[0] = (struct mst_member){ .pod = host_pod(x->h, "a") };
    x->t = (struct mst_group_try){
        .group = host_group(x->h, "g"), .fw = fw, .members = x->members, .member_count = 1
    };
    const uint32_t mark = mst_txn_begin(&x->h->engine->cluster);
    mst_group_try(x->h->engine, &x->t);
    mst_txn_rollback(&x->h->engine->cluster, mark);
}

static void test_group_try_odd_answers(struct mst_test *t)
{
#define FEASIBILITY "failed to evaluate placement feasibility: "
#define UNEXPECTED FEASIBILITY "unexpected status from PlacementFeasible plugin: "
    static const struct {
        mst_code says, code;
        const char *text;
        bool early;
    } odd[] = {
        { MST_SUCCESS, MST_SUCCESS, "why", false },
        { MST_WAIT, MST_UNSCHEDULABLE, "why", false },
        { MST_UNSCHEDULABLE, MST_UNSCHEDULABLE, "why", true },
        { MST_ERROR, MST_ERROR, FEASIBILITY "running PlacementFeasible plugin: why", true },
        { MST_UNRESOLVABLE, MST_ERROR, UNEXPECTED "UnschedulableAndUnresolvable", true },
        { MST_SKIP, MST_ERROR, UNEXPECTED "Skip", true },
        { MST_PENDING, MST_ERROR, UNEXPECTED "Pending", true },
    };
    for (size_t i = 0; i < MST_COUNT(odd); i++) {
        struct trial x = { .h = host_new(false) };
        struct mst_framework fw;
        mst_code says = odd[i].says;
        host_node(x.h, "n1", "cpu: 4", NULL);
        host_gang(x.h, "g", 1, NULL);
        host_add(x.h, (struct host_pod_spec){ .name = "a", .group = "g" });
        try_with(&x, &feasible_plugin, &says, &fw);
        t_case(t, odd[i].text);
        t_int(t, x.t.code, odd[i].code);
        t_str(t, x.t.text, odd[i].text);
        t_bool(t, x.t.refused_early, odd[i].early);
        host_free(x.h);
    }
    struct trial x = { .h = host_new(false) };
    struct mst_framework fw;
    host_node(x.h, "n1", "cpu: 4", NULL);
    host_gang(x.h, "g", 1, NULL);
    host_add(x.h, (struct host_pod_spec){ .name = "a", .group = "g" });
    try_with(&x, &error_plugin, NULL, &fw);
    t_int(t, x.t.code, MST_ERROR);
    t_str(t, x.t.text,
          "failed to schedule other pod from a pod group: running PreFilter plugin \"E\": lost");
    t_int(t, x.t.placed, 0);
    host_free(x.h);
}

MST_TEST_MAIN(T(test_group_try_outcomes), T(test_group_try_nothing_new),
              T(test_group_try_nominations), T(test_group_try_odd_answers))

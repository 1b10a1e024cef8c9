/* What plugins may answer before any node is looked at, and what becomes of it. */
#include "cluster_helper.h"
#include "framework/eval.h"
#include "tap.h"

/* One plugin's answers; the instance. */
struct says {
    mst_code pre_filter;
    const char *reason;
    const char *names; /* the nodes it allows, "n1 n2"; NULL: any */
    mst_code pre_score;
};

static struct mst_str word(const char **at)
{
    const char *begin = *at, *end = begin + strcspn(begin, " ");
    *at = end + strspn(end, " ");
    return (struct mst_str){ begin, (size_t)(end - begin) };
}

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    (void)klass;
    const struct says *says = instance;
    *out = (struct mst_pre_filter){ .code = says->pre_filter };
    out->reason = mst_str_of(says->reason ? says->reason : "");
    out->restrict_names = says->names != NULL;
    out->names.v = MST_NEW_N(arena, mst_sym, 4);
    for (const char *at = says->names; at && *at;)
        out->names.v[out->names.n++] = mst_sym_of(view->syms, word(&at));
}

static void pre_score(const struct mst_view *view, const void *instance,
                      const struct mst_class *klass, struct mst_arena *arena,
                      struct mst_pre_score *out)
{
    (void)view;
    (void)klass;
    (void)arena;
    const struct says *says = instance;
    *out = (struct mst_pre_score){ .code = says->pre_score, .reason = MST_STR("no idea") };
}

static void score(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                  uint32_t end, int64_t *raw)
{
    (void)view;
    (void)instance;
    (void)state;
    for (uint32_t row = begin; row < end; row++)
        raw[row] = 1;
}

static const struct mst_plugin plugins[] = {
    { .name = "Beta", .pre_filter = pre_filter, .pre_score = pre_score, .score = score },
    { .name = "Alpha", .pre_filter = pre_filter, .pre_score = pre_score, .score = score },
    { .name = "Gamma", .pre_filter = pre_filter, .pre_score = pre_score, .score = score },
};
enum { PLUGINS = MST_COUNT(plugins) };

#define ALL_NO "0/3 nodes are available: "
static const struct {
    const char *name;
    struct says says[PLUGINS];
    mst_code code;
    const char *node, *message; /* where there is one */
    uint32_t slots;
} cases[] = {
    { "nobody minds", { { .pre_filter = MST_SKIP } }, MST_SUCCESS, "n1", NULL, 0 },
    { "one allows two", { { .names = "n3 n2" } }, MST_SUCCESS, "n2", NULL, 0 },
    { "what all allow",
      { { .names = "n1 n2 n3" }, { .names = "n3 n2 n2" }, { .names = "n3" } },
      MST_SUCCESS,
      "n3",
      NULL,
      0 },
    { "one allows none",
      { { .names = "" } },
      MST_UNRESOLVABLE,
      NULL,
      ALL_NO "node(s) didn't satisfy plugin Beta.",
      1 },
    { "two allow nothing in common",
      { { .names = "n1" }, { .names = "n2 n3" } },
      MST_UNRESOLVABLE,
      NULL,
      ALL_NO "node(s) didn't satisfy plugin(s) [Alpha Beta] simultaneously.",
      3 },
    { "no, perhaps later",
      { { .pre_filter = MST_UNSCHEDULABLE, .reason = "later" } },
      MST_UNSCHEDULABLE,
      NULL,
      ALL_NO "later.",
      1 },
    { "a final no counts more",
      { { .pre_filter = MST_UNSCHEDULABLE, .reason = "later" },
        { .pre_filter = MST_UNRESOLVABLE, .reason = "never" },
        { .pre_filter = MST_ERROR, .reason = "not asked" } },
      MST_UNRESOLVABLE,
      NULL,
      ALL_NO "never.",
      2 },
    { "an error",
      { { 0 }, { .pre_filter = MST_ERROR, .reason = "lost" } },
      MST_ERROR,
      NULL,
      "running PreFilter plugin \"Alpha\": lost",
      0 },
    { "a code that no PreFilter may give",
      { { .pre_filter = MST_WAIT, .reason = "wait" } },
      MST_ERROR,
      NULL,
      "running PreFilter plugin \"Beta\": wait",
      0 },
    { "an error of PreScore, the first one",
      { { .pre_score = MST_SKIP }, { .pre_score = MST_ERROR }, { .pre_score = MST_ERROR } },
      MST_ERROR,
      NULL,
      "running PreScore plugin \"Alpha\": no idea",
      0 },
};

static void test_compile_answers(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("kind: Node\napiVersion: v1\nmetadata: {name: n1}\n"
                                        "---\nkind: Node\napiVersion: v1\nmetadata: {name: n2}\n"
                                        "---\nkind: Node\napiVersion: v1\nmetadata: {name: n3}\n"
                                        "---\nkind: Pod\napiVersion: v1\nmetadata: {name: p}\n"
                                        "spec: {containers: [{name: c, image: i}]}\n");
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct says says[PLUGINS];
        struct mst_framework fw = { .view = f->view, .gang_slot = MST_ROW_NONE };
        memcpy(says, cases[i].says, sizeof(says));
        for (uint32_t k = 0; k < PLUGINS; k++) {
            fw.slots[k] =
                (struct mst_slot){ .plugin = &plugins[k], .instance = &says[k], .weight = 1 };
            fw.pre_filter[k] = fw.pre_score[k] = fw.score[k] = (uint8_t)k;
        }
        fw.slot_count = fw.pre_filter_count = fw.pre_score_count = fw.score_count = PLUGINS;
        struct mst_evals evals;
        struct mst_pick pick;
        mst_evals_init(&evals, MST_EVAL_BUDGET);
        mst_eval_pick(&evals, &fw, fixture_pod(f, "p"), NULL, &f->arena, &pick);
        t_case(t, cases[i].name);
        t_int(t, pick.code, cases[i].code);
        if (cases[i].node)
            t_int(t, pick.node, fixture_node(f, cases[i].node));
        if (cases[i].message)
            t_str(t, pick.message, cases[i].message);
        t_int(t, pick.slots, cases[i].slots);
        mst_evals_done(&evals);
    }
    fixture_free(f);
}

MST_TEST_MAIN(T(test_compile_answers))

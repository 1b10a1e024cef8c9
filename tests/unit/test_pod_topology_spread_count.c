/*
 * test_pod_topology_spread_count.c - counters, verdicts and scores against counting everything
 * anew, on random clusters.
 */
#include <math.h>

#include "domain_world.h"
#include "plugins/go_log.h"
#include "plugins/registry.h"
#include "tap.h"

struct twin {
    struct world *w;
    const struct mst_cluster *cluster;
    const struct mst_class *klass;
    mst_sym ns;
    struct mst_spread_constraint system[2], *constraints;
    uint32_t n;
    bool own, list;
    bool upstream;
};

static mst_sym sym(const struct twin *w, const char *text)
{
    return mst_sym_of_text(w->cluster->syms, text);
}

static mst_sym label(const struct twin *w, uint32_t row, mst_sym key)
{
    return mst_nodes_label_of(&w->cluster->nodes, row, key);
}

/* The constraints of an action as pointers into `out`. */
static uint32_t of_action(const struct twin *w, const char *action,
                          const struct mst_spread_constraint **out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n; i++)
        if (w->constraints[i].when_unsatisfiable == sym(w, action))
            out[n++] = &w->constraints[i];
    return n;
}

/* The selector as upstream builds it: matchLabelKeys in front. */
static struct mst_label_selector merged(const struct twin *w, const struct mst_spread_constraint *c)
{
    if (!w->own)
        return w->klass->default_selector;
    struct mst_label_selector s = c->label_selector;
    if (!s.set)
        return s;
    struct mst_arena *arena = &w->w->f->arena;
    mst_labels labels = {
        MST_NEW_N(arena, struct mst_label, s.match_labels.n + c->match_label_keys.n), 0
    };
    const struct mst_label_set *set = &mst_cluster_labels(w->cluster, w->klass->labels)->set;
    for (uint32_t i = 0; i < c->match_label_keys.n; i++) {
        const mst_sym key = c->match_label_keys.v[i];
        const mst_sym value =
            mst_labels_get((mst_labels){ (struct mst_label *)set->v, set->n }, key);
        if (value != MST_SYM_NONE)
            labels.v[labels.n++] = (struct mst_label){ key, value };
    }
    for (uint32_t i = 0; i < s.match_labels.n; i++)
        labels.v[labels.n++] = s.match_labels.v[i];
    s.match_labels = labels;
    return s;
}

static bool matches(const struct twin *w, const struct mst_label_selector *s, uint32_t labels)
{
    const struct mst_label_set *set = &mst_cluster_labels(w->cluster, labels)->set;
    bool bad;
    return mst_label_selector_matches(s, (mst_labels){ (struct mst_label *)set->v, set->n }, &bad);
}

static uint32_t count_on(const struct twin *w, const struct mst_spread_constraint *c, uint32_t row)
{
    const struct mst_label_selector s = merged(w, c);
    uint32_t count = 0;
    if (w->upstream && s.set && s.match_labels.n + s.match_expressions.n == 0)
        return 0;
    for (uint32_t i = 0; i < w->cluster->pods.n; i++) {
        const struct mst_pod_row *pod = &w->cluster->pods.v[i];
        count += pod->live && pod->node == row && !pod->deleting && pod->ns == w->ns &&
                 matches(w, &s, pod->labels);
    }
    return count;
}

static bool has_all(const struct twin *w, const struct mst_spread_constraint **c, uint32_t n,
                    uint32_t row)
{
    for (uint32_t i = 0; i < n; i++)
        if (label(w, row, c[i]->topology_key) == MST_SYM_NONE)
            return false;
    return true;
}

static bool policies_take(const struct twin *w, const struct mst_spread_constraint *c, uint32_t row)
{
    const struct mst_nodes *nodes = &w->cluster->nodes;
    if (c->node_affinity_policy != sym(w, "Ignore"))
        for (uint32_t i = 0; i < w->klass->node_selector.n; i++)
            if (label(w, row, w->klass->node_selector.v[i].key) !=
                w->klass->node_selector.v[i].value)
                return false;
    const struct mst_taint_set taints = nodes->taint_sets.v[nodes->taint_set[row]];
    if (c->node_taints_policy == sym(w, "Honor"))
        for (uint32_t i = 0; i < taints.n; i++)
            if (taints.v[i].effect == sym(w, "NoSchedule") && w->klass->tolerations.n == 0)
                return false;
    return true;
}

static bool same_domain(const struct twin *w, mst_sym key, uint32_t a, uint32_t b)
{
    const mst_sym x = label(w, a, key), y = label(w, b, key);
    return (x ? x : (mst_sym)MST_SYM_EMPTY) == (y ? y : (mst_sym)MST_SYM_EMPTY);
}

/* Sum over the eligible rows of the row's domain; *ret_exists: there is one. */
static int64_t domain_sum(const struct twin *w, const struct mst_spread_constraint **c, uint32_t n,
                          uint32_t i, bool require_all, uint32_t row, bool *ret_exists)
{
    int64_t sum = 0;
    *ret_exists = false;
    for (uint32_t r = 0; r < w->cluster->nodes.count; r++) {
        if ((require_all && !has_all(w, c, n, r)) || !policies_take(w, c[i], r) ||
            !same_domain(w, c[i]->topology_key, r, row))
            continue;
        *ret_exists = true;
        sum += count_on(w, c[i], r);
    }
    return sum;
}

static mst_verdict twin_verdict(const struct twin *w, uint32_t row)
{
    const struct mst_spread_constraint *c[8];
    const uint32_t n = of_action(w, "DoNotSchedule", c), rows = w->cluster->nodes.count;
    for (uint32_t i = 0; i < n; i++) {
        if (label(w, row, c[i]->topology_key) == MST_SYM_NONE)
            return 1 | MST_VERDICT_UNRESOLVABLE;
        int64_t min = INT32_MAX, domains = 0;
        bool exists;
        for (uint32_t r = 0; r < rows; r++) {
            if (!has_all(w, c, n, r))
                continue;
            const int64_t sum = domain_sum(w, c, n, i, true, r, &exists);
            bool first = exists;
            for (uint32_t before = 0; before < r; before++)
                first &=
                    !has_all(w, c, n, before) || !same_domain(w, c[i]->topology_key, r, before);
            if (exists && sum < min)
                min = sum;
            domains += first;
        }
        if (domains < (c[i]->min_domains.set ? c[i]->min_domains.value : 1))
            min = 0;
        const struct mst_label_selector s = merged(w, c[i]);
        const int64_t self = matches(w, &s, w->klass->labels);
        if (domain_sum(w, c, n, i, true, row, &exists) + self - min > c[i]->max_skew)
            return 2;
    }
    return MST_VERDICT_OK;
}

/* Raw scores; -1 for ignored rows. */
static void twin_scores(const struct twin *w, const struct domain_run *run, int64_t *out)
{
    const struct mst_spread_constraint *c[8];
    const uint32_t n = of_action(w, "ScheduleAnyway", c), rows = w->cluster->nodes.count;
    const bool require_all = w->own || w->list;
    double weight[8];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t size = 0;
        for (uint32_t r = 0; r < rows; r++) {
            bool first = run->verdict[r] == MST_VERDICT_OK && (!require_all || has_all(w, c, n, r));
            for (uint32_t before = 0; before < r; before++)
                first &= c[i]->topology_key == sym(w, "kubernetes.io/hostname") ||
                         run->verdict[before] != MST_VERDICT_OK ||
                         (require_all && !has_all(w, c, n, before)) ||
                         !same_domain(w, c[i]->topology_key, r, before);
            size += first;
        }
        weight[i] = mst_go_log(size + 2);
    }
    for (uint32_t r = 0; r < rows; r++) {
        double x = 0;
        for (uint32_t i = 0; i < n; i++) {
            bool exists;
            if (label(w, r, c[i]->topology_key) == MST_SYM_NONE)
                continue;
            const int64_t count = c[i]->topology_key == sym(w, "kubernetes.io/hostname")
                                      ? count_on(w, c[i], r)
                                      : domain_sum(w, c, n, i, require_all, r, &exists);
            x += (double)count * weight[i] + (double)(c[i]->max_skew - 1);
        }
        out[r] = require_all && !has_all(w, c, n, r) ? -1 : (int64_t)round(x);
    }
}

static void check_scores(struct mst_test *t, const struct twin *w, const struct domain_run *run)
{
    const struct mst_spread_constraint *c[8];
    const bool scored = of_action(w, "ScheduleAnyway", c) > 0;
    t_bool(t, run->raw != NULL, scored);
    if (!scored || !run->raw)
        return;
    int64_t want[WORLD_NODES], min = INT64_MAX, max = 0;
    twin_scores(w, run, want);
    for (uint32_t row = 0; row < w->cluster->nodes.count; row++) {
        if (run->verdict[row] != MST_VERDICT_OK || want[row] < 0)
            continue;
        min = MST_MIN(min, want[row]);
        max = MST_MAX(max, want[row]);
    }
    for (uint32_t row = 0; row < w->cluster->nodes.count; row++) {
        if (run->verdict[row] != MST_VERDICT_OK)
            continue;
        t_int(t, run->raw[row], MST_MAX(want[row], 0));
        t_int(t, run->normal[row],
              want[row] < 0 ? 0
              : max == 0    ? 100
                            : 100 * (max + min - want[row]) / max);
    }
}

static void check(struct mst_test *t, const struct twin *w, struct domain_run *run)
{
    const struct mst_spread_constraint *c[8];
    bool hidden[WORLD_NODES];
    for (uint32_t i = 0; i < WORLD_NODES; i++)
        hidden[i] = world_below(w->w, 5) == 0;
    const bool hide = world_below(w->w, 2);
    t_int(t, run->pre.code, of_action(w, "DoNotSchedule", c) ? MST_SUCCESS : MST_SKIP);
    domain_run_pick(run, hide ? hidden : NULL);
    for (uint32_t row = 0; row < w->cluster->nodes.count; row++) {
        const mst_verdict want = twin_verdict(w, row);
        if (hide && hidden[row] && want == MST_VERDICT_OK)
            continue;
        t_int(t, run->verdict[row], want ? want | FIXTURE_REJECT : MST_VERDICT_OK);
    }
    check_scores(t, w, run);
}

/* What of the constraints applies: the class's own, or defaults where something selects the pod. */
static void take_constraints(struct twin *w)
{
    const mst_sym hard = sym(w, "DoNotSchedule"), soft = sym(w, "ScheduleAnyway");
    const mst_sym host = sym(w, "kubernetes.io/hostname");
    const mst_sym zone = sym(w, "topology.kubernetes.io/zone");
    w->own = w->klass->spread.n > 0;
    w->system[0] = (struct mst_spread_constraint){ .max_skew = w->list ? 2 : 3,
                                                   .topology_key = host,
                                                   .when_unsatisfiable = soft };
    w->system[1] = (struct mst_spread_constraint){ .max_skew = w->list ? 1 : 5,
                                                   .topology_key = zone,
                                                   .when_unsatisfiable = w->list ? hard : soft };
    w->constraints = w->own ? w->klass->spread.v : w->system;
    w->n = w->own ? w->klass->spread.n : w->klass->default_selector.set ? 2 : 0;
}

static void run_world(struct mst_test *t, uint64_t seed)
{
    struct world *w = world_new(seed, seed & 1);
    const bool list = seed / 2 % 3 == 0;
    struct fixture_plugin p = fixture_plugin(
        w->f, &mst_plugin_pod_topology_spread,
        list ? "{defaultingType: List, defaultConstraints: [{topologyKey: kubernetes.io/hostname, "
               "maxSkew: 2, whenUnsatisfiable: ScheduleAnyway}, {topologyKey: "
               "topology.kubernetes.io/zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}"
             : NULL);
    const uint32_t waiting = world_below(w, WORLD_WAITING);
    const char *pod = world_waiting(w, waiting);
    struct domain_run *run = domain_run_new(w->f, &p, pod);
    struct twin twin = {
        .w = w,
        .cluster = &w->f->cluster,
        .klass = fixture_class(w->f, pod),
        .ns = w->f->cluster.pods.v[fixture_pod(w->f, pod)].ns,
        .list = list,
        .upstream = w->f->view.upstream,
    };
    take_constraints(&twin);
    for (uint32_t i = 0; i < 40; i++) {
        check(t, &twin, run);
        world_change(w, waiting);
    }
    domain_run_free(run);
    fixture_plugin_done(&p);
    world_free(w);
}

static void test_random_worlds_against_counting_anew(struct mst_test *t)
{
    for (uint64_t seed = 0; seed < 80; seed++) {
        const uint32_t before = t->failures;
        run_world(t, seed);
        if (t->failures != before) {
            t_fail(t, "seed %llu", (unsigned long long)seed);
            return;
        }
    }
}

MST_TEST_MAIN(T(test_random_worlds_against_counting_anew))

/*
 * test_inter_pod_affinity_count.c - counters against counting everything anew, on random clusters.
 */
#include "domain_world.h"
#include "plugins/registry.h"
#include "tap.h"

enum { PAIRS_MAX = 256 };

/* topology pair -> number, the obvious way */
struct pairs {
    struct pair {
        mst_sym key, value;
        int64_t sum;
    } v[PAIRS_MAX];
    uint32_t n;
};

static void add_pair(struct pairs *pairs, const struct mst_nodes *nodes, uint32_t row, mst_sym key,
                     int64_t by)
{
    const mst_sym value = mst_nodes_label_of(nodes, row, key);
    if (value == MST_SYM_NONE)
        return;
    for (uint32_t i = 0; i < pairs->n; i++)
        if (pairs->v[i].key == key && pairs->v[i].value == value) {
            pairs->v[i].sum += by;
            return;
        }
    mst_assert(pairs->n < PAIRS_MAX);
    pairs->v[pairs->n++] = (struct pair){ key, value, by };
}

static int64_t pair_sum(const struct pairs *pairs, const struct mst_nodes *nodes, uint32_t row,
                        mst_sym key)
{
    const mst_sym value = mst_nodes_label_of(nodes, row, key);
    for (uint32_t i = 0; value != MST_SYM_NONE && i < pairs->n; i++)
        if (pairs->v[i].key == key && pairs->v[i].value == value)
            return pairs->v[i].sum;
    return 0;
}

struct twin {
    const struct mst_cluster *cluster;
    const struct mst_class *klass;
    const struct mst_affinity *own; /* may be NULL */
    mst_sym ns;
    int64_t hard_weight;
    bool ignore_preferred;
    struct pairs affinity, anti, existing, score;
};

static bool means(const struct twin *w, const struct mst_pod_affinity_term *term, uint32_t labels)
{
    return mst_own_term_means(w->cluster, term, w->ns, labels, NULL);
}

static bool matches_all(const struct twin *w, uint32_t labels)
{
    for (uint32_t i = 0; i < w->own->affinity.required.n; i++)
        if (!means(w, &w->own->affinity.required.v[i], labels))
            return false;
    return w->own->affinity.required.n > 0;
}

static void count_own(struct twin *w, const struct mst_pod_row *pod)
{
    const struct mst_nodes *nodes = &w->cluster->nodes;
    const struct mst_pod_affinity *affinity = &w->own->affinity, *anti = &w->own->anti;
    for (uint32_t i = 0; matches_all(w, pod->labels) && i < affinity->required.n; i++)
        add_pair(&w->affinity, nodes, pod->node, affinity->required.v[i].topology_key, 1);
    for (uint32_t i = 0; i < anti->required.n; i++)
        if (means(w, &anti->required.v[i], pod->labels))
            add_pair(&w->anti, nodes, pod->node, anti->required.v[i].topology_key, 1);
    for (uint32_t i = 0; i < affinity->preferred.n; i++)
        if (means(w, &affinity->preferred.v[i].term, pod->labels))
            add_pair(&w->score, nodes, pod->node, affinity->preferred.v[i].term.topology_key,
                     affinity->preferred.v[i].weight);
    for (uint32_t i = 0; i < anti->preferred.n; i++)
        if (means(w, &anti->preferred.v[i].term, pod->labels))
            add_pair(&w->score, nodes, pod->node, anti->preferred.v[i].term.topology_key,
                     -anti->preferred.v[i].weight);
}

static void count_theirs(struct twin *w, const struct mst_pod_row *pod)
{
    const struct mst_nodes *nodes = &w->cluster->nodes;
    const struct mst_affinity *a = mst_cluster_affinity(w->cluster, pod->affinity);
    const uint32_t me = w->klass->labels;
    for (uint32_t i = 0; i < a->anti.required.n; i++)
        if (mst_term_means(w->cluster, &a->anti.required.v[i], a->ns, me, NULL))
            add_pair(&w->existing, nodes, pod->node, a->anti.required.v[i].topology_key, 1);
    for (uint32_t i = 0; w->hard_weight && i < a->affinity.required.n; i++)
        if (mst_term_means(w->cluster, &a->affinity.required.v[i], a->ns, me, NULL))
            add_pair(&w->score, nodes, pod->node, a->affinity.required.v[i].topology_key,
                     w->hard_weight);
    for (uint32_t i = 0; i < a->affinity.preferred.n; i++)
        if (mst_term_means(w->cluster, &a->affinity.preferred.v[i].term, a->ns, me, NULL))
            add_pair(&w->score, nodes, pod->node, a->affinity.preferred.v[i].term.topology_key,
                     a->affinity.preferred.v[i].weight);
    for (uint32_t i = 0; i < a->anti.preferred.n; i++)
        if (mst_term_means(w->cluster, &a->anti.preferred.v[i].term, a->ns, me, NULL))
            add_pair(&w->score, nodes, pod->node, a->anti.preferred.v[i].term.topology_key,
                     -a->anti.preferred.v[i].weight);
}

static void twin_count(struct twin *w)
{
    w->affinity.n = w->anti.n = w->existing.n = w->score.n = 0;
    for (uint32_t i = 0; i < w->cluster->pods.n; i++) {
        const struct mst_pod_row *pod = &w->cluster->pods.v[i];
        if (!pod->live || pod->node == MST_ROW_NONE)
            continue;
        if (w->own)
            count_own(w, pod);
        if (pod->affinity)
            count_theirs(w, pod);
    }
}

static mst_verdict twin_verdict(const struct twin *w, uint32_t row)
{
    const struct mst_nodes *nodes = &w->cluster->nodes;
    bool exist = true;
    for (uint32_t i = 0; w->own && i < w->own->affinity.required.n; i++) {
        const mst_sym key = w->own->affinity.required.v[i].topology_key;
        if (mst_nodes_label_of(nodes, row, key) == MST_SYM_NONE)
            return 1 | MST_VERDICT_UNRESOLVABLE;
        exist &= pair_sum(&w->affinity, nodes, row, key) > 0;
    }
    if (!exist && !(w->affinity.n == 0 && matches_all(w, w->klass->labels)))
        return 1 | MST_VERDICT_UNRESOLVABLE;
    for (uint32_t i = 0; w->own && i < w->own->anti.required.n; i++)
        if (pair_sum(&w->anti, nodes, row, w->own->anti.required.v[i].topology_key) > 0)
            return 2;
    for (uint32_t i = 0; i < w->existing.n; i++)
        if (mst_nodes_label_of(nodes, row, w->existing.v[i].key) == w->existing.v[i].value)
            return 3;
    return MST_VERDICT_OK;
}

static int64_t twin_score(const struct twin *w, uint32_t row)
{
    int64_t score = 0;
    for (uint32_t i = 0; i < w->score.n; i++)
        if (mst_nodes_label_of(&w->cluster->nodes, row, w->score.v[i].key) == w->score.v[i].value)
            score += w->score.v[i].sum;
    return score;
}

static void check_scores(struct mst_test *t, const struct twin *w, const struct domain_run *run)
{
    const bool prefers = w->own && w->own->affinity.preferred.n + w->own->anti.preferred.n > 0;
    const bool skips = (w->ignore_preferred && !prefers) || w->score.n == 0;
    t_bool(t, run->raw == NULL, skips);
    if (skips || !run->raw)
        return;
    int64_t min = INT64_MAX, max = INT64_MIN;
    for (uint32_t row = 0; row < w->cluster->nodes.count; row++) {
        const int64_t score = twin_score(w, row);
        t_int(t, run->raw[row], score);
        if (run->verdict[row] == MST_VERDICT_OK) {
            min = score < min ? score : min;
            max = score > max ? score : max;
        }
    }
    for (uint32_t row = 0; row < w->cluster->nodes.count; row++) {
        if (run->verdict[row] != MST_VERDICT_OK)
            continue;
        const double d = (double)(max - min);
        const int64_t want = max > min ? (int64_t)(100.0 * ((double)(run->raw[row] - min) / d)) : 0;
        t_int(t, run->normal[row], want);
    }
}

static void check(struct mst_test *t, struct twin *w, struct domain_run *run, struct world *world)
{
    bool hidden[WORLD_NODES];
    for (uint32_t i = 0; i < WORLD_NODES; i++)
        hidden[i] = world_below(world, 5) == 0;
    const bool hide = world_below(world, 2);
    domain_run_pick(run, hide ? hidden : NULL);
    twin_count(w);
    for (uint32_t row = 0; row < w->cluster->nodes.count; row++) {
        const mst_verdict want = twin_verdict(w, row);
        if (hide && hidden[row] && want == MST_VERDICT_OK)
            continue;
        t_int(t, run->verdict[row], want ? want | FIXTURE_REJECT : MST_VERDICT_OK);
    }
    const bool required = w->own && w->own->affinity.required.n + w->own->anti.required.n > 0;
    t_bool(t, run->p->plugin->skips_pick(&run->f->view, run->p->instance, run->pre.state),
           !required && w->existing.n == 0);
    check_scores(t, w, run);
}

static const struct {
    const char *args;
    int64_t hard_weight;
    bool ignore_preferred;
} settings[] = {
    { NULL, 1, false },
    { "{hardPodAffinityWeight: 0}", 0, false },
    { "{hardPodAffinityWeight: 70, ignorePreferredTermsOfExistingPods: true}", 70, true },
};

static void run_world(struct mst_test *t, uint64_t seed)
{
    const uint32_t s = (uint32_t)(seed % MST_COUNT(settings));
    struct world *w = world_new(seed, seed & 1);
    struct fixture_plugin p =
        fixture_plugin(w->f, &mst_plugin_inter_pod_affinity, settings[s].args);
    const uint32_t waiting = world_below(w, WORLD_WAITING);
    const char *pod = world_waiting(w, waiting);
    struct domain_run *run = domain_run_new(w->f, &p, pod);
    const struct mst_class *klass = fixture_class(w->f, pod);
    struct twin *twin = mst_calloc(1, sizeof(*twin));
    *twin = (struct twin){
        .cluster = &w->f->cluster,
        .klass = klass,
        .own = mst_cluster_affinity(&w->f->cluster, klass->affinity),
        .ns = w->f->cluster.pods.v[fixture_pod(w->f, pod)].ns,
        .hard_weight = settings[s].hard_weight,
        .ignore_preferred = settings[s].ignore_preferred,
    };
    for (uint32_t i = 0; i < 60; i++) {
        check(t, twin, run, w);
        world_change(w, waiting);
    }
    mst_free(twin);
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

/* More than 64 required terms: their answers need more than one word. */
static void test_many_terms(struct mst_test *t)
{
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_text(&text, "kind: Node\napiVersion: v1\nmetadata: {name: n1, labels: {k: a}}\n"
                        "---\nkind: Node\napiVersion: v1\nmetadata: {name: n2, labels: {k: b}}\n"
                        "---\nkind: Pod\napiVersion: v1\nmetadata: {name: all, labels: {");
    for (uint32_t i = 0; i < 130; i++)
        mst_buf_printf(&text, "l%u: x, ", i);
    mst_buf_text(&text, "}}\nspec: {nodeName: n1, containers: [{name: c, image: i}]}\n"
                        "---\nkind: Pod\napiVersion: v1\nmetadata: {name: most, labels: {");
    for (uint32_t i = 0; i < 129; i++)
        mst_buf_printf(&text, "l%u: x, ", i);
    mst_buf_text(&text, "}}\nspec: {nodeName: n2, containers: [{name: c, image: i}]}\n"
                        "---\nkind: Pod\napiVersion: v1\nmetadata: {name: w}\nspec: {containers: "
                        "[{name: c, image: i}], affinity: {podAffinity: "
                        "{requiredDuringSchedulingIgnoredDuringExecution: [");
    for (uint32_t i = 0; i < 130; i++)
        mst_buf_printf(&text, "{topologyKey: k, labelSelector: {matchLabels: {l%u: x}}}, ", i);
    mst_buf_text(&text, "]}}}\n");
    mst_buf_char(&text, '\0');
    struct mst_fixture *f = fixture_new(text.p);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_inter_pod_affinity, NULL);
    struct domain_run *run = domain_run_new(f, &p, "w");
    domain_run_pick(run, NULL);
    t_str(t, domain_run_verdict(run, "n1"), "Success");
    t_str(t, domain_run_verdict(run, "n2"), "UaU: node(s) didn't match pod affinity rules");
    domain_run_free(run);
    fixture_plugin_done(&p);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_random_worlds_against_counting_anew), T(test_many_terms))

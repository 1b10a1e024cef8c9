/*
 * copy.c - deep copies of what pods say about nodes and pods, and the bytes that tell two apart.
 */
#include "cluster/copy.h"

/* ---- copies ---- */

void *mst_copy_bytes(struct mst_arena *arena, const void *from, size_t bytes)
{
    void *to = mst_arena_alloc(arena, bytes);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

mst_sym_list mst_copy_syms(struct mst_arena *arena, mst_sym_list from)
{
    return (mst_sym_list){ mst_copy_bytes(arena, from.v, from.n * sizeof(*from.v)), from.n };
}

mst_labels mst_copy_labels(struct mst_arena *arena, mst_labels from)
{
    return (mst_labels){ mst_copy_bytes(arena, from.v, from.n * sizeof(*from.v)), from.n };
}

mst_requirements mst_copy_requirements(struct mst_arena *arena, mst_requirements from)
{
    mst_requirements to = { MST_NEW_N(arena, struct mst_requirement, from.n), from.n };
    for (uint32_t i = 0; i < from.n; i++) {
        to.v[i] = from.v[i];
        to.v[i].op_text = mst_arena_str(arena, from.v[i].op_text);
        to.v[i].values = mst_copy_syms(arena, from.v[i].values);
    }
    return to;
}

struct mst_label_selector mst_copy_selector(struct mst_arena *arena,
                                            const struct mst_label_selector *from)
{
    return (struct mst_label_selector){
        .set = from->set,
        .match_labels = mst_copy_labels(arena, from->match_labels),
        .match_expressions = mst_copy_requirements(arena, from->match_expressions),
    };
}

static struct mst_node_selector_term copy_node_term(struct mst_arena *arena,
                                                    const struct mst_node_selector_term *from)
{
    return (struct mst_node_selector_term){
        mst_copy_requirements(arena, from->match_expressions),
        mst_copy_requirements(arena, from->match_fields),
    };
}

struct mst_node_affinity mst_copy_node_affinity(struct mst_arena *arena,
                                                const struct mst_node_affinity *from)
{
    struct mst_node_affinity to = *from;
    to.required.terms.v = MST_NEW_N(arena, struct mst_node_selector_term, to.required.terms.n);
    for (uint32_t i = 0; i < to.required.terms.n; i++)
        to.required.terms.v[i] = copy_node_term(arena, &from->required.terms.v[i]);
    to.preferred.v = MST_NEW_N(arena, struct mst_preferred_node, to.preferred.n);
    for (uint32_t i = 0; i < to.preferred.n; i++)
        to.preferred.v[i] = (struct mst_preferred_node){
            from->preferred.v[i].weight,
            copy_node_term(arena, &from->preferred.v[i].preference),
        };
    return to;
}

static struct mst_pod_affinity_term copy_pod_term(struct mst_arena *arena,
                                                  const struct mst_pod_affinity_term *from)
{
    return (struct mst_pod_affinity_term){
        .label_selector = mst_copy_selector(arena, &from->label_selector),
        .namespace_selector = mst_copy_selector(arena, &from->namespace_selector),
        .namespaces = mst_copy_syms(arena, from->namespaces),
        .topology_key = from->topology_key,
        .match_label_keys = mst_copy_syms(arena, from->match_label_keys),
        .mismatch_label_keys = mst_copy_syms(arena, from->mismatch_label_keys),
    };
}

struct mst_pod_affinity mst_copy_pod_affinity(struct mst_arena *arena,
                                              const struct mst_pod_affinity *from)
{
    struct mst_pod_affinity to = *from;
    to.required.v = MST_NEW_N(arena, struct mst_pod_affinity_term, to.required.n);
    for (uint32_t i = 0; i < to.required.n; i++)
        to.required.v[i] = copy_pod_term(arena, &from->required.v[i]);
    to.preferred.v = MST_NEW_N(arena, struct mst_weighted_pod_affinity_term, to.preferred.n);
    for (uint32_t i = 0; i < to.preferred.n; i++)
        to.preferred.v[i] = (struct mst_weighted_pod_affinity_term){
            from->preferred.v[i].weight,
            copy_pod_term(arena, &from->preferred.v[i].term),
        };
    return to;
}

struct mst_spread_constraint *mst_copy_spread(struct mst_arena *arena,
                                              const struct mst_spread_constraint *from, uint32_t n)
{
    struct mst_spread_constraint *to = MST_NEW_N(arena, struct mst_spread_constraint, n);
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[i];
        to[i].label_selector = mst_copy_selector(arena, &from[i].label_selector);
        to[i].match_label_keys = mst_copy_syms(arena, from[i].match_label_keys);
    }
    return to;
}

/* ---- keys ---- */

void mst_put_u32(struct mst_buf *key, uint32_t v)
{
    mst_buf_add(key, &v, sizeof(v));
}

void mst_put_i64(struct mst_buf *key, int64_t v)
{
    mst_buf_add(key, &v, sizeof(v));
}

void mst_put_syms(struct mst_buf *key, mst_sym_list list)
{
    mst_put_u32(key, list.n);
    mst_buf_add(key, list.v, list.n * sizeof(*list.v));
}

void mst_put_labels(struct mst_buf *key, mst_labels labels)
{
    mst_put_u32(key, labels.n);
    for (uint32_t i = 0; i < labels.n; i++) {
        mst_put_u32(key, labels.v[i].key);
        mst_put_u32(key, labels.v[i].value);
    }
}

static void put_requirements(struct mst_buf *key, const mst_requirements *list)
{
    mst_put_u32(key, list->n);
    for (uint32_t i = 0; i < list->n; i++) {
        mst_put_u32(key, list->v[i].key);
        mst_put_u32(key, list->v[i].op);
        mst_put_u32(key, (uint32_t)list->v[i].op_text.n);
        mst_buf_str(key, list->v[i].op_text);
        mst_put_syms(key, list->v[i].values);
    }
}

void mst_put_selector(struct mst_buf *key, const struct mst_label_selector *selector)
{
    mst_put_u32(key, selector->set);
    mst_put_labels(key, selector->match_labels);
    put_requirements(key, &selector->match_expressions);
}

static void put_node_term(struct mst_buf *key, const struct mst_node_selector_term *term)
{
    put_requirements(key, &term->match_expressions);
    put_requirements(key, &term->match_fields);
}

void mst_put_node_affinity(struct mst_buf *key, const struct mst_node_affinity *a)
{
    mst_put_u32(key, a->set | a->required.set << 1 | a->preferred_set << 2);
    mst_put_u32(key, a->required.terms.n);
    for (uint32_t i = 0; i < a->required.terms.n; i++)
        put_node_term(key, &a->required.terms.v[i]);
    mst_put_u32(key, a->preferred.n);
    for (uint32_t i = 0; i < a->preferred.n; i++) {
        mst_put_i64(key, a->preferred.v[i].weight);
        put_node_term(key, &a->preferred.v[i].preference);
    }
}

static void put_pod_term(struct mst_buf *key, const struct mst_pod_affinity_term *term)
{
    mst_put_selector(key, &term->label_selector);
    mst_put_selector(key, &term->namespace_selector);
    mst_put_syms(key, term->namespaces);
    mst_put_u32(key, term->topology_key);
    mst_put_syms(key, term->match_label_keys);
    mst_put_syms(key, term->mismatch_label_keys);
}

void mst_put_pod_affinity(struct mst_buf *key, const struct mst_pod_affinity *a)
{
    mst_put_u32(key, a->set);
    mst_put_u32(key, a->required.n);
    for (uint32_t i = 0; i < a->required.n; i++)
        put_pod_term(key, &a->required.v[i]);
    mst_put_u32(key, a->preferred.n);
    for (uint32_t i = 0; i < a->preferred.n; i++) {
        mst_put_i64(key, a->preferred.v[i].weight);
        put_pod_term(key, &a->preferred.v[i].term);
    }
}

void mst_put_spread(struct mst_buf *key, const struct mst_spread_constraint *v, uint32_t n)
{
    mst_put_u32(key, n);
    for (uint32_t i = 0; i < n; i++) {
        mst_put_i64(key, v[i].max_skew);
        mst_put_u32(key, v[i].topology_key);
        mst_put_u32(key, v[i].when_unsatisfiable);
        mst_put_selector(key, &v[i].label_selector);
        mst_put_u32(key, v[i].min_domains.set);
        mst_put_i64(key, v[i].min_domains.set ? v[i].min_domains.value : 0);
        mst_put_u32(key, v[i].node_affinity_policy);
        mst_put_u32(key, v[i].node_taints_policy);
        mst_put_syms(key, v[i].match_label_keys);
    }
}

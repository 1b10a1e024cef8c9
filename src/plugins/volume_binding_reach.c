/*
 * volume_binding_reach.c - from which nodes a volume, a storage class or a pool can be reached.
 *
 * Volumes of local disks come by the thousand, each with one node: that case is one comparison.
 */
#include "plugins/volume_binding_internal.h"

static struct mst_reach of_terms(const struct mst_view *view, const struct mst_node_selector *s,
                                 struct mst_arena *arena)
{
    struct mst_reach reach = { .kind = MST_REACH_TERMS };
    mst_terms_compile(view->syms, s, arena, &reach.terms);
    if (!reach.terms.n)
        return (struct mst_reach){ .kind = MST_REACH_NONE };
    const mst_requirements *first = &s->terms.v[0].match_expressions;
    if (s->terms.n == 1 && first->n == 1 && first->v[0].op == MST_OP_IN &&
        first->v[0].values.n == 1)
        return (struct mst_reach){
            .kind = MST_REACH_VALUE,
            .column = mst_nodes_label(view->nodes, first->v[0].key),
            .value = first->v[0].values.v[0],
        };
    return reach;
}

struct mst_reach mst_reach_of_selector(const struct mst_view *view,
                                       const struct mst_node_selector *selector,
                                       struct mst_arena *arena)
{
    if (!selector->set)
        return (struct mst_reach){ .kind = MST_REACH_ALL };
    struct mst_node_selector labels_only = *selector;
    labels_only.terms.v = MST_NEW_N(arena, struct mst_node_selector_term, selector->terms.n);
    labels_only.terms.n = 0;
    for (uint32_t i = 0; i < selector->terms.n; i++) {
        const struct mst_node_selector_term *term = &selector->terms.v[i];
        const bool empty = !term->match_expressions.n && !term->match_fields.n;
        if (empty || mst_node_term_error(view->syms, term, arena).p)
            continue;
        if (!term->match_expressions.n)
            return (struct mst_reach){ .kind = MST_REACH_ALL };
        labels_only.terms.v[labels_only.terms.n++].match_expressions = term->match_expressions;
    }
    return of_terms(view, &labels_only, arena);
}

struct mst_reach mst_reach_of_topologies(const struct mst_view *view,
                                         const struct mst_storage_class *class,
                                         struct mst_arena *arena)
{
    const uint32_t n = class->allowed_topologies.n;
    if (!n)
        return (struct mst_reach){ .kind = MST_REACH_ALL };
    struct mst_node_selector s = { .set = true };
    s.terms.v = MST_NEW_N(arena, struct mst_node_selector_term, n);
    s.terms.n = n;
    for (uint32_t i = 0; i < n; i++)
        s.terms.v[i].match_expressions = class->allowed_topologies.v[i].expressions;
    return of_terms(view, &s, arena);
}

struct mst_reach mst_reach_of_labels(const struct mst_view *view,
                                     const struct mst_label_selector *selector,
                                     struct mst_arena *arena)
{
    if (!selector->set)
        return (struct mst_reach){ .kind = MST_REACH_NONE };
    const uint32_t pairs = selector->match_labels.n, rest = selector->match_expressions.n;
    if (!pairs && !rest)
        return (struct mst_reach){ .kind = MST_REACH_ALL };
    struct mst_node_selector_term term = { 0 };
    term.match_expressions.v = MST_NEW_N(arena, struct mst_requirement, pairs + rest);
    for (uint32_t i = 0; i < pairs; i++) {
        struct mst_requirement *r = &term.match_expressions.v[term.match_expressions.n++];
        *r = (struct mst_requirement){ .key = selector->match_labels.v[i].key, .op = MST_OP_IN };
        r->values.v = &selector->match_labels.v[i].value;
        r->values.n = 1;
    }
    for (uint32_t i = 0; i < rest; i++)
        term.match_expressions.v[term.match_expressions.n++] = selector->match_expressions.v[i];
    const struct mst_node_selector s = { .set = true, .terms = { &term, 1 } };
    return of_terms(view, &s, arena);
}

bool mst_reaches(struct mst_nodes *nodes, const struct mst_reach *reach, uint32_t row)
{
    switch (reach->kind) {
    case MST_REACH_ALL: return true;
    case MST_REACH_NONE: return false;
    case MST_REACH_VALUE: return reach->column[row] == reach->value;
    case MST_REACH_TERMS: break;
    }
    uint8_t match;
    mst_terms_match(nodes, &reach->terms, row, 1, &match);
    return match;
}

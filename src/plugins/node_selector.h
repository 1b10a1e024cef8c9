/*
 * node_selector.h - node selectors compiled for whole ranges of rows.
 *
 * A term becomes comparisons of symbols on label columns; columns are looked up at each use,
 * because they move when nodes are added.
 *
 * Source: spec/plugins.md 3.4; kubernetes v1.37 component-helpers
 *         scheduling/corev1/nodeaffinity/nodeaffinity.go
 */
#ifndef MST_PLUGINS_NODE_SELECTOR_H
#define MST_PLUGINS_NODE_SELECTOR_H

#include "api/api.h"
#include "cluster/nodes.h"
#include "plugins/vector.h"

struct mst_compiled_requirement;

struct mst_compiled_term {
    struct mst_compiled_requirement *v;
    uint32_t n;
    int64_t weight; /* of a preferred term */
};
struct mst_compiled_terms {
    struct mst_compiled_term *v;
    uint32_t n;
};

/* Terms that are empty or cannot be parsed match nothing and are left out. */
void mst_terms_compile(struct mst_syms *syms, const struct mst_node_selector *selector,
                       struct mst_arena *arena, struct mst_compiled_terms *out);
/*
 * Preferred terms; those of weight 0 or without requirements are left out. A term that cannot be
 * parsed makes the answer its error text, else absent.
 */
struct mst_str mst_terms_compile_preferred(struct mst_syms *syms,
                                           const struct mst_node_affinity *affinity,
                                           struct mst_arena *arena, struct mst_compiled_terms *out);
/* spec.nodeSelector: one term, all pairs equal. Without pairs it matches every node. */
void mst_term_compile_pairs(const mst_labels *pairs, struct mst_arena *arena,
                            struct mst_compiled_term *out);

/* Clears match[i] where row at + i does not match the term. n <= MST_BLOCK_ROWS. */
void mst_term_and(struct mst_nodes *nodes, const struct mst_compiled_term *term, uint32_t at,
                  uint32_t n, uint8_t *match);
/* match[i] = 1 where some term matches, else 0. */
void mst_terms_match(struct mst_nodes *nodes, const struct mst_compiled_terms *terms, uint32_t at,
                     uint32_t n, uint8_t *match);

#endif

/*
 * pod_topology_spread_internal.h - the counters of PodTopologySpread for one pod class.
 *
 * Filter and Score each have their constraints; a constraint keeps the number of matching pods per
 * row and their sums per domain, over the rows that are eligible.
 *
 * Invariants: `sum[d]` and `eligible_rows[d]` are over the eligible rows of domain d; `present[d]`
 *             counts the rows that scoring does not ignore. Rows without the label are in domain 0,
 *             which has no sums, unless the phase takes a missing label for an empty one.
 */
#ifndef MST_POD_TOPOLOGY_SPREAD_INTERNAL_H
#define MST_POD_TOPOLOGY_SPREAD_INTERNAL_H

#include "cluster/affinity.h"
#include "framework/plugin.h"
#include "plugins/domain_index.h"
#include "plugins/label_answers.h"
#include "plugins/node_selector.h"

struct spread_instance {
    struct mst_arena arena;
    MST_LIST(struct mst_spread_constraint) defaults;
    bool system; /* the defaults are the built-in ones */
};

/* Details of a verdict. */
enum { SPREAD_OK, SPREAD_NO_LABEL, SPREAD_SKEW };

struct spread_constraint {
    const struct mst_spread_constraint *from;
    const struct mst_label_selector *selector;
    bool merges_keys;    /* matchLabelKeys count: not in default constraints */
    bool counts_nothing; /* profile upstream: an empty selector counts no pod */
    bool honor_affinity, honor_taints;
    uint32_t bit; /* of the answers by label */

    struct mst_domain_index index;
    uint32_t cap;                  /* of the arrays by domain */
    uint32_t *count;               /* [row] pods that match */
    uint8_t *eligible;             /* [row] */
    uint32_t *sum, *eligible_rows; /* [domain] */
    uint64_t total;                /* of `count` */

    /* Filter */
    int64_t self, min, bound; /* a domain with more than `bound` breaks the constraint */
    uint32_t domain_count;    /* domains with an eligible row */
    bool min_stale;
    uint32_t *verdict; /* [domain] SPREAD_* */

    /* Score */
    bool by_node;             /* kubernetes.io/hostname: every node is its own domain */
    uint32_t empty_domain;    /* of rows without the label, when that is not required */
    uint32_t *present, *left; /* [domain]; `left` is scratch */
    uint32_t present_count;   /* domains with a row present */
    uint32_t size;            /* domains that feasible rows are in, as `weight` has it */
    double weight;
    double *part;   /* [domain] what a row there adds to its score */
    int64_t *whole; /* [domain] `part` rounded: the score when it is the only one */
};

struct spread_phase {
    struct spread_constraint *v;
    uint32_t n;
    bool require_all; /* a row must have all keys */
    uint8_t *has_all; /* [row] */
    uint32_t ignored; /* rows that scoring ignores */
};

struct spread_state {
    const struct mst_class *klass;
    const struct spread_instance *instance;
    struct mst_arena *arena;
    uint32_t row_count;
    mst_sym ns;
    struct spread_phase hard, soft;
    struct mst_label_answers answers;
    struct mst_compiled_term pairs; /* the pod's own node selector and required affinity */
    bool required_set;
    struct mst_compiled_terms required;
    uint32_t *label_set, *taint_set; /* [row] as last seen, plus one */
    uint32_t *now;                   /* [bit] scratch of one row */
    uint32_t *sizes;                 /* [soft constraint] scratch of one pick */
};

/* pod_topology_spread_count.c */
/* NULL when the class has no constraint of either kind. */
struct spread_state *mst_spread_state_new(const struct mst_view *view,
                                          const struct spread_instance *instance,
                                          const struct mst_class *klass, struct mst_arena *arena);
bool mst_spread_row_changed(const struct mst_view *view, struct spread_state *state, uint32_t row);
/*
 * Describes the constraints of one action that apply to the class; `out` has room for all of the
 * class's and the profile's. Returns how many.
 */
uint32_t mst_spread_constraints(const struct mst_view *view, const struct spread_instance *instance,
                                const struct mst_class *klass, const char *action,
                                struct spread_constraint *out);
static inline uint32_t mst_spread_room(const struct spread_instance *instance,
                                       const struct mst_class *klass)
{
    return MST_MAX(klass->spread.n, instance->defaults.n);
}
/* Does the constraint's selector, with matchLabelKeys, match these labels? */
bool mst_spread_matches(const struct mst_view *view, const struct mst_class *klass,
                        const struct spread_constraint *c, uint32_t labels);
/* Some NoSchedule or NoExecute taint of the set is not tolerated. */
bool mst_spread_untolerated(const struct mst_view *view, const struct mst_class *klass,
                            struct mst_taint_set set);

/* pod_topology_spread_score.c */
void mst_spread_pre_score(const struct mst_view *view, struct spread_state *state,
                          const mst_verdict *verdict, uint32_t feasible_count);
void mst_spread_score(struct spread_state *state, uint32_t begin, uint32_t end, int64_t *raw);
void mst_spread_normalize(const struct spread_state *state, const mst_verdict *verdict,
                          int64_t *raw);
/* Keeps the part of a domain in step with its sum. */
void mst_spread_part(struct spread_constraint *c, uint32_t domain);

/* pod_topology_spread_hint.c */
extern const struct mst_event_registration mst_spread_events[];
enum { MST_SPREAD_EVENT_COUNT = 3 };

#endif

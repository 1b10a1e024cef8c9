/*
 * volume_binding_internal.h - what the files of VolumeBinding share: a class's claims, compiled,
 * and what one node has for them.
 */
#ifndef MST_PLUGINS_VOLUME_BINDING_INTERNAL_H
#define MST_PLUGINS_VOLUME_BINDING_INTERNAL_H

#include "framework/plugin_args.h"
#include "plugins/csi_translate.h"
#include "plugins/node_selector.h"
#include "plugins/registry.h"

/* ---- which nodes something can be reached from ---- */

typedef enum {
    MST_REACH_ALL,
    MST_REACH_NONE,
    MST_REACH_VALUE, /* one label has one value: the usual case, one comparison */
    MST_REACH_TERMS,
} mst_reach_kind;

struct mst_reach {
    mst_reach_kind kind;
    const mst_sym *column; /* MST_REACH_VALUE; good while the set of nodes stands */
    mst_sym value;
    struct mst_compiled_terms terms;
};

/*
 * Node affinity of a volume: a term's matchFields are not looked at, because upstream asks with a
 *                            node that
 * has labels only.
 */
struct mst_reach mst_reach_of_selector(const struct mst_view *view,
                                       const struct mst_node_selector *selector,
                                       struct mst_arena *arena);
struct mst_reach mst_reach_of_topologies(const struct mst_view *view,
                                         const struct mst_storage_class *class,
                                         struct mst_arena *arena);
struct mst_reach mst_reach_of_labels(const struct mst_view *view,
                                     const struct mst_label_selector *selector,
                                     struct mst_arena *arena);
bool mst_reaches(struct mst_nodes *nodes, const struct mst_reach *reach, uint32_t row);

/* ---- a class's claims ---- */

struct mst_binding_pv {
    const struct mst_stored *stored;
    struct mst_reach reach;
    /* in-tree volumes: where the CSI driver can reach it, on nodes that have handed it over */
    const struct mst_migrated *plugin;
    struct mst_reach migrated;
    struct mst_str error; /* present: its CSI driver could not use it */
};

/* A claim with a volume. */
struct mst_bound_claim {
    const struct mst_stored *pvc;
    struct mst_binding_pv pv; /* stored NULL: the volume does not exist */
};

struct mst_capacity {
    const struct mst_csi_storage_capacity *object;
    struct mst_reach reach;
};

/* A claim that waits for a node. */
struct mst_delayed_claim {
    const struct mst_stored *pvc;
    mst_sym selected_node; /* provisioning was told to use it; MST_SYM_NONE: open */
    struct mst_quantity request;
    /* volumes that point to the claim, by name; then those that may be taken, smallest first */
    MST_LIST(struct mst_binding_pv) prebound, candidates;
    /* provisioning */
    bool can_provision;
    struct mst_reach topology;
    bool check_capacity;                      /* some entry of `capacities` must be reachable */
    MST_LIST(struct mst_capacity) capacities; /* large enough, by name */
};

struct mst_binding_state {
    MST_LIST(struct mst_bound_claim) bound;
    MST_LIST(struct mst_delayed_claim) delayed; /* in the pod's order */
    uint32_t *by_size; /* indices of those without a selected node, smallest request first */
    uint32_t open_count;
    struct mst_node_volumes *found; /* room for one node's answer */
};

/* Compiles the claims; in `arena`. They are neither missing nor immediate. */
struct mst_binding_state *mst_binding_compile(const struct mst_view *view,
                                              const struct mst_pod_volumes *volumes,
                                              struct mst_arena *arena);

/* ---- one node ---- */

enum {
    MST_BINDING_NODE_CONFLICT = 1 << 0,
    MST_BINDING_NO_VOLUME = 1 << 1,
    MST_BINDING_NO_SPACE = 1 << 2,
    MST_BINDING_NO_PV = 1 << 3,
    MST_BINDING_ERROR = 1 << 4, /* a volume cannot be translated; stands alone */
};

struct mst_static_binding {
    const struct mst_stored *pv, *pvc;
};
struct mst_provision {
    const struct mst_stored *pvc;
    const struct mst_csi_storage_capacity *capacity; /* NULL: not checked */
};
struct mst_node_volumes {
    uint32_t reasons; /* MST_BINDING_* */
    MST_LIST(struct mst_static_binding) bindings;
    MST_LIST(struct mst_provision) provisions;
};

/* The reference names the claim; without a UID it may be any claim of that name. */
bool mst_claim_ref_is(const struct mst_claim_ref *ref, const struct mst_meta *claim);
/* How large a volume of the pool can be, NULL: it does not say. */
const struct mst_quantity *mst_capacity_limit(const struct mst_csi_storage_capacity *c);

/* The words for MST_BINDING_ERROR on the node at `row`. */
struct mst_str mst_binding_error(const struct mst_view *view, const struct mst_binding_state *state,
                                 uint32_t row);
/* What the node at `row` has for the claims, in state->found until the next call. */
const struct mst_node_volumes *mst_binding_find(const struct mst_view *view,
                                                struct mst_binding_state *state, uint32_t row);

/* The profile's arguments. */
struct mst_binding_instance {
    struct mst_arena arena;
    struct mst_volume_binding_args args;
    bool scores; /* gate StorageCapacityScoring */
};

/* Score of a node for its answer (volume_binding_score.c). */
int64_t mst_binding_score(const struct mst_view *view, const struct mst_binding_instance *instance,
                          const struct mst_node_volumes *found);

/* Reserve and PreBind (volume_binding_reserve.c). */
struct mst_reservation *mst_binding_reserve(const struct mst_view *view, const void *instance,
                                            uint32_t pod, uint32_t row, struct mst_arena *scratch);
void mst_binding_unreserve(const struct mst_view *view, const void *instance,
                           struct mst_reservation *reservation, bool revert);
mst_code mst_binding_done(const struct mst_view *view, const void *instance,
                          const struct mst_reservation *reservation, uint32_t pod,
                          struct mst_arena *arena, struct mst_str *ret_reason);

enum { MST_BINDING_EVENT_COUNT = 7 };
extern const struct mst_event_registration mst_binding_events[MST_BINDING_EVENT_COUNT];

#endif

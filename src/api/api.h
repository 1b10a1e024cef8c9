/*
 * api.h - documents to objects and back: decode, default, admit, validate, print.
 *
 * The order of a creation is that of the API server: decode, default, admit (priority, conditions),
 * validate. Each step works on one object; only admission looks at others (the priority classes).
 */
#ifndef MST_API_H
#define MST_API_H

#include "api/types.h"
#include "codec/json.h"

/* What every step needs. */
struct mst_api {
    struct mst_syms *syms;
    struct mst_arena *arena; /* where objects are made */
    struct mst_diags *diags; /* unknown fields and kinds, wrong types, validation errors */
    /* feature gates that change what a server keeps or fills in (api.md 4.2, 5) */
    bool composite, topology, preemption_policy, claims, comparison;
    /*
     * The upstream profile: a group's preemptionPolicy is defaulted before admission instead of
     * after it, and CompositePodGroups get no protection finalizer (api.md 5.2, 5.3).
     */
    bool upstream;
};

/*
 * Decodes one document: a single object, a v1.List or a typed list (PodList, NodeList, ...).
 *
 * doc      root of a tape.
 * each     called for each object in order; a false answer stops the walk.
 * Diags    errors: no object, unknown apiVersion of a known kind (v1alpha2 and v1alpha1 of groups
 *          get a sentence on what to do), a value of the wrong type ("spec.priority: expected
 *          integer, got string "x""), bad quantities, numbers out of range; all of an object, not
 *          just the first.
 *          warnings: unknown kinds (the object is skipped), unknown fields (with their full path).
 *          An object with errors is not passed to `each`; the others still are.
 * Returns  the number of objects passed on.
 */
uint32_t mst_api_decode(struct mst_api *api, const struct mst_value *doc,
                        bool (*each)(void *ctx, struct mst_object *object), void *ctx);

/*
 * The same for one item of a list that is read piece by piece.
 *
 * api_version, kind   what the list says for all; used where the item does not say; may be absent.
 * item_i              its place in the list, for reports.
 */
uint32_t mst_api_decode_item(struct mst_api *api, const struct mst_value *item,
                             struct mst_str api_version, struct mst_str kind, uint32_t item_i,
                             bool (*each)(void *ctx, struct mst_object *object), void *ctx);

/* Fills in what the API server fills in on decoding (api.md 5.1, 10.1, 12.1, 13). */
void mst_api_default(struct mst_api *api, struct mst_object *object);

/* Priority classes known to admission. Values only; `found` false and name empty = no default. */
struct mst_class_ref {
    int64_t value;
    mst_sym preemption_policy; /* MST_SYM_NONE: nil */
    struct mst_str name;
};
typedef bool mst_class_lookup(void *ctx, struct mst_str name, struct mst_class_ref *out);

/*
 * Admission of a new object: namespace "default" for namespaced kinds, priority and preemption
 * policy from priority classes (the two system classes are built in), group protection finalizer,
 * PodScheduled=False/SchedulingGated for gated pods, phase Pending, generation 1 for pods, the
 * namespace's own name label, matchLabelKeys merged into selectors, fields dropped whose gate is
 * off. Status that is there already stays. `lookup` with an empty name asks for the global default.
 * Errors go to diags with upstream's texts (api.md 5.2). False when the object is refused.
 */
bool mst_api_admit(struct mst_api *api, struct mst_object *object, mst_class_lookup *lookup,
                   void *ctx);

/*
 * Validates as a create request would be. All errors, upstream's wording and field paths, in
 * upstream's order, each as one error diagnostic "PATH: KIND: VALUE: DETAIL". True when there
 * is none.
 */
bool mst_api_validate(struct mst_api *api, const struct mst_object *object);

/* "Pod", "PodGroup", ... */
const char *mst_kind_name(mst_kind kind);
bool mst_kind_namespaced(mst_kind kind);
/* "ns/name", or "name" when cluster-scoped, in the arena. */
struct mst_str mst_meta_key(const struct mst_api *api, const struct mst_meta *meta);

/* ---- requests (plugins.md 3.2) ---- */

typedef enum {
    MST_REQUEST_STATUS = 1,    /* max of spec, allocated, actuated */
    MST_REQUEST_POD_LEVEL = 2, /* honour spec.resources */
    MST_REQUEST_DEFAULTS = 4,  /* 100m CPU and 200Mi for containers that name none (scoring) */
} mst_request_mode;

/*
 * A number that tells the sources of two volumes apart. `name` is the field of the source, `value`
 * what it holds. Two that differ in spelling only are equal. O(bytes of the source).
 */
uint64_t mst_source_hash(const char *name, const struct mst_value *value);

/*
 * The pod's effective request: every resource with its exact sum rounded up once.
 *
 * mode     bits of mst_request_mode.
 * out      cpu in milli, everything else in whole units; sorted by the name's text; in `arena`.
 *          Kept are only the resource names of plugins.md 3.1.
 */
struct mst_request {
    mst_sym name;
    int64_t amount;
};
typedef MST_LIST(struct mst_request) mst_requests;
void mst_pod_requests(struct mst_syms *syms, const struct mst_pod *pod, uint32_t mode,
                      struct mst_arena *arena, mst_requests *out);
/*
 * What the pod's spec asks for, or with `limits` may use at most, exact and with every resource
 * name: what its containers add up to, what is said for the pod as a whole instead, and overhead.
 * Upstream's PodRequests and PodLimits, without options. In `arena`.
 */
mst_resources mst_pod_exact(struct mst_syms *syms, const struct mst_pod *pod, bool limits,
                            struct mst_arena *arena);
/* NodeInfo.NonZeroRequested of plugins.md 3.3. */
void mst_pod_nonzero(struct mst_syms *syms, const struct mst_pod *pod, int64_t *ret_cpu_milli,
                     int64_t *ret_memory);

typedef enum {
    MST_RESOURCE_DROPPED, /* not a resource that the scheduler counts */
    MST_RESOURCE_CPU,
    MST_RESOURCE_MEMORY,
    MST_RESOURCE_EPHEMERAL,
    MST_RESOURCE_PODS,
    MST_RESOURCE_EXTENDED,
    MST_RESOURCE_OTHER_SCALAR, /* hugepages, prefixed native, attachable volumes */
} mst_resource_class;
/* What the scheduler makes of a resource's name; total, allocates nothing. */
mst_resource_class mst_resource_classify(struct mst_str name);

/* ---- matching (api.md 16, plugins.md 3.4, 3.5) ---- */

/* The label's value, or MST_SYM_NONE. */
mst_sym mst_labels_get(mst_labels labels, mst_sym key);
/* False with *ret_bad set when a requirement is invalid (callers treat that as an error). */
bool mst_label_selector_matches(const struct mst_label_selector *selector, mst_labels labels,
                                bool *ret_bad);
/* One term of a node selector against labels and name. A term with a parse error never matches. */
bool mst_node_term_matches(struct mst_syms *syms, const struct mst_node_selector_term *term,
                           mst_labels labels, mst_sym node_name);
/* The term's parse errors in upstream's words ("[a, b]" when several), or an absent span. */
struct mst_str mst_node_term_error(struct mst_syms *syms, const struct mst_node_selector_term *term,
                                   struct mst_arena *arena);
/* With `comparison` (gate TaintTolerationComparisonOperators) Lt and Gt compare numbers. */
bool mst_toleration_tolerates(struct mst_syms *syms, const struct mst_toleration *toleration,
                              const struct mst_taint *taint, bool comparison);
/* What strconv.ParseInt(s, 10, 64) takes: an optional sign and digits, within int64. */
bool mst_str_int64(struct mst_str s, int64_t *out);
/* A number as one would write it: no sign but '-', no leading zeros. */
bool mst_str_is_decimal(struct mst_str s);

#endif

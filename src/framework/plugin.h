/*
 * plugin.h - what a plugin is: one rule, at the extension points it cares for.
 *
 * A plugin answers for many nodes at once: `filter` and `score` get a range of rows and fill
 * arrays. It is asked once per pod class, not per pod: `pre_filter` and `pre_score` compile the
 * class into a state that lives as long as the class is cached. Adding one: CONTRIBUTING.md.
 *
 * Source: spec/plugins.md 1-2; kubernetes v1.37 staging kube-scheduler framework/interface.go.
 */
#ifndef MST_PLUGIN_H
#define MST_PLUGIN_H

#include "framework/event.h"
#include "framework/gates.h"

/* ---- answers ---- */

/* Upstream's codes, by name in mst_code_name. */
typedef enum {
    MST_SUCCESS,
    MST_ERROR,
    MST_UNSCHEDULABLE,
    MST_UNRESOLVABLE, /* UnschedulableAndUnresolvable */
    MST_WAIT,
    MST_SKIP,
    MST_PENDING,
} mst_code;

const char *mst_code_name(mst_code code);
static inline bool mst_code_rejects(mst_code code)
{
    return code == MST_UNSCHEDULABLE || code == MST_UNRESOLVABLE || code == MST_PENDING;
}

/* A "no" with its words. Text is the arena's of whoever asked, or static. */
struct mst_status {
    mst_code code;
    uint32_t plugin; /* slot, MST_ROW_NONE when no plugin said it */
    struct mst_str reason;
};

/*
 * The filter's answer for one row; 0 is "feasible". A rejection names the slot of the plugin in the
 * framework, whether evicting pods could help, and a detail that only the plugin understands
 * (an index of its reasons, or a set of bits).
 */
typedef uint32_t mst_verdict;
enum {
    MST_VERDICT_OK = 0,
    MST_VERDICT_UNRESOLVABLE = 1u << 31,
    MST_VERDICT_SLOT_SHIFT = 24, /* 7 bits: slot + 1; 127 is PreFilterResult */
    MST_VERDICT_DETAIL = (1 << 24) - 1,
    MST_VERDICT_PER_ROW = 1 << 23, /* of the detail: its words depend on the row, too */
    /* Of the detail, for plugins with `errs`: no answer but a failure, in words by `explain`. */
    MST_VERDICT_ERROR = MST_VERDICT_PER_ROW | 1 << 22,
    MST_SLOT_PRE_FILTER_RESULT = 126,
    MST_SLOTS_MAX = 64,
};
static inline uint32_t mst_verdict_slot(mst_verdict v)
{
    return (v >> MST_VERDICT_SLOT_SHIFT & 127) - 1;
}

/* Reasons of one node's rejection, in the plugin's order. */
enum { MST_REASONS_MAX = 32 };
struct mst_reasons {
    struct mst_str v[MST_REASONS_MAX];
    uint32_t n;
    struct mst_arena *arena; /* for texts that are made */
};
static inline void mst_reason_add(struct mst_reasons *reasons, struct mst_str text)
{
    if (reasons->n < MST_REASONS_MAX)
        reasons->v[reasons->n++] = text;
}
/* "a, b" */
struct mst_str mst_reasons_joined(const struct mst_reasons *reasons, struct mst_arena *arena);

/* ---- what a plugin sees ---- */

struct mst_view {
    struct mst_cluster *cluster; /* read only, but for columns made on demand */
    struct mst_nodes *nodes;     /* &cluster->nodes */
    struct mst_syms *syms;
    const struct mst_gates *gates;
    bool upstream; /* behaviour profile of spec/README.md */
};

struct mst_preemption_args; /* plugin_args.h */

/* ---- extension points ---- */

struct mst_pre_filter {
    mst_code code; /* MST_SUCCESS, MST_SKIP, MST_UNSCHEDULABLE, MST_UNRESOLVABLE, MST_ERROR */
    struct mst_str reason; /* of a rejection or an error */
    void *state;           /* handed to filter, explain; in the arena given */
    bool restrict_names;   /* only these nodes may be tried */
    mst_sym_list names;
};

/*
 * Plugins with reads != MST_READS_NODE use one state for filter and score: pre_filter makes it also
 * when it answers MST_SKIP, and pre_score (asked after it, without a state of its own) may answer
 * MST_SKIP for good.
 */
struct mst_pre_score {
    mst_code code; /* MST_SUCCESS, MST_SKIP, MST_ERROR */
    struct mst_str reason;
    void *state;
    bool uniform; /* every node gets `uniform_score`: the rows need not be asked */
    int64_t uniform_score;
};

typedef enum { MST_NORMALIZE_NONE, MST_NORMALIZE_DEFAULT, MST_NORMALIZE_REVERSED } mst_normalize;

/* What a pod placed on a node can change in this plugin's answers. */
typedef enum { MST_READS_NODE, MST_READS_DOMAIN, MST_READS_CLUSTER } mst_reads;

typedef enum { MST_HINT_SKIP, MST_HINT_QUEUE } mst_hint;

struct mst_event_registration {
    mst_event_resource resource;
    uint32_t actions;
    /* NULL: always MST_HINT_QUEUE. `pod` waits; `klass` is its class. */
    mst_hint (*hint)(const struct mst_view *view, const void *instance, uint32_t pod,
                     const struct mst_class *klass, const struct mst_cluster_event *event);
};

struct mst_progress {
    uint32_t scheduled, remaining; /* pods of a PodGroup, children of a CompositePodGroup */
};

/* ---- Reserve and PreBind ---- */

/* What has to be written to an object before the pod may be bound. */
struct mst_write {
    mst_kind kind; /* PersistentVolume: points to the claim; ...Claim: gets the selected node */
    struct mst_str key; /* "name" or "ns/name" */
    mst_sym ns;         /* of the object, MST_SYM_NONE for cluster-scoped kinds */
    struct mst_str name, uid;
    mst_sym claim_ns;
    struct mst_str claim_name, claim_uid;
    /* What changes of the object: nothing, if it is as wanted already. */
    bool claim_ref;     /* claimRef is replaced */
    bool claim_new;     /* it was empty */
    bool claim_version; /* its apiVersion was another or missing */
    bool claim_kind;    /* its kind was another or missing */
    bool by_controller; /* the annotation that says so is new */
    bool node_new;      /* the selected node is another or new */
    bool stale;         /* a write before it changes the object: a server refuses this one */
    mst_sym node;
};

/*
 * What a plugin set aside for a pod on a node, from Reserve until the pod is bound or given up. One
 * heap block that the plugin makes; whoever holds it ends it with `unreserve`.
 */
struct mst_reservation {
    MST_LIST(struct mst_write) writes;
    int64_t timeout_ns; /* for the writes to come true */
};

/* Points without a function of their own here: they exist so that configuration can name them. */
enum {
    MST_POINT_QUEUE_SORT = 1 << 0,
    MST_POINT_RESERVE = 1 << 1,
    MST_POINT_PERMIT = 1 << 2,
    MST_POINT_PRE_BIND = 1 << 3,
    MST_POINT_BIND = 1 << 4,
    MST_POINT_POST_FILTER = 1 << 5,
    MST_POINT_POD_GROUP_POST_FILTER = 1 << 6,
    MST_POINT_POST_BIND = 1 << 7,
    MST_POINT_PLACEMENT_GENERATE = 1 << 8,
    MST_POINT_PLACEMENT_SCORE = 1 << 9,
};

/*
 * What of a pod its answers depend on, for signatures (framework/signature.h, plugins.md 5).
 */
enum {
    MST_SIGNS_NOTHING = 1 << 0, /* it can sign, and adds nothing */
    MST_SIGNS_TOLERATIONS = 1 << 1,
    MST_SIGNS_NODE_NAME = 1 << 2,
    MST_SIGNS_NODE_AFFINITY = 1 << 3, /* the node selector as well */
    MST_SIGNS_PORTS = 1 << 4,
    MST_SIGNS_RESOURCES = 1 << 5,
    MST_SIGNS_VOLUMES = 1 << 6,
    MST_SIGNS_LABELS = 1 << 7,
    MST_SIGNS_IMAGES = 1 << 8,
    MST_SIGNS_FEATURES = 1 << 9,
};

struct mst_plugin {
    const char *name;
    uint32_t points; /* MST_POINT_*; the others follow from the functions below */
    mst_reads reads;
    mst_normalize normalize;
    int64_t default_weight; /* in the default set; 0 where nothing is scored */
    const char *gate;       /* part of the default set only with this feature gate, NULL: always */
    uint32_t signs;         /* MST_SIGNS_*; 0: with it no pod of the profile has a signature */
    /* The same for one pod, 0: it cannot be signed. NULL: always `signs`. */
    uint32_t (*sign)(const void *instance, const struct mst_pod *pod);

    /*
     * Makes the instance of one profile. `args` is pluginConfig's `args` (NULL: none given). Text
     * in the instance must not point into args. NULL init: no arguments, no instance; giving args
     * to such a plugin is the configuration's error, not this function's.
     */
    mst_rc (*init)(const struct mst_view *view, const struct mst_value *args, void **ret_instance,
                   struct mst_err *err);
    void (*done)(void *instance);

    /* Success (the usual answer) or why the pod may not enter the queue. */
    void (*pre_enqueue)(const struct mst_view *view, const void *instance, uint32_t pod,
                        struct mst_arena *arena, struct mst_status *out);

    void (*pre_filter)(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out);
    /*
     * For each row in [begin, end) with verdict[row] == MST_VERDICT_OK: leaves it or sets it to
     * reject | detail (| MST_VERDICT_UNRESOLVABLE). Rows are absolute. Must be a pure function of
     * the row's columns and the state.
     */
    void (*filter)(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict);
    /*
     * Its filter may answer MST_VERDICT_ERROR: in profile upstream the attempt ends with it, in
     * profile muster the node is refused.
     */
    bool errs;
    /* The words for a verdict of this plugin. */
    void (*explain)(const struct mst_view *view, const void *instance, const void *state,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out);

    void (*pre_score)(const struct mst_view *view, const void *instance,
                      const struct mst_class *klass, struct mst_arena *arena,
                      struct mst_pre_score *out);
    /* raw[row] for each row in [begin, end), also infeasible ones: cheaper than asking. */
    void (*score)(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                  uint32_t end, int64_t *raw);

    /*
     * Plugins with reads != MST_READS_NODE: their state counts pods, and is told of rows, not of
     * pods.
     *
     * row_changed    the row's pods, labels or taints may be others than when the state saw it
     * last: the state replaces what the row contributed by what it contributes now. Called for
     *                every row once after pre_filter. True when any number changed.
     * begin_pick     the numbers stand; called before the filters of one pick.
     * skips_pick     after begin_pick: upstream's PreFilter would answer Skip for the cluster as it
     * is. The plugin rejects no row then; profile upstream does not ask it about nominated pods
     *                either (plugins.md 2.2), profile muster does. NULL: never.
     * pre_score_pick after the filters of one pick: verdict[] says which rows are feasible.
     * MST_SKIP leaves the plugin's score out of this pick. normalize_pick raw[] to 0..100 in place
     * for feasible rows, instead of `normalize`.
     */
    bool (*row_changed)(const struct mst_view *view, const void *instance, void *state,
                        uint32_t row);
    void (*begin_pick)(const struct mst_view *view, const void *instance, void *state);
    bool (*skips_pick)(const struct mst_view *view, const void *instance, const void *state);
    mst_code (*pre_score_pick)(const struct mst_view *view, const void *instance, void *state,
                               const mst_verdict *verdict, uint32_t feasible_count);
    void (*normalize_pick)(const struct mst_view *view, const void *instance, void *state,
                           const mst_verdict *verdict, int64_t *raw);

    /*
     * How many pods of the class the row takes at most, as it is, by this rule alone; never too
     * few. For bounds of searches. NULL: as many as there may be.
     */
    int64_t (*room)(const struct mst_view *view, const void *state, uint32_t row);

    /*
     * A dry run begins (mst_eval_dry_begin): from here on pods move about on the open transaction.
     * For profile upstream, where what kube-scheduler's bookkeeping makes of a removed pod is not
     * what the rows say; cluster->undo tells the moves. NULL: the rows are right. dry_end ends it.
     */
    void (*dry_begin)(const struct mst_view *view, void *state);
    void (*dry_end)(void *state);

    /*
     * Plugins whose answers depend on more than nodes, pods on them and the class (objects of a
     * store): another number than when the class was compiled means compiling anew. Constant for
     * classes that the plugin does not care for. NULL: always the same.
     */
    uint64_t (*generation)(const struct mst_view *view, const struct mst_class *klass);

    /*
     * reserve        the pod has a place on the row: sets aside what else it needs there. NULL:
     * nothing that anybody would have to wait for. unreserve      frees the reservation; `revert`:
     * the pod does not run there, what was assumed is taken back. pre_bind_done  whether the writes
     * have come true: MST_SUCCESS, MST_WAIT (ask again), MST_ERROR.
     */
    struct mst_reservation *(*reserve)(const struct mst_view *view, const void *instance,
                                       uint32_t pod, uint32_t row, struct mst_arena *scratch);
    void (*unreserve)(const struct mst_view *view, const void *instance,
                      struct mst_reservation *reservation, bool revert);
    mst_code (*pre_bind_done)(const struct mst_view *view, const void *instance,
                              const struct mst_reservation *reservation, uint32_t pod,
                              struct mst_arena *arena, struct mst_str *ret_reason);

    /*
     * DefaultPreemption only: at PostFilter and PodGroupPostFilter victims are looked for
     * (preempt/), and these arguments say among how many nodes.
     */
    void (*preemption)(const void *instance, struct mst_preemption_args *out);

    /* GangScheduling only (scheduling.md 0.1). */
    void (*placement_feasible)(const struct mst_view *view, const void *instance, uint32_t group,
                               struct mst_progress progress, struct mst_arena *arena,
                               struct mst_status *out);

    /* Which events may turn this plugin's "no" into a "yes". */
    const struct mst_event_registration *events;
    uint32_t event_count;
};

/* The registry: every plugin that is linked in, in the order of the default set (plugins.md 1). */
struct mst_registry {
    const struct mst_plugin *const *v;
    uint32_t n;
};

#endif

/*
 * explain.h - why something is pending, and what would change that.
 *
 * The record is computed on demand from the engine's present state, on a transaction that is rolled
 * back: looking never changes a later decision.
 */
#ifndef MST_EXPLAIN_H
#define MST_EXPLAIN_H

#include "cycle/engine.h"

/* One reason and the nodes that give it. A node with two reasons is in both. */
struct mst_reason_nodes {
    struct mst_str reason;
    struct mst_str plugin;
    bool unresolvable; /* evicting pods would not help on any of these nodes */
    mst_strs nodes;    /* names, ascending */
};

/* Members that are alike (one class), judged on the cluster as it is plus the members placed so
 * far. */
struct mst_class_explanation {
    mst_strs pods;       /* "ns/name" of the members of this class that are queued */
    uint32_t placed;     /* how many of them the attempt placed */
    uint32_t node_count; /* nodes looked at */
    uint32_t feasible;   /* nodes that would take the next one */
    uint32_t room; /* how many of these alone fit into the cluster as it is now, at most 100,000 */
    struct mst_str
        message; /* of the first member that found no node; absent when all were placed */
    struct mst_str request; /* "cpu 2, memory 4Gi, nvidia.com/gpu 8" */
    MST_LIST(struct mst_reason_nodes) reasons;
};

typedef enum {
    MST_FIX_NOTHING_NEEDED,
    MST_FIX_MIN_COUNT, /* lower minCount to `count` */
    MST_FIX_NODES,     /* add `count` empty nodes like `node` */
    MST_FIX_FREE,      /* free `amount` of `resource` on `node` */
    MST_FIX_MEMBERS,   /* `count` members do not exist yet */
    MST_FIX_GATES,     /* scheduling gates, a missing PodGroup: see text */
} mst_fix_kind;

struct mst_fix {
    mst_fix_kind kind;
    uint32_t count;
    struct mst_str node; /* a node of that shape */
    struct mst_str resource;
    int64_t amount;      /* milli for cpu */
    struct mst_str text; /* the sentence for people */
};

struct mst_explanation {
    bool group;
    struct mst_str ns, name;
    mst_policy policy;
    int64_t min_count;    /* 1 for a lone pod and a basic group */
    uint32_t members;     /* known */
    uint32_t scheduled;   /* bound or assumed already */
    uint32_t queued;      /* waiting */
    uint32_t would_fit;   /* of the queued ones, tried in order */
    bool feasible;        /* an attempt now would succeed */
    struct mst_str state; /* "scheduled", "waiting for ...", "unschedulable", "in backoff for 3s" */
    struct mst_str message; /* what the condition says or would say */
    MST_LIST(struct mst_class_explanation) classes;
    MST_LIST(struct mst_fix) fixes; /* smallest first */
};

/*
 * `id` is a row of the cluster. Everything in `out` lives in `arena`.
 *
 * calls     emptied; when false is returned, calls to extenders that have to be carried out and
 *           answered (mst_engine_event) before the same question is asked again.
 */
bool mst_explain(struct mst_engine *engine, bool group, uint32_t id, int64_t now_ns,
                 struct mst_arena *arena, struct mst_explanation *out, struct mst_effects *calls);

/* ---- scores, for `--scores` and comparison with the oracle ---- */

struct mst_score_entry {
    struct mst_str plugin;
    int64_t raw, normalized, weighted;
};
struct mst_rejection {
    mst_code code;         /* MST_SUCCESS: there is none */
    struct mst_str plugin; /* who rejected; "PreFilterResult" for nodes that PreFilter left out */
    mst_strs reasons;
};
struct mst_node_answer {
    struct mst_str node;
    struct mst_rejection first;
    MST_LIST(struct mst_rejection) all; /* asked for: every plugin that rejects, without nominees */
    MST_LIST(struct mst_score_entry) scores; /* feasible nodes, by plugin name */
    int64_t total;
};
struct mst_pod_answer {
    struct mst_str pre_enqueue_plugin[4];
    struct mst_status pre_enqueue[4];
    uint32_t pre_enqueue_count; /* plugins that hold the pod back */
    mst_code pre_filter;        /* MST_SUCCESS or the rejection that holds for all nodes */
    struct mst_str pre_filter_plugin;
    mst_strs pre_filter_reasons;
    mst_strs skipped_filters;               /* plugin names, ascending */
    MST_LIST(struct mst_node_answer) nodes; /* by name */
    mst_strs feasible, best;                /* ascending */
    struct mst_str host;                    /* what the scheduler would choose, absent: none */
    struct mst_str reason, message;         /* of the PodScheduled condition when it fits nowhere */
    /* PostFilter, of a lone pod that fits nowhere: without a plugin the framework's own answer */
    mst_code post_filter;
    struct mst_str post_plugin, post_reason;
    bool nominates; /* to `nominated`, or to nothing */
    struct mst_str nominated;
};
/*
 * What every plugin says of a pending pod on every node, as mode `plugins` of the oracle; of
 * extenders only host and message know. With `all` also those plugins that an earlier one keeps
 * from being asked. `calls` and the result as above.
 */
bool mst_explain_scores(struct mst_engine *engine, uint32_t pod, bool all, struct mst_arena *arena,
                        struct mst_pod_answer *out, struct mst_effects *calls);

/* ---- preemption, for `--preemption` and comparison with the oracle ---- */

struct mst_evictee {
    struct mst_str pod;  /* "ns/name" */
    struct mst_str node; /* where it runs */
    struct mst_str unit; /* "ns/name" of the group that goes as a whole, absent: it goes alone */
    int32_t priority;    /* its own, or its group's */
    bool leaving;        /* it is being deleted already */
};
/* Room made by evictions. */
struct mst_eviction_plan {
    struct mst_str node;               /* "cluster" for a group */
    MST_LIST(struct mst_evictee) pods; /* most important first */
    uint32_t violations;               /* of disruption budgets */
    uint32_t group_disruptions; /* a group's: units that are groups, as upstream counts them */
};
struct mst_preempt_refusal {
    struct mst_str node; /* "*": the pod may not preempt at all */
    struct mst_str why;
};
struct mst_seat {
    struct mst_str pod, node;
};
typedef MST_LIST(struct mst_seat) mst_seats;
typedef MST_LIST(struct mst_preempt_refusal) mst_preempt_refusals;

typedef enum {
    MST_PREEMPT_SCHEDULED,
    MST_PREEMPT_PREEMPTING,
    MST_PREEMPT_UNSCHEDULABLE,
    MST_PREEMPT_GATED,
} mst_preempt_result;

struct mst_preempt_answer {
    bool group;
    struct mst_str ns, name;
    int32_t priority;
    mst_preempt_result result;
    mst_seats binds;     /* by name of the pod */
    mst_seats nominated; /* new with this attempt, by name of the pod */
    /* a lone pod's: nodes where evictions help, tried in vain, and not tried at all, by name */
    MST_LIST(struct mst_eviction_plan) candidates;
    mst_preempt_refusals rejected, hopeless;
    struct mst_eviction_plan chosen; /* when preempting */
    struct mst_str message;          /* of the condition; when gated: why */
    /* its policy is Never; if it were not, `allowed` would go (with `what_if`), or nobody could */
    bool never, what_if;
    struct mst_eviction_plan allowed;
};
/*
 * What an attempt of the entity alone would come to, and who would have to go for it. `id` is a row
 * of the cluster; the result lives in `arena`. False: as mst_explain.
 */
bool mst_explain_preempt(struct mst_engine *engine, bool group, uint32_t id,
                         struct mst_arena *arena, struct mst_preempt_answer *out,
                         struct mst_effects *calls);

#endif

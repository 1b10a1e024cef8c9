/*
 * extender_call.h - what an extender is asked and what it answers, as values and as JSON.
 *
 * The engine does not keep whole objects, so it only names them; the host, which has them, writes
 * them into the body. Everything here is pure: sending is client/extender_client.h.
 *
 * Source: spec/plugins.md 2.3, 6.5; kubernetes v1.37 pkg/scheduler/extender.go, staging
 * kube-scheduler extender/v1/types.go.
 */
#ifndef MST_EXTENDER_CALL_H
#define MST_EXTENDER_CALL_H

#include "framework/config.h"

struct mst_ext_pod {
    struct mst_str ns, name, uid;
};
/* Who would have to go on one node. */
struct mst_ext_victims {
    struct mst_str node;
    MST_LIST(struct mst_ext_pod) pods;
    int64_t pdb_violations;
};

struct mst_extender_call {
    const struct mst_cfg_extender *extender; /* NULL: no call */
    uint32_t extender_i;                     /* its index in the configuration */
    mst_extender_verb verb;
    struct mst_ext_pod pod;
    mst_strs nodes; /* FILTER, PRIORITIZE: the candidates; BIND: the one */
    MST_LIST(struct mst_ext_victims) victims; /* PREEMPT: by node, names unique */
};

/* A copy with all its texts in `arena`; the extender stays the configuration's. */
void mst_extender_call_copy(struct mst_arena *arena, const struct mst_extender_call *from,
                            struct mst_extender_call *out);
/* "<prefix>/<verb>", in the arena. */
struct mst_str mst_extender_url(const struct mst_extender_call *call, struct mst_arena *arena);

/* Writes objects as the API server shows them, without apiVersion and kind. */
struct mst_extender_objects {
    void (*pod)(void *ctx, const struct mst_ext_pod *pod, struct mst_json_writer *w);
    void (*node)(void *ctx, struct mst_str name, struct mst_json_writer *w);
    void *ctx;
};
/* Appends the request's body to `out`. Objects are asked for only where the extender gets them. */
void mst_extender_body(const struct mst_extender_call *call,
                       const struct mst_extender_objects *objects, struct mst_buf *out);

/* ---- answers ---- */

struct mst_ext_failed {
    struct mst_str node, text;
    bool unresolvable;
};
struct mst_ext_score {
    struct mst_str node;
    int64_t score;
};
/* What an extender makes of the victims on one node. Pods have a UID only. */
struct mst_ext_kept {
    struct mst_str node;
    mst_strs uids;
    int64_t pdb_violations;
};

struct mst_extender_answer {
    struct mst_str error;                   /* absent: it answered */
    mst_strs nodes;                         /* FILTER: what it lets pass, duplicates included */
    bool objects;                           /* FILTER: it named them by whole node objects */
    MST_LIST(struct mst_ext_failed) failed; /* FILTER: later ones of a node replace earlier ones */
    MST_LIST(struct mst_ext_score) scores;  /* PRIORITIZE */
    MST_LIST(struct mst_ext_kept) kept;     /* PREEMPT: nodes that stay candidates */
};

/* Decodes the body of a response to `call`; texts are copied to `arena`. */
void mst_extender_read(const struct mst_extender_call *call, struct mst_str body,
                       struct mst_arena *arena, struct mst_extender_answer *out);

#endif

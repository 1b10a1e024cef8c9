/*
 * run.h - a scenario from its first moment to its last: the engine, the API server and the clock.
 *
 * Owns:       engine, API server, clock. Borrows scenario, configuration, log.
 * Ends:       when nothing more can change; at `until_ns`; or when an entity was attempted
 *             `attempts_max` times. "Nothing can change" means: nothing of the scenario is to come
 *             and every entity that waits has failed since the last change of the cluster.
 */
#ifndef MST_RUN_H
#define MST_RUN_H

#include "cycle/explain.h"
#include "sim/apiserver.h"
#include "sim/effect_lines.h"
#include "sim/record.h"
#include "sim/use.h"

struct mst_run;

struct mst_run_options {
    struct mst_scenario *scenario;
    const struct mst_config *config;
    const struct mst_registry *registry;
    const struct mst_log *log;
    bool random_ties;
    uint64_t seed;
    int64_t until_ns;      /* since the start; MST_NEVER: no limit */
    uint32_t attempts_max; /* of one entity; 0: no limit */
    bool ends_at_once;     /* deleted pods go without their grace period */
    bool attempts_soft;    /* the limit counts only while nothing of the scenario is to come */
    /*
     * Also go on when every waiting entity has failed since the last change: for output that shows
     * each retry. Needs attempts_max.
     */
    bool retry_unchanged;
    struct mst_recorder *recorder; /* NULL: none */
    /*
     * Sends a call to an extender, with its body. True: `ret_text` is the response's body; false:
     * it is why there is none. Must be there when the configuration has extenders.
     */
    bool (*send)(void *ctx, const struct mst_extender_call *call, struct mst_str url,
                 struct mst_str body, struct mst_buf *ret_text);
    void *send_ctx;
    /* Each effect with its virtual time since the start, after it was carried out; may be NULL. */
    void (*on_effect)(void *ctx, const struct mst_effect *effect, int64_t at_ns,
                      struct mst_str error);
    void (*on_progress)(void *ctx, const struct mst_run *run); /* now and then; may be NULL */
    void *ctx;
};

typedef enum { MST_RUN_SETTLED, MST_RUN_UNTIL, MST_RUN_ATTEMPTS } mst_run_end;

struct mst_run_entity {
    uint32_t attempts;
    uint64_t change_seen; /* the API server's change_count at its last attempt */
};

struct mst_run {
    struct mst_run_options options;
    struct mst_clock clock;
    struct mst_apiserver server;
    struct mst_engine *engine;
    struct mst_effects effects;
    struct mst_map entities; /* "PodGroup/ns/name" -> index */
    MST_VEC(struct mst_run_entity) entity_list;
    uint32_t attempt_count, bind_count, bind_failed_count;
    uint64_t step_count;
    int64_t attempt_ns;             /* when the last attempt began */
    uint64_t change_seen;           /* change_count when change_ns was taken */
    int64_t change_ns;              /* when the world last changed */
    bool attempts_reached;          /* an entity has had its last attempt */
    uint32_t cycle;                 /* of the last attempt */
    struct mst_leftovers leftovers; /* when the run was over */
    int64_t end_ns;
    struct mst_uses uses; /* of the nodes, over time */
    uint64_t uses_change; /* change_count when they were taken */
    mst_run_end end;
};

mst_rc mst_run_init(struct mst_run *run, const struct mst_run_options *options, struct mst_err *err)
    MST_WARN_UNUSED;
/* Only what is there from the start, no attempt: for looking at a snapshot as it is. */
void mst_run_load(struct mst_run *run);
void mst_run_go(struct mst_run *run);
void mst_run_done(struct mst_run *run);
/*
 * mst_explain, mst_explain_scores and mst_explain_preempt at the present time, with the calls to
 * extenders that they need carried out. Nothing of it is recorded.
 */
void mst_run_explain(struct mst_run *run, bool group, uint32_t id, struct mst_arena *arena,
                     struct mst_explanation *out);
void mst_run_explain_scores(struct mst_run *run, uint32_t pod, bool all, struct mst_arena *arena,
                            struct mst_pod_answer *out);
void mst_run_explain_preempt(struct mst_run *run, bool group, uint32_t id, struct mst_arena *arena,
                             struct mst_preempt_answer *out);
/* Virtual time since the start, without the ticks that keep events apart. */
int64_t mst_run_elapsed(const struct mst_run *run);

#endif

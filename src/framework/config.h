/*
 * config.h - KubeSchedulerConfiguration v1: read, completed with the defaults, checked, expanded
 * into the plugins of each profile.
 *
 * Source: spec/plugins.md 6.
 */
#ifndef MST_CONFIG_H
#define MST_CONFIG_H

#include "framework/plugin.h"

/* The points that a configuration can name, in its order. */
typedef enum {
    MST_CFG_PRE_ENQUEUE,
    MST_CFG_QUEUE_SORT,
    MST_CFG_PRE_FILTER,
    MST_CFG_FILTER,
    MST_CFG_POST_FILTER,
    MST_CFG_PRE_SCORE,
    MST_CFG_SCORE,
    MST_CFG_RESERVE,
    MST_CFG_PERMIT,
    MST_CFG_PRE_BIND,
    MST_CFG_BIND,
    MST_CFG_POST_BIND,
    MST_CFG_PLACEMENT_GENERATE,
    MST_CFG_PLACEMENT_SCORE,
    MST_CFG_POD_GROUP_POST_FILTER,
    MST_CFG_POINT_COUNT
} mst_cfg_point;

struct mst_cfg_enabled {
    const struct mst_plugin *plugin;
    int64_t weight; /* score points: at least 1 */
};

/* One profile after merge and expansion (plugins.md 6.3): what runs where, in which order. */
struct mst_cfg_profile {
    struct mst_str scheduler_name;
    struct mst_opt_int percentage_of_nodes; /* percentageOfNodesToScore */
    MST_VEC(struct mst_cfg_enabled) points[MST_CFG_POINT_COUNT];
    /* every plugin used at any point, once, in registry order; its args or NULL */
    struct {
        const struct mst_plugin *plugin;
        const struct mst_value *args;
    } plugins[MST_SLOTS_MAX];
    uint32_t plugin_count;
    uint32_t missing; /* MST_NEEDS_*: what plugins of the profile judge that this version lacks */
};

struct mst_config {
    bool upstream; /* behaviour profile */
    struct mst_gates gates;
    struct mst_opt_int percentage_of_nodes;
    int64_t initial_backoff_s, max_backoff_s;
    int64_t unschedulable_timeout_s; /* --pod-max-in-unschedulable-pods-duration, 300 */
    MST_VEC(struct mst_cfg_profile) profiles;
    struct mst_arena arena;
    struct mst_buf text; /* the file: args point into it */
};

void mst_config_done(struct mst_config *config);
/*
 * The default configuration under the gates given in `config` (set `upstream` and `gates` first).
 */
void mst_config_default(struct mst_config *config, const struct mst_registry *registry);
/*
 * Reads a configuration document. `config->upstream` and `config->gates` are set before; everything
 * else is filled in. Errors, all at once, go to diags with upstream's wording; sections that this
 * version cannot honour (extenders) are errors that say so, those without effect in a simulation
 * (leaderElection, clientConnection, profiling, parallelism) are checked and kept silent.
 * Returns false when there was an error.
 */
bool mst_config_read(struct mst_config *config, const struct mst_registry *registry,
                     struct mst_syms *syms, struct mst_str text, struct mst_diags *diags);

#endif

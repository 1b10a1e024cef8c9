/*
 * config.h - KubeSchedulerConfiguration v1: read, completed with the defaults, checked, expanded
 * into the plugins of each profile.
 *
 * Source: spec/plugins.md 6.
 */
#ifndef MST_CONFIG_H
#define MST_CONFIG_H

#include "codec/json.h"
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

/* The same by name: also what this version lacks, without the steps that muster adds. */
struct mst_cfg_named {
    struct mst_str name;
    int64_t weight; /* as above */
};

/* A plugin that some list of the profile enables, run at a point or not. */
struct mst_cfg_used {
    struct mst_str name;
    const struct mst_plugin *plugin; /* NULL: this version lacks it */
    const struct mst_value *args;    /* of pluginConfig; NULL: none */
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
    /* what the document says, for people: every list of a point, and every name once */
    MST_LIST(struct mst_cfg_named) named[MST_CFG_POINT_COUNT];
    MST_LIST(struct mst_cfg_used) used; /* those of multiPoint first, in its order */
    uint32_t missing; /* MST_NEEDS_*: what plugins of the profile judge that this version lacks */
};

/* Sections that no decision depends on: kept for hosts and for people. */
struct mst_cfg_leader_election {
    bool elect;
    int64_t lease_ns, renew_ns, retry_ns;
    struct mst_str lock, name, ns;
};
struct mst_cfg_client_connection {
    struct mst_str kubeconfig, accept_content_types, content_type;
    struct mst_str qps; /* the text of a number */
    int64_t burst;
};

/* ---- extenders (plugins.md 6.5) ---- */

enum { MST_EXTENDERS_MAX = 64 }; /* of one document; sets of them are 64-bit masks */

typedef enum {
    MST_VERB_FILTER,
    MST_VERB_PRIORITIZE,
    MST_VERB_BIND,
    MST_VERB_PREEMPT,
    MST_VERB_COUNT,
} mst_extender_verb;

struct mst_cfg_tls {
    bool given, insecure;
    struct mst_str server_name, cert_file, key_file, ca_file;
    struct mst_str cert_data, key_data, ca_data; /* base64, checked */
};
struct mst_cfg_managed {
    struct mst_str name;
    bool ignored; /* by NodeResourcesFit, in every profile */
};
struct mst_cfg_extender {
    struct mst_str url_prefix;
    struct mst_str verbs[MST_VERB_COUNT]; /* empty: not supported */
    int64_t weight;
    bool https, node_cache, ignorable;
    struct mst_cfg_tls tls;
    int64_t timeout_ns;                       /* negative: none */
    MST_LIST(struct mst_cfg_managed) managed; /* none: every pod */
};
/* "filterVerb", ... */
const char *mst_cfg_verb_key(mst_extender_verb verb);

struct mst_config {
    bool upstream; /* behaviour profile */
    struct mst_gates gates;
    struct mst_opt_int percentage_of_nodes;
    int64_t initial_backoff_s, max_backoff_s;
    int64_t unschedulable_timeout_s; /* --pod-max-in-unschedulable-pods-duration, 300 */
    int64_t parallelism;
    struct mst_cfg_leader_election leader;
    struct mst_cfg_client_connection client;
    bool profiling, contention_profiling, delay_cache_until_active;
    MST_LIST(struct mst_cfg_extender) extenders; /* in the order of calls: ignorable ones last */
    MST_VEC(struct mst_cfg_profile) profiles;
    struct mst_arena arena;
    struct mst_buf text; /* the file: args point into it */
};

void mst_config_done(struct mst_config *config);
/* The default configuration under `upstream` and `gates` of `config`, which are set before. */
void mst_config_default(struct mst_config *config, const struct mst_registry *registry);
/*
 * Reads a configuration document. `config->upstream` and `config->gates` are set before; everything
 * else is filled in. Errors, all at once, go to diags with upstream's wording; sections without
 * effect in a simulation (leaderElection, clientConnection, profiling, parallelism) are checked and
 * kept.
 * Returns false when there was an error.
 */
bool mst_config_read(struct mst_config *config, const struct mst_registry *registry,
                     struct mst_syms *syms, struct mst_str text, struct mst_diags *diags);

/* "preEnqueue", "queueSort", ... */
const char *mst_cfg_point_key(mst_cfg_point point);
/* Whether the point's weights mean anything. */
static inline bool mst_cfg_point_scores(mst_cfg_point point)
{
    return point == MST_CFG_SCORE || point == MST_CFG_PLACEMENT_SCORE;
}
/* The field that a diagnostic of mst_config_read is about; absent when it names none. */
struct mst_str mst_config_diag_path(const struct mst_diag *diag);
/*
 * Writes the configuration as a document: every default filled in, the plugins listed point by
 * point, the args of every plugin that has some. Reading it under the same profile and gates gives
 * the same configuration. `config` must have been read without an error; the arena takes what is
 * only needed meanwhile.
 */
void mst_config_write(const struct mst_config *config, struct mst_arena *arena,
                      struct mst_json_writer *w);

/* The same as YAML, appended to `out`. */
mst_rc mst_config_write_yaml(const struct mst_config *config, struct mst_buf *out,
                             struct mst_err *err) MST_WARN_UNUSED;

#endif

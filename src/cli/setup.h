/*
 * setup.h - what subcommands with an engine need: profile, gates, configuration, log, and the
 * objects, from manifests, a cluster or both.
 */
#ifndef MST_SETUP_H
#define MST_SETUP_H

#include "base/log.h"
#include "cli/live.h"
#include "client/extender_client.h"
#include "framework/config.h"
#include "sim/scenario.h"

/* The flags behind it, for the tables of commands. */
#define MST_FILENAME_FLAG                                                                          \
    {                                                                                              \
        .name = "filename", .letter = 'f', .arg = "FILE|DIR|-", .repeats = true, .file = true,     \
        .help = "manifests: a file, a directory (its *.yaml, *.yml, *.json), - for standard\n"     \
                "input; may be given more than once"                                               \
    }

#define MST_SETUP_FLAGS                                                                            \
    MST_FILENAME_FLAG, MST_LIVE_FLAGS,                                                             \
        { .name = "config",                                                                        \
          .arg = "FILE",                                                                           \
          .file = true,                                                                            \
          .help = "KubeSchedulerConfiguration; without it, the default profile\n"                  \
                  "(objects of a cluster: under every schedulerName that waiting pods have)" },    \
        { .name = "profile",                                                                       \
          .arg = "NAME",                                                                           \
          .values = "muster|upstream",                                                             \
          .help = "behaviour: muster (default), or upstream = as kube-scheduler v1.37.2" },        \
        { .name = "feature-gates",                                                                 \
          .arg = "A=true,B=false",                                                                 \
          .help = "switch feature gates; group scheduling is off by default in profile\n"          \
                  "upstream: GenericWorkload=true" },                                              \
        { .name = "seed",                                                                          \
          .arg = "N",                                                                              \
          .help = "draw ties between equal nodes from a generator; without it the lowest\n"        \
                  "name wins" },                                                                   \
        { .name = "verbosity",                                                                     \
          .letter = 'v',                                                                           \
          .arg = "LEVEL",                                                                          \
          .help = "log lines up to this level on standard error (0 to 10)" },                      \
    {                                                                                              \
        .name = "log-format", .arg = "FORMAT", .values = "text|json",                              \
        .help = "form of the log lines"                                                            \
    }

struct mst_setup {
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_config config;
    bool configured;            /* --config was given */
    struct mst_buf config_text; /* the file of --config, or name_profiles.h; p == NULL: none */
    struct mst_log log;
    const int64_t *now_ns; /* virtual time for the log, once there is a run; may be NULL */
    bool logging;
    bool random_ties;
    int64_t seed;
    struct mst_live live;
    struct mst_scenario scenario;
    struct mst_diags diags;
};

/*
 * Reads the flags above and everything they name, except the manifests. On failure everything wrong
 * was printed to standard error; the setup must be freed all the same. `setup` must not move later.
 */
bool mst_setup_init(struct mst_setup *setup, const struct mst_args *args);
/* What mst_setup_init reads from the flags above, for commands whose flags have other names. */
struct mst_setup_words {
    bool upstream;
    const char *gates, *config; /* NULL: none */
    uint32_t minor;             /* of the version 1.x to emulate; 0: this one */
    int64_t level;              /* of the log; negative: none */
    bool json_log;
};
/* As mst_setup_init. */
bool mst_setup_read(struct mst_setup *setup, const struct mst_setup_words *words);

/*
 * Reads the objects: a cluster with --kubeconfig or --context, with the manifests of -f added; the
 * manifests alone without those flags. Without any: a cluster if that is what the command reads
 * `by_default`. Under the name kubectl-muster a cluster is always read. Without --config the
 * configuration is made to fit the objects (name_profiles.h).
 *
 * Returns  an exit code; what is wrong was printed.
 */
int mst_setup_load(struct mst_setup *setup, const struct mst_args *args, bool by_default);
void mst_setup_done(struct mst_setup *setup);
/* NULL when nothing is logged. */
const struct mst_log *mst_setup_log(const struct mst_setup *setup);

/* mst_extender_client_send, as runs take it; `ctx` is the client. */
bool mst_setup_send(void *ctx, const struct mst_extender_call *call, struct mst_str url,
                    struct mst_str body, struct mst_buf *ret_text);

/* The time that ages count to: now for a cluster, a fixed one for manifests. Unix seconds. */
int64_t mst_setup_now(const struct mst_setup *setup);

/* Prints what is in diags to standard error and forgets it. */
void mst_diags_show(struct mst_diags *diags);

#endif

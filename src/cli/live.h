/*
 * live.h - a cluster as what a command reads: found by kubeconfig, listed once, shown while it
 * takes long.
 *
 * Owns:       connection, event loop, client, what was listed.
 */
#ifndef MST_LIVE_H
#define MST_LIVE_H

#include "base/log.h"
#include "cli/command.h"
#include "client/connection.h"
#include "daemon/snapshot.h"

/* The flags behind it, for the tables of commands. */
#define MST_LIVE_FLAGS                                                                             \
    { .name = "kubeconfig",                                                                        \
      .arg = "FILE",                                                                               \
      .file = true,                                                                                \
      .help = "how to reach the cluster; default: $KUBECONFIG, ~/.kube/config, or, in a pod,\n"    \
              "its service account" },                                                             \
    {                                                                                              \
        .name = "context", .arg = "NAME",                                                          \
        .help = "the kubeconfig's context to use; default: its current-context"                    \
    }

/* For commands that show one namespace, or all of them. */
#define MST_NAMESPACE_FLAGS                                                                        \
    { .name = "namespace",                                                                         \
      .letter = 'n',                                                                               \
      .arg = "NAMESPACE",                                                                          \
      .help = "only this one; default: the context's of a cluster, all of manifests" },            \
    {                                                                                              \
        .name = "all-namespaces", .letter = 'A', .help = "all namespaces"                          \
    }

/* Zero-initialised is valid: nothing was read. */
struct mst_live {
    bool read; /* a cluster was */
    struct mst_connection connection;
    struct event_base *loop;
    struct mst_client *client;
    struct mst_snapshot *snapshot;
};

/*
 * Reads the cluster that the flags or the environment name. On failure what is wrong was printed to
 * standard error; the value must be freed all the same.
 *
 * Returns  MST_EXIT_OK, MST_EXIT_FAILED (no answer, not allowed), MST_EXIT_BAD_INPUT (kubeconfig).
 */
int mst_live_read(struct mst_live *live, const struct mst_args *args, const struct mst_log *log);
void mst_live_done(struct mst_live *live);

/* Which namespaces a command shows. */
struct mst_scope {
    bool all;
    struct mst_str ns; /* when not all */
};
/* By MST_NAMESPACE_FLAGS; without one of them the context's, or all when no cluster was read. */
struct mst_scope mst_scope_of(const struct mst_live *live, const struct mst_args *args);
/* False after it was said that -n and -A do not go together. */
bool mst_scope_check(const struct mst_args *args);
bool mst_scope_has(const struct mst_scope *scope, struct mst_str ns);

#endif

/*
 * live.c - a cluster as what a command reads: found by kubeconfig, listed once, shown while it
 * takes long.
 */
#include "cli/live.h"

#include <event2/event.h>
#include <stdio.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 2000, /* what is quicker needs no progress */
    SHOW_MS = 200,
};

struct reading {
    struct mst_live *live;
    struct event *timer;
    bool shown, failed;
    struct mst_err err;
};

/* ---- progress ---- */

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
    struct reading *r = ctx;
    const struct mst_snapshot_stats stats = mst_snapshot_stats_of(r->live->snapshot);
    (void)fd;
    (void)what;
    r->shown = true;
    fprintf(stderr, "\r\033[Kreading the cluster: %u of %u kinds, %llu objects, %llu MB",
            stats.kinds_done, stats.kinds, (unsigned long long)stats.objects,
            (unsigned long long)(stats.bytes / 1000000));
    evtimer_add(r->timer, &(struct timeval){ .tv_usec = SHOW_MS * 1000 });
}

static void on_done(void *ctx, const struct mst_err *err)
{
    struct reading *r = ctx;
    r->failed = err != NULL;
    if (err)
        r->err = *err;
    event_base_loopbreak(r->live->loop);
}

/* ---- where it is ---- */

static int connect_to(struct mst_live *live, const struct mst_args *args, const struct mst_log *log)
{
    MST_AUTO(mst_buf) list = { 0 };
    const char *flag = mst_args_text(args, "kubeconfig", NULL);
    const bool by_list = !flag && mst_connection_default_list(&list);
    struct mst_err err;
    const struct mst_connection_options connection = {
        .kubeconfig = flag,
        .kubeconfig_list = by_list ? list.p : NULL, /* with neither: in a pod */
        .context = mst_args_text(args, "context", NULL),
    };
    if (connection.context && !by_list && !(flag && *flag)) {
        mst_usage_error(args->command, "flag --context: there is no kubeconfig to find \"%s\" in",
                        connection.context);
        return MST_EXIT_BAD_INPUT;
    }
    if (mst_connection_load(&connection, &live->connection, &err)) {
        fprintf(stderr, "muster %s: %s\n", args->command->name, err.text);
        return MST_EXIT_BAD_INPUT;
    }
    live->loop = event_base_new();
    mst_assert(live->loop);
    const struct mst_client_options client = {
        .loop = live->loop,
        .connection = &live->connection,
        .log = log,
        .user_agent = "muster/cli",
    };
    if (mst_client_new(&client, &live->client, &err) == MST_OK)
        return MST_EXIT_OK;
    fprintf(stderr, "muster %s: %s\n", args->command->name, err.text);
    return MST_EXIT_BAD_INPUT;
}

/* ---- reading ---- */

static int list_all(struct mst_live *live, const struct mst_args *args)
{
    struct reading r = { .live = live };
    const struct mst_snapshot_options options = {
        .loop = live->loop,
        .client = live->client,
        .done = on_done,
        .ctx = &r,
    };
    live->snapshot = mst_snapshot_new(&options);
    r.timer = evtimer_new(live->loop, on_timer, &r);
    mst_assert(r.timer);
    if (isatty(STDERR_FILENO))
        evtimer_add(r.timer, &(struct timeval){ .tv_sec = PATIENCE_MS / 1000 });
    event_base_dispatch(live->loop);
    event_free(r.timer);
    if (r.shown)
        fputs("\r\033[K", stderr);
    if (!r.failed)
        return MST_EXIT_OK;
    fprintf(stderr, "muster %s: %.*s: %s\n", args->command->name, MST_ARG(live->connection.server),
            r.err.text);
    return MST_EXIT_FAILED;
}

int mst_live_read(struct mst_live *live, const struct mst_args *args, const struct mst_log *log)
{
    uint32_t count;
    int code = connect_to(live, args, log);
    if (!code)
        code = list_all(live, args);
    if (code)
        return code;
    live->read = true;
    const struct mst_str *notes = mst_snapshot_notes(live->snapshot, &count);
    for (uint32_t i = 0; i < count; i++)
        fprintf(stderr, "muster: warning: %.*s\n", MST_ARG(notes[i]));
    return MST_EXIT_OK;
}

void mst_live_done(struct mst_live *live)
{
    mst_snapshot_free(live->snapshot);
    mst_client_free(live->client);
    if (live->loop)
        event_base_free(live->loop);
    mst_connection_done(&live->connection);
    *live = (struct mst_live){ 0 };
}

/* ---- namespaces ---- */

struct mst_scope mst_scope_of(const struct mst_live *live, const struct mst_args *args)
{
    const char *ns = mst_args_text(args, "namespace", NULL);
    if (mst_args_has(args, "all-namespaces"))
        return (struct mst_scope){ .all = true };
    if (ns)
        return (struct mst_scope){ .ns = mst_str_of(ns) };
    if (live->read)
        return (struct mst_scope){ .ns = live->connection.namespace_ };
    return (struct mst_scope){ .all = true };
}

bool mst_scope_check(const struct mst_args *args)
{
    if (!mst_args_has(args, "all-namespaces") || !mst_args_has(args, "namespace"))
        return true;
    mst_usage_error(args->command, "--namespace and --all-namespaces do not go together");
    return false;
}

bool mst_scope_has(const struct mst_scope *scope, struct mst_str ns)
{
    return scope->all || mst_str_eq(scope->ns, ns);
}

/*
 * serving.c - the scheduler's HTTPS port: who may ask, and what is answered.
 */
#include "daemon/serving.h"

#include <stdio.h>

#include "daemon/endpoints.h"
#include "daemon/metrics_scheduler.h"

enum {
    /* A lease that nobody renews is a sick process only this long after it expired. */
    WATCHDOG_GRACE_MS = 20000,
};

struct mst_serving {
    struct mst_serving_options options;
    struct mst_client *review_client; /* NULL: the scheduler's */
    struct mst_https *server;         /* NULL: nothing is served */
    struct mst_access *access;
    struct mst_endpoints endpoints;
    struct mst_health_check checks[3];
    struct mst_stats stats;
    struct mst_sched_metrics *metrics;
    struct mst_component_metrics *component;
    struct mst_scheduler *scheduler;
    const struct mst_lease *lease;
    bool ending;
};

/* ---- health ---- */

static bool check_lease(void *ctx, struct mst_err *why)
{
    const struct mst_serving *s = ctx;
    if (!s->lease || mst_lease_healthy(s->lease, WATCHDOG_GRACE_MS))
        return true;
    mst_fail(why, MST_EIO, "failed election to renew leadership on the lease in time");
    return false;
}

static bool check_shutdown(void *ctx, struct mst_err *why)
{
    const struct mst_serving *s = ctx;
    if (s->ending)
        mst_fail(why, MST_EIO, "process is shutting down");
    return !s->ending;
}

static bool check_synced(void *ctx, struct mst_err *why)
{
    const struct mst_serving *s = ctx;
    MST_AUTO(mst_buf) missing = { 0 };
    if (s->scheduler && mst_scheduler_synced(s->scheduler))
        return true;
    if (s->scheduler)
        mst_feeds_missing(mst_scheduler_feeds(s->scheduler), &missing);
    else
        mst_buf_text(&missing, "everything");
    mst_fail(why, MST_EIO, "waiting for handlers to sync: %.*s", MST_ARG(mst_buf_span(&missing)));
    return false;
}

/* ---- contents ---- */

static void print_shadow(const struct mst_shadow *shadow, struct mst_buf *out)
{
    const struct mst_shadow_stats s = mst_shadow_stats_of(shadow);
    const struct {
        const char *result;
        uint64_t count;
    } rows[] = { { "only_here", s.only_here },
                 { "only_there", s.only_there },
                 { "other_node", s.other_node },
                 { "same", s.same } };
    mst_buf_text(out, "# HELP muster_dry_run_decisions_total [ALPHA] Decisions of a dry run, "
                      "compared with those of the scheduler that runs\n"
                      "# TYPE muster_dry_run_decisions_total counter\n");
    for (size_t i = 0; i < MST_COUNT(rows); i++)
        mst_buf_printf(out, "muster_dry_run_decisions_total{result=\"%s\"} %llu\n", rows[i].result,
                       (unsigned long long)rows[i].count);
    mst_buf_printf(out,
                   "# HELP muster_dry_run_evictions_total [ALPHA] Evictions that a dry run did not "
                   "make\n# TYPE muster_dry_run_evictions_total counter\n"
                   "muster_dry_run_evictions_total %llu\n",
                   (unsigned long long)s.evictions);
}

#define PROC "/proc"

static void print_metrics(void *ctx, struct mst_buf *out)
{
    struct mst_serving *s = ctx;
    const struct mst_leading leading = {
        .name = s->lease ? s->options.config->leader.name : MST_STR_NONE,
        .leads = s->lease && mst_lease_leads(s->lease),
        .slow_renewals = s->lease ? mst_lease_slow_renewals(s->lease) : 0,
    };
    mst_component_metrics_print(s->component, &leading, PROC, out);
    if (!s->scheduler)
        return;
    mst_sched_metrics_print(s->metrics, mst_scheduler_engine(s->scheduler), out);
    if (mst_scheduler_shadow(s->scheduler))
        print_shadow(mst_scheduler_shadow(s->scheduler), out);
}

static void reset_metrics(void *ctx)
{
    struct mst_serving *s = ctx;
    mst_sched_metrics_reset(s->metrics);
    mst_component_metrics_reset(s->component);
}

static void print_slis(void *ctx, struct mst_buf *out)
{
    const struct mst_serving *s = ctx;
    mst_component_slis_print(s->component, PROC, out);
}

static void reset_slis(void *ctx)
{
    const struct mst_serving *s = ctx;
    mst_component_slis_reset(s->component);
}

/* One scheduler shows all pods: the one that leads. */
static void print_resources(void *ctx, struct mst_buf *out)
{
    const struct mst_serving *s = ctx;
    const bool leads = s->scheduler && (!s->lease || mst_lease_leads(s->lease));
    if (leads && mst_scheduler_amounts(s->scheduler))
        mst_pod_amounts_print(mst_scheduler_amounts(s->scheduler),
                              mst_engine_cluster(mst_scheduler_engine(s->scheduler)), out);
}

/* Nothing there is counted. */
static void reset_resources(void *ctx)
{
    (void)ctx;
}

static void on_checked(void *ctx, const char *check, const char *endpoint, bool healthy)
{
    const struct mst_serving *s = ctx;
    mst_component_metrics_check(s->component, check, endpoint, healthy);
}

static void print_config(void *ctx, struct mst_buf *out)
{
    struct mst_serving *s = ctx;
    struct mst_arena arena = { 0 };
    struct mst_json_writer w = { .out = out };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "componentconfig");
    mst_config_write(s->options.config, &arena, &w);
    mst_jw_object_end(&w);
    mst_arena_done(&arena);
}

/* "/debug/explain/[pods|podgroups/]NAMESPACE/NAME" into its parts; false: it is not one. */
static bool split_target(struct mst_str path, struct mst_str parts[3])
{
    static const char prefix[] = "/debug/explain/";
    struct mst_str words[3];
    uint32_t n = 0;
    if (!mst_str_has_prefix(path, prefix))
        return false;
    path = (struct mst_str){ path.p + sizeof(prefix) - 1, path.n - (sizeof(prefix) - 1) };
    for (; path.n && n < 3; n++) {
        const char *slash = memchr(path.p, '/', path.n);
        const size_t length = slash ? (size_t)(slash - path.p) : path.n;
        const size_t used = length + (slash != NULL);
        words[n] = (struct mst_str){ path.p, length };
        path = (struct mst_str){ path.p + used, path.n - used };
    }
    if (path.n || n < 2 || !words[n - 1].n || !words[n - 2].n)
        return false;
    parts[0] = n == 3 ? words[0] : MST_STR_NONE;
    parts[1] = words[n - 2];
    parts[2] = words[n - 1];
    return !parts[0].p || mst_str_is(parts[0], "pods") || mst_str_is(parts[0], "podgroups");
}

static void answer_explain(struct mst_serving *s, struct mst_https_request *request)
{
    struct mst_str part[3];
    MST_AUTO(mst_buf) out = { 0 };
    const struct mst_str output = mst_https_query(request, "output");
    const bool json = mst_str_is(output, "json");
    int status = 404;
    if (!mst_str_is(mst_https_method(request), "GET")) {
        mst_buf_text(&out, "only GET is allowed\n");
        status = 405;
    } else if (output.n && !json && !mst_str_is(output, "text")) {
        mst_buf_text(&out, "output: text and json are allowed\n");
        status = 400;
    } else if (!split_target(mst_https_path(request), part)) {
        mst_buf_text(&out, "ask for /debug/explain/NAMESPACE/NAME, "
                           "/debug/explain/pods/NAMESPACE/NAME or "
                           "/debug/explain/podgroups/NAMESPACE/NAME, ?output=text|json\n");
    } else if (!s->scheduler) {
        mst_buf_text(&out, "the scheduler is not connected yet\n");
        status = 503;
    } else {
        status = s->options.explain(s->options.ctx, mst_scheduler_engine(s->scheduler),
                                    mst_scheduler_now(s->scheduler), part[0], part[1], part[2],
                                    json, &out);
    }
    mst_https_answer(request, status,
                     json && status == 200 ? "application/json" : "text/plain; charset=utf-8",
                     mst_buf_span(&out));
}

/* ---- requests ---- */

static void on_allowed(void *ctx, struct mst_https_request *request)
{
    struct mst_serving *s = ctx;
    if (mst_str_has_prefix(mst_https_path(request), "/debug/explain"))
        answer_explain(s, request);
    else
        mst_endpoints_answer(&s->endpoints, request);
}

static void on_request(void *ctx, struct mst_https_request *request)
{
    struct mst_serving *s = ctx;
    mst_access_check(s->access, request, on_allowed, s);
}

static void on_looked_up(void *ctx, struct mst_str problem)
{
    struct mst_serving *s = ctx;
    if (!problem.p)
        return;
    mst_log(s->options.log, 0,
            "Unable to get the cluster's authentication configuration: client certificates that "
            "only it knows are not accepted",
            MST_KSTR("err", problem));
    if (s->options.flags.strict_lookup)
        s->options.failed(s->options.ctx, problem);
}

/* ---- lifecycle ---- */

static void fill_endpoints(struct mst_serving *s)
{
    s->checks[0] = (struct mst_health_check){ "leaderElection", check_lease, s };
    s->checks[1] = (struct mst_health_check){ "shutdown", check_shutdown, s };
    s->checks[2] = (struct mst_health_check){ "sched-handler-sync", check_synced, s };
    s->endpoints = (struct mst_endpoints){
        .log = s->options.log,
        .healthz = { s->checks, 1 },
        .readyz = { s->checks, 3 },
        .metrics = { print_metrics, reset_metrics },
        .slis = { print_slis, reset_slis },
        .resources = { print_resources, reset_resources },
        .checked = on_checked,
        .configz = print_config,
        .ctx = s,
    };
}

static mst_rc listen_on(struct mst_serving *s, struct mst_err *err)
{
    const struct mst_serving_flags *f = &s->options.flags;
    const struct mst_https_options options = {
        .loop = s->options.loop,
        .log = s->options.log,
        .address = f->address,
        .port = MST_MAX(f->port, 0),
        .cert_file = f->cert_file,
        .key_file = f->key_file,
        .client_ca_file = f->client_ca_file,
        .proxy_ca_file = f->proxy_ca_file,
        .min_version = f->min_version,
        .ciphers = f->ciphers,
        .handle = on_request,
        .ctx = s,
    };
    return mst_https_new(&options, &s->server, err);
}

static void on_review_seen(void *ctx, const struct mst_request_seen *seen)
{
    mst_serving_seen(ctx, seen);
}

static void on_review_plugin(void *ctx, const struct mst_exec_end *end)
{
    mst_serving_plugin_ended(ctx, end);
}

static mst_rc check_callers(struct mst_serving *s, struct mst_err *err)
{
    const struct mst_serving_flags *f = &s->options.flags;
    if (f->review_connection) {
        const struct mst_client_options client = { .loop = s->options.loop,
                                                   .connection = f->review_connection,
                                                   .log = s->options.log,
                                                   .user_agent = "muster/authorizer",
                                                   .seen = on_review_seen,
                                                   .plugin_ended = on_review_plugin,
                                                   .seen_ctx = s };
        const mst_rc rc = mst_client_new(&client, &s->review_client, err);
        if (rc)
            return rc;
    }
    const struct mst_access_options options = {
        .loop = s->options.loop,
        .client = s->review_client ? s->review_client : s->options.client,
        .server = s->server,
        .log = s->options.log,
        .always_allow_paths = f->always_allow_paths,
        .token_ttl_ms = f->token_ttl_ms,
        .allowed_ttl_ms = f->allowed_ttl_ms,
        .denied_ttl_ms = f->denied_ttl_ms,
        .has_client_ca = f->client_ca_file != NULL,
        .has_proxy_ca = f->proxy_ca_file != NULL,
        .proxy = f->proxy,
        .skip_lookup = f->skip_lookup,
        .looked_up = on_looked_up,
        .ctx = s,
    };
    return mst_access_new(&options, &s->access, err);
}

mst_rc mst_serving_new(const struct mst_serving_options *options, struct mst_serving **out,
                       struct mst_err *err)
{
    struct mst_serving *s = mst_calloc(1, sizeof(*s));
    mst_rc rc = MST_OK;
    s->options = *options;
    s->metrics = mst_sched_metrics_new(options->config);
    s->component = mst_component_metrics_new(&options->config->gates, options->build);
    fill_endpoints(s);
    if (options->flags.port)
        rc = listen_on(s, err);
    if (!rc && s->server)
        rc = check_callers(s, err);
    if (rc) {
        mst_serving_free(s);
        return rc;
    }
    if (s->server)
        mst_log(options->log, 0, "Serving securely",
                MST_KSTR("address", mst_str_of(options->flags.address)),
                MST_KINT("port", mst_serving_port(s)));
    *out = s;
    return MST_OK;
}

void mst_serving_free(struct mst_serving *s)
{
    if (!s)
        return;
    mst_access_free(s->access);
    mst_https_free(s->server);
    mst_client_free(s->review_client);
    mst_sched_metrics_free(s->metrics);
    mst_component_metrics_free(s->component);
    mst_stats_done(&s->stats);
    mst_free(s);
}

int mst_serving_port(const struct mst_serving *s)
{
    return s->server ? mst_https_port(s->server) : 0;
}

struct mst_stats *mst_serving_stats(struct mst_serving *s)
{
    return &s->stats;
}

const struct mst_marks *mst_serving_marks(const struct mst_serving *s)
{
    return s->server ? mst_sched_metrics_marks(s->metrics) : NULL;
}

void mst_serving_seen(struct mst_serving *s, const struct mst_request_seen *seen)
{
    mst_component_metrics_request(s->component, seen);
}

void mst_serving_plugin_ended(struct mst_serving *s, const struct mst_exec_end *end)
{
    mst_component_metrics_plugin(s->component, end);
}

void mst_serving_stepped(struct mst_serving *s, const struct mst_engine *engine, int64_t took_ns)
{
    mst_sched_metrics_take(s->metrics, engine, &s->stats, (double)took_ns / MST_NS_PER_S);
}

void mst_serving_show(struct mst_serving *s, struct mst_scheduler *scheduler,
                      const struct mst_lease *lease)
{
    s->scheduler = scheduler;
    s->lease = lease;
}

void mst_serving_ending(struct mst_serving *s)
{
    s->ending = true;
}

/*
 * endpoints.c - paths, methods, and the texts of health checks.
 */
#include "daemon/endpoints.h"

#include "base/sort.h"

#define PLAIN "text/plain; charset=utf-8"

static void answer(struct mst_https_request *request, int status, const char *type,
                   struct mst_str body)
{
    mst_https_add_header(request, "X-Content-Type-Options", "nosniff");
    mst_https_add_header(request, "Cache-Control", "no-cache, private");
    mst_https_answer(request, status, type, body);
}

/* GET and HEAD, or what `more` says besides; else the request is answered with 405. */
static bool allows(struct mst_https_request *request, const char *more)
{
    const struct mst_str method = mst_https_method(request);
    if (mst_str_is(method, "GET") || mst_str_is(method, "HEAD") ||
        (more && mst_str_is(method, more)))
        return true;
    mst_https_add_header(request, "Allow", more ? "GET, HEAD, DELETE" : "GET, HEAD");
    answer(request, 405, PLAIN, MST_STR("405 method not allowed\n"));
    return false;
}

static void not_found(struct mst_https_request *request)
{
    answer(request, 404, PLAIN, MST_STR("404 page not found\n"));
}

/* ---- health ---- */

bool mst_health_ping(void *ctx, struct mst_err *why)
{
    (void)ctx, (void)why;
    return true;
}

static const struct mst_health_check PING = { "ping", mst_health_ping, NULL };

static struct mst_health checks_of(const struct mst_health *health)
{
    return health->count ? *health : (struct mst_health){ &PING, 1 };
}

static bool contains(mst_strs names, const char *name)
{
    for (uint32_t i = 0; i < names.n; i++)
        if (mst_str_is(names.v[i], name))
            return true;
    return false;
}

static int compare_names(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(*(const struct mst_str *)a, *(const struct mst_str *)b);
}

static bool is_check(struct mst_health health, struct mst_str name)
{
    for (uint32_t i = 0; i < health.count; i++)
        if (mst_str_is(name, health.checks[i].name))
            return true;
    return false;
}

/* Names that were to be left out and are none, sorted, each once. */
static void warn_unknown(struct mst_health health, mst_strs excluded, struct mst_buf *out)
{
    mst_sort(excluded.v, excluded.n, sizeof(*excluded.v), compare_names, NULL);
    const char *before = "warn: some health checks cannot be excluded: no matches for ";
    bool any = false;
    for (uint32_t i = 0; i < excluded.n; i++) {
        if (is_check(health, excluded.v[i]) || (i && mst_str_eq(excluded.v[i], excluded.v[i - 1])))
            continue;
        mst_buf_printf(out, "%s\"%.*s\"", any ? "," : before, MST_ARG(excluded.v[i]));
        any = true;
    }
    if (any)
        mst_buf_char(out, '\n');
}

/* Runs all; the lines of `out`. Returns how many failed. */
static uint32_t run_checks(const struct mst_endpoints *e, struct mst_health health,
                           mst_strs excluded, const char *endpoint, struct mst_buf *out)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < health.count; i++) {
        const struct mst_health_check *check = &health.checks[i];
        struct mst_err why = { 0 };
        if (contains(excluded, check->name)) {
            mst_buf_printf(out, "[+]%s excluded: ok\n", check->name);
            continue;
        }
        const bool healthy = check->check(check->ctx, &why);
        if (e->checked)
            e->checked(e->ctx, check->name, endpoint, healthy);
        if (healthy) {
            mst_buf_printf(out, "[+]%s ok\n", check->name);
        } else {
            mst_buf_printf(out, "[-]%s failed: reason withheld\n", check->name);
            mst_log(e->log, 2, "Health check failed", MST_KSTR("endpoint", mst_str_of(endpoint)),
                    MST_KSTR("check", mst_str_of(check->name)),
                    MST_KSTR("err", mst_str_of(why.text)));
            failed++;
        }
    }
    return failed;
}

static void answer_all(const struct mst_endpoints *e, struct mst_health health, const char *name,
                       struct mst_https_request *request)
{
    MST_AUTO(mst_buf) text = { 0 };
    const mst_strs excluded = mst_https_queries(request, "exclude");
    const uint32_t failed = run_checks(e, health, excluded, name, &text);
    warn_unknown(health, excluded, &text);
    if (!failed && !mst_https_query(request, "verbose").p) {
        answer(request, 200, PLAIN, MST_STR("ok"));
        return;
    }
    mst_buf_printf(&text, "%s check %s\n", name, failed ? "failed" : "passed");
    answer(request, failed ? 500 : 200, PLAIN, mst_buf_span(&text));
}

static void answer_one(const struct mst_health_check *check, struct mst_https_request *request)
{
    struct mst_err why = { 0 };
    if (check->check(check->ctx, &why)) {
        answer(request, 200, PLAIN, MST_STR("ok"));
        return;
    }
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_printf(&text, "internal server error: %s\n", why.text);
    answer(request, 500, PLAIN, mst_buf_span(&text));
}

/* False: the path is none of this endpoint's. */
static bool answer_health(const struct mst_endpoints *e, const struct mst_health *given,
                          const char *name, struct mst_https_request *request)
{
    struct mst_str path = mst_https_path(request);
    const size_t n = strlen(name);
    if (path.n < n + 1 || memcmp(path.p + 1, name, n) != 0)
        return false;
    const struct mst_str rest = { path.p + 1 + n, path.n - 1 - n };
    const struct mst_health health = checks_of(given);
    if (!rest.n) {
        if (allows(request, NULL))
            answer_all(e, health, name, request);
        return true;
    }
    for (uint32_t i = 0; i < health.count && rest.p[0] == '/'; i++) {
        if (!mst_str_is((struct mst_str){ rest.p + 1, rest.n - 1 }, health.checks[i].name))
            continue;
        if (allows(request, NULL))
            answer_one(&health.checks[i], request);
        return true;
    }
    return false;
}

/* ---- the others ---- */

static void answer_metrics(const struct mst_endpoints *e, const struct mst_metrics_page *page,
                           struct mst_https_request *request)
{
    if (!allows(request, "DELETE"))
        return;
    if (mst_str_is(mst_https_method(request), "DELETE")) {
        page->reset(e->ctx);
        answer(request, 200, PLAIN, MST_STR("metrics reset\n"));
        return;
    }
    MST_AUTO(mst_buf) text = { 0 };
    page->print(e->ctx, &text);
    answer(request, 200, "text/plain; version=0.0.4; charset=utf-8", mst_buf_span(&text));
}

static void answer_configz(const struct mst_endpoints *e, struct mst_https_request *request)
{
    if (!allows(request, NULL))
        return;
    MST_AUTO(mst_buf) text = { 0 };
    e->configz(e->ctx, &text);
    answer(request, 200, "application/json", mst_buf_span(&text));
}

void mst_endpoints_answer(const struct mst_endpoints *e, struct mst_https_request *request)
{
    const struct mst_str path = mst_https_path(request);
    if (mst_str_is(path, "/metrics"))
        answer_metrics(e, &e->metrics, request);
    else if (mst_str_is(path, "/metrics/slis"))
        answer_metrics(e, &e->slis, request);
    else if (mst_str_is(path, "/metrics/resources"))
        answer_metrics(e, &e->resources, request);
    else if (mst_str_is(path, "/configz"))
        answer_configz(e, request);
    else if (!answer_health(e, &e->healthz, "healthz", request) &&
             !answer_health(e, &e->livez, "livez", request) &&
             !answer_health(e, &e->readyz, "readyz", request))
        not_found(request);
}

/* The scheduler's port: what it says before, while and after the scheduler is there. */
#include "daemon/serving.h"

#include "https_client.h"
#include "scheduler_rig.h"
#include "tap.h"

struct port {
    struct rig rig;
    struct mst_serving *serving;
    bool failed;
};

static int explain(void *ctx, struct mst_engine *engine, int64_t now_ns, struct mst_str kind,
                   struct mst_str ns, struct mst_str name, bool json, struct mst_buf *out)
{
    (void)ctx;
    (void)engine;
    mst_buf_printf(out, "[%.*s|%.*s|%.*s|%s|%d]", MST_ARG(kind), MST_ARG(ns), MST_ARG(name),
                   json ? "json" : "text", now_ns > 0);
    return mst_str_is(name, "absent") ? 404 : 200;
}

static void on_failed(void *ctx, struct mst_str problem)
{
    struct port *p = ctx;
    p->failed = problem.n > 0;
}

static void port_init(struct port *p)
{
    struct mst_err err;
    struct mst_str paths[] = { MST_STR("/*") };
    *p = (struct port){ .failed = false };
    rig_init(&p->rig, NULL, false);
    const struct mst_serving_options options = {
        .loop = p->rig.loop,
        .config = &p->rig.config,
        .flags = { .address = "127.0.0.1", .port = -1, .always_allow_paths = { paths, 1 } },
        .build = { "v", "c", "cc" },
        .explain = explain,
        .failed = on_failed,
        .ctx = p,
    };
    const mst_rc rc = mst_serving_new(&options, &p->serving, &err);
    mst_assert(rc == MST_OK);
}

static void port_done(struct port *p)
{
    mst_serving_free(p->serving);
    rig_done(&p->rig);
}

/* The answer to METHOD PATH has this status and holds this text. */
static void ask(struct mst_test *t, struct port *p, const char *method, const char *path,
                const char *status, const char *text)
{
    MST_AUTO(mst_buf) request = { 0 };
    mst_buf_printf(&request, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", method,
                   path);
    struct test_client c = { .port = mst_serving_port(p->serving),
                             .send = mst_buf_span(&request),
                             .answers = 1 };
    t_case(t, path);
    test_client_run(&c, p->rig.loop);
    const struct mst_str got = mst_buf_span(&c.got);
    t_ok(t, memmem(got.p, got.n, status, strlen(status)));
    t_ok(t, memmem(got.p, got.n, text, strlen(text)));
    if (!memmem(got.p, got.n, text, strlen(text)))
        t_fail(t, "got: %.*s", MST_ARG(got));
    mst_buf_done(&c.got);
}

static void test_before_the_scheduler(struct mst_test *t)
{
    struct port p;
    port_init(&p);
    ask(t, &p, "GET", "/healthz", " 200 ", "ok");
    ask(t, &p, "GET", "/livez", " 200 ", "ok");
    ask(t, &p, "GET", "/readyz", " 500 ", "[-]sched-handler-sync failed");
    ask(t, &p, "GET", "/metrics", " 200 ", "\nkubernetes_build_info{");
    ask(t, &p, "GET", "/metrics/resources", " 200 ", "Content-Length: 0\r\n");
    ask(t, &p, "DELETE", "/metrics/resources", " 200 ", "metrics reset");
    ask(t, &p, "GET", "/metrics/slis", " 200 ",
        "\nkubernetes_healthcheck{name=\"sched-handler-sync\",type=\"readyz\"} 0\n");
    ask(t, &p, "GET", "/configz", " 200 ", "{\"componentconfig\":{\"apiVersion\":");
    ask(t, &p, "GET", "/debug/explain/a/b", " 503 ", "not connected yet");
    port_done(&p);
}

static void test_with_the_scheduler(struct mst_test *t)
{
    struct port p;
    port_init(&p);
    mst_serving_show(p.serving, p.rig.scheduler, NULL);
    ask(t, &p, "GET", "/readyz", " 500 ", "[-]sched-handler-sync failed");
    sync_all();
    ask(t, &p, "GET", "/readyz", " 200 ", "ok");
    ask(t, &p, "GET", "/metrics", " 200 ", "scheduler_pending_pods{queue=\"active\"} 0");
    apply(&p.rig, "{kind: Pod, apiVersion: v1, metadata: {name: r, namespace: default, uid: r}, "
                  "spec: {containers: "
                  "[{name: c, resources: {limits: {cpu: 1500m}}}]}}");
    ask(t, &p, "GET", "/metrics/resources", " 200 ",
        "\nkube_pod_resource_limit{namespace=\"default\",node=\"\",pod=\"r\",priority=\"0\","
        "resource=\"cpu\",scheduler=\"default-scheduler\",unit=\"cores\"} 1.5\n");
    mst_serving_ending(p.serving);
    ask(t, &p, "GET", "/readyz", " 500 ", "[-]shutdown failed");
    ask(t, &p, "GET", "/livez", " 200 ", "ok");
    port_done(&p);
}

static void test_counts_of_every_component(struct mst_test *t)
{
    const struct mst_request_seen seen = { .server = MST_STR("https://127.0.0.1:6443"),
                                           .method = "GET",
                                           .status = 404,
                                           .limited_ns = -1,
                                           .took_ns = 1000 };
    struct port p;
    port_init(&p);
    mst_serving_seen(p.serving, &seen);
    ask(t, &p, "GET", "/metrics", " 200 ",
        "rest_client_requests_total{code=\"404\",host=\"127.0.0.1:6443\",method=\"GET\"} 1\n");
    ask(t, &p, "GET", "/metrics", " 200 ", "\nmuster_build_info{commit=\"c\",");
    ask(t, &p, "GET", "/livez", " 200 ", "ok");
    ask(t, &p, "GET", "/livez", " 200 ", "ok");
    ask(t, &p, "GET", "/metrics/slis", " 200 ",
        "kubernetes_healthchecks_total{name=\"ping\",status=\"success\",type=\"livez\"} 2\n");
    ask(t, &p, "DELETE", "/metrics", " 200 ", "metrics reset");
    ask(t, &p, "GET", "/metrics", " 200 ", "\nkubernetes_build_info{");
    ask(t, &p, "GET", "/metrics/slis", " 200 ", "type=\"livez\"} 2\n");
    ask(t, &p, "DELETE", "/metrics/slis", " 200 ", "metrics reset");
    ask(t, &p, "GET", "/livez", " 200 ", "ok");
    ask(t, &p, "GET", "/metrics/slis", " 200 ", "type=\"livez\"} 1\n");
    port_done(&p);
}

static void test_explains(struct mst_test *t)
{
    struct port p;
    port_init(&p);
    mst_serving_show(p.serving, p.rig.scheduler, NULL);
    ask(t, &p, "GET", "/debug/explain/a/b", " 200 ", "[|a|b|text|1]");
    ask(t, &p, "GET", "/debug/explain/pods/a/b?output=json", " 200 ", "[pods|a|b|json|1]");
    ask(t, &p, "GET", "/debug/explain/podgroups/a/b?output=text", " 200 ", "[podgroups|a|b|text");
    ask(t, &p, "GET", "/debug/explain/a/absent", " 404 ", "absent");
    ask(t, &p, "GET", "/debug/explain/a/b?output=yaml", " 400 ", "text and json are allowed");
    ask(t, &p, "GET", "/debug/explain", " 404 ", "ask for /debug/explain/NAMESPACE/NAME");
    ask(t, &p, "GET", "/debug/explain/a", " 404 ", "ask for");
    ask(t, &p, "GET", "/debug/explain//b", " 404 ", "ask for");
    ask(t, &p, "GET", "/debug/explain/nodes/a/b", " 404 ", "ask for");
    ask(t, &p, "GET", "/debug/explain/pods/a/b/c", " 404 ", "ask for");
    ask(t, &p, "POST", "/debug/explain/a/b", " 405 ", "only GET");
    ask(t, &p, "GET", "/nothing", " 404 ", "");
    port_done(&p);
}

static void test_nothing_is_served(struct mst_test *t)
{
    struct rig rig;
    struct mst_err err;
    struct mst_serving *serving;
    rig_init(&rig, NULL, false);
    const struct mst_serving_options options = { .loop = rig.loop, .config = &rig.config };
    t_int(t, mst_serving_new(&options, &serving, &err), MST_OK);
    t_int(t, mst_serving_port(serving), 0);
    t_ok(t, mst_serving_stats(serving));
    mst_serving_free(serving);
    rig_done(&rig);
}

static void test_port_in_use(struct mst_test *t)
{
    struct port p;
    struct mst_err err;
    struct mst_serving *second = NULL;
    port_init(&p);
    const struct mst_serving_options options = {
        .loop = p.rig.loop,
        .config = &p.rig.config,
        .flags = { .address = "127.0.0.1", .port = mst_serving_port(p.serving) },
    };
    t_int(t, mst_serving_new(&options, &second, &err), MST_EIO);
    t_ok(t, !second);
    port_done(&p);
}

MST_TEST_MAIN(T(test_before_the_scheduler), T(test_with_the_scheduler),
              T(test_counts_of_every_component), T(test_explains), T(test_nothing_is_served),
              T(test_port_in_use))

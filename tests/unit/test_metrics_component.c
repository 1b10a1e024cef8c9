/* What every component counts: requests, its process, versions, gates, leading, health checks. */
#include "daemon/metrics_component.h"

#include "client/exec_plugin.h"

#include "proc_fake.h"
#include "tap.h"

struct world {
    struct proc_fake proc;
    struct mst_component_metrics *m;
    struct mst_leading leading;
    struct mst_buf page;
};

static void start(struct world *w, uint32_t minor)
{
    struct mst_gates gates;
    *w = (struct world){ .leading = { .name = MST_STR_NONE } };
    mst_gates_emulate(&gates, false, minor);
    proc_fake_init(&w->proc);
    w->m = mst_component_metrics_new(&gates, (struct mst_build){ "0.1.0", "abc\"\\", "GNU 12" });
}

static void stop(struct world *w)
{
    mst_component_metrics_free(w->m);
    mst_component_metrics_free(NULL);
    proc_fake_done(&w->proc);
    mst_buf_done(&w->page);
}

static void print(struct world *w)
{
    w->page.n = 0;
    mst_component_metrics_print(w->m, &w->leading, w->proc.root, &w->page);
}

static bool has(const struct world *w, const char *line)
{
    MST_AUTO(mst_buf) whole = { 0 };
    mst_buf_printf(&whole, "\n%s\n", line);
    return memmem(w->page.p, w->page.n, whole.p, whole.n);
}

static void want(struct mst_test *t, const struct world *w, const char *line)
{
    t_case(t, line);
    t_ok(t, has(w, line));
    if (!has(w, line))
        t_fail(t, "got: %.*s", MST_ARG(mst_buf_span(&w->page)));
}

static void want_none(struct mst_test *t, const struct world *w, const char *text)
{
    t_case(t, text);
    t_ok(t, !memmem(w->page.p, w->page.n, text, strlen(text)));
}

#define HOST "host=\"10.0.0.1:6443\""

static void test_requests(struct mst_test *t)
{
    const struct mst_str server = MST_STR("https://10.0.0.1:6443/prefix");
    const struct mst_request_seen bind = { .server = server,
                                           .method = "POST",
                                           .status = 201,
                                           .limited_ns = 31250000,
                                           .took_ns = INT64_C(2500) * 1000000,
                                           .sent_bytes = 300,
                                           .got_bytes = 64 };
    const struct mst_request_seen lost = {
        .server = server, .method = "PUT", .limited_ns = -1, .took_ns = 1000000, .sent_bytes = 5
    };
    const struct mst_request_seen watch = {
        .server = server, .method = "GET", .status = 200, .limited_ns = -1, .took_ns = -1
    };
    struct world w;
    start(&w, MST_GATES_MINOR);
    mst_component_metrics_request(w.m, &bind);
    mst_component_metrics_request(w.m, &bind);
    mst_component_metrics_request(w.m, &lost);
    mst_component_metrics_request(w.m, &watch);
    print(&w);
    want(t, &w, "# TYPE rest_client_requests_total counter");
    want(t, &w, "rest_client_requests_total{code=\"201\"," HOST ",method=\"POST\"} 2");
    want(t, &w, "rest_client_requests_total{code=\"<error>\"," HOST ",method=\"PUT\"} 1");
    want(t, &w, "rest_client_requests_total{code=\"200\"," HOST ",method=\"GET\"} 1");
#define SERIES(family, verb) "rest_client_" family "{" HOST ",verb=\"" verb "\""
    want(t, &w, SERIES("request_duration_seconds_bucket", "POST") ",le=\"2\"} 0");
    want(t, &w, SERIES("request_duration_seconds_bucket", "POST") ",le=\"4\"} 2");
    want(t, &w, SERIES("request_duration_seconds_bucket", "POST") ",le=\"60\"} 2");
    want(t, &w, SERIES("request_duration_seconds_sum", "POST") "} 5");
    want(t, &w, SERIES("request_size_bytes_bucket", "POST") ",le=\"256\"} 0");
    want(t, &w, SERIES("request_size_bytes_bucket", "POST") ",le=\"1.6777216e+07\"} 2");
    want(t, &w, SERIES("request_size_bytes_sum", "POST") "} 600");
    want(t, &w, SERIES("response_size_bytes_bucket", "POST") ",le=\"64\"} 2");
    want(t, &w, SERIES("rate_limiter_duration_seconds_sum", "POST") "} 0.0625");
    want(t, &w, SERIES("rate_limiter_duration_seconds_bucket", "POST") ",le=\"0.025\"} 0");
    want(t, &w, SERIES("request_duration_seconds_count", "PUT") "} 1");
    want(t, &w, SERIES("request_size_bytes_sum", "PUT") "} 5");
    /* What had no answer has no size of one; a watch has neither size nor length. */
    want_none(t, &w, SERIES("response_size_bytes_count", "PUT"));
    want_none(t, &w, SERIES("rate_limiter_duration_seconds_count", "PUT"));
    want_none(t, &w, SERIES("request_duration_seconds_count", "GET"));
    want_none(t, &w, SERIES("request_size_bytes_count", "GET"));
    mst_component_metrics_reset(w.m);
    print(&w);
    want_none(t, &w, "rest_client_");
    stop(&w);
}

static void test_plugins(struct mst_test *t)
{
    static const struct mst_exec_end ends[] = { { "no_error", 0 },
                                                { "no_error", 0 },
                                                { "plugin_execution_error", -1 } };
    struct world w;
    start(&w, MST_GATES_MINOR);
    for (size_t i = 0; i < MST_COUNT(ends); i++)
        mst_component_metrics_plugin(w.m, &ends[i]);
    print(&w);
    want(t, &w, "rest_client_exec_plugin_call_total{call_status=\"no_error\",code=\"0\"} 2");
    want(
        t, &w,
        "rest_client_exec_plugin_call_total{call_status=\"plugin_execution_error\",code=\"-1\"} 1");
    stop(&w);
}

static void test_hosts(struct mst_test *t)
{
    static const struct {
        const char *server, *host;
    } cases[] = {
        { "https://a.example", "a.example" },
        { "http://127.0.0.1:80/x/y", "127.0.0.1:80" },
        { "https://user:pw@[::1]:6443?x=1", "[::1]:6443" },
        { "https://a\"b", "a\\\"b" },
        { "a:1", "a:1" },
        { "", "" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct world w;
        char line[128];
        start(&w, MST_GATES_MINOR);
        const struct mst_request_seen seen = { .server = mst_str_of(cases[i].server),
                                               .method = "GET",
                                               .status = 500,
                                               .limited_ns = -1,
                                               .took_ns = -1 };
        mst_component_metrics_request(w.m, &seen);
        print(&w);
        snprintf(line, sizeof(line),
                 "rest_client_requests_total{code=\"500\",host=\"%s\",method=\"GET\"} 1",
                 cases[i].host);
        want(t, &w, line);
        stop(&w);
    }
}

static void test_process(struct mst_test *t)
{
    struct world w;
    char line[128];
    start(&w, MST_GATES_MINOR);
    snprintf(line, sizeof(line), "process_resident_memory_bytes %ld", 1000 * sysconf(_SC_PAGESIZE));
    for (int i = 0; i < 2; i++) {
        print(&w);
        want(t, &w, "# TYPE process_cpu_seconds_total counter");
        want(t, &w, "process_cpu_seconds_total 15.75");
        want(t, &w, "process_start_time_seconds 1.7000000425e+09");
        want(t, &w, "process_virtual_memory_bytes 1.23456789e+08");
        want(t, &w, "process_virtual_memory_max_bytes 1.8446744073709552e+19");
        want(t, &w, "process_open_fds 2");
        want(t, &w, "process_max_fds 1024");
        want(t, &w, "process_network_receive_bytes_total 5e+09");
        want(t, &w, "process_network_transmit_bytes_total 77");
        want(t, &w, "# HELP process_open_fds Open file descriptors.");
        want_none(t, &w, "# TYPE go_");
        mst_component_metrics_reset(w.m); /* the kernel does not forget */
    }
    /* Network counters may go down: another namespace. */
    proc_fake_write(&w.proc, "self/net/netstat", "IpExt: InOctets OutOctets\nIpExt: 1 2\n");
    print(&w);
    want(t, &w, "process_network_receive_bytes_total 1");
    stop(&w);
}

static void test_no_proc(struct mst_test *t)
{
    struct world w;
    start(&w, MST_GATES_MINOR);
    mst_component_metrics_print(w.m, &w.leading, "/nowhere", &w.page);
    want_none(t, &w, "process_");
    w.page.n = 0;
    mst_component_slis_print(w.m, "/nowhere", &w.page);
    t_int(t, w.page.n, 0);
    stop(&w);
}

static void test_versions_and_gates(struct mst_test *t)
{
    struct world w;
    start(&w, MST_GATES_MINOR);
    for (int i = 0; i < 2; i++) {
        print(&w);
        t_ok(t, memmem(w.page.p, w.page.n,
                       ",git_version=\"v1.37.2\",go_version=\"\",major=\"1\","
                       "minor=\"37\",platform=\"linux/",
                       72));
        want(t, &w,
             "muster_build_info{commit=\"abc\\\"\\\\\",compiler=\"GNU 12\",version=\"0.1.0\"} 1");
        want(t, &w,
             "version_info{binary=\"1.37.2\",component=\"kube\",emulation=\"1.37\","
             "min_compat=\"1.36\"} 1");
        want(t, &w, "kubernetes_feature_enabled{name=\"GenericWorkload\",stage=\"BETA\"} 1");
        want(t, &w, "kubernetes_feature_enabled{name=\"NodeDeclaredFeatures\",stage=\"\"} 1");
        want(t, &w,
             "kubernetes_feature_enabled{name=\"SchedulerPreQueueingHints\",stage=\"ALPHA\"} 0");
        mst_component_metrics_reset(w.m);
    }
    stop(&w);
    start(&w, 35);
    print(&w);
    want(t, &w,
         "version_info{binary=\"1.37.2\",component=\"kube\",emulation=\"1.35\","
         "min_compat=\"1.34\"} 1");
    want(t, &w, "kubernetes_feature_enabled{name=\"NodeDeclaredFeatures\",stage=\"ALPHA\"} 0");
    stop(&w);
    start(&w, 34);
    print(&w);
    want(t, &w,
         "version_info{binary=\"1.37.2\",component=\"kube\",emulation=\"1.34\","
         "min_compat=\"1.34\"} 1");
    stop(&w);
}

static void test_leading(struct mst_test *t)
{
    struct world w;
    start(&w, MST_GATES_MINOR);
    print(&w);
    want_none(t, &w, "leader_election_");
    w.leading = (struct mst_leading){ .name = MST_STR("kube-scheduler") };
    print(&w);
    want(t, &w, "leader_election_master_status{name=\"kube-scheduler\"} 0");
    want_none(t, &w, "leader_election_slowpath_total");
    w.leading.leads = true;
    w.leading.slow_renewals = 3;
    print(&w);
    print(&w);
    want(t, &w, "leader_election_master_status{name=\"kube-scheduler\"} 1");
    want(t, &w, "leader_election_slowpath_total{name=\"kube-scheduler\"} 3");
    mst_component_metrics_reset(w.m);
    w.leading.slow_renewals = 5;
    print(&w);
    want(t, &w, "leader_election_slowpath_total{name=\"kube-scheduler\"} 2");
    stop(&w);
}

static void test_slis(struct mst_test *t)
{
    struct world w;
    start(&w, MST_GATES_MINOR);
    mst_component_metrics_check(w.m, "leaderElection", "readyz", true);
    mst_component_metrics_check(w.m, "leaderElection", "readyz", true);
    mst_component_metrics_check(w.m, "leaderElection", "readyz", false);
    mst_component_metrics_check(w.m, "ping", "livez", true);
    mst_component_slis_print(w.m, w.proc.root, &w.page);
    t_str(t, mst_buf_span(&w.page),
          "# HELP kubernetes_healthcheck [STABLE] Whether a health check was passed when it was "
          "made last.\n# TYPE kubernetes_healthcheck gauge\n"
          "kubernetes_healthcheck{name=\"leaderElection\",type=\"readyz\"} 0\n"
          "kubernetes_healthcheck{name=\"ping\",type=\"livez\"} 1\n"
          "# HELP kubernetes_healthchecks_total [STABLE] Health checks that were made, by how they "
          "ended.\n# TYPE kubernetes_healthchecks_total counter\n"
          "kubernetes_healthchecks_total{name=\"leaderElection\",status=\"error\","
          "type=\"readyz\"} 1\n"
          "kubernetes_healthchecks_total{name=\"leaderElection\",status=\"success\","
          "type=\"readyz\"} 2\n"
          "kubernetes_healthchecks_total{name=\"ping\",status=\"success\",type=\"livez\"} 1\n"
          "# HELP process_start_time_seconds [ALPHA] When the process started, in Unix time.\n"
          "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 1.7000000425e+09\n");
    print(&w);
    want_none(t, &w, "kubernetes_healthcheck");
    mst_component_metrics_reset(w.m); /* the one page is not the other */
    w.page.n = 0;
    mst_component_slis_print(w.m, w.proc.root, &w.page);
    want(t, &w, "kubernetes_healthcheck{name=\"ping\",type=\"livez\"} 1");
    mst_component_slis_reset(w.m);
    w.page.n = 0;
    mst_component_slis_print(w.m, w.proc.root, &w.page);
    want_none(t, &w, "kubernetes_");
    want(t, &w, "process_start_time_seconds 1.7000000425e+09");
    stop(&w);
}

MST_TEST_MAIN(T(test_requests), T(test_plugins), T(test_hosts), T(test_process), T(test_no_proc),
              T(test_versions_and_gates), T(test_leading), T(test_slis))

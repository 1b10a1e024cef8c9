/*
 * metrics_component.c - from requests, checks and /proc to series.
 */
#include "daemon/metrics_component.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "client/exec_plugin.h"
#include "daemon/proc_self.h"

/* The release whose behaviour this is. */
#define KUBERNETES_VERSION "1.37.2"

struct mst_component_metrics {
    struct mst_gates gates;
    struct mst_build build;
    struct mst_metrics *registry, *slis;
    uint64_t slow_renewals; /* as last taken over */
};

static struct mst_series *series(struct mst_component_metrics *m, mst_component_fam family,
                                 struct mst_label_values labels)
{
    return mst_metrics_series(m->registry, family, labels.v);
}

static void set(struct mst_component_metrics *m, mst_component_fam family,
                struct mst_label_values labels, double value)
{
    mst_series_set(series(m, family, labels), value);
}

/* ---- facts ---- */

/* As Go names it: the labels are compared with those of other components. */
static struct mst_str platform(char *space, size_t n)
{
    static const char *const names[][2] = {
        { "x86_64", "amd64" }, { "aarch64", "arm64" }, { "armv7l", "arm" }, { "i686", "386" }
    };
    struct utsname host;
    if (uname(&host))
        return MST_STR("");
    const char *machine = host.machine;
    for (size_t i = 0; i < MST_COUNT(names); i++)
        if (strcmp(host.machine, names[i][0]) == 0)
            machine = names[i][1];
    snprintf(space, n, "linux/%s", machine);
    return mst_str_of(space);
}

/* What a build of Go has and this one has not is empty, which to Prometheus is: not there. */
static void set_versions(struct mst_component_metrics *m)
{
    const struct mst_str none = MST_STR("");
    const uint32_t emulated = m->gates.minor ? m->gates.minor : MST_GATES_MINOR;
    char space[128], minor[16], emulation[16], oldest[16];
    snprintf(minor, sizeof(minor), "%d", MST_GATES_MINOR);
    snprintf(emulation, sizeof(emulation), "1.%u", emulated);
    snprintf(oldest, sizeof(oldest), "1.%u", MST_MAX(emulated - 1, MST_GATES_OLDEST_MINOR + 0u));
    set(m, MST_CF_BUILD,
        MST_LABEL_VALUES(MST_STR("1"), mst_str_of(minor), MST_STR("v" KUBERNETES_VERSION), none,
                         none, none, none, none, platform(space, sizeof(space))),
        1);
    set(m, MST_CF_VERSION,
        MST_LABEL_VALUES(MST_STR("kube"), MST_STR(KUBERNETES_VERSION), mst_str_of(emulation),
                         mst_str_of(oldest)),
        1);
    if (m->build.version)
        set(m, MST_CF_MUSTER_BUILD,
            MST_LABEL_VALUES(mst_str_of(m->build.version), mst_str_of(m->build.commit),
                             mst_str_of(m->build.compiler)),
            1);
}

static void set_facts(struct mst_component_metrics *m)
{
    set_versions(m);
    for (uint32_t i = 0; i < MST_GATE_COUNT; i++)
        set(m, MST_CF_FEATURE,
            MST_LABEL_VALUES(mst_str_of(mst_gate_name((mst_gate)i)),
                             mst_str_of(mst_gate_stage(&m->gates, (mst_gate)i))),
            m->gates.on[i]);
}

struct mst_component_metrics *mst_component_metrics_new(const struct mst_gates *gates,
                                                        struct mst_build build)
{
    struct mst_component_metrics *m = mst_calloc(1, sizeof(*m));
    m->gates = *gates;
    m->build = build;
    m->registry = mst_metrics_new(mst_component_families, MST_CF_COUNT);
    m->slis = mst_metrics_new(mst_sli_families, MST_SLI_COUNT);
    set_facts(m);
    return m;
}

void mst_component_metrics_free(struct mst_component_metrics *m)
{
    if (!m)
        return;
    mst_metrics_free(m->registry);
    mst_metrics_free(m->slis);
    mst_free(m);
}

void mst_component_metrics_reset(struct mst_component_metrics *m)
{
    mst_metrics_reset(m->registry);
    set_facts(m);
}

/* ---- requests ---- */

/* Of "https://user@host:443/prefix", "host:443". */
static struct mst_str host_of(struct mst_str server)
{
    const char *scheme = memmem(server.p, server.n, "://", 3);
    if (scheme)
        server = (struct mst_str){ scheme + 3, server.n - (size_t)(scheme + 3 - server.p) };
    for (size_t i = 0; i < server.n; i++)
        if (strchr("/?#", server.p[i]))
            server.n = i;
    const char *user = server.n ? memrchr(server.p, '@', server.n) : NULL;
    if (user)
        server = (struct mst_str){ user + 1, server.n - (size_t)(user + 1 - server.p) };
    return server;
}

void mst_component_metrics_request(struct mst_component_metrics *m,
                                   const struct mst_request_seen *seen)
{
    char code[16] = "<error>";
    const struct mst_str host = host_of(seen->server), method = mst_str_of(seen->method);
    const struct mst_label_values labels = MST_LABEL_VALUES(method, host);
    if (seen->status)
        snprintf(code, sizeof(code), "%d", seen->status);
    mst_series_add(series(m, MST_CF_REQUESTS, MST_LABEL_VALUES(mst_str_of(code), method, host)), 1);
    if (seen->limited_ns >= 0)
        mst_series_observe(series(m, MST_CF_LIMITER_DURATION, labels),
                           (double)seen->limited_ns / MST_NS_PER_S);
    if (seen->took_ns < 0)
        return;
    mst_series_observe(series(m, MST_CF_REQUEST_DURATION, labels),
                       (double)seen->took_ns / MST_NS_PER_S);
    mst_series_observe(series(m, MST_CF_REQUEST_SIZE, labels), (double)seen->sent_bytes);
    if (seen->status)
        mst_series_observe(series(m, MST_CF_RESPONSE_SIZE, labels), (double)seen->got_bytes);
}

void mst_component_metrics_plugin(struct mst_component_metrics *m, const struct mst_exec_end *end)
{
    char code[16];
    snprintf(code, sizeof(code), "%d", end->code);
    mst_series_add(series(m, MST_CF_PLUGIN_CALLS,
                          MST_LABEL_VALUES(mst_str_of(code), mst_str_of(end->status))),
                   1);
}

/* ---- the page ---- */

static void look_at_process(struct mst_component_metrics *m, const char *proc)
{
    struct mst_proc_self self;
    mst_proc_self_read(proc, &self);
    const struct {
        mst_component_fam family;
        bool there;
        double value;
    } rows[] = {
        { MST_CF_CPU, self.has_stat, self.cpu_s },
        { MST_CF_RESIDENT, self.has_stat, self.resident_bytes },
        { MST_CF_VIRTUAL, self.has_stat, self.virtual_bytes },
        { MST_CF_START, self.has_start, self.start_unix_s },
        { MST_CF_FILES, self.has_files, self.files },
        { MST_CF_FILES_MAX, self.has_limits, self.files_max },
        { MST_CF_VIRTUAL_MAX, self.has_limits, self.virtual_max },
        { MST_CF_RECEIVED, self.has_network, self.received_bytes },
        { MST_CF_SENT, self.has_network, self.sent_bytes },
    };
    for (size_t i = 0; i < MST_COUNT(rows); i++)
        if (rows[i].there)
            set(m, rows[i].family, MST_LABEL_VALUES(MST_STR_NONE), rows[i].value);
}

void mst_component_metrics_print(struct mst_component_metrics *m, const struct mst_leading *leading,
                                 const char *proc, struct mst_buf *out)
{
    look_at_process(m, proc);
    if (leading->name.p) {
        set(m, MST_CF_LEADS, MST_LABEL_VALUES(leading->name), leading->leads);
        if (leading->slow_renewals > m->slow_renewals)
            mst_series_add(series(m, MST_CF_SLOW_RENEWALS, MST_LABEL_VALUES(leading->name)),
                           (double)(leading->slow_renewals - m->slow_renewals));
        m->slow_renewals = leading->slow_renewals;
    }
    mst_metrics_print(m->registry, out);
}

/* ---- health checks ---- */

void mst_component_metrics_check(struct mst_component_metrics *m, const char *check,
                                 const char *endpoint, bool healthy)
{
    const struct mst_str name = mst_str_of(check), type = mst_str_of(endpoint);
    const struct mst_str status = healthy ? MST_STR("success") : MST_STR("error");
    mst_series_set(mst_metrics_series(m->slis, MST_SLI_CHECK, MST_LABEL_VALUES(name, type).v),
                   healthy);
    mst_series_add(mst_metrics_series(m->slis, MST_SLI_CHECKS,
                                      MST_LABEL_VALUES(name, type, status).v),
                   1);
}

void mst_component_slis_print(struct mst_component_metrics *m, const char *proc,
                              struct mst_buf *out)
{
    struct mst_proc_self self;
    mst_proc_self_read(proc, &self);
    if (self.has_start)
        mst_series_set(mst_metrics_series(m->slis, MST_SLI_START, NULL), self.start_unix_s);
    mst_metrics_print(m->slis, out);
}

void mst_component_slis_reset(struct mst_component_metrics *m)
{
    mst_metrics_reset(m->slis);
}

/*
 * config_sections.c - sections of the configuration that no decision depends on: leader election,
 * client connection, extenders.
 *
 * Owns:       nothing: texts are kept where the document has them.
 * Invariants: a section that is absent or wrong still leaves its defaults behind.
 * Source:     spec/plugins.md 6.1, 6.5; kubernetes v1.37 pkg/scheduler/apis/config/validation,
 *             component-base config/validation.
 */
#include "api/names.h"
#include "framework/config_internal.h"

#define SECOND ((int64_t)1000000000)

static void duration_or(const struct mst_reading *rd, const struct mst_value *v,
                        struct mst_str path, const char *key, int64_t fallback, int64_t *out)
{
    *out = 0;
    (void)mst_cfg_duration(rd, v, path, key, out);
    if (*out == 0)
        *out = fallback;
}

static void above_zero(const struct mst_reading *rd, const struct mst_value *v, struct mst_str path,
                       const char *key, int64_t ns)
{
    if (ns <= 0)
        mst_cfg_invalid(rd, mst_value_get(v, key), mst_at_key(rd, path, key),
                        mst_cfg_duration_text(rd, ns), "must be greater than zero");
}

/* The member's text; absent or empty it stays what it is. */
static void text_or(const struct mst_reading *rd, const struct mst_value *v, struct mst_str path,
                    const char *key, struct mst_str *out)
{
    struct mst_str text;
    if (mst_cfg_str(rd, v, path, key, &text) && text.n)
        *out = text;
}

void mst_cfg_leader_election(const struct mst_reading *rd, const struct mst_value *v,
                             struct mst_cfg_leader_election *out)
{
    static const char *const fields[] = { "leaderElect",      "leaseDuration", "renewDeadline",
                                          "retryPeriod",      "resourceLock",  "resourceName",
                                          "resourceNamespace" };
    const struct mst_str path = MST_STR("leaderElection");
    *out = (struct mst_cfg_leader_election){
        .elect = true,
        .lease_ns = 15 * SECOND,
        .renew_ns = 10 * SECOND,
        .retry_ns = 2 * SECOND,
        .lock = MST_STR("leases"),
        .name = MST_STR("kube-scheduler"),
        .ns = MST_STR("kube-system"),
    };
    if (!mst_cfg_object(rd, v, path, fields, MST_COUNT(fields)))
        return;
    (void)mst_cfg_bool(rd, v, path, "leaderElect", &out->elect);
    duration_or(rd, v, path, "leaseDuration", out->lease_ns, &out->lease_ns);
    duration_or(rd, v, path, "renewDeadline", out->renew_ns, &out->renew_ns);
    duration_or(rd, v, path, "retryPeriod", out->retry_ns, &out->retry_ns);
    text_or(rd, v, path, "resourceLock", &out->lock);
    text_or(rd, v, path, "resourceName", &out->name);
    text_or(rd, v, path, "resourceNamespace", &out->ns);
    if (!out->elect)
        return;
    above_zero(rd, v, path, "leaseDuration", out->lease_ns);
    above_zero(rd, v, path, "renewDeadline", out->renew_ns);
    above_zero(rd, v, path, "retryPeriod", out->retry_ns);
    /* The value that upstream prints is that of the other field. */
    if (out->lease_ns <= out->renew_ns)
        mst_cfg_invalid(rd, v, mst_at_key(rd, path, "leaseDuration"),
                        mst_cfg_duration_text(rd, out->renew_ns),
                        "must be greater than `RenewDeadline`");
    if (!mst_str_is(out->lock, "leases"))
        mst_cfg_invalid(rd, mst_value_get(v, "resourceLock"), mst_at_key(rd, path, "resourceLock"),
                        mst_cfg_quote(rd, out->lock), "resourceLock value must be \"leases\"");
}

/* Whether the text of a number is that of zero: no digit but 0 before the exponent. */
static bool is_zero(struct mst_str number)
{
    for (size_t i = 0; i < number.n && number.p[i] != 'e' && number.p[i] != 'E'; i++)
        if (number.p[i] >= '1' && number.p[i] <= '9')
            return false;
    return true;
}

void mst_cfg_client_connection(const struct mst_reading *rd, const struct mst_value *v,
                               struct mst_cfg_client_connection *out)
{
    static const char *const fields[] = { "kubeconfig", "acceptContentTypes", "contentType", "qps",
                                          "burst" };
    const struct mst_str path = MST_STR("clientConnection");
    *out = (struct mst_cfg_client_connection){
        .kubeconfig = MST_STR(""),
        .accept_content_types = MST_STR(""),
        .content_type = MST_STR("application/vnd.kubernetes.protobuf"),
        .qps = MST_STR("50"),
        .burst = 100,
    };
    if (!mst_cfg_object(rd, v, path, fields, MST_COUNT(fields)))
        return;
    int64_t burst = 0;
    text_or(rd, v, path, "kubeconfig", &out->kubeconfig);
    text_or(rd, v, path, "acceptContentTypes", &out->accept_content_types);
    text_or(rd, v, path, "contentType", &out->content_type);
    mst_cfg_number(rd, v, path, "qps");
    const struct mst_value *qps = mst_value_get(v, "qps");
    if (qps && qps->type == MST_NUMBER && !is_zero(mst_value_str(qps)))
        out->qps = mst_value_str(qps);
    if (mst_cfg_int(rd, v, path, "burst", 32, &burst) && burst < 0)
        mst_cfg_invalid_int(rd, mst_value_get(v, "burst"), mst_at_key(rd, path, "burst"), burst,
                            "must be non-negative");
    if (burst)
        out->burst = burst;
}

/* ---- extenders ---- */

static void check_tls(const struct mst_reading *rd, const struct mst_value *v, struct mst_str path)
{
    static const char *const fields[] = { "insecure", "serverName", "certFile", "keyFile",
                                          "caFile",   "certData",   "keyData",  "caData" };
    if (!mst_cfg_object(rd, v, path, fields, MST_COUNT(fields)))
        return;
    bool insecure;
    (void)mst_cfg_bool(rd, v, path, "insecure", &insecure);
    for (size_t i = 1; i < MST_COUNT(fields); i++) {
        struct mst_str ignored;
        (void)mst_cfg_str(rd, v, path, fields[i], &ignored);
    }
}

static void check_managed(const struct mst_reading *rd, const struct mst_value *v,
                          struct mst_str path, struct mst_map *seen)
{
    static const char *const fields[] = { "name", "ignoredByScheduler" };
    if (!mst_cfg_object(rd, v, path, fields, MST_COUNT(fields)))
        return;
    bool ignored;
    struct mst_str name = MST_STR("");
    (void)mst_cfg_bool(rd, v, path, "ignoredByScheduler", &ignored);
    (void)mst_cfg_str(rd, v, path, "name", &name);
    const struct mst_str at = mst_at_key(rd, path, "name");
    if (!mst_name_ok(MST_NAME_LABEL_KEY, name))
        mst_cfg_label_key(rd, v, at, name);
    else if (!mst_name_is_extended(name))
        mst_cfg_invalid(rd, v, at, mst_cfg_quote(rd, name), "is an invalid extended resource name");
    if (!mst_map_set(seen, name, 1))
        mst_cfg_invalid(rd, v, at, mst_cfg_quote(rd, name),
                        "duplicate extender managed resource name");
}

static void check_managed_list(const struct mst_reading *rd, const struct mst_value *v,
                               struct mst_str path, struct mst_map *seen)
{
    const struct mst_value *list = mst_cfg_list(rd, v, path, "managedResources");
    const struct mst_str at = mst_at_key(rd, path, "managedResources");
    uint32_t i = 0;
    if (!list)
        return;
    MST_EACH_ELEMENT (element, list)
        check_managed(rd, element, mst_at_index(rd, at, i++), seen);
}

/* True if the extender binds. */
static bool check_extender(const struct mst_reading *rd, const struct mst_value *v,
                           struct mst_str path, struct mst_map *seen)
{
    static const char *const fields[] = { "urlPrefix",        "filterVerb",       "preemptVerb",
                                          "prioritizeVerb",   "weight",           "bindVerb",
                                          "enableHTTPS",      "tlsConfig",        "httpTimeout",
                                          "nodeCacheCapable", "managedResources", "ignorable" };
    if (!mst_cfg_object(rd, v, path, fields, MST_COUNT(fields)))
        return false;
    struct mst_str ignored, prioritize = MST_STR(""), bind = MST_STR("");
    bool flag;
    int64_t weight = 0, timeout;
    (void)mst_cfg_str(rd, v, path, "urlPrefix", &ignored);
    (void)mst_cfg_str(rd, v, path, "filterVerb", &ignored);
    (void)mst_cfg_str(rd, v, path, "preemptVerb", &ignored);
    (void)mst_cfg_str(rd, v, path, "prioritizeVerb", &prioritize);
    (void)mst_cfg_str(rd, v, path, "bindVerb", &bind);
    (void)mst_cfg_int(rd, v, path, "weight", 64, &weight);
    (void)mst_cfg_bool(rd, v, path, "enableHTTPS", &flag);
    (void)mst_cfg_bool(rd, v, path, "nodeCacheCapable", &flag);
    (void)mst_cfg_bool(rd, v, path, "ignorable", &flag);
    (void)mst_cfg_duration(rd, v, path, "httpTimeout", &timeout);
    check_tls(rd, mst_value_get(v, "tlsConfig"), mst_at_key(rd, path, "tlsConfig"));
    if (prioritize.n && weight <= 0)
        mst_cfg_invalid_int(rd, v, mst_at_key(rd, path, "weight"), weight,
                            "must have a positive weight applied to it");
    check_managed_list(rd, v, path, seen);
    return bind.n > 0;
}

void mst_cfg_extenders(const struct mst_reading *rd, const struct mst_value *list)
{
    const struct mst_str path = MST_STR("extenders");
    MST_AUTO(mst_map) seen = { 0 };
    uint32_t i = 0, binders = 0;
    MST_EACH_ELEMENT (element, list)
        binders += check_extender(rd, element, mst_at_index(rd, path, i++), &seen);
    if (binders > 1)
        mst_cfg_error(
            rd, list,
            "extenders: Invalid value: \"found %u extenders implementing bind\": only one "
            "extender can implement bind",
            binders);
    if (list->n)
        mst_cfg_error(rd, list,
                      "extenders: Forbidden: this version of muster does not call extenders");
}

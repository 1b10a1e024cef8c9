/*
 * config_sections.c - sections of the configuration that no decision depends on: leader election,
 * client connection, extenders.
 *
 * Owns:       nothing: values are checked and dropped.
 * Invariants: none.
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

void mst_cfg_leader_election(const struct mst_reading *rd, const struct mst_value *v)
{
    static const char *const fields[] = { "leaderElect",      "leaseDuration", "renewDeadline",
                                          "retryPeriod",      "resourceLock",  "resourceName",
                                          "resourceNamespace" };
    const struct mst_str path = MST_STR("leaderElection");
    if (!mst_cfg_object(rd, v, path, fields, MST_COUNT(fields)))
        return;
    bool elect = true;
    int64_t lease, renew, retry;
    struct mst_str lock = MST_STR("leases"), ignored;
    (void)mst_cfg_bool(rd, v, path, "leaderElect", &elect);
    duration_or(rd, v, path, "leaseDuration", 15 * SECOND, &lease);
    duration_or(rd, v, path, "renewDeadline", 10 * SECOND, &renew);
    duration_or(rd, v, path, "retryPeriod", 2 * SECOND, &retry);
    (void)mst_cfg_str(rd, v, path, "resourceLock", &lock);
    (void)mst_cfg_str(rd, v, path, "resourceName", &ignored);
    (void)mst_cfg_str(rd, v, path, "resourceNamespace", &ignored);
    if (!elect)
        return;
    above_zero(rd, v, path, "leaseDuration", lease);
    above_zero(rd, v, path, "renewDeadline", renew);
    above_zero(rd, v, path, "retryPeriod", retry);
    /* The value that upstream prints is that of the other field. */
    if (lease <= renew)
        mst_cfg_invalid(rd, v, mst_at_key(rd, path, "leaseDuration"),
                        mst_cfg_duration_text(rd, renew), "must be greater than `RenewDeadline`");
    if (lock.n && !mst_str_is(lock, "leases"))
        mst_cfg_invalid(rd, mst_value_get(v, "resourceLock"), mst_at_key(rd, path, "resourceLock"),
                        mst_cfg_quote(rd, lock), "resourceLock value must be \"leases\"");
}

void mst_cfg_client_connection(const struct mst_reading *rd, const struct mst_value *v)
{
    static const char *const fields[] = { "kubeconfig", "acceptContentTypes", "contentType", "qps",
                                          "burst" };
    const struct mst_str path = MST_STR("clientConnection");
    if (!mst_cfg_object(rd, v, path, fields, MST_COUNT(fields)))
        return;
    struct mst_str ignored;
    int64_t burst = 0;
    (void)mst_cfg_str(rd, v, path, "kubeconfig", &ignored);
    (void)mst_cfg_str(rd, v, path, "acceptContentTypes", &ignored);
    (void)mst_cfg_str(rd, v, path, "contentType", &ignored);
    mst_cfg_number(rd, v, path, "qps");
    if (mst_cfg_int(rd, v, path, "burst", 32, &burst) && burst < 0)
        mst_cfg_invalid_int(rd, mst_value_get(v, "burst"), mst_at_key(rd, path, "burst"), burst,
                            "must be non-negative");
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

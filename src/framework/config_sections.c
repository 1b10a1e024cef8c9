/*
 * config_sections.c - sections of the configuration that no decision depends on: leader election,
 * client connection.
 *
 * Owns:       nothing: texts are kept where the document has them.
 * Invariants: a section that is absent or wrong still leaves its defaults behind.
 * Source:     spec/plugins.md 6.1; kubernetes v1.37 pkg/scheduler/apis/config/validation,
 *             component-base config/validation.
 */
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

/*
 * config_extenders.c - HTTP extenders of a configuration: read, checked, put in the order of calls.
 *
 * Owns:       nothing: texts are kept where the document has them.
 * Invariants: config->extenders has the ignorable ones last; a resource is managed at most once.
 * Not here:   asking them (extender.h), carrying out the calls (client/).
 * Source:     spec/plugins.md 6.5, 4.8; kubernetes v1.37 pkg/scheduler/scheduler.go
 *             (buildExtenders), pkg/scheduler/apis/config/validation.
 */
#include "api/names.h"
#include "codec/base64.h"
#include "framework/config_internal.h"

#define TIMEOUT_NS INT64_C(5000000000)
#define FIT "NodeResourcesFit"

const char *mst_cfg_verb_key(mst_extender_verb verb)
{
    switch (verb) {
    case MST_VERB_FILTER: return "filterVerb";
    case MST_VERB_PRIORITIZE: return "prioritizeVerb";
    case MST_VERB_BIND: return "bindVerb";
    case MST_VERB_PREEMPT: return "preemptVerb";
    case MST_VERB_COUNT: break;
    }
    return "";
}

/* ---- TLS ---- */

static void read_data(const struct mst_reading *rd, const struct mst_value *v, struct mst_str path,
                      const char *key, struct mst_str *out)
{
    if (!mst_cfg_str(rd, v, path, key, out))
        return;
    MST_AUTO(mst_buf) bytes = { 0 };
    size_t at = 0;
    if (!mst_base64_decode(*out, &bytes, &at))
        mst_cfg_error(rd, mst_value_get(v, key), "%.*s: illegal base64 data at input byte %zu",
                      MST_ARG(mst_at_key(rd, path, key)), at);
}

static bool is_set(struct mst_str file, struct mst_str data)
{
    return file.n || data.n;
}

static void read_tls(const struct mst_reading *rd, const struct mst_value *v, struct mst_str path,
                     struct mst_cfg_tls *out)
{
    static const char *const fields[] = { "insecure", "serverName", "certFile", "keyFile",
                                          "caFile",   "certData",   "keyData",  "caData" };
    out->given = mst_cfg_object(rd, v, path, fields, MST_COUNT(fields));
    if (!out->given)
        return;
    (void)mst_cfg_bool(rd, v, path, "insecure", &out->insecure);
    (void)mst_cfg_str(rd, v, path, "serverName", &out->server_name);
    (void)mst_cfg_str(rd, v, path, "certFile", &out->cert_file);
    (void)mst_cfg_str(rd, v, path, "keyFile", &out->key_file);
    (void)mst_cfg_str(rd, v, path, "caFile", &out->ca_file);
    read_data(rd, v, path, "certData", &out->cert_data);
    read_data(rd, v, path, "keyData", &out->key_data);
    read_data(rd, v, path, "caData", &out->ca_data);
    if (out->insecure && is_set(out->ca_file, out->ca_data))
        mst_cfg_error(rd, v,
                      "%.*s: couldn't build extenders: specifying a root certificates file with "
                      "the insecure flag is not allowed",
                      MST_ARG(path));
}

/* ---- managed resources ---- */

static void read_managed(const struct mst_reading *rd, const struct mst_value *v,
                         struct mst_str path, struct mst_map *seen, struct mst_cfg_managed *out)
{
    static const char *const fields[] = { "name", "ignoredByScheduler" };
    *out = (struct mst_cfg_managed){ .name = MST_STR("") };
    if (!mst_cfg_object(rd, v, path, fields, MST_COUNT(fields)))
        return;
    (void)mst_cfg_bool(rd, v, path, "ignoredByScheduler", &out->ignored);
    (void)mst_cfg_str(rd, v, path, "name", &out->name);
    const struct mst_str at = mst_at_key(rd, path, "name"), name = out->name;
    if (!mst_name_ok(MST_NAME_LABEL_KEY, name))
        mst_cfg_label_key(rd, v, at, name);
    else if (!mst_name_is_extended(name))
        mst_cfg_invalid(rd, v, at, mst_cfg_quote(rd, name), "is an invalid extended resource name");
    if (!mst_map_set(seen, name, 1))
        mst_cfg_invalid(rd, v, at, mst_cfg_quote(rd, name),
                        "duplicate extender managed resource name");
}

static void read_managed_list(const struct mst_reading *rd, const struct mst_value *v,
                              struct mst_str path, struct mst_map *seen,
                              struct mst_cfg_extender *out)
{
    const struct mst_value *list = mst_cfg_list(rd, v, path, "managedResources");
    const struct mst_str at = mst_at_key(rd, path, "managedResources");
    if (!list)
        return;
    out->managed.v = MST_NEW_N(rd->arena, struct mst_cfg_managed, list->n);
    MST_EACH_ELEMENT (element, list) {
        const uint32_t i = out->managed.n++;
        read_managed(rd, element, mst_at_index(rd, at, i), seen, &out->managed.v[i]);
    }
}

/* ---- one extender ---- */

static void read_extender(const struct mst_reading *rd, const struct mst_value *v,
                          struct mst_str path, struct mst_map *seen, struct mst_cfg_extender *out)
{
    static const char *const fields[] = { "urlPrefix",        "filterVerb",       "preemptVerb",
                                          "prioritizeVerb",   "weight",           "bindVerb",
                                          "enableHTTPS",      "tlsConfig",        "httpTimeout",
                                          "nodeCacheCapable", "managedResources", "ignorable" };
    *out = (struct mst_cfg_extender){ .url_prefix = MST_STR("") };
    if (!mst_cfg_object(rd, v, path, fields, MST_COUNT(fields)))
        return;
    (void)mst_cfg_str(rd, v, path, "urlPrefix", &out->url_prefix);
    for (int verb = 0; verb < MST_VERB_COUNT; verb++)
        (void)mst_cfg_str(rd, v, path, mst_cfg_verb_key((mst_extender_verb)verb),
                          &out->verbs[verb]);
    (void)mst_cfg_int(rd, v, path, "weight", 64, &out->weight);
    (void)mst_cfg_bool(rd, v, path, "enableHTTPS", &out->https);
    (void)mst_cfg_bool(rd, v, path, "nodeCacheCapable", &out->node_cache);
    (void)mst_cfg_bool(rd, v, path, "ignorable", &out->ignorable);
    (void)mst_cfg_duration(rd, v, path, "httpTimeout", &out->timeout_ns);
    if (out->timeout_ns == 0)
        out->timeout_ns = TIMEOUT_NS;
    read_tls(rd, mst_value_get(v, "tlsConfig"), mst_at_key(rd, path, "tlsConfig"), &out->tls);
    if (out->verbs[MST_VERB_PRIORITIZE].n && out->weight <= 0)
        mst_cfg_invalid_int(rd, v, mst_at_key(rd, path, "weight"), out->weight,
                            "must have a positive weight applied to it");
    read_managed_list(rd, v, path, seen, out);
}

void mst_cfg_extenders(const struct mst_reading *rd, const struct mst_value *list,
                       struct mst_config *config)
{
    const struct mst_str path = MST_STR("extenders");
    if (list->n > MST_EXTENDERS_MAX) {
        mst_cfg_error(rd, list, "extenders: Too many: %u: must have at most %u items", list->n,
                      (unsigned)MST_EXTENDERS_MAX);
        return;
    }
    MST_AUTO(mst_map) seen = { 0 };
    struct mst_cfg_extender *all = MST_NEW_N(rd->arena, struct mst_cfg_extender, list->n);
    uint32_t n = 0, binders = 0;
    MST_EACH_ELEMENT (element, list) {
        read_extender(rd, element, mst_at_index(rd, path, n), &seen, &all[n]);
        binders += all[n++].verbs[MST_VERB_BIND].n > 0;
    }
    if (binders > 1)
        mst_cfg_error(
            rd, list,
            "extenders: Invalid value: \"found %u extenders implementing bind\": only one "
            "extender can implement bind",
            binders);
    config->extenders.v = MST_NEW_N(rd->arena, struct mst_cfg_extender, list->n);
    for (int last = 0; last < 2; last++)
        for (uint32_t i = 0; i < n; i++)
            if (all[i].ignorable == (last == 1))
                config->extenders.v[config->extenders.n++] = all[i];
}

/* ---- resources that NodeResourcesFit leaves to them ---- */

/* `args` (NULL: none) with another ignoredResources, as a tape in the reading's arena. */
static const struct mst_value *replaced_args(const struct mst_reading *rd,
                                             const struct mst_value *args,
                                             const struct mst_config *config)
{
    MST_AUTO(mst_buf) text = { 0 };
    struct mst_json_writer w = { .out = &text };
    mst_jw_object_begin(&w);
    if (args)
        MST_EACH_MEMBER (key, args) {
            if (mst_str_is(mst_value_str(key), "ignoredResources"))
                continue;
            mst_jw_key_str(&w, mst_value_str(key));
            mst_jw_value(&w, key + 1);
        }
    mst_jw_key(&w, "ignoredResources");
    mst_jw_array_begin(&w);
    for (uint32_t i = 0; i < config->extenders.n; i++)
        for (uint32_t k = 0; k < config->extenders.v[i].managed.n; k++)
            if (config->extenders.v[i].managed.v[k].ignored)
                mst_jw_str(&w, config->extenders.v[i].managed.v[k].name);
    mst_jw_array_end(&w);
    mst_jw_object_end(&w);
    const struct mst_value *tape = NULL;
    struct mst_err err;
    const mst_rc rc = mst_json_parse(mst_arena_str(rd->arena, mst_buf_span(&text)), NULL, rd->arena,
                                     NULL, &tape, &err);
    mst_assert(rc == MST_OK); /* it is a checked document, written by us */
    return tape;
}

static bool ignores_any(const struct mst_config *config)
{
    for (uint32_t i = 0; i < config->extenders.n; i++)
        for (uint32_t k = 0; k < config->extenders.v[i].managed.n; k++)
            if (config->extenders.v[i].managed.v[k].ignored)
                return true;
    return false;
}

void mst_cfg_ignore_managed(const struct mst_reading *rd, struct mst_config *config,
                            const struct mst_cfg_raw *raws)
{
    if (!ignores_any(config))
        return;
    for (uint32_t i = 0; i < config->profiles.n; i++) {
        struct mst_cfg_profile *profile = &config->profiles.v[i];
        bool found = false;
        for (uint32_t k = 0; k < raws[i].args.n; k++)
            found |= mst_str_is(raws[i].args.v[k].name, FIT);
        for (uint32_t k = 0; k < profile->plugin_count; k++) {
            if (strcmp(profile->plugins[k].plugin->name, FIT) != 0)
                continue;
            profile->plugins[k].args = replaced_args(rd, profile->plugins[k].args, config);
            found = true;
        }
        if (!found)
            mst_cfg_error(rd, raws[i].at,
                          "couldn't build extenders: can't find NodeResourcesFitArgs in plugin "
                          "config");
    }
}

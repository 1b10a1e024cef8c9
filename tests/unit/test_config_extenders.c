/* Extenders of a configuration: order of calls, defaults, TLS, resources taken from Fit. */
#include "codec/json.h"
#include "framework/config_internal.h"
#include "tap.h"

static mst_rc any_init(const struct mst_view *view, const struct mst_value *args,
                       void **ret_instance, struct mst_err *err)
{
    (void)view, (void)args, (void)ret_instance;
    return mst_fail(err, MST_EINVAL, "not to be called");
}
static void any_filter(const struct mst_view *view, const void *instance, void *state, uint32_t row,
                       uint32_t row_end, mst_verdict reject, mst_verdict *verdict)
{
    (void)view, (void)instance, (void)state, (void)row, (void)row_end, (void)reject, (void)verdict;
}
static const struct mst_plugin fakes[] = {
    { .name = "PrioritySort", .points = MST_POINT_QUEUE_SORT },
    { .name = "NodeResourcesFit", .init = any_init, .filter = any_filter },
};
static const struct mst_plugin *const fake_list[] = { &fakes[0], &fakes[1] };

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

struct read {
    struct mst_config config;
    struct mst_syms *syms;
    struct mst_diags diags;
    bool ok;
};

static void go(struct read *x, const char *text)
{
    const struct mst_registry registry = { fake_list, MST_COUNT(fake_list) };
    *x = (struct read){ .syms = mst_syms_new() };
    mst_gates_default(&x->config.gates, false);
    x->ok = mst_config_read(&x->config, &registry, x->syms, mst_str_of(text), &x->diags);
}

static void done(struct read *x)
{
    mst_config_done(&x->config);
    mst_diags_done(&x->diags);
    mst_syms_free(x->syms);
}

static void test_extenders_order_and_defaults(struct mst_test *t)
{
    struct read x;
    go(&x, HEAD "extenders:\n- {urlPrefix: a, ignorable: true}\n"
                "- {urlPrefix: b, filterVerb: f, prioritizeVerb: p, bindVerb: x, preemptVerb: v, "
                "weight: 7, httpTimeout: 1m, enableHTTPS: true, nodeCacheCapable: true}\n"
                "- {urlPrefix: c, ignorable: true, httpTimeout: -1s}\n- {urlPrefix: d}\n");
    t_ok(t, x.ok);
    t_int(t, x.config.extenders.n, 4);
    const struct mst_cfg_extender *v = x.config.extenders.v;
    t_str(t, v[0].url_prefix, "b");
    t_str(t, v[1].url_prefix, "d");
    t_str(t, v[2].url_prefix, "a");
    t_str(t, v[3].url_prefix, "c");
    t_str(t, v[0].verbs[MST_VERB_FILTER], "f");
    t_str(t, v[0].verbs[MST_VERB_PRIORITIZE], "p");
    t_str(t, v[0].verbs[MST_VERB_BIND], "x");
    t_str(t, v[0].verbs[MST_VERB_PREEMPT], "v");
    t_int(t, v[0].weight, 7);
    t_int(t, v[0].timeout_ns, INT64_C(60000000000));
    t_bool(t, v[0].https, true);
    t_bool(t, v[0].node_cache, true);
    t_int(t, v[1].timeout_ns, INT64_C(5000000000));
    t_int(t, v[3].timeout_ns, INT64_C(-1000000000));
    t_int(t, v[1].verbs[MST_VERB_FILTER].n, 0);
    done(&x);
}

static void test_extenders_errors(struct mst_test *t)
{
    static const struct {
        const char *source, *error;
    } cases[] = {
        { "- {tlsConfig: {caData: 'Zg='}}",
          "extenders[0].tlsConfig.caData: illegal base64 data at input byte 3" },
        { "- {tlsConfig: {insecure: true, caFile: /x}}",
          "extenders[0].tlsConfig: couldn't build extenders: specifying a root certificates file "
          "with the insecure flag is not allowed" },
        { "- {tlsConfig: {key: x}}",
          "strict decoding error: unknown field \"extenders[0].tlsConfig.key\"" },
        { "- {filter: x}", "strict decoding error: unknown field \"extenders[0].filter\"" },
        { "- {httpTimeout: 5}", "extenders[0].httpTimeout: expected string, got number" },
        { "- 5", "extenders[0]: expected object, got number" },
        { "- {prioritizeVerb: x, weight: -2}",
          "extenders[0].weight: Invalid value: -2: must have a positive weight applied to it" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct read x;
        MST_AUTO(mst_buf) text = { 0 };
        mst_buf_printf(&text, HEAD "extenders:\n%s\n%c", cases[i].source, 0);
        t_case(t, cases[i].source);
        go(&x, text.p);
        t_ok(t, !x.ok);
        t_int(t, x.diags.list.n, 1);
        t_str(t, x.diags.list.v[0].text, cases[i].error);
        done(&x);
    }
}

static void test_extenders_limit(struct mst_test *t)
{
    struct read x;
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_text(&text, HEAD "extenders:\n");
    for (int i = 0; i <= MST_EXTENDERS_MAX; i++)
        mst_buf_text(&text, "- {urlPrefix: a}\n");
    mst_buf_char(&text, 0);
    go(&x, text.p);
    t_ok(t, !x.ok);
    t_str(t, x.diags.list.v[0].text, "extenders: Too many: 65: must have at most 64 items");
    done(&x);
}

/* The args that Fit is made with; what the document says stays what is shown. */
static void test_extenders_take_resources_from_fit(struct mst_test *t)
{
    struct read x;
    go(&x, HEAD "profiles:\n- pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: "
                "[old/x], ignoredResourceGroups: [g]}}]\n"
                "extenders:\n- {managedResources: [{name: a.b/c, ignoredByScheduler: true}, {name: "
                "a.b/d}]}\n- {managedResources: [{name: e.f/g, ignoredByScheduler: true}]}\n");
    t_ok(t, x.ok);
    const struct mst_cfg_profile *p = &x.config.profiles.v[0];
    for (uint32_t i = 0; i < p->plugin_count; i++) {
        if (strcmp(p->plugins[i].plugin->name, "NodeResourcesFit") != 0)
            continue;
        MST_AUTO(mst_buf) out = { 0 };
        struct mst_json_writer w = { .out = &out };
        mst_jw_value(&w, p->plugins[i].args);
        t_str(t, mst_buf_span(&out),
              "{\"ignoredResourceGroups\":[\"g\"],\"ignoredResources\":[\"a.b/c\",\"e.f/g\"]}");
    }
    for (uint32_t i = 0; i < p->used.n; i++) {
        if (!mst_str_is(p->used.v[i].name, "NodeResourcesFit"))
            continue;
        const struct mst_value *list = mst_value_get(p->used.v[i].args, "ignoredResources");
        t_str(t, mst_value_str(mst_value_first(list)), "old/x");
    }
    done(&x);
}

static void test_extenders_need_fit(struct mst_test *t)
{
    static const char *const extenders =
        "extenders: [{managedResources: [{name: a.b/c, ignoredByScheduler: true}]}]\n";
    for (int args = 0; args < 2; args++) {
        struct read x;
        MST_AUTO(mst_buf) text = { 0 };
        mst_buf_printf(&text,
                       HEAD "profiles:\n- plugins: {multiPoint: {disabled: [{name: "
                            "NodeResourcesFit}]}}\n%s%s%c",
                       args ? "  pluginConfig: [{name: NodeResourcesFit, args: {}}]\n" : "",
                       extenders, 0);
        go(&x, text.p);
        t_bool(t, x.ok, args);
        if (!args)
            t_str(t, x.diags.list.v[0].text,
                  "couldn't build extenders: can't find NodeResourcesFitArgs in plugin config");
        done(&x);
    }
}

MST_TEST_MAIN(T(test_extenders_order_and_defaults), T(test_extenders_errors),
              T(test_extenders_limit), T(test_extenders_take_resources_from_fit),
              T(test_extenders_need_fit))

/*
 * cluster_helper.h - a cluster made from manifests, and short ways to ask one plugin about it.
 *
 *     struct mst_fixture *f = fixture_new("kind: Node ...");
 *     struct fixture_plugin p = fixture_plugin(f, &mst_plugin_node_name, NULL);
 *     t_str(t, fixture_verdict(f, &p, "a", "n1"), "Success");
 *     fixture_plugin_done(&p);
 *     fixture_free(f);
 *
 * Objects are decoded, defaulted and admitted as the API server does; anything wrong with them ends
 * the program. Pods without a node get profile 0. Pods are named "ns/name" or, in namespace
 * default, "name". Texts live as long as the fixture.
 */
#ifndef MST_CLUSTER_HELPER_H
#define MST_CLUSTER_HELPER_H

#include <stdio.h>

#include "api/api.h"
#include "cluster/affinity.h"
#include "cluster/cluster.h"
#include "codec/yaml.h"
#include "framework/plugin.h"

struct mst_fixture {
    struct mst_syms *syms;
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_cluster cluster;
    struct mst_gates gates;
    struct mst_api api;
    struct mst_view view;
};

static inline void fixture_die(struct mst_fixture *f, const char *what)
{
    MST_AUTO(mst_buf) out = { 0 };
    for (uint32_t i = 0; i < f->diags.list.n; i++)
        mst_diag_print(&f->diags.list.v[i], &out);
    fprintf(stderr, "fixture: %s\n%.*s", what, (int)out.n, out.p ? out.p : "");
    mst_assert(!"the fixture is wrong");
}

/* The system classes are built in; a fixture has no others. */
static inline bool fixture_no_class(void *ctx, struct mst_str name, struct mst_class_ref *out)
{
    (void)ctx, (void)name, (void)out;
    return false;
}

static inline bool fixture_object(void *ctx, struct mst_object *object)
{
    struct mst_fixture *f = ctx;
    mst_api_default(&f->api, object);
    if (!mst_api_admit(&f->api, object, fixture_no_class, NULL))
        fixture_die(f, "not admitted");
    const struct mst_meta *meta = &object->u.meta;
    if (object->kind == MST_KIND_NODE) {
        (void)mst_cluster_node_set(&f->cluster, &object->u.node);
    } else if (object->kind == MST_KIND_POD) {
        const uint32_t row = mst_cluster_pod(&f->cluster, meta->namespace_, meta->name);
        if (row == MST_ROW_NONE)
            (void)mst_cluster_pod_add(&f->cluster, &object->u.pod, 0);
        else
            mst_cluster_pod_update(&f->cluster, row, &object->u.pod);
    } else if (object->kind == MST_KIND_POD_GROUP) {
        (void)mst_cluster_group_set(&f->cluster, &object->u.group);
    } else if (object->kind == MST_KIND_NAMESPACE) {
        mst_cluster_namespace_set(&f->cluster, &object->u.ns);
    } else if (object->kind == MST_KIND_SERVICE || object->kind == MST_KIND_REPLICA_SET ||
               object->kind == MST_KIND_REPLICATION_CONTROLLER ||
               object->kind == MST_KIND_STATEFUL_SET) {
        mst_cluster_selector_set(&f->cluster, object);
    } else {
        fixture_die(f, "a kind that no cluster keeps");
    }
    return true;
}

/* Adds or updates the objects of a text. */
static inline void fixture_apply(struct mst_fixture *f, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    mst_rc rc;
    mst_yaml_init(&reader, mst_arena_str(&f->arena, mst_str_of(yaml)));
    while ((rc = mst_yaml_next(&reader, &f->arena, &f->diags, &doc)) == MST_OK)
        (void)mst_api_decode(&f->api, doc, fixture_object, f);
    if (rc != MST_ENOTFOUND || f->diags.error_count)
        fixture_die(f, "cannot read the objects");
}

static inline struct mst_fixture *fixture_new(const char *yaml)
{
    struct mst_fixture *f = mst_calloc(1, sizeof(*f));
    f->syms = mst_syms_new();
    mst_cluster_init(&f->cluster, f->syms);
    f->cluster.groups_enabled = true;
    mst_gates_default(&f->gates, false);
    f->api = (struct mst_api){ .syms = f->syms, .arena = &f->arena, .diags = &f->diags };
    f->view = (struct mst_view){
        .cluster = &f->cluster, .nodes = &f->cluster.nodes, .syms = f->syms, .gates = &f->gates
    };
    fixture_apply(f, yaml);
    return f;
}

static inline void fixture_free(struct mst_fixture *f)
{
    mst_cluster_done(&f->cluster);
    mst_diags_done(&f->diags);
    mst_arena_done(&f->arena);
    mst_syms_free(f->syms);
    mst_free(f);
}

/* Rows by name; what does not exist ends the program. */
static inline uint32_t fixture_pod(struct mst_fixture *f, const char *name)
{
    const char *slash = strchr(name, '/');
    const struct mst_str ns =
        slash ? (struct mst_str){ name, (size_t)(slash - name) } : MST_STR("default");
    const uint32_t row =
        mst_cluster_pod(&f->cluster, mst_sym_of(f->syms, ns), mst_str_of(slash ? slash + 1 : name));
    if (row == MST_ROW_NONE)
        fixture_die(f, name);
    return row;
}

static inline uint32_t fixture_node(struct mst_fixture *f, const char *name)
{
    const uint32_t row = mst_nodes_row(&f->cluster.nodes, mst_sym_of_text(f->syms, name));
    if (row == MST_ROW_NONE)
        fixture_die(f, name);
    return row;
}

static inline uint32_t fixture_group(struct mst_fixture *f, const char *name)
{
    const uint32_t row =
        mst_cluster_group(&f->cluster, mst_sym_of_text(f->syms, "default"), mst_str_of(name));
    if (row == MST_ROW_NONE)
        fixture_die(f, name);
    return row;
}

static inline const struct mst_class *fixture_class(struct mst_fixture *f, const char *pod)
{
    return mst_cluster_class(&f->cluster, f->cluster.pods.v[fixture_pod(f, pod)].class_id);
}

/* ---- asking a plugin ---- */

struct fixture_plugin {
    const struct mst_plugin *plugin;
    void *instance;
};

/* `args` is YAML, NULL for none. An error goes to `err`, or ends the program when that is NULL. */
static inline struct fixture_plugin fixture_plugin_try(struct mst_fixture *f,
                                                       const struct mst_plugin *plugin,
                                                       const char *args, struct mst_err *err)
{
    struct fixture_plugin p = { plugin, NULL };
    const struct mst_value *value = NULL;
    struct mst_err mine = { 0 };
    if (args) {
        struct mst_yaml_reader reader;
        mst_yaml_init(&reader, mst_arena_str(&f->arena, mst_str_of(args)));
        if (mst_yaml_next(&reader, &f->arena, &f->diags, &value))
            fixture_die(f, "args");
    }
    if (plugin->init && plugin->init(&f->view, value, &p.instance, err ? err : &mine) && !err)
        fixture_die(f, mine.text);
    return p;
}

static inline struct fixture_plugin fixture_plugin(struct mst_fixture *f,
                                                   const struct mst_plugin *plugin,
                                                   const char *args)
{
    return fixture_plugin_try(f, plugin, args, NULL);
}

static inline void fixture_plugin_done(struct fixture_plugin *p)
{
    if (p->plugin->done)
        p->plugin->done(p->instance);
}

enum { FIXTURE_REJECT = 5 << MST_VERDICT_SLOT_SHIFT };

/*
 * Verdicts of all rows, asked for in one range and row by row, which must agree. NULL when
 * PreFilter did not succeed; `out` has its answer.
 */
static inline mst_verdict *fixture_filter(struct mst_fixture *f, const struct fixture_plugin *p,
                                          const char *pod, struct mst_pre_filter *out)
{
    const uint32_t n = f->cluster.nodes.count;
    mst_verdict *verdict = MST_NEW_N(&f->arena, mst_verdict, n);
    mst_verdict *single = MST_NEW_N(&f->arena, mst_verdict, n);
    *out = (struct mst_pre_filter){ .code = MST_ERROR };
    p->plugin->pre_filter(&f->view, p->instance, fixture_class(f, pod), &f->arena, out);
    if (out->code != MST_SUCCESS)
        return NULL;
    p->plugin->filter(&f->view, p->instance, out->state, 0, n, FIXTURE_REJECT, verdict);
    for (uint32_t row = 0; row < n; row++)
        p->plugin->filter(&f->view, p->instance, out->state, row, row + 1, FIXTURE_REJECT, single);
    mst_assert(n == 0 || memcmp(verdict, single, n * sizeof(*verdict)) == 0);
    for (uint32_t row = 0; row < n; row++)
        mst_assert(verdict[row] == MST_VERDICT_OK ||
                   mst_verdict_slot(verdict[row]) == mst_verdict_slot(FIXTURE_REJECT));
    return verdict;
}

/* "Success", "Skip", "PreFilter CODE: reason", or "CODE: reason, reason". */
static inline struct mst_str fixture_verdict(struct mst_fixture *f, const struct fixture_plugin *p,
                                             const char *pod, const char *node)
{
    struct mst_pre_filter pre;
    const mst_verdict *verdicts = fixture_filter(f, p, pod, &pre);
    if (pre.code == MST_SKIP)
        return MST_STR("Skip");
    if (!verdicts)
        return mst_arena_printf(&f->arena, "PreFilter %s: %.*s",
                                pre.code == MST_UNRESOLVABLE    ? "UaU"
                                : pre.code == MST_UNSCHEDULABLE ? "U"
                                                                : "Error",
                                MST_ARG(pre.reason));
    const uint32_t row = fixture_node(f, node);
    const mst_verdict v = verdicts[row];
    if (v == MST_VERDICT_OK)
        return MST_STR("Success");
    struct mst_reasons reasons = { .arena = &f->arena };
    p->plugin->explain(&f->view, p->instance, pre.state, row, v, &reasons);
    const bool failed = p->plugin->errs && (v & MST_VERDICT_ERROR) == MST_VERDICT_ERROR;
    struct mst_str text = failed                         ? MST_STR("Error:")
                          : v & MST_VERDICT_UNRESOLVABLE ? MST_STR("UaU:")
                                                         : MST_STR("U:");
    for (uint32_t i = 0; i < reasons.n; i++)
        text = mst_arena_printf(&f->arena, "%.*s%s %.*s", MST_ARG(text), i ? "," : "",
                                MST_ARG(reasons.v[i]));
    return text;
}

/* Raw scores of all rows, in one range and row by row; NULL when PreScore did not succeed. */
static inline int64_t *fixture_scores(struct mst_fixture *f, const struct fixture_plugin *p,
                                      const char *pod, struct mst_pre_score *out)
{
    const uint32_t n = f->cluster.nodes.count;
    int64_t *raw = MST_NEW_N(&f->arena, int64_t, n);
    int64_t *single = MST_NEW_N(&f->arena, int64_t, n);
    *out = (struct mst_pre_score){ .code = MST_SUCCESS };
    if (p->plugin->pre_score)
        p->plugin->pre_score(&f->view, p->instance, fixture_class(f, pod), &f->arena, out);
    if (out->code != MST_SUCCESS)
        return NULL;
    p->plugin->score(&f->view, p->instance, out->state, 0, n, raw);
    for (uint32_t row = 0; row < n; row++) {
        p->plugin->score(&f->view, p->instance, out->state, row, row + 1, single);
        mst_assert(single[row] == raw[row]);
        mst_assert(!out->uniform || raw[row] == out->uniform_score);
    }
    return raw;
}

enum { FIXTURE_SKIPPED = -1000, FIXTURE_FAILED = -2000 };

static inline int64_t fixture_score(struct mst_fixture *f, const struct fixture_plugin *p,
                                    const char *pod, const char *node)
{
    struct mst_pre_score pre;
    const int64_t *raw = fixture_scores(f, p, pod, &pre);
    if (!raw)
        return pre.code == MST_SKIP ? FIXTURE_SKIPPED : FIXTURE_FAILED;
    return raw[fixture_node(f, node)];
}

/* ---- events ---- */

static inline struct mst_node_facts *fixture_facts(struct mst_fixture *f, const char *node)
{
    struct mst_node_facts *facts = MST_NEW(&f->arena, struct mst_node_facts);
    int64_t *allocatable = MST_NEW_N(&f->arena, int64_t, MST_RES_MAX);
    mst_nodes_facts(&f->cluster.nodes, fixture_node(f, node), allocatable, facts);
    return facts;
}

/* The hint of the plugin's registration that has this resource and these actions. */
static inline mst_hint fixture_hint(struct mst_fixture *f, const struct fixture_plugin *p,
                                    const char *pod, const struct mst_cluster_event *event)
{
    for (uint32_t i = 0; i < p->plugin->event_count; i++) {
        const struct mst_event_registration *r = &p->plugin->events[i];
        if (r->resource != event->resource || !(r->actions & event->actions))
            continue;
        return r->hint ? r->hint(&f->view, p->instance, fixture_pod(f, pod), fixture_class(f, pod),
                                 event)
                       : MST_HINT_QUEUE;
    }
    return MST_HINT_SKIP;
}

/* What the plugin says when `node` becomes what `yaml` says (NULL before: it is new). */
static inline mst_hint fixture_node_hint(struct mst_fixture *f, const struct fixture_plugin *p,
                                         const char *pod, const char *node, const char *yaml,
                                         uint32_t action)
{
    struct mst_cluster_event event = { .resource = MST_ON_NODE, .actions = action };
    if (action != MST_ACT_ADD)
        event.old_node = fixture_facts(f, node);
    fixture_apply(f, yaml);
    event.new_node = fixture_facts(f, node);
    event.pod = event.group = MST_ROW_NONE;
    return fixture_hint(f, p, pod, &event);
}

#endif

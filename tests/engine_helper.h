/*
 * engine_helper.h - an engine and a host for it that plays API server: objects from manifests in,
 * effects out as lines of text.
 *
 *     struct host *h = host_new(false);
 *     host_apply(h, "kind: Node ...");
 *     host_run(h);
 *     t_ok(t, host_saw(h, "bind default/a n1"));
 *     host_free(h);
 *
 * Objects are decoded, defaulted and admitted as the API server does; anything wrong with them ends
 * the program. Binds are answered as `h->binds` says, evictions as `h->evictions` says: a victim is
 * marked and being deleted then, host_remove ends it. Everything lives as long as the host.
 *
 * Calls to extenders go to `h->extend`.
 *
 * Lines:  try default/a #1            try default/g #2: default/a default/b
 *         call http://x/filter default/a: n1 n2
 *         call http://x/preempt default/a: n1(b c) n2()
 *         bind default/a n1           pod default/a Unschedulable: TEXT nominated [n1]
 *         group default/g True Scheduled:                 event default/a FailedScheduling: NOTE
 */
#ifndef MST_ENGINE_HELPER_H
#define MST_ENGINE_HELPER_H

#include <stdio.h>

#include "api/api.h"
#include "codec/yaml.h"
#include "cycle/engine.h"
#include "cycle/explain.h"
#include "plugins/registry.h"

#define HOST_SECOND INT64_C(1000000000)

enum host_binds { HOST_BINDS_WORK, HOST_BINDS_FAIL, HOST_BINDS_HANG };

struct host {
    struct mst_registry registry;
    struct mst_config config;
    struct mst_syms *syms;
    struct mst_engine *engine;
    struct mst_effects out;
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_api api;
    struct mst_map objects; /* "Kind ns/name" -> struct mst_object * */
    int64_t now;
    enum host_binds binds, evictions;
    /*
     * Plays the extenders: the body of the response, "!" and what went wrong, or NULL: no answer
     * yet (host_answer_call gives it).
     */
    const char *(*extend)(struct host *h, const struct mst_effect *e);
    void *extend_ctx;
    struct mst_buf log;          /* what was seen since host_forget */
    struct mst_effect last_bind; /* texts in arena */
    uint64_t last_eviction;      /* id */
    uint64_t uids;
    struct mst_stats *stats;       /* for host_start; NULL: the engine counts nothing */
    const struct mst_marks *marks; /* likewise; NULL: it marks nothing */
};

static inline void host_die(struct host *h, const char *what)
{
    MST_AUTO(mst_buf) out = { 0 };
    for (uint32_t i = 0; i < h->diags.list.n; i++)
        mst_diag_print(&h->diags.list.v[i], &out);
    fprintf(stderr, "host: %s\n%.*s", what, (int)out.n, out.p ? out.p : "");
    mst_assert(!"the test's own objects are wrong");
}

static inline void host_start(struct host *h)
{
    struct mst_err err;
    h->engine = mst_engine_new(&(struct mst_engine_options){ .config = &h->config,
                                                             .registry = &h->registry,
                                                             .syms = h->syms,
                                                             .stats = h->stats,
                                                             .marks = h->marks },
                               &err);
    if (!h->engine)
        host_die(h, err.text);
}

/* `config`: KubeSchedulerConfiguration, NULL: the default one. `gates`: "A=true", NULL: none. */
static inline struct host *host_with(bool upstream, const char *config, const char *gates)
{
    struct host *h = mst_calloc(1, sizeof(*h));
    h->registry = mst_plugins_registry();
    h->syms = mst_syms_new();
    h->config.upstream = upstream;
    mst_gates_default(&h->config.gates, upstream);
    h->config.gates.on[MST_GATE_GenericWorkload] = true;
    MST_AUTO(mst_buf) errors = { 0 };
    if (gates && !mst_gates_set(&h->config.gates, mst_str_of(gates), upstream, &errors, &errors))
        host_die(h, "gates");
    if (!config)
        mst_config_default(&h->config, &h->registry);
    else if (!mst_config_read(&h->config, &h->registry, h->syms, mst_str_of(config), &h->diags))
        host_die(h, "configuration");
    h->api =
        (struct mst_api){ .syms = h->syms,
                          .arena = &h->arena,
                          .diags = &h->diags,
                          .topology = h->config.gates.on[MST_GATE_TopologyAwareWorkloadScheduling],
                          .preemption_policy = true };
    h->now = INT64_C(1700000000) * HOST_SECOND;
    host_start(h);
    return h;
}

static inline struct host *host_new(bool upstream)
{
    return host_with(upstream, NULL, NULL);
}

static inline void host_free(struct host *h)
{
    mst_engine_check(h->engine);
    mst_engine_free(h->engine);
    mst_effects_done(&h->out);
    mst_config_done(&h->config);
    mst_map_done(&h->objects);
    mst_diags_done(&h->diags);
    mst_buf_done(&h->log);
    mst_syms_free(h->syms);
    mst_arena_done(&h->arena);
    mst_free(h);
}

/* ---- objects in ---- */

static inline struct mst_str host_key(struct host *h, mst_kind kind, struct mst_str ns,
                                      struct mst_str name)
{
    return mst_arena_printf(&h->arena, "%s %.*s/%.*s", mst_kind_name(kind), MST_ARG(ns),
                            MST_ARG(name));
}

static inline void host_send(struct host *h, mst_event_kind kind, const struct mst_object *object)
{
    struct mst_event event = { .kind = kind, .object = object };
    mst_engine_event(h->engine, &event, h->now);
    mst_engine_check(h->engine);
}

/* Classes "p7" of value 7; "never" of value 0 and "never7" of value 7 with that policy. */
static inline bool host_class(void *ctx, struct mst_str name, struct mst_class_ref *out)
{
    struct host *h = ctx;
    *out = (struct mst_class_ref){ .name = name };
    bool never = mst_str_has_prefix(name, "never");
    if (never)
        out->preemption_policy = mst_sym_of_text(h->syms, "Never");
    for (size_t i = never ? 5 : 1; i < name.n; i++)
        out->value = out->value * 10 + (name.p[i] - '0');
    return never || (name.n > 1 && name.p[0] == 'p');
}

/* An object without a uid keeps that of its namesake, or gets a new one. */
static inline bool host_object(void *ctx, struct mst_object *object)
{
    struct host *h = ctx;
    mst_api_default(&h->api, object);
    if (!mst_api_admit(&h->api, object, host_class, h))
        host_die(h, "not admitted");
    struct mst_meta *meta = &object->u.meta;
    struct mst_str key =
        host_key(h, object->kind, mst_sym_str(h->syms, meta->namespace_), meta->name);
    uint64_t known;
    bool is_known = mst_map_get(&h->objects, key, &known);
    if (!meta->uid.n && is_known)
        meta->uid = ((struct mst_object *)(uintptr_t)known)->u.meta.uid;
    if (!meta->uid.n)
        meta->uid = mst_arena_printf(&h->arena, "uid-%llu", (unsigned long long)++h->uids);
    struct mst_object *kept = MST_NEW(&h->arena, struct mst_object);
    *kept = *object;
    mst_map_set(&h->objects, key, (uint64_t)(uintptr_t)kept);
    host_send(h, MST_EVENT_SET, kept);
    return true;
}

/* Adds or updates the objects of a text. */
static inline void host_apply(struct host *h, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    mst_rc rc;
    mst_yaml_init(&reader, mst_arena_str(&h->arena, mst_str_of(yaml)));
    while ((rc = mst_yaml_next(&reader, &h->arena, &h->diags, &doc)) == MST_OK)
        (void)mst_api_decode(&h->api, doc, host_object, h);
    if (rc != MST_ENOTFOUND || h->diags.error_count)
        host_die(h, "cannot read the objects");
}

/* The object as it is served. It may be changed and sent again with host_update. */
static inline struct mst_object *host_get(struct host *h, mst_kind kind, const char *name)
{
    struct mst_str ns = kind == MST_KIND_NODE ? MST_STR("") : MST_STR("default");
    uint64_t known;
    if (!mst_map_get(&h->objects, host_key(h, kind, ns, mst_str_of(name)), &known))
        host_die(h, name);
    return (struct mst_object *)(uintptr_t)known;
}

static inline void host_update(struct host *h, mst_kind kind, const char *name)
{
    host_send(h, MST_EVENT_SET, host_get(h, kind, name));
}

static inline void host_remove(struct host *h, mst_kind kind, const char *name)
{
    struct mst_object *object = host_get(h, kind, name);
    mst_map_delete(&h->objects, host_key(h, kind, mst_sym_str(h->syms, object->u.meta.namespace_),
                                         object->u.meta.name));
    host_send(h, MST_EVENT_REMOVE, object);
}

/* Starts the deletion: deletionTimestamp is set. */
static inline void host_delete(struct host *h, const char *pod)
{
    host_get(h, MST_KIND_POD, pod)->u.meta.deleted =
        (struct mst_time){ .unix_s = h->now / HOST_SECOND, .set = true };
    host_update(h, MST_KIND_POD, pod);
}

/* ---- effects out ---- */

static inline void host_print_victims(struct host *h, const struct mst_ext_victims *v)
{
    mst_buf_printf(&h->log, " %.*s(", MST_ARG(v->node));
    for (uint32_t i = 0; i < v->pods.n; i++)
        mst_buf_printf(&h->log, "%s%.*s", i ? " " : "", MST_ARG(v->pods.v[i].name));
    mst_buf_char(&h->log, ')');
}

static inline void host_print(struct host *h, const struct mst_effect *e)
{
    struct mst_buf *b = &h->log;
    switch (e->kind) {
    case MST_EFFECT_ATTEMPT:
        mst_buf_printf(b, "try %.*s/%.*s #%u", MST_ARG(e->ns), MST_ARG(e->name), e->attempt);
        for (uint32_t i = 0; i < e->pods.n; i++)
            mst_buf_printf(b, "%s %.*s", i ? "" : ":", MST_ARG(e->pods.v[i]));
        break;
    case MST_EFFECT_BIND:
        mst_buf_printf(b, "bind %.*s/%.*s %.*s", MST_ARG(e->ns), MST_ARG(e->name),
                       MST_ARG(e->node));
        break;
    case MST_EFFECT_POD_STATUS:
        mst_buf_printf(b, "pod %.*s/%.*s", MST_ARG(e->ns), MST_ARG(e->name));
        if (e->condition_set)
            mst_buf_printf(b, " %.*s: %.*s", MST_ARG(e->condition.reason),
                           MST_ARG(e->condition.message));
        if (e->nominated_set)
            mst_buf_printf(b, " nominated [%.*s]", MST_ARG(e->nominated));
        break;
    case MST_EFFECT_GROUP_STATUS:
        mst_buf_printf(b, "group %.*s/%.*s %.*s %.*s: %.*s", MST_ARG(e->ns), MST_ARG(e->name),
                       MST_ARG(e->condition.status), MST_ARG(e->condition.reason),
                       MST_ARG(e->condition.message));
        break;
    case MST_EFFECT_PV_UPDATE:
    case MST_EFFECT_PVC_UPDATE: mst_buf_printf(b, "update %.*s", MST_ARG(e->name)); break;
    case MST_EFFECT_EVICT:
        mst_buf_printf(b, "evict %.*s/%.*s", MST_ARG(e->ns), MST_ARG(e->name));
        if (e->condition_set)
            mst_buf_printf(b, " %.*s: %.*s", MST_ARG(e->condition.type),
                           MST_ARG(e->condition.message));
        break;
    case MST_EFFECT_EVENT:
        mst_buf_printf(b, "event %.*s/%.*s %.*s: %.*s", MST_ARG(e->ns), MST_ARG(e->name),
                       MST_ARG(e->reason), MST_ARG(e->note));
        break;
    case MST_EFFECT_EXTENDER:
        mst_buf_printf(b, "call %.*s %.*s/%.*s:", MST_ARG(e->url), MST_ARG(e->ns),
                       MST_ARG(e->name));
        for (uint32_t i = 0; i < e->call->nodes.n; i++)
            mst_buf_printf(b, " %.*s", MST_ARG(e->call->nodes.v[i]));
        for (uint32_t i = 0; i < e->call->victims.n; i++)
            host_print_victims(h, &e->call->victims.v[i]);
        break;
    }
    if (e->kind == MST_EFFECT_BIND && e->call)
        mst_buf_printf(b, " by %.*s", MST_ARG(e->url));
    mst_buf_char(b, '\n');
}

static inline void host_answer(struct host *h, uint64_t effect_id, const char *failure)
{
    struct mst_event event = { .kind = failure ? MST_EVENT_EFFECT_FAILED : MST_EVENT_EFFECT_DONE,
                               .effect_id = effect_id,
                               .reason = mst_str_of(failure) };
    mst_engine_event(h->engine, &event, h->now);
    mst_engine_check(h->engine);
}

/* The one condition that the scheduler writes, as the server keeps it. */
static inline mst_conditions host_conditions(struct host *h, const struct mst_condition *c)
{
    struct mst_condition *kept = MST_NEW(&h->arena, struct mst_condition);
    *kept = *c;
    kept->type = mst_arena_str(&h->arena, c->type);
    kept->status = mst_arena_str(&h->arena, c->status);
    kept->reason = mst_arena_str(&h->arena, c->reason);
    kept->message = mst_arena_str(&h->arena, c->message);
    return (mst_conditions){ kept, 1 };
}

/* What the API server does on a binding: sets the node, clears the nomination. */
static inline void host_bind(struct host *h, const char *pod, const char *node)
{
    struct mst_object *object = host_get(h, MST_KIND_POD, pod);
    object->u.pod.spec.node_name = mst_sym_of_text(h->syms, node);
    object->u.pod.status.nominated_node_name = MST_SYM_NONE;
    object->u.pod.status.conditions =
        host_conditions(h, &(struct mst_condition){ .type = MST_STR("PodScheduled"),
                                                    .status = MST_STR("True") });
    host_send(h, MST_EVENT_SET, object);
}

/* A status patch, and the update that the watch then brings. */
static inline void host_patch(struct host *h, const struct mst_effect *e)
{
    uint64_t known;
    if (!mst_map_get(&h->objects, host_key(h, e->object_kind, e->ns, e->name), &known))
        return;
    struct mst_object *object = (struct mst_object *)(uintptr_t)known;
    if (!mst_str_eq(object->u.meta.uid, e->uid))
        return;
    bool is_pod = e->kind == MST_EFFECT_POD_STATUS;
    if (e->condition_set)
        *(is_pod ? &object->u.pod.status.conditions : &object->u.group.conditions) =
            host_conditions(h, &e->condition);
    if (e->nominated_set)
        object->u.pod.status.nominated_node_name =
            e->nominated.n ? mst_sym_of(h->syms, e->nominated) : MST_SYM_NONE;
    host_send(h, MST_EVENT_SET, object);
}

/* What an extender says: a body, or "!" and why there is none. */
static inline void host_answer_call(struct host *h, uint64_t effect_id, const char *says)
{
    struct mst_event event = { .kind = MST_EVENT_EFFECT_DONE, .effect_id = effect_id };
    if (says[0] == '!') {
        event.kind = MST_EVENT_EFFECT_FAILED;
        event.reason = mst_str_of(says + 1);
    } else {
        event.body = mst_str_of(says);
    }
    mst_engine_event(h->engine, &event, h->now);
    mst_engine_check(h->engine);
}

/* An eviction that works: the condition, then the deletion begins. */
static inline void host_evict(struct host *h, const struct mst_effect *e)
{
    uint64_t known;
    struct mst_event event = { .kind = MST_EVENT_EFFECT_DONE, .effect_id = e->id };
    struct mst_object *object = NULL;
    if (mst_map_get(&h->objects, host_key(h, MST_KIND_POD, e->ns, e->name), &known))
        object = (struct mst_object *)(uintptr_t)known;
    event.gone = !object || !mst_str_eq(object->u.meta.uid, e->uid);
    if (!event.gone) {
        if (e->condition_set)
            object->u.pod.status.conditions = host_conditions(h, &e->condition);
        object->u.meta.deleted = (struct mst_time){ .unix_s = h->now / HOST_SECOND, .set = true };
        host_send(h, MST_EVENT_SET, object);
    }
    mst_engine_event(h->engine, &event, h->now);
    mst_engine_check(h->engine);
}

static inline void host_call(struct host *h, const struct mst_effect *e)
{
    const char *says = h->extend(h, e);
    if (!says)
        return;
    if (e->kind == MST_EFFECT_BIND && says[0] != '!' && !strstr(says, "rror"))
        host_bind(h, mst_arena_str(&h->arena, e->name).p, mst_arena_str(&h->arena, e->node).p);
    host_answer_call(h, e->id, says);
}

static inline void host_carry_out(struct host *h, const struct mst_effect *e)
{
    if (e->kind == MST_EFFECT_EVICT) {
        h->last_eviction = e->id;
        if (h->evictions == HOST_BINDS_WORK)
            host_evict(h, e);
        else if (h->evictions == HOST_BINDS_FAIL)
            host_answer(h, e->id, "the server said no");
        return;
    }
    if (e->call) {
        host_call(h, e);
        return;
    }
    if (e->kind == MST_EFFECT_POD_STATUS || e->kind == MST_EFFECT_GROUP_STATUS)
        host_patch(h, e);
    if (e->kind != MST_EFFECT_BIND)
        return;
    h->last_bind = (struct mst_effect){ .id = e->id,
                                        .name = mst_arena_str(&h->arena, e->name),
                                        .node = mst_arena_str(&h->arena, e->node) };
    if (h->binds == HOST_BINDS_HANG)
        return;
    if (h->binds == HOST_BINDS_FAIL) {
        host_answer(h, e->id, "the server said no");
        return;
    }
    host_bind(h, h->last_bind.name.p, h->last_bind.node.p);
    host_answer(h, e->id, NULL);
}

/* One step. Its effects go to the log and are carried out. */
static inline bool host_step(struct host *h)
{
    bool more = mst_engine_step(h->engine, h->now, &h->out);
    mst_engine_check(h->engine);
    for (uint32_t i = 0; i < h->out.list.n; i++)
        host_print(h, &h->out.list.v[i]);
    /* Answers make new effects, but never while this list is read: they come with the next step. */
    for (uint32_t i = 0; i < h->out.list.n; i++)
        host_carry_out(h, &h->out.list.v[i]);
    return more;
}

enum { HOST_STEPS_MAX = 1000 };

/* Until there is nothing to do at this time. */
static inline void host_run(struct host *h)
{
    uint32_t n = 0;
    while (host_step(h))
        if (++n == HOST_STEPS_MAX)
            host_die(h, "the engine does not come to rest");
}

/* Lets time pass, stopping wherever the engine wants to be called. */
static inline void host_wait(struct host *h, int64_t seconds)
{
    int64_t end = h->now + seconds * HOST_SECOND;
    host_run(h);
    for (uint32_t n = 0; h->now < end; n++) {
        int64_t deadline = mst_engine_deadline(h->engine, h->now);
        mst_assert(deadline > h->now && n < HOST_STEPS_MAX);
        h->now = MST_MIN(deadline, end);
        host_run(h);
    }
}

static inline void host_forget(struct host *h)
{
    h->log.n = 0;
}

/* True if the line was seen, or one that begins with it when it ends in "*". */
static inline bool host_saw(struct host *h, const char *line)
{
    size_t n = strlen(line);
    bool prefix = n > 0 && line[n - 1] == '*';
    n -= prefix;
    const char *at = h->log.p, *end = h->log.p + h->log.n;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t have = (size_t)(stop - at);
        if ((prefix ? have >= n : have == n) && memcmp(at, line, n) == 0)
            return true;
        at = stop + 1;
    }
    return false;
}

static inline struct mst_str host_log(struct host *h)
{
    return mst_buf_span(&h->log);
}

static inline uint32_t host_pod(struct host *h, const char *pod)
{
    return mst_cluster_pod(mst_engine_cluster(h->engine), mst_sym_of_text(h->syms, "default"),
                           mst_str_of(pod));
}

static inline uint32_t host_group(struct host *h, const char *group)
{
    return mst_cluster_group(mst_engine_cluster(h->engine), mst_sym_of_text(h->syms, "default"),
                             mst_str_of(group));
}

static inline mst_store host_store(struct host *h, const char *pod, bool *ret_gated)
{
    return mst_queue_store_of(mst_engine_queue(h->engine), host_pod(h, pod), ret_gated);
}

/* ---- short manifests ---- */

/* `more` is appended to the spec, as flow YAML: ", unschedulable: true". */
static inline void host_node(struct host *h, const char *name, const char *allocatable,
                             const char *more)
{
    host_apply(h, mst_arena_printf(&h->arena,
                                   "apiVersion: v1\nkind: Node\n"
                                   "metadata: {name: %s, labels: {kubernetes.io/hostname: %s}}\n"
                                   "spec: {%s}\nstatus: {allocatable: {pods: 110, %s}}\n",
                                   name, name, more ? more : "", allocatable)
                      .p);
}

struct host_pod_spec {
    const char *name, *cpu, *group, *more; /* more: appended to the spec, flow YAML */
    const char *status, *uid;
    int priority;
};

static inline void host_add(struct host *h, struct host_pod_spec s)
{
    struct mst_str group = MST_STR(""), uid = MST_STR(""), class = MST_STR("");
    if (s.priority)
        class = mst_arena_printf(&h->arena, "priorityClassName: p%d, ", s.priority);
    if (s.group)
        group = mst_arena_printf(&h->arena, "schedulingGroup: {podGroupName: %s}, ", s.group);
    if (s.uid)
        uid = mst_arena_printf(&h->arena, ", uid: %s", s.uid);
    host_apply(h, mst_arena_printf(
                      &h->arena,
                      "apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: default%.*s}\n"
                      "spec: {%.*s%.*scontainers: [{name: c, image: i, resources: {requests: "
                      "{cpu: \"%s\"}}}]%s%s}\nstatus: {%s}\n",
                      s.name, MST_ARG(uid), MST_ARG(group), MST_ARG(class), s.cpu ? s.cpu : "1",
                      s.more ? ", " : "", s.more ? s.more : "", s.status ? s.status : "")
                      .p);
}

/* min_count 0: a basic group. */
static inline void host_gang(struct host *h, const char *name, int min_count, const char *more)
{
    struct mst_str policy = MST_STR("basic: {}");
    if (min_count)
        policy = mst_arena_printf(&h->arena, "gang: {minCount: %d}", min_count);
    host_apply(h, mst_arena_printf(&h->arena,
                                   "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\n"
                                   "metadata: {name: %s, namespace: default}\n"
                                   "spec: {schedulingPolicy: {%.*s}%s%s}\n",
                                   name, MST_ARG(policy), more ? ", " : "", more ? more : "")
                      .p);
}

#endif

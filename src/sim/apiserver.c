/*
 * apiserver.c - objects come, change, end and go at their times.
 *
 * Not here: what the scheduler wants done (api_effects.c).
 * Source: spec/scheduling.md 2.7, 6; kubernetes v1.37 pkg/registry/core/pod (deletion, binding).
 */
#include "sim/apiserver_internal.h"

#include "base/sort.h"

#define PROTECTION "scheduling.k8s.io/podgroup-protection"

/* ---- watchers, versions ---- */

static void set_version(struct mst_apiserver *server, struct mst_meta *meta)
{
    meta->resource_version =
        mst_arena_printf(&server->arena, "%llu", (unsigned long long)++server->resource_version);
}

void mst_apiserver_publish(struct mst_apiserver *server, struct mst_served *served)
{
    set_version(server, &served->object.u.meta);
    struct mst_event event = { .kind = MST_EVENT_SET, .object = &served->object };
    server->watcher(server->watcher_ctx, &event);
}

static void publish_gone(struct mst_apiserver *server, struct mst_served *served)
{
    struct mst_event event = { .kind = MST_EVENT_REMOVE, .object = &served->object };
    server->watcher(server->watcher_ctx, &event);
}

/* ---- what is due when ---- */

static bool due_before(const void *ctx, uint32_t a, uint32_t b)
{
    const struct mst_apiserver *server = ctx;
    const struct mst_due *x = &server->dues.v[a], *y = &server->dues.v[b];
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns;
    if (x->kind != y->kind)
        return x->kind < y->kind;
    if (x->rank != y->rank)
        return x->rank < y->rank;
    return x->serial < y->serial;
}

void mst_apiserver_schedule(struct mst_apiserver *server, struct mst_due due)
{
    due.serial = server->dues.n;
    mst_vec_push(&server->dues, due);
    mst_heap_put(&server->due_heap, due.serial);
}

static uint32_t index_of(const struct mst_apiserver *server, const struct mst_served *served)
{
    return (uint32_t)(served - server->served.v);
}

static void schedule_for(struct mst_apiserver *server, const struct mst_served *served,
                         mst_due_kind kind, int64_t at_ns)
{
    mst_apiserver_schedule(server, (struct mst_due){ .at_ns = at_ns,
                                                     .kind = kind,
                                                     .subject = index_of(server, served),
                                                     .life = served->life });
}

/* ---- groups and their members ---- */

bool mst_served_finished(const struct mst_apiserver *server, const struct mst_served *served)
{
    if (served->object.kind != MST_KIND_POD)
        return false;
    struct mst_str phase = mst_sym_str(server->syms, served->object.u.pod.status.phase);
    return mst_str_is(phase, "Succeeded") || mst_str_is(phase, "Failed");
}

struct mst_str mst_served_group(struct mst_apiserver *server, const struct mst_served *served)
{
    const struct mst_pod *pod = &served->object.u.pod;
    if (served->object.kind != MST_KIND_POD || !pod->spec.group_set || !pod->spec.group_name.n)
        return MST_STR_NONE;
    return mst_arena_printf(&server->arena, "PodGroup/%.*s/%.*s",
                            MST_ARG(mst_sym_str(server->syms, pod->meta.namespace_)),
                            MST_ARG(pod->spec.group_name));
}

static void remove_now(struct mst_apiserver *server, struct mst_served *served);

/* A member appeared or left; the last one takes a group with it whose deletion waited for that. */
static void count_member(struct mst_apiserver *server, const struct mst_served *pod, int change)
{
    struct mst_str group = mst_served_group(server, pod);
    if (!group.n)
        return;
    uint64_t count = 0, index;
    (void)mst_map_get(&server->members, group, &count);
    mst_assert(change > 0 || count > 0);
    count = change > 0 ? count + 1 : count - 1;
    mst_map_set(&server->members, group, count);
    if (count || !mst_map_get(&server->by_key, group, &index))
        return;
    struct mst_served *served = &server->served.v[index];
    if (served->live && served->deleting)
        remove_now(server, served);
}

static bool is_protected(struct mst_apiserver *server, const struct mst_served *served)
{
    if (served->object.kind != MST_KIND_POD_GROUP)
        return false;
    struct mst_str key = mst_object_key(server->syms, &served->object, &server->arena);
    uint64_t count = 0;
    if (!mst_map_get(&server->members, key, &count) || !count)
        return false;
    const mst_strs *finalizers = &served->object.u.meta.finalizers;
    for (uint32_t i = 0; i < finalizers->n; i++)
        if (mst_str_is(finalizers->v[i], PROTECTION))
            return true;
    return false;
}

/* ---- the end of things ---- */

static void remove_now(struct mst_apiserver *server, struct mst_served *served)
{
    bool counted = served->object.kind == MST_KIND_POD && !mst_served_finished(server, served);
    served->live = false;
    served->deleting = false;
    if (served->ended_ns == MST_NEVER)
        served->ended_ns = server->clock->now_ns;
    server->change_count++;
    publish_gone(server, served);
    if (counted)
        count_member(server, served, -1);
}

static void finish(struct mst_apiserver *server, struct mst_served *served)
{
    if (mst_served_finished(server, served) || served->deleting)
        return;
    served->object.u.pod.status.phase = mst_sym_of_text(server->syms, "Succeeded");
    served->ended_ns = server->clock->now_ns;
    server->change_count++;
    mst_apiserver_publish(server, served);
    count_member(server, served, -1);
}

/*
 * Running pods get their grace period; everything else goes at once, or when its members did.
 * `at_ns` is the time that the scenario says, without ticks.
 */
static void delete_object(struct mst_apiserver *server, struct mst_served *served, int64_t at_ns)
{
    struct mst_meta *meta = &served->object.u.meta;
    int64_t grace_s = 0;
    if (served->deleting)
        return;
    if (served->object.kind == MST_KIND_POD && served->bound_ns != MST_NEVER &&
        !server->ends_at_once && !mst_served_finished(server, served)) {
        struct mst_opt_int grace = served->object.u.pod.spec.termination_grace_s;
        grace_s = grace.set ? MST_MAX(grace.value, (int64_t)0) : 30;
        grace_s = MST_MIN(grace_s, MST_DURATION_MAX_NS / MST_NS_PER_S);
    }
    if (!grace_s && !is_protected(server, served)) {
        remove_now(server, served);
        return;
    }
    served->deleting = true;
    int64_t end_ns = at_ns + grace_s * MST_NS_PER_S;
    meta->deleted = (struct mst_time){ .unix_s = end_ns / MST_NS_PER_S, .set = true };
    meta->deletion_grace_s = (struct mst_opt_int){ .value = grace_s, .set = true };
    server->change_count++;
    mst_apiserver_publish(server, served);
    if (grace_s)
        schedule_for(server, served, MST_DUE_GONE, end_ns);
}

void mst_apiserver_delete(struct mst_apiserver *server, struct mst_served *served)
{
    delete_object(server, served, server->clock->now_ns);
}

/* ---- the beginning of things ---- */

static bool has_node(const struct mst_object *object)
{
    return object->kind == MST_KIND_POD && object->u.pod.spec.node_name != MST_SYM_NONE &&
           object->u.pod.spec.node_name != MST_SYM_EMPTY;
}

/* The pod has a node from now on: its run begins. */
void mst_apiserver_started(struct mst_apiserver *server, struct mst_served *served)
{
    int64_t run_ns = server->scenario->docs.v[served->doc].run_ns;
    served->bound_ns = server->clock->now_ns;
    if (run_ns != MST_NEVER)
        schedule_for(server, served, MST_DUE_FINISH, served->bound_ns + run_ns);
}

static void create(struct mst_apiserver *server, struct mst_served *served, uint32_t doc_i)
{
    const struct mst_scenario_doc *doc = &server->scenario->docs.v[doc_i];
    uint32_t life = served->life + 1;
    *served = (struct mst_served){ .object = doc->object,
                                   .doc = doc_i,
                                   .first_doc = life > 1 ? served->first_doc : doc_i,
                                   .live = true,
                                   .came_bound = has_node(&doc->object),
                                   .life = life,
                                   .arrived_ns = server->clock->now_ns,
                                   .bound_ns = MST_NEVER,
                                   .ended_ns = MST_NEVER };
    struct mst_meta *meta = &served->object.u.meta;
    if (life > 1 && !mst_value_get(mst_value_get(doc->object.source, "metadata"), "uid"))
        meta->uid = mst_arena_printf(&server->arena, "%.*s-%u", MST_ARG(meta->uid), life);
    if (has_node(&served->object))
        mst_apiserver_started(server, served);
    if (mst_served_finished(server, served))
        served->ended_ns = server->clock->now_ns;
    else if (served->object.kind == MST_KIND_POD)
        count_member(server, served, 1);
}

static bool same_value(const struct mst_value *a, const struct mst_value *b)
{
    if (!a || !b)
        return a == b;
    if (a->span != b->span)
        return false;
    for (uint32_t i = 0; i < a->span; i++) {
        if (a[i].type != b[i].type || a[i].n != b[i].n)
            return false;
        bool text = a[i].type == MST_STRING || a[i].type == MST_NUMBER;
        if (text && a[i].n && memcmp(a[i].p, b[i].p, a[i].n) != 0)
            return false;
    }
    return true;
}

/* What an update leaves alone: identity, and a status that the new document does not speak of. */
static void keep_from_old(struct mst_object *object, const struct mst_object *old)
{
    struct mst_meta *meta = &object->u.meta;
    const struct mst_value *given = mst_value_get(object->source, "metadata");
    if (!mst_value_get(given, "uid"))
        meta->uid = old->u.meta.uid;
    meta->created = old->u.meta.created;
    meta->deleted = old->u.meta.deleted;
    meta->deletion_grace_s = old->u.meta.deletion_grace_s;
    if (!mst_value_get(given, "generation")) {
        bool changed =
            !same_value(mst_value_get(object->source, "spec"), mst_value_get(old->source, "spec"));
        meta->generation = old->u.meta.generation + (changed && old->u.meta.generation);
    }
    const struct mst_value *status = mst_value_get(object->source, "status");
    if (object->kind == MST_KIND_POD) {
        struct mst_pod *pod = &object->u.pod;
        const struct mst_pod *was = &old->u.pod;
        if (has_node(old))
            pod->spec.node_name = was->spec.node_name;
        if (!mst_value_get(status, "phase"))
            pod->status.phase = was->status.phase;
        if (!mst_value_get(status, "conditions"))
            pod->status.conditions = was->status.conditions;
        if (!mst_value_get(status, "nominatedNodeName"))
            pod->status.nominated_node_name = was->status.nominated_node_name;
        if (!mst_value_get(status, "startTime"))
            pod->status.start_time = was->status.start_time;
    } else if (object->kind == MST_KIND_POD_GROUP || object->kind == MST_KIND_COMPOSITE_POD_GROUP) {
        if (!mst_value_get(status, "conditions"))
            object->u.group.conditions = old->u.group.conditions;
    }
}

static void update(struct mst_apiserver *server, struct mst_served *served, uint32_t doc_i)
{
    struct mst_served old = *served;
    bool was_finished = mst_served_finished(server, served);
    served->object = server->scenario->docs.v[doc_i].object;
    served->doc = doc_i;
    keep_from_old(&served->object, &old.object);
    if (old.bound_ns == MST_NEVER && has_node(&served->object))
        mst_apiserver_started(server, served);
    bool is_pod = served->object.kind == MST_KIND_POD;
    if (is_pod && !was_finished) {
        /* The group may have changed, or the pod may have ended: count out, count in. */
        bool finished = mst_served_finished(server, served);
        if (!finished)
            count_member(server, served, 1);
        else
            served->ended_ns = server->clock->now_ns;
        count_member(server, &old, -1);
    }
}

struct mst_served *mst_apiserver_add(struct mst_apiserver *server, const struct mst_object *object,
                                     uint32_t doc)
{
    struct mst_str key = mst_object_key(server->syms, object, &server->arena);
    uint64_t index;
    if (!mst_map_get(&server->by_key, key, &index)) {
        index = server->served.n;
        mst_vec_push(&server->served, (struct mst_served){ .doc = doc });
        mst_map_set(&server->by_key, key, index);
    }
    struct mst_served *served = &server->served.v[index];
    *served = (struct mst_served){ .object = *object,
                                   .doc = doc,
                                   .first_doc = doc,
                                   .live = true,
                                   .life = served->life + 1,
                                   .arrived_ns = server->clock->now_ns,
                                   .bound_ns = MST_NEVER,
                                   .ended_ns = MST_NEVER };
    return served;
}

static void arrive(struct mst_apiserver *server, uint32_t doc_i)
{
    const struct mst_scenario_doc *doc = &server->scenario->docs.v[doc_i];
    struct mst_str key = mst_object_key(server->syms, &doc->object, &server->arena);
    uint64_t index;
    if (!mst_map_get(&server->by_key, key, &index)) {
        index = server->served.n;
        mst_vec_push(&server->served, (struct mst_served){ .doc = doc_i });
        mst_map_set(&server->by_key, key, index);
    }
    struct mst_served *served = &server->served.v[index];
    if (served->live)
        update(server, served, doc_i);
    else
        create(server, served, doc_i);
    if (doc->delete_ns != MST_NEVER)
        schedule_for(server, served, MST_DUE_DELETE, MST_SIM_START_NS + doc->delete_ns);
    server->change_count++;
    mst_apiserver_publish(server, served);
}

/* ---- time ---- */

int64_t mst_apiserver_next(const struct mst_apiserver *server)
{
    if (!server->due_heap.count)
        return MST_NEVER;
    return server->dues.v[mst_heap_top(&server->due_heap)].at_ns;
}

bool mst_apiserver_step(struct mst_apiserver *server, int64_t now_ns)
{
    if (mst_apiserver_next(server) > now_ns)
        return false;
    struct mst_due due = server->dues.v[mst_heap_pop(&server->due_heap)];
    struct mst_served *served = due.kind == MST_DUE_ARRIVE ? NULL : &server->served.v[due.subject];
    if (served && (!served->live || served->life != due.life))
        return true; /* of an earlier life, or gone already */
    mst_clock_tick(server->clock);
    switch (due.kind) {
    case MST_DUE_ARRIVE: arrive(server, due.subject); break;
    case MST_DUE_FINISH: finish(server, served); break;
    case MST_DUE_DELETE: delete_object(server, served, due.at_ns); break;
    case MST_DUE_GONE: remove_now(server, served); break;
    }
    return true;
}

/* ---- life cycle ---- */

/* The order in which a scheduler's first lists bring the kinds. */
static uint32_t kind_rank(const struct mst_object *object)
{
    switch (object->kind) {
    case MST_KIND_PRIORITY_CLASS: return 0;
    case MST_KIND_NAMESPACE: return 1;
    case MST_KIND_NODE: return 2;
    case MST_KIND_WORKLOAD: return 3;
    case MST_KIND_COMPOSITE_POD_GROUP: return 4;
    case MST_KIND_POD_GROUP: return 5;
    case MST_KIND_PDB:
    case MST_KIND_PV:
    case MST_KIND_PVC:
    case MST_KIND_STORAGE_CLASS:
    case MST_KIND_CSI_NODE:
    case MST_KIND_CSI_DRIVER:
    case MST_KIND_CSI_STORAGE_CAPACITY:
    case MST_KIND_VOLUME_ATTACHMENT:
    case MST_KIND_SERVICE:
    case MST_KIND_REPLICATION_CONTROLLER:
    case MST_KIND_REPLICA_SET:
    case MST_KIND_STATEFUL_SET: return 6;
    case MST_KIND_POD: return has_node(object) ? 7 : 8;
    case MST_KIND_UNKNOWN:
    case MST_KIND_COUNT: break;
    }
    return 9;
}

struct first {
    uint32_t doc, kind_rank;
    int64_t created_s;
    struct mst_str ns, name;
};

/* Lists come by name, as from etcd; pending pods in order of their creation, then as they stand. */
static int by_first(const void *a, const void *b, void *ctx)
{
    const struct first *x = a, *y = b;
    (void)ctx;
    if (x->kind_rank != y->kind_rank)
        return x->kind_rank < y->kind_rank ? -1 : 1;
    if (x->kind_rank == 8) {
        if (x->created_s != y->created_s)
            return x->created_s < y->created_s ? -1 : 1;
    } else {
        int c = mst_str_cmp(x->ns, y->ns);
        c = c ? c : mst_str_cmp(x->name, y->name);
        if (c)
            return c;
    }
    return (x->doc > y->doc) - (x->doc < y->doc);
}

static void schedule_arrivals(struct mst_apiserver *server)
{
    const struct mst_scenario *scenario = server->scenario;
    MST_VEC(struct first) first = { 0 };
    for (uint32_t i = 0; i < scenario->docs.n; i++) {
        const struct mst_object *object = &scenario->docs.v[i].object;
        const struct mst_meta *meta = &object->u.meta;
        if (scenario->docs.v[i].arrive_ns == 0)
            mst_vec_push(&first, (struct first){ .doc = i,
                                                 .kind_rank = kind_rank(object),
                                                 .created_s = meta->created.unix_s,
                                                 .ns = mst_sym_str(server->syms, meta->namespace_),
                                                 .name = meta->name });
        else
            mst_apiserver_schedule(server, (struct mst_due){ .at_ns = MST_SIM_START_NS +
                                                                      scenario->docs.v[i].arrive_ns,
                                                             .kind = MST_DUE_ARRIVE,
                                                             .rank = i,
                                                             .subject = i });
    }
    mst_sort(first.v, first.n, sizeof(*first.v), by_first, NULL);
    for (uint32_t i = 0; i < first.n; i++)
        mst_apiserver_schedule(server, (struct mst_due){ .at_ns = MST_SIM_START_NS,
                                                         .kind = MST_DUE_ARRIVE,
                                                         .rank = i,
                                                         .subject = first.v[i].doc });
    mst_vec_done(&first);
}

void mst_apiserver_init(struct mst_apiserver *server, struct mst_scenario *scenario,
                        struct mst_clock *clock, mst_watcher *watcher, void *watcher_ctx)
{
    *server = (struct mst_apiserver){ .scenario = scenario,
                                      .syms = scenario->syms,
                                      .clock = clock,
                                      .watcher = watcher,
                                      .watcher_ctx = watcher_ctx,
                                      .resource_version = 1000 };
    server->due_heap.before = due_before;
    server->due_heap.ctx = server;
    schedule_arrivals(server);
}

void mst_apiserver_done(struct mst_apiserver *server)
{
    mst_vec_done(&server->served);
    mst_vec_done(&server->dues);
    mst_map_done(&server->by_key);
    mst_map_done(&server->members);
    mst_heap_done(&server->due_heap);
    mst_arena_done(&server->arena);
}

static int by_document(const void *a, const void *b, void *ctx)
{
    const struct mst_apiserver *server = ctx;
    uint32_t x = server->served.v[*(const uint32_t *)a].first_doc;
    uint32_t y = server->served.v[*(const uint32_t *)b].first_doc;
    return (x > y) - (x < y);
}

uint32_t *mst_apiserver_order(const struct mst_apiserver *server, struct mst_arena *arena)
{
    uint32_t *order = MST_NEW_N(arena, uint32_t, server->served.n);
    for (uint32_t i = 0; i < server->served.n; i++)
        order[i] = i;
    mst_sort(order, server->served.n, sizeof(*order), by_document, (void *)(uintptr_t)server);
    return order;
}

struct mst_served *mst_apiserver_find(struct mst_apiserver *server, mst_kind kind,
                                      struct mst_str ns, struct mst_str name)
{
    MST_AUTO(mst_buf) key = { 0 };
    mst_buf_printf(&key, "%s/%.*s/%.*s", mst_kind_name(kind), MST_ARG(ns), MST_ARG(name));
    uint64_t index;
    if (!mst_map_get(&server->by_key, mst_buf_span(&key), &index))
        return NULL;
    return &server->served.v[index];
}

/*
 * affinity_selectors.c - Services, ReplicationControllers, ReplicaSets, StatefulSets: what selects
 * a pod when its owner did not say how to spread it.
 *
 * Owns:       copies of the selectors. Services are found by one of their labels, so that a pod
 *             asks only those that may mean it.
 * Invariants: a waiting pod without constraints of its own always has the class of its present
 *             default selector: whatever changes a selector renews the classes concerned.
 * Source:     spec/plugins.md 4.11; kubernetes v1.37
 *             pkg/scheduler/framework/plugins/helper/spread.go.
 */
#include "base/sort.h"
#include "cluster/affinity.h"
#include "cluster/cluster_internal.h"
#include "cluster/copy.h"

struct stored {
    mst_kind kind;
    mst_sym ns;
    struct mst_label_selector selector; /* in `arena` */
    struct mst_arena arena;
    uint32_t next; /* Services in the same drawer, index + 1; 0 ends */
    bool live;
};

struct mst_selector_store {
    struct mst_map ids; /* kind, namespace, name -> index into list */
    MST_VEC(struct stored) list;
    MST_VEC(uint32_t) free;
    struct mst_map drawers; /* namespace and first label of a Service's selector -> index + 1 */
};

static struct mst_selector_store *store_of(struct mst_cluster *cluster)
{
    if (!cluster->selectors)
        cluster->selectors = mst_calloc(1, sizeof(*cluster->selectors));
    return cluster->selectors;
}

static void put_id(struct mst_buf *key, mst_kind kind, mst_sym ns, struct mst_str name)
{
    mst_put_u32(key, kind);
    mst_put_u32(key, ns);
    mst_buf_str(key, name);
}

static struct stored *find(const struct mst_cluster *cluster, mst_kind kind, mst_sym ns,
                           struct mst_str name)
{
    if (!cluster->selectors)
        return NULL;
    MST_AUTO(mst_buf) key = { 0 };
    put_id(&key, kind, ns, name);
    uint64_t at;
    return mst_map_get(&cluster->selectors->ids, mst_buf_span(&key), &at)
               ? &cluster->selectors->list.v[at]
               : NULL;
}

/* ---- Services by a label ---- */

struct drawer_key {
    mst_sym ns;
    struct mst_label label;
};
_Static_assert(sizeof(struct drawer_key) == 3 * sizeof(mst_sym), "drawer keys have padding");

static struct mst_str drawer_span(const struct drawer_key *key)
{
    return (struct mst_str){ (const char *)key, sizeof(*key) };
}

/* A Service without labels to select by selects nothing that anybody would add. */
static bool in_drawer(const struct stored *s)
{
    return s->kind == MST_KIND_SERVICE && s->selector.match_labels.n;
}

static void drawer_add(struct mst_selector_store *store, uint32_t at)
{
    struct stored *s = &store->list.v[at];
    if (!in_drawer(s))
        return;
    const struct drawer_key key = { s->ns, s->selector.match_labels.v[0] };
    uint64_t first = 0;
    (void)mst_map_get(&store->drawers, drawer_span(&key), &first);
    s->next = (uint32_t)first;
    mst_map_set(&store->drawers, drawer_span(&key), at + 1);
}

static void drawer_remove(struct mst_selector_store *store, uint32_t at)
{
    const struct stored *s = &store->list.v[at];
    if (!in_drawer(s))
        return;
    const struct drawer_key key = { s->ns, s->selector.match_labels.v[0] };
    uint64_t first = 0;
    (void)mst_map_get(&store->drawers, drawer_span(&key), &first);
    if (first == at + 1) {
        if (s->next)
            mst_map_set(&store->drawers, drawer_span(&key), s->next);
        else
            mst_map_delete(&store->drawers, drawer_span(&key));
        return;
    }
    uint32_t before = (uint32_t)first - 1;
    while (store->list.v[before].next != at + 1)
        before = store->list.v[before].next - 1;
    store->list.v[before].next = s->next;
}

/* ---- the default selector of a pod ---- */

static bool means(const struct mst_label_selector *selector, mst_labels labels)
{
    bool bad;
    return mst_label_selector_matches(selector, labels, &bad);
}

/* Adds labels to a map of labels; the last of a key stays. `out` has room. */
static void merge(mst_labels *out, mst_labels from)
{
    for (uint32_t i = 0; i < from.n; i++) {
        uint32_t at = 0;
        while (at < out->n && out->v[at].key != from.v[i].key)
            at++;
        out->v[at] = from.v[i];
        out->n = MST_MAX(out->n, at + 1);
    }
}

/*
 * The Services' labels are all labels of the pod, so `selected` never grows beyond the pod's own
 * labels and those of a ReplicationController.
 */
static void merge_services(const struct mst_selector_store *store, const struct mst_pod_ties *pod,
                           mst_labels *selected)
{
    for (uint32_t i = 0; i < pod->labels.n; i++) {
        const struct drawer_key key = { pod->ns, pod->labels.v[i] };
        uint64_t at = 0;
        (void)mst_map_get(&store->drawers, drawer_span(&key), &at);
        while (at) {
            const struct stored *s = &store->list.v[at - 1];
            if (means(&s->selector, pod->labels))
                merge(selected, s->selector.match_labels);
            at = s->next;
        }
    }
}

static int compare_labels(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    mst_sym x = ((const struct mst_label *)a)->key, y = ((const struct mst_label *)b)->key;
    return (x > y) - (x < y);
}

/* A selector of a ReplicaSet or StatefulSet comes on top; an invalid one is left out. */
static void add_requirements(struct mst_arena *arena, const struct mst_label_selector *from,
                             struct mst_label_selector *out)
{
    bool bad;
    (void)mst_label_selector_matches(from, (mst_labels){ NULL, 0 }, &bad);
    if (bad)
        return;
    uint32_t n = from->match_labels.n + from->match_expressions.n;
    struct mst_requirement *v = MST_NEW_N(arena, struct mst_requirement, n);
    for (uint32_t i = 0; i < from->match_labels.n; i++) {
        mst_sym *value = MST_NEW(arena, mst_sym);
        *value = from->match_labels.v[i].value;
        v[i] = (struct mst_requirement){
            .key = from->match_labels.v[i].key,
            .op = MST_OP_IN,
            .op_text = MST_STR("In"),
            .values = { value, 1 },
        };
    }
    for (uint32_t i = 0; i < from->match_expressions.n; i++)
        v[from->match_labels.n + i] = from->match_expressions.v[i];
    out->match_expressions = (mst_requirements){ v, n };
}

void mst_default_selector_for(const struct mst_cluster *cluster, const struct mst_pod_ties *pod,
                              struct mst_arena *arena, struct mst_label_selector *out)
{
    *out = (struct mst_label_selector){ 0 };
    if (!cluster->selectors)
        return;
    const struct stored *owner =
        pod->controller == MST_KIND_UNKNOWN
            ? NULL
            : find(cluster, pod->controller, pod->ns, pod->controller_name);
    bool by_map = owner && owner->kind == MST_KIND_REPLICATION_CONTROLLER;
    uint32_t room = pod->labels.n + (by_map ? owner->selector.match_labels.n : 0);
    mst_labels selected = { MST_NEW_N(arena, struct mst_label, room), 0 };
    merge_services(cluster->selectors, pod, &selected);
    if (by_map)
        merge(&selected, owner->selector.match_labels);
    else if (owner && owner->selector.set)
        add_requirements(arena, &owner->selector, out);
    mst_sort(selected.v, selected.n, sizeof(*selected.v), compare_labels, NULL);
    out->match_labels = selected;
    out->set = out->match_labels.n || out->match_expressions.n;
}

void mst_default_selector(struct mst_cluster *cluster, const struct mst_pod *pod,
                          struct mst_arena *arena, struct mst_label_selector *out)
{
    struct mst_pod_ties ties = { .ns = pod->meta.namespace_, .labels = pod->meta.labels };
    ties.controller = mst_controller_of(pod, &ties.controller_name);
    mst_default_selector_for(cluster, &ties, arena, out);
}

mst_kind mst_controller_of(const struct mst_pod *pod, struct mst_str *ret_name)
{
    static const struct {
        const char *api_version, *kind;
        mst_kind is;
    } known[] = {
        { "v1", "ReplicationController", MST_KIND_REPLICATION_CONTROLLER },
        { "apps/v1", "ReplicaSet", MST_KIND_REPLICA_SET },
        { "apps/v1", "StatefulSet", MST_KIND_STATEFUL_SET },
    };
    *ret_name = MST_STR_NONE;
    for (uint32_t i = 0; i < pod->meta.owners.n; i++) {
        const struct mst_owner *owner = &pod->meta.owners.v[i];
        if (!owner->controller.set || !owner->controller.value)
            continue;
        for (size_t k = 0; k < MST_COUNT(known); k++)
            if (mst_str_is(owner->api_version, known[k].api_version) &&
                mst_str_is(owner->kind, known[k].kind)) {
                *ret_name = owner->name;
                return known[k].is;
            }
        break; /* only the first controller counts */
    }
    return MST_KIND_UNKNOWN;
}

/* ---- objects come and go ---- */

/* What the change of one object concerns: its selector before and after. */
struct change {
    mst_kind kind;
    mst_sym ns;
    struct mst_str name;
    const struct mst_label_selector *before, *after; /* NULL: was not there, is gone */
};

static bool concerns(const struct change *c, const struct mst_pod_ties *pod)
{
    if (c->kind != MST_KIND_SERVICE)
        return pod->controller == c->kind && mst_str_eq(pod->controller_name, c->name);
    return (c->before && means(c->before, pod->labels)) ||
           (c->after && means(c->after, pod->labels));
}

static void renew_concerned(struct mst_cluster *cluster, const struct change *c)
{
    for (uint32_t i = 0; i < cluster->pods.n; i++) {
        const struct mst_pod_row *p = &cluster->pods.v[i];
        if (!p->live || p->class_id == UINT32_MAX || p->ns != c->ns ||
            mst_cluster_class(cluster, p->class_id)->spread.n)
            continue;
        const struct mst_pod_ties ties = mst_pod_ties_of(cluster, i);
        if (concerns(c, &ties))
            mst_class_renew(cluster, i);
    }
}

static bool same_selector(const struct mst_label_selector *a, const struct mst_label_selector *b)
{
    MST_AUTO(mst_buf) x = { 0 };
    MST_AUTO(mst_buf) y = { 0 };
    mst_put_selector(&x, a);
    mst_put_selector(&y, b);
    return mst_str_eq(mst_buf_span(&x), mst_buf_span(&y));
}

static uint32_t slot_for(struct mst_selector_store *store, const struct mst_object *object)
{
    MST_AUTO(mst_buf) key = { 0 };
    put_id(&key, object->kind, object->u.meta.namespace_, object->u.meta.name);
    uint64_t at;
    if (mst_map_get(&store->ids, mst_buf_span(&key), &at))
        return (uint32_t)at;
    if (store->free.n) {
        at = store->free.v[--store->free.n];
    } else {
        at = store->list.n;
        mst_vec_push(&store->list, (struct stored){ 0 });
    }
    mst_map_set(&store->ids, mst_buf_span(&key), at);
    return (uint32_t)at;
}

void mst_cluster_selector_set(struct mst_cluster *cluster, const struct mst_object *object)
{
    mst_assert(cluster->txn_depth == 0);
    const struct mst_workload_selector *given = &object->u.selector;
    struct mst_selector_store *store = store_of(cluster);
    uint32_t at = slot_for(store, object);
    struct stored old = store->list.v[at];
    if (old.live && same_selector(&old.selector, &given->selector))
        return;
    if (old.live)
        drawer_remove(store, at);
    struct stored *s = &store->list.v[at];
    *s = (struct stored){ .kind = object->kind, .ns = given->meta.namespace_, .live = true };
    s->selector = mst_copy_selector(&s->arena, &given->selector);
    drawer_add(store, at);
    cluster->selector_generation++;
    mst_keys_of_selector(cluster, &given->selector);
    renew_concerned(cluster, &(struct change){
                                 .kind = object->kind,
                                 .ns = given->meta.namespace_,
                                 .name = given->meta.name,
                                 .before = old.live ? &old.selector : NULL,
                                 .after = &given->selector,
                             });
    mst_arena_done(&old.arena);
}

void mst_cluster_selector_remove(struct mst_cluster *cluster, const struct mst_object *object)
{
    mst_assert(cluster->txn_depth == 0);
    const struct mst_meta *meta = &object->u.meta;
    struct stored *s = find(cluster, object->kind, meta->namespace_, meta->name);
    if (!s)
        return;
    struct mst_selector_store *store = cluster->selectors;
    uint32_t at = (uint32_t)(s - store->list.v);
    drawer_remove(store, at);
    struct stored old = *s;
    *s = (struct stored){ 0 };
    MST_AUTO(mst_buf) key = { 0 };
    put_id(&key, object->kind, meta->namespace_, meta->name);
    mst_map_delete(&store->ids, mst_buf_span(&key));
    mst_vec_push(&store->free, at);
    cluster->selector_generation++;
    renew_concerned(cluster, &(struct change){
                                 .kind = object->kind,
                                 .ns = meta->namespace_,
                                 .name = meta->name,
                                 .before = &old.selector,
                             });
    mst_arena_done(&old.arena);
}

void mst_selectors_done(struct mst_cluster *cluster)
{
    struct mst_selector_store *store = cluster->selectors;
    if (!store)
        return;
    for (uint32_t i = 0; i < store->list.n; i++)
        mst_arena_done(&store->list.v[i].arena);
    mst_vec_done(&store->list);
    mst_vec_done(&store->free);
    mst_map_done(&store->ids);
    mst_map_done(&store->drawers);
    mst_free(store);
    cluster->selectors = NULL;
}

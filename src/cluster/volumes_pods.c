/*
 * volumes_pods.c - what pods say about volumes, stored once per distinct list.
 *
 * Owns:       the lists, freed with their last reference.
 */
#include "cluster/cluster_internal.h"
#include "cluster/volumes.h"

static bool is_claim(mst_volume_source source)
{
    return source == MST_VOLUME_PVC || source == MST_VOLUME_EPHEMERAL;
}

static bool is_relevant(const struct mst_volume *volume)
{
    return volume->source != MST_VOLUME_OTHER && volume->source != MST_VOLUME_IMAGE;
}

/* "ns/name" of the claim behind a volume; an ephemeral one is called after pod and volume. */
static struct mst_str claim_key(struct mst_cluster *cluster, const struct mst_pod *pod,
                                const struct mst_volume *volume)
{
    const struct mst_str ns = mst_sym_str(cluster->syms, pod->meta.namespace_);
    if (volume->source == MST_VOLUME_EPHEMERAL)
        return mst_arena_printf(&cluster->scratch, "%.*s/%.*s-%.*s", MST_ARG(ns),
                                MST_ARG(pod->meta.name), MST_ARG(volume->name));
    return mst_arena_printf(&cluster->scratch, "%.*s/%.*s", MST_ARG(ns),
                            MST_ARG(mst_sym_str(cluster->syms, volume->id)));
}

static void put_u32(struct mst_buf *key, uint32_t v)
{
    mst_buf_add(key, &v, sizeof(v));
}

static void put_str(struct mst_buf *key, struct mst_str s)
{
    put_u32(key, (uint32_t)s.n);
    mst_buf_str(key, s);
}

/* All that makes one list differ from another; false when there is nothing to say. */
static bool list_key(struct mst_cluster *cluster, const struct mst_pod *pod, struct mst_buf *key)
{
    bool any = false, ephemeral = false;
    put_u32(key, pod->meta.namespace_);
    for (uint32_t i = 0; i < pod->spec.volumes.n; i++) {
        const struct mst_volume *v = &pod->spec.volumes.v[i];
        if (!is_relevant(v))
            continue;
        any = true;
        ephemeral |= v->source == MST_VOLUME_EPHEMERAL;
        put_u32(key, (uint32_t)v->source << 1 | v->read_only);
        if (is_claim(v->source)) {
            put_str(key, claim_key(cluster, pod, v));
            continue;
        }
        put_u32(key, v->id);
        put_u32(key, v->rbd_pool);
        put_u32(key, v->rbd_monitors.n);
        for (uint32_t k = 0; k < v->rbd_monitors.n; k++)
            put_u32(key, v->rbd_monitors.v[k]);
    }
    if (ephemeral) {
        put_str(key, pod->meta.name);
        put_str(key, pod->meta.uid);
    }
    return any;
}

/* ---- one block per list ---- */

static struct mst_str keep_str(char **at, struct mst_str s)
{
    char *to = *at;
    if (s.n)
        memcpy(to, s.p, s.n);
    *at += s.n + 1;
    return (struct mst_str){ to, s.n };
}

static void fill_volume(struct mst_cluster *cluster, const struct mst_pod *pod,
                        const struct mst_volume *from, struct mst_pod_volume *to,
                        mst_sym **monitors, char **text)
{
    *to = (struct mst_pod_volume){
        .source = from->source,
        .read_only = from->read_only,
        .id = from->id,
        .rbd_pool = from->rbd_pool,
        .rbd_monitors = { *monitors, from->rbd_monitors.n },
    };
    if (from->rbd_monitors.n)
        memcpy(*monitors, from->rbd_monitors.v, from->rbd_monitors.n * sizeof(**monitors));
    *monitors += from->rbd_monitors.n;
    if (!is_claim(from->source))
        return;
    to->claim_key = keep_str(text, claim_key(cluster, pod, from));
    const size_t skip = mst_sym_str(cluster->syms, pod->meta.namespace_).n + 1;
    to->claim_name = (struct mst_str){ to->claim_key.p + skip, to->claim_key.n - skip };
}

static struct mst_pod_volumes *make(struct mst_cluster *cluster, const struct mst_pod *pod,
                                    struct mst_str key)
{
    uint32_t n = 0, monitor_count = 0;
    size_t text_bytes = key.n + 1 + pod->meta.name.n + 1 + pod->meta.uid.n + 1;
    for (uint32_t i = 0; i < pod->spec.volumes.n; i++) {
        const struct mst_volume *v = &pod->spec.volumes.v[i];
        if (!is_relevant(v))
            continue;
        n++;
        monitor_count += v->rbd_monitors.n;
        if (is_claim(v->source))
            text_bytes += claim_key(cluster, pod, v).n + 1;
    }
    struct mst_pod_volumes *list = mst_calloc(1, sizeof(*list) + n * sizeof(struct mst_pod_volume) +
                                                     monitor_count * sizeof(mst_sym) + text_bytes);
    list->ns = pod->meta.namespace_;
    list->list.v = (struct mst_pod_volume *)(list + 1);
    mst_sym *monitors = (mst_sym *)(list->list.v + n);
    char *text = (char *)(monitors + monitor_count);
    list->key = keep_str(&text, key);
    bool ephemeral = false;
    for (uint32_t i = 0; i < pod->spec.volumes.n; i++) {
        const struct mst_volume *v = &pod->spec.volumes.v[i];
        if (!is_relevant(v))
            continue;
        fill_volume(cluster, pod, v, &list->list.v[list->list.n++], &monitors, &text);
        list->claim_count += is_claim(v->source);
        ephemeral |= v->source == MST_VOLUME_EPHEMERAL;
    }
    if (ephemeral) {
        list->owner_name = keep_str(&text, pod->meta.name);
        list->owner_uid = keep_str(&text, pod->meta.uid);
    }
    return list;
}

uint32_t mst_volumes_of(struct mst_cluster *cluster, const struct mst_pod *pod)
{
    if (!pod->spec.volumes.n)
        return 0;
    MST_AUTO(mst_buf) key = { 0 };
    if (!list_key(cluster, pod, &key))
        return 0;
    uint64_t id;
    if (mst_map_get(&cluster->pod_volumes_ids, mst_buf_span(&key), &id)) {
        cluster->pod_volumes.v[id]->refs++;
        return (uint32_t)id;
    }
    struct mst_pod_volumes *list = make(cluster, pod, mst_buf_span(&key));
    list->refs = 1;
    if (!cluster->pod_volumes.n)
        mst_vec_push(&cluster->pod_volumes, NULL); /* id 0 says nothing */
    if (cluster->free_pod_volumes.n) {
        id = cluster->free_pod_volumes.v[--cluster->free_pod_volumes.n];
        cluster->pod_volumes.v[id] = list;
    } else {
        id = cluster->pod_volumes.n;
        mst_vec_push(&cluster->pod_volumes, list);
    }
    (void)mst_map_set(&cluster->pod_volumes_ids, list->key, id);
    return (uint32_t)id;
}

void mst_volumes_ref(struct mst_cluster *cluster, uint32_t id)
{
    if (id)
        cluster->pod_volumes.v[id]->refs++;
}

void mst_volumes_unref(struct mst_cluster *cluster, uint32_t id)
{
    if (!id)
        return;
    struct mst_pod_volumes *list = cluster->pod_volumes.v[id];
    mst_assert(list->refs > 0);
    if (--list->refs)
        return;
    (void)mst_map_delete(&cluster->pod_volumes_ids, list->key);
    mst_free(list);
    cluster->pod_volumes.v[id] = NULL;
    mst_vec_push(&cluster->free_pod_volumes, id);
}

const struct mst_pod_volumes *mst_cluster_volumes(const struct mst_cluster *cluster, uint32_t id)
{
    return id ? cluster->pod_volumes.v[id] : NULL;
}

bool mst_volumes_use(const struct mst_pod_volumes *volumes, const struct mst_meta *claim,
                     bool ephemeral)
{
    for (uint32_t i = 0; volumes && volumes->ns == claim->namespace_ && i < volumes->list.n; i++) {
        const struct mst_pod_volume *v = &volumes->list.v[i];
        bool uses = ephemeral ? v->claim_key.p != NULL : v->source == MST_VOLUME_PVC;
        if (uses && mst_str_eq(v->claim_name, claim->name))
            return true;
    }
    return false;
}

uint32_t mst_claim_uses(const struct mst_cluster *cluster, struct mst_str claim_key)
{
    uint64_t uses = 0;
    (void)mst_map_get(&cluster->claim_uses, claim_key, &uses);
    return (uint32_t)uses;
}

void mst_claims_count(struct mst_cluster *cluster, uint32_t id, int by)
{
    const struct mst_pod_volumes *list = mst_cluster_volumes(cluster, id);
    for (uint32_t i = 0; list && i < list->list.n; i++) {
        const struct mst_pod_volume *v = &list->list.v[i];
        if (v->source != MST_VOLUME_PVC)
            continue;
        const uint32_t uses = mst_claim_uses(cluster, v->claim_key) + (uint32_t)by;
        if (uses)
            (void)mst_map_set(&cluster->claim_uses, v->claim_key, uses);
        else
            (void)mst_map_delete(&cluster->claim_uses, v->claim_key);
    }
}

void mst_pod_volumes_done(struct mst_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->pod_volumes.n; i++)
        mst_free(cluster->pod_volumes.v[i]);
    mst_vec_done(&cluster->pod_volumes);
    mst_vec_done(&cluster->free_pod_volumes);
    mst_map_done(&cluster->pod_volumes_ids);
    mst_map_done(&cluster->claim_uses);
}

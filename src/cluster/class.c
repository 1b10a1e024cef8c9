/*
 * class.c - pod classes: made from a pod's spec, found again by their bytes, kept while in use.
 *
 * Owns:       the classes. One that lost its last pod stays for a while (IDLE_MAX of them): the
 * next pod of the same job finds it, and what is cached about it, again. Invariants: two pods get
 * the same id exactly if their keys are byte-equal.
 */
#include "cluster/cluster_internal.h"
#include "cluster/copy.h"
#include "cluster/volumes.h"

enum { IDLE_MAX = 1024 };

/* ---- key: every field that decides, in one fixed order ---- */

static void put_tolerations(struct mst_buf *key, const struct mst_toleration *v, uint32_t n)
{
    mst_put_u32(key, n);
    for (uint32_t i = 0; i < n; i++) {
        mst_put_u32(key, v[i].key);
        mst_put_u32(key, v[i].op);
        mst_put_u32(key, v[i].value);
        mst_put_u32(key, v[i].effect);
    }
}

static void put_amounts(struct mst_buf *key, const struct mst_amount *v, uint32_t n)
{
    mst_put_u32(key, n);
    for (uint32_t i = 0; i < n; i++) {
        mst_put_u32(key, v[i].resource);
        mst_put_i64(key, v[i].amount);
    }
}

static void class_key(const struct mst_class *c, struct mst_buf *key)
{
    mst_put_u32(key, c->profile);
    mst_put_u32(key, c->usage);
    mst_put_u32(key, c->needs);
    mst_put_u32(key, c->node_name);
    mst_put_u32(key, c->scalar_key | c->node_selector_set << 1);
    mst_put_u32(key, c->image_slots);
    mst_put_u32(key, c->images.n);
    for (uint32_t i = 0; i < c->images.n; i++)
        mst_put_u32(key, c->images.v[i]);
    put_amounts(key, c->score_amounts.v, c->score_amounts.n);
    put_amounts(key, c->balance_amounts.v, c->balance_amounts.n);
    put_tolerations(key, c->tolerations.v, c->tolerations.n);
    mst_put_labels(key, c->node_selector);
    mst_put_node_affinity(key, &c->node_affinity);
    mst_put_u32(key, c->labels);
    mst_put_u32(key, c->affinity);
    mst_put_u32(key, c->volumes);
    mst_put_u32(key, c->features);
    mst_put_spread(key, c->spread.v, c->spread.n);
    mst_put_selector(key, &c->default_selector);
}

/* ---- deep copies into the class's arena ---- */

/* Moves what `c` borrows from a pod and from scratch into its own arena. */
static void own(struct mst_class *c)
{
    struct mst_arena *arena = &c->arena;
    c->images = mst_copy_syms(arena, c->images);
    c->score_amounts.v =
        mst_copy_bytes(arena, c->score_amounts.v, c->score_amounts.n * sizeof(struct mst_amount));
    c->balance_amounts.v = mst_copy_bytes(arena, c->balance_amounts.v,
                                          c->balance_amounts.n * sizeof(struct mst_amount));
    c->tolerations.v =
        mst_copy_bytes(arena, c->tolerations.v, c->tolerations.n * sizeof(struct mst_toleration));
    c->node_selector = mst_copy_labels(arena, c->node_selector);
    c->node_affinity = mst_copy_node_affinity(arena, &c->node_affinity);
    c->spread.v = mst_copy_spread(arena, c->spread.v, c->spread.n);
    c->default_selector = mst_copy_selector(arena, &c->default_selector);
}

/* ---- from a pod ---- */

bool mst_image_lacks_tag(struct mst_str image)
{
    bool colon = false;
    for (size_t i = 0; i < image.n; i++) {
        if (image.p[i] == ':')
            colon = true;
        else if (image.p[i] == '/')
            colon = false;
    }
    return !colon;
}

static mst_sym image_name(struct mst_cluster *cluster, mst_sym image)
{
    struct mst_str s = mst_sym_str(cluster->syms, image);
    if (!mst_image_lacks_tag(s))
        return image;
    return mst_sym_of(cluster->syms,
                      mst_arena_printf(&cluster->scratch, "%.*s:latest", MST_ARG(s)));
}

static void take_images(struct mst_cluster *cluster, const struct mst_pod *pod, struct mst_class *c)
{
    const struct mst_pod_spec *spec = &pod->spec;
    uint32_t n = spec->init_containers.n + spec->containers.n + spec->volumes.n;
    c->images.v = MST_NEW_N(&cluster->scratch, mst_sym, n);
    for (uint32_t i = 0; i < spec->init_containers.n; i++)
        c->images.v[c->images.n++] = image_name(cluster, spec->init_containers.v[i].image);
    for (uint32_t i = 0; i < spec->containers.n; i++)
        c->images.v[c->images.n++] = image_name(cluster, spec->containers.v[i].image);
    for (uint32_t i = 0; i < spec->volumes.n; i++)
        if (spec->volumes.v[i].source == MST_VOLUME_IMAGE)
            c->images.v[c->images.n++] = image_name(cluster, spec->volumes.v[i].id);
    c->image_slots = c->images.n;
}

static uint32_t volume_needs(const struct mst_pod_spec *spec)
{
    for (uint32_t i = 0; i < spec->volumes.n; i++)
        if (spec->volumes.v[i].source != MST_VOLUME_OTHER &&
            spec->volumes.v[i].source != MST_VOLUME_IMAGE)
            return MST_NEEDS_VOLUMES;
    return 0;
}

/*
 * The features that a node must have declared.
 * Source: kubernetes v1.37 staging component-helpers nodedeclaredfeatures/features.
 */
static uint32_t features_of(const struct mst_pod_spec *spec)
{
    uint32_t features = 0;
    if (spec->host_network && spec->host_users.set && !spec->host_users.value)
        features |= MST_FEATURE_USERNS_HOST_NET;
    if (spec->ephemeral_bind_mount_options)
        features |= MST_FEATURE_BIND_MOUNT;
    for (uint32_t i = 0; i < spec->containers.n + spec->init_containers.n; i++) {
        const struct mst_container *c = i < spec->containers.n
                                            ? &spec->containers.v[i]
                                            : &spec->init_containers.v[i - spec->containers.n];
        if (c->restarts_all)
            features |= MST_FEATURE_RESTART_ALL;
        if (c->bind_mount_options)
            features |= MST_FEATURE_BIND_MOUNT;
    }
    return features;
}

static uint32_t needs_of(struct mst_cluster *cluster, const struct mst_pod_spec *spec)
{
    uint32_t needs = volume_needs(spec) | (features_of(spec) ? MST_NEEDS_FEATURES : 0);
    if (spec->pod_affinity.required.n || spec->pod_anti_affinity.required.n)
        needs |= MST_NEEDS_POD_AFFINITY;
    for (uint32_t i = 0; i < spec->spread.n; i++)
        if (mst_str_is(mst_sym_str(cluster->syms, spec->spread.v[i].when_unsatisfiable),
                       "DoNotSchedule"))
            needs |= MST_NEEDS_SPREAD;
    if (spec->claims.n)
        needs |= MST_NEEDS_CLAIMS;
    return needs;
}

static bool has_scalar(struct mst_cluster *cluster, const struct mst_pod *pod)
{
    mst_requests requests = { 0 };
    mst_pod_requests(cluster->syms, pod, MST_REQUEST_POD_LEVEL, &cluster->scratch, &requests);
    for (uint32_t i = 0; i < requests.n; i++)
        if (mst_nodes_resource(&cluster->nodes, requests.v[i].name) >= MST_RES_FIXED &&
            mst_nodes_resource(&cluster->nodes, requests.v[i].name) != MST_RES_NONE)
            return true;
    return false;
}

/* What depends on the pods and selectors around: the labels that matter, the default selector. */
static void take_ties(struct mst_cluster *cluster, const struct mst_pod_ties *ties,
                      struct mst_class *c)
{
    c->default_selector = (struct mst_label_selector){ 0 };
    c->labels = UINT32_MAX;
    if (!cluster->pods_matter)
        return;
    c->labels = mst_labels_mentioned(cluster, ties->ns, ties->labels);
    if (!c->spread.n)
        mst_default_selector_for(cluster, ties, &cluster->scratch, &c->default_selector);
}

static void describe(struct mst_cluster *cluster, const struct mst_pod *pod, uint32_t profile,
                     struct mst_class *c)
{
    const struct mst_pod_spec *spec = &pod->spec;
    c->usage = mst_usage_of(cluster, pod, MST_REQUEST_POD_LEVEL);
    uint32_t score_mode = MST_REQUEST_DEFAULTS;
    if (cluster->fit_scores_whole_pod)
        score_mode |= MST_REQUEST_STATUS | MST_REQUEST_POD_LEVEL;
    c->score_amounts.n = mst_amounts_of(cluster, pod, score_mode, &c->score_amounts.v);
    c->balance_amounts.n = mst_amounts_of(cluster, pod, MST_REQUEST_STATUS | MST_REQUEST_POD_LEVEL,
                                          &c->balance_amounts.v);
    c->scalar_key = has_scalar(cluster, pod);
    c->profile = profile;
    c->needs = needs_of(cluster, spec);
    c->node_name = spec->node_name;
    c->tolerations.v = spec->tolerations.v;
    c->tolerations.n = spec->tolerations.n;
    c->node_selector_set = spec->node_selector_set;
    c->node_selector = spec->node_selector;
    c->node_affinity = spec->node_affinity;
    c->affinity = mst_affinity_of(cluster, pod);
    c->volumes = mst_volumes_of(cluster, pod);
    c->features = features_of(spec);
    c->spread.v = spec->spread.v;
    c->spread.n = spec->spread.n;
    take_images(cluster, pod, c);
    struct mst_pod_ties ties = { .ns = pod->meta.namespace_, .labels = pod->meta.labels };
    ties.controller = mst_controller_of(pod, &ties.controller_name);
    take_ties(cluster, &ties, c);
}

static uint32_t store(struct mst_cluster *cluster, struct mst_class *c)
{
    if (cluster->free_classes.n) {
        c->id = cluster->free_classes.v[--cluster->free_classes.n];
        cluster->classes.v[c->id] = c;
    } else {
        c->id = cluster->classes.n;
        mst_vec_push(&cluster->classes, c);
    }
    return c->id;
}

/* Gives back the references that a class holds. */
static void release(struct mst_cluster *cluster, const struct mst_class *c)
{
    mst_usage_unref(cluster, c->usage);
    mst_affinity_unref(cluster, c->affinity);
    mst_volumes_unref(cluster, c->volumes);
    if (c->labels != UINT32_MAX)
        mst_labels_unref(cluster, c->labels);
}

/* The class that equals the draft, whose references it takes over. */
static uint32_t intern(struct mst_cluster *cluster, const struct mst_class *draft)
{
    MST_AUTO(mst_buf) key = { 0 };
    class_key(draft, &key);
    uint64_t id;
    if (mst_map_get(&cluster->class_ids, mst_buf_span(&key), &id)) {
        release(cluster, draft);
        cluster->classes.v[id]->refs++;
        return (uint32_t)id;
    }
    struct mst_class *c = mst_calloc(1, sizeof(*c));
    *c = *draft;
    c->refs = 1;
    c->serial = ++cluster->class_serial;
    own(c);
    id = store(cluster, c);
    mst_map_set(&cluster->class_ids, mst_buf_span(&key), id);
    return (uint32_t)id;
}

uint32_t mst_class_of(struct mst_cluster *cluster, const struct mst_pod *pod, uint32_t profile)
{
    mst_keys_of_pod(cluster, pod);
    struct mst_class draft = { 0 };
    describe(cluster, pod, profile, &draft);
    return intern(cluster, &draft);
}

void mst_class_renew(struct mst_cluster *cluster, uint32_t pod)
{
    mst_arena_reset(&cluster->scratch);
    uint32_t old = cluster->pods.v[pod].class_id;
    struct mst_class draft = *cluster->classes.v[old];
    draft.arena = (struct mst_arena){ 0 };
    cluster->usages.v[draft.usage]->refs++;
    mst_affinity_ref(cluster, draft.affinity);
    mst_volumes_ref(cluster, draft.volumes);
    const struct mst_pod_ties ties = mst_pod_ties_of(cluster, pod);
    take_ties(cluster, &ties, &draft);
    cluster->pods.v[pod].class_id = intern(cluster, &draft);
    mst_class_unref(cluster, old); /* last: the draft borrows from it */
}

static void drop(struct mst_cluster *cluster, struct mst_class *c)
{
    MST_AUTO(mst_buf) key = { 0 };
    class_key(c, &key);
    mst_map_delete(&cluster->class_ids, mst_buf_span(&key));
    release(cluster, c);
    cluster->classes.v[c->id] = NULL;
    mst_vec_push(&cluster->free_classes, c->id);
    mst_arena_done(&c->arena);
    mst_free(c);
}

void mst_class_unref(struct mst_cluster *cluster, uint32_t id)
{
    struct mst_class *c = cluster->classes.v[id];
    mst_assert(c->refs > 0);
    if (--c->refs)
        return;
    mst_vec_push(&cluster->idle_classes, c->serial << 32 | id);
    while (cluster->idle_classes.n - cluster->idle_begin > IDLE_MAX) {
        uint64_t entry = cluster->idle_classes.v[cluster->idle_begin++];
        struct mst_class *old = cluster->classes.v[(uint32_t)entry];
        if (old && (uint32_t)old->serial == (uint32_t)(entry >> 32) && old->refs == 0)
            drop(cluster, old);
    }
    if (cluster->idle_begin > IDLE_MAX) { /* the list is a queue: move it to the front at times */
        cluster->idle_classes.n -= cluster->idle_begin;
        memmove(cluster->idle_classes.v, cluster->idle_classes.v + cluster->idle_begin,
                cluster->idle_classes.n * sizeof(*cluster->idle_classes.v));
        cluster->idle_begin = 0;
    }
}

void mst_classes_done(struct mst_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->classes.n; i++)
        if (cluster->classes.v[i]) {
            mst_arena_done(&cluster->classes.v[i]->arena);
            mst_free(cluster->classes.v[i]);
        }
    mst_vec_done(&cluster->classes);
    mst_vec_done(&cluster->free_classes);
    mst_vec_done(&cluster->idle_classes);
    mst_map_done(&cluster->class_ids);
}

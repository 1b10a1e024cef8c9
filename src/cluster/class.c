/*
 * class.c - pod classes: made from a pod's spec, found again by their bytes, kept while in use.
 *
 * Owns:       the classes. One that lost its last pod stays for a while (IDLE_MAX of them): the
 * next pod of the same job finds it, and what is cached about it, again. Invariants: two pods get
 * the same id exactly if their keys are byte-equal.
 */
#include "cluster/cluster_internal.h"

enum { IDLE_MAX = 1024 };

/* ---- key: every field that decides, in one fixed order ---- */

static void put_u32(struct mst_buf *key, uint32_t v)
{
    mst_buf_add(key, &v, sizeof(v));
}

static void put_i64(struct mst_buf *key, int64_t v)
{
    mst_buf_add(key, &v, sizeof(v));
}

static void put_labels(struct mst_buf *key, const mst_labels *labels)
{
    put_u32(key, labels->n);
    for (uint32_t i = 0; i < labels->n; i++) {
        put_u32(key, labels->v[i].key);
        put_u32(key, labels->v[i].value);
    }
}

static void put_requirements(struct mst_buf *key, const mst_requirements *list)
{
    put_u32(key, list->n);
    for (uint32_t i = 0; i < list->n; i++) {
        put_u32(key, list->v[i].key);
        put_u32(key, list->v[i].op);
        put_u32(key, (uint32_t)list->v[i].op_text.n);
        mst_buf_str(key, list->v[i].op_text);
        put_u32(key, list->v[i].values.n);
        for (uint32_t k = 0; k < list->v[i].values.n; k++)
            put_u32(key, list->v[i].values.v[k]);
    }
}

static void put_term(struct mst_buf *key, const struct mst_node_selector_term *term)
{
    put_requirements(key, &term->match_expressions);
    put_requirements(key, &term->match_fields);
}

static void put_node_affinity(struct mst_buf *key, const struct mst_node_affinity *a)
{
    put_u32(key, a->set | a->required.set << 1 | a->preferred_set << 2);
    put_u32(key, a->required.terms.n);
    for (uint32_t i = 0; i < a->required.terms.n; i++)
        put_term(key, &a->required.terms.v[i]);
    put_u32(key, a->preferred.n);
    for (uint32_t i = 0; i < a->preferred.n; i++) {
        put_i64(key, a->preferred.v[i].weight);
        put_term(key, &a->preferred.v[i].preference);
    }
}

static void put_tolerations(struct mst_buf *key, const struct mst_toleration *v, uint32_t n)
{
    put_u32(key, n);
    for (uint32_t i = 0; i < n; i++) {
        put_u32(key, v[i].key);
        put_u32(key, v[i].op);
        put_u32(key, v[i].value);
        put_u32(key, v[i].effect);
    }
}

static void put_amounts(struct mst_buf *key, const struct mst_amount *v, uint32_t n)
{
    put_u32(key, n);
    for (uint32_t i = 0; i < n; i++) {
        put_u32(key, v[i].resource);
        put_i64(key, v[i].amount);
    }
}

static void class_key(const struct mst_class *c, struct mst_buf *key)
{
    put_u32(key, c->profile);
    put_u32(key, c->usage);
    put_u32(key, c->needs);
    put_u32(key, c->node_name);
    put_u32(key, c->scalar_key | c->node_selector_set << 1);
    put_u32(key, c->image_slots);
    put_u32(key, c->images.n);
    for (uint32_t i = 0; i < c->images.n; i++)
        put_u32(key, c->images.v[i]);
    put_amounts(key, c->score_amounts.v, c->score_amounts.n);
    put_amounts(key, c->balance_amounts.v, c->balance_amounts.n);
    put_tolerations(key, c->tolerations.v, c->tolerations.n);
    put_labels(key, &c->node_selector);
    put_node_affinity(key, &c->node_affinity);
}

/* ---- deep copies into the class's arena ---- */

static mst_sym_list copy_syms(struct mst_arena *arena, mst_sym_list from)
{
    mst_sym_list to = { MST_NEW_N(arena, mst_sym, from.n), from.n };
    if (from.n)
        memcpy(to.v, from.v, from.n * sizeof(*to.v));
    return to;
}

static mst_requirements copy_requirements(struct mst_arena *arena, mst_requirements from)
{
    mst_requirements to = { MST_NEW_N(arena, struct mst_requirement, from.n), from.n };
    for (uint32_t i = 0; i < from.n; i++) {
        to.v[i] = from.v[i];
        to.v[i].op_text = mst_arena_str(arena, from.v[i].op_text);
        to.v[i].values = copy_syms(arena, from.v[i].values);
    }
    return to;
}

static struct mst_node_selector_term copy_term(struct mst_arena *arena,
                                               const struct mst_node_selector_term *from)
{
    return (struct mst_node_selector_term){
        copy_requirements(arena, from->match_expressions),
        copy_requirements(arena, from->match_fields),
    };
}

static void copy_node_affinity(struct mst_arena *arena, struct mst_node_affinity *a)
{
    struct mst_node_selector_term *terms =
        MST_NEW_N(arena, struct mst_node_selector_term, a->required.terms.n);
    for (uint32_t i = 0; i < a->required.terms.n; i++)
        terms[i] = copy_term(arena, &a->required.terms.v[i]);
    a->required.terms.v = terms;
    struct mst_preferred_node *preferred =
        MST_NEW_N(arena, struct mst_preferred_node, a->preferred.n);
    for (uint32_t i = 0; i < a->preferred.n; i++)
        preferred[i] = (struct mst_preferred_node){
            a->preferred.v[i].weight,
            copy_term(arena, &a->preferred.v[i].preference),
        };
    a->preferred.v = preferred;
}

static void *copy_array(struct mst_arena *arena, const void *from, size_t bytes)
{
    void *to = mst_arena_alloc(arena, bytes);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

/* Moves what `c` borrows from a pod and from scratch into its own arena. */
static void own(struct mst_class *c)
{
    struct mst_arena *arena = &c->arena;
    c->images = copy_syms(arena, c->images);
    c->score_amounts.v =
        copy_array(arena, c->score_amounts.v, c->score_amounts.n * sizeof(struct mst_amount));
    c->balance_amounts.v =
        copy_array(arena, c->balance_amounts.v, c->balance_amounts.n * sizeof(struct mst_amount));
    c->tolerations.v =
        copy_array(arena, c->tolerations.v, c->tolerations.n * sizeof(struct mst_toleration));
    c->node_selector.v =
        copy_array(arena, c->node_selector.v, c->node_selector.n * sizeof(struct mst_label));
    copy_node_affinity(arena, &c->node_affinity);
}

/* ---- from a pod ---- */

/* "nginx" means "nginx:latest": append it when the last ':' is not after the last '/'. */
static mst_sym image_name(struct mst_cluster *cluster, mst_sym image)
{
    struct mst_str s = mst_sym_str(cluster->syms, image);
    bool colon = false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == ':')
            colon = true;
        else if (s.p[i] == '/')
            colon = false;
    }
    if (colon)
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

static uint32_t feature_needs(const struct mst_pod_spec *spec)
{
    if (spec->host_network && spec->host_users.set && !spec->host_users.value)
        return MST_NEEDS_FEATURES;
    for (uint32_t i = 0; i < spec->containers.n; i++)
        if (spec->containers.v[i].restarts_all || spec->containers.v[i].bind_mount_options)
            return MST_NEEDS_FEATURES;
    for (uint32_t i = 0; i < spec->init_containers.n; i++)
        if (spec->init_containers.v[i].restarts_all ||
            spec->init_containers.v[i].bind_mount_options)
            return MST_NEEDS_FEATURES;
    return 0;
}

static uint32_t needs_of(struct mst_cluster *cluster, const struct mst_pod_spec *spec)
{
    uint32_t needs = volume_needs(spec) | feature_needs(spec);
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
    take_images(cluster, pod, c);
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

uint32_t mst_class_of(struct mst_cluster *cluster, const struct mst_pod *pod, uint32_t profile)
{
    struct mst_class draft = { 0 };
    describe(cluster, pod, profile, &draft);
    MST_AUTO(mst_buf) key = { 0 };
    class_key(&draft, &key);
    uint64_t id;
    if (mst_map_get(&cluster->class_ids, mst_buf_span(&key), &id)) {
        mst_usage_unref(cluster, draft.usage); /* the class holds one */
        cluster->classes.v[id]->refs++;
        return (uint32_t)id;
    }
    struct mst_class *c = mst_calloc(1, sizeof(*c));
    *c = draft;
    c->refs = 1;
    c->serial = ++cluster->class_serial;
    own(c);
    id = store(cluster, c);
    mst_map_set(&cluster->class_ids, mst_buf_span(&key), id);
    return (uint32_t)id;
}

static void drop(struct mst_cluster *cluster, struct mst_class *c)
{
    MST_AUTO(mst_buf) key = { 0 };
    class_key(c, &key);
    mst_map_delete(&cluster->class_ids, mst_buf_span(&key));
    mst_usage_unref(cluster, c->usage);
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

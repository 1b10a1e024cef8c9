/*
 * signature.c - the canonical bytes of a pod as the plugins of a profile see it, and their digest.
 *
 * Names are put as symbols: the digests mean something within one engine only.
 */
#include "framework/signature.h"

#include "base/sort.h"
#include "cluster/copy.h"

/* ---- parts that are kept in any order, each made into bytes first ---- */

struct parts {
    struct mst_arena *arena;
    struct mst_str *v;
    uint32_t n;
};

static struct parts parts_of(struct mst_arena *arena, uint32_t room)
{
    return (struct parts){ .arena = arena, .v = MST_NEW_N(arena, struct mst_str, room) };
}

/* Takes the bytes over as one more part. */
static void add_part(struct parts *parts, struct mst_buf *bytes)
{
    parts->v[parts->n++] = mst_arena_str(parts->arena, mst_buf_span(bytes));
    bytes->n = 0;
}

static int compare_parts(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(*(const struct mst_str *)a, *(const struct mst_str *)b);
}

/* Sorted; equal ones once if `distinct`. */
static void put_parts(struct mst_buf *key, struct parts *parts, bool distinct)
{
    mst_sort(parts->v, parts->n, sizeof(*parts->v), compare_parts, NULL);
    uint32_t n = 0;
    for (uint32_t i = 0; i < parts->n; i++)
        if (!distinct || i == 0 || !mst_str_eq(parts->v[i], parts->v[n - 1]))
            parts->v[n++] = parts->v[i];
    mst_put_u32(key, n);
    for (uint32_t i = 0; i < n; i++) {
        mst_put_u32(key, (uint32_t)parts->v[i].n);
        mst_buf_str(key, parts->v[i]);
    }
}

/* ---- what the plugins sign ---- */

struct signing {
    const struct mst_framework *fw;
    const struct mst_pod *pod;
    uint32_t row;
    struct mst_arena *arena;
    struct mst_buf *key; /* the whole */
    struct mst_buf part; /* scratch */
};

static void put_map(struct signing *s, mst_labels map)
{
    struct parts parts = parts_of(s->arena, map.n);
    for (uint32_t i = 0; i < map.n; i++) {
        mst_put_u32(&s->part, map.v[i].key);
        mst_put_u32(&s->part, map.v[i].value);
        add_part(&parts, &s->part);
    }
    put_parts(s->key, &parts, false);
}

struct by_text {
    const struct mst_syms *syms;
};

/* By key and value, as text; of equal ones the order in the pod decides, and then they differ. */
static int compare_tolerations(const void *a_, const void *b_, void *ctx)
{
    const struct mst_toleration *a = a_, *b = b_;
    const struct by_text *by = ctx;
    int order = mst_str_cmp(mst_sym_str(by->syms, a->key), mst_sym_str(by->syms, b->key));
    return order ? order
                 : mst_str_cmp(mst_sym_str(by->syms, a->value), mst_sym_str(by->syms, b->value));
}

static void put_tolerations(struct signing *s)
{
    const uint32_t n = s->pod->spec.tolerations.n;
    struct mst_toleration *v = mst_copy_bytes(s->arena, s->pod->spec.tolerations.v, n * sizeof(*v));
    struct by_text by = { s->fw->view.syms };
    mst_sort(v, n, sizeof(*v), compare_tolerations, &by);
    mst_put_u32(s->key, n);
    for (uint32_t i = 0; i < n; i++) {
        mst_put_u32(s->key, v[i].key);
        mst_put_u32(s->key, v[i].op);
        mst_put_u32(s->key, v[i].value);
        mst_put_u32(s->key, v[i].effect);
        mst_put_u32(s->key, v[i].seconds.set);
        mst_put_i64(s->key, v[i].seconds.set ? v[i].seconds.value : 0);
    }
}

static int compare_syms(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    mst_sym x = *(const mst_sym *)a, y = *(const mst_sym *)b;
    return (x > y) - (x < y);
}

/* A requirement's values in any order, requirements in any order. */
static void put_requirements(struct signing *s, mst_requirements list, struct mst_buf *out)
{
    struct parts parts = parts_of(s->arena, list.n);
    MST_AUTO(mst_buf) bytes = { 0 };
    for (uint32_t i = 0; i < list.n; i++) {
        const struct mst_requirement *r = &list.v[i];
        mst_sym_list values = mst_copy_syms(s->arena, r->values);
        mst_sort(values.v, values.n, sizeof(*values.v), compare_syms, NULL);
        mst_put_u32(&bytes, r->key);
        mst_put_u32(&bytes, r->op);
        mst_put_syms(&bytes, values);
        add_part(&parts, &bytes);
    }
    put_parts(out, &parts, false);
}

static void put_term(struct signing *s, const struct mst_node_selector_term *term)
{
    put_requirements(s, term->match_expressions, &s->part);
    put_requirements(s, term->match_fields, &s->part);
}

static void put_node_affinity(struct signing *s)
{
    const struct mst_node_affinity *a = &s->pod->spec.node_affinity;
    put_map(s, s->pod->spec.node_selector);
    mst_put_u32(s->key, a->set);
    struct parts required = parts_of(s->arena, a->required.terms.n);
    for (uint32_t i = 0; i < a->required.terms.n; i++) {
        put_term(s, &a->required.terms.v[i]);
        add_part(&required, &s->part);
    }
    put_parts(s->key, &required, false);
    struct parts preferred = parts_of(s->arena, a->preferred.n);
    for (uint32_t i = 0; i < a->preferred.n; i++) {
        mst_put_i64(&s->part, a->preferred.v[i].weight);
        put_term(s, &a->preferred.v[i].preference);
        add_part(&preferred, &s->part);
    }
    put_parts(s->key, &preferred, false);
}

static const struct mst_container *container_at(const struct mst_pod_spec *spec, uint32_t i)
{
    return i < spec->containers.n ? &spec->containers.v[i]
                                  : &spec->init_containers.v[i - spec->containers.n];
}

/* Numbers only, of every container: protocol and address do not count. */
static void put_ports(struct signing *s)
{
    const struct mst_pod_spec *spec = &s->pod->spec;
    uint32_t n = spec->containers.n + spec->init_containers.n, room = 0;
    for (uint32_t i = 0; i < n; i++)
        room += container_at(spec, i)->ports.n;
    struct parts parts = parts_of(s->arena, room);
    for (uint32_t i = 0; i < n; i++) {
        const struct mst_container *c = container_at(spec, i);
        for (uint32_t k = 0; k < c->ports.n; k++) {
            if (!c->ports.v[k].host_port)
                continue;
            mst_put_i64(&s->part, c->ports.v[k].host_port);
            add_part(&parts, &s->part);
        }
    }
    put_parts(s->key, &parts, true);
}

static void put_images(struct signing *s)
{
    const struct mst_pod_spec *spec = &s->pod->spec;
    uint32_t n = spec->containers.n + spec->init_containers.n;
    struct parts parts = parts_of(s->arena, n);
    for (uint32_t i = 0; i < n; i++) {
        struct mst_str name = mst_sym_str(s->fw->view.syms, container_at(spec, i)->image);
        mst_buf_str(&s->part, name);
        if (mst_image_lacks_tag(name))
            mst_buf_text(&s->part, ":latest");
        add_part(&parts, &s->part);
    }
    put_parts(s->key, &parts, true);
}

/* Of cpu, memory and ephemeral storage 0 is as good as absent; other resources are a map. */
static void put_resources(struct signing *s)
{
    mst_requests requests = { 0 };
    mst_pod_requests(s->fw->view.syms, s->pod, MST_REQUEST_POD_LEVEL, s->arena, &requests);
    for (uint32_t i = 0; i < requests.n; i++) {
        struct mst_str name = mst_sym_str(s->fw->view.syms, requests.v[i].name);
        bool field = mst_str_is(name, "cpu") || mst_str_is(name, "memory") ||
                     mst_str_is(name, "ephemeral-storage");
        if (field && !requests.v[i].amount)
            continue;
        mst_put_u32(s->key, requests.v[i].name);
        mst_put_i64(s->key, requests.v[i].amount);
    }
    mst_put_u32(s->key, UINT32_MAX);
}

/* False when some volume was not decoded from a document, so that nobody knows all it says. */
static bool put_volumes(struct signing *s)
{
    const struct mst_pod_spec *spec = &s->pod->spec;
    struct parts parts = parts_of(s->arena, spec->volumes.n);
    for (uint32_t i = 0; i < spec->volumes.n; i++) {
        const struct mst_volume *volume = &spec->volumes.v[i];
        if (volume->synthetic)
            continue;
        if (!volume->source_value)
            return false;
        mst_put_i64(&s->part, (int64_t)mst_source_hash(volume->source_name, volume->source_value));
        add_part(&parts, &s->part);
    }
    put_parts(s->key, &parts, false);
    return true;
}

static void put_features(struct signing *s)
{
    const struct mst_cluster *cluster = s->fw->view.cluster;
    mst_put_u32(s->key, mst_cluster_class(cluster, cluster->pods.v[s->row].class_id)->features);
}

/* All parts that some plugin signs; 0: one of them refuses. */
static uint32_t parts_signed(const struct mst_framework *fw, const struct mst_pod *pod)
{
    uint32_t signs = MST_SIGNS_NOTHING;
    if (fw->refuses_claims && pod->spec.claims.n)
        return 0;
    for (uint32_t slot = 0; slot < fw->slot_count; slot++) {
        if (!(fw->signing >> slot & 1))
            continue;
        const struct mst_plugin *plugin = fw->slots[slot].plugin;
        uint32_t mine = plugin->sign ? plugin->sign(fw->slots[slot].instance, pod) : plugin->signs;
        if (!mine)
            return 0;
        signs |= mine;
    }
    return signs;
}

struct mst_signature mst_sign_pod(const struct mst_framework *fw, uint32_t row,
                                  const struct mst_pod *pod, struct mst_arena *arena)
{
    const struct mst_signature none = { 0 };
    uint32_t signs = fw->signs ? parts_signed(fw, pod) : 0;
    if (!signs)
        return none;
    MST_AUTO(mst_buf) key = { 0 };
    struct signing s = { .fw = fw, .pod = pod, .row = row, .arena = arena, .key = &key };
    mst_put_u32(&key, fw->profile); /* the scheduler's name */
    mst_put_u32(&key, signs);
    if (signs & MST_SIGNS_NODE_NAME)
        mst_put_u32(&key, pod->spec.node_name);
    if (signs & MST_SIGNS_TOLERATIONS)
        put_tolerations(&s);
    if (signs & MST_SIGNS_NODE_AFFINITY)
        put_node_affinity(&s);
    if (signs & MST_SIGNS_PORTS)
        put_ports(&s);
    if (signs & MST_SIGNS_RESOURCES)
        put_resources(&s);
    const bool known = !(signs & MST_SIGNS_VOLUMES) || put_volumes(&s);
    if (signs & MST_SIGNS_LABELS)
        put_map(&s, pod->meta.labels);
    if (signs & MST_SIGNS_IMAGES)
        put_images(&s);
    if (signs & MST_SIGNS_FEATURES)
        put_features(&s);
    mst_buf_done(&s.part);
    if (!known)
        return none;
    struct mst_signature out;
    mst_hash_wide(key.p, key.n, out.half);
    out.half[0] |= !mst_signature_set(out); /* never the one that means none */
    return out;
}

/*
 * volumes_copy.c - a storage object in one block of memory, with what the scheduler reads of it.
 *
 * Copying runs twice: once without memory, to learn how much is needed, and once into it. The two
 *                     runs
 * take the same steps, so they agree.
 */
#include "cluster/volumes_internal.h"

struct packer {
    char *at; /* NULL: only count */
    size_t n;
};

/* Room for `bytes`, the first `n` of them copied. */
static void *pack_room(struct packer *p, const void *from, size_t n, size_t bytes)
{
    size_t rounded = (bytes + 15) & ~(size_t)15;
    void *to = p->at;
    p->n += rounded;
    if (!p->at)
        return NULL;
    if (n)
        memcpy(to, from, n);
    p->at += rounded;
    return to;
}

static void *pack(struct packer *p, const void *from, size_t bytes)
{
    return pack_room(p, from, bytes, bytes);
}

/* The block is zeroed: the byte behind is the NUL. */
static struct mst_str pack_str(struct packer *p, struct mst_str s)
{
    if (!s.p)
        return s;
    return (struct mst_str){ pack_room(p, s.p, s.n, s.n + 1), s.n };
}

#define PACK_LIST(p, list) ((list).v = pack((p), (list).v, (list).n * sizeof(*(list).v)))

static void pack_quantity(struct mst_quantity *q)
{
    q->kept = MST_STR_NONE; /* nobody prints it from here */
}

static void pack_resources(struct packer *p, mst_resources *list)
{
    PACK_LIST(p, *list);
    for (uint32_t i = 0; p->at && i < list->n; i++)
        pack_quantity(&list->v[i].quantity);
}

static void pack_requirements(struct packer *p, mst_requirements *list)
{
    const struct mst_requirement *from = list->v;
    struct mst_requirement *to = PACK_LIST(p, *list);
    for (uint32_t i = 0; i < list->n; i++) {
        struct mst_requirement r = from[i];
        r.op_text = pack_str(p, r.op_text);
        PACK_LIST(p, r.values);
        if (to)
            to[i] = r;
    }
}

static void pack_label_selector(struct packer *p, struct mst_label_selector *selector)
{
    PACK_LIST(p, selector->match_labels);
    pack_requirements(p, &selector->match_expressions);
}

static void pack_node_selector(struct packer *p, struct mst_node_selector *selector)
{
    const struct mst_node_selector_term *from = selector->terms.v;
    struct mst_node_selector_term *to = PACK_LIST(p, selector->terms);
    for (uint32_t i = 0; i < selector->terms.n; i++) {
        struct mst_node_selector_term term = from[i];
        pack_requirements(p, &term.match_expressions);
        pack_requirements(p, &term.match_fields);
        if (to)
            to[i] = term;
    }
}

/* Annotations can be long (kubectl keeps a whole object in one): the ones that decide are kept. */
static bool is_read(struct mst_str key)
{
    static const char *const read[] = { MST_ANN_BIND_COMPLETED, MST_ANN_BOUND_BY_CONTROLLER,
                                        MST_ANN_SELECTED_NODE, MST_ANN_BETA_CLASS,
                                        MST_ANN_MIGRATED };
    for (size_t i = 0; i < MST_COUNT(read); i++)
        if (mst_str_is(key, read[i]))
            return true;
    return false;
}

static void pack_annotations(struct packer *p, struct mst_meta *meta)
{
    const struct mst_annotation *from = meta->annotations.v;
    const uint32_t n = meta->annotations.n;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        kept += is_read(from[i].key);
    struct mst_annotation *to = pack(p, from, kept * sizeof(*to));
    meta->annotations.v = to;
    meta->annotations.n = kept;
    kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_read(from[i].key))
            continue;
        struct mst_annotation a = { pack_str(p, from[i].key), pack_str(p, from[i].value) };
        if (to)
            to[kept++] = a;
    }
}

static void pack_owners(struct packer *p, struct mst_meta *meta)
{
    const struct mst_owner *from = meta->owners.v;
    struct mst_owner *to = PACK_LIST(p, meta->owners);
    for (uint32_t i = 0; i < meta->owners.n; i++) {
        struct mst_owner owner = from[i];
        owner.api_version = owner.kind = owner.name = MST_STR_NONE;
        owner.uid = pack_str(p, owner.uid);
        if (to)
            to[i] = owner;
    }
}

static void pack_meta(struct packer *p, struct mst_meta *meta)
{
    meta->name = pack_str(p, meta->name);
    meta->uid = pack_str(p, meta->uid);
    meta->resource_version = pack_str(p, meta->resource_version);
    meta->generate_name = MST_STR_NONE;
    meta->finalizers = (mst_strs){ 0 };
    PACK_LIST(p, meta->labels);
    pack_annotations(p, meta);
    pack_owners(p, meta);
}

static void pack_pv(struct packer *p, struct mst_pv *pv)
{
    pack_resources(p, &pv->capacity);
    PACK_LIST(p, pv->access_modes);
    pv->handle = pack_str(p, pv->handle);
    pv->disk_kind = pack_str(p, pv->disk_kind);
    pv->claim_name = pack_str(p, pv->claim_name);
    pv->claim_uid = pack_str(p, pv->claim_uid);
    pack_node_selector(p, &pv->required);
}

static void pack_pvc(struct packer *p, struct mst_pvc *pvc)
{
    PACK_LIST(p, pvc->access_modes);
    pack_label_selector(p, &pvc->selector);
    pack_resources(p, &pvc->requests);
    pvc->volume_name = pack_str(p, pvc->volume_name);
}

static void pack_storage_class(struct packer *p, struct mst_storage_class *class)
{
    const struct mst_topology_term *from = class->allowed_topologies.v;
    struct mst_topology_term *to = PACK_LIST(p, class->allowed_topologies);
    for (uint32_t i = 0; i < class->allowed_topologies.n; i++) {
        struct mst_topology_term term = from[i];
        pack_requirements(p, &term.expressions);
        if (to)
            to[i] = term;
    }
}

static void pack_csi_node(struct packer *p, struct mst_csi_node *node)
{
    PACK_LIST(p, node->drivers);
}

static void pack_capacity(struct packer *p, struct mst_csi_storage_capacity *c)
{
    pack_label_selector(p, &c->node_topology);
    pack_quantity(&c->capacity.value);
    pack_quantity(&c->maximum.value);
}

static size_t size_of(mst_kind kind)
{
    static const size_t sizes[MST_KIND_COUNT] = {
        [MST_KIND_PV] = sizeof(struct mst_pv),
        [MST_KIND_PVC] = sizeof(struct mst_pvc),
        [MST_KIND_STORAGE_CLASS] = sizeof(struct mst_storage_class),
        [MST_KIND_CSI_NODE] = sizeof(struct mst_csi_node),
        [MST_KIND_CSI_DRIVER] = sizeof(struct mst_csi_driver),
        [MST_KIND_CSI_STORAGE_CAPACITY] = sizeof(struct mst_csi_storage_capacity),
        [MST_KIND_VOLUME_ATTACHMENT] = sizeof(struct mst_volume_attachment),
    };
    mst_assert(sizes[kind] > 0);
    return sizes[kind];
}

static void pack_object(struct packer *p, struct mst_object *o)
{
    pack_meta(p, &o->u.meta);
    if (o->kind == MST_KIND_PV)
        pack_pv(p, &o->u.pv);
    else if (o->kind == MST_KIND_PVC)
        pack_pvc(p, &o->u.pvc);
    else if (o->kind == MST_KIND_STORAGE_CLASS)
        pack_storage_class(p, &o->u.storage_class);
    else if (o->kind == MST_KIND_CSI_NODE)
        pack_csi_node(p, &o->u.csi_node);
    else if (o->kind == MST_KIND_CSI_STORAGE_CAPACITY)
        pack_capacity(p, &o->u.csi_storage_capacity);
    else if (o->kind == MST_KIND_VOLUME_ATTACHMENT)
        o->u.volume_attachment.pv_name = pack_str(p, o->u.volume_attachment.pv_name);
}

struct mst_stored *mst_stored_copy(const struct mst_object *object, struct mst_str key)
{
    const size_t own = offsetof(struct mst_object, u) + size_of(object->kind);
    const size_t head = (offsetof(struct mst_stored, object) + own + 15) & ~(size_t)15;
    struct mst_object draft;
    memset(&draft, 0, sizeof(draft));
    memcpy(&draft, object, own);
    draft.source = NULL;
    draft.api_version = MST_STR_NONE;
    struct mst_object measured = draft;
    struct packer p = { 0 };
    pack_object(&p, &measured);
    (void)pack_str(&p, key);
    const size_t bytes = head + p.n;
    char *block = mst_calloc(bytes, 1);
    struct mst_stored *stored = (struct mst_stored *)block;
    p = (struct packer){ .at = block + head };
    pack_object(&p, &draft);
    stored->key = pack_str(&p, key);
    mst_assert(head + p.n == bytes);
    memcpy(&stored->object, &draft, own);
    return stored;
}

/*
 * storage_helper.h - storage objects beside the pods and nodes of a fixture.
 */
#ifndef MST_STORAGE_HELPER_H
#define MST_STORAGE_HELPER_H

#include "cluster/volumes.h"
#include "cluster_helper.h"

#define NODE(name, labels)                                                                         \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name ", labels: {" labels "}}\n"
#define POD(name, volumes)                                                                         \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name ", uid: u-" name "}\n"                \
    "spec: {containers: [{name: c, image: i}], volumes: [" volumes "]}\n"
#define POD_ON(name, node, volumes)                                                                \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name ", uid: u-" name "}\n"                \
    "spec: {nodeName: " node ", containers: [{name: c, image: i}], volumes: [" volumes "]}\n"
#define PVC(name, spec, meta)                                                                      \
    "---\nkind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {name: " name                     \
    ", namespace: default, uid: c-" name ", " meta "}\nspec: {" spec "}\n"
#define PV(name, spec, meta)                                                                       \
    "---\nkind: PersistentVolume\napiVersion: v1\nmetadata: {name: " name ", " meta                \
    "}\nspec: {" spec "}\nstatus: {phase: Available}\n"
#define CLASS(name, rest)                                                                          \
    "---\nkind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {name: " name "}\n" rest "\n"
#define BOUND "annotations: {pv.kubernetes.io/bind-completed: 'yes'}"
#define CLAIM(name) "{name: v-" name ", persistentVolumeClaim: {claimName: " name "}}"

static inline bool storage_add(void *ctx, struct mst_object *object)
{
    struct mst_fixture *f = ctx;
    mst_vol_kind kind;
    if (!mst_volumes_kind(object->kind, &kind))
        return fixture_object(ctx, object);
    mst_api_default(&f->api, object);
    if (!mst_api_admit(&f->api, object, fixture_no_class, NULL))
        fixture_die(f, "not admitted");
    const struct mst_object *old;
    (void)mst_volumes_set(&f->cluster, object, &old);
    return true;
}

/* Adds or updates the objects of a text, storage objects too. */
static inline void storage_apply(struct mst_fixture *f, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    mst_rc rc;
    mst_yaml_init(&reader, mst_arena_str(&f->arena, mst_str_of(yaml)));
    while ((rc = mst_yaml_next(&reader, &f->arena, &f->diags, &doc)) == MST_OK)
        (void)mst_api_decode(&f->api, doc, storage_add, f);
    if (rc != MST_ENOTFOUND || f->diags.error_count)
        fixture_die(f, "cannot read the objects");
}

static inline const struct mst_object *storage_object(struct mst_fixture *f, mst_vol_kind kind,
                                                      const char *key)
{
    const struct mst_stored *stored = mst_volumes_get(&f->cluster, kind, mst_str_of(key));
    if (!stored)
        fixture_die(f, key);
    return &stored->object;
}

/* A stored object is only as long as its kind needs. */
static inline struct mst_object storage_copy(struct mst_fixture *f, mst_vol_kind kind,
                                             const char *key)
{
    const struct mst_object *from = storage_object(f, kind, key);
    struct mst_object to = { .kind = from->kind };
    if (kind == MST_VOL_CLASS)
        to.u.storage_class = from->u.storage_class;
    else if (kind == MST_VOL_CSI_DRIVER)
        to.u.csi_driver = from->u.csi_driver;
    else if (kind == MST_VOL_PV)
        to.u.pv = from->u.pv;
    else if (kind == MST_VOL_PVC)
        to.u.pvc = from->u.pvc;
    else
        fixture_die(f, key);
    return to;
}

/* As no API server leaves it: its defaults have a mode. */
static inline void storage_class_without_mode(struct mst_fixture *f, const char *name)
{
    struct mst_object object = storage_copy(f, MST_VOL_CLASS, name);
    const struct mst_object *old;
    object.u.storage_class.binding_mode = MST_SYM_NONE;
    (void)mst_volumes_set(&f->cluster, &object, &old);
}

#endif

/*
 * schema_fields.h - the words in which the tables of fields are written, and the tables that
 * several kinds share.
 *
 * Rows are in the order of upstream's Go structs, in which an API server prints them. Fields that
 * upstream has and muster does not model are rows too (SKIP): only what nobody knows is reported.
 */
#ifndef MST_SCHEMA_FIELDS_H
#define MST_SCHEMA_FIELDS_H

#include "api/api_internal.h"

#define NAME(json) .name = (json), .name_n = sizeof(json) - 1
#define FIELD(kind_, tag, member, json)                                                            \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_##kind_, .offset = offsetof(struct tag, member)              \
    }
/* As FIELD, and the bool `set` becomes true when the field is there. */
#define FIELD_SET(kind_, tag, member, set, json)                                                   \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_##kind_, .offset = offsetof(struct tag, member),             \
                    .flag = offsetof(struct tag, set), .flag_op = MST_FLAG_BOOL                    \
    }
#define SKIP(json)                                                                                 \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_IGNORED                                                      \
    }
#define SUB(tag, member, schema, json)                                                             \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_OBJECT, .offset = offsetof(struct tag, member),              \
                    .sub = &(schema)                                                               \
    }
#define LIST(tag, member, schema, json)                                                            \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_LIST, .offset = offsetof(struct tag, member),                \
                    .sub = &(schema)                                                               \
    }
#define LIST_SET(tag, member, set, schema, json)                                                   \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_LIST, .offset = offsetof(struct tag, member),                \
                    .sub = &(schema), .flag = offsetof(struct tag, set), .flag_op = MST_FLAG_BOOL  \
    }
/* A JSON object whose fields live in the struct at hand. */
#define INLINE(schema, json)                                                                       \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_OBJECT, .sub = &(schema)                                     \
    }
#define INLINE_SET(tag, set, schema, json)                                                         \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_OBJECT, .sub = &(schema), .flag = offsetof(struct tag, set), \
                    .flag_op = MST_FLAG_BOOL                                                       \
    }
#define INLINE_OR(tag, bits, value_, schema, json)                                                 \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_OBJECT, .sub = &(schema),                                    \
                    .flag = offsetof(struct tag, bits), .flag_op = MST_FLAG_OR,                    \
                    .flag_value = (value_)                                                         \
    }
#define HOOK(tag, member, fn, json)                                                                \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_HOOK, .offset = offsetof(struct tag, member), .hook = (fn)   \
    }
#define SOURCE(source_, schema, json)                                                              \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_OBJECT, .sub = &(schema), .flag_op = MST_FLAG_SOURCE,        \
                    .flag_value = (source_)                                                        \
    }
#define SOURCE_SKIP(json)                                                                          \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_IGNORED, .flag_op = MST_FLAG_SOURCE,                         \
                    .flag_value = MST_VOLUME_OTHER                                                 \
    }
#define SOURCE_SYNTHETIC(json)                                                                     \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_IGNORED, .flag_op = MST_FLAG_SYNTHETIC,                      \
                    .flag_value = MST_VOLUME_OTHER                                                 \
    }
/* An element that is a bare value inside an object, as in [{"name": "a"}]. */
#define BARE(kind_, json)                                                                          \
    {                                                                                              \
        NAME(json), .kind = MST_FIELD_##kind_                                                      \
    }

#define SCHEMA(name_, tag, init_)                                                                  \
    static const struct mst_schema name_ = { name_##_fields, MST_COUNT(name_##_fields),            \
                                             sizeof(struct tag), (init_) }
/* One that other files of the directory use: mst_schema_NAME. */
#define SHARED(name_, tag, init_)                                                                  \
    const struct mst_schema mst_schema_##name_ = { name_##_fields, MST_COUNT(name_##_fields),      \
                                                   sizeof(struct tag), (init_) }
#define SCHEMA_OF(name_, type, init_)                                                              \
    static const struct mst_schema name_ = { name_##_fields, MST_COUNT(name_##_fields),            \
                                             sizeof(type), (init_) }

/* What every object begins with. */
#define ROOT(tag) SKIP("kind"), SKIP("apiVersion"), SUB(tag, meta, mst_schema_meta, "metadata")

/* schema.c */
extern const struct mst_schema mst_schema_empty, mst_schema_meta, mst_schema_condition,
    mst_schema_requirement, mst_schema_label_selector, mst_schema_node_term,
    mst_schema_node_selector;

/* The roots of the kinds. schema_pod.c, schema_groups.c, schema_store.c */
extern const struct mst_schema mst_schema_pod;
extern const struct mst_schema mst_schema_pod_group, mst_schema_composite, mst_schema_workload;
extern const struct mst_schema mst_schema_node, mst_schema_namespace, mst_schema_priority_class,
    mst_schema_pdb, mst_schema_service, mst_schema_replication_controller, mst_schema_replica_set,
    mst_schema_stateful_set;
/* schema_storage.c */
extern const struct mst_schema mst_schema_pv, mst_schema_pvc, mst_schema_storage_class,
    mst_schema_csi_node, mst_schema_csi_driver, mst_schema_csi_storage_capacity,
    mst_schema_volume_attachment;

#endif

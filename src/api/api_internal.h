/*
 * api_internal.h - what the files of this directory share: field paths, schemas, reports.
 */
#ifndef MST_API_INTERNAL_H
#define MST_API_INTERNAL_H

#include "api/api.h"

/*
 * A field's place in its object, as a chain of steps on the callers' stacks. Building one costs
 * a few stores; the text is only made for a report.
 */
struct mst_path {
    const struct mst_path *up; /* NULL: this step is the first */
    const char *name;          /* a field, or NULL */
    struct mst_str key;        /* a map's key when name is NULL and key is present */
    uint32_t index;            /* else an element */
};

/* Steps for a compound literal: `validate(v, &MST_AT(path, "spec"))`. A NULL `up_` is the root. */
#define MST_AT(up_, name_) ((struct mst_path){ .up = (up_), .name = (name_) })
#define MST_AT_I(up_, i_) ((struct mst_path){ .up = (up_), .index = (uint32_t)(i_) })
#define MST_AT_KEY(up_, key_) ((struct mst_path){ .up = (up_), .key = (key_) })

/* "spec.containers[0].ports[1].hostPort"; a NULL path is "". */
struct mst_str mst_path_text(struct mst_arena *arena, const struct mst_path *path);

/* Text between double quotes with Go's escapes (%q). */
struct mst_str mst_go_quote(struct mst_arena *arena, struct mst_str text);

/* Sets the object that diagnostics are about to "Kind ns/name"; keeps one that a host has set. */
void mst_api_name_object(struct mst_api *api, const struct mst_object *object);

/* Distance in insertions, deletions, replacements and swaps of neighbours; above `max`: max + 1. */
uint32_t mst_edit_distance(struct mst_str a, struct mst_str b, uint32_t max);

/* ---- schemas: how JSON becomes a struct ---- */

typedef enum {
    MST_FIELD_IGNORED,   /* known to Kubernetes, of no interest here */
    MST_FIELD_STR,       /* mst_str; an empty string is absent */
    MST_FIELD_STR_PTR,   /* mst_str; an empty string is present */
    MST_FIELD_SYM,       /* mst_sym; an empty string leaves what is there */
    MST_FIELD_SYM_PTR,   /* mst_sym; an empty string is MST_SYM_EMPTY */
    MST_FIELD_BOOL,      /* bool */
    MST_FIELD_OPT_BOOL,  /* mst_opt_bool */
    MST_FIELD_INT32,     /* int64_t that must fit int32 */
    MST_FIELD_INT64,     /* int64_t */
    MST_FIELD_OPT_INT32, /* mst_opt_int */
    MST_FIELD_OPT_INT64, /* mst_opt_int */
    MST_FIELD_TIME,      /* mst_time */
    MST_FIELD_LABELS,    /* mst_labels */
    MST_FIELD_ANNOTATIONS,
    MST_FIELD_RESOURCES, /* mst_resources */
    MST_FIELD_KEYS,      /* mst_strs: the keys of a map */
    MST_FIELD_STRS,      /* mst_strs */
    MST_FIELD_SYMS,      /* mst_sym_list */
    /* a struct of `sub`; at offset 0 its fields belong to the parent's struct */
    MST_FIELD_OBJECT,
    MST_FIELD_LIST, /* MST_LIST of structs of `sub` */
    MST_FIELD_HOOK,
} mst_field_kind;

/* What else happens when the field is present and not null. */
typedef enum {
    MST_FLAG_NONE,
    MST_FLAG_BOOL,      /* the bool at `flag` becomes true */
    MST_FLAG_OR,        /* the int at `flag` gets the bits of `flag_value` */
    MST_FLAG_SOURCE,    /* a volume's source becomes flag_value, and one more is counted */
    MST_FLAG_SYNTHETIC, /* the same, and it is a ConfigMap or a Secret */
} mst_flag_op;

struct mst_decoder;
struct mst_field;
typedef void mst_field_hook(struct mst_decoder *d, const struct mst_field *field,
                            const struct mst_path *path, const struct mst_value *value, void *base);

struct mst_field {
    const char *name;
    const struct mst_schema *sub;
    mst_field_hook *hook;
    uint16_t offset;
    uint16_t flag;
    uint8_t name_n;
    uint8_t kind;    /* mst_field_kind */
    uint8_t flag_op; /* mst_flag_op */
    uint8_t flag_value;
};

struct mst_schema {
    const struct mst_field *fields;
    uint32_t field_count;
    uint32_t size;            /* of the struct */
    void (*init)(void *base); /* what holds before any field is read; NULL: all zero */
};

struct mst_decoder {
    struct mst_api *api;
    const struct mst_value *object; /* the object being decoded */
    struct mst_str kind;
    uint32_t item; /* its place in a list, UINT32_MAX outside */
};

/* Decodes an object value (anything else is reported) into `base`, which has schema->size bytes. */
void mst_decode_struct(struct mst_decoder *d, const struct mst_schema *schema,
                       const struct mst_path *path, const struct mst_value *value, void *base);
/* "PATH: expected WANT, got TYPE VALUE" as an error at the value. */
void mst_decode_wrong_type(struct mst_decoder *d, const struct mst_path *path, const char *want,
                           const struct mst_value *value);
void mst_decode_report(struct mst_decoder *d, mst_diag_level level, const struct mst_path *path,
                       const struct mst_value *value, struct mst_str text);
/* False when `text` is no RFC 3339 time. */
bool mst_time_parse(struct mst_str text, struct mst_time *out);

/* The schema of an object's root, NULL for kinds that are not modelled (schema.c). */
const struct mst_schema *mst_schema_of(mst_kind kind);
/* One template of a Workload's list: into a struct mst_group_spec. */
extern const struct mst_schema mst_schema_pod_group_template, mst_schema_composite_template;
/* The union inside a disruption mode: into an unsigned, bit 0 `single`, bit 1 `all`. */
extern const struct mst_schema mst_schema_disruption;

/* What tables cannot say (decode_hooks.c). */
mst_field_hook mst_decode_op, mst_decode_int_or_str, mst_decode_disruption, mst_decode_mounts,
    mst_decode_restart_rules, mst_decode_ephemeral;
/* The two template lists of a Workload's spec and all below, as one list with parents. */
void mst_decode_templates(struct mst_decoder *d, const struct mst_value *spec,
                          const struct mst_path *path, struct mst_workload *workload);

/* ---- kinds (kinds.c) ---- */

/* "v1" or "group/version" of a known kind, with what decoding makes of it. */
typedef enum {
    MST_VERSION_OK,
    MST_VERSION_WRONG, /* a known kind in a version that does not exist or is gone */
    /* a kind that muster does not model, or somebody else's of the same name */
    MST_VERSION_IGNORED,
} mst_version_verdict;
/* `ret_text` gets what to say when the answer is not MST_VERSION_OK; in `arena`. */
mst_version_verdict mst_kind_of(struct mst_str api_version, struct mst_str kind,
                                struct mst_arena *arena, mst_kind *ret_kind,
                                struct mst_str *ret_text);

/* ---- requests (requests.c) ---- */

/*
 * The exact aggregate over containers, by spec: AggregateContainerRequests or ...Limits of
 * upstream.
 */
mst_resources mst_pod_aggregate(struct mst_syms *syms, const struct mst_pod *pod, bool limits,
                                struct mst_arena *arena);
/* Whether spec.resources of a pod may name it. */
bool mst_resource_is_pod_level(struct mst_str name);

#endif

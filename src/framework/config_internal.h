/*
 * config_internal.h - what the files that read configuration share: values of a document read
 * strictly, field errors, the sections of a document.
 */
#ifndef MST_CONFIG_INTERNAL_H
#define MST_CONFIG_INTERNAL_H

#include "codec/json.h"
#include "framework/config.h"
#include "framework/plugin_args.h"

/* ---- values (config_values.c) ---- */

/* Where readers report to, and where they make paths. */
struct mst_reading {
    struct mst_arena *arena;
    struct mst_diags *diags;
};

/* Field paths in the reading's arena: "path.key", or "key" when path is absent; "path[i]". */
struct mst_str mst_at_key(const struct mst_reading *rd, struct mst_str path, const char *key);
struct mst_str mst_at_index(const struct mst_reading *rd, struct mst_str path, uint32_t i);

/* Adds an error diagnostic at the value (NULL: no place), cut off at 1 KiB. Never fails. */
void mst_cfg_error(const struct mst_reading *rd, const struct mst_value *at, const char *format,
                   ...) MST_PRINTF(3, 4);
/* Field errors in upstream's form. `value` is printed as it is: mst_cfg_quote strings first. */
void mst_cfg_invalid(const struct mst_reading *rd, const struct mst_value *at, struct mst_str path,
                     struct mst_str value, const char *detail);
void mst_cfg_invalid_int(const struct mst_reading *rd, const struct mst_value *at,
                         struct mst_str path, int64_t value, const char *detail);
/* `detail` may be empty. */
void mst_cfg_required(const struct mst_reading *rd, const struct mst_value *at, struct mst_str path,
                      const char *detail);
struct mst_str mst_cfg_quote(const struct mst_reading *rd, struct mst_str text);
/* Every fault of a label key ("qualified name"), as invalid values. */
void mst_cfg_label_key(const struct mst_reading *rd, const struct mst_value *at,
                       struct mst_str path, struct mst_str key);

/*
 * Whether v is an object; anything but an object or nothing (NULL, null) is an error. Members that
 * are not among `fields` are strict decoding errors.
 */
bool mst_cfg_object(const struct mst_reading *rd, const struct mst_value *v, struct mst_str path,
                    const char *const *fields, size_t field_count);
/* The member when it is an array; other types but null are errors. */
const struct mst_value *mst_cfg_list(const struct mst_reading *rd, const struct mst_value *object,
                                     struct mst_str path, const char *key);
/* Members of an object; false when absent, null or (with an error) of another type. */
bool mst_cfg_int(const struct mst_reading *rd, const struct mst_value *object, struct mst_str path,
                 const char *key, uint32_t bits, int64_t *out);
bool mst_cfg_str(const struct mst_reading *rd, const struct mst_value *object, struct mst_str path,
                 const char *key, struct mst_str *out);
bool mst_cfg_bool(const struct mst_reading *rd, const struct mst_value *object, struct mst_str path,
                  const char *key, bool *out);
void mst_cfg_number(const struct mst_reading *rd, const struct mst_value *object,
                    struct mst_str path, const char *key);
/* A Go duration ("1h2m3.5s"). */
bool mst_cfg_duration(const struct mst_reading *rd, const struct mst_value *object,
                      struct mst_str path, const char *key, int64_t *ret_ns);
/* As Go prints it, between quotes. */
struct mst_str mst_cfg_duration_text(const struct mst_reading *rd, int64_t ns);

/* ---- sections (config_sections.c) ---- */

/* Sections that the engine has no use for, completed with the defaults. v may be NULL. */
void mst_cfg_leader_election(const struct mst_reading *rd, const struct mst_value *v,
                             struct mst_cfg_leader_election *out);
void mst_cfg_client_connection(const struct mst_reading *rd, const struct mst_value *v,
                               struct mst_cfg_client_connection *out);

/* ---- extenders (config_extenders.c) ---- */

struct mst_cfg_raw;
void mst_cfg_extenders(const struct mst_reading *rd, const struct mst_value *list,
                       struct mst_config *config);
/*
 * Resources that extenders have NodeResourcesFit ignore take the place of its ignoredResources in
 * every profile. `raws`: the profiles as they were written.
 */
void mst_cfg_ignore_managed(const struct mst_reading *rd, struct mst_config *config,
                            const struct mst_cfg_raw *raws);

/* ---- plugins of a profile (config_plugins.c) ---- */

enum { MST_CFG_MULTI_POINT = MST_CFG_POINT_COUNT, MST_CFG_SET_COUNT };

struct mst_cfg_entry {
    struct mst_str name;
    int64_t weight;             /* 0: none given */
    const struct mst_value *at; /* NULL: of the default set */
};
struct mst_cfg_set {
    MST_LIST(struct mst_cfg_entry) enabled, disabled;
};
struct mst_cfg_args {
    struct mst_str name;
    const struct mst_value *args, *at;
};

/* A profile as it was written. */
struct mst_cfg_raw {
    struct mst_str path; /* "profiles[0]" */
    const struct mst_value *at;
    bool name_set;
    struct mst_str name;
    struct mst_opt_int percentage;
    struct mst_cfg_set sets[MST_CFG_SET_COUNT];
    MST_LIST(struct mst_cfg_args) args;
};

/* "preEnqueue", ..., "multiPoint". */
const char *mst_cfg_set_key(uint32_t set);
/* Merges the default set into the sets of the profile (plugins.md 6.3, step 1). */
void mst_cfg_merge(const struct mst_config *config, const struct mst_registry *registry,
                   struct mst_arena *arena, struct mst_cfg_raw *raw);
/* Steps 2 and 3 and the final checks. Errors begin "creating profile for scheduler name p: ". */
void mst_cfg_expand(const struct mst_reading *rd, const struct mst_registry *registry,
                    const struct mst_cfg_raw *raw, struct mst_cfg_profile *out);

/* A name that this version knows, linked in or not. */
bool mst_cfg_plugin_known(const struct mst_registry *registry, struct mst_str name);
/* Removed from Kubernetes: refused with words of its own. */
bool mst_cfg_plugin_removed(struct mst_str name);

#endif

/*
 * validate_internal.h - how validators report, and what they share.
 */
#ifndef MST_VALIDATE_INTERNAL_H
#define MST_VALIDATE_INTERNAL_H

#include "api/api_internal.h"
#include "api/names.h"
#include "base/map.h"

/* One validation of one object. */
struct mst_validator {
    struct mst_api *api;
    const struct mst_object *object;
    struct mst_map seen; /* texts said already: upstream's message has each once, too */
    uint32_t error_count;
};

/*
 * Each adds "PATH: Kind[: value][: detail]" (api.md 17). A NULL `detail` is none. `shown` is a
 * value
 * as it is to be printed; `text` is quoted.
 */
void mst_v_required(struct mst_validator *v, const struct mst_path *path, const char *detail);
void mst_v_forbidden(struct mst_validator *v, const struct mst_path *path, const char *detail);
void mst_v_invalid(struct mst_validator *v, const struct mst_path *path, struct mst_str shown,
                   const char *detail);
void mst_v_invalid_str(struct mst_validator *v, const struct mst_path *path, struct mst_str text,
                       const char *detail);
void mst_v_invalid_int(struct mst_validator *v, const struct mst_path *path, int64_t value,
                       const char *detail);
void mst_v_unsupported(struct mst_validator *v, const struct mst_path *path, struct mst_str text,
                       const char *supported);
void mst_v_duplicate(struct mst_validator *v, const struct mst_path *path, struct mst_str shown,
                     const char *detail);
void mst_v_duplicate_str(struct mst_validator *v, const struct mst_path *path, struct mst_str text);
void mst_v_too_many(struct mst_validator *v, const struct mst_path *path, uint32_t n, uint32_t max);
void mst_v_too_long(struct mst_validator *v, const struct mst_path *path, const char *detail);
void mst_v_not_found(struct mst_validator *v, const struct mst_path *path, struct mst_str text,
                     const char *detail);
/* One Invalid per fault of a name. True when there is none. */
bool mst_v_name(struct mst_validator *v, const struct mst_path *path, mst_name_rule rule,
                mst_length_word word, struct mst_str text);
/* The same with all faults in one error, joined by ";". */
void mst_v_name_joined(struct mst_validator *v, const struct mst_path *path, mst_name_rule rule,
                       struct mst_str text);

static inline struct mst_str mst_v_sym(const struct mst_validator *v, mst_sym sym)
{
    struct mst_str s = mst_sym_str(v->api->syms, sym);
    return s.p ? s : MST_STR("");
}

/* validate_meta.c */
void mst_validate_meta(struct mst_validator *v, const struct mst_meta *meta, mst_name_rule rule,
                       bool namespaced);
void mst_validate_labels(struct mst_validator *v, const struct mst_path *path, mst_labels labels);

/* validate_selectors.c */
void mst_validate_label_selector(struct mst_validator *v, const struct mst_path *path,
                                 const struct mst_label_selector *selector);
void mst_validate_affinity(struct mst_validator *v, const struct mst_path *path,
                           const struct mst_pod_spec *spec);
void mst_validate_spread(struct mst_validator *v, const struct mst_path *path,
                         const struct mst_pod_spec *spec);
void mst_validate_tolerations(struct mst_validator *v, const struct mst_path *path,
                              const struct mst_pod_spec *spec);
void mst_validate_taint_effect(struct mst_validator *v, const struct mst_path *path,
                               mst_sym effect);

/* validate_resources.c */
void mst_validate_quantity(struct mst_validator *v, const struct mst_path *path,
                           const struct mst_resource *resource);
void mst_validate_container_resources(struct mst_validator *v, const struct mst_path *path,
                                      const struct mst_requirements_resources *resources,
                                      const struct mst_pod_spec *spec);
void mst_validate_pod_resources(struct mst_validator *v, const struct mst_path *path,
                                const struct mst_pod *pod);

/* One per kind. */
void mst_validate_pod(struct mst_validator *v, const struct mst_pod *pod);
void mst_validate_node(struct mst_validator *v, const struct mst_node *node);
void mst_validate_priority_class(struct mst_validator *v, const struct mst_priority_class *class);
void mst_validate_pdb(struct mst_validator *v, const struct mst_pdb *pdb);
void mst_validate_preemption_policy(struct mst_validator *v, const struct mst_path *path,
                                    mst_sym policy);
void mst_validate_group(struct mst_validator *v, const struct mst_pod_group *group);
void mst_validate_workload(struct mst_validator *v, const struct mst_workload *workload);

/*
 * The generated rules of a group's or template's spec, in upstream's field order. `composite` and
 * `template` choose which fields the type has.
 */
void mst_validate_group_spec(struct mst_validator *v, const struct mst_path *path,
                             const struct mst_group_spec *spec, bool composite, bool template);

#endif

/*
 * plugin_args.h - pluginConfig's `args`: decoded strictly, completed with the defaults, checked.
 *
 * Used twice: by config.c, which wants every error with its place, and by a plugin's init, which
 * wants the values. Errors go to `diags` with upstream's wording and the path of the field; strict
 * decoding errors (unknown fields, wrong types) too.
 *
 * Source: spec/plugins.md 6.4; kubernetes v1.37 pkg/scheduler/apis/config/validation.
 */
#ifndef MST_PLUGIN_ARGS_H
#define MST_PLUGIN_ARGS_H

#include "api/types.h"
#include "codec/tape.h"
#include "framework/gates.h"

struct mst_args_reader {
    struct mst_syms *syms;
    struct mst_arena *arena; /* where the values and paths are made */
    struct mst_diags *diags;
    const struct mst_gates *gates;
    bool own_fields;     /* profile muster: fields that upstream does not have are known */
    struct mst_str path; /* of args: "profiles[0].pluginConfig[1].args"; absent: fields alone */
};

/*
 * A plugin's init between begin and end: it calls one of the readers below with &run.reader.
 * Values are made in `arena`; end gives the first error, if there was one.
 */
struct mst_args_run {
    struct mst_diags diags;
    struct mst_args_reader reader;
};
void mst_args_begin(struct mst_args_run *run, struct mst_syms *syms, const struct mst_gates *gates,
                    struct mst_arena *arena);
mst_rc mst_args_end(struct mst_args_run *run, struct mst_err *err) MST_WARN_UNUSED;

struct mst_resource_weight {
    mst_sym name;
    int64_t weight; /* 1..100 once checked */
};
struct mst_shape_point {
    int64_t utilization, score; /* 0..100, 0..10 once checked */
};
typedef MST_LIST(struct mst_shape_point) mst_shape;

typedef enum {
    MST_LEAST_ALLOCATED,
    MST_MOST_ALLOCATED,
    MST_REQUESTED_TO_CAPACITY_RATIO,
} mst_scoring_strategy;

struct mst_fit_args {
    mst_sym_list ignored_resources, ignored_groups;
    mst_scoring_strategy strategy;
    MST_LIST(struct mst_resource_weight) resources;
    mst_shape shape;
};
struct mst_balanced_args {
    MST_LIST(struct mst_resource_weight) resources;
};
struct mst_node_affinity_args {
    struct mst_node_affinity added; /* `set` false: none */
};

struct mst_volume_binding_args {
    int64_t bind_timeout_s;
    mst_shape shape; /* without the gate StorageCapacityScoring: empty */
};

/* Questions about one pod and one row that a search for better victims may ask, by default. */
#define MST_SEARCH_STEPS 20000

struct mst_preemption_args {
    int64_t candidates_percent, candidates_min; /* minCandidateNodesPercentage, ...Absolute */
    /* Profile muster: look for a better choice than the first one, for so many steps. */
    bool improve;
    int64_t search_steps;
    bool smallest;   /* victimPolicy Smallest: few victims rather than unimportant ones */
    bool gang_first; /* pods that go alone matter as much as their gang: one goes, its mates next */
};

/* `args` may be NULL: then the defaults. `out` is complete only if no error was added. */
void mst_args_fit(const struct mst_args_reader *r, const struct mst_value *args,
                  struct mst_fit_args *out);
void mst_args_balanced(const struct mst_args_reader *r, const struct mst_value *args,
                       struct mst_balanced_args *out);
void mst_args_node_affinity(const struct mst_args_reader *r, const struct mst_value *args,
                            struct mst_node_affinity_args *out);

/* 0..100 percent, at least 0 nodes, not both 0. */
void mst_args_preemption(const struct mst_args_reader *r, const struct mst_value *args,
                         struct mst_preemption_args *out);

/* Timeout in seconds, at least 0; the shape's default is "emptier is better". */
void mst_args_volume_binding(const struct mst_args_reader *r, const struct mst_value *args,
                             struct mst_volume_binding_args *out);

/* The member `shape` of an object, and what is wrong with it (rules of plugins.md 6.4). */
mst_shape mst_args_shape(const struct mst_args_reader *r, const struct mst_value *object,
                         struct mst_str path);
void mst_args_shape_check(const struct mst_args_reader *r, const struct mst_value *at,
                          const mst_shape *shape, struct mst_str path);

/* Whether plugin `name` has arguments at all. */
bool mst_args_known(struct mst_str name);
/* Checks the args of any plugin that has some, of plugins that are not linked in too. */
void mst_args_check(const struct mst_args_reader *r, struct mst_str name,
                    const struct mst_value *args);

#endif

/*
 * scenario.h - manifests with times: which object appears, changes, ends and vanishes when.
 *
 * A scenario is plain manifests. Annotations say what plain manifests cannot:
 *   simulate.muster/arrive-at  created then (default 0s); a later document of the same kind,
 *                              namespace and name is an update at its time
 *   simulate.muster/delete-at  deleted then
 *   simulate.muster/run-for    pods: Succeeded that long after they got a node (default: for ever)
 *   simulate.muster/fail-bind  pods: the first N bindings fail
 *
 * Objects that a server has stored already (with UID and resourceVersion, as `kubectl get -o yaml`
 * prints them, or listed by ourselves) are taken as they are: their priority, say, was worked out
 * from priority classes that may be gone. What a person wrote replaces the stored object of its
 * name, and what is in a file replaces what was listed.
 *
 * Owns:       everything that was read: texts, tapes, objects.
 * Invariants: documents of one object have strictly growing times of arrival, in order; every
 *             object was decoded and completed; those that no server has stored were admitted and
 *             validated.
 */
#ifndef MST_SCENARIO_H
#define MST_SCENARIO_H

#include "api/api.h"
#include "base/map.h"
#include "framework/gates.h"
#include "sim/files.h"

#define MST_SCENARIO_PREFIX "simulate.muster/"
#define MST_NEVER INT64_MAX

/* Where a document comes from; a later one replaces an earlier one of the same object. */
typedef enum { MST_DOC_LISTED, MST_DOC_STORED, MST_DOC_WRITTEN } mst_doc_origin;

struct mst_scenario_doc {
    struct mst_object object;
    mst_doc_origin origin;
    struct mst_str file;
    int64_t arrive_ns; /* since the start */
    int64_t delete_ns; /* MST_NEVER: not by this document */
    int64_t run_ns;    /* MST_NEVER: for ever */
    uint32_t fail_binds;
    uint32_t next; /* the next document of this object, UINT32_MAX: none */
    bool update;   /* not the first document of this object */
    bool implied;  /* nobody wrote it: a namespace that some object is in */
};

enum {
    MST_SCENARIO_OBJECTS_MAX = 4000000,
    MST_FAIL_BINDS_MAX = 1000000,
};

/* Zero-initialised is valid and empty. */
struct mst_scenario {
    struct mst_syms *syms; /* borrowed */
    struct mst_arena arena;
    struct mst_files files;
    MST_VEC(struct mst_scenario_doc) docs; /* in order of reading */
    struct mst_map classes;                /* PriorityClass name -> index into docs */
    uint32_t default_class;                /* index into docs, UINT32_MAX: none */
};

/*
 * Reads everything and says all that is wrong with it.
 *
 * paths    as mst_files_add; read after what is in scenario->files already.
 * Diags    an object that was listed and cannot be read costs itself: a warning.
 * Returns  false when there was an error in diags; the scenario must be freed all the same.
 */
bool mst_scenario_load(struct mst_scenario *scenario, struct mst_syms *syms,
                       const struct mst_gates *gates, bool upstream, const char *const *paths,
                       uint32_t path_count, struct mst_diags *diags);
void mst_scenario_done(struct mst_scenario *scenario);

/*
 * The steps of a server for one decoded object that is created, for mst_scenario_load, replays and
 * whoever is told of objects by a real one. `upstream`: the profile.
 */
struct mst_api mst_scenario_api(struct mst_syms *syms, const struct mst_gates *gates, bool upstream,
                                struct mst_arena *arena, struct mst_diags *diags);
/* "Pod default/a". */
struct mst_str mst_object_label(struct mst_syms *syms, const struct mst_object *object,
                                struct mst_arena *arena);
/* "Pod/default/a": names an object within a run. */
struct mst_str mst_object_key(struct mst_syms *syms, const struct mst_object *object,
                              struct mst_arena *arena);

#endif

/*
 * scenario.c - manifests with times: which object appears, changes, ends and vanishes when.
 *
 * Not here: reading the annotations (annotations.c), what happens at those times (apiserver.c).
 */
#include "sim/scenario.h"

#include <stdio.h>

#include "codec/yaml.h"
#include "sim/annotations.h"
#include "sim/clock.h"

/* Objects without creationTimestamp are as old as their place in the input, well before the run. */
#define EPOCH_S 1767225600LL /* 2026-01-01T00:00:00Z */

struct mst_api mst_scenario_api(struct mst_syms *syms, const struct mst_gates *gates, bool upstream,
                                struct mst_arena *arena, struct mst_diags *diags)
{
    return (struct mst_api){
        .syms = syms,
        .arena = arena,
        .diags = diags,
        .composite = gates->on[MST_GATE_CompositePodGroup],
        .topology = gates->on[MST_GATE_TopologyAwareWorkloadScheduling],
        .preemption_policy = gates->on[MST_GATE_PodGroupPreemptionPolicy],
        .claims = gates->on[MST_GATE_DRAWorkloadResourceClaims],
        .comparison = gates->on[MST_GATE_TaintTolerationComparisonOperators],
        .upstream = upstream,
    };
}

struct mst_str mst_object_label(struct mst_syms *syms, const struct mst_object *object,
                                struct mst_arena *arena)
{
    const struct mst_meta *meta = &object->u.meta;
    if (meta->namespace_ == MST_SYM_NONE)
        return mst_arena_printf(arena, "%s %.*s", mst_kind_name(object->kind), MST_ARG(meta->name));
    return mst_arena_printf(arena, "%s %.*s/%.*s", mst_kind_name(object->kind),
                            MST_ARG(mst_sym_str(syms, meta->namespace_)), MST_ARG(meta->name));
}

struct mst_str mst_object_key(struct mst_syms *syms, const struct mst_object *object,
                              struct mst_arena *arena)
{
    const struct mst_meta *meta = &object->u.meta;
    struct mst_str ns = mst_sym_str(syms, meta->namespace_);
    return mst_arena_printf(arena, "%s/%.*s/%.*s", mst_kind_name(object->kind), MST_ARG(ns),
                            MST_ARG(meta->name));
}

/* ---- reading ---- */

struct reading {
    struct mst_scenario *scenario;
    struct mst_diags *diags;
    struct mst_api api;
    struct mst_str file;
    bool served; /* the file is a server's answer */
    bool full;   /* the limit was reached and said */
};

static bool take_object(void *ctx, struct mst_object *object)
{
    struct reading *r = ctx;
    if (r->scenario->docs.n >= MST_SCENARIO_OBJECTS_MAX) {
        if (!r->full)
            mst_diag_add(r->diags, MST_DIAG_ERROR, object->source,
                         "too many objects: at most %d are read", MST_SCENARIO_OBJECTS_MAX);
        r->full = true;
        return false;
    }
    const struct mst_meta *meta = &object->u.meta;
    if (r->served && !meta->name.n) {
        mst_diag_add(r->diags, MST_DIAG_ERROR, object->source, "metadata.name: Required value");
        return true;
    }
    const bool stored = meta->name.n && meta->uid.n && meta->resource_version.n;
    const mst_doc_origin origin = r->served ? MST_DOC_LISTED
                                  : stored  ? MST_DOC_STORED
                                            : MST_DOC_WRITTEN;
    mst_vec_push(&r->scenario->docs, (struct mst_scenario_doc){ .object = *object,
                                                                .origin = origin,
                                                                .file = r->file,
                                                                .arrive_ns = 0,
                                                                .delete_ns = MST_NEVER,
                                                                .run_ns = MST_NEVER,
                                                                .next = UINT32_MAX });
    return true;
}

/* A JSON reader's error says its place in words: "line L, column C: what". */
static void add_json_error(struct mst_diags *diags, const char *text)
{
    unsigned line = 0, col = 0;
    int used = 0;
    if (sscanf(text, "line %u, column %u: %n", &line, &col, &used) == 2 && used > 0)
        text += used;
    mst_diag_add_at(diags, MST_DIAG_ERROR, line, col, "%s", text);
}

static void read_json(struct reading *r, struct mst_str text)
{
    const struct mst_value *doc;
    struct mst_err err;
    if (mst_json_parse(text, NULL, &r->scenario->arena, r->diags, &doc, &err))
        add_json_error(r->diags, err.text);
    else
        mst_api_decode(&r->api, doc, take_object, r);
}

static void read_yaml(struct reading *r, struct mst_str text)
{
    struct mst_yaml_reader reader;
    mst_yaml_init(&reader, text);
    while (!r->full) {
        const struct mst_value *doc;
        mst_rc rc = mst_yaml_next(&reader, &r->scenario->arena, r->diags, &doc);
        if (rc == MST_ENOTFOUND)
            return;
        r->diags->object = MST_STR_NONE;
        if (rc == MST_OK)
            mst_api_decode(&r->api, doc, take_object, r);
        r->diags->object = MST_STR_NONE;
    }
}

/*
 * Whoever reads a cluster has not written it: what is odd about an object is no error of theirs,
 * and unknown fields of a newer server are none at all. Findings from number `first` on.
 */
static void soften(struct mst_diags *diags, uint32_t first, bool keep_warnings)
{
    uint32_t n = first;
    for (uint32_t i = first; i < diags->list.n; i++) {
        struct mst_diag *diag = &diags->list.v[i];
        const bool error = diag->level == MST_DIAG_ERROR;
        if (!error && !keep_warnings)
            continue;
        diag->level = MST_DIAG_WARNING;
        diags->error_count -= error;
        diags->list.v[n++] = *diag;
    }
    diags->list.n = n;
}

static void read_files(struct reading *r)
{
    struct mst_scenario *scenario = r->scenario;
    for (uint32_t i = 0; i < scenario->files.list.n && !r->full; i++) {
        const struct mst_file *file = &scenario->files.list.v[i];
        uint32_t before = scenario->docs.n, errors = r->diags->error_count;
        const uint32_t first = r->diags->list.n;
        r->file = r->diags->file = file->path;
        r->served = file->served;
        r->diags->object = MST_STR_NONE;
        if (file->json)
            read_json(r, file->text);
        else
            read_yaml(r, file->text);
        if (file->served)
            soften(r->diags, first, false);
        else if (scenario->docs.n == before && r->diags->error_count == errors) {
            r->diags->object = MST_STR_NONE;
            mst_diag_add_at(r->diags, MST_DIAG_WARNING, 0, 0, "no object in this file");
        }
    }
}

/* ---- filling in what is missing ---- */

/* A name as the server makes it from generateName; the suffix counts instead of being drawn. */
static void generate_name(struct mst_scenario *scenario, struct mst_meta *meta, uint32_t number)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    enum { BASE_MAX = 58, SUFFIX = 5, LETTERS = sizeof(letters) - 1 };
    char suffix[SUFFIX];
    for (uint32_t i = SUFFIX; i-- > 0; number /= LETTERS)
        suffix[i] = letters[number % LETTERS];
    size_t n = MST_MIN(meta->generate_name.n, (size_t)BASE_MAX);
    meta->name = mst_arena_printf(&scenario->arena, "%.*s%.*s", (int)n, meta->generate_name.p,
                                  SUFFIX, suffix);
}

static struct mst_str make_uid(struct mst_scenario *scenario, const struct mst_object *object)
{
    struct mst_str uid = mst_object_key(scenario->syms, object, &scenario->arena);
    char *text = mst_arena_alloc(&scenario->arena, uid.n + 1);
    for (size_t i = 0; i < uid.n; i++) {
        char c = uid.p[i];
        text[i] = (char)(c == '/' ? '-' : c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    text[uid.n] = 0;
    return (struct mst_str){ text, uid.n };
}

static void fill_in(struct mst_scenario *scenario, struct mst_scenario_doc *doc, uint32_t index)
{
    struct mst_meta *meta = &doc->object.u.meta;
    if (!mst_kind_namespaced(doc->object.kind))
        meta->namespace_ = MST_SYM_NONE;
    else if (meta->namespace_ == MST_SYM_NONE || meta->namespace_ == MST_SYM_EMPTY)
        meta->namespace_ = mst_sym_of_text(scenario->syms, "default");
    if (!meta->name.n && meta->generate_name.n)
        generate_name(scenario, meta, index);
    if (!meta->uid.n)
        meta->uid = make_uid(scenario, &doc->object);
}

/* Created when it arrives; what is there from the start is as old as its place in the input. */
static void fill_in_created(struct mst_scenario_doc *doc, uint32_t index)
{
    struct mst_time *created = &doc->object.u.meta.created;
    if (created->set)
        return;
    created->set = true;
    created->unix_s =
        doc->arrive_ns ? MST_SIM_START_S + doc->arrive_ns / MST_NS_PER_S : EPOCH_S + index;
}

/* A pod that came with a node says so, as it would had the scheduler bound it. */
static void complete_bound_pod(struct mst_scenario *scenario, struct mst_pod *pod)
{
    if (pod->spec.node_name == MST_SYM_NONE || pod->spec.node_name == MST_SYM_EMPTY ||
        pod->status.conditions.n)
        return;
    struct mst_condition *condition = MST_NEW(&scenario->arena, struct mst_condition);
    condition->type = MST_STR("PodScheduled");
    condition->status = MST_STR("True");
    pod->status.conditions.v = condition;
    pod->status.conditions.n = 1;
}

/* ---- namespaces ---- */

static void note_namespace(struct mst_map *seen, struct mst_str name, bool defined)
{
    uint64_t before = 0;
    (void)mst_map_get(seen, name, &before);
    mst_map_set(seen, name, before | defined);
}

/*
 * No server takes an object into a namespace that is not there: those that no document defines are
 * there from the start, without labels but the one that names them.
 */
static void add_namespaces(struct reading *r)
{
    struct mst_scenario *scenario = r->scenario;
    struct mst_map seen = { 0 }; /* name -> 1: a document defines it */
    for (uint32_t i = 0; i < scenario->docs.n; i++) {
        const struct mst_object *object = &scenario->docs.v[i].object;
        const bool defined = object->kind == MST_KIND_NAMESPACE;
        if (defined)
            note_namespace(&seen, object->u.meta.name, true);
        else if (object->u.meta.namespace_ != MST_SYM_NONE)
            note_namespace(&seen, mst_sym_str(scenario->syms, object->u.meta.namespace_), false);
    }
    r->file = MST_STR("(implied)");
    r->served = false;
    const struct mst_map_entry *e;
    for (uint32_t at = 0; mst_map_next(&seen, &at, &e);) {
        const uint32_t first = scenario->docs.n;
        if (e->value || !e->key_n)
            continue;
        MST_AUTO(mst_buf) text = { 0 };
        struct mst_json_writer w = { .out = &text };
        mst_buf_text(&text,
                     "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":");
        mst_jw_str(&w, (struct mst_str){ e->key, e->key_n });
        mst_buf_text(&text, "}}");
        read_json(r, mst_arena_str(&scenario->arena, mst_buf_span(&text)));
        for (uint32_t i = first; i < scenario->docs.n; i++)
            scenario->docs.v[i].implied = true;
    }
    mst_map_done(&seen);
}

/* ---- priority classes, duplicates ---- */

static void note_class(struct mst_scenario *scenario, uint32_t index, struct mst_diags *diags)
{
    struct mst_scenario_doc *doc = &scenario->docs.v[index];
    if (doc->object.kind != MST_KIND_PRIORITY_CLASS)
        return;
    mst_map_set(&scenario->classes, doc->object.u.meta.name, index);
    if (!doc->object.u.priority_class.global_default)
        return;
    if (scenario->default_class != UINT32_MAX) {
        struct mst_str other = scenario->docs.v[scenario->default_class].object.u.meta.name;
        if (!mst_str_eq(other, doc->object.u.meta.name)) {
            mst_diag_add(diags, MST_DIAG_ERROR, doc->object.source,
                         "globalDefault: PriorityClass %.*s is already marked as default. "
                         "Only one default can exist",
                         MST_ARG(other));
            return;
        }
    }
    scenario->default_class = index;
}

static bool find_class(void *ctx, struct mst_str name, struct mst_class_ref *out)
{
    const struct mst_scenario *scenario = ctx;
    uint64_t index = scenario->default_class;
    if (name.n ? !mst_map_get(&scenario->classes, name, &index) : index == UINT32_MAX)
        return false;
    const struct mst_priority_class *klass = &scenario->docs.v[index].object.u.priority_class;
    *out = (struct mst_class_ref){ .value = klass->value,
                                   .preemption_policy = klass->preemption_policy,
                                   .name = klass->meta.name };
    return true;
}

static void say_duplicate(struct mst_scenario *scenario, const struct mst_scenario_doc *first,
                          const struct mst_scenario_doc *doc, struct mst_diags *diags)
{
    MST_AUTO(mst_buf) when = { 0 };
    mst_duration_print_short(first->arrive_ns, &when);
    (void)scenario;
    mst_diag_add(
        diags, MST_DIAG_ERROR, doc->object.source,
        "metadata.name: Duplicate value: \"%.*s\": already defined at %.*s:%u; to make this "
        "an update of it, give it the annotation " MST_SCENARIO_PREFIX
        "arrive-at with a time later than %.*s",
        MST_ARG(doc->object.u.meta.name), MST_ARG(first->file), first->object.source->line,
        MST_ARG(mst_buf_span(&when)));
}

/* Chains the documents of one object; `last` maps its key to the newest of them. */
static void chain(struct mst_scenario *scenario, uint32_t index, struct mst_map *last,
                  struct mst_diags *diags)
{
    struct mst_scenario_doc *doc = &scenario->docs.v[index];
    struct mst_str key = mst_object_key(scenario->syms, &doc->object, &scenario->arena);
    uint64_t before_i;
    if (mst_map_get(last, key, &before_i)) {
        struct mst_scenario_doc *before = &scenario->docs.v[before_i];
        if (doc->arrive_ns <= before->arrive_ns) {
            say_duplicate(scenario, before, doc, diags);
            return;
        }
        before->next = index;
        doc->update = true;
    }
    mst_map_set(last, key, index);
}

/* Drops what is replaced: documents of an object that is there from the start in another one. */
static void replace(struct mst_scenario *scenario)
{
    struct mst_map best = { 0 }; /* key -> origin of what counts */
    struct mst_arena arena = { 0 };
    uint64_t origin;
    for (uint32_t i = 0; i < scenario->docs.n; i++) {
        const struct mst_scenario_doc *doc = &scenario->docs.v[i];
        const struct mst_str key = mst_object_key(scenario->syms, &doc->object, &arena);
        if (doc->arrive_ns == 0 &&
            (!mst_map_get(&best, key, &origin) || origin < (uint64_t)doc->origin))
            mst_map_set(&best, key, doc->origin);
        mst_arena_reset(&arena);
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < scenario->docs.n; i++) {
        const struct mst_scenario_doc *doc = &scenario->docs.v[i];
        const struct mst_str key = mst_object_key(scenario->syms, &doc->object, &arena);
        if (!mst_map_get(&best, key, &origin) || (uint64_t)doc->origin >= origin)
            scenario->docs.v[n++] = *doc;
        mst_arena_reset(&arena);
    }
    scenario->docs.n = n;
    mst_arena_done(&arena);
    mst_map_done(&best);
}

static void set_place(struct mst_scenario *scenario, const struct mst_scenario_doc *doc,
                      struct mst_diags *diags)
{
    diags->file = doc->file;
    diags->object = mst_object_label(scenario->syms, &doc->object, &diags->arena);
}

/* An object that a server has: it was admitted when it was created, by what held then. */
static void complete_stored(const struct mst_scenario_doc *doc, struct mst_api *api)
{
    const uint32_t first = api->diags->list.n;
    if (doc->origin == MST_DOC_STORED && !mst_api_validate(api, &doc->object))
        soften(api->diags, first, true);
}

static void complete(struct mst_scenario *scenario, struct mst_api *api, uint32_t index,
                     struct mst_map *last)
{
    struct mst_scenario_doc *doc = &scenario->docs.v[index];
    set_place(scenario, doc, api->diags);
    mst_api_default(api, &doc->object);
    if (doc->origin != MST_DOC_WRITTEN) {
        complete_stored(doc, api);
        chain(scenario, index, last, api->diags);
        return;
    }
    if (!mst_api_admit(api, &doc->object, find_class, scenario))
        return;
    if (doc->object.kind == MST_KIND_POD)
        complete_bound_pod(scenario, &doc->object.u.pod);
    (void)mst_api_validate(api, &doc->object);
    chain(scenario, index, last, api->diags);
}

bool mst_scenario_load(struct mst_scenario *scenario, struct mst_syms *syms,
                       const struct mst_gates *gates, bool upstream, const char *const *paths,
                       uint32_t path_count, struct mst_diags *diags)
{
    scenario->syms = syms;
    scenario->default_class = UINT32_MAX;
    struct reading r = {
        .scenario = scenario,
        .diags = diags,
        .api = mst_scenario_api(syms, gates, upstream, &scenario->arena, diags),
    };
    for (uint32_t i = 0; i < path_count; i++)
        mst_files_add(&scenario->files, paths[i], diags);
    read_files(&r);
    const uint32_t given = scenario->docs.n;
    for (uint32_t i = 0; i < given; i++)
        fill_in(scenario, &scenario->docs.v[i], i); /* its label needs the namespace */
    add_namespaces(&r);
    for (uint32_t i = 0; i < scenario->docs.n; i++) {
        struct mst_scenario_doc *doc = &scenario->docs.v[i];
        if (i >= given)
            fill_in(scenario, doc, i);
        set_place(scenario, doc, diags);
        if (doc->origin != MST_DOC_LISTED)
            mst_annotations_read(doc, diags);
    }
    replace(scenario);
    for (uint32_t i = 0; i < scenario->docs.n; i++) {
        set_place(scenario, &scenario->docs.v[i], diags);
        fill_in_created(&scenario->docs.v[i], i);
        note_class(scenario, i, diags);
    }
    struct mst_map last = { 0 };
    for (uint32_t i = 0; i < scenario->docs.n; i++)
        complete(scenario, &r.api, i, &last);
    mst_map_done(&last);
    diags->file = diags->object = MST_STR_NONE;
    return diags->error_count == 0;
}

void mst_scenario_done(struct mst_scenario *scenario)
{
    mst_vec_done(&scenario->docs);
    mst_map_done(&scenario->classes);
    mst_files_done(&scenario->files);
    mst_arena_done(&scenario->arena);
}

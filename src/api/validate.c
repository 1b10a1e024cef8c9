/*
 * validate.c - what a create request would be refused for, in upstream's words.
 *
 * Invariants: hand-written rules of upstream come first, then its generated ones, as its API server
 *             reports them; where upstream walks a map (at random), we walk the document.
 * Source:     spec/api.md 4, 17; kubernetes v1.37 field.Error.
 */
#include "api/validate_internal.h"

/* The value that a path leads to, or the deepest one on the way that exists: for line numbers. */
static const struct mst_value *locate(const struct mst_value *root, const struct mst_path *path)
{
    enum { STEPS_MAX = MST_DEPTH_MAX + 8 };
    const struct mst_path *steps[STEPS_MAX];
    uint32_t n = 0;
    for (; path && n < STEPS_MAX; path = path->up)
        steps[n++] = path;
    const struct mst_value *at = root;
    while (at && n > 0) {
        const struct mst_path *step = steps[--n];
        const struct mst_value *next = NULL;
        if (step->name) {
            next = mst_value_get(at, step->name);
        } else if (!step->key.p && at->type == MST_ARRAY && step->index < at->n) {
            next = mst_value_first(at);
            for (uint32_t i = 0; i < step->index; i++)
                next = mst_value_next(next);
        }
        if (!next)
            break;
        at = next;
    }
    return at;
}

static void report(struct mst_validator *v, const struct mst_path *path, struct mst_str body)
{
    struct mst_diags *diags = v->api->diags;
    struct mst_str where = mst_path_text(&diags->arena, path);
    struct mst_str text =
        mst_arena_printf(&diags->arena, "%.*s: %.*s", MST_ARG(where), MST_ARG(body));
    if (!mst_map_set(&v->seen, text, 0))
        return;
    if (v->error_count++ == 0)
        mst_api_name_object(v->api, v->object);
    mst_diag_add(diags, MST_DIAG_ERROR, locate(v->object->source, path), "%.*s", MST_ARG(text));
}

/* "Kind[: shown][: detail]" */
static void report_kind(struct mst_validator *v, const struct mst_path *path, const char *kind,
                        struct mst_str shown, const char *detail)
{
    MST_AUTO(mst_buf) body = { 0 };
    mst_buf_text(&body, kind);
    if (shown.p) {
        mst_buf_text(&body, ": ");
        mst_buf_str(&body, shown);
    }
    if (detail) {
        mst_buf_text(&body, ": ");
        mst_buf_text(&body, detail);
    }
    report(v, path, mst_buf_span(&body));
}

static struct mst_str quote(const struct mst_validator *v, struct mst_str text)
{
    return mst_go_quote(&v->api->diags->arena, text);
}

void mst_v_required(struct mst_validator *v, const struct mst_path *path, const char *detail)
{
    report_kind(v, path, "Required value", MST_STR_NONE, detail);
}

void mst_v_forbidden(struct mst_validator *v, const struct mst_path *path, const char *detail)
{
    report_kind(v, path, "Forbidden", MST_STR_NONE, detail);
}

void mst_v_invalid(struct mst_validator *v, const struct mst_path *path, struct mst_str shown,
                   const char *detail)
{
    report_kind(v, path, "Invalid value", shown, detail);
}

void mst_v_invalid_str(struct mst_validator *v, const struct mst_path *path, struct mst_str text,
                       const char *detail)
{
    report_kind(v, path, "Invalid value", quote(v, text), detail);
}

void mst_v_invalid_int(struct mst_validator *v, const struct mst_path *path, int64_t value,
                       const char *detail)
{
    report_kind(v, path, "Invalid value",
                mst_arena_printf(&v->api->diags->arena, "%lld", (long long)value), detail);
}

void mst_v_unsupported(struct mst_validator *v, const struct mst_path *path, struct mst_str text,
                       const char *supported)
{
    struct mst_str detail =
        mst_arena_printf(&v->api->diags->arena, "supported values: %s", supported);
    report_kind(v, path, "Unsupported value", quote(v, text), detail.p);
}

void mst_v_duplicate(struct mst_validator *v, const struct mst_path *path, struct mst_str shown,
                     const char *detail)
{
    report_kind(v, path, "Duplicate value", shown, detail);
}

void mst_v_duplicate_str(struct mst_validator *v, const struct mst_path *path, struct mst_str text)
{
    report_kind(v, path, "Duplicate value", quote(v, text), NULL);
}

void mst_v_too_many(struct mst_validator *v, const struct mst_path *path, uint32_t n, uint32_t max)
{
    struct mst_arena *arena = &v->api->diags->arena;
    struct mst_str detail =
        mst_arena_printf(arena, "must have at most %u item%s", max, max == 1 ? "" : "s");
    report_kind(v, path, "Too many", mst_arena_printf(arena, "%u", n), detail.p);
}

void mst_v_too_long(struct mst_validator *v, const struct mst_path *path, const char *detail)
{
    report_kind(v, path, "Too long", MST_STR_NONE, detail);
}

void mst_v_not_found(struct mst_validator *v, const struct mst_path *path, struct mst_str text,
                     const char *detail)
{
    report_kind(v, path, "Not found", quote(v, text), detail);
}

bool mst_v_name(struct mst_validator *v, const struct mst_path *path, mst_name_rule rule,
                mst_length_word word, struct mst_str text)
{
    struct mst_name_texts bad = mst_name_check(rule, word, text);
    for (uint32_t i = 0; i < bad.n; i++)
        mst_v_invalid_str(v, path, text, bad.v[i]);
    return bad.n == 0;
}

void mst_v_name_joined(struct mst_validator *v, const struct mst_path *path, mst_name_rule rule,
                       struct mst_str text)
{
    struct mst_name_texts bad = mst_name_check(rule, MST_LENGTH_IN_CHARACTERS, text);
    if (bad.n == 0)
        return;
    MST_AUTO(mst_buf) joined = { 0 };
    for (uint32_t i = 0; i < bad.n; i++)
        mst_buf_printf(&joined, "%s%s", i ? ";" : "", bad.v[i]);
    mst_buf_char(&joined, '\0');
    mst_v_invalid_str(v, path, text, joined.p);
}

bool mst_api_validate(struct mst_api *api, const struct mst_object *object)
{
    struct mst_validator v = { .api = api, .object = object };
    switch (object->kind) {
    case MST_KIND_POD: mst_validate_pod(&v, &object->u.pod); break;
    case MST_KIND_NODE: mst_validate_node(&v, &object->u.node); break;
    case MST_KIND_NAMESPACE: mst_validate_meta(&v, &object->u.meta, MST_NAME_LABEL, false); break;
    case MST_KIND_POD_GROUP:
    case MST_KIND_COMPOSITE_POD_GROUP: mst_validate_group(&v, &object->u.group); break;
    case MST_KIND_WORKLOAD: mst_validate_workload(&v, &object->u.workload); break;
    case MST_KIND_PRIORITY_CLASS: mst_validate_priority_class(&v, &object->u.priority_class); break;
    case MST_KIND_PDB: mst_validate_pdb(&v, &object->u.pdb); break;
    case MST_KIND_SERVICE: mst_validate_meta(&v, &object->u.meta, MST_NAME_LABEL, true); break;
    case MST_KIND_REPLICATION_CONTROLLER:
    case MST_KIND_REPLICA_SET:
    case MST_KIND_STATEFUL_SET:
        mst_validate_meta(&v, &object->u.meta, MST_NAME_SUBDOMAIN, true);
        break;
    case MST_KIND_PV:
    case MST_KIND_STORAGE_CLASS:
    case MST_KIND_CSI_NODE:
    case MST_KIND_CSI_DRIVER:
    case MST_KIND_VOLUME_ATTACHMENT:
        mst_validate_meta(&v, &object->u.meta, MST_NAME_SUBDOMAIN, false);
        break;
    case MST_KIND_PVC:
    case MST_KIND_CSI_STORAGE_CAPACITY:
        mst_validate_meta(&v, &object->u.meta, MST_NAME_SUBDOMAIN, true);
        break;
    case MST_KIND_UNKNOWN:
    case MST_KIND_COUNT: break;
    }
    mst_map_done(&v.seen);
    return v.error_count == 0;
}

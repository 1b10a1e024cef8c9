/*
 * validate_meta.c - ObjectMeta: names, labels, annotations, owners, finalizers.
 *
 * Source: spec/api.md 4.6; kubernetes v1.37 apimachinery pkg/api/validation/objectmeta.go.
 */
#include "api/validate_internal.h"

enum { ANNOTATIONS_BYTES_MAX = 256 * 1024 };

void mst_validate_labels(struct mst_validator *v, const struct mst_path *path, mst_labels labels)
{
    for (uint32_t i = 0; i < labels.n; i++) {
        mst_v_name(v, path, MST_NAME_LABEL_KEY, MST_LENGTH_IN_BYTES, mst_v_sym(v, labels.v[i].key));
        mst_v_name(v, path, MST_NAME_LABEL_VALUE, MST_LENGTH_IN_BYTES,
                   mst_v_sym(v, labels.v[i].value));
    }
}

/* A generated name ends in random characters, so a trailing dash will not be the end. */
static void validate_generate_name(struct mst_validator *v, const struct mst_path *path,
                                   mst_name_rule rule, struct mst_str text)
{
    struct mst_str masked = text;
    if (text.n > 1 && text.p[text.n - 1] == '-') {
        /* Upstream cuts two characters off and appends an "a". */
        char *copy = mst_arena_alloc(v->api->arena, text.n);
        memcpy(copy, text.p, text.n);
        copy[text.n - 2] = 'a';
        masked = (struct mst_str){ copy, text.n - 1 };
    }
    struct mst_name_texts bad = mst_name_check(rule, MST_LENGTH_IN_CHARACTERS, masked);
    for (uint32_t i = 0; i < bad.n; i++)
        mst_v_invalid_str(v, path, text, bad.v[i]);
}

static void validate_annotations(struct mst_validator *v, const struct mst_path *path,
                                 const struct mst_meta *meta)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < meta->annotations.n; i++) {
        struct mst_str key = meta->annotations.v[i].key;
        bytes += key.n + meta->annotations.v[i].value.n;
        /* The rule of label keys, but upper case does not matter. */
        char *lower = mst_arena_alloc(v->api->arena, key.n);
        for (size_t k = 0; k < key.n; k++)
            lower[k] = key.p[k] >= 'A' && key.p[k] <= 'Z' ? (char)(key.p[k] + 32) : key.p[k];
        struct mst_name_texts bad = mst_name_check(MST_NAME_LABEL_KEY, MST_LENGTH_IN_BYTES,
                                                   (struct mst_str){ lower, key.n });
        for (uint32_t k = 0; k < bad.n; k++)
            mst_v_invalid_str(v, path, key, bad.v[k]);
    }
    if (bytes > ANNOTATIONS_BYTES_MAX) {
        struct mst_str text =
            mst_arena_printf(v->api->arena, "may not be more than %d bytes", ANNOTATIONS_BYTES_MAX);
        mst_v_too_long(v, path, text.p);
    }
}

/* "v1" or "group/v1"; Go's schema.ParseGroupVersion. */
static bool is_group_version(struct mst_str text)
{
    const char *slash = memchr(text.p, '/', text.n);
    if (!slash)
        return true;
    size_t rest = text.n - (size_t)(slash + 1 - text.p);
    if (rest > 0 && memchr(slash + 1, '/', rest))
        return false;
    return rest > 0 || text.n == 1;
}

static void validate_owner(struct mst_validator *v, const struct mst_path *path,
                           const struct mst_owner *owner)
{
    const struct {
        const char *name;
        struct mst_str value;
    } required[] = { { "kind", owner->kind }, { "name", owner->name }, { "uid", owner->uid } };
    if (owner->api_version.n == 0)
        mst_v_required(v, &MST_AT(path, "apiVersion"), "must not be empty");
    else if (!is_group_version(owner->api_version) || mst_str_is(owner->api_version, "/"))
        mst_v_invalid_str(v, &MST_AT(path, "apiVersion"), owner->api_version,
                          "must be <group>/<version> or <version>");
    for (size_t i = 0; i < MST_COUNT(required); i++)
        if (required[i].value.n == 0)
            mst_v_required(v, &MST_AT(path, required[i].name), "must not be empty");
}

/* The list as upstream's JSON, for the one error that shows it. */
static struct mst_str owners_json(struct mst_validator *v, const struct mst_meta *meta)
{
    MST_AUTO(mst_buf) buf = { 0 };
    struct mst_json_writer w = { .out = &buf };
    mst_jw_array_begin(&w);
    for (uint32_t i = 0; i < meta->owners.n; i++) {
        const struct mst_owner *owner = &meta->owners.v[i];
        mst_jw_object_begin(&w);
        mst_jw_key(&w, "apiVersion");
        mst_jw_str(&w, owner->api_version.p ? owner->api_version : MST_STR(""));
        mst_jw_key(&w, "kind");
        mst_jw_str(&w, owner->kind.p ? owner->kind : MST_STR(""));
        mst_jw_key(&w, "name");
        mst_jw_str(&w, owner->name.p ? owner->name : MST_STR(""));
        mst_jw_key(&w, "uid");
        mst_jw_str(&w, owner->uid.p ? owner->uid : MST_STR(""));
        if (owner->controller.set) {
            mst_jw_key(&w, "controller");
            mst_jw_bool(&w, owner->controller.value);
        }
        if (owner->block_owner_deletion.set) {
            mst_jw_key(&w, "blockOwnerDeletion");
            mst_jw_bool(&w, owner->block_owner_deletion.value);
        }
        mst_jw_object_end(&w);
    }
    mst_jw_array_end(&w);
    return mst_arena_str(v->api->arena, mst_buf_span(&buf));
}

static void validate_owners(struct mst_validator *v, const struct mst_path *path,
                            const struct mst_meta *meta)
{
    const struct mst_owner *controller = NULL;
    for (uint32_t i = 0; i < meta->owners.n; i++) {
        const struct mst_owner *owner = &meta->owners.v[i];
        validate_owner(v, &MST_AT_I(path, i), owner);
        if (!owner->controller.value)
            continue;
        if (!controller) {
            controller = owner;
            continue;
        }
        struct mst_str text = mst_arena_printf(
            v->api->arena,
            "Only one reference can have Controller set to true. Found \"true\" in references for "
            "%.*s/%.*s and %.*s/%.*s",
            MST_ARG(controller->kind), MST_ARG(controller->name), MST_ARG(owner->kind),
            MST_ARG(owner->name));
        mst_v_invalid(v, path, owners_json(v, meta), text.p);
    }
}

static void validate_finalizers(struct mst_validator *v, const struct mst_path *path,
                                const struct mst_meta *meta)
{
    bool orphan = false, foreground = false;
    MST_AUTO(mst_buf) buf = { 0 };
    struct mst_json_writer w = { .out = &buf };
    mst_jw_array_begin(&w);
    for (uint32_t i = 0; i < meta->finalizers.n; i++) {
        struct mst_str finalizer = meta->finalizers.v[i];
        mst_v_name(v, path, MST_NAME_LABEL_KEY, MST_LENGTH_IN_BYTES, finalizer);
        mst_jw_str(&w, finalizer.p ? finalizer : MST_STR(""));
        orphan |= mst_str_is(finalizer, "orphan");
        foreground |= mst_str_is(finalizer, "foregroundDeletion");
    }
    mst_jw_array_end(&w);
    if (orphan && foreground)
        mst_v_invalid(v, path, mst_buf_span(&buf),
                      "finalizer orphan and foregroundDeletion cannot be both set");
}

/* What core validation adds to every kind that goes through it. */
static void validate_finalizer_prefixes(struct mst_validator *v, const struct mst_path *path,
                                        const struct mst_meta *meta)
{
    for (uint32_t i = 0; i < meta->finalizers.n; i++) {
        struct mst_str finalizer = meta->finalizers.v[i];
        bool standard = mst_str_is(finalizer, "kubernetes") || mst_str_is(finalizer, "orphan") ||
                        mst_str_is(finalizer, "foregroundDeletion");
        if (!standard && !(finalizer.n && memchr(finalizer.p, '/', finalizer.n)))
            mst_v_invalid_str(
                v, &MST_AT_I(path, i), finalizer,
                "name is neither a standard finalizer name nor is it fully qualified");
    }
}

void mst_validate_meta(struct mst_validator *v, const struct mst_meta *meta, mst_name_rule rule,
                       bool namespaced)
{
    const struct mst_path path = MST_AT(NULL, "metadata");
    if (meta->generate_name.n > 0)
        validate_generate_name(v, &MST_AT(&path, "generateName"), rule, meta->generate_name);
    if (meta->name.n > 0)
        mst_v_name(v, &MST_AT(&path, "name"), rule, MST_LENGTH_IN_CHARACTERS, meta->name);
    else if (meta->generate_name.n == 0)
        mst_v_required(v, &MST_AT(&path, "name"), "name or generateName is required");
    struct mst_str ns = mst_v_sym(v, meta->namespace_);
    if (!namespaced && ns.n > 0)
        mst_v_forbidden(v, &MST_AT(&path, "namespace"), "not allowed on this type");
    else if (namespaced && ns.n == 0)
        mst_v_required(v, &MST_AT(&path, "namespace"), NULL);
    else if (namespaced)
        mst_v_name(v, &MST_AT(&path, "namespace"), MST_NAME_LABEL, MST_LENGTH_IN_CHARACTERS, ns);
    if (meta->generation < 0)
        mst_v_invalid_int(v, &MST_AT(&path, "generation"), meta->generation,
                          "must be greater than or equal to 0");
    mst_validate_labels(v, &MST_AT(&path, "labels"), meta->labels);
    validate_annotations(v, &MST_AT(&path, "annotations"), meta);
    validate_owners(v, &MST_AT(&path, "ownerReferences"), meta);
    validate_finalizers(v, &MST_AT(&path, "finalizers"), meta);
    if (rule != MST_NAME_PATH_SEGMENT)
        validate_finalizer_prefixes(v, &MST_AT(&path, "finalizers"), meta);
}

/*
 * decode.c - documents to objects: walks a tape by the schemas of schema.c.
 *
 * Owns:       nothing; objects go to the arena of struct mst_api and point into the document.
 * Invariants: every report names the exact path; a report of an error means that the object at hand
 *             is not passed on; recursion goes down schema levels only, whose number is fixed,
 *             never down the input.
 * Not here:   which fields there are (schema.c), which kinds (kinds.c).
 */
#include "api/api_internal.h"

/* ---- reports ---- */

/* "Pod default/a" for diagnostics, from the tape: the struct may not be filled yet. */
static void name_object(struct mst_decoder *d)
{
    const struct mst_value *meta = mst_value_get(d->object, "metadata");
    const struct mst_value *name = meta ? mst_value_get(meta, "name") : NULL;
    const struct mst_value *ns = meta ? mst_value_get(meta, "namespace") : NULL;
    if (!name && meta)
        name = mst_value_get(meta, "generateName");
    struct mst_arena *arena = &d->api->diags->arena;
    struct mst_str in = ns && ns->type == MST_STRING ? mst_value_str(ns) : MST_STR("");
    if (name && name->type == MST_STRING)
        d->api->diags->object =
            mst_arena_printf(arena, "%.*s %.*s%s%.*s", MST_ARG(d->kind), MST_ARG(in),
                             in.n ? "/" : "", MST_ARG(mst_value_str(name)));
    else if (d->item != UINT32_MAX)
        d->api->diags->object =
            mst_arena_printf(arena, "%.*s items[%u]", MST_ARG(d->kind), d->item);
    else
        d->api->diags->object = mst_arena_str(arena, d->kind);
}

void mst_decode_report(struct mst_decoder *d, mst_diag_level level, const struct mst_path *path,
                       const struct mst_value *value, struct mst_str text)
{
    struct mst_diags *diags = d->api->diags;
    if (!diags->object.p)
        name_object(d);
    struct mst_str where = mst_path_text(&diags->arena, path);
    mst_diag_add(diags, level, value, "%.*s%s%.*s", MST_ARG(where), where.n ? ": " : "",
                 MST_ARG(text));
}

void mst_decode_wrong_type(struct mst_decoder *d, const struct mst_path *path, const char *want,
                           const struct mst_value *value)
{
    enum { SHOWN_MAX = 100 };
    struct mst_arena *arena = &d->api->diags->arena;
    struct mst_str shown = MST_STR("");
    struct mst_str text = { value->p, MST_MIN(value->n, (uint32_t)SHOWN_MAX) };
    const char *more = value->n > SHOWN_MAX ? "..." : "";
    if (value->type == MST_STRING)
        shown = mst_arena_printf(arena, " %.*s%s", MST_ARG(mst_go_quote(arena, text)), more);
    else if (value->type == MST_NUMBER)
        shown = mst_arena_printf(arena, " %.*s%s", MST_ARG(text), more);
    else if (value->type == MST_TRUE || value->type == MST_FALSE)
        shown = value->type == MST_TRUE ? MST_STR(" true") : MST_STR(" false");
    mst_decode_report(d, MST_DIAG_ERROR, path, value,
                      mst_arena_printf(arena, "expected %s, got %s%.*s", want,
                                       mst_value_type_name(value), MST_ARG(shown)));
}

static void report_unknown(struct mst_decoder *d, const struct mst_schema *schema,
                           const struct mst_path *up, const struct mst_value *key)
{
    struct mst_arena *arena = &d->api->diags->arena;
    struct mst_str name = mst_value_str(key);
    const char *best = NULL;
    uint32_t best_distance = name.n < 4 ? 1 : name.n < 8 ? 2 : 3;
    for (uint32_t i = 0; i < schema->field_count; i++) {
        struct mst_str known = { schema->fields[i].name, schema->fields[i].name_n };
        uint32_t distance = mst_edit_distance(name, known, best_distance);
        if (distance < best_distance || (distance == best_distance && !best)) {
            best = known.p;
            best_distance = distance;
        }
    }
    struct mst_str where = mst_path_text(arena, up);
    struct mst_str full =
        mst_arena_printf(arena, "%.*s%s%.*s", MST_ARG(where), where.n ? "." : "", MST_ARG(name));
    struct mst_str text =
        mst_arena_printf(arena, "unknown field %.*s%s%s%s", MST_ARG(mst_go_quote(arena, full)),
                         best ? "; did you mean \"" : "", best ? best : "", best ? "\"?" : "");
    mst_decode_report(d, MST_DIAG_WARNING, NULL, key, text);
}

/* ---- values ---- */

/* The layout that every MST_LIST has. */
static void set_list(void *list, const void *v, uint32_t n)
{
    memcpy(list, &v, sizeof(v));
    memcpy((char *)list + sizeof(v), &n, sizeof(n));
}

static bool expect(struct mst_decoder *d, const struct mst_path *path,
                   const struct mst_value *value, mst_value_type type, const char *want)
{
    if (value->type == type)
        return true;
    mst_decode_wrong_type(d, path, want, value);
    return false;
}

static bool read_int(struct mst_decoder *d, const struct mst_path *path,
                     const struct mst_value *value, bool small, int64_t *out)
{
    int64_t x;
    if (value->type == MST_NUMBER && mst_value_int(value, &x)) {
        if (!small || (x >= INT32_MIN && x <= INT32_MAX)) {
            *out = x;
            return true;
        }
        mst_decode_wrong_type(d, path, "32-bit integer", value);
        return false;
    }
    mst_decode_wrong_type(d, path, "integer", value);
    return false;
}

static void read_labels(struct mst_decoder *d, const struct mst_path *path,
                        const struct mst_value *value, void *out)
{
    if (!expect(d, path, value, MST_OBJECT, "object"))
        return;
    struct mst_label *v = MST_NEW_N(d->api->arena, struct mst_label, value->n);
    uint32_t n = 0;
    MST_EACH_MEMBER (key, value) {
        const struct mst_value *text = key + 1;
        if (text->type != MST_STRING && text->type != MST_NULL) {
            mst_decode_wrong_type(d, &MST_AT_KEY(path, mst_value_str(key)), "string", text);
            continue;
        }
        struct mst_str s = text->type == MST_NULL ? MST_STR("") : mst_value_str(text);
        v[n].key = mst_sym_of(d->api->syms, mst_value_str(key));
        v[n++].value = mst_sym_of(d->api->syms, s);
    }
    set_list(out, v, n);
}

static void read_annotations(struct mst_decoder *d, const struct mst_path *path,
                             const struct mst_value *value, void *out)
{
    if (!expect(d, path, value, MST_OBJECT, "object"))
        return;
    struct mst_annotation *v = MST_NEW_N(d->api->arena, struct mst_annotation, value->n);
    uint32_t n = 0;
    MST_EACH_MEMBER (key, value) {
        const struct mst_value *text = key + 1;
        if (text->type != MST_STRING && text->type != MST_NULL) {
            mst_decode_wrong_type(d, &MST_AT_KEY(path, mst_value_str(key)), "string", text);
            continue;
        }
        v[n].key = mst_value_str(key);
        v[n++].value = text->type == MST_NULL ? MST_STR("") : mst_value_str(text);
    }
    set_list(out, v, n);
}

static struct mst_str trim(struct mst_str s)
{
    while (s.n && memchr(" \t\n\v\f\r", s.p[0], 6)) {
        s.p++;
        s.n--;
    }
    while (s.n && memchr(" \t\n\v\f\r", s.p[s.n - 1], 6))
        s.n--;
    return s;
}

static void read_resources(struct mst_decoder *d, const struct mst_path *path,
                           const struct mst_value *value, void *out)
{
    if (!expect(d, path, value, MST_OBJECT, "object"))
        return;
    struct mst_resource *v = MST_NEW_N(d->api->arena, struct mst_resource, value->n);
    uint32_t n = 0;
    MST_EACH_MEMBER (key, value) {
        const struct mst_value *text = key + 1;
        const struct mst_path at = MST_AT_KEY(path, mst_value_str(key));
        struct mst_err err;
        struct mst_quantity q = { 0 };
        if (text->type != MST_STRING && text->type != MST_NUMBER && text->type != MST_NULL) {
            mst_decode_wrong_type(d, &at, "quantity", text);
            continue;
        }
        if (text->type != MST_NULL && mst_quantity_parse(trim(mst_value_str(text)), &q, &err)) {
            struct mst_arena *arena = &d->api->diags->arena;
            struct mst_str shown = mst_go_quote(arena, mst_value_str(text));
            mst_decode_report(d, MST_DIAG_ERROR, &at, text,
                              mst_arena_printf(arena, "expected quantity, got %s %.*s: %s",
                                               mst_value_type_name(text), MST_ARG(shown),
                                               err.text));
            continue;
        }
        v[n].name = mst_sym_of(d->api->syms, mst_value_str(key));
        v[n++].quantity = q;
    }
    set_list(out, v, n);
}

static void read_keys(struct mst_decoder *d, const struct mst_path *path,
                      const struct mst_value *value, void *out)
{
    if (!expect(d, path, value, MST_OBJECT, "object"))
        return;
    struct mst_str *v = MST_NEW_N(d->api->arena, struct mst_str, value->n);
    uint32_t n = 0;
    MST_EACH_MEMBER (key, value)
        v[n++] = mst_value_str(key);
    set_list(out, v, n);
}

static void read_strings(struct mst_decoder *d, const struct mst_path *path,
                         const struct mst_value *value, bool intern, void *out)
{
    if (!expect(d, path, value, MST_ARRAY, "array"))
        return;
    size_t size = intern ? sizeof(mst_sym) : sizeof(struct mst_str);
    void *v = mst_arena_zalloc(d->api->arena, value->n, size);
    uint32_t n = 0;
    MST_EACH_ELEMENT (element, value) {
        struct mst_str s = element->type == MST_NULL ? MST_STR("") : mst_value_str(element);
        if (element->type != MST_STRING && element->type != MST_NULL)
            mst_decode_wrong_type(d, &MST_AT_I(path, n), "string", element);
        else if (intern)
            ((mst_sym *)v)[n] = mst_sym_of(d->api->syms, s);
        else
            ((struct mst_str *)v)[n] = s;
        n++;
    }
    set_list(out, v, n);
}

static void read_list(struct mst_decoder *d, const struct mst_schema *schema,
                      const struct mst_path *path, const struct mst_value *value, void *out)
{
    if (!expect(d, path, value, MST_ARRAY, "array"))
        return;
    char *v = mst_arena_zalloc(d->api->arena, value->n, schema->size);
    uint32_t n = 0;
    MST_EACH_ELEMENT (element, value) {
        void *base = v + (size_t)n * schema->size;
        if (element->type == MST_NULL && schema->init)
            schema->init(base);
        if (element->type != MST_NULL)
            mst_decode_struct(d, schema, &MST_AT_I(path, n), element, base);
        n++;
    }
    set_list(out, v, n);
}

/* ---- fields ---- */

static void set_flag(const struct mst_field *field, const struct mst_value *value, void *base)
{
    char *at = (char *)base + field->flag;
    switch ((mst_flag_op)field->flag_op) {
    case MST_FLAG_NONE: break;
    case MST_FLAG_BOOL: *(bool *)at = true; break;
    case MST_FLAG_OR: {
        unsigned bits;
        memcpy(&bits, at, sizeof(bits));
        bits |= field->flag_value;
        memcpy(at, &bits, sizeof(bits));
        break;
    }
    case MST_FLAG_SOURCE:
    case MST_FLAG_SYNTHETIC: {
        struct mst_volume *volume = (struct mst_volume *)at;
        volume->source = (mst_volume_source)field->flag_value;
        volume->source_count++;
        volume->synthetic = field->flag_op == MST_FLAG_SYNTHETIC;
        volume->source_name = field->name;
        volume->source_value = value;
        break;
    }
    }
}

static void read_text(struct mst_decoder *d, const struct mst_field *field,
                      const struct mst_path *path, const struct mst_value *value, void *at)
{
    if (!expect(d, path, value, MST_STRING, "string"))
        return;
    struct mst_str s = mst_value_str(value);
    bool pointer = field->kind == MST_FIELD_STR_PTR || field->kind == MST_FIELD_SYM_PTR;
    if (s.n == 0 && !pointer)
        return;
    if (field->kind == MST_FIELD_SYM || field->kind == MST_FIELD_SYM_PTR)
        *(mst_sym *)at = mst_sym_of(d->api->syms, s);
    else
        *(struct mst_str *)at = s;
}

static void read_bool(struct mst_decoder *d, const struct mst_field *field,
                      const struct mst_path *path, const struct mst_value *value, void *at)
{
    if (value->type != MST_TRUE && value->type != MST_FALSE)
        mst_decode_wrong_type(d, path, "boolean", value);
    else if (field->kind == MST_FIELD_BOOL)
        *(bool *)at = value->type == MST_TRUE;
    else
        *(struct mst_opt_bool *)at = (struct mst_opt_bool){ value->type == MST_TRUE, true };
}

static void read_number(struct mst_decoder *d, const struct mst_field *field,
                        const struct mst_path *path, const struct mst_value *value, void *at)
{
    bool small = field->kind == MST_FIELD_INT32 || field->kind == MST_FIELD_OPT_INT32;
    int64_t x;
    if (!read_int(d, path, value, small, &x))
        return;
    if (field->kind == MST_FIELD_INT32 || field->kind == MST_FIELD_INT64)
        *(int64_t *)at = x;
    else
        *(struct mst_opt_int *)at = (struct mst_opt_int){ x, true };
}

static void read_time(struct mst_decoder *d, const struct mst_path *path,
                      const struct mst_value *value, void *at)
{
    if (value->type != MST_STRING || !mst_time_parse(mst_value_str(value), at))
        mst_decode_wrong_type(d, path, "RFC 3339 time", value);
}

static void read_field(struct mst_decoder *d, const struct mst_field *field,
                       const struct mst_path *path, const struct mst_value *value, void *base)
{
    void *at = (char *)base + field->offset;
    switch ((mst_field_kind)field->kind) {
    case MST_FIELD_IGNORED: break;
    case MST_FIELD_STR:
    case MST_FIELD_STR_PTR:
    case MST_FIELD_SYM:
    case MST_FIELD_SYM_PTR: read_text(d, field, path, value, at); break;
    case MST_FIELD_BOOL:
    case MST_FIELD_OPT_BOOL: read_bool(d, field, path, value, at); break;
    case MST_FIELD_INT32:
    case MST_FIELD_INT64:
    case MST_FIELD_OPT_INT32:
    case MST_FIELD_OPT_INT64: read_number(d, field, path, value, at); break;
    case MST_FIELD_TIME: read_time(d, path, value, at); break;
    case MST_FIELD_LABELS: read_labels(d, path, value, at); break;
    case MST_FIELD_ANNOTATIONS: read_annotations(d, path, value, at); break;
    case MST_FIELD_RESOURCES: read_resources(d, path, value, at); break;
    case MST_FIELD_KEYS: read_keys(d, path, value, at); break;
    case MST_FIELD_STRS:
    case MST_FIELD_SYMS: read_strings(d, path, value, field->kind == MST_FIELD_SYMS, at); break;
    case MST_FIELD_OBJECT: mst_decode_struct(d, field->sub, path, value, at); break;
    case MST_FIELD_LIST: read_list(d, field->sub, path, value, at); break;
    case MST_FIELD_HOOK: field->hook(d, field, path, value, base); break;
    }
}

/*
 * The field called `key`. Documents come in the order of the schema (API server) or sorted
 * (kubectl), so the search starts behind the last hit and compares lengths first. Keys that come
 * from the tables of protobuf are often the same literal as the field's name.
 */
static const struct mst_field *find_field(const struct mst_schema *schema,
                                          const struct mst_value *key, uint32_t *hint)
{
    const struct mst_field *fields = schema->fields;
    uint32_t n = schema->field_count, i = *hint;
    for (uint32_t tried = 0; tried < n; tried++, i++) {
        if (i >= n)
            i = 0;
        if (fields[i].name_n == key->n &&
            (fields[i].name == key->p || memcmp(fields[i].name, key->p, key->n) == 0)) {
            *hint = i + 1;
            return &fields[i];
        }
    }
    return NULL;
}

void mst_decode_struct(struct mst_decoder *d, const struct mst_schema *schema,
                       const struct mst_path *path, const struct mst_value *value, void *base)
{
    if (!expect(d, path, value, MST_OBJECT, "object"))
        return;
    if (schema->init)
        schema->init(base);
    uint32_t hint = 0;
    MST_EACH_MEMBER (key, value) {
        const struct mst_field *field = find_field(schema, key, &hint);
        if (!field) {
            report_unknown(d, schema, path, key);
            continue;
        }
        if (key[1].type == MST_NULL)
            continue;
        if (field->flag_op != MST_FLAG_NONE)
            set_flag(field, key + 1, base);
        if (field->kind != MST_FIELD_IGNORED)
            read_field(d, field, &MST_AT(path, field->name), key + 1, base);
    }
}

/* ---- documents ---- */

struct walk {
    struct mst_api *api;
    bool (*each)(void *ctx, struct mst_object *object);
    void *ctx;
    uint32_t count;
    bool stopped;
};

static struct mst_str text_member(const struct mst_value *object, const char *name)
{
    const struct mst_value *v = mst_value_get(object, name);
    return v && v->type == MST_STRING && v->n ? mst_value_str(v) : MST_STR_NONE;
}

static void decode_object(struct walk *walk, const struct mst_value *value,
                          struct mst_str api_version, struct mst_str kind, uint32_t item)
{
    struct mst_api *api = walk->api;
    struct mst_decoder d = { .api = api, .object = value, .kind = kind, .item = item };
    mst_kind found = MST_KIND_UNKNOWN;
    struct mst_str text;
    mst_version_verdict verdict = mst_kind_of(api_version, kind, &api->diags->arena, &found, &text);
    if (verdict != MST_VERSION_OK) {
        mst_decode_report(&d, verdict == MST_VERSION_WRONG ? MST_DIAG_ERROR : MST_DIAG_WARNING,
                          NULL, value, text);
        return;
    }
    uint32_t errors = api->diags->error_count;
    struct mst_object *object = MST_NEW(api->arena, struct mst_object);
    object->kind = found;
    object->api_version = api_version;
    object->source = value;
    mst_decode_struct(&d, mst_schema_of(found), NULL, value, &object->u);
    if (found == MST_KIND_WORKLOAD) {
        const struct mst_value *spec = mst_value_get(value, "spec");
        if (spec && spec->type == MST_OBJECT)
            mst_decode_templates(&d, spec, &MST_AT(NULL, "spec"), &object->u.workload);
    }
    if (found == MST_KIND_COMPOSITE_POD_GROUP)
        object->u.group.composite = true;
    if (api->diags->error_count != errors)
        return;
    walk->count++;
    walk->stopped = !walk->each(walk->ctx, object);
}

/* A document or an item of a v1.List: says of itself what it is. */
static void decode_single(struct walk *walk, const struct mst_value *value, uint32_t item)
{
    struct mst_decoder d = {
        .api = walk->api, .object = value, .kind = MST_STR("object"), .item = item
    };
    struct mst_str kind = text_member(value, "kind");
    struct mst_str api_version = text_member(value, "apiVersion");
    if (value->type != MST_OBJECT)
        mst_decode_wrong_type(&d, NULL, "object", value);
    else if (!kind.p)
        mst_decode_report(&d, MST_DIAG_ERROR, NULL, value, MST_STR("\"kind\" is not set"));
    else if (!api_version.p)
        mst_decode_report(&d, MST_DIAG_ERROR, NULL, value, MST_STR("\"apiVersion\" is not set"));
    else
        decode_object(walk, value, api_version, kind, item);
}

static bool is_list_kind(struct mst_str kind)
{
    return kind.n >= 4 && memcmp(kind.p + kind.n - 4, "List", 4) == 0;
}

/* An item of a typed list may leave out what the list says for all. */
static void decode_typed_item(struct walk *walk, const struct mst_value *item,
                              struct mst_str list_version, struct mst_str kind, uint32_t item_i)
{
    struct mst_str own = text_member(item, "apiVersion");
    struct mst_decoder d = { .api = walk->api, .object = item, .kind = kind, .item = item_i };
    if (!own.p && !list_version.p)
        mst_decode_report(&d, MST_DIAG_ERROR, NULL, item, MST_STR("\"apiVersion\" is not set"));
    else
        decode_object(walk, item, own.p ? own : list_version, kind, item_i);
}

static void decode_items(struct walk *walk, const struct mst_value *list, struct mst_str list_kind)
{
    struct mst_api *api = walk->api;
    struct mst_decoder d = { .api = api, .object = list, .kind = list_kind, .item = UINT32_MAX };
    const struct mst_value *items = mst_value_get(list, "items");
    if (!items || items->type == MST_NULL)
        return;
    if (!expect(&d, &MST_AT(NULL, "items"), items, MST_ARRAY, "array"))
        return;
    struct mst_str api_version = text_member(list, "apiVersion");
    struct mst_str item_kind = { list_kind.p, list_kind.n - 4 };
    uint32_t i = 0;
    MST_EACH_ELEMENT (item, items) {
        struct mst_str kind = text_member(item, "kind");
        api->diags->object = MST_STR_NONE;
        if (is_list_kind(kind))
            mst_decode_report(&d, MST_DIAG_ERROR, &MST_AT_I(&MST_AT(NULL, "items"), i), item,
                              MST_STR("a list inside a list is not supported, "
                                      "write its items directly"));
        else if (item_kind.n == 0 || item->type != MST_OBJECT)
            decode_single(walk, item, i);
        else
            decode_typed_item(walk, item, api_version, kind.p ? kind : item_kind, i);
        i++;
        if (walk->stopped)
            return;
    }
}

uint32_t mst_api_decode(struct mst_api *api, const struct mst_value *doc,
                        bool (*each)(void *ctx, struct mst_object *object), void *ctx)
{
    mst_assert(api->diags && api->arena && api->syms);
    struct walk walk = { .api = api, .each = each, .ctx = ctx };
    struct mst_str outer = api->diags->object;
    struct mst_str kind = text_member(doc, "kind");
    api->diags->object = MST_STR_NONE;
    if (is_list_kind(kind))
        decode_items(&walk, doc, kind);
    else
        decode_single(&walk, doc, UINT32_MAX);
    api->diags->object = outer;
    return walk.count;
}

uint32_t mst_api_decode_item(struct mst_api *api, const struct mst_value *item,
                             struct mst_str api_version, struct mst_str kind, uint32_t item_i,
                             bool (*each)(void *ctx, struct mst_object *object), void *ctx)
{
    struct walk walk = { .api = api, .each = each, .ctx = ctx };
    struct mst_str outer = api->diags->object;
    struct mst_str own = text_member(item, "kind");
    api->diags->object = MST_STR_NONE;
    if (item->type != MST_OBJECT || (!own.p && !kind.p))
        decode_single(&walk, item, item_i);
    else
        decode_typed_item(&walk, item, api_version, own.p ? own : kind, item_i);
    api->diags->object = outer;
    return walk.count;
}

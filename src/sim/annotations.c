/*
 * annotations.c - what simulate.muster/ annotations of one document say.
 */
#include "sim/annotations.h"

#include "sim/clock.h"

enum { ARRIVE_AT, DELETE_AT, RUN_FOR, FAIL_BIND, NAME_COUNT };

static const struct {
    const char *name;
    bool pods_only;
} names[NAME_COUNT] = {
    [ARRIVE_AT] = { "arrive-at", false },
    [DELETE_AT] = { "delete-at", false },
    [RUN_FOR] = { "run-for", true },
    [FAIL_BIND] = { "fail-bind", true },
};

/* The annotation's place in the document; the object's own when it has none. */
static const struct mst_value *place_of(const struct mst_object *object, struct mst_str key)
{
    const struct mst_value *map =
        mst_value_get(mst_value_get(object->source, "metadata"), "annotations");
    if (map && map->type == MST_OBJECT) {
        MST_EACH_MEMBER (k, map) {
            if (mst_str_eq(mst_value_str(k), key))
                return k + 1;
        }
    }
    return object->source;
}

static void complain(struct mst_diags *diags, const struct mst_value *at,
                     const struct mst_annotation *a, const char *why)
{
    mst_diag_add(diags, MST_DIAG_ERROR, at,
                 "metadata.annotations[%.*s]: Invalid value: \"%.*s\": %s", MST_ARG(a->key),
                 (int)MST_MIN(a->value.n, (size_t)60), a->value.p ? a->value.p : "", why);
}

static bool read_duration(struct mst_diags *diags, const struct mst_value *at,
                          const struct mst_annotation *a, int64_t *out)
{
    struct mst_err err;
    if (mst_duration_parse(a->value, out, &err) == MST_OK)
        return true;
    /* The error quotes the value, and so does the diagnostic: once is enough. */
    const char *why = strstr(err.text, "\": ");
    complain(diags, at, a, why ? why + 3 : err.text);
    return false;
}

static bool read_count(struct mst_diags *diags, const struct mst_value *at,
                       const struct mst_annotation *a, uint32_t *out)
{
    uint32_t n = 0;
    bool ok = a->value.n > 0;
    for (size_t i = 0; i < a->value.n && ok; i++) {
        char c = a->value.p[i];
        ok = c >= '0' && c <= '9' && n <= MST_FAIL_BINDS_MAX;
        n = ok ? n * 10 + (uint32_t)(c - '0') : n;
    }
    if (ok && n <= MST_FAIL_BINDS_MAX) {
        *out = n;
        return true;
    }
    complain(diags, at, a, "must be a whole number from 0 to 1000000, in quotes");
    return false;
}

static void read_one(struct mst_scenario_doc *doc, struct mst_diags *diags,
                     const struct mst_annotation *a, struct mst_str name)
{
    const struct mst_value *at = place_of(&doc->object, a->key);
    uint32_t i = 0;
    while (i < NAME_COUNT && !mst_str_is(name, names[i].name))
        i++;
    if (i == NAME_COUNT) {
        mst_diag_add(
            diags, MST_DIAG_ERROR, at,
            "metadata.annotations[%.*s]: Unsupported value: supported are " MST_SCENARIO_PREFIX
            "arrive-at, delete-at, run-for and fail-bind",
            MST_ARG(a->key));
        return;
    }
    if (names[i].pods_only && doc->object.kind != MST_KIND_POD) {
        mst_diag_add(diags, MST_DIAG_ERROR, at,
                     "metadata.annotations[%.*s]: Forbidden: only pods can have it",
                     MST_ARG(a->key));
        return;
    }
    if (i == FAIL_BIND)
        (void)read_count(diags, at, a, &doc->fail_binds);
    else
        (void)read_duration(diags, at, a,
                            i == ARRIVE_AT   ? &doc->arrive_ns
                            : i == DELETE_AT ? &doc->delete_ns
                                             : &doc->run_ns);
}

void mst_annotations_read(struct mst_scenario_doc *doc, struct mst_diags *diags)
{
    const struct mst_meta *meta = &doc->object.u.meta;
    for (uint32_t i = 0; i < meta->annotations.n; i++) {
        const struct mst_annotation *a = &meta->annotations.v[i];
        if (!mst_str_has_prefix(a->key, MST_SCENARIO_PREFIX))
            continue;
        size_t skip = sizeof(MST_SCENARIO_PREFIX) - 1;
        read_one(doc, diags, a, (struct mst_str){ a->key.p + skip, a->key.n - skip });
    }
    if (doc->delete_ns <= doc->arrive_ns) {
        struct mst_str key = MST_STR(MST_SCENARIO_PREFIX "delete-at");
        MST_AUTO(mst_buf) when = { 0 };
        mst_duration_print_short(doc->arrive_ns, &when);
        mst_diag_add(diags, MST_DIAG_ERROR, place_of(&doc->object, key),
                     "metadata.annotations[%.*s]: Invalid value: must be later than the arrival of "
                     "the object at %.*s",
                     MST_ARG(key), MST_ARG(mst_buf_span(&when)));
    }
}

/*
 * test_validate_golden.c - our validation against what upstream's own says of the same manifests.
 *
 * validate/X.yaml has objects, validate/X.expect one line per error, "KIND NS/NAME: ERROR", in the
 * order of an API server: hand-written rules, then generated ones. The lines were printed by a
 * program that runs the validation of kubernetes v1.37.2 with the gates of groups on.
 */
#include <stdio.h>

#include "api/api.h"
#include "codec/yaml.h"
#include "tap.h"

static bool read_file(struct mst_test *t, const char *name, const char *suffix, struct mst_buf *out)
{
    char path[200];
    snprintf(path, sizeof(path), "tests/golden/validate/%s.%s", name, suffix);
    FILE *file = fopen(path, "rb");
    if (!file) {
        t_fail(t, "%s: cannot be read", path);
        return false;
    }
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof(chunk), file)) > 0;)
        mst_buf_add(out, chunk, n);
    fclose(file);
    return true;
}

static bool check_object(void *ctx, struct mst_object *object)
{
    struct mst_api *api = ctx;
    mst_api_default(api, object);
    /* Only pods whose admission does not depend on classes that the samples do not have. */
    if (object->kind == MST_KIND_POD && object->u.pod.spec.preemption_policy == MST_SYM_NONE)
        mst_assert(mst_api_admit(api, object, NULL, NULL));
    if (mst_kind_namespaced(object->kind) && object->u.meta.namespace_ == MST_SYM_NONE)
        object->u.meta.namespace_ = mst_sym_of(api->syms, MST_STR("default"));
    uint32_t before = api->diags->error_count;
    bool ok = mst_api_validate(api, object);
    mst_assert(ok == (api->diags->error_count == before));
    return true;
}

static void validate_text(struct mst_test *t, struct mst_str text, struct mst_buf *out)
{
    struct mst_arena arena = { 0 };
    struct mst_diags diags = { 0 };
    struct mst_syms *syms = mst_syms_new();
    struct mst_api api = {
        .syms = syms,
        .arena = &arena,
        .diags = &diags,
        .composite = true,
        .topology = true,
        .preemption_policy = true,
        .claims = true,
        .upstream = true,
    };
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    mst_rc rc;
    mst_yaml_init(&reader, text);
    while ((rc = mst_yaml_next(&reader, &arena, &diags, &doc)) == MST_OK)
        mst_api_decode(&api, doc, check_object, &api);
    t_int(t, rc, MST_ENOTFOUND);
    for (uint32_t i = 0; i < diags.list.n; i++) {
        const struct mst_diag *diag = &diags.list.v[i];
        t_int(t, diag->level, MST_DIAG_ERROR);
        t_ok(t, diag->line > 0);
        mst_buf_printf(out, "%.*s: %.*s\n", MST_ARG(diag->object), MST_ARG(diag->text));
    }
    mst_diags_done(&diags);
    mst_arena_done(&arena);
    mst_syms_free(syms);
}

/* The next line of *rest, which moves behind it. */
static struct mst_str next_line(struct mst_str *rest)
{
    const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
    struct mst_str line = { rest->p, end ? (size_t)(end - rest->p) : rest->n };
    size_t skip = end ? line.n + 1 : line.n;
    rest->p += skip;
    rest->n -= skip;
    return line;
}

/* Diagnostics cut long texts off and end them in "..."; what is there must agree. */
static bool same_line(struct mst_str ours, struct mst_str theirs)
{
    if (ours.n > 500 && memcmp(ours.p + ours.n - 3, "...", 3) == 0 && theirs.n > ours.n)
        return memcmp(ours.p, theirs.p, ours.n - 3) == 0;
    return mst_str_eq(ours, theirs);
}

static void compare(struct mst_test *t, const char *name)
{
    MST_AUTO(mst_buf) yaml = { 0 };
    MST_AUTO(mst_buf) expect = { 0 };
    MST_AUTO(mst_buf) got = { 0 };
    t_case(t, name);
    if (!read_file(t, name, "yaml", &yaml) || !read_file(t, name, "expect", &expect))
        return;
    validate_text(t, mst_buf_span(&yaml), &got);
    struct mst_str ours = mst_buf_span(&got), theirs = mst_buf_span(&expect);
    t_ok(t, theirs.n > 0);
    while (ours.n || theirs.n) {
        struct mst_str a = next_line(&ours), b = next_line(&theirs);
        t_check_(t, same_line(a, b), __FILE__, __LINE__, "got  %.*s\n#   want %.*s", MST_ARG(a),
                 MST_ARG(b));
    }
}

static void test_validate_groups(struct mst_test *t)
{
    compare(t, "groups");
}

static void test_validate_workloads(struct mst_test *t)
{
    compare(t, "workloads");
}

static void test_validate_metadata_and_small_kinds(struct mst_test *t)
{
    compare(t, "meta");
}

static void test_validate_pods(struct mst_test *t)
{
    compare(t, "pods");
}

static void test_validate_placement_of_pods(struct mst_test *t)
{
    compare(t, "placement");
}

MST_TEST_MAIN(T(test_validate_groups), T(test_validate_workloads),
              T(test_validate_metadata_and_small_kinds), T(test_validate_pods),
              T(test_validate_placement_of_pods))

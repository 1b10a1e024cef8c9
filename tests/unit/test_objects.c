/* Pods and nodes as JSON for extenders. */
#include "daemon/objects.h"

#include "codec/yaml.h"
#include "tap.h"

struct rig {
    struct mst_syms *syms;
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_objects objects;
};

static bool set(void *ctx, struct mst_object *object)
{
    struct rig *rig = ctx;
    mst_objects_set(&rig->objects, rig->syms, object);
    return true;
}

static bool gone(void *ctx, struct mst_object *object)
{
    struct rig *rig = ctx;
    mst_objects_gone(&rig->objects, rig->syms, object);
    return true;
}

static void each(struct rig *rig, bool (*fn)(void *, struct mst_object *), const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    struct mst_api api = { .syms = rig->syms, .arena = &rig->arena, .diags = &rig->diags };
    mst_yaml_init(&reader, mst_str_of(yaml));
    while (mst_yaml_next(&reader, &rig->arena, &rig->diags, &doc) == MST_OK)
        mst_api_decode(&api, doc, fn, rig);
}

static void check(struct mst_test *t, struct rig *rig, const char *ns, const char *name,
                  const char *want)
{
    const struct mst_extender_objects writer = mst_objects_writer(&rig->objects);
    MST_AUTO(mst_buf) out = { 0 };
    struct mst_json_writer w = { .out = &out };
    const struct mst_ext_pod pod = { .ns = mst_str_of(ns), .name = mst_str_of(name) };
    if (*ns)
        writer.pod(writer.ctx, &pod, &w);
    else
        writer.node(writer.ctx, mst_str_of(name), &w);
    t_str(t, mst_buf_span(&out), want);
}

#define POD "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x"
#define NODE "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {l: v}}\n"

static void test_objects(struct mst_test *t)
{
    struct rig rig = { .syms = mst_syms_new() };
    check(t, &rig, "x", "a", "null");
    each(&rig, set, POD ", labels: {k: 1x}}\nspec: {hostname: h}\n---\n" NODE);
    check(t, &rig, "x", "a",
          "{\"metadata\":{\"name\":\"a\",\"namespace\":\"x\",\"labels\":{\"k\":\"1x\"}},"
          "\"spec\":{\"hostname\":\"h\"},\"status\":{}}");
    check(t, &rig, "", "n1",
          "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"l\":\"v\"}},\"status\":{}}");
    check(t, &rig, "y", "a", "null");
    each(&rig, set, POD "}\n");
    check(t, &rig, "x", "a",
          "{\"metadata\":{\"name\":\"a\",\"namespace\":\"x\"},\"spec\":{},\"status\":{}}");
    each(&rig, gone, POD "}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: x}\n");
    check(t, &rig, "x", "a", "null");
    each(&rig, set,
         "apiVersion: v1\nkind: Node\nmetadata: {name: m}\n---\n"
         "apiVersion: v1\nkind: Namespace\nmetadata: {name: m2}\n");
    check(t, &rig, "", "m", "{\"metadata\":{\"name\":\"m\"},\"status\":{}}");
    check(t, &rig, "", "m2", "null"); /* a kind that no extender is shown */
    t_int(t, rig.objects.texts.n, 2); /* the place of the pod was used again */
    mst_objects_done(&rig.objects);
    mst_diags_done(&rig.diags);
    mst_arena_done(&rig.arena);
    mst_syms_free(rig.syms);
}

MST_TEST_MAIN(T(test_objects))

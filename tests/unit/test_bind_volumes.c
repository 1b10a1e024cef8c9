/* Pods whose volumes are written first: what goes out, what is waited for, the ways to fail. */
#include "api/api.h"
#include "cluster/volumes.h"
#include "codec/yaml.h"
#include "cycle/engine.h"
#include "plugins/registry.h"
#include "tap.h"

#define S ((int64_t)1000000000)

struct bench {
    struct mst_syms *syms;
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_config config;
    struct mst_registry registry;
    struct mst_engine *engine;
    struct mst_api api;
    struct mst_effects effects;
    int64_t now_ns;
    bool remove;
};

static bool no_class(void *ctx, struct mst_str name, struct mst_class_ref *out)
{
    (void)ctx;
    (void)name;
    (void)out;
    return false;
}

static bool tell(void *ctx, struct mst_object *object)
{
    struct bench *b = ctx;
    mst_api_default(&b->api, object);
    mst_assert(mst_api_admit(&b->api, object, no_class, NULL));
    const struct mst_event event = { .kind = b->remove ? MST_EVENT_REMOVE : MST_EVENT_SET,
                                     .object = object };
    mst_engine_event(b->engine, &event, b->now_ns);
    return true;
}

static void feed(struct bench *b, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    mst_yaml_init(&reader, mst_arena_str(&b->arena, mst_str_of(yaml)));
    mst_rc rc;
    while ((rc = mst_yaml_next(&reader, &b->arena, &b->diags, &doc)) == MST_OK)
        (void)mst_api_decode(&b->api, doc, tell, b);
    mst_assert(rc == MST_ENOTFOUND && !b->diags.error_count);
}

#define NODE                                                                                       \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: n1}\nstatus: {capacity: {pods: 9}}\n"
#define CLASS                                                                                      \
    "---\nkind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {name: late}\n"             \
    "provisioner: d\nvolumeBindingMode: WaitForFirstConsumer\n"
#define CLAIM(version, more)                                                                       \
    "---\nkind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {name: c, namespace: default, "   \
    "uid: uc, resourceVersion: '" version "'" more
#define OPEN_CLAIM CLAIM("1", "}\nspec: {storageClassName: late}\n")
#define PV                                                                                         \
    "---\nkind: PersistentVolume\napiVersion: v1\nmetadata: {name: v, uid: uv, resourceVersion: "  \
    "'1'}\nspec: {storageClassName: late, nfs: {path: /}}\nstatus: {phase: Available}\n"
#define POD(name)                                                                                  \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name ", namespace: default, uid: u-" name  \
    "}\nspec: {schedulerName: default-scheduler, containers: [{name: c, image: i}], volumes: "     \
    "[{name: v, persistentVolumeClaim: {claimName: c}}]}\n"

static void begin(struct bench *b, const char *yaml)
{
    *b = (struct bench){ .syms = mst_syms_new(), .registry = mst_plugins_registry() };
    mst_gates_default(&b->config.gates, false);
    mst_config_default(&b->config, &b->registry);
    b->api = (struct mst_api){ .syms = b->syms, .arena = &b->arena, .diags = &b->diags };
    struct mst_err err;
    b->engine = mst_engine_new(&(struct mst_engine_options){ .config = &b->config,
                                                             .registry = &b->registry,
                                                             .syms = b->syms },
                               &err);
    mst_assert(b->engine);
    feed(b, yaml);
}

static void end(struct bench *b)
{
    mst_engine_check(b->engine);
    mst_engine_free(b->engine);
    mst_effects_done(&b->effects);
    mst_config_done(&b->config);
    mst_diags_done(&b->diags);
    mst_arena_done(&b->arena);
    mst_syms_free(b->syms);
}

static void step_at(struct bench *b, int64_t now_ns)
{
    b->now_ns = now_ns;
    (void)mst_engine_step(b->engine, now_ns, &b->effects);
}

/* The step's effect of a kind, or NULL. */
static const struct mst_effect *effect_of(const struct bench *b, mst_effect_kind kind)
{
    for (uint32_t i = 0; i < b->effects.list.n; i++)
        if (b->effects.list.v[i].kind == kind)
            return &b->effects.list.v[i];
    return NULL;
}

static bool is_assumed(struct bench *b, const char *pod)
{
    struct mst_cluster *c = mst_engine_cluster(b->engine);
    const uint32_t row = mst_cluster_pod(c, mst_sym_of_text(b->syms, "default"), mst_str_of(pod));
    return row != MST_ROW_NONE && c->pods.v[row].assumed;
}

static void test_bind_waits_until_provisioned(struct mst_test *t)
{
    struct bench b;
    begin(&b, NODE CLASS OPEN_CLAIM POD("p"));
    step_at(&b, S);
    const struct mst_effect *e = effect_of(&b, MST_EFFECT_PVC_UPDATE);
    t_str(t, e->name, "c");
    t_str(t, e->node, "n1");
    t_bool(t, effect_of(&b, MST_EFFECT_BIND) == NULL, true);
    t_str(t, effect_of(&b, MST_EFFECT_POD_STATUS)->nominated, "n1");
    t_int(t, mst_engine_deadline(b.engine, S), 2 * S);
    step_at(&b, 2 * S);
    t_bool(t, effect_of(&b, MST_EFFECT_BIND) == NULL, true);
    t_bool(t, is_assumed(&b, "p"), true);
    feed(&b, CLAIM("2", ", annotations: {volume.kubernetes.io/selected-node: n1, "
                        "pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {storageClassName: late, "
                        "volumeName: v}\n") PV);
    step_at(&b, 2 * S + 1);
    t_bool(t, effect_of(&b, MST_EFFECT_BIND) == NULL, true); /* looked at each second */
    step_at(&b, 3 * S);
    e = effect_of(&b, MST_EFFECT_BIND);
    t_bool(t, e && e->late, true);
    end(&b);
}

static void test_bind_points_a_volume_to_the_claim(struct mst_test *t)
{
    struct bench b;
    begin(&b, NODE CLASS OPEN_CLAIM PV POD("p"));
    step_at(&b, S);
    const struct mst_effect *e = effect_of(&b, MST_EFFECT_PV_UPDATE);
    t_str(t, e->name, "v");
    t_str(t, e->claim_name, "c");
    t_str(t, e->claim_uid, "uc");
    t_bool(t, e->claim_new && e->by_controller, true);
    t_case(t, "the write is refused");
    const struct mst_event refused = { .kind = MST_EVENT_EFFECT_FAILED,
                                       .effect_id = e->id,
                                       .reason = MST_STR("conflict") };
    mst_engine_event(b.engine, &refused, b.now_ns);
    t_bool(t, is_assumed(&b, "p"), false);
    t_bool(t,
           mst_volumes_get(mst_engine_cluster(b.engine), MST_VOL_PV, MST_STR("v"))->assumption.on,
           false);
    (void)mst_engine_step(b.engine, b.now_ns, &b.effects);
    t_str(t, effect_of(&b, MST_EFFECT_POD_STATUS)->condition.message,
          "running PreBind plugin \"VolumeBinding\": conflict");
    end(&b);
}

static void test_bind_gives_up_in_time(struct mst_test *t)
{
    struct bench b;
    begin(&b, NODE CLASS OPEN_CLAIM POD("p"));
    step_at(&b, S);
    for (int64_t at = 2; at <= 600; at++)
        step_at(&b, at * S);
    t_bool(t, is_assumed(&b, "p"), true);
    step_at(&b, 601 * S);
    t_bool(t, is_assumed(&b, "p"), false);
    t_bool(t, effect_of(&b, MST_EFFECT_POD_STATUS)->late, true);
    t_bool(t, effect_of(&b, MST_EFFECT_EVENT)->late, true);
    t_str(t, effect_of(&b, MST_EFFECT_POD_STATUS)->condition.message,
          "running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded");
    end(&b);
}

static void test_bind_provisioning_failed(struct mst_test *t)
{
    struct bench b;
    begin(&b, NODE CLASS OPEN_CLAIM POD("p"));
    step_at(&b, S);
    feed(&b, CLAIM("2", "}\nspec: {storageClassName: late}\n")); /* the annotation is gone again */
    step_at(&b, 2 * S);
    t_str(t, effect_of(&b, MST_EFFECT_POD_STATUS)->condition.message,
          "running PreBind plugin \"VolumeBinding\": binding volumes: provisioning failed for PVC "
          "\"c\"");
    end(&b);
}

static void test_bind_pod_goes_while_it_waits(struct mst_test *t)
{
    struct bench b;
    begin(&b, NODE CLASS OPEN_CLAIM POD("p"));
    step_at(&b, S);
    b.remove = true;
    feed(&b, POD("p"));
    t_bool(t,
           mst_volumes_get(mst_engine_cluster(b.engine), MST_VOL_PVC, MST_STR("default/c"))
               ->assumption.on,
           false);
    step_at(&b, 2 * S);
    t_int(t, b.effects.list.n, 0);
    t_bool(t, mst_engine_deadline(b.engine, b.now_ns) == INT64_MAX, true);
    end(&b);
}

static void test_bind_needs_nothing_for_bound_claims(struct mst_test *t)
{
    struct bench b;
    begin(&b, NODE CLASS PV CLAIM("1", ", annotations: {pv.kubernetes.io/bind-completed: 'yes'}}\n"
                                       "spec: {storageClassName: late, volumeName: v}\n") POD("p"));
    step_at(&b, S);
    t_bool(t, effect_of(&b, MST_EFFECT_BIND) != NULL, true);
    t_bool(t, effect_of(&b, MST_EFFECT_PV_UPDATE) == NULL, true);
    end(&b);
}

#define HELPLESS " preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."

/* A removed object is gone for the next pod; one that nobody knew changes nothing. */
static void test_bind_storage_objects_go(struct mst_test *t)
{
    struct bench b;
    begin(&b, NODE CLASS PV OPEN_CLAIM);
    const struct mst_cluster *cluster = mst_engine_cluster(b.engine);
    b.remove = true;
    feed(&b, PV);
    t_bool(t, mst_volumes_get(cluster, MST_VOL_PV, MST_STR("v")) == NULL, true);
    const uint64_t before = mst_volumes_generation(cluster);
    feed(&b, PV);
    t_int(t, mst_volumes_generation(cluster), before);
    feed(&b, CLASS);
    b.remove = false;
    feed(&b, POD("p"));
    step_at(&b, S);
    t_str(t, effect_of(&b, MST_EFFECT_POD_STATUS)->condition.message,
          "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims." HELPLESS);
    b.remove = true;
    feed(&b, OPEN_CLAIM); /* nothing to wake for, nothing to crash on */
    b.remove = false;
    feed(&b, CLASS);
    step_at(&b, 20 * S);
    t_str(t, effect_of(&b, MST_EFFECT_POD_STATUS)->condition.message,
          "0/1 nodes are available: persistentvolumeclaim \"c\" not found." HELPLESS);
    end(&b);
}

MST_TEST_MAIN(T(test_bind_waits_until_provisioned), T(test_bind_points_a_volume_to_the_claim),
              T(test_bind_gives_up_in_time), T(test_bind_provisioning_failed),
              T(test_bind_pod_goes_while_it_waits), T(test_bind_storage_objects_go),
              T(test_bind_needs_nothing_for_bound_claims))

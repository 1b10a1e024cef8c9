/*
 * api_volumes.c - what the scheduler writes to volumes and claims, and the volume controller that
 * finishes a binding.
 *
 * The controller is one that never fails and needs no time: a volume that points to a claim
 *                                                           becomes its
 * volume, a claim with a selected node gets a new volume.
 */
#include "sim/apiserver_internal.h"

#define BIND_COMPLETED "pv.kubernetes.io/bind-completed"
#define BOUND_BY_CONTROLLER "pv.kubernetes.io/bound-by-controller"
#define SELECTED_NODE "volume.kubernetes.io/selected-node"

static void annotate(struct mst_apiserver *server, struct mst_meta *meta, const char *key,
                     struct mst_str value)
{
    for (uint32_t i = 0; i < meta->annotations.n; i++)
        if (mst_str_is(meta->annotations.v[i].key, key)) {
            meta->annotations.v[i].value = mst_arena_str(&server->arena, value);
            return;
        }
    struct mst_annotation *grown =
        MST_NEW_N(&server->arena, struct mst_annotation, meta->annotations.n + 1);
    if (meta->annotations.n)
        memcpy(grown, meta->annotations.v, meta->annotations.n * sizeof(*grown));
    grown[meta->annotations.n] =
        (struct mst_annotation){ mst_str_of(key), mst_arena_str(&server->arena, value) };
    meta->annotations.v = grown;
    meta->annotations.n++;
}

/* The controller: volume and claim belong to each other. */
static void finish(struct mst_apiserver *server, struct mst_served *pv, struct mst_served *pvc)
{
    const mst_sym bound = mst_sym_of_text(server->syms, "Bound");
    pv->object.u.pv.phase = bound;
    pvc->object.u.pvc.phase = bound;
    pvc->object.u.pvc.volume_name = pv->object.u.meta.name;
    annotate(server, &pvc->object.u.meta, BIND_COMPLETED, MST_STR("yes"));
    mst_apiserver_publish(server, pv);
    mst_apiserver_publish(server, pvc);
}

static struct mst_served *live(struct mst_apiserver *server, mst_kind kind, struct mst_str ns,
                               struct mst_str name, struct mst_str uid)
{
    struct mst_served *served = mst_apiserver_find(server, kind, ns, name);
    if (!served || !served->live || (uid.n && !mst_str_eq(uid, served->object.u.meta.uid)))
        return NULL;
    return served;
}

static struct mst_str refused(struct mst_apiserver *server, const struct mst_effect *effect,
                              const char *what)
{
    return mst_arena_printf(&server->arena, "%s \"%.*s\" not found", what, MST_ARG(effect->name));
}

static struct mst_str update_pv(struct mst_apiserver *server, const struct mst_effect *effect)
{
    struct mst_served *served = live(server, MST_KIND_PV, MST_STR(""), effect->name, effect->uid);
    if (!served)
        return refused(server, effect, "persistentvolumes");
    struct mst_pv *pv = &served->object.u.pv;
    pv->claim_set = true;
    pv->claim_kind = mst_sym_of_text(server->syms, "PersistentVolumeClaim");
    pv->claim_api_version = mst_sym_of_text(server->syms, "v1");
    pv->claim_ns = mst_sym_of(server->syms, effect->claim_ns);
    pv->claim_name = mst_arena_str(&server->arena, effect->claim_name);
    pv->claim_uid = mst_arena_str(&server->arena, effect->claim_uid);
    if (effect->by_controller)
        annotate(server, &pv->meta, BOUND_BY_CONTROLLER, MST_STR("yes"));
    mst_apiserver_publish(server, served);
    struct mst_served *pvc =
        live(server, MST_KIND_PVC, effect->claim_ns, effect->claim_name, effect->claim_uid);
    if (pvc && !mst_str_is(mst_sym_str(server->syms, pv->phase), "Bound"))
        finish(server, served, pvc);
    return MST_STR_NONE;
}

/* A volume made for the claim. It is nobody's document. */
static struct mst_served *provision(struct mst_apiserver *server, const struct mst_served *claim)
{
    const struct mst_pvc *pvc = &claim->object.u.pvc;
    const struct mst_str uid = pvc->meta.uid;
    struct mst_object object = { .kind = MST_KIND_PV, .api_version = MST_STR("v1") };
    object.u.pv = (struct mst_pv){
        .meta = { .name = mst_arena_printf(&server->arena, "pvc-%.*s", MST_ARG(uid)),
                  .uid = mst_arena_printf(&server->arena, "pv-%.*s", MST_ARG(uid)) },
        .capacity = pvc->requests,
        .sources = MST_PV_CSI,
        .driver = mst_sym_of_text(server->syms, "simulated"),
        .handle = uid,
        .access_modes = pvc->access_modes,
        .claim_set = true,
        .claim_ns = pvc->meta.namespace_,
        .claim_name = pvc->meta.name,
        .claim_uid = uid,
        .class_name = pvc->class_name,
        .phase = mst_sym_of_text(server->syms, "Pending"),
    };
    return mst_apiserver_add(server, &object, claim->doc);
}

static struct mst_str update_pvc(struct mst_apiserver *server, const struct mst_effect *effect)
{
    struct mst_served *served = live(server, MST_KIND_PVC, effect->ns, effect->name, effect->uid);
    if (!served)
        return refused(server, effect, "persistentvolumeclaims");
    if (effect->stale)
        return mst_arena_printf(&server->arena,
                                "Operation cannot be fulfilled on persistentvolumeclaims "
                                "\"%.*s\": the object has been modified; please apply your changes "
                                "to the latest version and try again",
                                MST_ARG(effect->name));
    annotate(server, &served->object.u.meta, SELECTED_NODE, effect->node);
    mst_apiserver_publish(server, served);
    if (served->object.u.pvc.volume_name.n)
        return MST_STR_NONE;
    struct mst_served *pv = provision(server, served);
    mst_apiserver_publish(server, pv);
    /* The list of objects may have moved. */
    finish(server, pv, live(server, MST_KIND_PVC, effect->ns, effect->name, effect->uid));
    return MST_STR_NONE;
}

void mst_apiserver_volume_effect(struct mst_apiserver *server, const struct mst_effect *effect,
                                 struct mst_str *ret_error)
{
    server->change_count++;
    *ret_error = effect->kind == MST_EFFECT_PV_UPDATE ? update_pv(server, effect)
                                                      : update_pvc(server, effect);
    if (!ret_error->n)
        return;
    const struct mst_event answer = {
        .kind = MST_EVENT_EFFECT_FAILED,
        .effect_id = effect->id,
        .reason = *ret_error,
    };
    server->watcher(server->watcher_ctx, &answer);
}

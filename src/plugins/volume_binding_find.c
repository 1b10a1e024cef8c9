/*
 * volume_binding_find.c - which volumes a class's claims could get on a node.
 *
 * Whatever does not depend on the node is decided once, when the class is compiled: which volumes
 * are large enough, of the right class and mode, free or meant for the claim. Per node there is
 * left: from where can it be reached.
 *
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/volumebinding/binder.go
 *         (FindPodVolumes), staging component-helpers storage/volume/pv_helpers.go
 *         (FindMatchingVolume)
 */
#include "plugins/volume_binding_internal.h"

#include "base/sort.h"

/* ---- compiling: volumes ---- */

static struct mst_binding_pv binding_pv(const struct mst_view *view,
                                        const struct mst_stored *stored, struct mst_arena *arena)
{
    const struct mst_pv *pv = &stored->object.u.pv;
    struct mst_binding_pv out = {
        .stored = stored,
        .reach = mst_reach_of_selector(view, &pv->required, arena),
        .plugin = mst_migrated_pv(pv),
    };
    if (out.plugin)
        out.error = mst_migrated_pv_error(view->syms, pv, arena);
    if (out.plugin && !out.error.p) {
        const struct mst_node_selector moved = mst_migrated_affinity(view->syms, pv, arena);
        out.migrated = mst_reach_of_selector(view, &moved, arena);
    }
    return out;
}

/* The node leaves the volume to its CSI driver. */
static bool is_handed_over(const struct mst_view *view, const struct mst_binding_pv *pv,
                           uint32_t row)
{
    if (!pv->plugin)
        return false;
    const mst_sym name = view->nodes->name[row];
    return mst_migrated_on_node(mst_volumes_csi_node(view->cluster, name), pv->plugin);
}

static mst_sym mode_of(const struct mst_view *view, mst_sym mode)
{
    return mode == MST_SYM_NONE ? mst_sym_of_text(view->syms, "Filesystem") : mode;
}

static mst_sym or_empty(mst_sym name)
{
    return name == MST_SYM_NONE ? (mst_sym)MST_SYM_EMPTY : name;
}

static bool has_modes(const mst_sym_list *have, const mst_sym_list *want)
{
    for (uint32_t i = 0; i < want->n; i++) {
        bool found = false;
        for (uint32_t k = 0; k < have->n && !found; k++)
            found = have->v[k] == want->v[i];
        if (!found)
            return false;
    }
    return true;
}

typedef enum { PV_UNFIT, PV_PREBOUND, PV_FREE } pv_fitness;

bool mst_claim_ref_is(const struct mst_claim_ref *ref, const struct mst_meta *claim)
{
    return ref->set && ref->ns == claim->namespace_ && mst_str_eq(ref->name, claim->name) &&
           (!ref->uid.n || mst_str_eq(ref->uid, claim->uid));
}

static bool selects(const struct mst_label_selector *selector, mst_labels labels)
{
    bool bad;
    return !selector->set || mst_label_selector_matches(selector, labels, &bad);
}

/* What a volume can be for a claim, the node aside. */
static pv_fitness fitness(const struct mst_view *view, const struct mst_stored *stored,
                          const struct mst_delayed_claim *claim)
{
    const struct mst_pv *pv = &stored->object.u.pv;
    const struct mst_pvc *pvc = &claim->pvc->object.u.pvc;
    const struct mst_claim_ref ref = mst_pv_claim(stored);
    const bool prebound = mst_claim_ref_is(&ref, &pvc->meta);
    const struct mst_quantity capacity = mst_storage_amount(view->cluster, &pv->capacity, NULL);
    if ((ref.set && !prebound) || mst_quantity_cmp(&capacity, &claim->request) < 0 ||
        mode_of(view, pv->volume_mode) != mode_of(view, pvc->volume_mode) ||
        or_empty(pv->attributes_class) != or_empty(pvc->attributes_class) || pv->meta.deleted.set)
        return PV_UNFIT;
    if (prebound)
        return PV_PREBOUND;
    const bool free = mst_str_is(mst_sym_str(view->syms, pv->phase), "Available") &&
                      selects(&pvc->selector, pv->meta.labels) &&
                      has_modes(&pv->access_modes, &pvc->access_modes);
    return free ? PV_FREE : PV_UNFIT;
}

static int by_capacity(const void *a, const void *b, void *ctx)
{
    const struct mst_view *view = ctx;
    const struct mst_pv *x = &((const struct mst_binding_pv *)a)->stored->object.u.pv;
    const struct mst_pv *y = &((const struct mst_binding_pv *)b)->stored->object.u.pv;
    const struct mst_quantity p = mst_storage_amount(view->cluster, &x->capacity, NULL);
    const struct mst_quantity q = mst_storage_amount(view->cluster, &y->capacity, NULL);
    return mst_quantity_cmp(&p, &q); /* stable: by name where equal */
}

static void find_volumes(const struct mst_view *view, struct mst_delayed_claim *claim,
                         struct mst_arena *arena)
{
    const mst_sym class = mst_pvc_class(view->cluster, &claim->pvc->object.u.pvc);
    const uint32_t n = mst_volumes_count(view->cluster, MST_VOL_PV);
    uint32_t prebound = 0, open = 0;
    uint8_t *fit = MST_NEW_N(arena, uint8_t, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct mst_stored *stored = mst_volumes_at(view->cluster, MST_VOL_PV, i);
        if (mst_pv_class(view->cluster, &stored->object.u.pv) != class)
            continue;
        fit[i] = (uint8_t)fitness(view, stored, claim);
        prebound += fit[i] == PV_PREBOUND;
        open += fit[i] == PV_FREE;
    }
    claim->prebound.v = MST_NEW_N(arena, struct mst_binding_pv, prebound);
    claim->candidates.v = MST_NEW_N(arena, struct mst_binding_pv, open);
    for (uint32_t i = 0; i < n; i++) {
        if (fit[i] == PV_UNFIT)
            continue;
        const struct mst_binding_pv pv =
            binding_pv(view, mst_volumes_at(view->cluster, MST_VOL_PV, i), arena);
        if (fit[i] == PV_PREBOUND)
            claim->prebound.v[claim->prebound.n++] = pv;
        else
            claim->candidates.v[claim->candidates.n++] = pv;
    }
    mst_sort(claim->candidates.v, claim->candidates.n, sizeof(*claim->candidates.v), by_capacity,
             (void *)(uintptr_t)view);
}

/* ---- compiling: provisioning ---- */

const struct mst_quantity *mst_capacity_limit(const struct mst_csi_storage_capacity *c)
{
    return c->maximum.set ? &c->maximum.value : c->capacity.set ? &c->capacity.value : NULL;
}

/* Profile upstream compares whole units, rounded up. */
static bool is_sufficient(const struct mst_view *view, const struct mst_csi_storage_capacity *c,
                          const struct mst_quantity *request)
{
    const struct mst_quantity *limit = mst_capacity_limit(c);
    if (!limit)
        return false;
    return view->upstream ? mst_quantity_value(limit) >= mst_quantity_value(request)
                          : mst_quantity_cmp(limit, request) >= 0;
}

static void find_capacities(const struct mst_view *view, struct mst_delayed_claim *claim,
                            const struct mst_storage_class *class, struct mst_arena *arena)
{
    const mst_sym name = mst_pvc_class(view->cluster, &claim->pvc->object.u.pvc);
    const struct mst_csi_driver *driver = mst_volumes_csi_driver(view->cluster, class->provisioner);
    bool requested;
    (void)mst_storage_amount(view->cluster, &claim->pvc->object.u.pvc.requests, &requested);
    claim->check_capacity =
        requested && driver && driver->storage_capacity.set && driver->storage_capacity.value;
    if (!claim->check_capacity)
        return;
    const uint32_t n = mst_volumes_count(view->cluster, MST_VOL_CAPACITY);
    claim->capacities.v = MST_NEW_N(arena, struct mst_capacity, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct mst_csi_storage_capacity *c =
            &mst_volumes_at(view->cluster, MST_VOL_CAPACITY, i)->object.u.csi_storage_capacity;
        if (c->class_name != name || !is_sufficient(view, c, &claim->request))
            continue;
        claim->capacities.v[claim->capacities.n++] =
            (struct mst_capacity){ c, mst_reach_of_labels(view, &c->node_topology, arena) };
    }
}

static void prepare_provisioning(const struct mst_view *view, struct mst_delayed_claim *claim,
                                 struct mst_arena *arena)
{
    const mst_sym name = mst_pvc_class(view->cluster, &claim->pvc->object.u.pvc);
    const struct mst_storage_class *class = mst_volumes_class(view->cluster, name);
    mst_assert(class); /* without one the claim would not be delayed */
    const struct mst_str provisioner = mst_sym_str(view->syms, class->provisioner);
    claim->can_provision =
        provisioner.n && !mst_str_is(provisioner, "kubernetes.io/no-provisioner");
    if (!claim->can_provision)
        return;
    claim->topology = mst_reach_of_topologies(view, class, arena);
    find_capacities(view, claim, class, arena);
}

/* ---- compiling: the class ---- */

static int by_request(const void *a, const void *b, void *ctx)
{
    const struct mst_binding_state *state = ctx;
    return mst_quantity_cmp(&state->delayed.v[*(const uint32_t *)a].request,
                            &state->delayed.v[*(const uint32_t *)b].request);
}

static void add_bound(const struct mst_view *view, struct mst_binding_state *state,
                      const struct mst_stored *pvc, struct mst_arena *arena)
{
    struct mst_bound_claim *claim = &state->bound.v[state->bound.n++];
    const struct mst_stored *pv =
        mst_volumes_get(view->cluster, MST_VOL_PV, pvc->object.u.pvc.volume_name);
    *claim = (struct mst_bound_claim){ .pvc = pvc };
    if (pv)
        claim->pv = binding_pv(view, pv, arena);
}

static void add_delayed(const struct mst_view *view, struct mst_binding_state *state,
                        const struct mst_stored *pvc, struct mst_arena *arena)
{
    struct mst_delayed_claim *claim = &state->delayed.v[state->delayed.n];
    *claim = (struct mst_delayed_claim){
        .pvc = pvc,
        .selected_node = mst_pvc_selected_node(view->cluster, pvc),
        .request = mst_storage_amount(view->cluster, &pvc->object.u.pvc.requests, NULL),
    };
    if (claim->selected_node == MST_SYM_NONE) {
        state->by_size[state->open_count++] = state->delayed.n;
        find_volumes(view, claim, arena);
    }
    prepare_provisioning(view, claim, arena);
    state->delayed.n++;
}

struct mst_binding_state *mst_binding_compile(const struct mst_view *view,
                                              const struct mst_pod_volumes *volumes,
                                              struct mst_arena *arena)
{
    struct mst_binding_state *state = MST_NEW(arena, struct mst_binding_state);
    const uint32_t n = volumes->claim_count;
    state->bound.v = MST_NEW_N(arena, struct mst_bound_claim, n);
    state->delayed.v = MST_NEW_N(arena, struct mst_delayed_claim, n);
    state->by_size = MST_NEW_N(arena, uint32_t, n);
    for (uint32_t i = 0; i < volumes->list.n; i++) {
        if (!volumes->list.v[i].claim_key.p)
            continue;
        const struct mst_stored *pvc =
            mst_volumes_get(view->cluster, MST_VOL_PVC, volumes->list.v[i].claim_key);
        if (mst_pvc_fully_bound(&pvc->object.u.pvc))
            add_bound(view, state, pvc, arena);
        else
            add_delayed(view, state, pvc, arena);
    }
    mst_sort(state->by_size, state->open_count, sizeof(*state->by_size), by_request, state);
    state->found = MST_NEW(arena, struct mst_node_volumes);
    state->found->bindings.v = MST_NEW_N(arena, struct mst_static_binding, n);
    state->found->provisions.v = MST_NEW_N(arena, struct mst_provision, n);
    return state;
}

/* ---- one node ---- */

static uint32_t check_bound(const struct mst_view *view, const struct mst_binding_state *state,
                            uint32_t row, const struct mst_binding_pv **ret_pv)
{
    for (uint32_t i = 0; i < state->bound.n; i++) {
        const struct mst_binding_pv *pv = &state->bound.v[i].pv;
        *ret_pv = pv;
        if (!pv->stored)
            return MST_BINDING_NO_PV;
        const bool moved = is_handed_over(view, pv, row);
        if (moved && pv->error.p)
            return MST_BINDING_ERROR;
        if (!mst_reaches(view->nodes, moved ? &pv->migrated : &pv->reach, row))
            return MST_BINDING_NODE_CONFLICT;
    }
    return 0;
}

struct mst_str mst_binding_error(const struct mst_view *view, const struct mst_binding_state *state,
                                 uint32_t row)
{
    const struct mst_binding_pv *pv = NULL;
    const uint32_t reason = check_bound(view, state, row, &pv);
    mst_assert(reason == MST_BINDING_ERROR);
    return pv->error;
}

static bool is_taken(const struct mst_node_volumes *found, const struct mst_stored *pv)
{
    for (uint32_t i = 0; i < found->bindings.n; i++)
        if (found->bindings.v[i].pv == pv)
            return true;
    return false;
}

/* Translation plays no part here: upstream matches the volume as it is. */
static const struct mst_stored *match(const struct mst_view *view,
                                      const struct mst_delayed_claim *claim,
                                      const struct mst_node_volumes *found, uint32_t row)
{
    for (uint32_t i = 0; i < claim->prebound.n; i++)
        if (!is_taken(found, claim->prebound.v[i].stored))
            return mst_reaches(view->nodes, &claim->prebound.v[i].reach, row)
                       ? claim->prebound.v[i].stored
                       : NULL;
    for (uint32_t i = 0; i < claim->candidates.n; i++)
        if (mst_reaches(view->nodes, &claim->candidates.v[i].reach, row) &&
            !is_taken(found, claim->candidates.v[i].stored))
            return claim->candidates.v[i].stored;
    return NULL;
}

/* 0: provisioning the claim on the node is possible; *ret_capacity says from which pool. */
static uint32_t check_provision(const struct mst_view *view, const struct mst_delayed_claim *claim,
                                uint32_t row, const struct mst_csi_storage_capacity **ret_capacity)
{
    *ret_capacity = NULL;
    if (!claim->can_provision || !mst_reaches(view->nodes, &claim->topology, row))
        return MST_BINDING_NO_VOLUME;
    if (!claim->check_capacity)
        return 0;
    for (uint32_t i = 0; i < claim->capacities.n; i++)
        if (mst_reaches(view->nodes, &claim->capacities.v[i].reach, row)) {
            *ret_capacity = claim->capacities.v[i].object;
            return 0;
        }
    return MST_BINDING_NO_SPACE;
}

/* Appends what is to be provisioned; the first claim that cannot be decides. */
static uint32_t provision(const struct mst_view *view, const struct mst_delayed_claim *claim,
                          struct mst_node_volumes *found, uint32_t row)
{
    const struct mst_csi_storage_capacity *capacity;
    const uint32_t reason = check_provision(view, claim, row, &capacity);
    if (!reason)
        found->provisions.v[found->provisions.n++] = (struct mst_provision){ claim->pvc, capacity };
    return reason;
}

static uint32_t check_delayed(const struct mst_view *view, struct mst_binding_state *state,
                              uint32_t row)
{
    struct mst_node_volumes *found = state->found;
    uint32_t reason = 0;
    for (uint32_t i = 0; i < state->delayed.n; i++) {
        const mst_sym node = state->delayed.v[i].selected_node;
        if (node != MST_SYM_NONE && node != view->nodes->name[row])
            return MST_BINDING_NO_VOLUME;
    }
    for (uint32_t i = 0; i < state->delayed.n && !reason; i++)
        if (state->delayed.v[i].selected_node != MST_SYM_NONE)
            reason = provision(view, &state->delayed.v[i], found, row);
    for (uint32_t i = 0; i < state->open_count; i++) {
        const struct mst_delayed_claim *claim = &state->delayed.v[state->by_size[i]];
        const struct mst_stored *pv = match(view, claim, found, row);
        if (pv)
            found->bindings.v[found->bindings.n++] = (struct mst_static_binding){ pv, claim->pvc };
        else if (!reason)
            reason = provision(view, claim, found, row);
    }
    return reason;
}

const struct mst_node_volumes *mst_binding_find(const struct mst_view *view,
                                                struct mst_binding_state *state, uint32_t row)
{
    struct mst_node_volumes *found = state->found;
    found->bindings.n = found->provisions.n = 0;
    const struct mst_binding_pv *pv;
    found->reasons = check_bound(view, state, row, &pv);
    if (state->delayed.n && found->reasons != MST_BINDING_ERROR)
        found->reasons |= check_delayed(view, state, row);
    return found;
}

/*
 * extender.c - questions to HTTP extenders, and their answers, for the attempt at hand.
 */
#include "framework/extender.h"

#include "base/map.h"

void mst_asks_init(struct mst_asks *asks, const struct mst_config *config)
{
    *asks = (struct mst_asks){ .config = config };
}

static void drop(struct mst_asks *asks, uint32_t i)
{
    struct mst_ask *ask = asks->list.v[i];
    asks->open -= !ask->answered;
    mst_arena_done(&ask->arena);
    mst_free(ask);
    asks->list.v[i] = NULL;
}

void mst_asks_end(struct mst_asks *asks)
{
    for (uint32_t i = 0; i < asks->list.n; i++)
        if (asks->list.v[i])
            drop(asks, i);
    asks->list.n = 0;
    mst_map_clear(&asks->by_key);
    asks->owner = 0;
    asks->made = 0;
    mst_assert(asks->open == 0);
}

void mst_asks_done(struct mst_asks *asks)
{
    mst_asks_end(asks);
    mst_vec_done(&asks->list);
    mst_map_done(&asks->by_key);
}

void mst_asks_begin(struct mst_asks *asks, uint64_t owner, uint32_t pod_count)
{
    mst_assert(owner != 0);
    if (asks->owner != owner)
        mst_asks_end(asks);
    asks->owner = owner;
    const uint64_t needed = (uint64_t)pod_count * asks->config->extenders.n * MST_VERB_COUNT;
    asks->made_max = (uint32_t)MST_MIN(needed * (1 + MST_ASKS_RESTARTS_MAX), (uint64_t)UINT32_MAX);
}

/* ---- questions ---- */

static void key_add(struct mst_buf *key, struct mst_str text)
{
    const uint32_t n = (uint32_t)text.n;
    mst_buf_add(key, &n, sizeof(n));
    mst_buf_str(key, text);
}

/* Everything that makes the body, as bytes. */
static void key_of(const struct mst_extender_call *call, struct mst_buf *key)
{
    const uint32_t head[] = { call->extender_i, (uint32_t)call->verb, call->nodes.n,
                              call->victims.n };
    mst_buf_add(key, head, sizeof(head));
    key_add(key, call->pod.uid);
    for (uint32_t i = 0; i < call->nodes.n; i++)
        key_add(key, call->nodes.v[i]);
    for (uint32_t i = 0; i < call->victims.n; i++) {
        const struct mst_ext_victims *v = &call->victims.v[i];
        key_add(key, v->node);
        mst_buf_add(key, &v->pdb_violations, sizeof(v->pdb_violations));
        mst_buf_add(key, &v->pods.n, sizeof(v->pods.n));
        for (uint32_t k = 0; k < v->pods.n; k++)
            key_add(key, v->pods.v[k].uid);
    }
}

static void note(struct mst_asks *asks, const struct mst_extender_call *call, struct mst_str key)
{
    struct mst_ask *ask = mst_calloc(1, sizeof(*ask));
    mst_extender_call_copy(&ask->arena, call, &ask->call);
    mst_map_set(&asks->by_key, key, asks->list.n);
    mst_vec_push(&asks->list, ask);
    asks->open++;
    asks->made++;
}

const struct mst_extender_answer *mst_asks_get(struct mst_asks *asks,
                                               const struct mst_extender_call *call)
{
    mst_assert(asks->owner != 0);
    MST_AUTO(mst_buf) key = { 0 };
    key_of(call, &key);
    uint64_t i;
    if (mst_map_get(&asks->by_key, mst_buf_span(&key), &i) && asks->list.v[i]) {
        const struct mst_ask *ask = asks->list.v[i];
        return ask->answered ? &ask->answer : NULL;
    }
    if (asks->made < asks->made_max) {
        note(asks, call, mst_buf_span(&key));
        return NULL;
    }
    asks->refusal.error =
        MST_STR("extenders were not asked any more: the cluster changed each time "
                "before they answered");
    return &asks->refusal;
}

struct mst_ask *mst_asks_unsent(struct mst_asks *asks)
{
    for (uint32_t i = 0; i < asks->list.n; i++)
        if (asks->list.v[i] && !asks->list.v[i]->id)
            return asks->list.v[i];
    return NULL;
}

/* ---- answers ---- */

bool mst_asks_answer(struct mst_asks *asks, uint64_t id, bool failed, struct mst_str text)
{
    for (uint32_t i = asks->list.n; i-- > 0;) {
        struct mst_ask *ask = asks->list.v[i];
        if (!ask || ask->id != id || ask->answered)
            continue;
        ask->answered = true;
        asks->open--;
        if (failed)
            ask->answer.error = mst_arena_str(&ask->arena, text.n ? text : MST_STR("failed"));
        else
            mst_extender_read(&ask->call, text, &ask->arena, &ask->answer);
        return true;
    }
    return false;
}

void mst_asks_pod_changed(struct mst_asks *asks, struct mst_str uid)
{
    for (uint32_t i = 0; i < asks->list.n; i++)
        if (asks->list.v[i] && mst_str_eq(asks->list.v[i]->call.pod.uid, uid))
            drop(asks, i);
}

/* ---- who is interested ---- */

static bool manages(const struct mst_cfg_extender *e, const struct mst_syms *syms,
                    const mst_resources *resources)
{
    for (uint32_t i = 0; i < resources->n; i++)
        for (uint32_t k = 0; k < e->managed.n; k++)
            if (mst_str_eq(mst_sym_str(syms, resources->v[i].name), e->managed.v[k].name))
                return true;
    return false;
}

static bool cares(const struct mst_cfg_extender *e, const struct mst_syms *syms,
                  const struct mst_container *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (manages(e, syms, &v[i].resources.requests) || manages(e, syms, &v[i].resources.limits))
            return true;
    return false;
}

uint64_t mst_extenders_of(const struct mst_config *config, const struct mst_syms *syms,
                          const struct mst_pod *pod)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < config->extenders.n; i++) {
        const struct mst_cfg_extender *e = &config->extenders.v[i];
        if (!e->managed.n || cares(e, syms, pod->spec.containers.v, pod->spec.containers.n) ||
            cares(e, syms, pod->spec.init_containers.v, pod->spec.init_containers.n))
            mask |= UINT64_C(1) << i;
    }
    return mask;
}

uint32_t mst_extender_binder(const struct mst_config *config, uint64_t mask)
{
    for (uint32_t i = 0; i < config->extenders.n; i++)
        if (mask >> i & 1 && config->extenders.v[i].verbs[MST_VERB_BIND].n)
            return i;
    return UINT32_MAX;
}

/* ---- the pseudo plugin ---- */

static void explain(const struct mst_view *view, const void *instance, const void *state,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    (void)view, (void)instance, (void)row;
    const struct mst_extender_texts *texts = state;
    const uint32_t detail = verdict & MST_VERDICT_DETAIL;
    if (texts && detail && detail <= texts->list.n)
        mst_reason_add(out, texts->list.v[detail - 1]);
}

/* Every event may help: an extender does not say which ones do. */
static const struct mst_event_registration events[] = {
    { MST_ON_ASSIGNED_POD, MST_ACT_ALL, NULL },
    { MST_ON_UNSCHEDULED_POD, MST_ACT_ALL, NULL },
    { MST_ON_TARGET_POD, MST_ACT_ALL, NULL },
    { MST_ON_NODE, MST_ACT_ALL, NULL },
    { MST_ON_POD_GROUP, MST_ACT_ALL, NULL },
    { MST_ON_PV, MST_ACT_ALL, NULL },
    { MST_ON_PVC, MST_ACT_ALL, NULL },
    { MST_ON_STORAGE_CLASS, MST_ACT_ALL, NULL },
    { MST_ON_CSI_NODE, MST_ACT_ALL, NULL },
    { MST_ON_CSI_DRIVER, MST_ACT_ALL, NULL },
    { MST_ON_CSI_STORAGE_CAPACITY, MST_ACT_ALL, NULL },
};

const struct mst_plugin mst_extender_plugin = {
    .name = "Extender",
    .explain = explain,
    .events = events,
    .event_count = MST_COUNT(events),
};

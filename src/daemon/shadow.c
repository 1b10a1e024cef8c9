/*
 * shadow.c - `--dry-run`: what the engine wants, compared with what another scheduler does.
 *
 * Owns:       a record per pod that waits for a node, by UID; those with a decision stand in a list
 *             in the order of their ends, which is the order in which they were made.
 */
#include "daemon/shadow.h"

#include <event2/event.h>

#include "base/map.h"
#include "daemon/clock.h"

enum { PATIENCE_MS = 30000, SWEEP_MS = 1000 };

struct waiting {
    struct mst_str uid;  /* heap */
    struct mst_str key;  /* "ns/name"; heap */
    struct mst_str node; /* decided; heap, absent: nothing yet */
    uint64_t effect_id;
    int64_t until_ns; /* monotonic: when the decision is given up */
};

struct mst_shadow {
    struct mst_shadow_options options;
    struct mst_map by_uid; /* -> struct waiting * */
    struct event *sweep;
    struct mst_shadow_stats stats;
};

/* ---- records ---- */

static struct mst_str text_new(struct mst_str text)
{
    char *copy = mst_calloc(text.n + 1, 1);
    if (text.n)
        memcpy(copy, text.p, text.n);
    return (struct mst_str){ copy, text.n };
}

static void text_free(struct mst_str text)
{
    mst_free((char *)(uintptr_t)text.p);
}

static struct waiting *find(const struct mst_shadow *shadow, struct mst_str uid)
{
    uint64_t value;
    return mst_map_get(&shadow->by_uid, uid, &value) ? (struct waiting *)(uintptr_t)value : NULL;
}

static struct waiting *find_or_add(struct mst_shadow *shadow, struct mst_str uid, struct mst_str ns,
                                   struct mst_str name)
{
    struct waiting *w = find(shadow, uid);
    if (w)
        return w;
    MST_AUTO(mst_buf) key = { 0 };
    mst_buf_printf(&key, "%.*s/%.*s", MST_ARG(ns), MST_ARG(name));
    w = mst_calloc(1, sizeof(*w));
    w->uid = text_new(uid);
    w->key = text_new(mst_buf_span(&key));
    mst_map_set(&shadow->by_uid, uid, (uintptr_t)w);
    return w;
}

static void waiting_free(struct waiting *w)
{
    text_free(w->uid);
    text_free(w->key);
    text_free(w->node);
    mst_free(w);
}

static void forget(struct mst_shadow *shadow, struct waiting *w)
{
    mst_map_delete(&shadow->by_uid, w->uid);
    waiting_free(w);
}

/* ---- answers ---- */

static void fail(struct mst_shadow *shadow, uint64_t effect_id, struct mst_str reason)
{
    const struct mst_event event = { .kind = MST_EVENT_EFFECT_FAILED,
                                     .effect_id = effect_id,
                                     .reason = reason };
    shadow->options.answer(shadow->options.ctx, &event);
}

static void done(struct mst_shadow *shadow, uint64_t effect_id)
{
    const struct mst_event event = { .kind = MST_EVENT_EFFECT_DONE, .effect_id = effect_id };
    shadow->options.answer(shadow->options.ctx, &event);
}

/* The decision about the pod is over, whatever came of it. */
static void settle(struct mst_shadow *shadow, struct waiting *w, bool as_decided)
{
    if (!w->node.p)
        return;
    text_free(w->node);
    w->node = MST_STR_NONE;
    if (as_decided)
        done(shadow, w->effect_id);
    else
        fail(shadow, w->effect_id, MST_STR("dry run: the pod was not bound to this node"));
}

static void on_sweep(evutil_socket_t fd, short what, void *ctx)
{
    struct mst_shadow *shadow = ctx;
    const int64_t now_ns = mst_mono_now();
    const struct mst_map_entry *e;
    (void)fd;
    (void)what;
    for (uint32_t at = 0; mst_map_next(&shadow->by_uid, &at, &e);) {
        struct waiting *w = (struct waiting *)(uintptr_t)e->value;
        if (!w->node.p || w->until_ns > now_ns)
            continue;
        shadow->stats.only_here++;
        mst_log(shadow->options.log, 1, "Dry run: only muster would have bound the pod",
                MST_KSTR("pod", w->key), MST_KSTR("node", w->node));
        settle(shadow, w, false);
    }
}

/* ---- what comes in ---- */

void mst_shadow_effect(struct mst_shadow *shadow, const struct mst_effect *effect)
{
    struct waiting *w;
    const struct mst_log *log = shadow->options.log;
    switch (effect->kind) {
    case MST_EFFECT_BIND:
        w = find_or_add(shadow, effect->uid, effect->ns, effect->name);
        mst_assert(!w->node.p);
        w->node = text_new(effect->node);
        w->effect_id = effect->id;
        w->until_ns = mst_mono_now() + shadow->options.patience_ms * MST_NS_PER_MS;
        mst_log(log, 2, "Dry run: would bind the pod", MST_KSTR("pod", w->key),
                MST_KSTR("node", w->node));
        break;
    case MST_EFFECT_EVICT:
        shadow->stats.evictions++;
        mst_log(log, 1, "Dry run: would evict the pod", MST_KSTR("namespace", effect->ns),
                MST_KSTR("pod", effect->name));
        fail(shadow, effect->id, MST_STR("dry run: pods are not evicted"));
        break;
    case MST_EFFECT_PV_UPDATE:
    case MST_EFFECT_PVC_UPDATE:
        fail(shadow, effect->id, MST_STR("dry run: volumes are not bound"));
        break;
    case MST_EFFECT_POD_STATUS:
    case MST_EFFECT_GROUP_STATUS:
        if (effect->condition_set)
            mst_log(log, 2, "Dry run: would set the condition", MST_KSTR("namespace", effect->ns),
                    MST_KSTR("name", effect->name), MST_KSTR("type", effect->condition.type),
                    MST_KSTR("status", effect->condition.status),
                    MST_KSTR("message", effect->condition.message));
        break;
    case MST_EFFECT_EVENT: break;
    case MST_EFFECT_ATTEMPT:
    case MST_EFFECT_EXTENDER: mst_assert(!"an effect of the shadow");
    }
}

static void compare(struct mst_shadow *shadow, struct waiting *w, struct mst_str node)
{
    const bool same = mst_str_eq(w->node, node);
    struct mst_shadow_stats *s = &shadow->stats;
    const char *message = same        ? "Dry run: both chose the same node"
                          : w->node.p ? "Dry run: the other scheduler chose another node"
                                      : "Dry run: only the other scheduler bound the pod";
    s->same += same;
    s->other_node += !same && w->node.p;
    s->only_there += !w->node.p;
    mst_log(shadow->options.log, same ? 2 : 1, message, MST_KSTR("pod", w->key),
            MST_KSTR("node", node), MST_KSTR("ours", w->node));
    settle(shadow, w, same);
}

void mst_shadow_pod(struct mst_shadow *shadow, const struct mst_pod *pod, bool ours)
{
    struct waiting *w = find(shadow, pod->meta.uid);
    struct mst_syms *syms = shadow->options.syms;
    if (pod->spec.node_name == MST_SYM_NONE) {
        if (!w && ours && !pod->meta.deleted.set)
            find_or_add(shadow, pod->meta.uid, mst_sym_str(syms, pod->meta.namespace_),
                        pod->meta.name);
    } else if (w) { /* it was seen waiting: a pod that came bound says nothing */
        compare(shadow, w, mst_sym_str(syms, pod->spec.node_name));
        forget(shadow, w);
    }
}

void mst_shadow_pod_gone(struct mst_shadow *shadow, struct mst_str uid)
{
    struct waiting *w = find(shadow, uid);
    if (!w)
        return;
    settle(shadow, w, false);
    forget(shadow, w);
}

struct mst_shadow_stats mst_shadow_stats_of(const struct mst_shadow *shadow)
{
    return shadow->stats;
}

/* ---- lifecycle ---- */

struct mst_shadow *mst_shadow_new(const struct mst_shadow_options *options)
{
    struct mst_shadow *shadow = mst_calloc(1, sizeof(*shadow));
    shadow->options = *options;
    if (!shadow->options.patience_ms)
        shadow->options.patience_ms = PATIENCE_MS;
    const int64_t every_ms = MST_MIN((int64_t)SWEEP_MS, shadow->options.patience_ms);
    const struct timeval every = { every_ms / 1000, every_ms % 1000 * 1000 };
    shadow->sweep = event_new(options->loop, -1, EV_PERSIST, on_sweep, shadow);
    const bool ok = shadow->sweep && event_add(shadow->sweep, &every) == 0;
    mst_assert(ok);
    return shadow;
}

void mst_shadow_free(struct mst_shadow *shadow)
{
    if (!shadow)
        return;
    const struct mst_map_entry *e;
    for (uint32_t at = 0; mst_map_next(&shadow->by_uid, &at, &e);)
        waiting_free((struct waiting *)(uintptr_t)e->value);
    mst_map_done(&shadow->by_uid);
    event_free(shadow->sweep);
    mst_free(shadow);
}

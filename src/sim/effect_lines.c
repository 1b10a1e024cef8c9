/*
 * effect_lines.c - effects as JSON lines, in the format of the reference program's mode `cycle`.
 *
 * A status patch is printed as the two-way merge patch that upstream sends, without times: only
 * what differs from the condition before, null where something was removed.
 */
#include "sim/effect_lines.h"

#include "base/sort.h"
#include "codec/json.h"
#include "sim/clock.h"

static const char *op_of(const struct mst_effect *effect)
{
    switch (effect->kind) {
    case MST_EFFECT_ATTEMPT: return "attempt";
    case MST_EFFECT_BIND: return "bind";
    case MST_EFFECT_POD_STATUS:
    case MST_EFFECT_GROUP_STATUS: return "patch";
    case MST_EFFECT_PV_UPDATE:
    case MST_EFFECT_PVC_UPDATE: return "update";
    case MST_EFFECT_EVICT: return "evict";
    case MST_EFFECT_EVENT: return "event";
    case MST_EFFECT_EXTENDER: return "call";
    }
    return "";
}

static void print_object(struct mst_json_writer *w, const struct mst_effect *effect)
{
    mst_jw_key(w, "object");
    MST_AUTO(mst_buf) name = { 0 };
    if (effect->ns.n)
        mst_buf_printf(&name, "%.*s/", MST_ARG(effect->ns));
    mst_buf_str(&name, effect->name);
    mst_jw_str(w, mst_buf_span(&name));
}

static void print_at(struct mst_json_writer *w, int64_t at_ns)
{
    MST_AUTO(mst_buf) text = { 0 };
    int64_t ms = (at_ns + 500000) / 1000000;
    mst_buf_printf(&text, "%lld.%03llds", (long long)(ms / 1000), (long long)(ms % 1000));
    mst_jw_key(w, "at");
    mst_jw_str(w, mst_buf_span(&text));
}

static void print_text(struct mst_json_writer *w, const char *key, struct mst_str text)
{
    mst_jw_key(w, key);
    mst_jw_str(w, text);
}

static void print_optional(struct mst_json_writer *w, const char *key, struct mst_str text)
{
    if (text.n)
        print_text(w, key, text);
}

/*
 * One text of a condition in a patch. `pod` conditions leave out empty texts, so that one that
 * became empty is removed (null); general conditions always carry them.
 */
static void patch_text(struct mst_json_writer *w, const char *key, struct mst_str to,
                       struct mst_str from, bool fresh, bool pod)
{
    if (fresh ? !to.n && pod : mst_str_eq(to, from))
        return;
    mst_jw_key(w, key);
    if (!to.n && pod)
        mst_jw_null(w);
    else
        mst_jw_str(w, to);
}

/* Keys in order, as Go prints a map. */
static void print_patch_condition(struct mst_json_writer *w, const struct mst_effect *effect)
{
    const struct mst_condition *to = &effect->condition, *from = &effect->before;
    bool fresh = !from->type.n, pod = effect->object_kind == MST_KIND_POD;
    mst_jw_object_begin(w);
    patch_text(w, "message", to->message, from->message, fresh, pod);
    if (fresh ? to->observed_generation : to->observed_generation != from->observed_generation) {
        mst_jw_key(w, "observedGeneration");
        if (to->observed_generation)
            mst_jw_int(w, to->observed_generation);
        else
            mst_jw_null(w);
    }
    patch_text(w, "reason", to->reason, from->reason, fresh, pod);
    patch_text(w, "status", to->status, from->status, fresh, false);
    print_text(w, "type", to->type);
    mst_jw_object_end(w);
}

static void print_patch(struct mst_json_writer *w, const struct mst_effect *effect)
{
    mst_jw_object_begin(w);
    mst_jw_key(w, "status");
    mst_jw_object_begin(w);
    if (effect->condition_set) {
        mst_jw_key(w, "conditions");
        mst_jw_array_begin(w);
        print_patch_condition(w, effect);
        mst_jw_array_end(w);
    }
    if (effect->nominated_set) {
        mst_jw_key(w, "nominatedNodeName");
        if (effect->nominated.n)
            mst_jw_str(w, effect->nominated);
        else
            mst_jw_null(w);
    }
    mst_jw_object_end(w);
    mst_jw_object_end(w);
}

/* Go's encoder escapes these three in the patch, which is encoded on its own. */
static void escape_html(struct mst_buf *out, size_t begin)
{
    MST_AUTO(mst_buf) copy = { 0 };
    bool any = false;
    for (size_t i = begin; i < out->n; i++) {
        char c = out->p[i];
        bool escape = c == '<' || c == '>' || c == '&';
        if (escape)
            mst_buf_printf(&copy, "\\u%04x", (unsigned)c);
        else
            mst_buf_char(&copy, c);
        any |= escape;
    }
    if (!any)
        return;
    out->n = begin;
    mst_buf_str(out, mst_buf_span(&copy));
}

/* What the patched object says afterwards about the things that the patch touched. */
static void print_outcome(struct mst_json_writer *w, const struct mst_effect *effect)
{
    if (effect->condition_set) {
        const struct mst_condition *c = &effect->condition;
        mst_jw_key(w, "conditions");
        mst_jw_array_begin(w);
        mst_jw_object_begin(w);
        print_text(w, "type", c->type);
        print_text(w, "status", c->status);
        print_text(w, "reason", c->reason);
        print_text(w, "message", c->message);
        if (c->observed_generation) {
            mst_jw_key(w, "observedGeneration");
            mst_jw_int(w, c->observed_generation);
        }
        mst_jw_object_end(w);
        mst_jw_array_end(w);
    }
    if (effect->nominated_set)
        print_text(w, "nominatedNodeName", effect->nominated);
}

static void print_annotation(struct mst_json_writer *w, const char *key, struct mst_str value)
{
    mst_jw_key(w, "metadata");
    mst_jw_object_begin(w);
    mst_jw_key(w, "annotations");
    mst_jw_object_begin(w);
    print_text(w, key, value);
    mst_jw_object_end(w);
    mst_jw_object_end(w);
}

/* What an update changes, without UIDs. */
static void print_update(struct mst_json_writer *w, const struct mst_effect *effect)
{
    mst_jw_key(w, "patch");
    mst_jw_object_begin(w);
    if (effect->node_new)
        print_annotation(w, "volume.kubernetes.io/selected-node", effect->node);
    if (effect->by_controller)
        print_annotation(w, "pv.kubernetes.io/bound-by-controller", MST_STR("yes"));
    if (effect->claim_ref) {
        mst_jw_key(w, "spec");
        mst_jw_object_begin(w);
        mst_jw_key(w, "claimRef");
        mst_jw_object_begin(w);
        if (effect->claim_version)
            print_text(w, "apiVersion", MST_STR("v1"));
        if (effect->claim_kind)
            print_text(w, "kind", MST_STR("PersistentVolumeClaim"));
        if (effect->claim_new) {
            print_text(w, "name", effect->claim_name);
            print_text(w, "namespace", effect->claim_ns);
        }
        mst_jw_object_end(w);
        mst_jw_object_end(w);
    }
    mst_jw_object_end(w);
}

/* The question, as far as it decides what is answered. */
static void print_call(struct mst_json_writer *w, const struct mst_effect *effect)
{
    const struct mst_extender_call *call = effect->call;
    print_text(w, "url", effect->url);
    mst_jw_key(w, "nodes");
    mst_jw_array_begin(w);
    for (uint32_t i = 0; i < call->nodes.n; i++)
        mst_jw_str(w, call->nodes.v[i]);
    mst_jw_array_end(w);
    for (uint32_t i = 0; i < call->victims.n; i++) {
        const struct mst_ext_victims *v = &call->victims.v[i];
        mst_jw_key_str(w, v->node);
        mst_jw_array_begin(w);
        for (uint32_t k = 0; k < v->pods.n; k++)
            mst_jw_str(w, v->pods.v[k].uid);
        mst_jw_int(w, v->pdb_violations);
        mst_jw_array_end(w);
    }
}

static void print_details(struct mst_json_writer *w, const struct mst_effect *effect)
{
    switch (effect->kind) {
    case MST_EFFECT_ATTEMPT:
        mst_jw_key(w, "attempt");
        mst_jw_int(w, effect->attempt);
        if (effect->pods.n) {
            mst_jw_key(w, "pods");
            mst_jw_array_begin(w);
            for (uint32_t i = 0; i < effect->pods.n; i++)
                mst_jw_str(w, effect->pods.v[i]);
            mst_jw_array_end(w);
        }
        break;
    case MST_EFFECT_BIND:
        print_text(w, "node", effect->node);
        print_optional(w, "extender", effect->url);
        break;
    case MST_EFFECT_PV_UPDATE:
    case MST_EFFECT_PVC_UPDATE: print_update(w, effect); break;
    case MST_EFFECT_EVICT:
        if (!effect->condition_set)
            break;
        __attribute__((fallthrough));
    case MST_EFFECT_POD_STATUS:
    case MST_EFFECT_GROUP_STATUS:
        print_text(w, "type", MST_STR("status"));
        mst_jw_key(w, "patch");
        size_t begin = w->out->n;
        print_patch(w, effect);
        escape_html(w->out, begin);
        print_outcome(w, effect);
        break;
    case MST_EFFECT_EVENT:
        print_optional(w, "type", effect->type);
        print_optional(w, "reason", effect->reason);
        print_optional(w, "action", effect->action);
        print_optional(w, "note", effect->note);
        print_optional(w, "related", effect->related);
        break;
    case MST_EFFECT_EXTENDER: break;
    }
}

static void print_line(const struct mst_effect *effect, const char *op, int64_t at_ns,
                       struct mst_str error, bool with_id, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out };
    mst_jw_object_begin(&w);
    if (with_id) {
        mst_jw_key(&w, "id");
        mst_jw_int(&w, (int64_t)effect->id);
        print_text(&w, "uid", effect->uid);
    }
    mst_jw_key(&w, "cycle");
    mst_jw_int(&w, effect->cycle);
    print_at(&w, at_ns);
    print_text(&w, "op", mst_str_of(op));
    print_text(&w, "kind", mst_str_of(mst_kind_name(effect->object_kind)));
    print_object(&w, effect);
    print_details(&w, effect);
    if (with_id && effect->call)
        print_call(&w, effect);
    print_optional(&w, "error", error);
    mst_jw_object_end(&w);
}

void mst_effect_print(const struct mst_effect *effect, int64_t at_ns, struct mst_str error,
                      bool with_id, struct mst_buf *out)
{
    print_line(effect, op_of(effect), at_ns, error, with_id, out);
}

/* An eviction is two calls of the API: the condition and the deletion. */
static void print_calls(const struct mst_effect *effect, int64_t at_ns, struct mst_str error,
                        struct mst_buf *out)
{
    if (effect->kind != MST_EFFECT_EVICT) {
        print_line(effect, op_of(effect), at_ns, error, false, out);
        return;
    }
    struct mst_effect deletion = *effect;
    deletion.condition_set = false;
    if (effect->condition_set) {
        print_line(effect, "patch", at_ns, error, false, out);
        mst_buf_char(out, '\n');
    }
    print_line(&deletion, "delete", at_ns, error, false, out);
}

/* ---- order within a cycle ---- */

static struct mst_str rank_of(struct mst_arena *arena, const struct mst_effect *effect)
{
    if (effect->kind == MST_EFFECT_ATTEMPT)
        return MST_STR("0");
    return mst_arena_printf(arena, "%c%s%.*s%s%.*s", effect->kind == MST_EFFECT_EVENT ? '2' : '1',
                            mst_kind_name(effect->object_kind), MST_ARG(effect->ns),
                            effect->ns.n ? "/" : "", MST_ARG(effect->name));
}

void mst_effect_lines_add(struct mst_effect_lines *lines, const struct mst_effect *effect,
                          int64_t at_ns, struct mst_str error)
{
    if (effect->kind == MST_EFFECT_EXTENDER)
        return; /* a question changes nothing */
    MST_AUTO(mst_buf) text = { 0 };
    print_calls(effect, at_ns, error, &text);
    mst_buf_char(&text, '\n');
    mst_vec_push(&lines->list, (struct mst_effect_line){
                                   .cycle = effect->cycle,
                                   .rank = rank_of(&lines->arena, effect),
                                   .line = mst_arena_str(&lines->arena, mst_buf_span(&text)) });
}

static int by_rank(const void *a, const void *b, void *ctx)
{
    const struct mst_effect_line *x = a, *y = b;
    (void)ctx;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return mst_str_cmp(x->rank, y->rank);
}

void mst_effect_lines_flush(struct mst_effect_lines *lines, struct mst_buf *out)
{
    mst_sort(lines->list.v, lines->list.n, sizeof(*lines->list.v), by_rank, NULL);
    for (uint32_t i = 0; i < lines->list.n; i++)
        mst_buf_str(out, lines->list.v[i].line);
    lines->list.n = 0;
    mst_arena_reset(&lines->arena);
}

void mst_effect_lines_done(struct mst_effect_lines *lines)
{
    mst_vec_done(&lines->list);
    mst_arena_done(&lines->arena);
}

/* ---- the end ---- */

static int by_text(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(*(const struct mst_str *)a, *(const struct mst_str *)b);
}

static void collect_pod(struct mst_engine *engine, uint32_t row, struct mst_leftovers *out)
{
    const struct mst_cluster *cluster = mst_engine_cluster(engine);
    const struct mst_pod_row *pod = &cluster->pods.v[row];
    if (pod->assumed)
        return; /* it has a node and waits for its volumes: in no queue */
    struct mst_str name =
        mst_arena_printf(&out->arena, "%.*s/%.*s", MST_ARG(mst_sym_str(cluster->syms, pod->ns)),
                         MST_ARG(pod->name));
    bool gated = false;
    switch (mst_queue_store_of(mst_engine_queue(engine), row, &gated)) {
    case MST_STORE_ACTIVE:
    case MST_STORE_BACKOFF:
    case MST_STORE_ERROR_BACKOFF: mst_vec_push(&out->backoff, name); break;
    case MST_STORE_UNSCHEDULABLE:
        if (gated)
            mst_vec_push(&out->gated, name);
        else
            mst_vec_push(&out->unschedulable, name);
        break;
    case MST_STORE_INCOMPLETE: mst_vec_push(&out->incomplete, name); break;
    case MST_STORE_NONE:
    case MST_STORE_PENDING:
    case MST_STORE_POPPED: break;
    }
}

void mst_leftovers_collect(struct mst_engine *engine, struct mst_leftovers *out)
{
    const struct mst_cluster *cluster = mst_engine_cluster(engine);
    for (uint32_t row = 0; row < cluster->pods.n; row++)
        if (cluster->pods.v[row].live && !cluster->pods.v[row].assigned)
            collect_pod(engine, row, out);
    mst_sort(out->gated.v, out->gated.n, sizeof(*out->gated.v), by_text, NULL);
    mst_sort(out->unschedulable.v, out->unschedulable.n, sizeof(*out->unschedulable.v), by_text,
             NULL);
    mst_sort(out->backoff.v, out->backoff.n, sizeof(*out->backoff.v), by_text, NULL);
    mst_sort(out->incomplete.v, out->incomplete.n, sizeof(*out->incomplete.v), by_text, NULL);
}

void mst_leftovers_done(struct mst_leftovers *leftovers)
{
    mst_vec_done(&leftovers->gated);
    mst_vec_done(&leftovers->unschedulable);
    mst_vec_done(&leftovers->backoff);
    mst_vec_done(&leftovers->incomplete);
    mst_arena_done(&leftovers->arena);
}

static void print_list(struct mst_json_writer *w, const char *key, const struct mst_str *v,
                       uint32_t n)
{
    if (!n)
        return;
    mst_jw_key(w, key);
    mst_jw_array_begin(w);
    for (uint32_t i = 0; i < n; i++)
        mst_jw_str(w, v[i]);
    mst_jw_array_end(w);
}

void mst_effects_end_print(uint32_t cycle, int64_t at_ns, const struct mst_leftovers *leftovers,
                           struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "cycle");
    mst_jw_int(&w, cycle);
    print_at(&w, at_ns);
    print_text(&w, "op", MST_STR("end"));
    print_list(&w, "Gated", leftovers->gated.v, leftovers->gated.n);
    print_list(&w, "Unschedulable", leftovers->unschedulable.v, leftovers->unschedulable.n);
    print_list(&w, "Backoff", leftovers->backoff.v, leftovers->backoff.n);
    print_list(&w, "Incomplete", leftovers->incomplete.v, leftovers->incomplete.n);
    mst_jw_object_end(&w);
    mst_buf_char(out, '\n');
}

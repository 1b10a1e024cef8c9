/*
 * run_calls.c - calls to extenders: the objects that they are about, the answer, the binding.
 *
 * Invariants: a call takes no virtual time; what it answers is told before the next step.
 */
#include "sim/run_internal.h"
#include "sim/show.h"

struct bodies {
    struct mst_run *run;
    struct mst_arena arena;
};

/* As an informer has it: without apiVersion and kind. */
static void write_object(struct bodies *b, mst_kind kind, struct mst_str ns, struct mst_str name,
                         struct mst_json_writer *w)
{
    const struct mst_served *served = mst_apiserver_find(&b->run->server, kind, ns, name);
    if (!served) {
        mst_jw_null(w);
        return;
    }
    struct mst_doc *doc = mst_show_object(b->run->server.syms, &served->object, &b->arena);
    mst_doc_remove(doc, "apiVersion");
    mst_doc_remove(doc, "kind");
    mst_doc_write(doc, w);
}

static void write_pod(void *ctx, const struct mst_ext_pod *pod, struct mst_json_writer *w)
{
    write_object(ctx, MST_KIND_POD, pod->ns, pod->name, w);
}

static void write_node(void *ctx, struct mst_str name, struct mst_json_writer *w)
{
    write_object(ctx, MST_KIND_NODE, MST_STR(""), name, w);
}

/* The extender says that it bound the pod: an error of its own, or of the binding. */
static struct mst_str bind(struct mst_run *run, const struct mst_effect *effect,
                           struct mst_str body)
{
    struct mst_extender_answer answer;
    struct mst_str refused;
    mst_extender_read(effect->call, body, &run->server.arena, &answer);
    if (answer.error.p)
        return answer.error;
    mst_apiserver_bind(&run->server, effect, &refused);
    return refused;
}

void mst_run_call(struct mst_run *run, const struct mst_effect *effect, mst_watcher *watcher,
                  struct mst_str *ret_error)
{
    struct bodies b = { .run = run };
    MST_AUTO(mst_buf) body = { 0 };
    MST_AUTO(mst_buf) text = { 0 };
    const struct mst_extender_objects objects = { write_pod, write_node, &b };
    mst_extender_body(effect->call, &objects, &body);
    const bool sent = run->options.send(run->options.send_ctx, effect->call, effect->url,
                                        mst_buf_span(&body), &text);
    struct mst_event event = { .kind = MST_EVENT_EFFECT_DONE,
                               .effect_id = effect->id,
                               .body = mst_buf_span(&text) };
    *ret_error = MST_STR_NONE;
    if (!sent)
        *ret_error = mst_arena_str(&run->server.arena, mst_buf_span(&text));
    else if (effect->kind == MST_EFFECT_BIND)
        *ret_error = bind(run, effect, mst_buf_span(&text));
    if (ret_error->n) {
        event = (struct mst_event){ .kind = MST_EVENT_EFFECT_FAILED,
                                    .effect_id = effect->id,
                                    .reason = *ret_error };
        run->server.change_count += effect->kind == MST_EFFECT_BIND;
    }
    watcher(run, &event);
    mst_arena_done(&b.arena);
}

/* ---- looking ---- */

static void answer_only(void *ctx, const struct mst_event *event)
{
    struct mst_run *run = ctx;
    mst_engine_event(run->engine, event, run->clock.now_ns);
}

static void answer_all(struct mst_run *run, const struct mst_effects *calls)
{
    struct mst_str error;
    for (uint32_t i = 0; i < calls->list.n; i++)
        mst_run_call(run, &calls->list.v[i], answer_only, &error);
}

void mst_run_explain(struct mst_run *run, bool group, uint32_t id, struct mst_arena *arena,
                     struct mst_explanation *out)
{
    struct mst_effects calls = { 0 };
    while (!mst_explain(run->engine, group, id, run->clock.now_ns, arena, out, &calls))
        answer_all(run, &calls);
    mst_effects_done(&calls);
}

void mst_run_explain_scores(struct mst_run *run, uint32_t pod, bool all, struct mst_arena *arena,
                            struct mst_pod_answer *out)
{
    struct mst_effects calls = { 0 };
    while (!mst_explain_scores(run->engine, pod, all, arena, out, &calls))
        answer_all(run, &calls);
    mst_effects_done(&calls);
}

void mst_run_explain_preempt(struct mst_run *run, bool group, uint32_t id, struct mst_arena *arena,
                             struct mst_preempt_answer *out)
{
    struct mst_effects calls = { 0 };
    while (!mst_explain_preempt(run->engine, group, id, arena, out, &calls))
        answer_all(run, &calls);
    mst_effects_done(&calls);
}

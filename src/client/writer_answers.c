/*
 * writer_answers.c - what the API server's answer to a request means for the effect behind it.
 *
 * Invariants: an effect that may have been carried out without our knowing (an answer was lost) is
 *             not called refused because of a conflict before the object was looked at.
 * Source:     spec/scheduling.md 2.7, 4.7; spec/preemption.md 8; kubernetes v1.37
 *             pkg/scheduler/util (Retriable, RetriableWithConflict, BindPod), client-go rest
 *             (429 and Retry-After).
 */
#include "client/writer_internal.h"
#include "codec/json.h"

#define BOUND_BY_CONTROLLER "pv.kubernetes.io/bound-by-controller"
#define SELECTED_NODE "volume.kubernetes.io/selected-node"

typedef enum {
    REPLY_DONE,
    REPLY_AGAIN,    /* nobody said no */
    REPLY_GONE,     /* no such object */
    REPLY_ANOTHER,  /* a namesake of another UID */
    REPLY_CONFLICT, /* somebody was faster */
    REPLY_REFUSED,
} reply_kind;

bool mst_reply_is_retriable(const struct mst_reply *reply, bool *ret_lost)
{
    if (reply->net != MST_NET_OK) {
        *ret_lost = reply->net == MST_NET_TIMEOUT || reply->net == MST_NET_BROKEN;
        return true;
    }
    *ret_lost = reply->status >= 500;
    return reply->status == 429 || reply->status >= 500;
}

static bool contains(struct mst_str text, const char *part)
{
    return text.n && memmem(text.p, text.n, part, strlen(part));
}

/* Of a conflict, or of a patch that says another UID than the object's. */
static bool speaks_of_uid(const struct mst_reply *reply)
{
    static const char *const parts[] = { "UID in precondition", "UID in the precondition",
                                         "uid mismatch", "metadata.uid" };
    for (size_t i = 0; i < MST_COUNT(parts); i++)
        if (contains(reply->problem, parts[i]))
            return true;
    return false;
}

static reply_kind classify(struct mst_work *work, const struct mst_reply *reply)
{
    bool lost;
    if (mst_reply_is_retriable(reply, &lost)) {
        work->lost |= lost;
        return REPLY_AGAIN;
    }
    if (reply->status >= 200 && reply->status < 300)
        return REPLY_DONE;
    switch (reply->status) {
    case 404: return REPLY_GONE;
    case 409: return speaks_of_uid(reply) ? REPLY_ANOTHER : REPLY_CONFLICT;
    case 422: return speaks_of_uid(reply) ? REPLY_ANOTHER : REPLY_REFUSED;
    default: return REPLY_REFUSED;
    }
}

static struct mst_work_verdict done(bool gone)
{
    return (struct mst_work_verdict){ .fate = MST_WORK_DONE, .gone = gone };
}

static struct mst_work_verdict failed(struct mst_str problem)
{
    return (struct mst_work_verdict){ .fate = MST_WORK_FAILED, .problem = problem };
}

static struct mst_work_verdict again(const struct mst_reply *reply)
{
    return (struct mst_work_verdict){ .fate = MST_WORK_AGAIN, .problem = reply->problem };
}

static struct mst_work_verdict go_to(struct mst_work *work, mst_work_stage stage)
{
    work->stage = stage;
    work->tries = 0;
    return (struct mst_work_verdict){ .fate = MST_WORK_NEXT };
}

/* ---- was it us? ---- */

/* The text below a path of keys, or an absent span. */
static struct mst_str text_at(const struct mst_value *v, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count && v; i++)
        v = mst_value_get(v, keys[i]);
    return v && v->type == MST_STRING ? mst_value_str(v) : MST_STR_NONE;
}

#define TEXT_AT(v, ...)                                                                            \
    text_at((v), (const char *const[]){ __VA_ARGS__ },                                             \
            MST_COUNT(((const char *const[]){ __VA_ARGS__ })))

static bool shows_effect(const struct mst_effect *e, const struct mst_value *object)
{
    if (e->uid.n && !mst_str_eq(TEXT_AT(object, "metadata", "uid"), e->uid))
        return false;
    if (e->kind == MST_EFFECT_BIND)
        return mst_str_eq(TEXT_AT(object, "spec", "nodeName"), e->node);
    if (e->kind == MST_EFFECT_PVC_UPDATE)
        return mst_str_eq(TEXT_AT(object, "metadata", "annotations", SELECTED_NODE), e->node);
    mst_assert(e->kind == MST_EFFECT_PV_UPDATE);
    if (e->by_controller && !TEXT_AT(object, "metadata", "annotations", BOUND_BY_CONTROLLER).p)
        return false;
    return !e->claim_ref ||
           (mst_str_eq(TEXT_AT(object, "spec", "claimRef", "uid"), e->claim_uid) &&
            mst_str_eq(TEXT_AT(object, "spec", "claimRef", "name"), e->claim_name) &&
            mst_str_eq(TEXT_AT(object, "spec", "claimRef", "namespace"), e->claim_ns));
}

static bool body_shows_effect(const struct mst_effect *e, struct mst_str body)
{
    MST_AUTO(mst_arena) arena = { 0 };
    const struct mst_value *object;
    struct mst_err err;
    return !mst_json_parse(body, NULL, &arena, NULL, &object, &err) && shows_effect(e, object);
}

/* A conflict after a lost answer: perhaps the request before this one got through. */
static struct mst_work_verdict doubt(struct mst_work *work, const struct mst_reply *reply)
{
    if (!work->lost)
        return failed(reply->problem);
    work->problem.n = 0;
    mst_buf_str(&work->problem, reply->problem);
    return go_to(work, MST_STAGE_CHECK);
}

static struct mst_work_verdict judge_check(struct mst_work *work, const struct mst_reply *reply)
{
    const reply_kind kind = classify(work, reply);
    if (kind == REPLY_DONE && body_shows_effect(&work->effect, reply->body))
        return done(false);
    struct mst_work_verdict verdict = failed(mst_buf_span(&work->problem));
    if (kind == REPLY_AGAIN)
        verdict.fate = MST_WORK_AGAIN;
    return verdict;
}

/* ---- one kind of request each ---- */

/* Bindings and updates of volumes: whoever asked hears what became of it. */
static struct mst_work_verdict judge_update(struct mst_work *work, const struct mst_reply *reply)
{
    switch (classify(work, reply)) {
    case REPLY_DONE: return done(false);
    case REPLY_AGAIN: return again(reply);
    case REPLY_CONFLICT: return doubt(work, reply);
    case REPLY_GONE:
    case REPLY_ANOTHER:
    case REPLY_REFUSED: break;
    }
    return failed(reply->problem);
}

static struct mst_work_verdict judge_status(struct mst_work *work, const struct mst_reply *reply)
{
    switch (classify(work, reply)) {
    case REPLY_DONE: return done(false);
    case REPLY_AGAIN:
    case REPLY_CONFLICT: return again(reply);
    case REPLY_GONE:
    case REPLY_ANOTHER: return done(true);
    case REPLY_REFUSED: break;
    }
    return failed(reply->problem);
}

static struct mst_work_verdict judge_mark(struct mst_work *work, const struct mst_reply *reply)
{
    const struct mst_work_verdict verdict = judge_status(work, reply);
    if (verdict.fate != MST_WORK_DONE || verdict.gone)
        return verdict;
    work->lost = false;
    return go_to(work, MST_STAGE_MAIN);
}

/* A victim that our own lost request deleted is no victim that was gone before. */
static struct mst_work_verdict judge_delete(struct mst_work *work, const struct mst_reply *reply)
{
    struct mst_work_verdict verdict = judge_status(work, reply);
    verdict.gone &= !work->lost;
    return verdict;
}

struct mst_work_verdict mst_work_judge(struct mst_work *work, const struct mst_reply *reply)
{
    switch (work->stage) {
    case MST_STAGE_MARK: return judge_mark(work, reply);
    case MST_STAGE_CHECK: return judge_check(work, reply);
    case MST_STAGE_MAIN: break;
    }
    switch (work->effect.kind) {
    case MST_EFFECT_BIND:
    case MST_EFFECT_PV_UPDATE:
    case MST_EFFECT_PVC_UPDATE: return judge_update(work, reply);
    case MST_EFFECT_EVICT: return judge_delete(work, reply);
    case MST_EFFECT_POD_STATUS:
    case MST_EFFECT_GROUP_STATUS: return judge_status(work, reply);
    case MST_EFFECT_ATTEMPT:
    case MST_EFFECT_EXTENDER:
    case MST_EFFECT_EVENT: break;
    }
    mst_assert(!"an effect on one object's queue");
    return failed(MST_STR_NONE);
}

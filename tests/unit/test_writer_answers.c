/* What answers mean, for evictions, patches, and requests whose answer was lost. */
#include "writer_helper.h"

#define BOUND(uid, node) "{\"metadata\":{\"uid\":\"" uid "\"},\"spec\":{\"nodeName\":\"" node "\"}}"
#define WRONG_UID                                                                                  \
    "Operation cannot be fulfilled on Pod \"p\": the UID in the precondition (u) does not match "  \
    "the UID in record (u2). The object might have been deleted and then recreated"

/* An answer: a status with a problem or a body, or none at all. */
struct reply {
    int status; /* 0: the connection broke, -1: refused */
    const char *text;
};

static void give(struct rig *r, uint32_t i, const struct reply *reply)
{
    if (reply->status == 200)
        rig_body(r, i, reply->text ? reply->text : "{}");
    else if (reply->status > 0)
        rig_reply(r, i, reply->status, reply->text);
    else
        rig_lose(r, i, reply->status ? MST_NET_REFUSED : MST_NET_BROKEN);
}

/* The replies in turn; all of them are used, and no more are asked for. */
static void run(struct mst_test *t, const char *name, struct mst_effect effect,
                const struct reply *replies, uint32_t count, const char *want)
{
    struct rig r;
    t_case(t, name);
    rig_start(&r, (struct mst_writer_options){ 0 });
    effect.id = 1;
    rig_want(&r, effect);
    for (uint32_t i = 0; i < count; i++) {
        rig_wait(&r, i + 1);
        give(&r, i, &replies[i]);
    }
    t_int(t, r.client.sent.n, count);
    t_answers(t, &r, want);
    t_int(t, mst_writer_pending(r.writer), 0);
    rig_stop(&r, t);
}

#define RUN(t, name, effect, want, ...)                                                            \
    run((t), (name), (effect), (const struct reply[]){ __VA_ARGS__ },                              \
        MST_COUNT(((const struct reply[]){ __VA_ARGS__ })), (want))

static void test_answers_bind(struct mst_test *t)
{
    const struct mst_effect bind = rig_bind(1, "p", "n1");
    RUN(t, "created", bind, "done 1\n", { 201, NULL });
    RUN(t, "not found", bind, "failed 1: pods \"p\" not found\n", { 404, "pods \"p\" not found" });
    RUN(t, "a conflict that is not ours", bind, "failed 1: is assigned\n", { 409, "is assigned" });
    RUN(t, "forbidden", bind, "failed 1: no\n", { 403, "no" });
    RUN(t, "invalid", bind, "failed 1: Binding is invalid\n", { 422, "Binding is invalid" });
    RUN(t, "refused, then done", bind, "done 1\n", { -1, NULL }, { 201, NULL });
    RUN(t, "refused, then a conflict", bind, "failed 1: c\n", { -1, NULL }, { 409, "c" });
    RUN(t, "an error forever", bind, "failed 1: c\n", { 500, "a" }, { 500, "b" }, { 500, "c" });
}

static void test_answers_bind_lost(struct mst_test *t)
{
    const struct mst_effect bind = rig_bind(1, "p", "n1");
    RUN(t, "lost, then done", bind, "done 1\n", { 0, NULL }, { 201, NULL });
    RUN(t, "it was us", bind, "done 1\n", { 0, NULL }, { 409, "assigned" },
        { 200, BOUND("u", "n1") });
    RUN(t, "it was us, after an error", bind, "done 1\n", { 500, "etcd" }, { 409, "assigned" },
        { 200, BOUND("u", "n1") });
    RUN(t, "another node", bind, "failed 1: assigned\n", { 0, NULL }, { 409, "assigned" },
        { 200, BOUND("u", "n2") });
    RUN(t, "a namesake", bind, "failed 1: assigned\n", { 0, NULL }, { 409, "assigned" },
        { 200, BOUND("u2", "n1") });
    RUN(t, "no node", bind, "failed 1: assigned\n", { 0, NULL }, { 409, "assigned" },
        { 200, "{\"metadata\":{\"uid\":\"u\"},\"spec\":{}}" });
    RUN(t, "no JSON", bind, "failed 1: assigned\n", { 0, NULL }, { 409, "assigned" },
        { 200, "{\"metadata\":" });
    RUN(t, "gone by now", bind, "failed 1: assigned\n", { 0, NULL }, { 409, "assigned" },
        { 404, "pods \"p\" not found" });
    RUN(t, "the look is tried again", bind, "done 1\n", { 0, NULL }, { 409, "assigned" },
        { 503, "away" }, { 0, NULL }, { 200, BOUND("u", "n1") });
    RUN(t, "the look never ends", bind, "failed 1: assigned\n", { 0, NULL }, { 409, "assigned" },
        { -1, NULL }, { -1, NULL }, { -1, NULL });
    RUN(t, "the precondition fails after a loss", bind, "failed 1: " WRONG_UID "\n", { 0, NULL },
        { 409, WRONG_UID });
}

static void test_answers_evict(struct mst_test *t)
{
    const struct mst_effect plain = rig_evict(1, "p", NULL), marked = rig_evict(1, "p", "m");
    RUN(t, "deleted", plain, "done 1\n", { 200, NULL });
    RUN(t, "gone", plain, "done 1 gone\n", { 404, "pods \"p\" not found" });
    RUN(t, "a namesake", plain, "done 1 gone\n", { 409, WRONG_UID });
    RUN(t, "a conflict, then deleted", plain, "done 1\n", { 409, "modified" }, { 200, NULL });
    RUN(t, "deleted by a lost request", plain, "done 1\n", { 0, NULL }, { 404, "not found" });
    RUN(t, "a namesake after a lost request", plain, "done 1\n", { 0, NULL }, { 409, WRONG_UID });
    RUN(t, "gone after a refused request", plain, "done 1 gone\n", { -1, NULL }, { 404, "no" });
    RUN(t, "forbidden", plain, "failed 1: no\n", { 403, "no" });
    RUN(t, "errors", plain, "failed 1: c\n", { 500, "a" }, { 503, "b" }, { 504, "c" });

    RUN(t, "marked and deleted", marked, "done 1\n", { 200, NULL }, { 200, NULL });
    RUN(t, "gone when marked", marked, "done 1 gone\n", { 404, "pods \"p\" not found" });
    RUN(t, "another when marked", marked, "done 1 gone\n", { 422, "metadata.uid: Invalid value" });
    RUN(t, "not marked is not deleted", marked, "failed 1: no\n", { 403, "no" });
    RUN(t, "invalid mark", marked, "failed 1: status: Invalid\n", { 422, "status: Invalid" });
    RUN(t, "marked at the third try, deleted at the third", marked, "done 1\n", { 409, "modified" },
        { 0, NULL }, { 200, NULL }, { 409, "modified" }, { 429, "busy" }, { 200, NULL });
    RUN(t, "the mark's loss is not the deletion's", marked, "done 1 gone\n", { 0, NULL },
        { 200, NULL }, { 404, "not found" });
    RUN(t, "conflicts without end", marked, "failed 1: c\n", { 409, "a" }, { 409, "b" },
        { 409, "c" });
}

static void test_answers_status(struct mst_test *t)
{
    const struct mst_effect patch = rig_message(1, "p", "m");
    RUN(t, "done", patch, "", { 200, NULL });
    RUN(t, "gone", patch, "", { 404, "not found" });
    RUN(t, "conflicts", patch, "", { 409, "a" }, { 409, "b" }, { 200, NULL });
    RUN(t, "given up", patch, "", { 409, "a" }, { 409, "b" }, { 409, "c" });
    RUN(t, "refused", patch, "", { 403, "no" });
}

#define VOLUME(name)                                                                               \
    "{\"metadata\":{\"uid\":\"u\",\"annotations\":{\"pv.kubernetes.io/bound-by-controller\":"      \
    "\"yes\"}},\"spec\":{\"claimRef\":{\"uid\":\"cu\",\"name\":\"" name "\","                      \
    "\"namespace\":\"ns\"}}}"
#define CLAIM(node)                                                                                \
    "{\"metadata\":{\"uid\":\"u\",\"annotations\":{\"volume.kubernetes.io/selected-node\":\"" node \
    "\"}}}"

static void test_answers_volumes(struct mst_test *t)
{
    const struct mst_effect pv = { .kind = MST_EFFECT_PV_UPDATE,
                                   .object_kind = MST_KIND_PV,
                                   .name = MST_STR("v"),
                                   .uid = MST_STR("u"),
                                   .claim_ns = MST_STR("ns"),
                                   .claim_name = MST_STR("c"),
                                   .claim_uid = MST_STR("cu"),
                                   .claim_ref = true,
                                   .by_controller = true };
    const struct mst_effect pvc = { .kind = MST_EFFECT_PVC_UPDATE,
                                    .object_kind = MST_KIND_PVC,
                                    .name = MST_STR("c"),
                                    .uid = MST_STR("u"),
                                    .node = MST_STR("n1") };
    RUN(t, "volume", pv, "done 1\n", { 200, NULL });
    RUN(t, "claim", pvc, "done 1\n", { 200, NULL });
    RUN(t, "a conflict", pv, "failed 1: modified\n", { 409, "modified" });
    RUN(t, "no claim", pvc, "failed 1: not found\n", { 404, "not found" });
    RUN(t, "a namesake", pvc, "failed 1: uid mismatch: x\n", { 409, "uid mismatch: x" });
    RUN(t, "lost, and it was us", pv, "done 1\n", { 0, NULL }, { 409, "modified" },
        { 200, VOLUME("c") });
    RUN(t, "lost, and it was not", pv, "failed 1: modified\n", { 0, NULL }, { 409, "modified" },
        { 200, VOLUME("d") });
    RUN(t, "lost, and no annotation", pv, "failed 1: modified\n", { 0, NULL }, { 409, "modified" },
        { 200, "{\"metadata\":{\"uid\":\"u\"}}" });
    RUN(t, "a claim lost, and it was us", pvc, "done 1\n", { 0, NULL }, { 409, "modified" },
        { 200, CLAIM("n1") });
    RUN(t, "a claim lost, and another node", pvc, "failed 1: modified\n", { 0, NULL },
        { 409, "modified" }, { 200, CLAIM("n2") });
}

static void take_line(void *ctx, const char *line, size_t n)
{
    mst_buf_add(ctx, line, n);
}

static int64_t no_time(void *ctx)
{
    (void)ctx;
    return 0;
}

static void test_answers_failed_patch_is_logged(struct mst_test *t)
{
    MST_AUTO(mst_buf) lines = { 0 };
    const struct mst_log log = { .write = take_line, .clock = no_time, .ctx = &lines };
    struct rig r;
    rig_start(&r, (struct mst_writer_options){ .log = &log });
    rig_want(&r, rig_message(1, "p", "m"));
    rig_want(&r, rig_message(2, "q", "m"));
    rig_reply(&r, 0, 404, "pods \"p\" not found");
    t_int(t, lines.n, 0);
    rig_reply(&r, 1, 403, "forbidden");
    mst_buf_char(&lines, '\0');
    t_ok(t, strstr(lines.p, "\"Failed to patch status\" kind=\"Pod\" namespace=\"ns\" name=\"q\" "
                            "err=\"forbidden\""));
    t_int(t, mst_writer_stats_of(r.writer).patches, 1);
    t_int(t, mst_writer_stats_of(r.writer).patch_errors, 1);
    rig_stop(&r, t);
}

MST_TEST_MAIN(T(test_answers_bind), T(test_answers_bind_lost), T(test_answers_evict),
              T(test_answers_status), T(test_answers_volumes),
              T(test_answers_failed_patch_is_logged))

/*
 * writer_helper.h - a writer whose requests go nowhere: the test sees each as text and answers it
 * when it likes. Takes the place of client/client.c when the program is linked.
 */
#ifndef MST_WRITER_HELPER_H
#define MST_WRITER_HELPER_H

#include <event2/event.h>

#include "api/proto.h"
#include "client/writer_internal.h"
#include "codec/proto.h"
#include "tap.h"

struct mst_request_handle {
    struct mst_client *client;
    struct mst_buf text; /* "METHOD PATH", " TYPE" if one is given, " BODY" if there is one */
    struct mst_request_spec spec;
    bool open; /* neither answered nor cancelled */
};

struct mst_client {
    MST_VEC(struct mst_request_handle *) sent;
    uint32_t open;
    bool quiet; /* texts are not kept */
};

struct rig {
    struct event_base *loop;
    struct mst_client client;
    struct mst_writer *writer;
    struct mst_buf answers;    /* "done 1\n", "done 2 gone\n", "failed 3: why\n" */
    bool inside;               /* a call of the writer's is on the stack: no answer may come */
    int64_t now_ns;            /* the wall clock */
    struct mst_object pv, pvc; /* what `lookup` finds, if they have a name */
};

/* The texts of a message as members of an object, by the names of their fields. */
static inline void print_members(struct mst_str message, const char *const *names, uint32_t count,
                                 struct mst_buf *out)
{
    struct mst_proto in = mst_proto_of(message);
    const char *before = "{";
    while (mst_proto_next(&in)) {
        mst_assert(in.number < count && names[in.number] && in.type == MST_WIRE_BYTES);
        mst_buf_printf(out, "%s\"%s\":\"%.*s\"", before, names[in.number], MST_ARG(in.bytes));
        before = ",";
    }
    mst_assert(!in.bad);
    mst_buf_char(out, '}');
}

/* A Binding in protobuf as its JSON. */
static inline void print_binding(struct mst_str bytes, struct mst_buf *out)
{
    static const char *const meta[] = { [1] = "name", [3] = "namespace", [5] = "uid" };
    static const char *const target[] = { [1] = "kind", [3] = "name" };
    struct mst_proto_doc doc;
    struct mst_err err;
    mst_assert(!mst_proto_open(bytes, &doc, &err));
    mst_buf_printf(out, "{\"kind\":\"%.*s\",\"apiVersion\":\"%.*s\"", MST_ARG(doc.kind),
                   MST_ARG(doc.api_version));
    struct mst_proto in = mst_proto_of(doc.raw);
    while (mst_proto_next(&in)) {
        mst_assert(in.number == 1 || in.number == 2);
        mst_buf_text(out, in.number == 1 ? ",\"metadata\":" : ",\"target\":");
        print_members(in.bytes, in.number == 1 ? meta : target,
                      in.number == 1 ? MST_COUNT(meta) : MST_COUNT(target), out);
    }
    mst_assert(!in.bad);
    mst_buf_char(out, '}');
}

static inline void print_body(const struct mst_request_spec *spec, struct mst_buf *out)
{
    mst_buf_char(out, ' ');
    if (spec->type && strcmp(spec->type, MST_TYPE_PROTO) == 0)
        print_binding(spec->body, out);
    else
        mst_buf_str(out, spec->body);
}

struct mst_request_handle *mst_client_send(struct mst_client *client,
                                           const struct mst_request_spec *spec)
{
    static const char *const methods[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };
    struct mst_request_handle *h = mst_calloc(1, sizeof(*h));
    *h = (struct mst_request_handle){ .client = client, .spec = *spec, .open = true };
    if (!client->quiet) {
        mst_buf_printf(&h->text, "%s %.*s", methods[spec->method], MST_ARG(spec->path));
        if (spec->type)
            mst_buf_printf(&h->text, " %s", spec->type);
        if (spec->body.n)
            print_body(spec, &h->text);
        mst_buf_char(&h->text, '\0');
        h->text.n--;
    }
    client->open++;
    mst_vec_push(&client->sent, h);
    return h;
}

void mst_client_cancel(struct mst_client *client, struct mst_request_handle *handle)
{
    mst_assert(handle->open);
    handle->open = false;
    client->open--;
}

/* Answers the i-th request ever sent. */
static inline void rig_answer(struct rig *r, uint32_t i, const struct mst_reply *reply)
{
    mst_assert(i < r->client.sent.n);
    struct mst_request_handle *h = r->client.sent.v[i];
    mst_assert(h->open);
    h->open = false;
    r->client.open--;
    h->spec.done(h->spec.ctx, reply);
}

static inline struct mst_reply rig_status(int status, const char *problem)
{
    return (
        struct mst_reply){ .status = status, .retry_after_s = -1, .problem = mst_str_of(problem) };
}

static inline struct mst_reply rig_net(mst_net net)
{
    return (struct mst_reply){ .net = net, .retry_after_s = -1, .problem = MST_STR("no answer") };
}

static inline void rig_reply(struct rig *r, uint32_t i, int status, const char *problem)
{
    const struct mst_reply reply = rig_status(status, problem);
    rig_answer(r, i, &reply);
}

static inline void rig_body(struct rig *r, uint32_t i, const char *body)
{
    struct mst_reply reply = rig_status(200, NULL);
    reply.body = mst_str_of(body);
    rig_answer(r, i, &reply);
}

static inline void rig_lose(struct rig *r, uint32_t i, mst_net net)
{
    const struct mst_reply reply = rig_net(net);
    rig_answer(r, i, &reply);
}

static inline void rig_take_answer(void *ctx, const struct mst_event *event)
{
    struct rig *r = ctx;
    mst_assert(!r->inside);
    if (event->kind == MST_EVENT_EFFECT_DONE)
        mst_buf_printf(&r->answers, "done %d%s\n", (int)event->effect_id,
                       event->gone ? " gone" : "");
    else
        mst_buf_printf(&r->answers, "failed %d: %.*s\n", (int)event->effect_id,
                       MST_ARG(event->reason));
}

static inline const struct mst_object *rig_lookup(void *ctx, mst_kind kind, struct mst_str ns,
                                                  struct mst_str name)
{
    const struct rig *r = ctx;
    const struct mst_object *object = kind == MST_KIND_PV ? &r->pv : &r->pvc;
    (void)ns;
    if ((kind != MST_KIND_PV && kind != MST_KIND_PVC) || !mst_str_eq(object->u.meta.name, name))
        return NULL;
    return object;
}

static inline int64_t rig_now(void *ctx)
{
    return ((struct rig *)ctx)->now_ns;
}

/* Options left out are the test's: 1 ms before another try, three tries. */
static inline void rig_start(struct rig *r, struct mst_writer_options o)
{
    *r = (struct rig){ .loop = event_base_new(), .now_ns = INT64_C(1780272000123456789) };
    o.loop = r->loop;
    o.client = &r->client;
    o.instance = "s-host";
    o.group_version = "v1beta1";
    o.retry_min_ms = o.retry_min_ms ? o.retry_min_ms : 1;
    o.retry_max_ms = o.retry_max_ms ? o.retry_max_ms : 1;
    o.tries_max = o.tries_max ? o.tries_max : 3;
    o.now_unix_ns = rig_now;
    o.lookup = rig_lookup;
    o.answer = o.answer ? o.answer : rig_take_answer;
    o.ctx = r;
    r->writer = mst_writer_new(&o);
}

/* A request that nobody answered is cancelled by then. */
static inline void rig_stop(struct rig *r, struct mst_test *t)
{
    mst_writer_free(r->writer);
    t_int(t, r->client.open, 0);
    for (uint32_t i = 0; i < r->client.sent.n; i++) {
        mst_buf_done(&r->client.sent.v[i]->text);
        mst_free(r->client.sent.v[i]);
    }
    mst_vec_done(&r->client.sent);
    mst_buf_done(&r->answers);
    event_base_free(r->loop);
}

static inline void rig_want(struct rig *r, struct mst_effect effect)
{
    if (!effect.ns.p && effect.object_kind != MST_KIND_PV)
        effect.ns = MST_STR("ns");
    r->inside = true;
    mst_writer_effect(r->writer, &effect, MST_STR("s"));
    r->inside = false;
}

/* Lets timers fire until `n` requests have been sent in all. */
static inline void rig_wait(struct rig *r, uint32_t n)
{
    for (int i = 0; i < 10000 && r->client.sent.n < n; i++)
        mst_assert(event_base_loop(r->loop, EVLOOP_ONCE) == 0);
    mst_assert(r->client.sent.n >= n);
}

#define t_sent(t, r, i, want) t_str((t), mst_buf_span(&(r)->client.sent.v[i]->text), (want))
#define t_answers(t, r, want) t_str((t), mst_buf_span(&(r)->answers), (want))

static inline struct mst_effect rig_bind(uint64_t id, const char *name, const char *node)
{
    return (struct mst_effect){ .id = id,
                                .kind = MST_EFFECT_BIND,
                                .object_kind = MST_KIND_POD,
                                .name = mst_str_of(name),
                                .uid = MST_STR("u"),
                                .node = mst_str_of(node) };
}

/* A PodScheduled=False of a message. */
static inline struct mst_effect rig_message(uint64_t id, const char *name, const char *message)
{
    return (struct mst_effect){ .id = id,
                                .kind = MST_EFFECT_POD_STATUS,
                                .object_kind = MST_KIND_POD,
                                .name = mst_str_of(name),
                                .uid = MST_STR("u"),
                                .condition_set = true,
                                .condition = { .type = MST_STR("PodScheduled"),
                                               .status = MST_STR("False"),
                                               .reason = MST_STR("Unschedulable"),
                                               .message = mst_str_of(message),
                                               .observed_generation = 1,
                                               .last_transition = { 1780272000, 0, true } } };
}

static inline struct mst_effect rig_group(uint64_t id, const char *name, const char *status)
{
    return (struct mst_effect){ .id = id,
                                .kind = MST_EFFECT_GROUP_STATUS,
                                .object_kind = MST_KIND_POD_GROUP,
                                .name = mst_str_of(name),
                                .uid = MST_STR("u"),
                                .condition_set = true,
                                .condition = { .type = MST_STR("PodGroupInitiallyScheduled"),
                                               .status = mst_str_of(status),
                                               .reason = MST_STR("Why"),
                                               .last_transition = { 1780272000, 0, true } } };
}

static inline struct mst_effect rig_nominate(uint64_t id, const char *name, const char *node)
{
    return (struct mst_effect){ .id = id,
                                .kind = MST_EFFECT_POD_STATUS,
                                .object_kind = MST_KIND_POD,
                                .name = mst_str_of(name),
                                .uid = MST_STR("u"),
                                .nominated_set = true,
                                .nominated = mst_str_of(node) };
}

static inline struct mst_effect rig_evict(uint64_t id, const char *name, const char *message)
{
    struct mst_effect e = rig_message(id, name, message);
    e.kind = MST_EFFECT_EVICT;
    e.condition_set = message != NULL;
    e.condition.type = MST_STR("DisruptionTarget");
    e.condition.status = MST_STR("True");
    e.condition.reason = MST_STR("PreemptionByScheduler");
    return e;
}

static inline struct mst_effect rig_event(const char *name, const char *note)
{
    return (struct mst_effect){ .kind = MST_EFFECT_EVENT,
                                .object_kind = MST_KIND_POD,
                                .name = mst_str_of(name),
                                .uid = MST_STR("u"),
                                .type = MST_STR("Warning"),
                                .reason = MST_STR("FailedScheduling"),
                                .action = MST_STR("Scheduling"),
                                .note = mst_str_of(note) };
}

/* Where the text has `part`, or "" . */
static inline const char *rig_after(const struct rig *r, uint32_t i, const char *part)
{
    const struct mst_str text = mst_buf_span(&r->client.sent.v[i]->text);
    const char *at = memmem(text.p, text.n, part, strlen(part));
    return at ? at + strlen(part) : "";
}

static inline bool rig_has(const struct rig *r, uint32_t i, const char *part)
{
    const struct mst_str text = mst_buf_span(&r->client.sent.v[i]->text);
    return memmem(text.p, text.n, part, strlen(part));
}

#define t_has(t, r, i, part) t_ok((t), rig_has((r), (i), (part)))

/* The name has 16 digits that the seed decides on; they are replaced by N to compare. */
static inline void rig_mask_name(struct rig *r, uint32_t i, const char *before)
{
    char *at = (char *)rig_after(r, i, before);
    mst_assert(*at);
    memmove(at + 1, at + 16,
            (size_t)(r->client.sent.v[i]->text.p + r->client.sent.v[i]->text.n - (at + 16)));
    *at = 'N';
    r->client.sent.v[i]->text.n -= 15;
}

#endif

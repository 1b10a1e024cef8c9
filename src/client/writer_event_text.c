/*
 * writer_event_text.c - Events as the API server is told of them.
 *
 * Source: kubernetes v1.37 client-go tools/events (event_recorder.go, event_broadcaster.go),
 *         tools/record/util (GenerateEventName), apis/core/validation (limits).
 */
#include "base/time_text.h"
#include "client/writer_internal.h"
#include "codec/json.h"

enum {
    NOTE_BYTES_MAX = 1024,
    FIELD_BYTES_MAX = 128, /* reportingInstance */
    NAME_BYTES_MAX = 253,
    RANDOM_BITS = 20, /* of an Event's name; the rest is the time */
};

static void member(struct mst_json_writer *w, const char *key, struct mst_str value)
{
    mst_jw_key(w, key);
    mst_jw_str(w, value);
}

/* With exactly six digits after the point, the only form that is read. */
static void print_micro_time(int64_t unix_ns, struct mst_buf *out)
{
    const int64_t ns_per_s = 1000000000;
    int64_t second = unix_ns / ns_per_s, rest = unix_ns % ns_per_s;
    if (rest < 0) {
        rest += ns_per_s;
        second--;
    }
    mst_time_print(second, 0, out);
    out->n--; /* the Z */
    mst_buf_printf(out, ".%06dZ", (int)(rest / 1000));
}

static void time_member(struct mst_json_writer *w, const char *key, int64_t unix_ns)
{
    MST_AUTO(mst_buf) text = { 0 };
    print_micro_time(unix_ns, &text);
    member(w, key, mst_buf_span(&text));
}

static void print_version_of(struct mst_str kind, const struct mst_writer_options *o,
                             struct mst_json_writer *w)
{
    MST_AUTO(mst_buf) text = { 0 };
    if (mst_str_is(kind, "PodGroup"))
        mst_buf_printf(&text, "scheduling.k8s.io/%s", o->group_version);
    else if (mst_str_is(kind, "CompositePodGroup"))
        mst_buf_text(&text, "scheduling.k8s.io/v1alpha3");
    else
        mst_buf_text(&text, "v1");
    member(w, "apiVersion", mst_buf_span(&text));
}

/* What an Event refers to. */
struct reference {
    struct mst_str kind, ns, name, uid;
};

static void print_reference(const struct reference *to, const struct mst_writer_options *o,
                            struct mst_json_writer *w)
{
    mst_jw_object_begin(w);
    print_version_of(to->kind, o, w);
    member(w, "kind", to->kind);
    member(w, "name", to->name);
    if (to->ns.n)
        member(w, "namespace", to->ns);
    if (to->uid.n)
        member(w, "uid", to->uid);
    mst_jw_object_end(w);
}

static mst_kind kind_named(struct mst_str name)
{
    for (mst_kind kind = MST_KIND_UNKNOWN + 1; kind < MST_KIND_COUNT; kind++)
        if (mst_str_is(name, mst_kind_name(kind)))
            return kind;
    return MST_KIND_UNKNOWN;
}

/* "Kind ns/name" */
static void print_related(const struct mst_record *r, const struct mst_writer_options *o,
                          struct mst_json_writer *w)
{
    const char *end = r->related.p + r->related.n;
    const char *space = memchr(r->related.p, ' ', r->related.n);
    mst_assert(space);
    const char *ns = space + 1, *slash = memchr(ns, '/', (size_t)(end - ns));
    mst_assert(slash);
    struct reference to = { .kind = { r->related.p, (size_t)(space - r->related.p) },
                            .ns = { ns, (size_t)(slash - ns) },
                            .name = { slash + 1, (size_t)(end - slash - 1) } };
    const struct mst_object *object =
        o->lookup ? o->lookup(o->ctx, kind_named(to.kind), to.ns, to.name) : NULL;
    if (object)
        to.uid = object->u.meta.uid;
    mst_jw_key(w, "related");
    print_reference(&to, o, w);
}

static void print_series(const struct mst_record *r, struct mst_json_writer *w)
{
    mst_jw_key(w, "series");
    mst_jw_object_begin(w);
    mst_jw_key(w, "count");
    mst_jw_int(w, r->count);
    time_member(w, "lastObservedTime", r->last_ns);
    mst_jw_object_end(w);
}

static struct mst_str namespace_of(const struct mst_record *r)
{
    return r->ns.n ? r->ns : MST_STR("default");
}

static void print_event(const struct mst_record *r, const struct mst_writer_options *o,
                        struct mst_json_writer *w)
{
    const char *instance = o->instance;
    mst_jw_object_begin(w);
    member(w, "kind", MST_STR("Event"));
    member(w, "apiVersion", MST_STR("events.k8s.io/v1"));
    mst_jw_key(w, "metadata");
    mst_jw_object_begin(w);
    member(w, "name", r->name);
    member(w, "namespace", namespace_of(r));
    mst_jw_object_end(w);
    time_member(w, "eventTime", r->first_ns);
    if (r->count > 1)
        print_series(r, w);
    member(w, "reportingController", r->controller);
    mst_jw_key(w, "reportingInstance");
    mst_jw_str(w, (struct mst_str){ instance, strnlen(instance, FIELD_BYTES_MAX) });
    member(w, "action", r->action);
    member(w, "reason", r->reason);
    mst_jw_key(w, "regarding");
    const struct reference to = { mst_str_of(mst_kind_name(r->kind)), r->ns, r->object, r->uid };
    print_reference(&to, o, w);
    if (r->related.n)
        print_related(r, o, w);
    member(w, "note", r->note);
    member(w, "type", r->type);
    mst_jw_object_end(w);
}

/* ---- requests ---- */

void mst_record_print(const struct mst_record *r, const struct mst_writer_options *options,
                      struct mst_writer_request *out)
{
    struct mst_json_writer w = { .out = &out->body };
    out->path.n = out->body.n = 0;
    mst_buf_text(&out->path, "/apis/events.k8s.io/v1/namespaces/");
    mst_buf_str(&out->path, namespace_of(r));
    mst_buf_text(&out->path, "/events");
    out->method = r->created ? MST_PATCH : MST_POST;
    out->type = r->created ? MST_TYPE_STRATEGIC : NULL;
    if (!r->created) {
        print_event(r, options, &w);
        return;
    }
    mst_buf_char(&out->path, '/');
    mst_buf_str(&out->path, r->name);
    mst_jw_object_begin(&w);
    print_series(r, &w);
    mst_jw_object_end(&w);
}

/* ---- records ---- */

/* "<object>.<hex>"; an object's name that is too long is cut where a name may end. */
static void print_name(struct mst_rng *rng, struct mst_str object, int64_t now_ns,
                       struct mst_buf *out)
{
    enum { HEX = 16 };
    const uint64_t mask = (UINT64_C(1) << RANDOM_BITS) - 1;
    size_t n = MST_MIN(object.n, (size_t)(NAME_BYTES_MAX - HEX - 1));
    while (n && (object.p[n - 1] == '-' || object.p[n - 1] == '.'))
        n--;
    mst_buf_printf(out, "%.*s.%llx", (int)n, object.p,
                   (unsigned long long)(((uint64_t)now_ns & ~mask) | mst_rng_below(rng, mask + 1)));
}

/* The note as valid UTF-8 within the limit. */
static void print_note(struct mst_str note, struct mst_buf *out)
{
    mst_utf8_clean(note, out);
    if (out->n <= NOTE_BYTES_MAX)
        return;
    size_t n = NOTE_BYTES_MAX - 4;
    while (n && ((unsigned char)out->p[n] & 0xc0) == 0x80)
        n--;
    out->n = n;
    mst_buf_text(out, " ...");
}

struct mst_record *mst_record_new(struct mst_rng *rng, const struct mst_effect *e,
                                  struct mst_str controller, int64_t now_ns)
{
    MST_AUTO(mst_buf) name = { 0 };
    MST_AUTO(mst_buf) note = { 0 };
    print_name(rng, e->name, now_ns, &name);
    print_note(e->note, &note);
    const struct mst_str from[] = { e->ns,      e->name,
                                    e->uid,     controller,
                                    e->type,    e->reason,
                                    e->action,  mst_buf_span(&note),
                                    e->related, mst_buf_span(&name) };
    size_t bytes = 0;
    for (size_t i = 0; i < MST_COUNT(from); i++)
        bytes += from[i].n;
    struct mst_record *r = mst_calloc(1, sizeof(*r) + bytes);
    struct mst_str *const to[MST_COUNT(from)] = { &r->ns,         &r->object, &r->uid,
                                                  &r->controller, &r->type,   &r->reason,
                                                  &r->action,     &r->note,   &r->related,
                                                  &r->name };
    char *at = (char *)(r + 1);
    for (size_t i = 0; i < MST_COUNT(from); i++) {
        *to[i] = (struct mst_str){ at, from[i].n };
        if (from[i].n)
            memcpy(at, from[i].p, from[i].n);
        at += from[i].n;
    }
    r->kind = e->object_kind;
    r->first_ns = r->last_ns = now_ns;
    r->count = 1;
    return r;
}

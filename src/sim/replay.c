/*
 * replay.c - a recording is fed to a new engine; the first step that does something else is told.
 */
#include "sim/effect_lines.h"
#include "sim/record.h"
#include "sim/scenario.h"

struct replaying {
    struct mst_replay *out;
    const struct mst_registry *registry;
    const struct mst_log *log;
    struct mst_syms *syms;
    struct mst_config config;
    struct mst_engine *engine;
    struct mst_effects effects;
    struct mst_effect_hash hash;
    struct mst_arena arena; /* of one line */
    struct mst_diags diags;
    struct mst_map classes; /* PriorityClass name -> index of class_refs */
    MST_VEC(struct mst_class_ref) class_refs;
    struct mst_arena kept; /* names of classes */
    uint32_t default_class;
    uint64_t line;
    bool ended;
};

static mst_rc damaged(const struct replaying *r, struct mst_err *err, const char *what)
{
    return mst_fail(err, MST_EDECODE, "line %llu: %s", (unsigned long long)r->line, what);
}

/* ---- classes: admission needs them before their own line ---- */

static bool find_class(void *ctx, struct mst_str name, struct mst_class_ref *out)
{
    const struct replaying *r = ctx;
    uint64_t index = r->default_class;
    if (name.n ? !mst_map_get(&r->classes, name, &index) : index == UINT32_MAX)
        return false;
    *out = r->class_refs.v[index];
    return true;
}

static bool take_class(void *ctx, struct mst_object *object)
{
    struct replaying *r = ctx;
    const struct mst_priority_class *klass = &object->u.priority_class;
    if (object->kind != MST_KIND_PRIORITY_CLASS)
        return true;
    struct mst_str name = mst_arena_str(&r->kept, klass->meta.name);
    if (klass->global_default)
        r->default_class = r->class_refs.n;
    mst_map_set(&r->classes, name, r->class_refs.n);
    mst_vec_push(&r->class_refs,
                 (struct mst_class_ref){ .value = klass->value,
                                         .preemption_policy = klass->preemption_policy,
                                         .name = name });
    return true;
}

/* ---- one line ---- */

struct taking {
    struct replaying *r;
    struct mst_api api;
    int64_t at_ns;
    bool taken;
};

static bool take_object(void *ctx, struct mst_object *object)
{
    struct taking *t = ctx;
    mst_api_default(&t->api, object);
    if (!mst_api_admit(&t->api, object, find_class, t->r))
        return false;
    struct mst_event event = { .kind = MST_EVENT_SET, .object = object };
    mst_engine_event(t->r->engine, &event, t->at_ns);
    t->taken = true;
    return true;
}

static mst_rc feed_set(struct replaying *r, const struct mst_value *object, int64_t at_ns,
                       struct mst_err *err)
{
    struct taking t = { .r = r, .at_ns = at_ns };
    t.api = mst_scenario_api(r->syms, &r->config.gates, r->config.upstream, &r->arena, &r->diags);
    mst_api_decode(&t.api, object, take_object, &t);
    if (t.taken)
        return MST_OK;
    if (!r->diags.list.n)
        return damaged(r, err, "\"set\" holds no object");
    struct mst_str text = r->diags.list.v[r->diags.list.n - 1].text;
    return mst_fail(err, MST_EDECODE, "line %llu: set: %.*s", (unsigned long long)r->line,
                    MST_ARG(text));
}

static mst_kind kind_of(const struct mst_value *name)
{
    for (int k = MST_KIND_POD; name && name->type == MST_STRING && k < MST_KIND_COUNT; k++)
        if (mst_str_is(mst_value_str(name), mst_kind_name((mst_kind)k)))
            return (mst_kind)k;
    return MST_KIND_UNKNOWN;
}

static mst_rc feed_removed(struct replaying *r, const struct mst_value *v, int64_t at_ns,
                           struct mst_err *err)
{
    struct mst_object object = { .kind = kind_of(mst_value_get(v, "kind")) };
    const struct mst_value *name = mst_value_get(v, "name"), *ns = mst_value_get(v, "namespace");
    if (object.kind == MST_KIND_UNKNOWN || !name || name->type != MST_STRING ||
        (ns && ns->type != MST_STRING))
        return damaged(r, err, "\"remove\" needs kind and name");
    object.u.meta.name = mst_value_str(name);
    if (ns)
        object.u.meta.namespace_ = mst_sym_of(r->syms, mst_value_str(ns));
    struct mst_event event = { .kind = MST_EVENT_REMOVE, .object = &object };
    mst_engine_event(r->engine, &event, at_ns);
    return MST_OK;
}

static mst_rc feed_answer(struct replaying *r, const struct mst_value *id,
                          const struct mst_value *line, bool failed, int64_t at_ns,
                          struct mst_err *err)
{
    int64_t number;
    const struct mst_value *reason = mst_value_get(line, "reason");
    const struct mst_value *body = mst_value_get(line, "body");
    if (!mst_value_int(id, &number) || number < 1)
        return damaged(r, err, "an answer needs the number of an effect");
    struct mst_event event = { .kind = MST_EVENT_EFFECT_DONE,
                               .effect_id = (uint64_t)number,
                               .gone = mst_value_get(line, "gone") != NULL };
    if (body && body->type == MST_STRING)
        event.body = mst_value_str(body);
    if (failed) {
        event.kind = MST_EVENT_EFFECT_FAILED;
        event.reason = reason && reason->type == MST_STRING ? mst_value_str(reason) : MST_STR("");
    }
    mst_engine_event(r->engine, &event, at_ns);
    return MST_OK;
}

static void tell_difference(struct replaying *r, const struct mst_value *line, int64_t at_ns)
{
    struct mst_buf *out = &r->out->difference;
    int64_t count = -1;
    (void)mst_value_int(mst_value_get(line, "effects"), &count);
    r->out->same = false;
    mst_buf_printf(out, "line %llu, step %llu: the recording has %lld effects, the replay %u",
                   (unsigned long long)r->line, (unsigned long long)r->hash.steps, (long long)count,
                   r->effects.list.n);
    mst_buf_text(out, count == r->effects.list.n ? " others:\n" : ":\n");
    enum { SHOWN_MAX = 20 };
    for (uint32_t i = 0; i < r->effects.list.n && i < SHOWN_MAX; i++) {
        mst_effect_print(&r->effects.list.v[i], at_ns, MST_STR_NONE, true, out);
        mst_buf_char(out, '\n');
    }
}

static bool is_hash(const struct mst_value *v, uint64_t hash)
{
    char text[24];
    int n = snprintf(text, sizeof(text), "%016llx", (unsigned long long)hash);
    return v && v->type == MST_STRING &&
           mst_str_eq(mst_value_str(v), (struct mst_str){ text, (size_t)n });
}

static mst_rc feed_line(struct replaying *r, const struct mst_value *line, struct mst_err *err)
{
    int64_t at_ns;
    const struct mst_value *v;
    if (mst_value_get(line, "end")) {
        r->ended = true;
        if (r->out->same && !is_hash(mst_value_get(line, "hash"), r->hash.hash))
            return damaged(r, err, "the hash at the end does not belong to these steps");
        return MST_OK;
    }
    v = mst_value_get(line, "at");
    if (!v || !mst_value_int(v, &at_ns))
        return damaged(r, err, "\"at\" with a time is missing");
    const bool flush = mst_value_get(line, "flush") != NULL;
    if (flush || mst_value_get(line, "step")) {
        if (flush)
            mst_engine_flush(r->engine, at_ns, &r->effects);
        else
            (void)mst_engine_step(r->engine, at_ns, &r->effects);
        uint64_t hash = mst_effect_hash_step(&r->hash, &r->effects, at_ns);
        if (!is_hash(mst_value_get(line, "hash"), hash))
            tell_difference(r, line, at_ns);
        return MST_OK;
    }
    r->out->events++;
    if ((v = mst_value_get(line, "set")) != NULL)
        return feed_set(r, v, at_ns, err);
    if ((v = mst_value_get(line, "remove")) != NULL)
        return feed_removed(r, v, at_ns, err);
    if ((v = mst_value_get(line, "done")) != NULL)
        return feed_answer(r, v, line, false, at_ns, err);
    if ((v = mst_value_get(line, "failed")) != NULL)
        return feed_answer(r, v, line, true, at_ns, err);
    return damaged(r, err, "neither an event nor a step");
}

/* ---- the head ---- */

static struct mst_str text_of(const struct mst_value *v)
{
    return v && v->type == MST_STRING ? mst_value_str(v) : MST_STR_NONE;
}

static mst_rc make_config(struct replaying *r, const struct mst_value *head, struct mst_err *err)
{
    bool upstream = mst_str_is(text_of(mst_value_get(head, "profile")), "upstream");
    MST_AUTO(mst_buf) errors = { 0 };
    MST_AUTO(mst_buf) warnings = { 0 };
    r->config.upstream = upstream;
    mst_gates_default(&r->config.gates, upstream);
    if (!mst_gates_set(&r->config.gates, text_of(mst_value_get(head, "gates")), upstream, &errors,
                       &warnings))
        return mst_fail(err, MST_EINVAL, "line 1: gates: %.*s", MST_ARG(mst_buf_span(&errors)));
    const struct mst_value *text = mst_value_get(head, "config");
    if (!text || text->type != MST_STRING) {
        mst_config_default(&r->config, r->registry);
        return MST_OK;
    }
    if (mst_config_read(&r->config, r->registry, r->syms, text_of(text), &r->diags))
        return MST_OK;
    return damaged(r, err, "the configuration is not valid");
}

static mst_rc make_engine(struct replaying *r, const struct mst_value *head, struct mst_err *err)
{
    int64_t version = 0, seed = 0;
    const struct mst_value *v = mst_value_get(head, "seed");
    if (!mst_str_is(text_of(mst_value_get(head, "muster")), "recording"))
        return damaged(r, err, "this is no recording of muster");
    if (!mst_value_get(head, "version") ||
        !mst_value_int(mst_value_get(head, "version"), &version) || version != MST_RECORD_VERSION)
        return damaged(r, err, "a recording of another version");
    if (v && !mst_value_int(v, &seed))
        return damaged(r, err, "the seed is no number");
    mst_rc rc = make_config(r, head, err);
    if (rc)
        return rc;
    struct mst_engine_options options = { .config = &r->config,
                                          .registry = r->registry,
                                          .syms = r->syms,
                                          .random_ties = v != NULL,
                                          .seed = (uint64_t)seed,
                                          .log = r->log };
    r->engine = mst_engine_new(&options, err);
    return r->engine ? MST_OK : mst_wrap(err, "line 1");
}

/* ---- the file ---- */

static struct mst_str next_line(struct mst_str *rest)
{
    const char *end = memchr(rest->p, '\n', rest->n);
    struct mst_str line = { rest->p, end ? (size_t)(end - rest->p) : rest->n };
    size_t used = end ? line.n + 1 : line.n;
    rest->p += used;
    rest->n -= used;
    return line;
}

/* The reader saw one line only, which it calls the first: "line 1, column C: what". */
static mst_rc bad_json(const struct replaying *r, mst_rc rc, struct mst_err *err)
{
    char text[sizeof(err->text)];
    const char *column = strstr(err->text, "column ");
    snprintf(text, sizeof(text), "%s", column ? column : err->text);
    return mst_fail(err, rc, "line %llu, %s", (unsigned long long)r->line, text);
}

static mst_rc each_line(struct replaying *r, struct mst_str text, struct mst_err *err,
                        mst_rc (*take)(struct replaying *, const struct mst_value *,
                                       struct mst_err *))
{
    r->line = 0;
    while (text.n && r->out->same && !r->ended) {
        struct mst_str line = next_line(&text);
        const struct mst_value *value;
        r->line++;
        if (!line.n)
            continue;
        mst_arena_reset(&r->arena);
        mst_rc rc = mst_json_parse(line, NULL, &r->arena, &r->diags, &value, err);
        if (rc)
            return bad_json(r, rc, err);
        rc = take(r, value, err);
        if (rc)
            return rc;
    }
    return MST_OK;
}

static mst_rc take_head_or_class(struct replaying *r, const struct mst_value *line,
                                 struct mst_err *err)
{
    if (r->line == 1)
        return make_engine(r, line, err);
    const struct mst_value *object = mst_value_get(line, "set");
    if (!object || !mst_str_is(text_of(mst_value_get(object, "kind")), "PriorityClass"))
        return MST_OK;
    struct mst_api api =
        mst_scenario_api(r->syms, &r->config.gates, r->config.upstream, &r->arena, &r->diags);
    mst_api_decode(&api, object, take_class, r);
    return MST_OK;
}

static mst_rc take_line(struct replaying *r, const struct mst_value *line, struct mst_err *err)
{
    return r->line == 1 ? MST_OK : feed_line(r, line, err);
}

mst_rc mst_replay_run(struct mst_str text, const struct mst_registry *registry,
                      const struct mst_log *log, struct mst_replay *out, struct mst_err *err)
{
    struct replaying r = { .out = out,
                           .registry = registry,
                           .log = log,
                           .syms = mst_syms_new(),
                           .default_class = UINT32_MAX };
    *out = (struct mst_replay){ .same = true };
    mst_rc rc = each_line(&r, text, err, take_head_or_class);
    if (!rc && !r.engine)
        rc = mst_fail(err, MST_EDECODE, "the file is empty");
    if (!rc)
        rc = each_line(&r, text, err, take_line);
    if (!rc && out->same && !r.ended)
        rc = damaged(&r, err, "the recording breaks off: it has no end");
    out->steps = r.hash.steps;
    out->effects = r.hash.effects;
    mst_engine_free(r.engine);
    mst_effects_done(&r.effects);
    mst_effect_hash_done(&r.hash);
    mst_config_done(&r.config);
    mst_map_done(&r.classes);
    mst_vec_done(&r.class_refs);
    mst_arena_done(&r.kept);
    mst_arena_done(&r.arena);
    mst_diags_done(&r.diags);
    mst_syms_free(r.syms);
    return rc;
}

void mst_replay_done(struct mst_replay *replay)
{
    mst_buf_done(&replay->difference);
}

/*
 * record.c - a run as a file: every input of the engine in order, and a hash of what it did.
 */
#include "sim/record.h"

#include "base/map.h"
#include "sim/effect_lines.h"
#include "sim/show.h"

/* ---- hashing ---- */

uint64_t mst_effect_hash_step(struct mst_effect_hash *hash, const struct mst_effects *effects,
                              int64_t now_ns)
{
    hash->scratch.n = 0;
    for (uint32_t i = 0; i < effects->list.n; i++) {
        const struct mst_effect *effect = &effects->list.v[i];
        mst_effect_print(effect, now_ns, MST_STR_NONE, true, &hash->scratch);
        mst_buf_printf(&hash->scratch, " %lld.%d\n",
                       (long long)effect->condition.last_transition.unix_s,
                       (int)effect->condition.last_transition.nanos);
    }
    uint64_t step = mst_hash(hash->scratch.p ? hash->scratch.p : "", hash->scratch.n);
    hash->hash = mst_hash_mix(hash->hash, step);
    hash->steps++;
    hash->effects += effects->list.n;
    return step;
}

void mst_effect_hash_done(struct mst_effect_hash *hash)
{
    mst_buf_done(&hash->scratch);
}

/* ---- writing ---- */

static void key_int(struct mst_json_writer *w, const char *key, int64_t value)
{
    mst_jw_key(w, key);
    mst_jw_int(w, value);
}

static void key_str(struct mst_json_writer *w, const char *key, struct mst_str value)
{
    mst_jw_key(w, key);
    mst_jw_str(w, value);
}

static void key_hash(struct mst_json_writer *w, uint64_t hash)
{
    char text[24];
    int n = snprintf(text, sizeof(text), "%016llx", (unsigned long long)hash);
    key_str(w, "hash", (struct mst_str){ text, (size_t)n });
}

static void write_line(struct mst_recorder *recorder)
{
    mst_buf_char(&recorder->line, '\n');
    if (fwrite(recorder->line.p, 1, recorder->line.n, recorder->file) != recorder->line.n)
        recorder->failed = true;
    recorder->line.n = 0;
}

void mst_recorder_begin(struct mst_recorder *recorder, FILE *file, const char *path,
                        struct mst_syms *syms, const struct mst_recording_head *head)
{
    *recorder = (struct mst_recorder){ .file = file, .path = path, .syms = syms };
    struct mst_json_writer w = { .out = &recorder->line };
    mst_jw_object_begin(&w);
    key_str(&w, "muster", MST_STR("recording"));
    key_int(&w, "version", MST_RECORD_VERSION);
    key_str(&w, "profile", head->upstream ? MST_STR("upstream") : MST_STR("muster"));
    MST_AUTO(mst_buf) gates = { 0 };
    for (int i = 0; i < MST_GATE_COUNT; i++)
        mst_buf_printf(&gates, "%s%s=%s", i ? "," : "", mst_gate_name((mst_gate)i),
                       head->gates->on[i] ? "true" : "false");
    key_str(&w, "gates", mst_buf_span(&gates));
    if (head->config.p)
        key_str(&w, "config", head->config);
    if (head->random_ties)
        key_int(&w, "seed", (int64_t)head->seed);
    mst_jw_object_end(&w);
    write_line(recorder);
}

static void write_removed(struct mst_recorder *recorder, struct mst_json_writer *w,
                          const struct mst_object *object)
{
    mst_jw_key(w, "remove");
    mst_jw_object_begin(w);
    key_str(w, "kind", mst_str_of(mst_kind_name(object->kind)));
    if (object->u.meta.namespace_ != MST_SYM_NONE)
        key_str(w, "namespace", mst_sym_str(recorder->syms, object->u.meta.namespace_));
    key_str(w, "name", object->u.meta.name);
    mst_jw_object_end(w);
}

void mst_recorder_event(struct mst_recorder *recorder, const struct mst_event *event,
                        int64_t now_ns)
{
    struct mst_json_writer w = { .out = &recorder->line };
    mst_jw_object_begin(&w);
    key_int(&w, "at", now_ns);
    switch (event->kind) {
    case MST_EVENT_SET:
        mst_jw_key(&w, "set");
        mst_doc_write(mst_show_object(recorder->syms, event->object, &recorder->arena), &w);
        mst_arena_reset(&recorder->arena);
        break;
    case MST_EVENT_REMOVE: write_removed(recorder, &w, event->object); break;
    case MST_EVENT_EFFECT_DONE:
        key_int(&w, "done", (int64_t)event->effect_id);
        if (event->body.p)
            key_str(&w, "body", event->body);
        if (event->gone) {
            mst_jw_key(&w, "gone");
            mst_jw_bool(&w, true);
        }
        break;
    case MST_EVENT_EFFECT_FAILED:
        key_int(&w, "failed", (int64_t)event->effect_id);
        key_str(&w, "reason", event->reason);
        break;
    }
    mst_jw_object_end(&w);
    write_line(recorder);
}

static void write_step(struct mst_recorder *recorder, const char *key,
                       const struct mst_effects *effects, int64_t now_ns)
{
    uint64_t hash = mst_effect_hash_step(&recorder->hash, effects, now_ns);
    struct mst_json_writer w = { .out = &recorder->line };
    mst_jw_object_begin(&w);
    key_int(&w, "at", now_ns);
    key_int(&w, key, (int64_t)recorder->hash.steps);
    key_int(&w, "effects", effects->list.n);
    key_hash(&w, hash);
    mst_jw_object_end(&w);
    write_line(recorder);
}

void mst_recorder_step(struct mst_recorder *recorder, const struct mst_effects *effects,
                       int64_t now_ns)
{
    write_step(recorder, "step", effects, now_ns);
}

void mst_recorder_flush(struct mst_recorder *recorder, const struct mst_effects *effects,
                        int64_t now_ns)
{
    write_step(recorder, "flush", effects, now_ns);
}

mst_rc mst_recorder_end(struct mst_recorder *recorder, struct mst_err *err)
{
    struct mst_json_writer w = { .out = &recorder->line };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "end");
    mst_jw_bool(&w, true);
    key_int(&w, "steps", (int64_t)recorder->hash.steps);
    key_int(&w, "effects", (int64_t)recorder->hash.effects);
    key_hash(&w, recorder->hash.hash);
    mst_jw_object_end(&w);
    write_line(recorder);
    if (fflush(recorder->file) != 0 || recorder->failed)
        return mst_fail(err, MST_EIO, "%s: the recording could not be written", recorder->path);
    return MST_OK;
}

void mst_recorder_done(struct mst_recorder *recorder)
{
    mst_buf_done(&recorder->line);
    mst_arena_done(&recorder->arena);
    mst_effect_hash_done(&recorder->hash);
}

/*
 * record.h - a run as a file: every input of the engine in order, and a hash of what it did.
 *
 * JSON lines. The first says how the engine was made, then one line per event and per step, then
 * the end. Effects are kept as hashes: enough to say where a replay first differs.
 *
 *   {"muster":"recording","version":2,"profile":"muster","gates":"A=true,...","config":"...",
 *    "seed":7}
 *   {"at":NS,"set":{object}}            {"at":NS,"remove":{"kind":..,"namespace":..,"name":..}}
 *   {"at":NS,"done":ID,"gone":true}     {"at":NS,"failed":ID,"reason":"..."}
 *   {"at":NS,"step":N,"effects":COUNT,"hash":"..."}
 *   {"at":NS,"flush":N,"effects":COUNT,"hash":"..."}      what events left behind, no attempt
 *   {"end":true,"steps":N,"effects":COUNT,"hash":"..."}
 */
#ifndef MST_RECORD_H
#define MST_RECORD_H

#include <stdio.h>

#include "base/log.h"
#include "cycle/engine.h"

enum { MST_RECORD_VERSION = 2 }; /* 1 had no flush */

/* A running hash over effects: same bytes, same value. Zero-initialised is the beginning. */
struct mst_effect_hash {
    uint64_t hash;
    uint64_t steps, effects;
    struct mst_buf scratch;
};
/* The hash of this step alone; the running one takes it in. */
uint64_t mst_effect_hash_step(struct mst_effect_hash *hash, const struct mst_effects *effects,
                              int64_t now_ns);
void mst_effect_hash_done(struct mst_effect_hash *hash);

struct mst_recorder {
    FILE *file;       /* borrowed */
    const char *path; /* for errors */
    struct mst_syms *syms;
    struct mst_buf line;
    struct mst_arena arena;
    struct mst_effect_hash hash;
    bool failed; /* a write failed; said once, by mst_recorder_end */
};

/* How the engine was made, as far as a replay must know. */
struct mst_recording_head {
    bool upstream;
    const struct mst_gates *gates;
    struct mst_str config; /* text of the configuration file, absent: the default one */
    bool random_ties;
    uint64_t seed;
};

void mst_recorder_begin(struct mst_recorder *recorder, FILE *file, const char *path,
                        struct mst_syms *syms, const struct mst_recording_head *head);
void mst_recorder_event(struct mst_recorder *recorder, const struct mst_event *event,
                        int64_t now_ns);
void mst_recorder_step(struct mst_recorder *recorder, const struct mst_effects *effects,
                       int64_t now_ns);
void mst_recorder_flush(struct mst_recorder *recorder, const struct mst_effects *effects,
                        int64_t now_ns);
/* The last line. Errors MST_EIO when any line could not be written. */
mst_rc mst_recorder_end(struct mst_recorder *recorder, struct mst_err *err) MST_WARN_UNUSED;
void mst_recorder_done(struct mst_recorder *recorder);

/* What a replay found. */
struct mst_replay {
    uint64_t events, steps, effects;
    bool same;
    struct mst_buf difference; /* for people, when not the same */
};

/*
 * Feeds a recording to a new engine and compares what it does.
 *
 * text      the whole file.
 * Errors    MST_EDECODE and the like: this is no recording, or it is damaged ("line N: ...").
 */
mst_rc mst_replay_run(struct mst_str text, const struct mst_registry *registry,
                      const struct mst_log *log, struct mst_replay *out, struct mst_err *err)
    MST_WARN_UNUSED;
void mst_replay_done(struct mst_replay *replay);

#endif

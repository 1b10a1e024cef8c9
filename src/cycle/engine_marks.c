/*
 * engine_marks.c - what the engine tells of where its work is (framework/marks.h); all of it may be
 * called when nobody measures.
 */
#include "cycle/engine_internal.h"

void mst_engine_handles(struct mst_engine *engine, const char *label)
{
    if (engine->marks && engine->handled.n < MST_EVENT_LABELS_MAX)
        engine->handled.v[engine->handled.n++] = label;
}

const struct mst_marks *mst_engine_plugin_marks(const struct mst_engine *engine)
{
    return engine->cycle % MST_MARK_PLUGINS_EVERY == 0 ? engine->marks : NULL;
}

void mst_engine_mark(struct mst_engine *engine, mst_part point, const struct mst_framework *fw,
                     mst_code code, const char *plugin)
{
    mst_mark_sample(engine->marks, point,
                    &(struct mst_sample){
                        .profile = fw->profile,
                        .code = code,
                        .plugin = mst_engine_plugin_marks(engine) ? plugin : NULL,
                    });
}

void mst_engine_mark_idle(struct mst_engine *engine, mst_part point, uint32_t profile,
                          mst_code code)
{
    mst_mark_zero(engine->marks, UINT32_C(1) << point);
    mst_mark_sample(engine->marks, point, &(struct mst_sample){ .profile = profile, .code = code });
}

void mst_engine_mark_preemption(struct mst_engine *engine, bool group, mst_code code)
{
    mst_mark_sample(engine->marks, MST_PART_PREEMPTION,
                    &(struct mst_sample){ .group = group, .code = code });
}

void mst_engine_mark_event(struct mst_engine *engine)
{
    engine->handled.n = 0;
    mst_mark_begin(engine->marks, MST_PART_EVENT);
}

/* An update of several properties has several names, and each gets the whole time. */
void mst_engine_mark_handled(struct mst_engine *engine)
{
    mst_mark_halt(engine->marks, MST_PART_EVENT);
    for (uint32_t i = 0; i < engine->handled.n; i++)
        mst_mark_sample(engine->marks, MST_PART_EVENT,
                        &(struct mst_sample){ .event = engine->handled.v[i] });
    engine->handled.n = 0;
}

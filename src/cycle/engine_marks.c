/*
 * engine_marks.c - what the engine tells of where its work is (framework/marks.h).
 */
#include "cycle/engine_internal.h"

void mst_engine_sample_point(const struct mst_engine *engine, mst_part point, uint32_t profile,
                             mst_code code, const char *plugin)
{
    mst_mark_sample(engine->marks, point,
                    &(struct mst_sample){
                        .profile = profile,
                        .code = code,
                        .plugin = mst_engine_plugin_marks(engine) ? plugin : NULL,
                    });
}

void mst_engine_mark_preemption(const struct mst_engine *engine, bool group, mst_code code)
{
    mst_mark_sample(engine->marks, MST_PART_PREEMPTION,
                    &(struct mst_sample){ .group = group, .code = code });
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

/*
 * report.h - what became of a run: groups, pods, summary, for people; the objects, for programs.
 */
#ifndef MST_REPORT_H
#define MST_REPORT_H

#include "sim/run.h"

struct mst_report_options {
    bool wide;
    bool colours;
    bool explain; /* also why each entity that is not scheduled is not, and what would help */
};

/* Tables and the summary. */
void mst_report_print(struct mst_run *run, const struct mst_report_options *options,
                      struct mst_buf *out);
/* A v1.List of the living objects as the API server would show them, in document order. */
void mst_report_objects_json(struct mst_run *run, struct mst_buf *out);
mst_rc mst_report_objects_yaml(struct mst_run *run, struct mst_buf *out, struct mst_err *err)
    MST_WARN_UNUSED;

/*
 * Pods that found no place although they want one now: all that live, have no node, have not ended,
 * are this scheduler's, and are not held back by scheduling gates of their own.
 */
uint32_t mst_report_unplaced(struct mst_run *run);

#endif

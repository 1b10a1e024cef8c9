/*
 * annotations.h - what simulate.muster/ annotations of one document say.
 */
#ifndef MST_ANNOTATIONS_H
#define MST_ANNOTATIONS_H

#include "sim/scenario.h"

/*
 * Reads the annotations of doc->object into the times of `doc`. Errors (a bad value, a name under
 * the prefix that means nothing, one that its kind cannot have) go to diags with their place.
 */
void mst_annotations_read(struct mst_scenario_doc *doc, struct mst_diags *diags);

#endif

/*
 * show.h - an object as the API server would show it: the manifest, what was filled in, the status.
 */
#ifndef MST_SHOW_H
#define MST_SHOW_H

#include "api/api.h"
#include "sim/doc.h"

/*
 * The object as JSON values: its source document, overlaid with everything muster models (metadata,
 * defaults, admission, nodeName, status). Fields that muster does not model stay as they came; the
 * server's defaults for those are not made up. Decoding, defaulting and admitting the result gives
 * an equal object again (recordings rely on it).
 */
struct mst_doc *mst_show_object(struct mst_syms *syms, const struct mst_object *object,
                                struct mst_arena *arena);

#endif

/*
 * objects.h - pods and nodes as the API server shows them, kept for extenders, who are shown them.
 *
 * Owns:       one JSON text per object, without apiVersion and kind, as informers have them.
 * Cost:       about the size of the objects; so only kept when an extender is configured.
 */
#ifndef MST_OBJECTS_H
#define MST_OBJECTS_H

#include "api/api.h"
#include "base/map.h"
#include "framework/extender_call.h"

/* Zero-initialised is valid and empty. */
struct mst_objects {
    struct mst_map index; /* "P/ns/name", "N/name" -> index of texts */
    MST_VEC(struct mst_buf) texts;
    MST_VEC(uint32_t) unused; /* of texts */
};

void mst_objects_done(struct mst_objects *objects);
/* Pods and nodes; other kinds are ignored. */
void mst_objects_set(struct mst_objects *objects, struct mst_syms *syms,
                     const struct mst_object *object);
void mst_objects_gone(struct mst_objects *objects, struct mst_syms *syms,
                      const struct mst_object *object);
/* How bodies of calls find their objects: unknown ones are null. Borrows `objects`. */
struct mst_extender_objects mst_objects_writer(struct mst_objects *objects);

#endif

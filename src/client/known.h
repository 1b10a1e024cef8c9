/*
 * known.h - what a reflector remembers of the objects that it has told: enough to tell a change
 * from a repetition, and what is gone from what is there.
 *
 * Owns:       keys, UIDs and versions; about 150 bytes an object.
 * Invariants: one entry per namespace and name; an entry that a round has not seen was there before
 *             the round began.
 * Not here:   the objects, which belong to whoever is told.
 */
#ifndef MST_KNOWN_H
#define MST_KNOWN_H

#include "base/map.h"
#include "base/mem.h"

/* A UID: 16 bytes when it is written as Kubernetes writes them, else a copy of the text. */
struct mst_known_uid {
    uint8_t bytes[16];
    char *text; /* NULL: see bytes */
};

struct mst_known_row {
    uint64_t version; /* mst_known_version */
    struct mst_known_uid uid;
    uint32_t round; /* the last one that saw it */
};

/* Zero-initialised is valid and empty. */
struct mst_known {
    struct mst_map rows_by_key; /* "ns/name" or "name" */
    MST_VEC(struct mst_known_row) rows;
    MST_VEC(uint32_t) spare;
    uint32_t round;
    struct mst_buf key; /* scratch */
};

/* What an object is by: borrowed text; ns is empty for cluster-scoped kinds. */
struct mst_known_id {
    struct mst_str ns, name, uid;
};

typedef enum {
    MST_KNOWN_NEW,
    MST_KNOWN_SAME,     /* same UID, same version */
    MST_KNOWN_CHANGED,  /* same UID, another version */
    MST_KNOWN_REPLACED, /* another UID */
} mst_known_verdict;

void mst_known_done(struct mst_known *known);
uint32_t mst_known_count(const struct mst_known *known);

/* A number that is equal for equal versions, whatever their text is. */
uint64_t mst_known_version(struct mst_str resource_version);

/* How this object and version relate to what is known. Changes nothing. */
mst_known_verdict mst_known_look(struct mst_known *known, const struct mst_known_id *id,
                                 struct mst_str resource_version);
/* Remembers it, in place of one with the same name, and marks it as seen in this round. */
void mst_known_put(struct mst_known *known, const struct mst_known_id *id,
                   struct mst_str resource_version);
/* Marks one that is known as seen in this round, as it is. */
void mst_known_keep(struct mst_known *known, const struct mst_known_id *id);
/* Forgets the one with this name; the UID that was known is appended to ret_uid. False: unknown. */
bool mst_known_take(struct mst_known *known, const struct mst_known_id *id,
                    struct mst_buf *ret_uid);

/* A round begins: nothing is seen yet. */
void mst_known_round(struct mst_known *known);
/*
 * Forgets the next object, in the order they came, that this round has not seen, looking from *at,
 * which starts at 0. Text is put into `text`, which `out` borrows. False when there is none.
 */
bool mst_known_sweep(struct mst_known *known, uint32_t *at, struct mst_buf *text,
                     struct mst_known_id *out);

#endif

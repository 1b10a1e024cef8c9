/*
 * sym.h - interned strings: equal text, equal 32-bit id.
 *
 * Owns:       the text of every symbol, until the table is freed. Symbols are never dropped, so
 *             only text from bounded sets belongs here (names of nodes, label keys and values,
 *             resources, namespaces); names and UIDs of pods stay spans.
 * Invariants: ids are dense and count up from MST_SYM_EMPTY in order of first use, so the same
 *             input gives the same ids; the text behind an id never moves.
 */
#ifndef MST_SYM_H
#define MST_SYM_H

#include "base/base.h"

typedef uint32_t mst_sym;
enum { MST_SYM_NONE = 0, MST_SYM_EMPTY = 1 }; /* absent; the empty string */

struct mst_syms;

struct mst_syms *mst_syms_new(void);
void mst_syms_free(struct mst_syms *syms);
/* The id of s, made when new. An absent span gives MST_SYM_NONE. Cost: one hash, one probe. */
mst_sym mst_sym_of(struct mst_syms *syms, struct mst_str s);
mst_sym mst_sym_of_text(struct mst_syms *syms, const char *text);
/* MST_SYM_NONE if s was never interned. */
mst_sym mst_sym_find(const struct mst_syms *syms, struct mst_str s);
/* NUL-terminated; valid for the life of the table. MST_SYM_NONE gives an absent span. */
struct mst_str mst_sym_str(const struct mst_syms *syms, mst_sym sym);
/* Ids are below this. */
uint32_t mst_syms_count(const struct mst_syms *syms);

#endif

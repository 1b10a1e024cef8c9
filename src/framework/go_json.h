/*
 * go_json.h - JSON from a peer, taken as Go's decoder takes it: the first value counts, what is
 * wrong is said in Go's words, keys match in any case.
 *
 * Here since what an extender answers ends in conditions of pods, where people compare messages.
 * Source: Go 1.26 encoding/json (scanner.go, stream.go, decode.go).
 */
#ifndef MST_GO_JSON_H
#define MST_GO_JSON_H

#include "codec/json.h"

/*
 * Reads the first value of a text; what follows it is ignored.
 *
 * out        the root, in `arena`; texts point into `text` or the arena.
 * ret_error  on failure: "EOF", "unexpected EOF", "invalid character 'x' looking for beginning of
 *            value", ...; static or in the arena.
 */
bool mst_go_json_read(struct mst_str text, struct mst_arena *arena, const struct mst_value **out,
                      struct mst_str *ret_error);

/* Whether a key of an object names the field: equal but for the case of ASCII letters. */
bool mst_go_json_key_is(const struct mst_value *key, const char *field);

/*
 * "json: cannot unmarshal number into Go struct field S.F of type T"; `field` NULL: of the value as
 * a whole.
 */
struct mst_str mst_go_json_type_error(struct mst_arena *arena, const struct mst_value *v,
                                      const char *field, const char *type);

#endif

/*
 * proto_tables.h - the words in which the tables of messages are written: for each field its
 * number, the shape of its value and its name in JSON.
 *
 * Written by tools/proto-gen from the Go types of k8s.io/api v0.37.2; change that, not this.
 * Invariants: a row's place is its number. What has no row is skipped on the wire: managed fields
 *             above all, and whatever the schemas (schema*.c) do not read.
 */
#ifndef MST_PROTO_TABLES_H
#define MST_PROTO_TABLES_H

#include "codec/proto.h"

/* clang-format off */
#define ROW(number_, shape_, many_, omit_, name_, sub_)                                            \
    [number_] = { .name = (name_), .name_n = sizeof(name_) - 1,                                    \
      .shape = MST_PROTO_##shape_, .many = MST_PROTO_##many_, .omit_zero = (omit_), .sub = (sub_) }
#define ONE(number, shape, name) ROW(number, shape, ONE, false, name, NULL)
/* JSON leaves it out or says null when it is zero or empty; on the wire it is there. */
#define OMIT(number, shape, name) ROW(number, shape, ONE, true, name, NULL)
#define LIST(number, shape, name) ROW(number, shape, LIST, false, name, NULL)
#define MAP(number, shape, name) ROW(number, shape, MAP, false, name, NULL)
#define SUB(number, sub, name) ROW(number, MESSAGE, ONE, false, name, &(sub))
#define SUBS(number, sub, name) ROW(number, MESSAGE, LIST, false, name, &(sub))
/* A message whose fields JSON has in the object around it. */
#define INLINE(number, sub) ROW(number, INLINE, ONE, false, "", &(sub))
#define ROWS(name_, ...) static const struct mst_proto_field name_##_rows[] = { __VA_ARGS__ };
#define TABLE(name_, text)                                                                         \
    const struct mst_proto_message name_ = { (text), name_##_rows, MST_COUNT(name_##_rows) };
#define SHARED(name_, text, ...) ROWS(name_, __VA_ARGS__) TABLE(name_, text)
#define MESSAGE(name_, text, ...) ROWS(name_, __VA_ARGS__) static TABLE(name_, text)
/* One of which only its presence counts. */
#define BLANK(name_, text) static const struct mst_proto_message name_ = { (text), NULL, 0 };
/* clang-format on */

/* What is known of one kind in one version. */
struct mst_proto_root {
    const char *api_version, *kind;
    const struct mst_proto_message *message;
};
extern const struct mst_proto_root mst_proto_roots[];
extern const uint32_t mst_proto_root_count;

/* proto_volumes.c */
extern const struct mst_proto_message mst_message_label_selector;
extern const struct mst_proto_message mst_message_object_meta;
extern const struct mst_proto_message mst_message_persistent_volume_claim_spec;
extern const struct mst_proto_message mst_message_volume_source;
extern const struct mst_proto_message mst_message_persistent_volume_source;

#endif

/*
 * proto_vectors.h - the objects of tests/golden/proto/vectors.txt, each as JSON and as protobuf.
 *
 * Three lines each: name, JSON, protobuf in base64. Written by tools/proto-gen.
 */
#ifndef MST_TESTS_PROTO_VECTORS_H
#define MST_TESTS_PROTO_VECTORS_H

#include <stdio.h>

#include "base/mem.h"
#include "codec/base64.h"

struct proto_vector {
    struct mst_str name, json, proto;
};

struct proto_vectors {
    struct mst_arena arena;
    struct mst_buf text;
    MST_VEC(struct proto_vector) list;
};

static inline void proto_vectors_done(struct proto_vectors *vectors)
{
    mst_vec_done(&vectors->list);
    mst_buf_done(&vectors->text);
    mst_arena_done(&vectors->arena);
}

static inline bool proto_vectors_line(struct mst_str *rest, struct mst_str *out)
{
    const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
    if (!end)
        return false;
    *out = (struct mst_str){ rest->p, (size_t)(end - rest->p) };
    *rest = (struct mst_str){ end + 1, rest->n - out->n - 1 };
    return true;
}

/* From the root of the project, where tests and benchmarks run. False when a part is missing. */
static inline bool proto_vectors_load(struct proto_vectors *vectors)
{
    enum { CHUNK = 1 << 16 };
    *vectors = (struct proto_vectors){ 0 };
    FILE *file = fopen("tests/golden/proto/vectors.txt", "r");
    if (!file)
        return false;
    size_t n;
    do {
        mst_buf_reserve(&vectors->text, CHUNK);
        n = fread(vectors->text.p + vectors->text.n, 1, CHUNK, file);
        vectors->text.n += n;
    } while (n);
    fclose(file);
    struct mst_str rest = mst_buf_span(&vectors->text), base64;
    struct proto_vector v;
    while (proto_vectors_line(&rest, &v.name)) {
        MST_AUTO(mst_buf) bytes = { 0 };
        if (!proto_vectors_line(&rest, &v.json) || !proto_vectors_line(&rest, &base64) ||
            !mst_base64_decode(base64, &bytes, &n))
            return false;
        v.proto = mst_arena_str(&vectors->arena, mst_buf_span(&bytes));
        mst_vec_push(&vectors->list, v);
    }
    return vectors->list.n > 0;
}

/* The vector of that name; asserts that there is one. */
static inline const struct proto_vector *proto_vectors_get(const struct proto_vectors *vectors,
                                                           const char *name)
{
    for (uint32_t i = 0; i < vectors->list.n; i++)
        if (mst_str_is(vectors->list.v[i].name, name))
            return &vectors->list.v[i];
    mst_assert(!"no such vector");
    return NULL;
}

#endif

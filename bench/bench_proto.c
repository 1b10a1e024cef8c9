/*
 * bench_proto.c - pods as an API server sends them, from bytes to decoded and defaulted objects:
 * protobuf beside JSON, item by item as a list is read.
 *
 * The pods are those of the vector "list/typical" of tests/golden/proto, read over and over: 3.3 KB
 * of JSON or 1.8 KB of protobuf each, managed fields included.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../tests/proto_vectors.h"
#include "api/stream.h"
#include "bench.h"

enum { PODS = 10000, REDUCED_PODS = 500 };

struct ctx {
    const struct proto_vector *list;
    struct mst_arena arena, keep;
    struct mst_syms *syms;
    uint32_t pods; /* to read in one call */
    bool tape_only;
    uint64_t checksum;
};

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_proto: %s failed\n", what);
    exit(1);
}

static uint32_t read_list(struct ctx *ctx, struct mst_api *api, mst_encoding encoding)
{
    struct mst_str body = encoding == MST_ENCODING_PROTO ? ctx->list->proto : ctx->list->json;
    struct mst_list_reader list;
    struct mst_list_item item;
    mst_arena_reset(&ctx->keep);
    check(mst_list_open(&list, encoding, body, &ctx->keep, NULL) == MST_OK, "mst_list_open");
    while (mst_list_next(&list, api, &item, NULL) == MST_OK) {
        check(item.object, "mst_list_next");
        ctx->checksum += item.object->u.pod.spec.containers.n + item.object->u.meta.labels.n;
        mst_arena_reset(&ctx->arena);
    }
    return list.item_count;
}

static void run(struct ctx *ctx, mst_encoding encoding)
{
    struct mst_diags diags = { 0 };
    struct mst_api api = { .syms = ctx->syms, .arena = &ctx->arena, .diags = &diags };
    for (uint32_t pods = 0; pods < ctx->pods;)
        pods += read_list(ctx, &api, encoding);
    check(diags.list.n == 0, "a diagnostic: reading");
    mst_diags_done(&diags);
}

static void run_proto(void *ctx)
{
    run(ctx, MST_ENCODING_PROTO);
}

static void run_json(void *ctx)
{
    run(ctx, MST_ENCODING_JSON);
}

/* The part of it that ends with the tape. */
static void run_tape(struct ctx *ctx, mst_encoding encoding)
{
    struct mst_str body = encoding == MST_ENCODING_PROTO ? ctx->list->proto : ctx->list->json;
    const struct mst_value *tape;
    for (uint32_t pods = 0; pods < ctx->pods; pods += mst_value_get(tape, "items")->n) {
        mst_arena_reset(&ctx->arena);
        check(mst_document_parse(encoding, body, &ctx->arena, &tape, NULL) == MST_OK,
              "mst_document_parse");
    }
}

static void run_proto_tape(void *ctx)
{
    run_tape(ctx, MST_ENCODING_PROTO);
}

static void run_json_tape(void *ctx)
{
    run_tape(ctx, MST_ENCODING_JSON);
}

static void measure(struct mst_bench_case *c)
{
    struct proto_vectors vectors;
    check(proto_vectors_load(&vectors), "reading tests/golden/proto/vectors.txt from here");
    struct ctx ctx = { .syms = mst_syms_new(),
                       .list = proto_vectors_get(&vectors, "list/typical"),
                       .pods = mst_bench_reduced() ? REDUCED_PODS : PODS };
    c->unit = "pods/s";
    c->amount = ctx.pods;
    c->peer = "JSON";
    c->ctx = &ctx;
    mst_bench_measure(c);
    mst_arena_done(&ctx.arena);
    mst_arena_done(&ctx.keep);
    mst_syms_free(ctx.syms);
    proto_vectors_done(&vectors);
}

static void bench_read(void)
{
    struct mst_bench_case c = { .name = "proto-read", .run = run_proto, .peer_run = run_json };
    measure(&c);
}

static void bench_tape(void)
{
    struct mst_bench_case c = { .name = "proto-tape",
                                .run = run_proto_tape,
                                .peer_run = run_json_tape };
    measure(&c);
}

MST_BENCH_MAIN(B("proto-read", bench_read), B("proto-tape", bench_tape))

/*
 * bench_api.c - a PodList as JSON bytes into typed pods: tape, decode, interning.
 *
 * The peer only builds jansson's tree of the same bytes: no schema, no quantities, no symbols.
 */
#include <jansson.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/api.h"
#include "bench.h"
#include "podlist.h"

enum { PODLIST_BYTES = 20 * 1000 * 1000, REDUCED_BYTES = 1000 * 1000, SEED = 37 };

struct ctx {
    struct mst_buf text;
    struct mst_arena tape_arena, arena;
    struct mst_syms *syms;
    uint32_t pod_count;
    uint64_t checksum;
};

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_api: %s failed\n", what);
    exit(1);
}

static bool count_pod(void *raw, struct mst_object *object)
{
    struct ctx *ctx = raw;
    ctx->pod_count++;
    ctx->checksum += object->u.pod.spec.containers.n + object->u.pod.meta.labels.n;
    return true;
}

static void run_read(void *raw)
{
    struct ctx *ctx = raw;
    struct mst_diags diags = { 0 };
    struct mst_api api = { .syms = ctx->syms, .arena = &ctx->arena, .diags = &diags };
    const struct mst_value *root;
    mst_arena_reset(&ctx->tape_arena);
    mst_arena_reset(&ctx->arena);
    ctx->pod_count = 0;
    check(mst_json_parse(mst_buf_span(&ctx->text), NULL, &ctx->tape_arena, &diags, &root, NULL) ==
              MST_OK,
          "mst_json_parse");
    uint32_t count = mst_api_decode(&api, root, count_pod, ctx);
    check(count > 0 && count == ctx->pod_count && diags.list.n == 0, "mst_api_decode");
    mst_diags_done(&diags);
}

/* The peer leaves millions of free blocks behind; merging them is not our call's work. */
static void tidy_heap(void *raw)
{
    (void)raw;
    malloc_trim(0);
}

static void run_jansson(void *raw)
{
    struct ctx *ctx = raw;
    json_t *root = json_loadb(ctx->text.p, ctx->text.n, 0, NULL);
    check(root, "json_loadb");
    json_decref(root);
}

static void bench_read(void)
{
    struct ctx ctx = { .syms = mst_syms_new() };
    mst_podlist_make(&ctx.text, mst_bench_reduced() ? REDUCED_BYTES : PODLIST_BYTES, SEED);
    struct mst_bench_case c = {
        .name = "json-read",
        .unit = "MB/s",
        .amount = (double)ctx.text.n / 1e6,
        .run = run_read,
        .peer = "jansson",
        .peer_run = run_jansson,
        .prepare = tidy_heap,
        .ctx = &ctx,
    };
    mst_bench_measure(&c);
    mst_buf_done(&ctx.text);
    mst_arena_done(&ctx.tape_arena);
    mst_arena_done(&ctx.arena);
    mst_syms_free(ctx.syms);
}

MST_BENCH_MAIN(B("json-read", bench_read))

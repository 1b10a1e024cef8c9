/*
 * bench_json.c - reading and writing a 50 MB PodList, beside jansson.
 */
#include "bench.h"
#include "codec/json.h"
#include "podlist.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { PODLIST_BYTES = 50 << 20, SEED = 20260311 };

struct ctx {
    struct mst_buf text, out;
    struct mst_arena arena, list_arena;
    const struct mst_value *list;
    json_t *peer_list;
};

static void check(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "bench_json: %s failed\n", what);
        exit(1);
    }
}

static void run_tape(void *arg)
{
    struct ctx *ctx = arg;
    const struct mst_value *root;
    struct mst_err err;
    mst_arena_reset(&ctx->arena);
    check(mst_json_parse(mst_buf_span(&ctx->text), NULL, &ctx->arena, NULL, &root, &err) == MST_OK,
          "mst_json_parse");
}

static void run_jansson(void *arg)
{
    struct ctx *ctx = arg;
    json_t *root = json_loadb(ctx->text.p, ctx->text.n, 0, NULL);
    check(root, "json_loadb");
    json_decref(root);
}

static void run_skip(void *arg)
{
    struct ctx *ctx = arg;
    struct mst_json js;
    mst_arena_reset(&ctx->arena);
    mst_json_init(&js, mst_buf_span(&ctx->text), &ctx->arena);
    check(mst_json_skip(&js) && mst_json_next(&js) == MST_TOKEN_END, "mst_json_skip");
}

static void run_pull(void *arg)
{
    struct ctx *ctx = arg;
    struct mst_json js;
    mst_arena_reset(&ctx->arena);
    mst_json_init(&js, mst_buf_span(&ctx->text), &ctx->arena);
    mst_token token;
    do
        token = mst_json_next(&js);
    while (token > MST_TOKEN_ERROR);
    check(token == MST_TOKEN_END, "mst_json_next");
}

static void run_write(void *arg)
{
    struct ctx *ctx = arg;
    ctx->out.n = 0;
    struct mst_json_writer w = { .out = &ctx->out };
    mst_jw_value(&w, ctx->list);
}

static void run_jansson_write(void *arg)
{
    struct ctx *ctx = arg;
    char *text = json_dumps(ctx->peer_list, JSON_COMPACT);
    check(text, "json_dumps");
    free(text);
}

static void init(struct ctx *ctx)
{
    *ctx = (struct ctx){ 0 };
    mst_podlist_make(&ctx->text, PODLIST_BYTES, SEED);
}

static void done(struct ctx *ctx)
{
    mst_buf_done(&ctx->text);
    mst_buf_done(&ctx->out);
    mst_arena_done(&ctx->arena);
    mst_arena_done(&ctx->list_arena);
    json_decref(ctx->peer_list);
}

static void measure_read(const char *name, mst_bench_fn *fn)
{
    struct ctx ctx;
    init(&ctx);
    struct mst_bench_case c = {
        .name = name,
        .unit = "MB/s",
        .amount = (double)ctx.text.n / 1e6,
        .run = fn,
        .peer = "jansson",
        .peer_run = run_jansson,
        .ctx = &ctx,
    };
    mst_bench_measure(&c);
    done(&ctx);
}

static void bench_tape(void)
{
    measure_read("json-tape", run_tape);
}

static void bench_skip(void)
{
    measure_read("json-skip", run_skip);
}

static void bench_pull(void)
{
    measure_read("json-pull", run_pull);
}

static void bench_write(void)
{
    struct ctx ctx;
    init(&ctx);
    struct mst_err err;
    check(mst_json_parse(mst_buf_span(&ctx.text), NULL, &ctx.list_arena, NULL, &ctx.list, &err) ==
              MST_OK,
          "mst_json_parse");
    ctx.peer_list = json_loadb(ctx.text.p, ctx.text.n, 0, NULL);
    check(ctx.peer_list, "json_loadb");
    struct mst_bench_case c = {
        .name = "json-write",
        .unit = "MB/s",
        .amount = (double)ctx.text.n / 1e6,
        .run = run_write,
        .peer = "jansson",
        .peer_run = run_jansson_write,
        .ctx = &ctx,
    };
    mst_bench_measure(&c);
    done(&ctx);
}

MST_BENCH_MAIN(B("json-tape", bench_tape), B("json-skip", bench_skip), B("json-pull", bench_pull),
               B("json-write", bench_write))

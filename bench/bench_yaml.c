/*
 * bench_yaml.c - reading and writing a PodList as YAML, beside libyaml's bare events.
 */
#include "bench.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "podlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

enum { PODLIST_BYTES = 8 << 20, REDUCED_BYTES = 1 << 18, SEED = 20260311 };

struct ctx {
    struct mst_buf text, out;
    struct mst_arena arena, list_arena;
    struct mst_diags diags;
    const struct mst_value *list;
};

static void check(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "bench_yaml: %s failed\n", what);
        exit(1);
    }
}

static void run_read(void *arg)
{
    struct ctx *ctx = arg;
    struct mst_yaml_reader reader;
    const struct mst_value *root;
    mst_arena_reset(&ctx->arena);
    mst_yaml_init(&reader, mst_buf_span(&ctx->text));
    check(mst_yaml_next(&reader, &ctx->arena, &ctx->diags, &root) == MST_OK, "mst_yaml_next");
}

static void run_events(void *arg)
{
    struct ctx *ctx = arg;
    yaml_parser_t parser;
    check(yaml_parser_initialize(&parser), "yaml_parser_initialize");
    yaml_parser_set_input_string(&parser, (const unsigned char *)ctx->text.p, ctx->text.n);
    for (bool done = false; !done;) {
        yaml_event_t event;
        check(yaml_parser_parse(&parser, &event), "yaml_parser_parse");
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

static void run_write(void *arg)
{
    struct ctx *ctx = arg;
    struct mst_err err;
    ctx->out.n = 0;
    check(mst_yaml_write(ctx->list, &ctx->out, &err) == MST_OK, "mst_yaml_write");
}

static void init(struct ctx *ctx)
{
    *ctx = (struct ctx){ 0 };
    MST_AUTO(mst_buf) json = { 0 };
    struct mst_err err;
    mst_podlist_make(&json, mst_bench_reduced() ? REDUCED_BYTES : PODLIST_BYTES, SEED);
    /* The list's strings must outlive `json`. */
    struct mst_str kept = mst_arena_str(&ctx->list_arena, mst_buf_span(&json));
    check(mst_json_parse(kept, NULL, &ctx->list_arena, NULL, &ctx->list, &err) == MST_OK,
          "mst_json_parse");
    check(mst_yaml_write(ctx->list, &ctx->text, &err) == MST_OK, "mst_yaml_write");
}

static void done(struct ctx *ctx)
{
    mst_buf_done(&ctx->text);
    mst_buf_done(&ctx->out);
    mst_arena_done(&ctx->arena);
    mst_arena_done(&ctx->list_arena);
    mst_diags_done(&ctx->diags);
}

static void bench_read(void)
{
    struct ctx ctx;
    init(&ctx);
    struct mst_bench_case c = {
        .name = "yaml-read",
        .unit = "MB/s",
        .amount = (double)ctx.text.n / 1e6,
        .run = run_read,
        .peer = "libyaml events",
        .peer_run = run_events,
        .ctx = &ctx,
    };
    mst_bench_measure(&c);
    done(&ctx);
}

static void bench_write(void)
{
    struct ctx ctx;
    init(&ctx);
    struct mst_bench_case c = {
        .name = "yaml-write",
        .unit = "MB/s",
        .amount = (double)ctx.text.n / 1e6,
        .run = run_write,
        .ctx = &ctx,
    };
    mst_bench_measure(&c);
    done(&ctx);
}

MST_BENCH_MAIN(B("yaml-read", bench_read), B("yaml-write", bench_write))

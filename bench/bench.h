/*
 * bench.h - measuring: a function beside its peer, in turns, as one JSON line.
 *
 *     static void bench_parse(void)
 *     {
 *         struct mst_bench_case c = {
 *             .name = "parse", .unit = "MB/s", .amount = bytes / 1e6,
 *             .run = parse, .peer = "other", .peer_run = other_parse, .ctx = &ctx,
 *         };
 *         mst_bench_measure(&c);
 *     }
 *     MST_BENCH_MAIN(B("parse", bench_parse))
 *
 * Command line: the names to run (default: all), `--list`, and `--reduced` before the names: less
 * work, once, without the peer and without figures, for counting instructions (bench/instructions).
 * The line of a measurement:
 *
 *     {"name","unit","median","min","max","runs","peer","ratio","rss_mb","commit","compiler","cpu"}
 *
 * "peer" is null or {"name","median","min","max"}; "ratio" says how many times faster we are,
 * whether the figure is a rate or a time. "rss_mb" is the peak of the process so far.
 */
#ifndef MST_BENCH_H
#define MST_BENCH_H

#include "base/base.h"

/* The commit that is measured; the build passes it. */
#ifndef MST_COMMIT
#define MST_COMMIT "unknown"
#endif

typedef enum {
    MST_BENCH_RATE, /* the figure is amount / seconds: more is better */
    MST_BENCH_TIME, /* the figure is seconds * 10^9 / amount, so unit "ns": less is better */
} mst_bench_kind;

typedef void mst_bench_fn(void *ctx);

struct mst_bench_case {
    const char *name, *unit;
    mst_bench_kind kind;
    double amount; /* of work in one call; > 0 */
    mst_bench_fn *run;
    const char *peer; /* its name; NULL if there is none */
    mst_bench_fn *peer_run;
    mst_bench_fn *prepare; /* before each call of either, not timed; may be NULL */
    void *ctx;
    uint32_t runs; /* 0 = 11; at least 10 */
};

/* Two calls to warm up, then `runs` calls of each in turns; prints the line to standard output. */
void mst_bench_measure(const struct mst_bench_case *c);

/*
 * For measurements that mst_bench_measure does not fit: calls fn(ctx) and returns the seconds it
 * took. Everything that is measured runs in here, so this is where a profiler has to look.
 */
double mst_bench_time(mst_bench_fn *fn, void *ctx);
/* Prints the line of figures taken by hand; sorts them. `peers` may be NULL. Nothing if reduced. */
void mst_bench_report(const struct mst_bench_case *c, double *ours, uint32_t runs, double *peers,
                      uint32_t peer_runs);
/* True with --reduced: measure little, once. */
bool mst_bench_reduced(void);

struct mst_bench_entry {
    const char *name;
    void (*fn)(void); /* measures one or more cases */
};

int mst_bench_main(int argc, char **argv, const struct mst_bench_entry *entries, size_t count);

#define B(name, fn)                                                                                \
    {                                                                                              \
        name, fn                                                                                   \
    }
#define MST_BENCH_MAIN(...)                                                                        \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        static const struct mst_bench_entry entries[] = { __VA_ARGS__ };                           \
        return mst_bench_main(argc, argv, entries, MST_COUNT(entries));                            \
    }

#endif

/*
 * bench.c - timing, medians and the line that every benchmark prints.
 *
 * Owns:       nothing.
 * Invariants: ours and the peer's runs alternate, so that a slow phase of the machine hits both.
 */
#include "bench.h"

#include "codec/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { RUNS_MIN = 10, RUNS_DEFAULT = 11, RUNS_MAX = 1000, WARM_UP = 2 };

struct spread {
    double median, min, max;
};

/* Set once, by the command line. */
static bool is_reduced;

static double seconds_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

bool mst_bench_reduced(void)
{
    return is_reduced;
}

__attribute__((noinline)) double mst_bench_time(mst_bench_fn *fn, void *ctx)
{
    double begin = seconds_now();
    fn(ctx);
    double seconds = seconds_now() - begin;
    return seconds > 0 ? seconds : 1e-9;
}

static double time_call(const struct mst_bench_case *c, mst_bench_fn *fn)
{
    if (c->prepare)
        c->prepare(c->ctx);
    double seconds = mst_bench_time(fn, c->ctx);
    return c->kind == MST_BENCH_RATE ? c->amount / seconds : seconds * 1e9 / c->amount;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct spread spread_of(double *figures, uint32_t n)
{
    qsort(figures, n, sizeof(*figures), compare_doubles);
    double median = n % 2 ? figures[n / 2] : (figures[n / 2 - 1] + figures[n / 2]) / 2;
    return (struct spread){ .median = median, .min = figures[0], .max = figures[n - 1] };
}

/* The text behind "model name : ", or "unknown". */
static void cpu_name(char out[128])
{
    snprintf(out, 128, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[256];
    while (fgets(line, sizeof(line), file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        colon[strcspn(colon, "\n")] = 0;
        snprintf(out, 128, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    fclose(file);
}

static void write_double(struct mst_json_writer *w, const char *key, double value)
{
    /* Four significant digits are more than a benchmark can stand for. */
    char text[32];
    snprintf(text, sizeof(text), "%.4g", value);
    mst_jw_key(w, key);
    mst_jw_double(w, strtod(text, NULL));
}

static void write_spread(struct mst_json_writer *w, const struct spread *s)
{
    write_double(w, "median", s->median);
    write_double(w, "min", s->min);
    write_double(w, "max", s->max);
}

static void write_machine(struct mst_json_writer *w)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    write_double(w, "rss_mb", (double)usage.ru_maxrss / 1024);
    mst_jw_key(w, "commit");
    mst_jw_text(w, MST_COMMIT);
    mst_jw_key(w, "compiler");
#ifdef __clang__
    mst_jw_text(w, __VERSION__);
#else
    mst_jw_text(w, "gcc " __VERSION__);
#endif
    char cpu[128];
    cpu_name(cpu);
    mst_jw_key(w, "cpu");
    mst_jw_text(w, cpu);
}

static void print_line(const struct mst_bench_case *c, uint32_t runs, const struct spread *ours,
                       const struct spread *peer)
{
    MST_AUTO(mst_buf) line = { 0 };
    struct mst_json_writer w = { .out = &line };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "name");
    mst_jw_text(&w, c->name);
    mst_jw_key(&w, "unit");
    mst_jw_text(&w, c->unit);
    write_spread(&w, ours);
    mst_jw_key(&w, "runs");
    mst_jw_int(&w, runs);
    mst_jw_key(&w, "peer");
    if (peer) {
        mst_jw_object_begin(&w);
        mst_jw_key(&w, "name");
        mst_jw_text(&w, c->peer);
        write_spread(&w, peer);
        mst_jw_object_end(&w);
        write_double(&w, "ratio",
                     c->kind == MST_BENCH_RATE ? ours->median / peer->median
                                               : peer->median / ours->median);
    } else {
        mst_jw_null(&w);
        mst_jw_key(&w, "ratio");
        mst_jw_null(&w);
    }
    write_machine(&w);
    mst_jw_object_end(&w);
    printf("%.*s\n", MST_ARG(mst_buf_span(&line)));
    fflush(stdout);
}

void mst_bench_report(const struct mst_bench_case *c, double *ours, uint32_t runs, double *peers,
                      uint32_t peer_runs)
{
    if (is_reduced)
        return;
    mst_assert(runs > 0);
    struct spread our_spread = spread_of(ours, runs);
    struct spread peer_spread = { 0 };
    if (peers)
        peer_spread = spread_of(peers, peer_runs);
    print_line(c, runs, &our_spread, peers ? &peer_spread : NULL);
}

void mst_bench_measure(const struct mst_bench_case *c)
{
    if (is_reduced) {
        time_call(c, c->run);
        return;
    }
    uint32_t runs = c->runs ? c->runs : RUNS_DEFAULT;
    mst_assert(runs >= RUNS_MIN);
    mst_assert(runs <= RUNS_MAX);
    mst_assert(c->amount > 0);
    mst_assert(!c->peer == !c->peer_run);
    double *ours = mst_calloc(runs, sizeof(*ours));
    double *peers = mst_calloc(runs, sizeof(*peers));
    for (uint32_t i = 0; i < WARM_UP; i++) {
        time_call(c, c->run);
        if (c->peer_run)
            time_call(c, c->peer_run);
    }
    for (uint32_t i = 0; i < runs; i++) {
        ours[i] = time_call(c, c->run);
        if (c->peer_run)
            peers[i] = time_call(c, c->peer_run);
    }
    mst_bench_report(c, ours, runs, c->peer_run ? peers : NULL, runs);
    mst_free(ours);
    mst_free(peers);
}

static const struct mst_bench_entry *find(const char *name, const struct mst_bench_entry *entries,
                                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
    return NULL;
}

int mst_bench_main(int argc, char **argv, const struct mst_bench_entry *entries, size_t count)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < count; i++)
            printf("%s\n", entries[i].name);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--reduced") == 0) {
        is_reduced = true;
        argc--;
        argv++;
    }
    for (int i = 1; i < argc; i++) {
        if (!find(argv[i], entries, count)) {
            fprintf(stderr, "%s: no benchmark '%s'; --list names them\n", argv[0], argv[i]);
            return 2;
        }
    }
    for (int i = 1; i < argc; i++)
        find(argv[i], entries, count)->fn();
    for (size_t i = 0; argc == 1 && i < count; i++)
        entries[i].fn();
    return 0;
}

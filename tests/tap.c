/*
 * tap.c - the test harness: runs test functions, counts checks, prints TAP.
 *
 * Invariants: a test function that made no check counts as failed: it could never have. What goes
 *             to standard output is TAP alone; each failure is a "#" line before its "not ok".
 */
#include "tap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* A broken loop would drown the first failure, which is the one to look at. */
enum { FAILURES_SHOWN_MAX = 20, TEXT_SHOWN_MAX = 300 };

void t_case(struct mst_test *t, const char *name)
{
    t->case_name = name;
}

/* Starts the line of a failure; false if enough have been shown. */
static bool failure_begin(struct mst_test *t, const char *file, int line)
{
    if (++t->failures > FAILURES_SHOWN_MAX)
        return false;
    printf("# %s:%d: ", file, line);
    if (t->case_name)
        printf("case \"%s\": ", t->case_name);
    return true;
}

void t_check_(struct mst_test *t, bool ok, const char *file, int line, const char *format, ...)
{
    t->checks++;
    if (ok || !failure_begin(t, file, line))
        return;
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

void t_int_(struct mst_test *t, int64_t got, int64_t want, const char *what, const char *file,
            int line)
{
    t->checks++;
    if (got != want && failure_begin(t, file, line))
        printf("%s: got %" PRId64 ", want %" PRId64 "\n", what, got, want);
}

/* On one line, whatever is in it. */
static void print_text(struct mst_str s)
{
    if (!s.p) {
        printf("(absent)");
        return;
    }
    printf("\"");
    for (size_t i = 0; i < s.n && i < TEXT_SHOWN_MAX; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '\n')
            printf("\\n");
        else if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            printf("\\x%02x", c);
        else
            putchar(c);
    }
    printf(s.n > TEXT_SHOWN_MAX ? "\"... (%zu bytes)" : "\"", s.n);
}

void t_str_(struct mst_test *t, struct mst_str got, struct mst_str want, const char *what,
            const char *file, int line)
{
    t->checks++;
    /* Absent and empty are different answers. */
    if (mst_str_eq(got, want) && !got.p == !want.p)
        return;
    if (!failure_begin(t, file, line))
        return;
    printf("%s: got ", what);
    print_text(got);
    printf(", want ");
    print_text(want);
    printf("\n");
}

static bool run_one(const struct mst_test_entry *entry, size_t number)
{
    struct mst_test t = { .name = entry->name };
    entry->fn(&t);
    if (t.failures > FAILURES_SHOWN_MAX)
        printf("# ... and %u more\n", t.failures - FAILURES_SHOWN_MAX);
    if (t.checks == 0)
        printf("# %s: no check was made\n", entry->name);
    bool ok = t.failures == 0 && t.checks > 0;
    printf("%s %zu - %s\n", ok ? "ok" : "not ok", number, entry->name);
    (void)fflush(stdout);
    return ok;
}

static const struct mst_test_entry *find(const struct mst_test_entry *tests, size_t count,
                                         const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(tests[i].name, name) == 0)
            return &tests[i];
    return NULL;
}

int mst_test_main(int argc, char **argv, const struct mst_test_entry *tests, size_t count)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < count; i++)
            printf("%s\n", tests[i].name);
        return 0;
    }
    for (int i = 1; i < argc; i++) {
        if (!find(tests, count, argv[i])) {
            (void)fprintf(stderr, "%s: no test function \"%s\" (see --list)\n", argv[0], argv[i]);
            return 2;
        }
    }
    size_t run_count = argc > 1 ? (size_t)argc - 1 : count;
    bool ok = true;
    printf("1..%zu\n", run_count);
    for (size_t i = 0; i < run_count; i++)
        ok &= run_one(argc > 1 ? find(tests, count, argv[i + 1]) : &tests[i], i + 1);
    return ok ? 0 : 1;
}

/*
 * tap.h - the test harness: each test file is one program that prints TAP.
 *
 *     static void test_fit_cpu(struct mst_test *t)
 *     {
 *         for (size_t i = 0; i < MST_COUNT(cases); i++) {
 *             t_case(t, cases[i].name);
 *             t_bool(t, fits(cases[i].request), cases[i].fits);
 *         }
 *     }
 *     MST_TEST_MAIN(T(test_fit_cpu), T(test_fit_memory))
 *
 * A failed check prints file, line, case, both values, and goes on; the function counts as failed.
 * Command line: names of test functions to run (default: all), `--list`.
 */
#ifndef MST_TAP_H
#define MST_TAP_H

#include "base/base.h"

struct mst_test {
    const char *name;      /* of the running test function */
    const char *case_name; /* set by t_case, shown with failures */
    uint32_t checks, failures;
};

typedef void mst_test_fn(struct mst_test *t);
struct mst_test_entry {
    const char *name;
    mst_test_fn *fn;
};

int mst_test_main(int argc, char **argv, const struct mst_test_entry *tests, size_t count);

/* clang-format off */
#define T(fn) { #fn, fn }
/* clang-format on */
#define MST_TEST_MAIN(...)                                                                         \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        static const struct mst_test_entry tests[] = { __VA_ARGS__ };                              \
        return mst_test_main(argc, argv, tests, MST_COUNT(tests));                                 \
    }

void t_case(struct mst_test *t, const char *name);
void t_check_(struct mst_test *t, bool ok, const char *file, int line, const char *format, ...)
    MST_PRINTF(5, 6);
void t_int_(struct mst_test *t, int64_t got, int64_t want, const char *what, const char *file,
            int line);
void t_str_(struct mst_test *t, struct mst_str got, struct mst_str want, const char *what,
            const char *file, int line);

/* The first argument after t is what the code gave, the second what is right. */
#define t_ok(t, condition) t_check_((t), (condition), __FILE__, __LINE__, "%s", #condition)
#define t_bool(t, got, want) t_int_((t), (got), (want), #got, __FILE__, __LINE__)
#define t_int(t, got, want) t_int_((t), (int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)
#define t_str(t, got, want) t_str_((t), (got), mst_str_of(want), #got, __FILE__, __LINE__)
#define t_text(t, got, want)                                                                       \
    t_str_((t), mst_str_of(got), mst_str_of(want), #got, __FILE__, __LINE__)
/* Fails with a message of its own. */
#define t_fail(t, ...) t_check_((t), false, __FILE__, __LINE__, __VA_ARGS__)

#endif

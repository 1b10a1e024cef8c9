/*
 * report_fixture.h - a finished run, for the tests of reports.
 */
#ifndef MST_REPORT_FIXTURE_H
#define MST_REPORT_FIXTURE_H

#include "cli/report.h"
#include "sim_fixture.h"

struct reported {
    struct fixture f;
    struct mst_run run;
    struct mst_buf out;
};

static inline void report_init(struct reported *r, const char *text)
{
    struct mst_err err;
    *r = (struct reported){ 0 };
    fixture_init(&r->f, ".yaml", text);
    mst_assert(r->f.loaded);
    struct mst_run_options options = fixture_options(&r->f);
    mst_assert(mst_run_init(&r->run, &options, &err) == MST_OK);
    mst_run_go(&r->run);
}

static inline void report_print(struct reported *r, bool wide, bool explain)
{
    r->out.n = 0;
    mst_report_print(&r->run, &(struct mst_report_options){ .wide = wide, .explain = explain },
                     &r->out);
}

static inline void report_done(struct reported *r)
{
    mst_run_done(&r->run);
    mst_buf_done(&r->out);
    fixture_done(&r->f);
}

/* The first line of the output that begins with `name` and a blank, or "". */
static inline struct mst_str report_line(const struct reported *r, const char *name)
{
    struct mst_str rest = mst_buf_span(&r->out);
    size_t n = strlen(name);
    while (rest.n) {
        const char *end = memchr(rest.p, '\n', rest.n);
        size_t line_n = end ? (size_t)(end - rest.p) : rest.n;
        if (line_n > n && memcmp(rest.p, name, n) == 0 && rest.p[n] == ' ')
            return (struct mst_str){ rest.p, line_n };
        line_n += end != NULL;
        rest.p += line_n;
        rest.n -= line_n;
    }
    return MST_STR("");
}

#endif

/*
 * yaml_split.c - cuts a stream into documents before anything reads it, so that a document that
 * cannot be read costs only itself.
 *
 * Owns:       nothing.
 * Invariants: a line that begins with "---" or "..." and then a blank or its end is a marker
 *             wherever it stands; YAML forbids it inside scalars, so cutting there is exact.
 */
#include "codec/yaml_internal.h"

typedef enum { LINE_BLANK, LINE_DIRECTIVE, LINE_CONTENT, LINE_BEGIN, LINE_END } line_kind;

/* A blank line, also one with a comment only; "%..."; "---"; "..."; anything else. */
static line_kind classify_line(const char *p, const char *end)
{
    if (end - p >= 3 && (end - p == 3 || memchr(" \t\r", p[3], 3))) {
        if (memcmp(p, "---", 3) == 0)
            return LINE_BEGIN;
        if (memcmp(p, "...", 3) == 0)
            return LINE_END;
    }
    if (p < end && *p == '%')
        return LINE_DIRECTIVE;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p == end || *p == '#' ? LINE_BLANK : LINE_CONTENT;
}

struct mst_str mst_yaml_take(struct mst_yaml_reader *r, uint32_t *line)
{
    static const char bom[] = "\xEF\xBB\xBF";
    if (mst_str_has_prefix(r->rest, bom))
        r->rest = (struct mst_str){ r->rest.p + 3, r->rest.n - 3 };
    const char *begin = r->rest.p, *end = begin + r->rest.n, *p = begin;
    bool started = false, ended = false, blank = true;
    *line = r->line;
    while (p < end && !ended) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        line_kind kind = classify_line(p, newline ? newline : end);
        if (kind == LINE_BEGIN && started)
            break;
        p = newline ? newline + 1 : end;
        r->line += newline != NULL;
        ended = kind == LINE_END && started;
        blank = blank && (kind == LINE_BLANK || kind == LINE_END);
        if (kind == LINE_BEGIN || kind == LINE_CONTENT)
            started = true;
        if (kind == LINE_END && !started) {
            begin = p;
            *line = r->line;
        }
    }
    r->rest = (struct mst_str){ p, (size_t)(end - p) };
    return (struct mst_str){ begin, blank ? 0 : (size_t)(p - begin) };
}

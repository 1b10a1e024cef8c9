/*
 * random_json.h - random JSON texts for the codec's property tests: valid ones, and mutations.
 */
#ifndef MST_RANDOM_JSON_H
#define MST_RANDOM_JSON_H

#include "base/mem.h"
#include "base/rng.h"

static inline uint32_t random_below(struct mst_rng *rng, uint32_t bound)
{
    return (uint32_t)mst_rng_below(rng, bound);
}

static inline void random_space(struct mst_rng *rng, struct mst_buf *out)
{
    static const char *const spaces[] = { "", "", "", "", " ", "\n", "\t", "\r\n    ", "  " };
    mst_buf_text(out, spaces[random_below(rng, MST_COUNT(spaces))]);
}

/* The inside of a string. Pieces that are special to JSON, YAML or both come up often. */
static inline void random_string(struct mst_rng *rng, struct mst_buf *out)
{
    static const char *const pieces[] = {
        "a",
        "name",
        "kubernetes.io/",
        " ",
        ":",
        ": ",
        "- ",
        "#",
        " #",
        "\\n",
        "\\n",
        "\\t",
        "\\\"",
        "\\\\",
        "\\/",
        "\\u0000",
        "\\u0041",
        "\\ud83d\\ude00",
        "\\u00e9",
        "\xC3\xA9",
        "\xE2\x82\xAC",
        "\xF0\x9F\x98\x80",
        "true",
        "null",
        "~",
        "1",
        "0x1F",
        "1e3",
        ".5",
        "-",
        "---",
        "...",
        "'",
        "{",
        "}",
        "[",
        "]",
        ",",
        "&a",
        "*a",
        "!",
        "%",
        "@",
        "`",
        "|",
        ">",
        "?",
        "=",
        "<<",
        "yes",
        "\\r",
        "\\u0085",
        "\\u2028",
        "\\ufeff",
        "\\u007f",
        "2024-01-01",
        "12:30",
        "a longer run of plain text",
    };
    uint32_t n = random_below(rng, 8);
    for (uint32_t i = 0; i < n; i++)
        mst_buf_text(out, pieces[random_below(rng, MST_COUNT(pieces))]);
}

/* Canonical numbers only: YAML and JSON give the same text for them. */
static inline void random_number(struct mst_rng *rng, struct mst_buf *out)
{
    static const char *const numbers[] = { "0",
                                           "-1",
                                           "1.5",
                                           "-0.25",
                                           "1e+21",
                                           "1.5e-7",
                                           "123456789",
                                           "9223372036854775807",
                                           "-9223372036854775808",
                                           "0.1" };
    if (random_below(rng, 2))
        mst_buf_printf(out, "%d", (int)random_below(rng, 2000000) - 1000000);
    else
        mst_buf_text(out, numbers[random_below(rng, MST_COUNT(numbers))]);
}

static inline void random_scalar(struct mst_rng *rng, struct mst_buf *out)
{
    static const char *const words[] = { "null", "true", "false" };
    uint32_t kind = random_below(rng, 8);
    if (kind < 3) {
        mst_buf_text(out, words[kind]);
    } else if (kind == 3) {
        random_number(rng, out);
    } else {
        mst_buf_char(out, '"');
        random_string(rng, out);
        mst_buf_char(out, '"');
    }
}

/* Keys may repeat only if `repeat`. */
static inline void random_value(struct mst_rng *rng, struct mst_buf *out, uint32_t depth,
                                bool repeat)
{
    random_space(rng, out);
    uint32_t kind = depth ? random_below(rng, 4) : 3;
    if (kind >= 2) {
        random_scalar(rng, out);
        random_space(rng, out);
        return;
    }
    bool object = kind == 0;
    uint32_t n = random_below(rng, random_below(rng, 8) ? 6 : 30);
    mst_buf_char(out, object ? '{' : '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            mst_buf_char(out, ',');
        if (object) {
            random_space(rng, out);
            mst_buf_char(out, '"');
            if (!repeat)
                mst_buf_printf(out, "%u_", i); /* ends with no digit: 1 + "1" is not 11 */
            random_string(rng, out);
            mst_buf_text(out, "\":");
        }
        /* tidy: allow recursion: depth counts down from the caller's bound */
        random_value(rng, out, depth - 1, repeat);
    }
    random_space(rng, out);
    mst_buf_char(out, object ? '}' : ']');
    random_space(rng, out);
}

/* Changes, removes, doubles or inserts a byte or two. */
static inline void random_mutation(struct mst_rng *rng, struct mst_buf *text)
{
    static const char bytes[] = "{}[]\",:\\u0019eE+-.tfn \n\t\x01\x7F\x80\xC3\xED\xA0\xF4\xFF";
    uint32_t changes = 1 + random_below(rng, 2);
    for (uint32_t i = 0; i < changes && text->n; i++) {
        size_t at = random_below(rng, (uint32_t)text->n);
        char c = bytes[random_below(rng, sizeof(bytes))]; /* a NUL too */
        switch (random_below(rng, 3)) {
        case 0: text->p[at] = c; break;
        case 1:
            memmove(text->p + at, text->p + at + 1, text->n - at - 1);
            text->n--;
            break;
        default:
            mst_buf_char(text, 0);
            memmove(text->p + at + 1, text->p + at, text->n - at - 1);
            text->p[at] = c;
            break;
        }
    }
}

#endif

/*
 * node_selector.c - node selectors as comparisons of symbols over columns.
 *
 * Owns:       nothing: compiled terms live in the caller's arena.
 * Invariants: values of a requirement are sorted; answers depend on the row's labels and name only
 *             (the cache of parsed numbers is keyed by symbol, whose text never changes).
 * Not here:   parse errors' words (api/), what a match is good for (node_affinity.c).
 */
#include "plugins/node_selector.h"
#include "base/sort.h"

enum { FEW_VALUES = 8, NUMBER_SLOTS = 64 };

/* Whether a label value satisfies Gt or Lt, by symbol; direct mapped. */
struct number_cache {
    mst_sym value[NUMBER_SLOTS];
    bool matches[NUMBER_SLOTS];
};

typedef enum { ON_LABEL, ON_NAME, ON_NOTHING } requirement_subject;

struct mst_compiled_requirement {
    requirement_subject subject;
    mst_selector_op op;
    mst_sym key;
    mst_sym *values; /* sorted */
    uint32_t value_count;
    int64_t bound; /* Gt, Lt */
    struct mst_syms *syms;
    struct number_cache *cache;
};

/* Base-10 int64 with an optional sign, as Go's ParseInt(s, 10, 64). */
static bool parse_int64(struct mst_str text, int64_t *out)
{
    const bool negative = text.n && text.p[0] == '-';
    size_t i = text.n && (text.p[0] == '-' || text.p[0] == '+');
    if (i == text.n)
        return false;
    int64_t value = 0;
    for (; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        const int digit = text.p[i] - '0';
        if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_sub_overflow(value, (int64_t)digit, &value))
            return false;
    }
    /* Collected below zero, where there is one number more. */
    if (!negative && value == INT64_MIN)
        return false;
    *out = negative ? value : -value;
    return true;
}

static int by_sym(const void *a_, const void *b_, void *ctx)
{
    (void)ctx;
    const mst_sym a = *(const mst_sym *)a_, b = *(const mst_sym *)b_;
    return (a > b) - (a < b);
}

static bool has_value(const struct mst_compiled_requirement *r, mst_sym value)
{
    uint32_t low = 0, high = r->value_count;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (r->values[mid] < value)
            low = mid + 1;
        else
            high = mid;
    }
    return low < r->value_count && r->values[low] == value;
}

/* ---- compiling ---- */

static void compile_requirement(struct mst_syms *syms, const struct mst_requirement *in,
                                bool on_field, struct mst_arena *arena,
                                struct mst_compiled_requirement *out)
{
    *out = (struct mst_compiled_requirement){
        .op = in->op,
        .key = in->key,
        .value_count = in->values.n,
        .syms = syms,
    };
    if (on_field) /* nodes have one field; any other reads as "" */
        out->subject =
            mst_str_is(mst_sym_str(syms, in->key), "metadata.name") ? ON_NAME : ON_NOTHING;
    out->values = MST_NEW_N(arena, mst_sym, in->values.n);
    if (in->values.n)
        memcpy(out->values, in->values.v, in->values.n * sizeof(mst_sym));
    mst_sort(out->values, out->value_count, sizeof(mst_sym), by_sym, NULL);
    if (in->op == MST_OP_GT || in->op == MST_OP_LT) {
        const bool ok = parse_int64(mst_sym_str(syms, in->values.v[0]), &out->bound);
        mst_assert(ok); /* otherwise the term has an error and is not compiled */
        out->cache = MST_NEW(arena, struct number_cache);
    }
}

static bool is_empty(const struct mst_node_selector_term *term)
{
    return term->match_expressions.n == 0 && term->match_fields.n == 0;
}

static void compile_term(struct mst_syms *syms, const struct mst_node_selector_term *term,
                         struct mst_arena *arena, struct mst_compiled_term *out)
{
    const uint32_t labels = term->match_expressions.n, fields = term->match_fields.n;
    out->v = MST_NEW_N(arena, struct mst_compiled_requirement, labels + fields);
    out->n = labels + fields;
    for (uint32_t i = 0; i < labels; i++)
        compile_requirement(syms, &term->match_expressions.v[i], false, arena, &out->v[i]);
    for (uint32_t i = 0; i < fields; i++)
        compile_requirement(syms, &term->match_fields.v[i], true, arena, &out->v[labels + i]);
}

void mst_terms_compile(struct mst_syms *syms, const struct mst_node_selector *selector,
                       struct mst_arena *arena, struct mst_compiled_terms *out)
{
    *out = (struct mst_compiled_terms){
        .v = MST_NEW_N(arena, struct mst_compiled_term, selector->terms.n),
    };
    for (uint32_t i = 0; i < selector->terms.n; i++) {
        const struct mst_node_selector_term *term = &selector->terms.v[i];
        if (is_empty(term) || mst_node_term_error(syms, term, arena).p)
            continue;
        compile_term(syms, term, arena, &out->v[out->n++]);
    }
}

struct mst_str mst_terms_compile_preferred(struct mst_syms *syms,
                                           const struct mst_node_affinity *affinity,
                                           struct mst_arena *arena, struct mst_compiled_terms *out)
{
    *out = (struct mst_compiled_terms){
        .v = MST_NEW_N(arena, struct mst_compiled_term, affinity->preferred.n),
    };
    for (uint32_t i = 0; i < affinity->preferred.n; i++) {
        const struct mst_preferred_node *p = &affinity->preferred.v[i];
        if (p->weight == 0 || is_empty(&p->preference))
            continue;
        const struct mst_str error = mst_node_term_error(syms, &p->preference, arena);
        if (error.p)
            return error;
        compile_term(syms, &p->preference, arena, &out->v[out->n]);
        out->v[out->n++].weight = p->weight;
    }
    return MST_STR_NONE;
}

void mst_term_compile_pairs(const mst_labels *pairs, struct mst_arena *arena,
                            struct mst_compiled_term *out)
{
    *out = (struct mst_compiled_term){
        .v = MST_NEW_N(arena, struct mst_compiled_requirement, pairs->n),
        .n = pairs->n,
    };
    for (uint32_t i = 0; i < pairs->n; i++) {
        out->v[i] = (struct mst_compiled_requirement){
            .op = MST_OP_IN,
            .key = pairs->v[i].key,
            .values = MST_NEW(arena, mst_sym),
            .value_count = 1,
        };
        out->v[i].values[0] = pairs->v[i].value;
    }
}

/* ---- matching ---- */

MST_VECTOR
static void or_equal(const mst_sym *column, mst_sym value, uint8_t *hit, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        hit[i] |= column[i] == value;
}

MST_VECTOR
static void and_equal(const uint8_t *hit, uint8_t want, uint8_t *match, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        match[i] &= hit[i] == want;
}

static bool number_matches(const struct mst_compiled_requirement *r, mst_sym value)
{
    if (value == MST_SYM_NONE)
        return false;
    const uint32_t slot = value % NUMBER_SLOTS;
    if (r->cache->value[slot] != value) {
        int64_t number;
        r->cache->matches[slot] = parse_int64(mst_sym_str(r->syms, value), &number) &&
                                  (r->op == MST_OP_GT ? number > r->bound : number < r->bound);
        r->cache->value[slot] = value;
    }
    return r->cache->matches[slot];
}

/* hit[i] = 1 where the value is one of the requirement's. */
static void match_values(const struct mst_compiled_requirement *r, const mst_sym *column,
                         uint8_t *hit, uint32_t n)
{
    memset(hit, 0, n);
    if (r->value_count <= FEW_VALUES) {
        for (uint32_t j = 0; j < r->value_count; j++)
            or_equal(column, r->values[j], hit, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        hit[i] = has_value(r, column[i]);
}

static void requirement_and(const struct mst_compiled_requirement *r, const mst_sym *column,
                            uint8_t *match, uint32_t n)
{
    uint8_t hit[MST_BLOCK_ROWS];
    switch (r->op) {
    case MST_OP_IN:
    case MST_OP_NOT_IN:
        match_values(r, column, hit, n);
        and_equal(hit, r->op == MST_OP_IN, match, n);
        return;
    case MST_OP_EXISTS:
    case MST_OP_DOES_NOT_EXIST:
        memset(hit, 0, n);
        or_equal(column, MST_SYM_NONE, hit, n);
        and_equal(hit, r->op == MST_OP_DOES_NOT_EXIST, match, n);
        return;
    case MST_OP_GT:
    case MST_OP_LT:
        for (uint32_t i = 0; i < n; i++)
            match[i] = match[i] && number_matches(r, column[i]);
        return;
    case MST_OP_INVALID: break;
    }
    mst_assert(!"operator");
}

void mst_term_and(struct mst_nodes *nodes, const struct mst_compiled_term *term, uint32_t at,
                  uint32_t n, uint8_t *match)
{
    static const mst_sym empty = MST_SYM_EMPTY;
    mst_assert(n <= MST_BLOCK_ROWS);
    for (uint32_t i = 0; i < term->n; i++) {
        const struct mst_compiled_requirement *r = &term->v[i];
        switch (r->subject) {
        case ON_LABEL: requirement_and(r, mst_nodes_label(nodes, r->key) + at, match, n); break;
        case ON_NAME: requirement_and(r, nodes->name + at, match, n); break;
        case ON_NOTHING: {
            uint8_t all = 1;
            requirement_and(r, &empty, &all, 1);
            if (!all)
                memset(match, 0, n);
            break;
        }
        }
    }
}

void mst_terms_match(struct mst_nodes *nodes, const struct mst_compiled_terms *terms, uint32_t at,
                     uint32_t n, uint8_t *match)
{
    memset(match, 0, n);
    for (uint32_t t = 0; t < terms->n; t++) {
        uint8_t term_match[MST_BLOCK_ROWS];
        memset(term_match, 1, n);
        mst_term_and(nodes, &terms->v[t], at, n, term_match);
        for (uint32_t i = 0; i < n; i++)
            match[i] |= term_match[i];
    }
}

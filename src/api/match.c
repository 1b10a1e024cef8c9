/*
 * match.c - label selectors, node selector terms, tolerations against labels and taints.
 *
 * These are the plain answers for one object at a time; what is asked of every node is compiled by
 * `cluster` from the same structs.
 * Source: spec/api.md 16, spec/plugins.md 3.4, 3.5; kubernetes v1.37 component-helpers
 *         scheduling/corev1/nodeaffinity, apimachinery pkg/labels.
 */
#include "api/api_internal.h"
#include "api/names.h"

mst_sym mst_labels_get(mst_labels labels, mst_sym key)
{
    for (uint32_t i = 0; i < labels.n; i++)
        if (labels.v[i].key == key)
            return labels.v[i].value;
    return MST_SYM_NONE;
}

static bool lists(const mst_sym_list *values, mst_sym value)
{
    for (uint32_t i = 0; i < values->n; i++)
        if (values->v[i] == value)
            return true;
    return false;
}

/* ---- label selectors ---- */

static bool requirement_ok(const struct mst_requirement *r)
{
    switch (r->op) {
    case MST_OP_IN:
    case MST_OP_NOT_IN: return r->values.n > 0;
    case MST_OP_EXISTS:
    case MST_OP_DOES_NOT_EXIST: return r->values.n == 0;
    case MST_OP_GT:
    case MST_OP_LT:
    case MST_OP_INVALID: break;
    }
    return false;
}

/* `value` is what the labels have under the requirement's key, MST_SYM_NONE when nothing. */
static bool set_requirement_matches(const struct mst_requirement *r, mst_sym value)
{
    switch (r->op) {
    case MST_OP_IN: return value != MST_SYM_NONE && lists(&r->values, value);
    case MST_OP_NOT_IN: return value == MST_SYM_NONE || !lists(&r->values, value);
    case MST_OP_EXISTS: return value != MST_SYM_NONE;
    case MST_OP_DOES_NOT_EXIST: return value == MST_SYM_NONE;
    case MST_OP_GT:
    case MST_OP_LT:
    case MST_OP_INVALID: break;
    }
    return false;
}

bool mst_label_selector_matches(const struct mst_label_selector *selector, mst_labels labels,
                                bool *ret_bad)
{
    *ret_bad = false;
    if (!selector->set)
        return false;
    for (uint32_t i = 0; i < selector->match_expressions.n; i++)
        if (!requirement_ok(&selector->match_expressions.v[i]))
            *ret_bad = true;
    if (*ret_bad)
        return false;
    for (uint32_t i = 0; i < selector->match_labels.n; i++)
        if (mst_labels_get(labels, selector->match_labels.v[i].key) !=
            selector->match_labels.v[i].value)
            return false;
    for (uint32_t i = 0; i < selector->match_expressions.n; i++) {
        const struct mst_requirement *r = &selector->match_expressions.v[i];
        if (!set_requirement_matches(r, mst_labels_get(labels, r->key)))
            return false;
    }
    return true;
}

/* ---- node selector terms ---- */

bool mst_str_int64(struct mst_str s, int64_t *out)
{
    size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+');
    bool negative = i && s.p[0] == '-';
    if (i == s.n)
        return false;
    int64_t value = 0; /* kept negative, so that INT64_MIN fits */
    for (; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9' || __builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_sub_overflow(value, (int64_t)(s.p[i] - '0'), &value))
            return false;
    }
    if (!negative && value == INT64_MIN)
        return false;
    *out = negative ? value : -value;
    return true;
}

/* Where errors go: counted always, kept as text when there is an arena. */
struct errors {
    struct mst_syms *syms;
    struct mst_arena *arena; /* NULL: only count */
    struct mst_buf text;
    uint32_t n;
};

static void complain(struct errors *e, const char *list, uint32_t i, struct mst_str tail)
{
    if (e->arena)
        mst_buf_printf(&e->text, "%s%s[%u].%.*s", e->n ? ", " : "", list, i, MST_ARG(tail));
    e->n++;
}

/* ["a","b"], null without values: the JSON that upstream shows. */
static struct mst_str values_json(struct errors *e, const mst_sym_list *values)
{
    if (!values->v)
        return MST_STR("null");
    MST_AUTO(mst_buf) buf = { 0 };
    struct mst_json_writer w = { .out = &buf };
    mst_jw_array_begin(&w);
    for (uint32_t i = 0; i < values->n; i++)
        mst_jw_str(&w, mst_sym_str(e->syms, values->v[i]));
    mst_jw_array_end(&w);
    return mst_arena_str(e->arena, mst_buf_span(&buf));
}

static void complain_values(struct errors *e, const char *list, uint32_t i,
                            const struct mst_requirement *r, const char *detail)
{
    struct mst_str tail = MST_STR_NONE;
    if (e->arena)
        tail = mst_arena_printf(e->arena, "values: Invalid value: %.*s: %s",
                                MST_ARG(values_json(e, &r->values)), detail);
    complain(e, list, i, tail);
}

static void complain_operator(struct errors *e, const char *list, uint32_t i,
                              const struct mst_requirement *r, const char *supported)
{
    struct mst_str tail = MST_STR_NONE;
    if (e->arena)
        tail = mst_arena_printf(e->arena, "operator: Unsupported value: %.*s: supported values: %s",
                                MST_ARG(mst_go_quote(e->arena, r->op_text)), supported);
    complain(e, list, i, tail);
}

static void check_syntax(struct errors *e, uint32_t i, const char *what, mst_name_rule rule,
                         struct mst_str text)
{
    struct mst_name_texts bad = mst_name_check(rule, MST_LENGTH_IN_BYTES, text);
    if (bad.n == 0)
        return;
    struct mst_str tail = MST_STR_NONE;
    if (e->arena) {
        MST_AUTO(mst_buf) joined = { 0 };
        for (uint32_t k = 0; k < bad.n; k++)
            mst_buf_printf(&joined, "%s%s", k ? "; " : "", bad.v[k]);
        tail =
            mst_arena_printf(e->arena, "%s: Invalid value: %.*s: %.*s", what,
                             MST_ARG(mst_go_quote(e->arena, text)), MST_ARG(mst_buf_span(&joined)));
    }
    complain(e, "matchExpressions", i, tail);
}

static const char *values_fault(const struct mst_requirement *r)
{
    switch (r->op) {
    case MST_OP_IN:
    case MST_OP_NOT_IN:
        return r->values.n ? NULL : "for 'in', 'notin' operators, values set can't be empty";
    case MST_OP_EXISTS:
    case MST_OP_DOES_NOT_EXIST:
        return r->values.n ? "values set must be empty for exists and does not exist" : NULL;
    case MST_OP_GT:
    case MST_OP_LT:
        return r->values.n == 1 ? NULL : "for 'Gt', 'Lt' operators, exactly one value is required";
    case MST_OP_INVALID: break;
    }
    return NULL;
}

static void check_expression(struct errors *e, uint32_t i, const struct mst_requirement *r)
{
    if (r->op == MST_OP_INVALID) {
        complain_operator(e, "matchExpressions", i, r,
                          "\"DoesNotExist\", \"Exists\", \"Gt\", \"In\", \"Lt\", \"NotIn\"");
        return;
    }
    check_syntax(e, i, "key", MST_NAME_LABEL_KEY, mst_sym_str(e->syms, r->key));
    const char *fault = values_fault(r);
    if (fault)
        complain_values(e, "matchExpressions", i, r, fault);
    for (uint32_t k = 0; k < r->values.n && (r->op == MST_OP_GT || r->op == MST_OP_LT); k++) {
        struct mst_str value = mst_sym_str(e->syms, r->values.v[k]);
        int64_t num;
        if (mst_str_int64(value, &num))
            continue;
        struct mst_str tail = MST_STR_NONE;
        if (e->arena)
            tail = mst_arena_printf(e->arena,
                                    "values[%u]: Invalid value: %.*s: for 'Gt', 'Lt' "
                                    "operators, the value must be an integer",
                                    k, MST_ARG(mst_go_quote(e->arena, value)));
        complain(e, "matchExpressions", i, tail);
    }
    for (uint32_t k = 0; k < r->values.n; k++) {
        struct mst_str value = mst_sym_str(e->syms, r->values.v[k]);
        struct mst_str what = MST_STR("values");
        if (e->arena)
            what = mst_arena_printf(e->arena, "values[%u][%.*s]", k,
                                    MST_ARG(mst_sym_str(e->syms, r->key)));
        check_syntax(e, i, what.p, MST_NAME_LABEL_VALUE, value);
    }
}

static void check_term(struct errors *e, const struct mst_node_selector_term *term)
{
    for (uint32_t i = 0; i < term->match_expressions.n; i++)
        check_expression(e, i, &term->match_expressions.v[i]);
    for (uint32_t i = 0; i < term->match_fields.n; i++) {
        const struct mst_requirement *r = &term->match_fields.v[i];
        if (r->op != MST_OP_IN && r->op != MST_OP_NOT_IN)
            complain_operator(e, "matchFields", i, r, "\"In\", \"NotIn\"");
        else if (r->values.n != 1)
            complain_values(e, "matchFields", i, r, "must have one element");
    }
}

struct mst_str mst_node_term_error(struct mst_syms *syms, const struct mst_node_selector_term *term,
                                   struct mst_arena *arena)
{
    struct errors e = { .syms = syms, .arena = arena };
    check_term(&e, term);
    struct mst_str text = MST_STR_NONE;
    if (e.n == 1)
        text = mst_arena_str(arena, mst_buf_span(&e.text));
    else if (e.n > 1)
        text = mst_arena_printf(arena, "[%.*s]", MST_ARG(mst_buf_span(&e.text)));
    mst_buf_done(&e.text);
    return text;
}

static bool number_matches(struct mst_syms *syms, const struct mst_requirement *r, mst_sym value)
{
    int64_t label, operand;
    if (value == MST_SYM_NONE || !mst_str_int64(mst_sym_str(syms, value), &label) ||
        !mst_str_int64(mst_sym_str(syms, r->values.v[0]), &operand))
        return false;
    return r->op == MST_OP_GT ? label > operand : label < operand;
}

bool mst_node_term_matches(struct mst_syms *syms, const struct mst_node_selector_term *term,
                           mst_labels labels, mst_sym node_name)
{
    struct errors e = { .syms = syms };
    if (term->match_expressions.n == 0 && term->match_fields.n == 0)
        return false;
    check_term(&e, term);
    if (e.n > 0)
        return false;
    for (uint32_t i = 0; i < term->match_expressions.n; i++) {
        const struct mst_requirement *r = &term->match_expressions.v[i];
        mst_sym value = mst_labels_get(labels, r->key);
        bool number = r->op == MST_OP_GT || r->op == MST_OP_LT;
        if (!(number ? number_matches(syms, r, value) : set_requirement_matches(r, value)))
            return false;
    }
    bool named = node_name != MST_SYM_NONE && node_name != MST_SYM_EMPTY;
    for (uint32_t i = 0; i < term->match_fields.n && named; i++) {
        const struct mst_requirement *r = &term->match_fields.v[i];
        bool is_name =
            r->key != MST_SYM_NONE && mst_str_is(mst_sym_str(syms, r->key), "metadata.name");
        /* A field that nodes do not have reads as "". */
        bool equal = r->values.v[0] == (is_name ? node_name : (mst_sym)MST_SYM_EMPTY);
        if (equal != (r->op == MST_OP_IN))
            return false;
    }
    return true;
}

/* ---- tolerations ---- */

bool mst_str_is_decimal(struct mst_str s)
{
    const size_t i = s.n > 1 && s.p[0] == '-';
    if (s.n == i || s.p[i] < '0' || s.p[i] > '9')
        return false;
    if (s.p[i] == '0')
        return s.n == 1;
    for (size_t k = i; k < s.n; k++)
        if (s.p[k] < '0' || s.p[k] > '9')
            return false;
    return true;
}

/* The taint's number is less than (greater than) the toleration's; false if one is no number. */
static bool compares(struct mst_syms *syms, const struct mst_toleration *toleration,
                     const struct mst_taint *taint, bool less)
{
    const struct mst_str mine = mst_sym_str(syms, toleration->value);
    const struct mst_str theirs = mst_sym_str(syms, taint->value);
    int64_t limit, value;
    if (!mst_str_is_decimal(mine) || !mst_str_is_decimal(theirs) || !mst_str_int64(mine, &limit) ||
        !mst_str_int64(theirs, &value))
        return false;
    return less ? value < limit : value > limit;
}

bool mst_toleration_tolerates(struct mst_syms *syms, const struct mst_toleration *toleration,
                              const struct mst_taint *taint, bool comparison)
{
    if (toleration->effect != MST_SYM_EMPTY && toleration->effect != taint->effect)
        return false;
    if (toleration->key != MST_SYM_EMPTY && toleration->key != taint->key)
        return false;
    if (toleration->op == MST_SYM_EMPTY)
        return toleration->value == taint->value;
    struct mst_str op = mst_sym_str(syms, toleration->op);
    if (mst_str_is(op, "Equal"))
        return toleration->value == taint->value;
    if (comparison && (mst_str_is(op, "Lt") || mst_str_is(op, "Gt")))
        return compares(syms, toleration, taint, mst_str_is(op, "Lt"));
    return mst_str_is(op, "Exists");
}

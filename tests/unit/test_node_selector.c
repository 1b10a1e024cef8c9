/* Compiled node selectors against the one-object matcher of api/, on random terms and labels. */
#include "base/rng.h"
#include "cluster_helper.h"
#include "plugins/node_selector.h"
#include "tap.h"

enum { NODES = 300, KEYS = 4 };
static const char *const values[] = {
    "1", "2", "-3", "+4", "007", "9223372036854775807", "9223372036854775808",
    "",  "a", "b",  "c",  "-"
};

static struct mst_fixture *random_nodes(struct mst_rng *rng)
{
    MST_AUTO(mst_buf) yaml = { 0 };
    for (uint32_t i = 0; i < NODES; i++) {
        mst_buf_printf(&yaml,
                       "---\nkind: Node\napiVersion: v1\nmetadata:\n  name: n%u\n  labels:\n", i);
        mst_buf_text(&yaml, "    any: x\n");
        for (uint32_t k = 0; k < KEYS; k++)
            if (mst_rng_below(rng, 3))
                mst_buf_printf(&yaml, "    k%u: '%s'\n", k,
                               values[mst_rng_below(rng, MST_COUNT(values))]);
    }
    mst_buf_char(&yaml, '\0');
    return fixture_new(yaml.p);
}

static void random_requirement(struct mst_fixture *f, struct mst_rng *rng, bool field,
                               struct mst_requirement *out)
{
    static const mst_selector_op ops[] = { MST_OP_IN,     MST_OP_NOT_IN,
                                           MST_OP_EXISTS, MST_OP_DOES_NOT_EXIST,
                                           MST_OP_GT,     MST_OP_LT,
                                           MST_OP_INVALID };
    const bool name = field && mst_rng_below(rng, 8);
    *out = (struct mst_requirement){ .op_text = MST_STR("op") };
    out->op = ops[mst_rng_below(rng, field ? 2 : mst_rng_below(rng, 9) ? 6 : 7)];
    const struct mst_str key =
        field ? (name ? MST_STR("metadata.name") : MST_STR("spec.other"))
              : mst_arena_printf(&f->arena, "k%u", (unsigned)mst_rng_below(rng, KEYS + 1));
    out->key = mst_sym_of(f->syms, key);
    uint32_t n = field ? 1 : (uint32_t)mst_rng_below(rng, 12);
    if (out->op == MST_OP_GT || out->op == MST_OP_LT)
        n = mst_rng_below(rng, 8) ? 1 : 2;
    if (out->op == MST_OP_EXISTS || out->op == MST_OP_DOES_NOT_EXIST)
        n = 0;
    out->values.v = MST_NEW_N(&f->arena, mst_sym, n);
    out->values.n = n;
    for (uint32_t i = 0; i < n; i++) {
        struct mst_str text = mst_str_of(values[mst_rng_below(rng, MST_COUNT(values))]);
        if (name)
            text = mst_arena_printf(&f->arena, "n%u", (unsigned)mst_rng_below(rng, NODES));
        out->values.v[i] = mst_sym_of(f->syms, text);
    }
}

static void random_term(struct mst_fixture *f, struct mst_rng *rng,
                        struct mst_node_selector_term *out)
{
    *out = (struct mst_node_selector_term){ 0 };
    out->match_expressions.n = (uint32_t)mst_rng_below(rng, 3);
    out->match_fields.n = (uint32_t)mst_rng_below(rng, 8) == 0;
    out->match_expressions.v =
        MST_NEW_N(&f->arena, struct mst_requirement, out->match_expressions.n);
    out->match_fields.v = MST_NEW_N(&f->arena, struct mst_requirement, out->match_fields.n);
    for (uint32_t i = 0; i < out->match_expressions.n; i++)
        random_requirement(f, rng, false, &out->match_expressions.v[i]);
    for (uint32_t i = 0; i < out->match_fields.n; i++)
        random_requirement(f, rng, true, &out->match_fields.v[i]);
}

static bool naive(struct mst_fixture *f, const struct mst_node_selector *selector, uint32_t row)
{
    const struct mst_nodes *nodes = &f->cluster.nodes;
    const struct mst_label_set set = nodes->label_sets.v[nodes->label_set[row]];
    const mst_labels labels = { (struct mst_label *)set.v, set.n };
    for (uint32_t i = 0; i < selector->terms.n; i++)
        if (mst_node_term_matches(f->syms, &selector->terms.v[i], labels, nodes->name[row]))
            return true;
    return false;
}

static void test_selector_agrees_with_naive_twin(struct mst_test *t)
{
    struct mst_rng rng;
    mst_rng_init(&rng, 11);
    struct mst_fixture *f = random_nodes(&rng);
    uint64_t matches = 0;
    for (uint32_t round = 0; round < 1500; round++) {
        struct mst_node_selector_term terms[3];
        struct mst_node_selector selector = { .set = true };
        struct mst_compiled_terms compiled;
        uint8_t got[NODES];
        selector.terms.v = terms;
        selector.terms.n = (uint32_t)mst_rng_below(&rng, 4);
        for (uint32_t i = 0; i < selector.terms.n; i++)
            random_term(f, &rng, &terms[i]);
        mst_terms_compile(f->syms, &selector, &f->arena, &compiled);
        for (uint32_t at = 0; at < NODES; at += MST_BLOCK_ROWS)
            mst_terms_match(&f->cluster.nodes, &compiled, at,
                            MST_MIN((uint32_t)MST_BLOCK_ROWS, NODES - at), got + at);
        uint32_t wrong = 0;
        for (uint32_t row = 0; row < NODES; row++) {
            wrong += got[row] != naive(f, &selector, row);
            matches += got[row];
        }
        t_int(t, wrong, 0);
    }
    t_ok(t, matches > 10000); /* the terms are not all too hard */
    fixture_free(f);
}

MST_TEST_MAIN(T(test_selector_agrees_with_naive_twin))

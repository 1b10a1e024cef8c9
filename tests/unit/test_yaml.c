/*
 * test_yaml.c - YAML in and out: scalars, documents, anchors and merges, limits, places, round
 * trips.
 */
#include "codec/json.h"
#include "codec/yaml.h"
#include "random_json.h"
#include "tap.h"

#include <time.h>

/*
 * Reads a whole stream. Good documents come as compact JSON, one a line; a bad one as its first
 * error: "!LINE:COL: text".
 */
static void read_stream(struct mst_str text, struct mst_buf *out, struct mst_diags *diags)
{
    MST_AUTO(mst_arena) arena = { 0 };
    struct mst_yaml_reader reader;
    mst_yaml_init(&reader, text);
    for (;;) {
        const struct mst_value *root = NULL;
        uint32_t errors = diags->error_count, before = diags->list.n;
        mst_rc rc = mst_yaml_next(&reader, &arena, diags, &root);
        if (rc == MST_ENOTFOUND)
            return;
        if (rc == MST_OK) {
            mst_assert(diags->error_count == errors);
            mst_jw_value(&(struct mst_json_writer){ .out = out }, root);
        } else {
            mst_assert(diags->error_count == errors + 1);
            while (diags->list.v[before].level != MST_DIAG_ERROR)
                before++;
            const struct mst_diag *d = &diags->list.v[before];
            mst_buf_printf(out, "!%u:%u: %.*s", d->line, d->col, MST_ARG(d->text));
        }
        mst_buf_char(out, '\n');
    }
}

static void check_stream(struct mst_test *t, struct mst_str text, const char *want)
{
    MST_AUTO(mst_buf) out = { 0 };
    MST_AUTO(mst_diags) diags = { 0 };
    read_stream(text, &out, &diags);
    t_str(t, mst_buf_span(&out), want);
}

struct pair {
    const char *yaml, *json;
};

static void check_pairs(struct mst_test *t, const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        MST_AUTO(mst_buf) want = { 0 };
        mst_buf_printf(&want, "%s\n", pairs[i].json);
        mst_buf_char(&want, 0);
        t_case(t, pairs[i].yaml);
        check_stream(t, mst_str_of(pairs[i].yaml), want.p);
    }
}

/* What sigs.k8s.io/yaml v1.6.0 makes of the same texts. */
static const struct pair plain_scalars[] = {
    { "~", "null" },
    { "null", "null" },
    { "Null", "null" },
    { "NULL", "null" },
    { "nULL", "\"nULL\"" },
    { "nil", "\"nil\"" },
    { "true", "true" },
    { "True", "true" },
    { "TRUE", "true" },
    { "tRUE", "\"tRUE\"" },
    { "y", "true" },
    { "Y", "true" },
    { "yes", "true" },
    { "Yes", "true" },
    { "YES", "true" },
    { "yES", "\"yES\"" },
    { "on", "true" },
    { "On", "true" },
    { "ON", "true" },
    { "n", "false" },
    { "N", "false" },
    { "no", "false" },
    { "No", "false" },
    { "NO", "false" },
    { "off", "false" },
    { "Off", "false" },
    { "OFF", "false" },
    { "oFF", "\"oFF\"" },
    { "false", "false" },
    { "False", "false" },
    { "FALSE", "false" },
    { "0", "0" },
    { "-0", "0" },
    { "+5", "5" },
    { "-5", "-5" },
    { "1_000", "1000" },
    { "1__0_", "10" },
    { "_1", "\"_1\"" },
    { "-_1", "-1" },
    { "0x1F", "31" },
    { "0X1f", "31" },
    { "-0x10", "-16" },
    { "0x", "\"0x\"" },
    { "0xG", "\"0xG\"" },
    { "0x_1", "1" },
    { "0o17", "15" },
    { "0O17", "15" },
    { "017", "15" },
    { "-017", "-15" },
    { "0o8", "\"0o8\"" },
    { "08", "8" },
    { "09.5", "9.5" },
    { "0b101", "5" },
    { "-0b101", "-5" },
    { "0b2", "\"0b2\"" },
    { "9223372036854775807", "9223372036854775807" },
    { "-9223372036854775808", "-9223372036854775808" },
    { "18446744073709551615", "18446744073709551615" },
    { "18446744073709551616", "18446744073709552000" },
    { "+18446744073709551615", "18446744073709552000" },
    { "1.5", "1.5" },
    { "1.0", "1" },
    { "1.", "1" },
    { ".5", "0.5" },
    { "+.5", "0.5" },
    { "-.5", "-0.5" },
    { ".5_0", "\".5_0\"" },
    { "1_0.5", "10.5" },
    { "1e3", "1000" },
    { "1E3", "1000" },
    { "1e+3", "1000" },
    { "1.5e-7", "1.5e-7" },
    { "1e21", "1e+21" },
    { "1e20", "100000000000000000000" },
    { "1e", "\"1e\"" },
    { "e1", "\"e1\"" },
    { "1e400", "\"1e400\"" },
    { "-0.0", "-0" },
    { ".", "\".\"" },
    { "-", "[null]" },
    { "+", "\"+\"" },
    { "1.2.3", "\"1.2.3\"" },
    { "0x1p4", "\"0x1p4\"" },
    { "1e5.5", "\"1e5.5\"" },
    { "12:30:45", "\"12:30:45\"" },
    { "2024-01-01", "\"2024-01-01\"" },
    { "2001-12-14t21:59:43.10-05:00", "\"2001-12-14t21:59:43.10-05:00\"" },
    { "500m", "\"500m\"" },
    { "1Gi", "\"1Gi\"" },
    { "10.0.0.1", "\"10.0.0.1\"" },
    { "=", "\"=\"" },
    { "<<", "\"<<\"" },
    { "1 000", "\"1 000\"" },
    { "infinity", "\"infinity\"" },
    { ".infx", "\".infx\"" },
};

static void test_plain_scalars(struct mst_test *t)
{
    check_pairs(t, plain_scalars, MST_COUNT(plain_scalars));
}

static void test_quoted_scalars(struct mst_test *t)
{
    static const struct pair pairs[] = {
        { "'true'", "\"true\"" },
        { "\"1\"", "\"1\"" },
        { "''", "\"\"" },
        { "\"~\"", "\"~\"" },
        { "'it''s'", "\"it's\"" },
        { "\"a\\tb\\x41\\u00e9\"", "\"a\\tbA\xC3\xA9\"" },
        { "|\n  1\n", "\"1\\n\"" },
        { "|-\n  true", "\"true\"" },
        { ">-\n  a\n  b\n", "\"a b\"" },
        { "|+\n  a\n\n", "\"a\\n\\n\"" },
        { "\"\\0\"", "\"\\u0000\"" },
        { "\"a\\\n  b\"", "\"ab\"" },
        { "plain\n  over lines", "\"plain over lines\"" },
    };
    check_pairs(t, pairs, MST_COUNT(pairs));
}

static void test_tags(struct mst_test *t)
{
    static const struct pair pairs[] = {
        { "!!str 1", "\"1\"" },
        { "!!str", "\"\"" },
        { "!!int '3'", "3" },
        { "!!int 0x10", "16" },
        { "!!float 3", "3" },
        { "!!float '1.50'", "1.5" },
        { "!!bool 'yes'", "true" },
        { "!!null ''", "null" },
        { "!!binary aGVsbG8=", "\"hello\"" },
        { "!!binary |\n  aGVs\n  bG8=\n", "\"hello\"" },
        { "!!binary /w==", "\"\xEF\xBF\xBD\"" },
        { "!!timestamp 2024-01-01", "\"2024-01-01\"" },
        { "!!map {a: 1}", "{\"a\":1}" },
        { "!!seq [1]", "[1]" },
        { "! 1", "\"1\"" },
        { "!<tag:yaml.org,2002:str> 1", "\"1\"" },
        { "%TAG !y! tag:yaml.org,2002:\n---\n!y!str 1", "\"1\"" },
        { "!!int abc", "!1:1: \"abc\" is no int" },
        { "!!bool 1", "!1:1: \"1\" is no bool" },
        { "!!int 1.5", "!1:1: \"1.5\" is no int" },
        { "!!null x", "!1:1: \"x\" is no null" },
        { "!!binary '*'", "!1:1: !!binary \"*\" is not base64" },
        { "!!binary abc", "!1:1: !!binary \"abc\" is not base64" },
        { "!!binary 'a=bc'", "!1:1: !!binary \"a=bc\" is not base64" },
        { "a: !thing 1", "!1:4: unknown tag \"!thing\"" },
        { "!!set {a}", "!1:1: unknown tag \"tag:yaml.org,2002:set\" for a mapping" },
        { "!!map [a]", "!1:1: unknown tag \"tag:yaml.org,2002:map\" for a list" },
        { ".inf", "!1:1: .inf is no number that JSON can hold" },
        { "a: -.INF", "!1:4: -.INF is no number that JSON can hold" },
        { "[.NaN]", "!1:2: .NaN is no number that JSON can hold" },
    };
    check_pairs(t, pairs, MST_COUNT(pairs));
}

static void test_keys(struct mst_test *t)
{
    static const struct pair pairs[] = {
        { "1: a", "{\"1\":\"a\"}" },
        { "true: a", "{\"true\":\"a\"}" },
        { "y: a", "{\"true\":\"a\"}" },
        { "0x10: a", "{\"16\":\"a\"}" },
        { "1.50: a", "{\"1.5\":\"a\"}" },
        { "'1': a", "{\"1\":\"a\"}" },
        { "? a\n: b", "{\"a\":\"b\"}" },
        { "{a, b: 1}", "{\"a\":null,\"b\":1}" },
        { "~: a", "!1:1: a key must not be null" },
        { "[a]: b", "!1:1: a key must not be a list or a mapping" },
        { "? {a: b}\n: c", "!1:3: a key must not be a list or a mapping" },
        { "a: 1\nb: 2\na: 3", "{\"a\":3,\"b\":2}" },
        { "- &k x\n- *k : 1", "[\"x\",{\"x\":1}]" },
        { "- &k 0x5\n- *k : 1", "[5,{\"5\":1}]" },
        { "- &k yes\n- *k : 1", "[true,{\"true\":1}]" },
        { "- &k ~\n- *k : 1", "!2:3: a key must not be null" },
        { "- &k [1]\n- *k : 1", "!2:3: a key must not be a list or a mapping" },
    };
    check_pairs(t, pairs, MST_COUNT(pairs));
}

static void test_documents(struct mst_test *t)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        { "nothing", "", "" },
        { "only space and comments", "\n  \n# x\n", "" },
        { "only markers", "---\n---\n...\n---\n", "" },
        { "one", "a: 1\n", "{\"a\":1}\n" },
        { "no newline at the end", "a: 1", "{\"a\":1}\n" },
        { "two", "a: 1\n---\nb: 2\n", "{\"a\":1}\n{\"b\":2}\n" },
        { "marker first", "---\na: 1\n--- # x\nb: 2\n", "{\"a\":1}\n{\"b\":2}\n" },
        { "content behind the marker", "--- a\n--- [b]\n", "\"a\"\n[\"b\"]\n" },
        { "an explicit null counts", "---\nnull\n---\n", "null\n" },
        { "four dashes are no marker", "a:\n ----\n", "{\"a\":\"----\"}\n" },
        { "end markers", "a: 1\n...\nb: 2\n...\n", "{\"a\":1}\n{\"b\":2}\n" },
        { "end marker first", "...\na: 1\n", "{\"a\":1}\n" },
        { "directive alone", "%YAML 1.1\n", "!2:1: did not find expected <document start>\n" },
        { "directive", "%YAML 1.1\n---\na: 1\n", "{\"a\":1}\n" },
        { "comment before the marker", "# head\n---\na: 1\n", "{\"a\":1}\n" },
        { "CRLF", "a: 1\r\n---\r\nb: 2\r\n", "{\"a\":1}\n{\"b\":2}\n" },
        { "byte order mark",
          "\xEF\xBB\xBF"
          "a: 1\n",
          "{\"a\":1}\n" },
        { "byte order mark before JSON", "\xEF\xBB\xBF{\"a\": 1}\n", "{\"a\":1}\n" },
        { "JSON", "{\n\t\"a\": [1.50, \"\\ud83d\\ude00\\/\"]\n}\n",
          "{\"a\":[1.50,\"\xF0\x9F\x98\x80/\"]}\n" },
        { "JSON behind a marker", "---\n{\"a\": 1.0}\n---\n{\"b\": 2}\n",
          "{\"a\":1.0}\n{\"b\":2}\n" },
        { "flow mapping that is no JSON", "{a: 1, b: yes}\n", "{\"a\":1,\"b\":true}\n" },
        { "a bad document costs only itself", "a: 1\n---\nb: [1\n---\nc: 3\n",
          "{\"a\":1}\n!4:1: did not find expected ',' or ']' (while parsing a flow sequence that "
          "begins in line 3)\n{\"c\":3}\n" },
        { "a marker ends a block scalar", "a: |\n  x\n---\nb: 2\n",
          "{\"a\":\"x\\n\"}\n{\"b\":2}\n" },
        { "aliases do not cross documents", "a: &x 1\n---\nb: *x\n",
          "{\"a\":1}\n!3:4: unknown anchor \"x\"\n" },
        { "carriage returns alone hide a marker", "a: 1\r---\rb: 2\r",
          "!1:6: a second document needs a line that starts with \"---\"\n" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        check_stream(t, mst_str_of(cases[i].text), cases[i].want);
    }
}

static void test_syntax_errors(struct mst_test *t)
{
    static const struct pair pairs[] = {
        { "a: 1\nb\nc: 2\n",
          "!3:1: could not find expected ':' (while scanning a simple key that begins in line 2)" },
        { "a: b: c\n", "!1:5: mapping values are not allowed in this context" },
        { "a:\n\t- 1\n",
          "!2:1: found character that cannot start any token (while scanning for the next token)" },
        { "a: 'x\n", "!2:1: found unexpected end of stream (while scanning a quoted scalar that "
                     "begins in line 1)" },
        { "a: \"\\q\"\n", "!1:5: found unknown escape character (while parsing a quoted scalar)" },
        { "\xC3\xA9: @x\n",
          "!1:5: found character that cannot start any token (while scanning for the next token)" },
        { "a: *\n",
          "!1:5: did not find expected alphabetic or numeric character (while scanning an alias)" },
        { "a: 1\nb: \x01\n", "!2:4: control characters are not allowed (byte 0x01)" },
        { "a: \xFF\n", "!1:4: invalid leading UTF-8 octet (byte 0xff)" },
        { "a: &x [*x]", "!1:8: anchor \"x\" contains itself" },
    };
    check_pairs(t, pairs, MST_COUNT(pairs));
    t_case(t, "NUL byte");
    check_stream(t, (struct mst_str){ "a: 1\n\0b: 2\n", 11 },
                 "!2:1: control characters are not allowed (byte 0x00)\n");
}

static void test_anchors_and_merges(struct mst_test *t)
{
    static const struct pair pairs[] = {
        { "a: &x [1, 2]\nb: *x", "{\"a\":[1,2],\"b\":[1,2]}" },
        { "- &x 1\n- *x\n- &x 2\n- *x", "[1,1,2,2]" },
        { "a: &e\nb: *e", "{\"a\":null,\"b\":null}" },
        { "d: &d {a: 1, b: 2}\nm:\n  <<: *d\n  b: 3\n  c: 4",
          "{\"d\":{\"a\":1,\"b\":2},\"m\":{\"a\":1,\"b\":3,\"c\":4}}" },
        { "m: {b: 3, <<: {a: 1, b: 2}, c: 4}", "{\"m\":{\"b\":3,\"a\":1,\"c\":4}}" },
        { "m: {<<: [{a: 1}, {a: 2, b: 2}]}", "{\"m\":{\"a\":1,\"b\":2}}" },
        { "m: {<<: {a: 1}, <<: {a: 2, c: 3}}", "{\"m\":{\"a\":1,\"c\":3}}" },
        { "m: {<<: []}", "{\"m\":{}}" },
        { "m: {<<: {<<: {a: 1}, b: 2}}", "{\"m\":{\"a\":1,\"b\":2}}" },
        { "m: {'<<': 1}", "{\"m\":{\"<<\":1}}" },
        { "m: {!!merge <<: {a: 1}}", "{\"m\":{\"a\":1}}" },
        { "m: {<<: 1}",
          "!1:9: a merge key (<<) needs a mapping or a list of mappings, not a number" },
        { "m:\n  <<: [{a: 1}, x]",
          "!2:16: a merge key (<<) needs a mapping or a list of mappings, not a string" },
        { "m: {<<: }", "!1:9: a merge key (<<) needs a mapping or a list of mappings, not a null" },
        /* An anchor inside an object that is rewritten afterwards. */
        { "p: {x: &a {k: 1}, x: 2, z: *a}\nq: *a",
          "{\"p\":{\"x\":2,\"z\":{\"k\":1}},\"q\":{\"k\":1}}" },
    };
    check_pairs(t, pairs, MST_COUNT(pairs));
}

static void test_duplicate_key_warning(struct mst_test *t)
{
    MST_AUTO(mst_buf) out = { 0 };
    MST_AUTO(mst_diags) diags = { 0 };
    read_stream(MST_STR("x: 1\n---\na:\n  b: 1\n  c: 2\n  b: 3\n"), &out, &diags);
    t_str(t, mst_buf_span(&out), "{\"x\":1}\n{\"a\":{\"b\":3,\"c\":2}}\n");
    t_int(t, diags.list.n, 1);
    t_int(t, diags.list.v[0].level, MST_DIAG_WARNING);
    t_int(t, diags.list.v[0].line, 6);
    t_int(t, diags.list.v[0].col, 3);
}

static void test_places(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    MST_AUTO(mst_diags) diags = { 0 };
    struct mst_yaml_reader reader;
    const struct mst_value *v = NULL;
    mst_yaml_init(&reader, MST_STR("# c\n---\nz: 1\n---\n\xC3\xA9: \xC3\xA9\nk:\n- x\n- {b: [2]}\n"
                                   "---\n\n{\"j\":\n 1}\n"));
    t_int(t, mst_yaml_next(&reader, &arena, &diags, &v), MST_OK);
    t_int(t, v[1].line, 3);
    t_int(t, mst_yaml_next(&reader, &arena, &diags, &v), MST_OK);
    static const struct {
        uint32_t line, col;
    } want[] = { { 5, 1 }, { 5, 1 }, { 5, 5 }, { 6, 1 }, { 7, 1 },
                 { 7, 3 }, { 8, 3 }, { 8, 4 }, { 8, 7 }, { 8, 8 } };
    t_int(t, v->span, MST_COUNT(want));
    for (size_t i = 0; i < MST_COUNT(want); i++) {
        t_int(t, v[i].line, want[i].line);
        t_int(t, v[i].col, want[i].col);
    }
    t_int(t, mst_yaml_next(&reader, &arena, &diags, &v), MST_OK);
    t_int(t, v[0].line, 11);
    t_int(t, v[2].line, 12);
    t_int(t, v[2].col, 2);
    t_int(t, mst_yaml_next(&reader, &arena, &diags, &v), MST_ENOTFOUND);
}

static mst_rc first_document(struct mst_str text, struct mst_diags *diags)
{
    MST_AUTO(mst_arena) arena = { 0 };
    struct mst_yaml_reader reader;
    const struct mst_value *root;
    mst_yaml_init(&reader, text);
    return mst_yaml_next(&reader, &arena, diags, &root);
}

static void test_alias_bomb(struct mst_test *t)
{
    MST_AUTO(mst_buf) text = { 0 };
    MST_AUTO(mst_diags) diags = { 0 };
    mst_buf_text(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 30; i++) {
        mst_buf_printf(&text, "a%d: &a%d [", i, i);
        for (int j = 0; j < 9; j++)
            mst_buf_printf(&text, "%s*a%d", j ? ", " : "", i - 1);
        mst_buf_text(&text, "]\n");
    }
    t_int(t, first_document(mst_buf_span(&text), &diags), MST_ELIMIT);
    t_str(t, diags.list.v[0].text, "anchors and aliases expand to more than 1048576 values");
    t_ok(t, diags.list.v[0].line > 1);
}

/* Each alias nests one level deeper than the last; no single line is deep. */
static void test_alias_depth(struct mst_test *t)
{
    for (int levels = MST_DEPTH_MAX - 2; levels < MST_DEPTH_MAX + 1; levels++) {
        MST_AUTO(mst_buf) text = { 0 };
        MST_AUTO(mst_diags) diags = { 0 };
        mst_buf_text(&text, "- &a0 x\n");
        for (int i = 1; i <= levels; i++)
            mst_buf_printf(&text, "- &a%d [*a%d]\n", i, i - 1);
        t_int(t, first_document(mst_buf_span(&text), &diags),
              levels + 1 > MST_DEPTH_MAX ? MST_ELIMIT : MST_OK);
    }
}

static void test_nesting(struct mst_test *t)
{
    static const struct {
        const char *open, *close;
        int depth;
        mst_rc rc;
    } cases[] = {
        { "[", "]", MST_DEPTH_MAX, MST_OK }, { "[", "]", MST_DEPTH_MAX + 1, MST_ELIMIT },
        { "[", "", 100000, MST_ELIMIT },     { "{a: ", "", 100000, MST_ELIMIT },
        { "- ", "", 100000, MST_ELIMIT },    { "{", "", 100000, MST_EDECODE },
        { "? ", "", 100000, MST_EDECODE },   { "- ", "", MST_DEPTH_MAX, MST_OK },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) text = { 0 };
        MST_AUTO(mst_diags) diags = { 0 };
        for (int d = 0; d < cases[i].depth; d++)
            mst_buf_text(&text, cases[i].open);
        for (int d = 0; d < cases[i].depth; d++)
            mst_buf_text(&text, cases[i].close);
        t_case(t, cases[i].open);
        t_int(t, first_document(mst_buf_span(&text), &diags), cases[i].rc);
    }
}

/* Inputs on which a quadratic reader would take minutes. */
static void test_large(struct mst_test *t)
{
    static const struct {
        const char *head, *piece, *tail;
        uint32_t count;
        mst_rc rc;
    } cases[] = {
        { "a: ", "x", "\n", 10 << 20, MST_OK },       { "a: '", "x ", "'\n", 5 << 20, MST_OK },
        { "a: \"", "\\n", "\"\n", 2 << 20, MST_OK },  { "a: |\n", "  line\n", "", 1 << 20, MST_OK },
        { "a: >\n", "\n", "  x\n", 1 << 20, MST_OK }, { "", "---\n", "", 1 << 20, MST_ENOTFOUND },
        { "[", "\xC3\xA9,", "]", 1 << 18, MST_OK },   { "", "# c\n", "", 1 << 20, MST_ENOTFOUND },
        { "", "\t", "", 4 << 20, MST_ENOTFOUND },     { "a: ", " ", "b", 4 << 20, MST_OK },
        { "", "- &a x\n", "", 1 << 17, MST_OK },      { "", "a: 1\n", "", 1 << 17, MST_OK },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) text = { 0 };
        MST_AUTO(mst_diags) diags = { 0 };
        mst_buf_text(&text, cases[i].head);
        for (uint32_t n = 0; n < cases[i].count; n++)
            mst_buf_text(&text, cases[i].piece);
        mst_buf_text(&text, cases[i].tail);
        t_case(t, cases[i].piece);
        clock_t begin = clock();
        t_int(t, first_document(mst_buf_span(&text), &diags), cases[i].rc);
        t_ok(t, (clock() - begin) / CLOCKS_PER_SEC < 30);
    }
}

static void test_write_style(struct mst_test *t)
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        { "{\"a\":{\"b\":[1,{\"c\":null,\"d\":true}],\"e\":{},\"f\":[]}}",
          "a:\n  b:\n  - 1\n  - c: null\n    d: true\n  e: {}\n  f: []\n" },
        { "{\"s\":[\"plain\",\"true\",\"1\",\"\",\"null\",\"500m\",\"y\",\"~\",\"1e3\",\"0x1F\"]}",
          "s:\n- plain\n- \"true\"\n- \"1\"\n- \"\"\n- \"null\"\n- 500m\n- \"y\"\n- \"~\"\n- "
          "\"1e3\"\n"
          "- \"0x1F\"\n" },
        { "[\"@x\",\"- a\",\"a: b\",\"a #b\",\"*x\",\"&x\",\"[\",\"'\",\" a\",\"a "
          "\",\"%x\",\"!x\"]",
          "- '@x'\n- '- a'\n- 'a: b'\n- 'a #b'\n- '*x'\n- '&x'\n- '['\n- ''''\n- ' a'\n- 'a '\n- "
          "'%x'\n"
          "- '!x'\n" },
        { "{\"t\":\"2024-01-01T00:00:00Z\",\"u\":\"12:30\",\"v\":\".inf\",\"w\":\"<<\",\"<<\":1}",
          "t: \"2024-01-01T00:00:00Z\"\nu: \"12:30\"\nv: \".inf\"\nw: \"<<\"\n\"<<\": 1\n" },
        { "{\"m\":\"a\\nb\\n\",\"n\":\"a\\nb\",\"o\":\"a\\n\\n\",\"p\":\" a\\nb\",\"q\":\"\\n\"}",
          "m: |\n  a\n  b\n\"n\": |-\n  a\n  b\no: |+\n  a\n\np: \" a\\nb\"\nq: \"\\n\"\n" },
        { "\"\\u0000\\t\xC3\xA9\"", "\"\\0\\t\xC3\xA9\"\n" },
        { "{\"1\":2,\"true\":3}", "\"1\": 2\n\"true\": 3\n" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].json);
        MST_AUTO(mst_arena) arena = { 0 };
        MST_AUTO(mst_buf) out = { 0 };
        const struct mst_value *root = NULL;
        struct mst_err err = { 0 };
        t_int(t, mst_json_parse(mst_str_of(cases[i].json), NULL, &arena, NULL, &root, &err),
              MST_OK);
        t_int(t, mst_yaml_write(root, &out, &err), MST_OK);
        t_str(t, mst_buf_span(&out), cases[i].want);
    }
}

static void test_write_number_out_of_range(struct mst_test *t)
{
    MST_AUTO(mst_arena) arena = { 0 };
    MST_AUTO(mst_buf) out = { 0 };
    const struct mst_value *root = NULL;
    struct mst_err err = { 0 };
    mst_buf_text(&out, "kept");
    t_int(t, mst_json_parse(MST_STR("[1, 1e400]"), NULL, &arena, NULL, &root, &err), MST_OK);
    t_int(t, mst_yaml_write(root, &out, &err), MST_EINVAL);
    t_text(t, err.text, "write YAML: number 1e400 is out of range");
    t_str(t, mst_buf_span(&out), "kept");
}

static bool same_value(const struct mst_value *a, const struct mst_value *b)
{
    if (a->span != b->span)
        return false;
    for (uint32_t i = 0; i < a->span; i++) {
        if (a[i].type != b[i].type || a[i].n != b[i].n || a[i].span != b[i].span)
            return false;
        if ((a[i].type == MST_STRING || a[i].type == MST_NUMBER) &&
            !mst_str_eq(mst_value_str(&a[i]), mst_value_str(&b[i])))
            return false;
    }
    return true;
}

/* tape -> YAML -> tape is the identity; the marker keeps the reader from trying JSON. */
static void test_random_round_trip(struct mst_test *t)
{
    struct mst_rng rng;
    mst_rng_init(&rng, 6);
    for (int i = 0; i < 4000; i++) {
        MST_AUTO(mst_arena) arena = { 0 };
        MST_AUTO(mst_buf) json = { 0 };
        MST_AUTO(mst_buf) yaml = { 0 };
        MST_AUTO(mst_diags) diags = { 0 };
        random_value(&rng, &json, 5, false);
        const struct mst_value *root = NULL, *again = NULL;
        struct mst_err err = { 0 };
        t_int(t, mst_json_parse(mst_buf_span(&json), NULL, &arena, NULL, &root, &err), MST_OK);
        t_int(t, mst_yaml_write(root, &yaml, &err), MST_OK);
        struct mst_yaml_reader reader;
        mst_yaml_init(&reader, mst_buf_span(&yaml));
        mst_rc rc = mst_yaml_next(&reader, &arena, &diags, &again);
        if (rc != MST_OK || !same_value(root, again))
            t_fail(t, "%.*s\n became\n%.*s", MST_ARG(mst_buf_span(&json)),
                   MST_ARG(mst_buf_span(&yaml)));
        t_int(t, mst_yaml_next(&reader, &arena, &diags, &again), MST_ENOTFOUND);
    }
}

MST_TEST_MAIN(T(test_plain_scalars), T(test_quoted_scalars), T(test_tags), T(test_keys),
              T(test_documents), T(test_syntax_errors), T(test_anchors_and_merges),
              T(test_duplicate_key_warning), T(test_places), T(test_alias_bomb),
              T(test_alias_depth), T(test_nesting), T(test_large), T(test_write_style),
              T(test_write_number_out_of_range), T(test_random_round_trip))

/* Values of a configuration document: Go's durations in and out, paths, types. */
#include "framework/config_internal.h"
#include "tap.h"

struct fixture {
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_reading rd;
};

static const struct mst_value *value_of(struct fixture *f, const char *json)
{
    const struct mst_value *v = NULL;
    struct mst_err err;
    *f = (struct fixture){ 0 };
    f->rd = (struct mst_reading){ &f->arena, &f->diags };
    mst_assert(mst_json_parse(mst_str_of(json), NULL, &f->arena, &f->diags, &v, &err) == MST_OK);
    return v;
}

static void end(struct fixture *f)
{
    mst_arena_done(&f->arena);
    mst_diags_done(&f->diags);
}

#define S 1000000000ll
static const struct {
    const char *text;
    int64_t ns;
    const char *printed; /* NULL: no duration */
} durations[] = {
    { "0", 0, "\"0s\"" },
    { "0s", 0, "\"0s\"" },
    { "1s", S, "\"1s\"" },
    { "-1s", -S, "\"-1s\"" },
    { "+1.5s", S + S / 2, "\"1.5s\"" },
    { "1m", 60 * S, "\"1m0s\"" },
    { "1h", 3600 * S, "\"1h0m0s\"" },
    { "1h2m3.004s", 3723 * S + 4000000, "\"1h2m3.004s\"" },
    { "90m", 5400 * S, "\"1h30m0s\"" },
    { "1ms", 1000000, "\"1ms\"" },
    { "1.25ms", 1250000, "\"1.25ms\"" },
    { "7us", 7000, "\"7\xc2\xb5s\"" },
    { "7\xc2\xb5s", 7000, "\"7\xc2\xb5s\"" },
    { "3ns", 3, "\"3ns\"" },
    { ".5s", S / 2, "\"500ms\"" },
    { "1.s", S, "\"1s\"" },
    { "0.000000000123s", 0, "\"0s\"" },
    { "2562047h47m16.854775807s", INT64_MAX, "\"2562047h47m16.854775807s\"" },
    { "2562048h", 0, NULL },
    { "9223372036854775808ns", 0, NULL },
    { "", 0, NULL },
    { "-", 0, NULL },
    { "1", 0, NULL },
    { "s", 0, NULL },
    { ".s", 0, NULL },
    { "1d", 0, NULL },
    { "1s ", 0, NULL },
    { "1s2", 0, NULL },
};

static void test_values_durations(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(durations); i++) {
        struct fixture f;
        MST_AUTO(mst_buf) json = { 0 };
        mst_buf_printf(&json, "{\"d\":\"%s\"}", durations[i].text);
        mst_buf_char(&json, '\0');
        const struct mst_value *v = value_of(&f, json.p);
        int64_t ns = 42;
        t_case(t, durations[i].text);
        t_bool(t, mst_cfg_duration(&f.rd, v, MST_STR("x"), "d", &ns), durations[i].printed != NULL);
        t_int(t, ns, durations[i].printed ? durations[i].ns : 42);
        t_int(t, f.diags.error_count, durations[i].printed ? 0 : 1);
        if (durations[i].printed)
            t_str(t, mst_cfg_duration_text(&f.rd, ns), durations[i].printed);
        end(&f);
    }
}

static void test_values_types_and_null(struct mst_test *t)
{
    struct fixture f;
    const struct mst_value *v =
        value_of(&f, "{\"n\":null,\"i\":1.5,\"b\":\"true\",\"s\":2,\"l\":{}}");
    int64_t i = 42;
    bool b = true;
    struct mst_str s = MST_STR("kept");
    t_bool(t, mst_cfg_int(&f.rd, v, MST_STR_NONE, "n", 32, &i), false);
    t_bool(t, mst_cfg_int(&f.rd, v, MST_STR_NONE, "absent", 32, &i), false);
    t_ok(t, mst_cfg_list(&f.rd, v, MST_STR_NONE, "n") == NULL);
    t_int(t, f.diags.error_count, 0);
    t_bool(t, mst_cfg_int(&f.rd, v, MST_STR_NONE, "i", 32, &i), false);
    t_bool(t, mst_cfg_bool(&f.rd, v, MST_STR("a"), "b", &b), false);
    t_bool(t, mst_cfg_str(&f.rd, v, MST_STR("a"), "s", &s), false);
    t_ok(t, mst_cfg_list(&f.rd, v, MST_STR("a"), "l") == NULL);
    t_int(t, f.diags.error_count, 4);
    t_str(t, f.diags.list.v[0].text, "i: number 1.5 is no int32");
    t_str(t, f.diags.list.v[1].text, "a.b: expected boolean, got string");
    t_str(t, f.diags.list.v[2].text, "a.s: expected string, got number");
    t_str(t, f.diags.list.v[3].text, "a.l: expected array, got object");
    t_int(t, i, 42);
    t_str(t, s, "kept");
    end(&f);
}

MST_TEST_MAIN(T(test_values_durations), T(test_values_types_and_null))

/* test_names.c - the syntax of names, against regular expressions on random text as well. */
#include <regex.h>

#include "api/names.h"
#include "base/rng.h"
#include "tap.h"

static void test_name_lengths(struct mst_test *t)
{
    static const struct {
        mst_name_rule rule;
        size_t max;
        const char *characters, *bytes;
    } cases[] = {
        { MST_NAME_LABEL, 63, "must be no more than 63 characters",
          "must be no more than 63 bytes" },
        { MST_NAME_SUBDOMAIN, 253, "must be no more than 253 characters",
          "must be no more than 253 bytes" },
        { MST_NAME_LABEL_KEY, 63, "name part must be no more than 63 bytes",
          "name part must be no more than 63 bytes" },
        { MST_NAME_LABEL_VALUE, 63, "must be no more than 63 bytes",
          "must be no more than 63 bytes" },
        { MST_NAME_PORT, 15, "must be no more than 15 characters",
          "must be no more than 15 characters" },
    };
    char text[300];
    memset(text, 'a', sizeof(text));
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].bytes);
        struct mst_str s = { text, cases[i].max };
        t_ok(t, mst_name_ok(cases[i].rule, s));
        s.n++;
        struct mst_name_texts a = mst_name_check(cases[i].rule, MST_LENGTH_IN_CHARACTERS, s);
        struct mst_name_texts b = mst_name_check(cases[i].rule, MST_LENGTH_IN_BYTES, s);
        t_ok(t, a.n == 1 && b.n == 1);
        t_text(t, a.n ? a.v[0] : "", cases[i].characters);
        t_text(t, b.n ? b.v[0] : "", cases[i].bytes);
    }
}

static void test_name_texts(struct mst_test *t)
{
    static const struct {
        mst_name_rule rule;
        const char *name;
        uint32_t count;
        const char *first; /* how the first text begins */
    } cases[] = {
        { MST_NAME_LABEL, "a.b", 1, "must not contain dots" },
        { MST_NAME_LABEL, "", 1, "a lowercase RFC 1123 label" },
        { MST_NAME_SUBDOMAIN, "a..b", 1, "a lowercase RFC 1123 subdomain" },
        { MST_NAME_LABEL_KEY, "", 2, "name part must be non-empty" },
        { MST_NAME_LABEL_KEY, "/", 3, "prefix part must be non-empty" },
        { MST_NAME_LABEL_KEY, "A/b", 1, "prefix part a lowercase RFC 1123 subdomain" },
        { MST_NAME_LABEL_KEY, "a/b/c", 1, "a valid label key must consist of" },
        { MST_NAME_LABEL_VALUE, "", 0, NULL },
        { MST_NAME_LABEL_VALUE, "-", 1, "a valid label must be an empty string" },
        { MST_NAME_PORT, "--", 3, "must contain at least one letter" },
        { MST_NAME_PORT, "", 2, "must contain only" },
        { MST_NAME_PATH_SEGMENT, "", 0, NULL },
        { MST_NAME_PATH_SEGMENT, ".", 1, "may not be '.'" },
        { MST_NAME_PATH_SEGMENT, "..", 1, "may not be '..'" },
        { MST_NAME_PATH_SEGMENT, "...", 0, NULL },
        { MST_NAME_PATH_SEGMENT, "/%", 2, "may not contain '/'" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct mst_name_texts texts =
            mst_name_check(cases[i].rule, MST_LENGTH_IN_BYTES, mst_str_of(cases[i].name));
        t_int(t, texts.n, cases[i].count);
        if (texts.n && cases[i].first)
            t_ok(t, mst_str_has_prefix(mst_str_of(texts.v[0]), cases[i].first));
    }
}

static void test_names_agree_with_regular_expressions(struct mst_test *t)
{
    static const struct {
        mst_name_rule rule;
        const char *pattern;
    } cases[] = {
        { MST_NAME_LABEL, "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" },
        { MST_NAME_SUBDOMAIN,
          "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$" },
        { MST_NAME_LABEL_VALUE, "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$" },
        { MST_NAME_LABEL_KEY,
          "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
          "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$" },
    };
    struct mst_rng rng;
    mst_rng_init(&rng, 4);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        regex_t regex;
        t_case(t, cases[i].pattern);
        t_int(t, regcomp(&regex, cases[i].pattern, REG_EXTENDED | REG_NOSUB), 0);
        uint32_t matched = 0, differ = 0;
        for (int round = 0; round < 20000; round++) {
            char text[8];
            size_t n = mst_rng_below(&rng, sizeof(text));
            for (size_t k = 0; k < n; k++)
                text[k] = "ab0Z-_./ "[mst_rng_below(&rng, 9)];
            text[n] = '\0';
            bool want = regexec(&regex, text, 0, NULL, 0) == 0;
            matched += want;
            differ += want != mst_name_ok(cases[i].rule, (struct mst_str){ text, n });
        }
        t_int(t, differ, 0);
        t_ok(t, matched > 100);
        regfree(&regex);
    }
}

MST_TEST_MAIN(T(test_name_lengths), T(test_name_texts),
              T(test_names_agree_with_regular_expressions))

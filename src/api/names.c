/*
 * names.c - hand-written matchers for the regular expressions of names, with upstream's texts.
 */
#include "api/names.h"

#define LABEL_RE "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define SUBDOMAIN_RE LABEL_RE "(\\." LABEL_RE ")*"
#define KEY_RE "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define LABEL_TEXT                                                                                 \
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "   \
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "     \
    "used for validation is '" LABEL_RE "')"
#define SUBDOMAIN_TEXT                                                                             \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "  \
    "for validation is '" SUBDOMAIN_RE "')"
#define KEY_TEXT                                                                                   \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '" KEY_RE "')"
#define VALUE_TEXT                                                                                 \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "    \
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value', " \
    " "                                                                                            \
    "or '12345', regex used for validation is '(" KEY_RE ")?')"

enum { LABEL_MAX = 63, SUBDOMAIN_MAX = 253, KEY_NAME_MAX = 63, PORT_NAME_MAX = 15 };

static bool is_lower_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alnum(char c)
{
    return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

static bool is_label(struct mst_str s)
{
    if (s.n == 0 || !is_lower_alnum(s.p[0]) || !is_lower_alnum(s.p[s.n - 1]))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!is_lower_alnum(s.p[i]) && s.p[i] != '-')
            return false;
    return true;
}

static bool is_subdomain(struct mst_str s)
{
    for (size_t begin = 0, i = 0; i <= s.n; i++) {
        if (i < s.n && s.p[i] != '.')
            continue;
        if (!is_label((struct mst_str){ s.p + begin, i - begin }))
            return false;
        begin = i + 1;
    }
    return true;
}

static bool is_key_name(struct mst_str s)
{
    if (s.n == 0 || !is_alnum(s.p[0]) || !is_alnum(s.p[s.n - 1]))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!is_alnum(s.p[i]) && s.p[i] != '-' && s.p[i] != '_' && s.p[i] != '.')
            return false;
    return true;
}

static void say(struct mst_name_texts *texts, bool wrong, const char *text)
{
    if (!wrong)
        return;
    mst_assert(texts->n < MST_NAME_TEXTS_MAX);
    texts->v[texts->n++] = text;
}

static void check_label(struct mst_name_texts *texts, bool bytes, struct mst_str s)
{
    say(texts, s.n > LABEL_MAX,
        bytes ? "must be no more than 63 bytes" : "must be no more than 63 characters");
    if (!is_label(s))
        say(texts, true, is_subdomain(s) ? "must not contain dots" : LABEL_TEXT);
}

static void check_subdomain(struct mst_name_texts *texts, bool bytes, struct mst_str s)
{
    say(texts, s.n > SUBDOMAIN_MAX,
        bytes ? "must be no more than 253 bytes" : "must be no more than 253 characters");
    say(texts, !is_subdomain(s), SUBDOMAIN_TEXT);
}

static void check_key(struct mst_name_texts *texts, struct mst_str s)
{
    const char *slash = s.n ? memchr(s.p, '/', s.n) : NULL;
    struct mst_str name = s;
    if (slash) {
        struct mst_str prefix = { s.p, (size_t)(slash - s.p) };
        name = (struct mst_str){ slash + 1, s.n - prefix.n - 1 };
        if (name.n && memchr(name.p, '/', name.n)) {
            say(texts, true,
                "a valid label key " KEY_TEXT
                " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
            return;
        }
        say(texts, prefix.n == 0, "prefix part must be non-empty");
        say(texts, prefix.n > SUBDOMAIN_MAX, "prefix part must be no more than 253 bytes");
        say(texts, prefix.n > 0 && !is_subdomain(prefix), "prefix part " SUBDOMAIN_TEXT);
    }
    say(texts, name.n == 0, "name part must be non-empty");
    say(texts, name.n > KEY_NAME_MAX, "name part must be no more than 63 bytes");
    say(texts, !is_key_name(name), "name part " KEY_TEXT);
}

static void check_port(struct mst_name_texts *texts, struct mst_str s)
{
    bool charset = s.n > 0, letter = false, hyphens = false;
    for (size_t i = 0; i < s.n; i++) {
        charset &= is_lower_alnum(s.p[i]) || s.p[i] == '-';
        letter |= s.p[i] >= 'a' && s.p[i] <= 'z';
        hyphens |= i > 0 && s.p[i] == '-' && s.p[i - 1] == '-';
    }
    say(texts, s.n > PORT_NAME_MAX, "must be no more than 15 characters");
    say(texts, !charset, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    say(texts, !letter, "must contain at least one letter (a-z)");
    say(texts, hyphens, "must not contain consecutive hyphens");
    say(texts, s.n > 0 && (s.p[0] == '-' || s.p[s.n - 1] == '-'),
        "must not begin or end with a hyphen");
}

static void check_path_segment(struct mst_name_texts *texts, struct mst_str s)
{
    if (mst_str_is(s, ".")) {
        say(texts, true, "may not be '.'");
    } else if (mst_str_is(s, "..")) {
        say(texts, true, "may not be '..'");
    } else {
        say(texts, s.n && memchr(s.p, '/', s.n), "may not contain '/'");
        say(texts, s.n && memchr(s.p, '%', s.n), "may not contain '%'");
    }
}

struct mst_name_texts mst_name_check(mst_name_rule rule, mst_length_word word, struct mst_str text)
{
    struct mst_name_texts texts = { .n = 0 };
    bool bytes = word == MST_LENGTH_IN_BYTES;
    switch (rule) {
    case MST_NAME_LABEL: check_label(&texts, bytes, text); break;
    case MST_NAME_SUBDOMAIN: check_subdomain(&texts, bytes, text); break;
    case MST_NAME_LABEL_KEY: check_key(&texts, text); break;
    case MST_NAME_LABEL_VALUE:
        say(&texts, text.n > LABEL_MAX, "must be no more than 63 bytes");
        say(&texts, text.n > 0 && !is_key_name(text), VALUE_TEXT);
        break;
    case MST_NAME_PORT: check_port(&texts, text); break;
    case MST_NAME_PATH_SEGMENT: check_path_segment(&texts, text); break;
    }
    return texts;
}

bool mst_name_is_extended(struct mst_str resource)
{
    enum {
        QUOTA_PREFIX = sizeof("requests.") - 1,
        NAME_PARTS_MAX = SUBDOMAIN_MAX + 1 + KEY_NAME_MAX
    };
    if (resource.n == 0 || !memchr(resource.p, '/', resource.n) ||
        memmem(resource.p, resource.n, "kubernetes.io/", strlen("kubernetes.io/")) ||
        mst_str_has_prefix(resource, "requests."))
        return false;
    char quota[QUOTA_PREFIX + NAME_PARTS_MAX];
    if (QUOTA_PREFIX + resource.n > sizeof(quota))
        return false;
    memcpy(quota, "requests.", QUOTA_PREFIX);
    memcpy(quota + QUOTA_PREFIX, resource.p, resource.n);
    return mst_name_ok(MST_NAME_LABEL_KEY, (struct mst_str){ quota, QUOTA_PREFIX + resource.n });
}

/*
 * authn_caller.c - callers as front proxies and the API server describe them, and as we describe
 * them to the API server.
 */
#include <ctype.h>
#include <strings.h>

#include "daemon/authn_internal.h"

void mst_caller_done(struct mst_caller *caller)
{
    mst_vec_done(&caller->groups);
    mst_vec_done(&caller->extra);
}

bool mst_caller_in(const struct mst_caller *caller, const char *group)
{
    for (uint32_t i = 0; i < caller->groups.n; i++)
        if (mst_str_is(caller->groups.v[i], group))
            return true;
    return false;
}

/* ---- headers ---- */

static const char *terminated(struct mst_arena *arena, struct mst_str s)
{
    return mst_arena_str(arena, s).p;
}

/* The first of the headers that says something. */
static struct mst_str first_of(mst_strs headers, const struct mst_https_request *request,
                               struct mst_arena *arena)
{
    for (uint32_t i = 0; i < headers.n; i++) {
        const struct mst_str value = mst_https_header(request, terminated(arena, headers.v[i]));
        if (value.n)
            return value;
    }
    return MST_STR_NONE;
}

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : -1;
}

/* Lower case, with escapes read; as it is when one of them is none. */
static struct mst_str extra_key(struct mst_arena *arena, struct mst_str name)
{
    char *lower = mst_arena_alloc(arena, name.n + 1), *key = mst_arena_alloc(arena, name.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++)
        lower[i] = (char)tolower((unsigned char)name.p[i]);
    for (size_t i = 0; i < name.n; i++) {
        if (lower[i] != '%') {
            key[n++] = lower[i];
            continue;
        }
        if (i + 2 >= name.n || hex(lower[i + 1]) < 0 || hex(lower[i + 2]) < 0)
            return (struct mst_str){ lower, name.n };
        key[n++] = (char)(hex(lower[i + 1]) * 16 + hex(lower[i + 2]));
        i += 2;
    }
    return (struct mst_str){ key, n };
}

static void add_extra(struct mst_str prefix, const struct mst_https_request *request,
                      struct mst_arena *arena, struct mst_caller *out)
{
    struct mst_str name, value;
    for (uint32_t i = 0; mst_https_header_at(request, i, &name, &value); i++) {
        if (name.n < prefix.n || strncasecmp(name.p, prefix.p, prefix.n) != 0)
            continue;
        const struct mst_str rest = { name.p + prefix.n, name.n - prefix.n };
        mst_vec_push(&out->extra, (struct mst_extra){ extra_key(arena, rest), value });
    }
}

bool mst_caller_of_headers(const struct mst_front_proxy *proxy,
                           const struct mst_https_request *request, struct mst_arena *arena,
                           struct mst_caller *out)
{
    out->name = first_of(proxy->user_headers, request, arena);
    if (!out->name.n)
        return false;
    out->uid = first_of(proxy->uid_headers, request, arena);
    for (uint32_t i = 0; i < proxy->group_headers.n; i++) {
        const mst_strs values =
            mst_https_headers(request, terminated(arena, proxy->group_headers.v[i]));
        for (uint32_t k = 0; k < values.n; k++)
            if (values.v[k].n)
                mst_vec_push(&out->groups, values.v[k]);
    }
    for (uint32_t i = 0; i < proxy->extra_prefixes.n; i++)
        add_extra(proxy->extra_prefixes.v[i], request, arena, out);
    return true;
}

/* ---- JSON ---- */

static struct mst_str text_of(const struct mst_value *v)
{
    return v && v->type == MST_STRING ? mst_value_str(v) : MST_STR_NONE;
}

void mst_caller_of_user(const struct mst_value *user, struct mst_caller *out)
{
    out->name = text_of(mst_value_get(user, "username"));
    out->uid = text_of(mst_value_get(user, "uid"));
    const struct mst_value *groups = mst_value_get(user, "groups");
    const struct mst_value *extra = mst_value_get(user, "extra");
    if (groups && groups->type == MST_ARRAY)
        MST_EACH_ELEMENT (group, groups)
            if (group->type == MST_STRING)
                mst_vec_push(&out->groups, mst_value_str(group));
    if (!extra || extra->type != MST_OBJECT)
        return;
    MST_EACH_MEMBER (key, extra) {
        const struct mst_value *values = key + 1;
        if (values->type != MST_ARRAY)
            continue;
        MST_EACH_ELEMENT (value, values)
            if (value->type == MST_STRING)
                mst_vec_push(&out->extra,
                             (struct mst_extra){ mst_value_str(key), mst_value_str(value) });
    }
}

/* Each key once, with all of its values. */
static void write_extra(struct mst_json_writer *w, const struct mst_caller *caller)
{
    mst_jw_key(w, "extra");
    mst_jw_object_begin(w);
    for (uint32_t i = 0; i < caller->extra.n; i++) {
        bool before = false;
        for (uint32_t k = 0; k < i && !before; k++)
            before = mst_str_eq(caller->extra.v[k].key, caller->extra.v[i].key);
        if (before)
            continue;
        mst_jw_key_str(w, caller->extra.v[i].key);
        mst_jw_array_begin(w);
        for (uint32_t k = i; k < caller->extra.n; k++)
            if (mst_str_eq(caller->extra.v[k].key, caller->extra.v[i].key))
                mst_jw_str(w, caller->extra.v[k].value);
        mst_jw_array_end(w);
    }
    mst_jw_object_end(w);
}

void mst_caller_write_spec(const struct mst_caller *caller, struct mst_str verb,
                           struct mst_str path, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "nonResourceAttributes");
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "path");
    mst_jw_str(&w, path);
    mst_jw_key(&w, "verb");
    mst_jw_str(&w, verb);
    mst_jw_object_end(&w);
    mst_jw_key(&w, "user");
    mst_jw_str(&w, caller->name);
    if (caller->uid.n) {
        mst_jw_key(&w, "uid");
        mst_jw_str(&w, caller->uid);
    }
    mst_jw_key(&w, "groups");
    mst_jw_array_begin(&w);
    for (uint32_t i = 0; i < caller->groups.n; i++)
        mst_jw_str(&w, caller->groups.v[i]);
    mst_jw_array_end(&w);
    if (caller->extra.n)
        write_extra(&w, caller);
    mst_jw_object_end(&w);
}

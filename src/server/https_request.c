/*
 * https_request.c - what was asked, copied out of libevent's request, so that it outlives its
 * connection.
 */
#include <strings.h>

#include "server/https_internal.h"

static bool hex(char c, unsigned *value)
{
    if (c >= '0' && c <= '9')
        *value = *value * 16 + (unsigned)(c - '0');
    else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        *value = *value * 16 + (unsigned)((c | 0x20) - 'a') + 10;
    else
        return false;
    return true;
}

/* "%41" becomes "A", and with `plus` "+" a blank. False: no such escape, or a NUL. */
static bool unescape(struct mst_arena *arena, struct mst_str text, bool plus, struct mst_str *out)
{
    char *to = mst_arena_alloc(arena, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned c = (unsigned char)text.p[i];
        if (c == '%') {
            c = 0;
            if (i + 2 >= text.n || !hex(text.p[i + 1], &c) || !hex(text.p[i + 2], &c) || !c)
                return false;
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        to[n++] = (char)c;
    }
    to[n] = '\0';
    *out = (struct mst_str){ to, n };
    return true;
}

static struct mst_str cut(struct mst_str *rest, char at)
{
    const char *end = rest->n ? memchr(rest->p, at, rest->n) : NULL;
    const struct mst_str first = { rest->p, end ? (size_t)(end - rest->p) : rest->n };
    const size_t used = first.n + (end != NULL);
    *rest = (struct mst_str){ rest->p + used, rest->n - used };
    return first;
}

/* As Go does, parameters that cannot be read are passed over. */
static void parse_query(struct mst_https_request *request, struct mst_str text)
{
    uint32_t count = 1;
    for (size_t i = 0; i < text.n; i++)
        count += text.p[i] == '&';
    struct mst_https_pair *v = MST_NEW_N(&request->arena, struct mst_https_pair, count);
    request->query.v = v;
    while (text.n) {
        struct mst_str value = cut(&text, '&');
        const struct mst_str name = cut(&value, '=');
        struct mst_https_pair *pair = &v[request->query.n];
        if ((name.n || value.n) && unescape(&request->arena, name, true, &pair->name) &&
            unescape(&request->arena, value, true, &pair->value))
            request->query.n++;
    }
}

static void copy_headers(struct mst_https_request *request, const struct evkeyvalq *headers)
{
    uint32_t count = 0;
    const struct evkeyval *header;
    for (header = headers->tqh_first; header; header = header->next.tqe_next)
        count++;
    struct mst_https_pair *v = MST_NEW_N(&request->arena, struct mst_https_pair, count + 1);
    request->headers.v = v;
    for (header = headers->tqh_first; header; header = header->next.tqe_next) {
        struct mst_https_pair *pair = &v[request->headers.n++];
        pair->name = mst_arena_str(&request->arena, mst_str_of(header->key));
        pair->value = mst_arena_str(&request->arena, mst_str_of(header->value));
    }
}

static void copy_body(struct mst_https_request *request, struct evbuffer *body)
{
    const size_t n = evbuffer_get_length(body);
    char *to = mst_arena_alloc(&request->arena, n + 1);
    evbuffer_copyout(body, to, n);
    to[n] = '\0';
    request->body = (struct mst_str){ to, n };
}

/* libevent lets in the methods that are allowed and no other. */
static const char *method_name(enum evhttp_cmd_type type)
{
    switch ((int)type) {
    case EVHTTP_REQ_POST: return "POST";
    case EVHTTP_REQ_PUT: return "PUT";
    case EVHTTP_REQ_DELETE: return "DELETE";
    case EVHTTP_REQ_HEAD: return "HEAD";
    default: return "GET";
    }
}

bool mst_https_request_parse(struct mst_https_request *request, struct evhttp_request *http)
{
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(http);
    const enum evhttp_cmd_type type = evhttp_request_get_command(http);
    request->head = type == EVHTTP_REQ_HEAD;
    request->method = mst_str_of(method_name(type));
    copy_headers(request, evhttp_request_get_input_headers(http));
    copy_body(request, evhttp_request_get_input_buffer(http));
    if (!uri || !evhttp_uri_get_path(uri))
        return false;
    const char *query = evhttp_uri_get_query(uri);
    parse_query(request, mst_str_of(query ? query : ""));
    const struct mst_str path = mst_str_of(evhttp_uri_get_path(uri));
    return path.n ? unescape(&request->arena, path, false, &request->path)
                  : (request->path = MST_STR("/"), true);
}

/* ---- what handlers see ---- */

struct mst_str mst_https_method(const struct mst_https_request *request)
{
    return request->method;
}

struct mst_str mst_https_path(const struct mst_https_request *request)
{
    return request->path;
}

struct mst_str mst_https_body(const struct mst_https_request *request)
{
    return request->body;
}

static bool is_header(struct mst_str name, const char *wanted)
{
    return name.n == strlen(wanted) && strncasecmp(name.p, wanted, name.n) == 0;
}

struct mst_str mst_https_query(const struct mst_https_request *request, const char *name)
{
    for (uint32_t i = 0; i < request->query.n; i++)
        if (mst_str_is(request->query.v[i].name, name))
            return request->query.v[i].value;
    return MST_STR_NONE;
}

struct mst_str mst_https_header(const struct mst_https_request *request, const char *name)
{
    for (uint32_t i = 0; i < request->headers.n; i++)
        if (is_header(request->headers.v[i].name, name))
            return request->headers.v[i].value;
    return MST_STR_NONE;
}

/* The arena is the request's own, and grows only. */
static struct mst_str *room_for(const struct mst_https_request *request, uint32_t count)
{
    struct mst_arena *arena = &((struct mst_https_request *)(uintptr_t)request)->arena;
    return MST_NEW_N(arena, struct mst_str, count + 1);
}

mst_strs mst_https_queries(const struct mst_https_request *request, const char *name)
{
    struct mst_str *v = room_for(request, request->query.n);
    mst_strs values = { .v = v };
    for (uint32_t i = 0; i < request->query.n; i++)
        if (mst_str_is(request->query.v[i].name, name))
            v[values.n++] = request->query.v[i].value;
    return values;
}

mst_strs mst_https_headers(const struct mst_https_request *request, const char *name)
{
    struct mst_str *v = room_for(request, request->headers.n);
    mst_strs values = { .v = v };
    for (uint32_t i = 0; i < request->headers.n; i++)
        if (is_header(request->headers.v[i].name, name))
            v[values.n++] = request->headers.v[i].value;
    return values;
}

bool mst_https_header_at(const struct mst_https_request *request, uint32_t i,
                         struct mst_str *ret_name, struct mst_str *ret_value)
{
    if (i >= request->headers.n)
        return false;
    *ret_name = request->headers.v[i].name;
    *ret_value = request->headers.v[i].value;
    return true;
}

struct mst_str mst_https_peer_name(const struct mst_https_request *request)
{
    return request->who.name;
}

mst_strs mst_https_peer_groups(const struct mst_https_request *request)
{
    return request->who.groups;
}

struct mst_str mst_https_proxy_name(const struct mst_https_request *request)
{
    return request->who.proxy_name;
}

bool mst_https_has_certificate(const struct mst_https_request *request)
{
    return request->who.has_certificate;
}

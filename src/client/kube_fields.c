/*
 * kube_fields.c - fields of a kubeconfig's entries, checked and copied.
 */
#include <stdarg.h>
#include <stdio.h>

#include "client/connection_internal.h"
#include "client/small_file.h"
#include "codec/base64.h"

mst_rc mst_kube_fail(const struct mst_kube_entry *entry, const struct mst_value *at,
                     struct mst_err *err, const char *format, ...)
{
    char text[400], place[24] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (at && at->line)
        snprintf(place, sizeof(place), ":%u", at->line);
    if (!entry->kind)
        return mst_fail(err, MST_EINVAL, "%.*s%s: %s", MST_ARG(entry->path), place, text);
    return mst_fail(err, MST_EINVAL, "%.*s%s: %s \"%.*s\": %s", MST_ARG(entry->path), place,
                    entry->kind, MST_ARG(entry->name), text);
}

/* The field, or NULL when it is absent or null. */
static const struct mst_value *field_of(const struct mst_kube_entry *entry, const char *field)
{
    const struct mst_value *v = mst_value_get(entry->value, field);
    return v && v->type != MST_NULL ? v : NULL;
}

mst_rc mst_kube_text(const struct mst_kube_entry *entry, const char *field, struct mst_str *out,
                     struct mst_err *err)
{
    const struct mst_value *v = field_of(entry, field);
    if (v && v->type != MST_STRING)
        return mst_kube_fail(entry, v, err, "%s: want a string, got %s; put it in quotes", field,
                             mst_value_type_name(v));
    if (v && memchr(v->p, '\0', v->n))
        return mst_kube_fail(entry, v, err, "%s: has a NUL character", field);
    *out = v && v->n ? mst_arena_str(entry->arena, mst_value_str(v)) : MST_STR_NONE;
    return MST_OK;
}

mst_rc mst_kube_bool(const struct mst_kube_entry *entry, const char *field, bool *out,
                     struct mst_err *err)
{
    const struct mst_value *v = field_of(entry, field);
    if (v && v->type != MST_TRUE && v->type != MST_FALSE)
        return mst_kube_fail(entry, v, err, "%s: want true or false, got %s", field,
                             mst_value_type_name(v));
    *out = v && v->type == MST_TRUE;
    return MST_OK;
}

mst_rc mst_kube_list(const struct mst_kube_entry *entry, const char *field, mst_strs *out,
                     struct mst_err *err)
{
    const struct mst_value *v = field_of(entry, field);
    if (v && v->type != MST_ARRAY)
        return mst_kube_fail(entry, v, err, "%s: want a list of strings, got %s", field,
                             mst_value_type_name(v));
    out->v = NULL;
    out->n = 0;
    if (!v || !v->n)
        return MST_OK;
    struct mst_str *list = MST_NEW_N(entry->arena, struct mst_str, v->n);
    uint32_t n = 0;
    MST_EACH_ELEMENT (element, v) {
        if (element->type != MST_STRING || memchr(element->p, '\0', element->n))
            return mst_kube_fail(entry, element, err, "%s[%u]: want a string, got %s", field, n,
                                 mst_value_type_name(element));
        list[n++] = mst_arena_str(entry->arena, mst_value_str(element));
    }
    out->v = list;
    out->n = n;
    return MST_OK;
}

struct mst_str mst_kube_path(const struct mst_kube_entry *entry, struct mst_str path)
{
    const char *slash = memrchr(entry->path.p, '/', entry->path.n);
    if (!path.n || path.p[0] == '/' || !slash)
        return path;
    return mst_arena_printf(entry->arena, "%.*s/%.*s", (int)(slash - entry->path.p), entry->path.p,
                            MST_ARG(path));
}

mst_rc mst_kube_bytes(const struct mst_kube_entry *entry, const char *field, struct mst_str *out,
                      struct mst_str *ret_file, struct mst_err *err)
{
    MST_AUTO(mst_buf) bytes = { 0 };
    char data_field[64];
    struct mst_str path = MST_STR_NONE, data = MST_STR_NONE;
    size_t at;
    snprintf(data_field, sizeof(data_field), "%s-data", field);
    mst_rc rc = mst_kube_text(entry, field, &path, err);
    if (!rc)
        rc = mst_kube_text(entry, data_field, &data, err);
    if (rc)
        return rc;
    const struct mst_value *v = mst_value_get(entry->value, data.n ? data_field : field);
    if (path.n && data.n)
        return mst_kube_fail(entry, v, err, "both %s and %s are given; remove one of them", field,
                             data_field);
    if (data.n && !mst_base64_decode(data, &bytes, &at))
        return mst_kube_fail(entry, v, err,
                             "%s: not base64 (byte %zu); encode the PEM file with \"base64 -w0\"",
                             data_field, at);
    if (path.n) {
        struct mst_err why;
        path = mst_kube_path(entry, path);
        rc = mst_small_file_read(path, &bytes, &why);
        if (rc) {
            (void)mst_kube_fail(entry, v, err, "%s: cannot read %s", field, why.text);
            if (err)
                err->rc = rc;
            return rc;
        }
    }
    if ((path.n || data.n) && !bytes.n)
        return mst_kube_fail(entry, v, err, "%s: is empty", data.n ? data_field : field);
    *out = bytes.n ? mst_arena_str(entry->arena, mst_buf_span(&bytes)) : MST_STR_NONE;
    *ret_file = path;
    return MST_OK;
}

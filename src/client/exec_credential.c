/*
 * exec_credential.c - what is told to programs that print credentials, and what they print.
 */
#include <stdio.h>
#include <time.h>

#include "client/exec_plugin.h"
#include "client/pem.h"
#include "codec/base64.h"
#include "codec/json.h"

/* ---- what they are told ---- */

static void write_text(struct mst_json_writer *w, const char *key, struct mst_str value)
{
    if (!value.n)
        return;
    mst_jw_key(w, key);
    mst_jw_str(w, value);
}

static void write_true(struct mst_json_writer *w, const char *key, bool value)
{
    if (!value)
        return;
    mst_jw_key(w, key);
    mst_jw_bool(w, true);
}

static void write_config(struct mst_json_writer *w, struct mst_str text)
{
    struct mst_arena arena = { 0 };
    const struct mst_json_options options = { 0 };
    const struct mst_value *value;
    const mst_rc rc = mst_json_parse(text, &options, &arena, NULL, &value, NULL);
    mst_assert(!rc); /* it was written by us */
    mst_jw_key(w, "config");
    mst_jw_value(w, value);
    mst_arena_done(&arena);
}

static void write_cluster(struct mst_json_writer *w, const struct mst_connection *c)
{
    MST_AUTO(mst_buf) ca = { 0 };
    mst_base64_encode(c->ca_pem, &ca);
    mst_jw_key(w, "cluster");
    mst_jw_object_begin(w);
    write_text(w, "server", c->server);
    write_text(w, "tls-server-name", c->tls_server_name);
    write_true(w, "insecure-skip-tls-verify", c->insecure);
    write_text(w, "certificate-authority-data", mst_buf_span(&ca));
    write_text(w, "proxy-url", c->proxy_url);
    write_true(w, "disable-compression", c->compression_off);
    if (c->exec.cluster_config.n)
        write_config(w, c->exec.cluster_config);
    mst_jw_object_end(w);
}

void mst_exec_info(const struct mst_connection *connection, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "kind");
    mst_jw_text(&w, "ExecCredential");
    mst_jw_key(&w, "apiVersion");
    mst_jw_str(&w, connection->exec.api_version);
    mst_jw_key(&w, "spec");
    mst_jw_object_begin(&w);
    if (connection->exec.provide_cluster_info)
        write_cluster(&w, connection);
    mst_jw_key(&w, "interactive");
    mst_jw_bool(&w, false);
    mst_jw_object_end(&w);
    mst_jw_object_end(&w);
}

/* ---- what they print ---- */

/* "2026-01-02T03:04:05Z", "...05.25+01:00"; a fraction is cut off. */
static bool parse_time(struct mst_str text, int64_t *out)
{
    char copy[40];
    struct tm tm = { 0 };
    int n = 0;
    if (text.n >= sizeof(copy))
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    if (sscanf(copy, "%4d-%2d-%2dT%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
               &tm.tm_min, &tm.tm_sec, &n) != 6)
        return false;
    if (tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_hour < 0 ||
        tm.tm_hour > 23 || tm.tm_min < 0 || tm.tm_min > 59 || tm.tm_sec < 0 || tm.tm_sec > 60)
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    const char *at = copy + n;
    if (*at == '.')
        at += 1 + strspn(at + 1, "0123456789");
    int hours = 0, minutes = 0, end = 0;
    if (strcmp(at, "Z") != 0 && (sscanf(at, "%3d:%2d%n", &hours, &minutes, &end) != 2 || at[end]))
        return false;
    const int64_t offset_s = hours * 3600 + (at[0] == '-' ? -minutes : minutes) * 60;
    *out = (int64_t)timegm(&tm) - offset_s;
    return true;
}

/* Absent when it is not there; an error when it is no string. */
static mst_rc member(const struct mst_value *status, const char *key, struct mst_arena *arena,
                     struct mst_str *out, struct mst_err *err)
{
    const struct mst_value *v = mst_value_get(status, key);
    *out = MST_STR_NONE;
    if (!v || v->type == MST_NULL)
        return MST_OK;
    if (v->type != MST_STRING)
        return mst_fail(err, MST_EDECODE, "status.%s: want a string, got %s", key,
                        mst_value_type_name(v));
    if (v->n)
        *out = mst_arena_str(arena, mst_value_str(v));
    return MST_OK;
}

static bool is_text(const struct mst_value *root, const char *key, struct mst_str want)
{
    const struct mst_value *v = mst_value_get(root, key);
    return v && v->type == MST_STRING && mst_str_eq(mst_value_str(v), want);
}

static mst_rc check(const struct mst_exec_credentials *c, struct mst_err *err)
{
    if (!c->token.n && !c->cert_pem.n && !c->key_pem.n)
        return mst_fail(err, MST_EINVAL,
                        "the answer has neither status.token nor status.clientCertificateData");
    if (!c->cert_pem.n != !c->key_pem.n)
        return mst_fail(err, MST_EINVAL,
                        "status.clientCertificateData and status.clientKeyData go together, one "
                        "is missing");
    for (size_t i = 0; i < c->token.n; i++)
        if ((unsigned char)c->token.p[i] < ' ' || c->token.p[i] == '\x7f')
            return mst_fail(err, MST_EINVAL, "status.token: has a control character");
    if (!c->cert_pem.n)
        return MST_OK;
    return mst_pem_check_pair(c->cert_pem, c->key_pem, err);
}

mst_rc mst_exec_read(struct mst_str text, struct mst_str api_version, struct mst_arena *arena,
                     struct mst_exec_credentials *out, struct mst_err *err)
{
    const struct mst_json_options options = { 0 };
    const struct mst_value *root;
    struct mst_exec_credentials read = { .expires_unix_s = INT64_MAX };
    struct mst_str expires;
    mst_rc rc = mst_json_parse(text, &options, arena, NULL, &root, err);
    if (rc)
        return mst_wrap(err, "the answer is not JSON");
    if (!is_text(root, "kind", MST_STR("ExecCredential")) ||
        !is_text(root, "apiVersion", api_version))
        return mst_fail(err, MST_EINVAL, "the answer is no ExecCredential of %.*s",
                        MST_ARG(api_version));
    const struct mst_value *status = mst_value_get(root, "status");
    if (!status || status->type != MST_OBJECT)
        return mst_fail(err, MST_EINVAL, "the answer has no status");
    rc = member(status, "token", arena, &read.token, err);
    if (!rc)
        rc = member(status, "clientCertificateData", arena, &read.cert_pem, err);
    if (!rc)
        rc = member(status, "clientKeyData", arena, &read.key_pem, err);
    if (!rc)
        rc = member(status, "expirationTimestamp", arena, &expires, err);
    if (!rc && expires.n && !parse_time(expires, &read.expires_unix_s))
        rc = mst_fail(err, MST_EINVAL, "status.expirationTimestamp: \"%.*s\" is no RFC 3339 time",
                      MST_ARG(expires));
    if (!rc)
        rc = check(&read, err);
    if (rc)
        return rc;
    *out = read;
    return MST_OK;
}

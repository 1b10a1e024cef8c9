/*
 * serving_flags.c - the flags of `muster scheduler` about its HTTPS port.
 *
 * Source: spec/plugins.md 7; kubernetes v1.37 apiserver pkg/server/options.
 */
#include "cli/serving_flags.h"

#include <openssl/ssl.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/clock.h"

enum { DEFAULT_PORT = 10259, LIST_MAX = 64 };

struct reading {
    const struct mst_args *args;
    struct mst_serving_setup *out;
    bool failed;
};

static const char *text(const struct reading *r, const char *flag)
{
    const char *value = mst_args_text(r->args, flag, NULL);
    return value && *value ? value : NULL;
}

static void complain(struct reading *r, const char *flag, const char *what, struct mst_str value)
{
    mst_usage_error(r->args->command, "flag --%s: %s \"%.*s\"", flag, what, MST_ARG(value));
    r->failed = true;
}

/* "a,b" in parts without blanks around them; empty ones are left out. */
static mst_strs list(struct reading *r, const char *flag, const char *otherwise)
{
    struct mst_str parts[LIST_MAX];
    uint32_t n = 0;
    const char *at = mst_args_text(r->args, flag, otherwise);
    while (*at) {
        const size_t length = strcspn(at, ",");
        struct mst_str part = { at, length };
        while (part.n && part.p[0] == ' ')
            part = (struct mst_str){ part.p + 1, part.n - 1 };
        while (part.n && part.p[part.n - 1] == ' ')
            part.n--;
        if (part.n && n == LIST_MAX) {
            complain(r, flag, "too many values, from", part);
            break;
        }
        if (part.n)
            parts[n++] = part;
        at += length + (at[length] == ',');
    }
    mst_strs all = { mst_arena_zalloc(&r->out->arena, n + 1, sizeof(*parts)), n };
    memcpy(all.v, parts, n * sizeof(*parts));
    return all;
}

static int64_t ttl_ms(struct reading *r, const char *flag)
{
    int64_t ns = 10 * MST_NS_PER_S;
    if (!mst_args_duration(r->args, flag, &ns))
        r->failed = true;
    return ns ? MST_MAX(ns / MST_NS_PER_MS, INT64_C(1)) : -1;
}

/* ---- TLS ---- */

/* The pair of --cert-dir, if it is there; without one a certificate is made in memory. */
static const char *in_cert_dir(struct reading *r, const char *name)
{
    const char *dir = text(r, "cert-dir");
    if (!dir)
        return NULL;
    const struct mst_str path = mst_arena_printf(&r->out->arena, "%s/%s%c", dir, name, 0);
    return access(path.p, R_OK) == 0 ? path.p : NULL;
}

static void read_certificates(struct reading *r)
{
    struct mst_serving_flags *f = &r->out->flags;
    f->cert_file = text(r, "tls-cert-file");
    f->key_file = text(r, "tls-private-key-file");
    if (!f->cert_file != !f->key_file)
        complain(r, f->cert_file ? "tls-private-key-file" : "tls-cert-file", "is needed beside",
                 mst_str_of(f->cert_file ? f->cert_file : f->key_file));
    if (!f->cert_file && !f->key_file) {
        f->cert_file = in_cert_dir(r, "kube-scheduler.crt");
        f->key_file = in_cert_dir(r, "kube-scheduler.key");
        if (!f->cert_file || !f->key_file)
            f->cert_file = f->key_file = NULL;
    }
    f->client_ca_file = text(r, "client-ca-file");
    f->proxy_ca_file = text(r, "requestheader-client-ca-file");
    f->min_version = text(r, "tls-min-version");
}

/* The flag names suites as IANA does, OpenSSL has names of its own. Those of TLS 1.3 are fixed. */
static void read_ciphers(struct reading *r)
{
    MST_AUTO(mst_buf) names = { 0 };
    const mst_strs suites = list(r, "tls-cipher-suites", "");
    for (uint32_t i = 0; i < suites.n; i++) {
        MST_AUTO(mst_buf) suite = { 0 };
        mst_buf_str(&suite, suites.v[i]);
        mst_buf_char(&suite, 0);
        const char *name = OPENSSL_cipher_name(suite.p);
        if (strcmp(name, "(NONE)") == 0)
            complain(r, "tls-cipher-suites", "unknown suite", suites.v[i]);
        else
            mst_buf_printf(&names, "%s%s", names.n ? ":" : "", name);
    }
    mst_buf_char(&names, 0);
    if (names.n > 1)
        r->out->flags.ciphers = mst_arena_str(&r->out->arena, mst_buf_span(&names)).p;
}

/* ---- who may ask ---- */

static void read_front_proxy(struct reading *r)
{
    struct mst_front_proxy *proxy = &r->out->flags.proxy;
    proxy->allowed_names = list(r, "requestheader-allowed-names", "");
    proxy->user_headers = list(r, "requestheader-username-headers", "x-remote-user");
    proxy->uid_headers = list(r, "requestheader-uid-headers", "");
    proxy->group_headers = list(r, "requestheader-group-headers", "x-remote-group");
    proxy->extra_prefixes = list(r, "requestheader-extra-headers-prefix", "x-remote-extra-");
}

/* One client asks both questions. */
static void read_reviews(struct reading *r)
{
    struct mst_err err;
    const char *who = text(r, "authentication-kubeconfig");
    const char *may = text(r, "authorization-kubeconfig");
    if (who && may && strcmp(who, may) != 0)
        complain(r, "authorization-kubeconfig",
                 "must be the one of --authentication-kubeconfig, not", mst_str_of(may));
    const struct mst_connection_options options = { .kubeconfig = who ? who : may };
    if (r->failed || !options.kubeconfig)
        return;
    if (mst_connection_load(&options, &r->out->reviews, &err) == MST_OK) {
        r->out->flags.review_connection = &r->out->reviews;
        return;
    }
    fprintf(stderr, "muster scheduler: flag --auth%s-kubeconfig: %s\n",
            who ? "entication" : "orization", err.text);
    r->failed = true;
}

bool mst_serving_flags_read(const struct mst_args *args, struct mst_serving_setup *out)
{
    struct reading r = { .args = args, .out = out };
    struct mst_serving_flags *f = &out->flags;
    int64_t port = DEFAULT_PORT;
    f->address = mst_args_text(args, "bind-address", "0.0.0.0");
    if (!mst_args_number(args, "secure-port", 0, 65535, &port))
        return false;
    f->port = (int)port;
    read_certificates(&r);
    read_ciphers(&r);
    read_front_proxy(&r);
    f->always_allow_paths = list(&r, "authorization-always-allow-paths", "/healthz,/readyz,/livez");
    f->token_ttl_ms = ttl_ms(&r, "authentication-token-webhook-cache-ttl");
    f->allowed_ttl_ms = ttl_ms(&r, "authorization-webhook-cache-authorized-ttl");
    f->denied_ttl_ms = ttl_ms(&r, "authorization-webhook-cache-unauthorized-ttl");
    f->skip_lookup = mst_args_bool(args, "authentication-skip-lookup", false);
    f->strict_lookup = !mst_args_bool(args, "authentication-tolerate-lookup-failure", true);
    read_reviews(&r);
    return !r.failed;
}

void mst_serving_setup_done(struct mst_serving_setup *setup)
{
    mst_connection_done(&setup->reviews);
    mst_arena_done(&setup->arena);
}

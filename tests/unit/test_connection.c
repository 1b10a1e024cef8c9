/*
 * Kubeconfigs, good and bad; service accounts; --master. Files are made in a directory of the test.
 * Source of the rules: kubernetes v1.37 client-go tools/clientcmd (client_config_test.go,
 * validation_test.go), re-expressed.
 */
#include "client/connection.h"
#include "tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct world {
    char dir[64];
    char path[128];
};

static void write_file(const struct world *w, const char *name, const char *text)
{
    char path[192];
    snprintf(path, sizeof(path), "%s/%s", w->dir, name);
    FILE *file = fopen(path, "w");
    mst_assert(file);
    fputs(text, file);
    fclose(file);
}

static void world_begin(struct world *w)
{
    snprintf(w->dir, sizeof(w->dir), "/tmp/muster-connection-XXXXXX");
    const char *made = mkdtemp(w->dir);
    mst_assert(made);
    snprintf(w->path, sizeof(w->path), "%s/config", w->dir);
    write_file(w, "ca.crt", "CA");
    write_file(w, "user.crt", "CERT");
    write_file(w, "user.key", "KEY");
    write_file(w, "empty", "");
}

static void world_end(const struct world *w)
{
    DIR *dir = opendir(w->dir);
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    rmdir(w->dir);
}

/* A kubeconfig with one context; `cluster` and `user` are flow mappings. */
static void write_config(const struct world *w, const char *cluster, const char *user)
{
    char text[4096];
    snprintf(text, sizeof(text),
             "apiVersion: v1\nkind: Config\ncurrent-context: x\n"
             "contexts:\n- {name: x, context: {cluster: c, user: u, namespace: ns}}\n"
             "clusters:\n- {name: c, cluster: %s}\nusers:\n- {name: u, user: %s}\n",
             cluster, user);
    write_file(w, "config", text);
}

static mst_rc load(const struct world *w, const char *context, const char *master,
                   struct mst_connection *out, struct mst_err *err)
{
    const struct mst_connection_options options = { .kubeconfig = w->path,
                                                    .context = context,
                                                    .master = master };
    return mst_connection_load(&options, out, err);
}

#define SERVER "server: \"https://h:6443/\""

static void test_connection_everything(struct mst_test *t)
{
    struct world w;
    struct mst_connection c;
    struct mst_err err;
    world_begin(&w);
    write_config(&w,
                 "{" SERVER ", certificate-authority: ca.crt, tls-server-name: sn, proxy-url: "
                 "\"socks5://p:1\", disable-compression: true, extensions: [{name: other}, {name: "
                 "client.authentication.k8s.io/exec, extension: {a: [1]}}]}",
                 "{client-certificate: user.crt, client-key: user.key, token: t, tokenFile: tok, "
                 "as: who, as-uid: \"7\", as-groups: [g1, g2], as-user-extra: {a/b: [v1, v2], "
                 "c: [\"x=y\"]}, exec: {command: ./bin/p, args: [a, b], env: [{name: NAME, value: "
                 "V}], apiVersion: client.authentication.k8s.io/v1, installHint: get it, "
                 "provideClusterInfo: true, interactiveMode: Never}}");
    t_int(t, load(&w, NULL, NULL, &c, &err), MST_OK);
    t_str(t, c.server, "https://h:6443");
    t_str(t, c.namespace_, "ns");
    t_str(t, c.ca_pem, "CA");
    t_str(t, c.cert_pem, "CERT");
    t_str(t, c.key_pem, "KEY");
    t_str(t, c.tls_server_name, "sn");
    t_str(t, c.proxy_url, "socks5://p:1");
    t_bool(t, c.insecure, false);
    t_bool(t, c.compression_off, true);
    t_str(t, c.token, "t");
    char want[160];
    snprintf(want, sizeof(want), "%s/tok", w.dir);
    t_str(t, c.token_file, want);
    snprintf(want, sizeof(want), "%s/ca.crt", w.dir);
    t_str(t, c.ca_file, want);
    snprintf(want, sizeof(want), "%s/user.crt", w.dir);
    t_str(t, c.cert_file, want);
    snprintf(want, sizeof(want), "%s/user.key", w.dir);
    t_str(t, c.key_file, want);
    t_str(t, c.impersonate_user, "who");
    t_str(t, c.impersonate_uid, "7");
    t_int(t, c.impersonate_groups.n, 2);
    t_str(t, c.impersonate_groups.v[1], "g2");
    t_int(t, c.impersonate_extra.n, 3);
    t_str(t, c.impersonate_extra.v[0], "a%2Fb=v1");
    t_str(t, c.impersonate_extra.v[1], "a%2Fb=v2");
    t_str(t, c.impersonate_extra.v[2], "c=x=y");
    snprintf(want, sizeof(want), "%s/./bin/p", w.dir);
    t_str(t, c.exec.command, want);
    t_int(t, c.exec.args.n, 2);
    t_str(t, c.exec.args.v[0], "a");
    t_int(t, c.exec.env.n, 1);
    t_str(t, c.exec.env.v[0], "NAME=V");
    t_str(t, c.exec.api_version, "client.authentication.k8s.io/v1");
    t_str(t, c.exec.install_hint, "get it");
    t_bool(t, c.exec.provide_cluster_info, true);
    t_str(t, c.exec.cluster_config, "{\"a\":[1]}");
    mst_connection_done(&c);
    world_end(&w);
}

static void test_connection_data(struct mst_test *t)
{
    struct world w;
    struct mst_connection c;
    struct mst_err err;
    world_begin(&w);
    write_config(&w, "{" SERVER ", certificate-authority-data: \"Q0E=\"}",
                 "{client-certificate-data: Q0VSVA==, client-key-data: S0VZ}");
    t_int(t, load(&w, NULL, NULL, &c, &err), MST_OK);
    t_str(t, c.ca_pem, "CA");
    t_str(t, c.cert_pem, "CERT");
    t_str(t, c.key_pem, "KEY");
    t_ok(t, !c.ca_file.p && !c.cert_file.p && !c.key_file.p);
    mst_connection_done(&c);
    write_config(&w, "{" SERVER ", insecure-skip-tls-verify: true}",
                 "{username: a, password: b, exec: null, auth-provider: null}");
    t_int(t, load(&w, NULL, NULL, &c, &err), MST_OK);
    t_bool(t, c.insecure, true);
    t_str(t, c.username, "a");
    t_str(t, c.password, "b");
    t_ok(t, !c.ca_pem.p && !c.cert_pem.p && !c.token.p && !c.exec.command.p);
    mst_connection_done(&c);
    world_end(&w);
}

static void test_connection_contexts(struct mst_test *t)
{
    struct world w;
    struct mst_connection c;
    struct mst_err err;
    world_begin(&w);
    write_file(&w, "config",
               "current-context: one\n"
               "contexts: [{name: one, context: {cluster: c1, user: u1}},"
               " {name: two, context: {cluster: c2, user: u1}}]\n"
               "clusters: [{name: c1, cluster: {server: 'https://one'}},"
               " {name: c2, cluster: {server: 'https://two', tls-server-name: sn}}]\n"
               "users: [{name: u1, user: {token: t}}, {name: u2, user: {auth-provider: {}}}]\n");
    t_int(t, load(&w, NULL, NULL, &c, &err), MST_OK);
    t_str(t, c.server, "https://one");
    t_str(t, c.namespace_, "default");
    mst_connection_done(&c);
    t_int(t, load(&w, "two", NULL, &c, &err), MST_OK);
    t_str(t, c.server, "https://two");
    t_str(t, c.tls_server_name, "sn");
    mst_connection_done(&c);
    /* --master is another server: it has its own name. */
    t_int(t, load(&w, "two", "https://three/p/", &c, &err), MST_OK);
    t_str(t, c.server, "https://three/p");
    t_ok(t, !c.tls_server_name.p);
    t_str(t, c.token, "t");
    mst_connection_done(&c);
    t_int(t, load(&w, "three", NULL, &c, &err), MST_EINVAL);
    t_ok(t, strstr(err.text, "no context \"three\"; there are: one, two"));
    world_end(&w);
}

/* Who we are does not travel in the clear. */
static void test_connection_plain(struct mst_test *t)
{
    struct world w;
    struct mst_connection c;
    struct mst_err err;
    world_begin(&w);
    static const char *const servers[] = { "http://h:8080", "h:8080" };
    for (size_t i = 0; i < MST_COUNT(servers); i++) {
        char cluster[64];
        snprintf(cluster, sizeof(cluster), "{server: '%s'}", servers[i]);
        write_config(&w, cluster,
                     "{token: t, client-certificate: user.crt, client-key: user.key, as: who, "
                     "exec: {command: x, interactiveMode: Never, "
                     "apiVersion: client.authentication.k8s.io/v1}}");
        t_int(t, load(&w, NULL, NULL, &c, &err), MST_OK);
        t_str(t, c.server, "http://h:8080");
        t_ok(t, !c.token.p && !c.exec.command.p && !c.cert_file.p && !c.key_file.p);
        t_str(t, c.impersonate_user, "who");
        mst_connection_done(&c);
    }
    world_end(&w);
}

#define EXEC(more) "{exec: {command: p, apiVersion: client.authentication.k8s.io/v1, " more "}}"
static const struct {
    const char *cluster, *user, *error; /* a part of it */
} bad_entries[] = {
    { "{}", "{}", "cluster \"c\": server: not given" },
    { "{server: 6443}", "{}", "server: want a string, got number" },
    { "{server: 'ftp://x'}", "{}", "server: \"ftp://x\" is neither https:// nor http://" },
    { "{server: 'https://a b'}", "{}", "has a blank in it" },
    { "[]", "{}", "cluster \"c\": has no \"cluster:\" with its fields" },
    { "{" SERVER ", certificate-authority: nope}", "{}",
      "certificate-authority: cannot read /tmp/" },
    { "{" SERVER ", certificate-authority: empty}", "{}", "certificate-authority: is empty" },
    { "{" SERVER ", certificate-authority: .}", "{}", "not a regular file" },
    { "{" SERVER ", certificate-authority-data: '@'}", "{}",
      "certificate-authority-data: not base64 (byte 0)" },
    { "{" SERVER ", certificate-authority-data: Q0E=, certificate-authority: ca.crt}", "{}",
      "both certificate-authority and certificate-authority-data are given" },
    { "{" SERVER ", certificate-authority-data: Q0E=, insecure-skip-tls-verify: true}", "{}",
      "insecure-skip-tls-verify together with a certificate-authority" },
    { "{" SERVER ", insecure-skip-tls-verify: 'yes'}", "{}",
      "insecure-skip-tls-verify: want true or false, got string" },
    { "{" SERVER ", proxy-url: 'ftp://p'}", "{}", "proxy-url: \"ftp://p\" is no http://" },
    { "{" SERVER ", proxy-url: 'http://'}", "{}", "proxy-url: \"http://\" is no http://" },
    { "{" SERVER "}", "{client-certificate: user.crt}", "client-certificate without client-key" },
    { "{" SERVER "}", "{client-key: user.key}", "client-key without client-certificate" },
    { "{" SERVER "}", "{client-key-data: '==='}", "client-key-data: not base64" },
    { "{" SERVER "}", "{token: t, username: a}", "more than one way to say who we are" },
    { "{" SERVER "}", "{token: 1}", "user \"u\": token: want a string, got number" },
    { "{" SERVER "}", "{token: \"a\\0b\"}", "token: has a NUL character" },
    { "{" SERVER "}", "{auth-provider: {name: gcp}}", "auth-provider: Kubernetes 1.26 removed" },
    { "{" SERVER "}", "{as-groups: [g]}", "need \"as\"" },
    { "{" SERVER "}", "{as: a, as-groups: g}", "as-groups: want a list of strings" },
    { "{" SERVER "}", "{as: a, as-groups: [g, 1]}", "as-groups[1]: want a string, got number" },
    { "{" SERVER "}", "{as: a, as-user-extra: [g]}", "as-user-extra: want a map of lists" },
    { "{" SERVER "}", "{as: a, as-user-extra: {k: g}}", "as-user-extra.k: want a list" },
    { "{" SERVER "}", "{as: a, as-user-extra: {k: [1]}}", "as-user-extra.k: want a list" },
    { "{" SERVER "}", "{exec: x}", "exec: want an object, got string" },
    { "{" SERVER "}", "{exec: {apiVersion: x}}", "exec.command: not given" },
    { "{" SERVER "}", "{exec: {command: p}}", "exec.apiVersion: \"\" is not supported" },
    { "{" SERVER "}", "{exec: {command: p, apiVersion: client.authentication.k8s.io/v1alpha1}}",
      "v1alpha1\" is not supported; use client.authentication.k8s.io/v1 or v1beta1" },
    { "{" SERVER "}", EXEC(""), "exec.interactiveMode: not given" },
    { "{" SERVER "}", EXEC("interactiveMode: Always"), "Always needs a person" },
    { "{" SERVER "}", EXEC("interactiveMode: Maybe"), "\"Maybe\" is none of" },
    { "{" SERVER "}", EXEC("interactiveMode: Never, args: x"), "args: want a list of strings" },
    { "{" SERVER "}", EXEC("interactiveMode: Never, env: x"), "exec.env: want a list" },
    { "{" SERVER "}", EXEC("interactiveMode: Never, env: [{value: x}]"),
      "exec.env[0].name: \"\" is no name" },
    { "{" SERVER "}", EXEC("interactiveMode: Never, env: [{name: 'a=b'}]"),
      "exec.env[0].name: \"a=b\" is no name" },
    { "{" SERVER "}", EXEC("interactiveMode: Never, env: [{name: a, value: 1}]"),
      "user \"u\": exec.env[0]: name and value must be strings" },
};

static void test_connection_bad_entries(struct mst_test *t)
{
    struct world w;
    world_begin(&w);
    for (size_t i = 0; i < MST_COUNT(bad_entries); i++) {
        struct mst_connection c = { .insecure = true };
        struct mst_err err = { 0 };
        char name[300];
        snprintf(name, sizeof(name), "%s %s", bad_entries[i].cluster, bad_entries[i].user);
        t_case(t, name);
        write_config(&w, bad_entries[i].cluster, bad_entries[i].user);
        const mst_rc rc = load(&w, NULL, NULL, &c, &err);
        t_ok(t, rc == MST_EINVAL || rc == MST_EIO);
        t_int(t, err.rc, rc);
        if (!strstr(err.text, bad_entries[i].error))
            t_text(t, err.text, bad_entries[i].error);
        t_ok(t, strstr(err.text, w.path)); /* the file is always named */
        t_bool(t, c.insecure, true);       /* untouched */
    }
    world_end(&w);
}

static void test_connection_bad_files(struct mst_test *t)
{
#define CONTEXT "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
#define CLUSTER "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
    static const struct {
        const char *text, *error;
        mst_rc rc;
    } cases[] = {
        { "", "is empty", MST_EDECODE },
        { "# nothing\n", "is empty", MST_EDECODE },
        { "[]", "is no kubeconfig: want an object, got array", MST_EDECODE },
        { "a: [", "config:1:", MST_EDECODE },
        { "a: 1\nb: {\n", "config:", MST_EDECODE },
        { "kind: Pod\napiVersion: v1\n", "is no kubeconfig: kind \"Pod\"", MST_EINVAL },
        { "kind: Config\napiVersion: v2\n", "apiVersion \"v2\"", MST_EINVAL },
        { "kind: Config\n", "current-context: not given; set it with", MST_EINVAL },
        { "contexts: [{name: a}, {name: b}, 3]\n", "there are: a, b", MST_EINVAL },
        { "current-context: x\n", "no context \"x\"", MST_EINVAL },
        { "current-context: x\ncontexts: {}\n", "contexts: want a list, got object", MST_EINVAL },
        { "current-context: x\ncontexts: [{name: x}]\n", "has no \"context:\"", MST_EINVAL },
        { "current-context: x\ncontexts: [{name: x, context: {user: u}}]\n",
          "context \"x\": cluster: not given", MST_EINVAL },
        { "current-context: x\ncontexts: [{name: x, context: {cluster: u}}]\n",
          "context \"x\": user: not given", MST_EINVAL },
        { "current-context: x\n" CONTEXT, "context \"x\": ", MST_EINVAL },
        { "current-context: x\n" CONTEXT CLUSTER, "no user \"u\"", MST_EINVAL },
        { "current-context: x\n" CONTEXT CLUSTER "users: [{name: u, user: {}}, {name: u}]",
          "users: the name \"u\" is used twice", MST_EINVAL },
        { "current-context: [x]\n", "current-context: want a string", MST_EINVAL },
    };
    struct world w;
    world_begin(&w);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_connection c = { 0 };
        struct mst_err err = { 0 };
        t_case(t, cases[i].text);
        write_file(&w, "config", cases[i].text);
        t_int(t, load(&w, NULL, NULL, &c, &err), cases[i].rc);
        if (!strstr(err.text, cases[i].error))
            t_text(t, err.text, cases[i].error);
        t_ok(t, strstr(err.text, w.path));
    }
    /* No such file; a directory. */
    struct mst_connection c = { 0 };
    struct mst_err err = { 0 };
    t_case(t, "no file");
    unlink(w.path);
    t_int(t, load(&w, NULL, NULL, &c, &err), MST_EIO);
    t_ok(t, strstr(err.text, "No such file or directory"));
    world_end(&w);
}

static void test_connection_master_alone(struct mst_test *t)
{
    const struct mst_connection_options options = { .master = "10.0.0.1:8080" };
    struct mst_connection c;
    struct mst_err err;
    t_int(t, mst_connection_load(&options, &c, &err), MST_OK);
    t_str(t, c.server, "http://10.0.0.1:8080");
    t_str(t, c.namespace_, "default");
    mst_connection_done(&c);
    const struct mst_connection_options bad = { .master = "x://y" };
    t_int(t, mst_connection_load(&bad, &c, &err), MST_EINVAL);
}

static void test_connection_in_cluster(struct mst_test *t)
{
    struct world w;
    struct mst_connection c;
    struct mst_err err;
    world_begin(&w);
    const struct mst_connection_options options = { .service_account_dir = w.dir };
    unsetenv("KUBERNETES_SERVICE_HOST");
    t_int(t, mst_connection_load(&options, &c, &err), MST_EINVAL);
    t_ok(t, strstr(err.text, "give --kubeconfig"));
    setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    t_int(t, mst_connection_load(&options, &c, &err), MST_EIO); /* no token */
    t_ok(t, strstr(err.text, "/token: No such file"));
    write_file(&w, "token", "abc\n");
    t_int(t, mst_connection_load(&options, &c, &err), MST_OK);
    t_str(t, c.server, "https://10.0.0.1:443");
    t_str(t, c.ca_pem, "CA");
    t_str(t, c.namespace_, "default");
    char want[160];
    snprintf(want, sizeof(want), "%s/token", w.dir);
    t_str(t, c.token_file, want);
    snprintf(want, sizeof(want), "%s/ca.crt", w.dir);
    t_str(t, c.ca_file, want);
    mst_connection_done(&c);
    setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
    write_file(&w, "namespace", "kube-system\n");
    t_int(t, mst_connection_load(&options, &c, &err), MST_OK);
    t_str(t, c.server, "https://[fd00::1]:443");
    t_str(t, c.namespace_, "kube-system");
    mst_connection_done(&c);
    unsetenv("KUBERNETES_SERVICE_HOST");
    world_end(&w);
}

/* ---- several files ---- */

static mst_rc load_list(const struct world *w, const char *names, struct mst_connection *out,
                        struct mst_err *err)
{
    MST_AUTO(mst_buf) list = { 0 };
    for (const char *at = names; *at; at += strspn(at, " ")) {
        const int n = (int)strcspn(at, " ");
        mst_buf_printf(&list, "%s%s/%.*s", list.n ? ":" : "", w->dir, n, at);
        at += n;
    }
    mst_buf_char(&list, 0);
    const struct mst_connection_options options = { .kubeconfig_list = list.p };
    return mst_connection_load(&options, out, err);
}

/* Source: client-go tools/clientcmd loader_test.go (merging), re-expressed. */
static void test_connection_list(struct mst_test *t)
{
    static const struct {
        const char *names, *server, *token; /* server NULL: an error */
        const char *error;
    } cases[] = {
        { "a", "https://a", "a", NULL },
        { "a b", "https://a", "a", NULL },
        { "b a", "https://b", "b", NULL },
        { "nope a empty nope b", "https://a", "a", NULL },
        { "users a b", "https://a", "users", NULL }, /* one user of that name wins whole */
        { "context a b", "https://b", "a", NULL },   /* from here, what it names from there */
        { "context users clusters", "https://c", "users", NULL },
        { "nope", NULL, NULL, "/nope: none of these files exists; name one that does" },
        { "nope nope", NULL, NULL, "none of these files exists" },
        { "empty", NULL, NULL, "/empty: is empty" },
        { "empty empty", NULL, NULL, "/empty: is empty" },
        { "users", NULL, NULL, "/users: current-context: not given" },
        { "users clusters", NULL, NULL, "/clusters: current-context: not given" },
        { "context users", NULL, NULL, "/users: no cluster \"two\"" },
        { "context clusters a", "https://c", "a", NULL },
        { "a bad", NULL, NULL, "/bad:1:" },
        { "a pod", NULL, NULL, "/pod:1: is no kubeconfig: kind \"Pod\"" },
        { "context clusters twice a", NULL, NULL, "/twice:1: users: the name \"u\" is used twice" },
        { "a twice", "https://a", "a", NULL }, /* nobody looks at what has lost */
    };
    struct world w;
    world_begin(&w);
    write_file(&w, "a",
               "current-context: x\n"
               "contexts: [{name: x, context: {cluster: one, user: u}}]\n"
               "clusters: [{name: one, cluster: {server: 'https://a'}}]\n"
               "users: [{name: u, user: {token: a, as: who}}]\n");
    write_file(&w, "b",
               "current-context: x\n"
               "contexts: [{name: x, context: {cluster: two, user: u}}]\n"
               "clusters: [{name: two, cluster: {server: 'https://b'}}]\n"
               "users: [{name: u, user: {token: b}}]\n");
    write_file(&w, "users", "users: [{name: u, user: {token: users}}]\n");
    write_file(&w, "clusters", "clusters: [{name: two, cluster: {server: 'https://c'}}]\n");
    write_file(&w, "context",
               "current-context: z\ncontexts: [{name: z, context: {cluster: two, user: u}}]\n");
    write_file(&w, "bad", "a: [");
    write_file(&w, "pod", "kind: Pod\n");
    write_file(&w, "twice", "users: [{name: u, user: {}}, {name: u, user: {}}]\n");
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_connection c = { 0 };
        struct mst_err err = { 0 };
        t_case(t, cases[i].names);
        const mst_rc rc = load_list(&w, cases[i].names, &c, &err);
        t_bool(t, rc == MST_OK, cases[i].server != NULL);
        if (rc && (!cases[i].error || !strstr(err.text, cases[i].error)))
            t_text(t, err.text, cases[i].error ? cases[i].error : "");
        if (!rc) {
            t_str(t, c.server, cases[i].server);
            t_str(t, c.token, cases[i].token);
            t_bool(t, c.impersonate_user.n > 0, strcmp(cases[i].token, "a") == 0);
        }
        mst_connection_done(&c);
    }
    world_end(&w);
}

/* Relative paths count from the file that they stand in. */
static void test_connection_list_paths(struct mst_test *t)
{
    struct world w, other;
    struct mst_connection c;
    struct mst_err err;
    char list[300];
    world_begin(&w);
    world_begin(&other);
    write_file(&w, "config",
               "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
               "clusters: [{name: c, cluster: {server: 'https://h', certificate-authority: "
               "ca.crt}}]\n");
    write_file(
        &other, "config",
        "users: [{name: u, user: {client-certificate: user.crt, client-key: ./user.key}}]\n");
    write_file(&other, "user.crt", "OTHER");
    snprintf(list, sizeof(list), ":%s::%s:", w.path, other.path);
    const struct mst_connection_options options = { .kubeconfig_list = list };
    t_int(t, mst_connection_load(&options, &c, &err), MST_OK);
    t_str(t, c.ca_pem, "CA");
    t_str(t, c.cert_pem, "OTHER");
    char want[160];
    snprintf(want, sizeof(want), "%s/ca.crt", w.dir);
    t_str(t, c.ca_file, want);
    snprintf(want, sizeof(want), "%s/./user.key", other.dir);
    t_str(t, c.key_file, want);
    mst_connection_done(&c);
    world_end(&w);
    world_end(&other);
}

static void test_connection_list_too_long(struct mst_test *t)
{
    struct world w;
    struct mst_connection c;
    struct mst_err err;
    MST_AUTO(mst_buf) names = { 0 };
    world_begin(&w);
    write_config(&w, "{" SERVER "}", "{}");
    for (int i = 0; i < 64; i++)
        mst_buf_text(&names, "config ");
    mst_buf_char(&names, 0);
    t_int(t, load_list(&w, names.p, &c, &err), MST_OK);
    mst_connection_done(&c);
    names.n--;
    mst_buf_text(&names, "config");
    mst_buf_char(&names, 0);
    t_int(t, load_list(&w, names.p, &c, &err), MST_ELIMIT);
    t_ok(t, strstr(err.text, "/config: more than 64 files"));
    world_end(&w);
}

/* What a shell's <(...) is: a pipe that is read to its end. */
static void test_connection_pipe(struct mst_test *t)
{
    static const char text[] = "current-context: x\n"
                               "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                               "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
                               "users: [{name: u, user: {token: t}}]\n";
    struct mst_connection c;
    struct mst_err err;
    int fds[2];
    char path[40];
    bool bad = pipe2(fds, O_CLOEXEC);
    mst_assert(!bad);
    bad = write(fds[1], text, sizeof(text) - 1) != (ssize_t)sizeof(text) - 1;
    mst_assert(!bad);
    close(fds[1]);
    snprintf(path, sizeof(path), "/dev/fd/%d", fds[0]);
    const struct mst_connection_options options = { .kubeconfig = path };
    t_int(t, mst_connection_load(&options, &c, &err), MST_OK);
    t_str(t, c.server, "https://h");
    t_str(t, c.token, "t");
    mst_connection_done(&c);
    t_case(t, "read before");
    t_int(t, mst_connection_load(&options, &c, &err), MST_EDECODE);
    close(fds[0]);
    t_case(t, "a directory");
    const struct mst_connection_options directory = { .kubeconfig = "/tmp" };
    t_int(t, mst_connection_load(&directory, &c, &err), MST_EIO);
    t_ok(t, strstr(err.text, "/tmp: Is a directory"));
}

static void test_connection_default_list(struct mst_test *t)
{
    struct world w;
    world_begin(&w);
    char dir[96], config[128];
    snprintf(dir, sizeof(dir), "%s/.kube", w.dir);
    snprintf(config, sizeof(config), "%s/config", dir);
    const struct {
        const char *list, *home, *want; /* NULL: none */
        bool there;                     /* ~/.kube/config */
    } cases[] = {
        { NULL, w.dir, config, true },     { NULL, w.dir, NULL, false },
        { "", w.dir, config, true },       { "/a", w.dir, "/a", false },
        { "/a:/b", w.dir, "/a:/b", true }, { ":/b", NULL, ":/b", false },
        { ":", w.dir, config, true },      { NULL, NULL, NULL, true },
    };
    mkdir(dir, 0700);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].list ? cases[i].list : "no KUBECONFIG");
        if (cases[i].there)
            write_file(&w, ".kube/config", "");
        else
            unlink(config);
        MST_AUTO(mst_buf) out = { 0 };
        unsetenv("KUBECONFIG");
        unsetenv("HOME");
        if (cases[i].list)
            setenv("KUBECONFIG", cases[i].list, 1);
        if (cases[i].home)
            setenv("HOME", cases[i].home, 1);
        t_bool(t, mst_connection_default_list(&out), cases[i].want != NULL);
        if (cases[i].want)
            t_text(t, out.p, cases[i].want);
    }
    unlink(config);
    rmdir(dir);
    world_end(&w);
}

MST_TEST_MAIN(T(test_connection_everything), T(test_connection_data), T(test_connection_contexts),
              T(test_connection_plain), T(test_connection_bad_entries),
              T(test_connection_bad_files), T(test_connection_master_alone),
              T(test_connection_in_cluster), T(test_connection_list), T(test_connection_list_paths),
              T(test_connection_list_too_long), T(test_connection_pipe),
              T(test_connection_default_list))

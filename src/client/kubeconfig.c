/*
 * kubeconfig.c - a kubeconfig, or several as one, read as kubectl reads them: context, cluster,
 * user.
 *
 * Invariants: only the entries that the context leads to are checked; the rest of the file may be
 *             for programs that understand it. Fields that are unknown are left to them too.
 * Source:     kubernetes v1.37 client-go tools/clientcmd (client_config.go, validation.go,
 *             loader.go), rest (DefaultServerURL).
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "client/connection_internal.h"
#include "client/small_file.h"
#include "codec/yaml.h"

enum { FILES_MAX = 64 };

/*
 * Several files are not made one: each entry is looked for in one file after the other, and the
 * first that has it wins, with the whole entry.
 */
struct load {
    struct mst_kube_entry files[FILES_MAX]; /* the roots */
    uint32_t file_count;
    struct mst_kube_entry all;      /* names all files that were read, for what is in none */
    struct mst_str context, master; /* of the options; absent: not given */
    struct mst_arena *scratch;      /* of texts and trees */
    struct mst_connection *out;
};

/* ---- entries ---- */

/* The names there are, for people who mistyped one. */
static void list_names(const struct load *load, const char *lists, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < load->file_count; i++) {
        const struct mst_value *list = mst_value_get(load->files[i].value, lists);
        if (!list || list->type != MST_ARRAY)
            continue;
        MST_EACH_ELEMENT (element, list) {
            const struct mst_value *name = mst_value_get(element, "name");
            if (!name || name->type != MST_STRING)
                continue;
            const int n = snprintf(text + at, size - at, "%s%.*s",
                                   at ? ", " : "; there are: ", MST_ARG(mst_value_str(name)));
            if (n < 0 || (size_t)n >= size - at)
                return;
            at += (size_t)n;
        }
    }
}

/* The element of a file's list that has the name; NULL: none. */
static mst_rc find_element(const struct mst_kube_entry *file, const char *lists,
                           struct mst_str name, const struct mst_value **out, struct mst_err *err)
{
    const struct mst_value *list = mst_value_get(file->value, lists), *found = NULL;
    *out = NULL;
    if (!list || list->type == MST_NULL)
        return MST_OK;
    if (list->type != MST_ARRAY)
        return mst_kube_fail(file, list, err, "%s: want a list, got %s", lists,
                             mst_value_type_name(list));
    MST_EACH_ELEMENT (element, list) {
        const struct mst_value *given = mst_value_get(element, "name");
        if (!given || given->type != MST_STRING || !mst_str_eq(mst_value_str(given), name))
            continue;
        if (found)
            return mst_kube_fail(file, element, err,
                                 "%s: the name \"%.*s\" is used twice; rename one", lists,
                                 MST_ARG(name));
        found = element;
    }
    *out = found;
    return MST_OK;
}

/*
 * The entry of a list by its name.
 *
 * lists    "clusters", "users" or "contexts".
 * out      its kind is set; its value is the object that the list's element holds under that kind.
 */
static mst_rc find_entry(const struct load *load, const char *lists, const char *kind,
                         struct mst_str name, struct mst_kube_entry *out, struct mst_err *err)
{
    const struct mst_value *found = NULL;
    uint32_t i = 0;
    for (; i < load->file_count; i++) {
        const mst_rc rc = find_element(&load->files[i], lists, name, &found, err);
        if (rc)
            return rc;
        if (found)
            break;
    }
    if (!found) {
        char names[200];
        list_names(load, lists, names, sizeof(names));
        return mst_kube_fail(&load->all, NULL, err, "no %s \"%.*s\"%s", kind, MST_ARG(name), names);
    }
    *out = load->files[i];
    out->kind = kind;
    out->name = mst_arena_str(out->arena, name);
    out->value = mst_value_get(found, kind);
    if (!out->value || out->value->type != MST_OBJECT)
        return mst_kube_fail(out, found, err, "has no \"%s:\" with its fields", kind);
    return MST_OK;
}

/* ---- the cluster ---- */

mst_rc mst_kube_server(const struct mst_kube_entry *from, struct mst_str server, const char *field,
                       struct mst_connection *out, struct mst_err *err)
{
    const bool has_scheme = memmem(server.p, server.n, "://", 3) != NULL;
    if (has_scheme && !mst_str_has_prefix(server, "http://") &&
        !mst_str_has_prefix(server, "https://"))
        return mst_kube_fail(from, NULL, err, "%s: \"%.*s\" is neither https:// nor http://", field,
                             MST_ARG(server));
    for (size_t i = 0; i < server.n; i++)
        if ((unsigned char)server.p[i] <= ' ' || server.p[i] == '\x7f')
            return mst_kube_fail(from, NULL, err, "%s: \"%.*s\" has a blank in it", field,
                                 MST_ARG(server));
    const char *end = memchr(server.p, '?', server.n);
    if (!end)
        end = memchr(server.p, '#', server.n);
    if (end)
        server.n = (size_t)(end - server.p);
    while (server.n && server.p[server.n - 1] == '/')
        server.n--;
    out->server =
        mst_arena_printf(from->arena, "%s%.*s", has_scheme ? "" : "http://", MST_ARG(server));
    return MST_OK;
}

static mst_rc check_cluster(const struct mst_kube_entry *cluster, const struct mst_connection *c,
                            struct mst_err *err)
{
    static const char *const schemes[] = { "http://", "https://", "socks5://", "socks5h://" };
    if (c->insecure && c->ca_pem.n)
        return mst_kube_fail(cluster, cluster->value, err,
                             "insecure-skip-tls-verify together with a certificate-authority; "
                             "remove one: the authority if the server shall not be checked");
    bool known = !c->proxy_url.n;
    for (size_t i = 0; i < MST_COUNT(schemes); i++)
        known = known || (mst_str_has_prefix(c->proxy_url, schemes[i]) &&
                          c->proxy_url.n > strlen(schemes[i]));
    if (!known)
        return mst_kube_fail(cluster, mst_value_get(cluster->value, "proxy-url"), err,
                             "proxy-url: \"%.*s\" is no http://, https:// or socks5:// URL",
                             MST_ARG(c->proxy_url));
    return MST_OK;
}

static mst_rc read_cluster(const struct load *load, const struct mst_kube_entry *cluster,
                           struct mst_err *err)
{
    struct mst_connection *out = load->out;
    struct mst_str server = MST_STR_NONE;
    mst_rc rc = mst_kube_text(cluster, "server", &server, err);
    if (!rc)
        rc = mst_kube_bytes(cluster, "certificate-authority", &out->ca_pem, &out->ca_file, err);
    if (!rc)
        rc = mst_kube_bool(cluster, "insecure-skip-tls-verify", &out->insecure, err);
    if (!rc)
        rc = mst_kube_text(cluster, "tls-server-name", &out->tls_server_name, err);
    if (!rc)
        rc = mst_kube_text(cluster, "proxy-url", &out->proxy_url, err);
    if (!rc)
        rc = mst_kube_bool(cluster, "disable-compression", &out->compression_off, err);
    if (!rc)
        rc = check_cluster(cluster, out, err);
    if (rc)
        return rc;
    if (load->master.n) {
        /* The name was the other server's. */
        out->tls_server_name = MST_STR_NONE;
        return MST_OK;
    }
    if (!server.n)
        return mst_kube_fail(cluster, cluster->value, err,
                             "server: not given; want https://HOST:PORT");
    return mst_kube_server(cluster, server, "server", out, err);
}

/* ---- the context ---- */

static mst_rc follow_context(const struct load *load, struct mst_str name, struct mst_err *err)
{
    struct mst_kube_entry context = { 0 }, cluster = { 0 }, user = { 0 };
    struct mst_str cluster_name = MST_STR_NONE, user_name = MST_STR_NONE, ns = MST_STR_NONE;
    mst_rc rc = find_entry(load, "contexts", "context", name, &context, err);
    if (!rc)
        rc = mst_kube_text(&context, "cluster", &cluster_name, err);
    if (!rc)
        rc = mst_kube_text(&context, "user", &user_name, err);
    if (!rc)
        rc = mst_kube_text(&context, "namespace", &ns, err);
    if (rc)
        return rc;
    if (!cluster_name.n || !user_name.n)
        return mst_kube_fail(&context, context.value, err,
                             "%s: not given; name one of %ss:", cluster_name.n ? "user" : "cluster",
                             cluster_name.n ? "user" : "cluster");
    rc = find_entry(load, "clusters", "cluster", cluster_name, &cluster, err);
    if (!rc)
        rc = find_entry(load, "users", "user", user_name, &user, err);
    if (rc)
        return mst_wrap(err, "context \"%.*s\"", MST_ARG(name));
    if (ns.n)
        load->out->namespace_ = ns;
    rc = read_cluster(load, &cluster, err);
    if (!rc)
        rc = mst_kube_user(&user, cluster.value, load->out, err);
    return rc;
}

static mst_rc follow_files(const struct load *load, struct mst_err *err)
{
    struct mst_str name = load->context;
    mst_rc rc = MST_OK;
    for (uint32_t i = 0; !rc && !name.n && i < load->file_count; i++)
        rc = mst_kube_text(&load->files[i], "current-context", &name, err);
    if (!rc && !name.n && !load->master.n) {
        char names[200];
        list_names(load, "contexts", names, sizeof(names));
        rc = mst_kube_fail(&load->all, NULL, err,
                           "current-context: not given; set it with \"kubectl config use-context "
                           "NAME\"%s",
                           names);
    }
    if (!rc && name.n)
        rc = follow_context(load, name, err);
    if (!rc && load->master.n)
        rc = mst_kube_server(&load->all, load->master, "--master", load->out, err);
    return rc;
}

/* ---- the files ---- */

static mst_rc check_kind(const struct mst_kube_entry *file, struct mst_err *err)
{
    struct mst_str kind = MST_STR_NONE, version = MST_STR_NONE;
    mst_rc rc = mst_kube_text(file, "kind", &kind, err);
    if (!rc)
        rc = mst_kube_text(file, "apiVersion", &version, err);
    if (rc)
        return rc;
    if ((kind.n && !mst_str_is(kind, "Config")) || (version.n && !mst_str_is(version, "v1")))
        return mst_kube_fail(file, file->value, err,
                             "is no kubeconfig: kind \"%.*s\", apiVersion \"%.*s\"; want Config, "
                             "v1",
                             MST_ARG(kind), MST_ARG(version));
    return MST_OK;
}

/* MST_ENOTFOUND, without a word: there is nothing in the text. */
static mst_rc parse(struct mst_str path, struct mst_str text, struct mst_arena *arena,
                    const struct mst_value **out, struct mst_err *err)
{
    struct mst_yaml_reader reader;
    struct mst_diags diags = { 0 };
    mst_yaml_init(&reader, text);
    mst_rc rc = mst_yaml_next(&reader, arena, &diags, out);
    if (rc && rc != MST_ENOTFOUND) {
        uint32_t i = 0;
        while (i < diags.list.n && diags.list.v[i].level != MST_DIAG_ERROR)
            i++;
        const struct mst_diag *d = i < diags.list.n ? &diags.list.v[i] : NULL;
        rc = mst_fail(err, rc, "%.*s:%u:%u: %.*s", MST_ARG(path), d ? d->line : 0, d ? d->col : 0,
                      d ? (int)d->text.n : 0, d ? d->text.p : "");
    } else if (!rc && (*out)->type != MST_OBJECT) {
        rc = mst_fail(err, MST_EDECODE, "%.*s: is no kubeconfig: want an object, got %s",
                      MST_ARG(path), mst_value_type_name(*out));
    }
    mst_diags_done(&diags);
    return rc;
}

/* An empty file is one that has no entries. */
static mst_rc add_file(struct load *load, struct mst_str path, struct mst_str text,
                       struct mst_err *err)
{
    struct mst_arena *arena = &load->out->arena;
    struct mst_kube_entry file = { .path = path, .arena = arena };
    struct mst_str *all = &load->all.path;
    *all = all->n ? mst_arena_printf(arena, "%.*s:%.*s", MST_ARG(*all), MST_ARG(path)) : path;
    mst_rc rc = parse(path, text, load->scratch, &file.value, err);
    if (rc == MST_ENOTFOUND)
        return MST_OK;
    if (!rc)
        rc = check_kind(&file, err);
    if (!rc && load->file_count == FILES_MAX)
        rc = mst_fail(err, MST_ELIMIT, "%.*s: more than %d files", MST_ARG(path), FILES_MAX);
    if (!rc)
        load->files[load->file_count++] = file;
    return rc;
}

static mst_rc read_file(struct load *load, struct mst_str path, struct mst_err *err)
{
    MST_AUTO(mst_buf) bytes = { 0 };
    const mst_rc rc = mst_small_file_read_waiting(path, &bytes, err);
    if (rc)
        return rc;
    return add_file(load, path, mst_arena_str(load->scratch, mst_buf_span(&bytes)), err);
}

/* Those of the list that there are. */
static mst_rc read_list(struct load *load, const char *list, struct mst_err *err)
{
    mst_rc rc = MST_OK;
    for (const char *at = list; !rc && *at; at += strspn(at, ":")) {
        const struct mst_str part = { at, strcspn(at, ":") };
        at += part.n;
        if (!part.n)
            continue;
        const struct mst_str path = mst_arena_str(&load->out->arena, part); /* with its end */
        if (access(path.p, F_OK) == 0 || errno != ENOENT)
            rc = read_file(load, path, err);
    }
    if (!rc && !load->all.path.n)
        rc = mst_fail(err, MST_EIO, "%s: none of these files exists; name one that does", list);
    return rc;
}

static void load_begin(struct load *load, const struct mst_connection_options *options,
                       struct mst_arena *scratch, struct mst_connection *out)
{
    *load = (struct load){ .all = { .arena = &out->arena },
                           .context = mst_str_of(options->context),
                           .master = mst_str_of(options->master),
                           .scratch = scratch,
                           .out = out };
    out->namespace_ = MST_STR("default");
}

/* After the files were read, as `rc` says. */
static mst_rc load_end(struct load *load, mst_rc rc, struct mst_err *err)
{
    if (!rc && !load->file_count)
        rc = mst_fail(err, MST_EDECODE, "%.*s: is empty; it has no configuration",
                      MST_ARG(load->all.path));
    if (!rc)
        rc = follow_files(load, err);
    mst_arena_done(load->scratch);
    return rc ? mst_wrap(err, "kubeconfig") : MST_OK;
}

mst_rc mst_kube_load_text(const struct mst_connection_options *options, struct mst_str text,
                          struct mst_connection *out, struct mst_err *err)
{
    struct mst_arena scratch = { 0 };
    struct load load;
    load_begin(&load, options, &scratch, out);
    return load_end(&load, add_file(&load, mst_str_of(options->kubeconfig), text, err), err);
}

mst_rc mst_kube_load(const struct mst_connection_options *options, struct mst_connection *out,
                     struct mst_err *err)
{
    struct mst_arena scratch = { 0 };
    struct load load;
    load_begin(&load, options, &scratch, out);
    const mst_rc rc = options->kubeconfig && *options->kubeconfig
                          ? read_file(&load, mst_str_of(options->kubeconfig), err)
                          : read_list(&load, options->kubeconfig_list, err);
    return load_end(&load, rc, err);
}

/*
 * kube_user.c - a user of a kubeconfig: certificates, tokens, plug-ins, impersonation.
 *
 * Source: kubernetes v1.37 client-go tools/clientcmd (validateAuthInfo), transport
 *         (headerKeyEscape), plugin/pkg/client/auth/exec.
 */
#include "client/connection_internal.h"
#include "codec/json.h"

/* ---- plug-ins ---- */

static mst_rc read_env(const struct mst_kube_entry *exec, mst_strs *out, struct mst_err *err)
{
    const struct mst_value *v = mst_value_get(exec->value, "env");
    if (!v || v->type == MST_NULL)
        return MST_OK;
    if (v->type != MST_ARRAY)
        return mst_kube_fail(exec, v, err, "exec.env: want a list of name and value, got %s",
                             mst_value_type_name(v));
    struct mst_str *list = MST_NEW_N(exec->arena, struct mst_str, v->n + 1);
    uint32_t n = 0;
    MST_EACH_ELEMENT (element, v) {
        struct mst_kube_entry variable = *exec;
        struct mst_str name = MST_STR_NONE, value = MST_STR_NONE;
        variable.value = element;
        if (mst_kube_text(&variable, "name", &name, NULL) ||
            mst_kube_text(&variable, "value", &value, NULL))
            return mst_kube_fail(exec, element, err,
                                 "exec.env[%u]: name and value must be strings; put them in quotes",
                                 n);
        if (!name.n || memchr(name.p, '=', name.n))
            return mst_kube_fail(exec, element, err, "exec.env[%u].name: \"%.*s\" is no name", n,
                                 MST_ARG(name));
        list[n++] = mst_arena_printf(exec->arena, "%.*s=%.*s", MST_ARG(name), MST_ARG(value));
    }
    out->v = list;
    out->n = n;
    return MST_OK;
}

/* What `provideClusterInfo` passes on: the cluster's extension of this name, as JSON. */
static struct mst_str cluster_config(const struct mst_kube_entry *user,
                                     const struct mst_value *cluster)
{
    const struct mst_value *list = mst_value_get(cluster, "extensions");
    if (!list || list->type != MST_ARRAY)
        return MST_STR_NONE;
    MST_EACH_ELEMENT (element, list) {
        const struct mst_value *name = mst_value_get(element, "name");
        const struct mst_value *value = mst_value_get(element, "extension");
        if (!name || name->type != MST_STRING || !value ||
            !mst_str_is(mst_value_str(name), "client.authentication.k8s.io/exec"))
            continue;
        MST_AUTO(mst_buf) text = { 0 };
        struct mst_json_writer w = { .out = &text };
        mst_jw_value(&w, value);
        return mst_arena_str(user->arena, mst_buf_span(&text));
    }
    return MST_STR_NONE;
}

static mst_rc check_exec(const struct mst_kube_entry *exec, const struct mst_exec_plugin *plugin,
                         struct mst_str mode, struct mst_err *err)
{
    const bool v1 = mst_str_is(plugin->api_version, "client.authentication.k8s.io/v1");
    if (!plugin->command.n)
        return mst_kube_fail(exec, exec->value, err, "exec.command: not given; name the program");
    if (!v1 && !mst_str_is(plugin->api_version, "client.authentication.k8s.io/v1beta1"))
        return mst_kube_fail(exec, exec->value, err,
                             "exec.apiVersion: \"%.*s\" is not supported; use "
                             "client.authentication.k8s.io/v1 or v1beta1",
                             MST_ARG(plugin->api_version));
    if (!mode.n && v1)
        return mst_kube_fail(exec, exec->value, err,
                             "exec.interactiveMode: not given; want Never or IfAvailable");
    if (mst_str_is(mode, "Always"))
        return mst_kube_fail(exec, exec->value, err,
                             "exec.interactiveMode: Always needs a person at a terminal; use Never "
                             "or IfAvailable, or another user");
    if (mode.n && !mst_str_is(mode, "Never") && !mst_str_is(mode, "IfAvailable"))
        return mst_kube_fail(exec, exec->value, err,
                             "exec.interactiveMode: \"%.*s\" is none of Never, IfAvailable, Always",
                             MST_ARG(mode));
    return MST_OK;
}

static mst_rc read_exec(const struct mst_kube_entry *user, const struct mst_value *value,
                        const struct mst_value *cluster, struct mst_exec_plugin *out,
                        struct mst_err *err)
{
    struct mst_kube_entry exec = *user;
    struct mst_str mode = MST_STR_NONE;
    if (value->type != MST_OBJECT)
        return mst_kube_fail(user, value, err, "exec: want an object, got %s",
                             mst_value_type_name(value));
    exec.value = value;
    mst_rc rc = mst_kube_text(&exec, "command", &out->command, err);
    if (!rc)
        rc = mst_kube_list(&exec, "args", &out->args, err);
    if (!rc)
        rc = mst_kube_text(&exec, "apiVersion", &out->api_version, err);
    if (!rc)
        rc = mst_kube_text(&exec, "installHint", &out->install_hint, err);
    if (!rc)
        rc = mst_kube_bool(&exec, "provideClusterInfo", &out->provide_cluster_info, err);
    if (!rc)
        rc = mst_kube_text(&exec, "interactiveMode", &mode, err);
    if (!rc)
        rc = read_env(&exec, &out->env, err);
    if (!rc)
        rc = check_exec(&exec, out, mode, err);
    if (rc)
        return rc;
    /* A name without a slash is looked for in $PATH. */
    if (memchr(out->command.p, '/', out->command.n))
        out->command = mst_kube_path(user, out->command);
    if (out->provide_cluster_info)
        out->cluster_config = cluster_config(user, cluster);
    return MST_OK;
}

/* ---- impersonation ---- */

/* Percent-encodes what a header's name cannot hold, so that the key has no '=' either. */
static struct mst_str escape_key(struct mst_arena *arena, struct mst_str key)
{
    static const char marks[] = "!#$&'*+-.^_`|~";
    MST_AUTO(mst_buf) text = { 0 };
    for (size_t i = 0; i < key.n; i++) {
        const char c = key.p[i];
        const bool legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || (c && strchr(marks, c));
        if (legal)
            mst_buf_char(&text, c);
        else
            mst_buf_printf(&text, "%%%02X", (unsigned char)c);
    }
    return mst_arena_str(arena, mst_buf_span(&text));
}

static mst_rc read_extra(const struct mst_kube_entry *user, mst_strs *out, struct mst_err *err)
{
    const struct mst_value *v = mst_value_get(user->value, "as-user-extra");
    if (!v || v->type == MST_NULL)
        return MST_OK;
    if (v->type != MST_OBJECT)
        return mst_kube_fail(user, v, err, "as-user-extra: want a map of lists, got %s",
                             mst_value_type_name(v));
    struct mst_str *list = MST_NEW_N(user->arena, struct mst_str, v->span);
    uint32_t n = 0;
    MST_EACH_MEMBER (key, v) {
        const struct mst_str name = escape_key(user->arena, mst_value_str(key));
        if (key[1].type != MST_ARRAY)
            return mst_kube_fail(user, key, err, "as-user-extra.%.*s: want a list of strings",
                                 MST_ARG(mst_value_str(key)));
        MST_EACH_ELEMENT (element, key + 1) {
            if (element->type != MST_STRING)
                return mst_kube_fail(user, element, err,
                                     "as-user-extra.%.*s: want a list of strings",
                                     MST_ARG(mst_value_str(key)));
            list[n++] = mst_arena_printf(user->arena, "%.*s=%.*s", MST_ARG(name),
                                         MST_ARG(mst_value_str(element)));
        }
    }
    out->v = list;
    out->n = n;
    return MST_OK;
}

static mst_rc read_impersonation(const struct mst_kube_entry *user, struct mst_connection *out,
                                 struct mst_err *err)
{
    mst_rc rc = mst_kube_text(user, "as", &out->impersonate_user, err);
    if (!rc)
        rc = mst_kube_text(user, "as-uid", &out->impersonate_uid, err);
    if (!rc)
        rc = mst_kube_list(user, "as-groups", &out->impersonate_groups, err);
    if (!rc)
        rc = read_extra(user, &out->impersonate_extra, err);
    if (rc)
        return rc;
    if (!out->impersonate_user.n &&
        (out->impersonate_uid.n || out->impersonate_groups.n || out->impersonate_extra.n))
        return mst_kube_fail(user, user->value, err,
                             "as-uid, as-groups and as-user-extra need \"as\": the user's name");
    return MST_OK;
}

/* ---- the user ---- */

static mst_rc check_methods(const struct mst_kube_entry *user, const struct mst_connection *c,
                            struct mst_err *err)
{
    if ((c->token.n || c->token_file.n) && (c->username.n || c->password.n))
        return mst_kube_fail(user, user->value, err,
                             "more than one way to say who we are: token and username/password; "
                             "remove one");
    if (c->cert_pem.n && !c->key_pem.n)
        return mst_kube_fail(user, user->value, err,
                             "client-certificate without client-key; give client-key or "
                             "client-key-data");
    if (c->key_pem.n && !c->cert_pem.n)
        return mst_kube_fail(user, user->value, err,
                             "client-key without client-certificate; give client-certificate or "
                             "client-certificate-data");
    return MST_OK;
}

mst_rc mst_kube_user(const struct mst_kube_entry *user, const struct mst_value *cluster,
                     struct mst_connection *out, struct mst_err *err)
{
    const struct mst_value *exec = mst_value_get(user->value, "exec");
    const struct mst_value *provider = mst_value_get(user->value, "auth-provider");
    if (provider && provider->type != MST_NULL)
        return mst_kube_fail(user, provider, err,
                             "auth-provider: Kubernetes 1.26 removed these; use an exec plug-in "
                             "(gke-gcloud-auth-plugin, kubelogin, ...)");
    mst_rc rc = mst_kube_bytes(user, "client-certificate", &out->cert_pem, &out->cert_file, err);
    if (!rc)
        rc = mst_kube_bytes(user, "client-key", &out->key_pem, &out->key_file, err);
    if (!rc)
        rc = mst_kube_text(user, "token", &out->token, err);
    if (!rc)
        rc = mst_kube_text(user, "tokenFile", &out->token_file, err);
    if (!rc)
        rc = mst_kube_text(user, "username", &out->username, err);
    if (!rc)
        rc = mst_kube_text(user, "password", &out->password, err);
    if (!rc)
        rc = check_methods(user, out, err);
    if (!rc)
        rc = read_impersonation(user, out, err);
    if (!rc && exec && exec->type != MST_NULL)
        rc = read_exec(user, exec, cluster, &out->exec, err);
    if (rc)
        return rc;
    out->token_file = mst_kube_path(user, out->token_file);
    return MST_OK;
}

/* Programs that print credentials: those that do, fail, hang, print rubbish; as shell lines. */
#include "client/exec_plugin.h"
#include "tap.h"

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#define VERSION "client.authentication.k8s.io/v1"
#define ANSWER(status) "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" VERSION "\"" status "}"
#define TOKEN ANSWER(",\"status\":{\"token\":\"abc\"}")

/* ---- what they print ---- */

static void test_exec_answers(struct mst_test *t)
{
    static const struct {
        const char *text, *error; /* NULL: none */
        int64_t expires;
    } cases[] = {
        { TOKEN, NULL, INT64_MAX },
        { ANSWER(",\"status\":{\"token\":\"abc\",\"expirationTimestamp\":null}"), NULL, INT64_MAX },
        { ANSWER(
              ",\"status\":{\"token\":\"abc\",\"expirationTimestamp\":\"2026-01-02T03:04:05Z\"}"),
          NULL, 1767323045 },
        { ANSWER(",\"status\":{\"token\":\"abc\",\"expirationTimestamp\":"
                 "\"2026-01-02T03:04:05.999+01:30\"}"),
          NULL, 1767323045 - 5400 },
        { ANSWER(",\"status\":{\"token\":\"abc\",\"expirationTimestamp\":"
                 "\"2026-01-02T03:04:05-00:30\"}"),
          NULL, 1767323045 + 1800 },
        { "", "the answer is not JSON", 0 },
        { "hello", "the answer is not JSON", 0 },
        { "{}", "is no ExecCredential of " VERSION, 0 },
        { "[]", "is no ExecCredential of " VERSION, 0 },
        { "{\"kind\":\"ExecCredential\",\"apiVersion\":\"v1\"}", "is no ExecCredential", 0 },
        { ANSWER(""), "the answer has no status", 0 },
        { ANSWER(",\"status\":{}"), "has neither status.token nor", 0 },
        { ANSWER(",\"status\":{\"token\":\"\"}"), "has neither status.token nor", 0 },
        { ANSWER(",\"status\":{\"token\":1}"), "status.token: want a string, got number", 0 },
        { ANSWER(",\"status\":{\"token\":\"a\\nX: y\"}"), "has a control character", 0 },
        { ANSWER(",\"status\":{\"clientKeyData\":\"x\"}"), "go together", 0 },
        { ANSWER(",\"status\":{\"clientCertificateData\":\"x\"}"), "go together", 0 },
        { ANSWER(",\"status\":{\"clientCertificateData\":\"x\",\"clientKeyData\":\"x\"}"),
          "client-certificate: no certificate", 0 },
        { ANSWER(",\"status\":{\"token\":\"a\",\"expirationTimestamp\":\"tomorrow\"}"),
          "\"tomorrow\" is no RFC 3339 time", 0 },
        { ANSWER(",\"status\":{\"token\":\"a\",\"expirationTimestamp\":\"2026-13-02T03:04:05Z\"}"),
          "is no RFC 3339 time", 0 },
        { ANSWER(",\"status\":{\"token\":\"a\",\"expirationTimestamp\":\"2026-01-02T03:04:05\"}"),
          "is no RFC 3339 time", 0 },
        { ANSWER(",\"status\":{\"token\":\"a\",\"expirationTimestamp\":"
                 "\"2026-01-02T03:04:05+1:00x\"}"),
          "is no RFC 3339 time", 0 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct mst_arena arena = { 0 };
        struct mst_exec_credentials got = { 0 };
        struct mst_err err = { 0 };
        t_case(t, cases[i].text);
        const mst_rc rc =
            mst_exec_read(mst_str_of(cases[i].text), MST_STR(VERSION), &arena, &got, &err);
        t_bool(t, rc != MST_OK, cases[i].error != NULL);
        if (cases[i].error) {
            t_ok(t, strstr(err.text, cases[i].error));
            t_ok(t, !got.token.p);
        } else {
            t_str(t, got.token, "abc");
            t_int(t, got.expires_unix_s, cases[i].expires);
        }
        mst_arena_done(&arena);
    }
}

static void test_exec_info(struct mst_test *t)
{
    struct mst_connection c = { .server = MST_STR("https://h"),
                                .ca_pem = MST_STR("CA"),
                                .tls_server_name = MST_STR("n"),
                                .proxy_url = MST_STR("http://p"),
                                .compression_off = true,
                                .exec = { .api_version = MST_STR(VERSION) } };
    MST_AUTO(mst_buf) text = { 0 };
    mst_exec_info(&c, &text);
    t_str(t, mst_buf_span(&text), ANSWER(",\"spec\":{\"interactive\":false}"));
    text.n = 0;
    c.exec.provide_cluster_info = true;
    c.exec.cluster_config = MST_STR("{\"a\":[1]}");
    mst_exec_info(&c, &text);
    t_str(t, mst_buf_span(&text),
          ANSWER(",\"spec\":{\"cluster\":{\"server\":\"https://h\",\"tls-server-name\":\"n\","
                 "\"certificate-authority-data\":\"Q0E=\",\"proxy-url\":\"http://p\","
                 "\"disable-compression\":true,\"config\":{\"a\":[1]}},\"interactive\":false}"));
}

/* ---- runs ---- */

struct run {
    struct event_base *loop;
    struct mst_connection connection;
    struct mst_str args[2], env[2];
    bool told, ok;
    struct mst_exec_end end;
    struct mst_buf token, problem;
};

static void on_done(void *ctx, const struct mst_exec_end *end,
                    const struct mst_exec_credentials *credentials, struct mst_str problem)
{
    struct run *run = ctx;
    run->end = *end;
    mst_assert(!run->told);
    run->told = true;
    run->ok = credentials != NULL;
    if (credentials)
        mst_buf_str(&run->token, credentials->token);
    mst_buf_str(&run->problem, problem);
    event_base_loopbreak(run->loop);
}

static void run_init(struct run *run, const char *script)
{
    *run = (struct run){ .loop = event_base_new() };
    run->args[0] = MST_STR("-c");
    run->args[1] = mst_str_of(script);
    run->env[0] = MST_STR("ANSWER=" TOKEN);
    run->env[1] = MST_STR("TWICE=new");
    run->connection.exec = (struct mst_exec_plugin){ .command = MST_STR("sh"),
                                                     .api_version = MST_STR(VERSION),
                                                     .install_hint = MST_STR("install it"),
                                                     .args = { .v = run->args, .n = 2 },
                                                     .env = { .v = run->env, .n = 2 } };
}

static void run_done(struct run *run)
{
    event_base_free(run->loop);
    mst_buf_done(&run->token);
    mst_buf_done(&run->problem);
}

static void test_exec_runs(struct mst_test *t)
{
    static const struct {
        const char *script, *error; /* NULL: none */
        int code;
    } cases[] = {
        { "echo \"$ANSWER\"", NULL, 0 },
        { "echo careful >&2; echo \"$ANSWER\"", NULL, 0 },
        { "[ \"$TWICE\" = new ] && [ -n \"$PATH\" ] && echo \"$ANSWER\"", NULL, 0 },
        { "case $KUBERNETES_EXEC_INFO in *interactive*) echo \"$ANSWER\" ;; esac", NULL, 0 },
        { "read x || echo \"$ANSWER\"", NULL, 0 }, /* nothing to read */
        /* A child that keeps the pipes does not hold us up. */
        { "sleep 2 & echo \"$ANSWER\"", NULL, 0 },
        { "exit 3", "exec plug-in \"sh\": failed with exit code 3", 3 },
        { "echo 'no\nlogin' >&2; exit 1", "failed with exit code 1; it says: no login", 1 },
        { "kill -9 $$", "was killed by signal 9", -1 },
        { "true", "the answer is not JSON", 0 },
        { "echo rubbish", "the answer is not JSON", 0 },
        { "head -c 3000000 /dev/zero", "printed more than 1048576 bytes", 0 },
        { "head -c 3000000 /dev/zero >&2; echo \"$ANSWER\"", NULL, 0 },
    };
    setenv("TWICE", "old", 1);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct run run;
        t_case(t, cases[i].script);
        run_init(&run, cases[i].script);
        mst_exec_start(run.loop, &run.connection, 20000, on_done, &run);
        t_bool(t, run.told, false); /* never from within */
        event_base_dispatch(run.loop);
        t_bool(t, run.told, true);
        t_bool(t, run.ok, cases[i].error == NULL);
        t_int(t, run.end.code, cases[i].code);
        t_text(t, run.end.status, cases[i].code ? "plugin_execution_error" : "no_error");
        mst_buf_char(&run.problem, '\0');
        if (cases[i].error && !strstr(run.problem.p, cases[i].error))
            t_text(t, run.problem.p, cases[i].error);
        if (!cases[i].error)
            t_str(t, mst_buf_span(&run.token), "abc");
        run_done(&run);
    }
}

static void test_exec_missing(struct mst_test *t)
{
    struct run run;
    run_init(&run, "");
    run.connection.exec.command = MST_STR("/no/such/plug-in");
    mst_exec_start(run.loop, &run.connection, 20000, on_done, &run);
    t_bool(t, run.told, false);
    event_base_dispatch(run.loop);
    t_bool(t, run.ok, false);
    t_str(
        t, mst_buf_span(&run.problem),
        "exec plug-in \"/no/such/plug-in\": cannot be started: No such file or directory; install "
        "it");
    t_text(t, run.end.status, "plugin_not_found_error");
    t_int(t, run.end.code, 1);
    run_done(&run);
}

/* It is killed with what it started, and its end is waited for. */
static void test_exec_hangs(struct mst_test *t)
{
    struct run run;
    run_init(&run, "sleep 600 | sleep 600");
    mst_exec_start(run.loop, &run.connection, 50, on_done, &run);
    event_base_dispatch(run.loop);
    t_bool(t, run.ok, false);
    t_str(t, mst_buf_span(&run.problem), "exec plug-in \"sh\": did not end in time and was killed");
    t_text(t, run.end.status, "plugin_execution_error");
    t_int(t, run.end.code, -1);
    t_int(t, waitpid(-1, NULL, WNOHANG), -1);
    t_int(t, errno, ECHILD);
    run_done(&run);
}

static void test_exec_cancelled(struct mst_test *t)
{
    struct run run;
    run_init(&run, "sleep 600");
    mst_exec_cancel(mst_exec_start(run.loop, &run.connection, 20000, on_done, &run));
    event_base_dispatch(run.loop); /* nothing is left in it */
    t_bool(t, run.told, false);
    t_int(t, waitpid(-1, NULL, WNOHANG), -1);
    mst_exec_cancel(NULL);
    run_done(&run);
}

MST_TEST_MAIN(T(test_exec_answers), T(test_exec_info), T(test_exec_runs), T(test_exec_missing),
              T(test_exec_hangs), T(test_exec_cancelled))

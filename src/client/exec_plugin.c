/*
 * exec_plugin.c - runs a program that prints credentials, without waiting for it.
 *
 * The end of the program is looked for every few milliseconds while it runs: that takes no SIGCHLD,
 * which belongs to the process, and does not mind children of the program that keep its pipes.
 */
#include "client/exec_plugin.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codec/json.h"

enum {
    LOOK_MS = 5,
    OUTPUT_BYTES_MAX = 1 << 20,
    COMPLAINT_BYTES_MAX = 4096, /* of standard error, what is kept */
    COMPLAINT_SHOWN_MAX = 200,
};

struct stream {
    int fd;
    size_t bytes_max;
    struct mst_buf text;
    struct event *readable;
};

struct mst_exec {
    const struct mst_connection *connection;
    struct event *look;
    int64_t looks_left; /* until it has had its time */
    pid_t pid;          /* 0: not running */
    int status;         /* as waitpid has it, once it ended */
    bool too_long;
    struct mst_err start_error;
    bool no_pipes; /* is why it did not start */
    struct stream out, complaints;
    mst_exec_done_fn *done;
    void *ctx;
};

/* ---- its output ---- */

static void stream_close(struct stream *s)
{
    if (s->readable)
        event_free(s->readable);
    if (s->fd >= 0)
        close(s->fd);
    s->readable = NULL;
    s->fd = -1;
}

/* What is there; what is too much is read and dropped, but noticed by the size. */
static void stream_read(struct stream *s)
{
    char bytes[4096];
    while (s->fd >= 0) {
        const ssize_t n = read(s->fd, bytes, sizeof(bytes));
        if (n > 0 && s->text.n <= s->bytes_max)
            mst_buf_add(&s->text, bytes, (size_t)n);
        if (n > 0 || (n < 0 && errno == EINTR))
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        stream_close(s);
    }
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    stream_read(ctx);
}

/* Our end; *ret_theirs is the program's. */
static bool stream_open(struct stream *s, struct event_base *loop, size_t bytes_max,
                        int *ret_theirs)
{
    int fds[2];
    s->fd = *ret_theirs = -1;
    s->bytes_max = bytes_max;
    if (pipe2(fds, O_CLOEXEC))
        return false;
    s->fd = fds[0];
    *ret_theirs = fds[1];
    evutil_make_socket_nonblocking(s->fd);
    s->readable = event_new(loop, s->fd, EV_READ | EV_PERSIST, on_readable, s);
    mst_assert(s->readable);
    event_add(s->readable, NULL);
    return true;
}

/* ---- its start ---- */

static bool overridden(const char *variable, const struct mst_exec_plugin *plugin)
{
    const char *equals = strchr(variable, '=');
    const size_t n = equals ? (size_t)(equals - variable) + 1 : strlen(variable);
    if (strncmp(variable, "KUBERNETES_EXEC_INFO=", n) == 0)
        return true;
    for (uint32_t i = 0; i < plugin->env.n; i++)
        if (plugin->env.v[i].n >= n && memcmp(plugin->env.v[i].p, variable, n) == 0)
            return true;
    return false;
}

/* Our environment, the user's additions, and what the program is told. */
static char **make_env(const struct mst_connection *c, struct mst_arena *arena)
{
    const struct mst_exec_plugin *plugin = &c->exec;
    MST_AUTO(mst_buf) info = { 0 };
    uint32_t count = 0, n = 0;
    while (environ && environ[count])
        count++;
    char **env = MST_NEW_N(arena, char *, count + plugin->env.n + 2);
    for (uint32_t i = 0; i < count; i++)
        if (!overridden(environ[i], plugin))
            env[n++] = environ[i];
    for (uint32_t i = 0; i < plugin->env.n; i++)
        env[n++] = (char *)mst_arena_str(arena, plugin->env.v[i]).p;
    mst_exec_info(c, &info);
    env[n] =
        (char *)mst_arena_printf(arena, "KUBERNETES_EXEC_INFO=%.*s", MST_ARG(mst_buf_span(&info)))
            .p;
    return env;
}

static int spawn(struct mst_exec *e, int out_fd, int complaints_fd)
{
    const struct mst_exec_plugin *plugin = &e->connection->exec;
    struct mst_arena arena = { 0 };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t every, none;
    sigfillset(&every);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out_fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, complaints_fd, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    /* A group of its own, so that what it starts can be killed with it. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &every);
    posix_spawnattr_setsigmask(&attributes, &none);
    char **args = MST_NEW_N(&arena, char *, plugin->args.n + 2);
    args[0] = (char *)mst_arena_str(&arena, plugin->command).p;
    for (uint32_t i = 0; i < plugin->args.n; i++)
        args[i + 1] = (char *)mst_arena_str(&arena, plugin->args.v[i]).p;
    const int error =
        posix_spawnp(&e->pid, args[0], &files, &attributes, args, make_env(e->connection, &arena));
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    mst_arena_done(&arena);
    if (error)
        e->pid = 0;
    return error;
}

/* ---- its end ---- */

static void fill_problem(const struct mst_exec *e, const struct mst_err *why, struct mst_buf *out)
{
    const struct mst_exec_plugin *plugin = &e->connection->exec;
    struct mst_buf clean = { 0 };
    mst_buf_printf(out, "exec plug-in \"%.*s\": %s", MST_ARG(plugin->command), why->text);
    mst_utf8_clean(mst_buf_span(&e->complaints.text), &clean);
    while (clean.n && (unsigned char)clean.p[clean.n - 1] <= ' ')
        clean.n--;
    for (size_t i = 0; i < clean.n; i++)
        if ((unsigned char)clean.p[i] < ' ')
            clean.p[i] = ' ';
    if (clean.n)
        mst_buf_printf(out, "; it says: %.*s", (int)MST_MIN(clean.n, (size_t)COMPLAINT_SHOWN_MAX),
                       clean.p);
    if (e->start_error.rc && plugin->install_hint.n)
        mst_buf_printf(out, "; %.*s", MST_ARG(plugin->install_hint));
    mst_buf_done(&clean);
}

static mst_rc judge(const struct mst_exec *e, struct mst_arena *arena,
                    struct mst_exec_credentials *out, struct mst_err *err)
{
    if (e->start_error.rc) {
        *err = e->start_error;
        return err->rc;
    }
    if (e->too_long)
        return mst_fail(err, MST_EIO, "did not end in time and was killed");
    if (WIFSIGNALED(e->status))
        return mst_fail(err, MST_EIO, "was killed by signal %d", WTERMSIG(e->status));
    if (WEXITSTATUS(e->status) != 0)
        return mst_fail(err, MST_EIO, "failed with exit code %d", WEXITSTATUS(e->status));
    if (e->out.text.n > e->out.bytes_max)
        return mst_fail(err, MST_ELIMIT, "printed more than %d bytes", OUTPUT_BYTES_MAX);
    return mst_exec_read(mst_buf_span(&e->out.text), e->connection->exec.api_version, arena, out,
                         err);
}

static struct mst_exec_end end_of(const struct mst_exec *e)
{
    if (e->start_error.rc)
        return (struct mst_exec_end){ e->no_pipes ? "client_internal_error"
                                                  : "plugin_not_found_error",
                                      1 };
    if (e->too_long || WIFSIGNALED(e->status))
        return (struct mst_exec_end){ "plugin_execution_error", -1 };
    const int code = WEXITSTATUS(e->status);
    return (struct mst_exec_end){ code ? "plugin_execution_error" : "no_error", code };
}

static void tell(struct mst_exec *e)
{
    struct mst_arena arena = { 0 };
    struct mst_exec_credentials credentials = { 0 };
    struct mst_err err = { 0 };
    MST_AUTO(mst_buf) problem = { 0 };
    mst_exec_done_fn *done = e->done;
    void *ctx = e->ctx;
    stream_read(&e->out);
    stream_read(&e->complaints);
    const struct mst_exec_end end = end_of(e);
    const mst_rc rc = judge(e, &arena, &credentials, &err);
    if (rc)
        fill_problem(e, &err, &problem);
    mst_exec_cancel(e);
    done(ctx, &end, rc ? NULL : &credentials, mst_buf_span(&problem));
    mst_arena_done(&arena);
}

static void on_look(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct mst_exec *e = ctx;
    if (e->start_error.rc) {
        tell(e);
        return;
    }
    const pid_t ended = waitpid(e->pid, &e->status, WNOHANG);
    if (ended == e->pid || (ended < 0 && errno == ECHILD)) {
        e->pid = 0;
        tell(e);
        return;
    }
    if (--e->looks_left > 0)
        return;
    e->too_long = true;
    tell(e);
}

struct mst_exec *mst_exec_start(struct event_base *loop, const struct mst_connection *connection,
                                int64_t timeout_ms, mst_exec_done_fn *done, void *ctx)
{
    const struct timeval every = { .tv_usec = LOOK_MS * 1000 };
    struct mst_exec *e = mst_calloc(1, sizeof(*e));
    int out_fd, complaints_fd, error = 0;
    e->connection = connection;
    e->looks_left = timeout_ms / LOOK_MS;
    e->done = done;
    e->ctx = ctx;
    e->complaints.fd = complaints_fd = -1;
    if (!stream_open(&e->out, loop, OUTPUT_BYTES_MAX, &out_fd) ||
        !stream_open(&e->complaints, loop, COMPLAINT_BYTES_MAX, &complaints_fd))
        error = errno;
    e->no_pipes = error != 0;
    if (!error)
        error = spawn(e, out_fd, complaints_fd);
    if (out_fd >= 0)
        close(out_fd);
    if (complaints_fd >= 0)
        close(complaints_fd);
    if (error) {
        char text[128];
        (void)mst_fail(&e->start_error, MST_EIO, "cannot be started: %s",
                       strerror_r(error, text, sizeof(text)));
    }
    e->look = event_new(loop, -1, EV_PERSIST, on_look, e);
    mst_assert(e->look);
    event_add(e->look, &every);
    return e;
}

void mst_exec_cancel(struct mst_exec *e)
{
    if (!e)
        return;
    if (e->pid > 0) {
        kill(-e->pid, SIGKILL);
        while (waitpid(e->pid, &e->status, 0) < 0 && errno == EINTR)
            ;
    }
    event_free(e->look);
    stream_close(&e->out);
    stream_close(&e->complaints);
    mst_buf_done(&e->out.text);
    mst_buf_done(&e->complaints.text);
    mst_free(e);
}

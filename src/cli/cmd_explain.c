/*
 * cmd_explain.c - muster explain: why something is pending, and what would change that.
 *
 * Everything that is there from the start is attempted once, at time zero, so that a pending group
 * is explained against what is really free. Objects with a later arrival are not there.
 */
#include <stdio.h>

#include "base/sort.h"
#include "cli/explain_print.h"
#include "cli/report.h"
#include "cli/setup.h"
#include "cli/table.h"

struct target {
    bool any; /* no target: everything that is pending */
    bool group;
    struct mst_str ns, name;
};

struct explaining {
    const struct mst_args *args;
    struct mst_setup setup;
    struct mst_extender_client *client;
    struct mst_run run;
    bool running, json, colours;
    struct target target;
    struct mst_scope scope; /* without a target */
    struct mst_buf out;
    uint32_t shown, pending;
};

/* "pod/NAME", "podgroup/NS/NAME". */
static bool read_target(const struct mst_args *args, struct mst_str context_ns, struct target *out)
{
    static const struct {
        const char *prefix;
        bool group;
    } kinds[] = { { "pod/", false },     { "pods/", false },     { "po/", false },
                  { "podgroup/", true }, { "podgroups/", true }, { "pg/", true } };
    const char *ns = mst_args_text(args, "namespace", NULL);
    out->ns = ns ? mst_str_of(ns) : context_ns.n ? context_ns : MST_STR("default");
    out->any = args->words.n == 0;
    if (out->any)
        return true;
    struct mst_str word = mst_str_of(args->words.v[0]);
    for (size_t i = 0; i < MST_COUNT(kinds); i++) {
        if (!mst_str_has_prefix(word, kinds[i].prefix))
            continue;
        size_t skip = strlen(kinds[i].prefix);
        struct mst_str rest = { word.p + skip, word.n - skip };
        const char *slash = rest.n ? memchr(rest.p, '/', rest.n) : NULL;
        out->group = kinds[i].group;
        out->name = rest;
        if (slash) {
            out->ns = (struct mst_str){ rest.p, (size_t)(slash - rest.p) };
            out->name = (struct mst_str){ slash + 1, rest.n - out->ns.n - 1 };
        }
        if (out->ns.n && out->name.n && !memchr(out->name.p, '/', out->name.n))
            return true;
    }
    mst_usage_error(
        args->command,
        "invalid argument \"%.*s\"; allowed: pod/NAME, podgroup/NAME, pod/NAMESPACE/NAME,"
        " podgroup/NAMESPACE/NAME",
        MST_ARG(word));
    return false;
}

/* Returns an exit code. */
static int load(struct explaining *x)
{
    struct mst_err err;
    if (mst_args_has(x->args, "all-plugins") && !mst_args_has(x->args, "scores"))
        return mst_usage_error(x->args->command, "--all-plugins needs --scores");
    if (!mst_scope_check(x->args))
        return MST_EXIT_BAD_INPUT;
    if (mst_args_has(x->args, "all-namespaces") && x->args->words.n)
        return mst_usage_error(x->args->command, "--all-namespaces has no meaning with a target");
    if (!mst_setup_init(&x->setup, x->args) || !read_target(x->args, MST_STR_NONE, &x->target))
        return MST_EXIT_BAD_INPUT;
    const int loaded = mst_setup_load(&x->setup, x->args, true);
    /* What the target's namespace is without -n, the context says. */
    if (loaded || !read_target(x->args, x->setup.live.connection.namespace_, &x->target))
        return loaded ? loaded : MST_EXIT_BAD_INPUT;
    x->scope = mst_scope_of(&x->setup.live, x->args);
    if (mst_extender_client_new(&x->setup.config, &x->client, &err)) {
        fprintf(stderr, "muster explain: %s\n", err.text);
        return MST_EXIT_BAD_INPUT;
    }
    struct mst_run_options options = {
        .scenario = &x->setup.scenario,
        .config = &x->setup.config,
        .registry = &x->setup.registry,
        .log = mst_setup_log(&x->setup),
        .random_ties = x->setup.random_ties,
        .seed = (uint64_t)x->setup.seed,
        .until_ns = 0,
        .send = mst_setup_send,
        .send_ctx = x->client,
    };
    if (mst_run_init(&x->run, &options, &err)) {
        fprintf(stderr, "muster explain: %s\n", err.text);
        return MST_EXIT_BAD_INPUT;
    }
    x->running = true;
    x->setup.now_ns = &x->run.clock.now_ns;
    return MST_EXIT_OK;
}

/* ---- explanations ---- */

static bool is_target(const struct explaining *x, bool group, mst_sym ns, struct mst_str name)
{
    struct mst_str ns_text = mst_sym_str(x->setup.syms, ns);
    if (x->target.any)
        return mst_scope_has(&x->scope, ns_text);
    return x->target.group == group && mst_str_eq(ns_text, x->target.ns) &&
           mst_str_eq(name, x->target.name);
}

static void explain_one(struct explaining *x, bool group, uint32_t row)
{
    struct mst_arena arena = { 0 };
    struct mst_explanation e = { 0 };
    mst_run_explain(&x->run, group, row, &arena, &e);
    if (x->json) {
        struct mst_json_writer w = { .out = &x->out };
        mst_explanation_json(&e, &w);
    } else {
        if (x->shown)
            mst_buf_char(&x->out, '\n');
        mst_explanation_print(&e, x->colours, &x->out);
    }
    if (x->json)
        mst_buf_char(&x->out, '\n');
    x->shown++;
    mst_arena_done(&arena);
}

static bool waits(const struct mst_pod_row *pod)
{
    return pod->live && !pod->assigned && !pod->assumed && pod->known_profile;
}

/* Groups by arrival of their row, then lone pods; without a target only what is pending. */
static void explain_all(struct explaining *x)
{
    const struct mst_cluster *cluster = mst_engine_cluster(x->run.engine);
    for (uint32_t row = 0; row < cluster->groups.n; row++) {
        const struct mst_group_row *group = &cluster->groups.v[row];
        bool pending = false;
        for (uint32_t p = group->first_pod; group->live && p != MST_ROW_NONE;
             p = cluster->pods.v[p].group_next)
            pending |= waits(&cluster->pods.v[p]);
        if (!group->live || !is_target(x, true, group->ns, group->name))
            continue;
        if (pending || (!x->target.any && group->known))
            explain_one(x, true, row);
        x->pending += pending;
    }
    for (uint32_t row = 0; row < cluster->pods.n; row++) {
        const struct mst_pod_row *pod = &cluster->pods.v[row];
        if (!pod->live || !is_target(x, false, pod->ns, pod->name))
            continue;
        bool pending = waits(pod);
        if (x->target.any ? pending && pod->group == MST_ROW_NONE : true) {
            explain_one(x, false, row);
            x->pending += pending;
        }
    }
}

/* ---- by name ---- */

struct keyed {
    struct mst_str key; /* "ns/name" */
    uint32_t row;
};

static int by_key(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(((const struct keyed *)a)->key, ((const struct keyed *)b)->key);
}

static struct keyed keyed_of(const struct explaining *x, struct mst_arena *arena, uint32_t row)
{
    const struct mst_pod_row *pod = &mst_engine_cluster(x->run.engine)->pods.v[row];
    struct mst_str ns = mst_sym_str(x->setup.syms, pod->ns);
    return (struct keyed){
        .key = mst_arena_printf(arena, "%.*s/%.*s", MST_ARG(ns), MST_ARG(pod->name)), .row = row
    };
}

/* ---- scores ---- */

static void score_one(struct explaining *x, const struct keyed *s)
{
    struct mst_arena arena = { 0 };
    struct mst_pod_answer answer = { 0 };
    const struct mst_cluster *cluster = mst_engine_cluster(x->run.engine);
    uint32_t group_row = cluster->pods.v[s->row].group;
    mst_run_explain_scores(&x->run, s->row, mst_args_has(x->args, "all-plugins"), &arena, &answer);
    if (x->json) {
        struct mst_str group =
            group_row == MST_ROW_NONE ? MST_STR_NONE : cluster->groups.v[group_row].name;
        mst_scores_json(s->key, group, &answer, &x->out);
    } else {
        if (x->shown)
            mst_buf_char(&x->out, '\n');
        mst_scores_print(s->key, &answer, x->colours, &x->out);
    }
    x->shown++;
    mst_arena_done(&arena);
}

/* Every pending pod against the snapshot as it is, by namespace and name; nothing is attempted. */
static void score_all(struct explaining *x)
{
    const struct mst_cluster *cluster = mst_engine_cluster(x->run.engine);
    struct mst_arena arena = { 0 };
    MST_VEC(struct keyed) pods = { 0 };
    for (uint32_t row = 0; row < cluster->pods.n; row++) {
        const struct mst_pod_row *pod = &cluster->pods.v[row];
        bool in_group = pod->group != MST_ROW_NONE;
        if (!waits(pod))
            continue;
        bool wanted = is_target(x, false, pod->ns, pod->name) ||
                      (in_group && is_target(x, true, pod->ns, cluster->groups.v[pod->group].name));
        if (wanted)
            mst_vec_push(&pods, keyed_of(x, &arena, row));
    }
    mst_sort(pods.v, pods.n, sizeof(*pods.v), by_key, NULL);
    for (uint32_t i = 0; i < pods.n; i++)
        score_one(x, &pods.v[i]);
    mst_vec_done(&pods);
    mst_arena_done(&arena);
}

/* ---- preemption ---- */

static void preempt_one(struct explaining *x, bool group, uint32_t row)
{
    struct mst_arena arena = { 0 };
    struct mst_preempt_answer answer;
    mst_run_explain_preempt(&x->run, group, row, &arena, &answer);
    if (x->json) {
        mst_preempt_json(&answer, &x->out);
    } else {
        if (x->shown)
            mst_buf_char(&x->out, '\n');
        mst_preempt_print(&answer, x->colours, &x->out);
    }
    x->shown++;
    x->pending += answer.result != MST_PREEMPT_SCHEDULED;
    mst_arena_done(&arena);
}

/* Pods that are held, by name: those that PreEnqueue holds, then those whose group is not there. */
static void preempt_held(struct explaining *x, bool incomplete)
{
    const struct mst_cluster *cluster = mst_engine_cluster(x->run.engine);
    struct mst_arena arena = { 0 };
    MST_VEC(struct keyed) pods = { 0 };
    for (uint32_t row = 0; row < cluster->pods.n; row++) {
        const struct mst_pod_row *pod = &cluster->pods.v[row];
        bool gated = false;
        if (!waits(pod))
            continue;
        mst_store store = mst_queue_store_of(mst_engine_queue(x->run.engine), row, &gated);
        bool of_group = pod->group != MST_ROW_NONE &&
                        is_target(x, true, pod->ns, cluster->groups.v[pod->group].name);
        if ((store == MST_STORE_INCOMPLETE) == incomplete && (incomplete || gated) &&
            (of_group || is_target(x, false, pod->ns, pod->name)))
            mst_vec_push(&pods, keyed_of(x, &arena, row));
    }
    mst_sort(pods.v, pods.n, sizeof(*pods.v), by_key, NULL);
    for (uint32_t i = 0; i < pods.n; i++)
        preempt_one(x, false, pods.v[i].row);
    mst_vec_done(&pods);
    mst_arena_done(&arena);
}

/* Every queued entity alone against the snapshot as it is, in the order of the queue. */
static void preempt_all(struct explaining *x)
{
    const struct mst_cluster *cluster = mst_engine_cluster(x->run.engine);
    struct mst_arena arena = { 0 };
    struct mst_waiting *list;
    preempt_held(x, false);
    preempt_held(x, true);
    uint32_t n = mst_queue_ready(mst_engine_queue(x->run.engine), &arena, &list);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = list[i].id;
        bool wanted =
            list[i].group
                ? is_target(x, true, cluster->groups.v[row].ns, cluster->groups.v[row].name)
                : is_target(x, false, cluster->pods.v[row].ns, cluster->pods.v[row].name);
        if (wanted)
            preempt_one(x, list[i].group, row);
    }
    mst_arena_done(&arena);
}

/* ---- the command ---- */

/* Pods of a cluster may wait although there is room: nobody has tried them yet. */
static void say_nothing(struct explaining *x)
{
    if (x->scope.all)
        mst_buf_text(&x->out, "nothing is pending\n");
    else
        mst_buf_printf(&x->out, "nothing is pending in namespace %.*s; -A looks in all\n",
                       MST_ARG(x->scope.ns));
    if (x->setup.live.read && x->run.bind_count)
        mst_buf_printf(&x->out, "%u pod%s of the cluster ha%s no node yet, but would get one now\n",
                       x->run.bind_count, x->run.bind_count == 1 ? "" : "s",
                       x->run.bind_count == 1 ? "s" : "ve");
}

static int answer(struct explaining *x)
{
    bool scores = mst_args_has(x->args, "scores"), preempts = mst_args_has(x->args, "preemption");
    if (scores && preempts)
        return mst_usage_error(x->args->command, "--scores and --preemption do not go together");
    if (scores || preempts) {
        mst_run_load(&x->run);
        if (scores)
            score_all(x);
        else
            preempt_all(x);
    } else {
        mst_run_go(&x->run);
        explain_all(x);
    }
    if (!x->shown && !x->target.any) {
        fprintf(stderr, "muster explain: no %s%s \"%.*s\" in namespace \"%.*s\"\n",
                scores || preempts ? "pending " : "", x->target.group ? "PodGroup" : "pod",
                MST_ARG(x->target.name), MST_ARG(x->target.ns));
        return MST_EXIT_BAD_INPUT;
    }
    if (!x->shown && !x->json)
        say_nothing(x);
    int code = mst_print(&x->out);
    return code ? code : x->pending ? MST_EXIT_PENDING : MST_EXIT_OK;
}

static int run(const struct mst_args *args)
{
    struct explaining x = { .args = args,
                            .colours = mst_colours_wanted(),
                            .json = strcmp(mst_args_text(args, "output", "text"), "json") == 0 };
    int code = load(&x);
    if (!code)
        code = answer(&x);
    if (x.running)
        mst_run_done(&x.run);
    mst_buf_done(&x.out);
    mst_extender_client_free(x.client);
    mst_setup_done(&x.setup);
    return code;
}

static const struct mst_flag flags[] = {
    MST_SETUP_FLAGS,
    MST_NAMESPACE_FLAGS,
    { .name = "scores",
      .help = "what every plugin says of each pending pod on every node of the snapshot as it\n"
              "is; nothing is attempted before" },
    { .name = "all-plugins",
      .help = "with --scores: every plugin that refuses a node, not only the first" },
    { .name = "preemption",
      .help = "who would have to go for each pending pod or group, where, and why not fewer\n"
              "or others; each is judged alone against the snapshot as it is" },
    { .name = "output",
      .letter = 'o',
      .arg = "FORMAT",
      .values = "text|json",
      .help = "what to print (default text); json is one line per object" },
};

const struct mst_command mst_command_explain = {
    .name = "explain",
    .summary = "why a pod or a group is pending, and what would change that",
    .usage = "[-f FILE|DIR|- ...] [pod/NAME|podgroup/NAME] [flags]",
    .about =
        "Reads the cluster of the kubeconfig, or with -f manifests and snapshots instead, or with\n"
        "-f and --kubeconfig or --context both: what if? Nothing is written to the cluster.\n"
        "\n"
        "Attempts everything that is there once at time zero, and then explains what is\n"
        "still pending against what is really free: which nodes refuse for which reason, how\n"
        "many members fit, and the smallest change that would make it fit. Without a target\n"
        "everything that is pending is explained: in the context's namespace, or -A in all of\n"
        "them. NAME may be NAMESPACE/NAME.\n"
        "\n"
        "Exit code 0: nothing (of it) is pending. 3: something is. 2: bad input. 1: the cluster\n"
        "does not answer, or does not allow it.",
    .flags = flags,
    .flag_count = MST_COUNT(flags),
    .positional_max = 1,
    .examples = "  muster explain podgroup/train -n team-a\n"
                "  muster explain -A\n"
                "  muster explain --context prod -f more-nodes.yaml podgroup/train\n"
                "  muster explain -f examples/gang-too-big\n"
                "  muster explain -f snapshot.yaml podgroup/train\n"
                "  muster explain -f snapshot.yaml pod/team-a/web-0 --scores\n"
                "  muster explain -f examples/preemption --preemption\n",
    .plugin = true,
    .run = run,
};

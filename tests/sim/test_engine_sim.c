/*
 * test_engine_sim.c - the engine in random worlds, thousands of seeds.
 *
 * A seed is a world that changes at random: nodes, gangs and lone pods of many shapes come, change
 * and go; binds and evictions fail or are answered late; the watch lags. In every third world pods
 * also keep away from each other or spread over zones; in every fourth the process dies at times
 * and another one takes over. Rules are checked after every step: among them that nobody goes but
 * for somebody more important who was promised a node. At the end the world stands still, and
 * whatever fits must have got its node. Each seed runs twice in each behaviour profile, the second
 * time with other symbol numbers and with somebody who looks at everything: the effects must be the
 * same bytes.
 *
 *     test_engine_sim --seed N      one seed, traced
 *     test_engine_sim --seeds N     the first N seeds
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim_restart.h"
#include "tap.h"

enum { SEEDS_DEFAULT = 300, OPS = 120 };

static uint64_t first_seed = 1, seed_count = SEEDS_DEFAULT;
static bool trace;
static volatile unsigned long long running_seed; /* for the signal handler */

/* ---- what happens ---- */

static void add_node(struct sim *s, int i)
{
    struct sim_world *w = &s->world;
    w->nodes[i] = (struct sim_node){ .live = true,
                                     .cpu = 1000 * (1 + sim_draw(w, 8)),
                                     .memory = 10 * (1 + sim_draw(w, 10)),
                                     .pods = sim_chance(w, 20) ? sim_draw(w, 4) : 20,
                                     .zone = sim_draw(w, SIM_ZONES),
                                     .unschedulable = sim_chance(w, 10),
                                     .tainted = sim_chance(w, 20) };
    sim_send_node(s, i);
}

static void change_node(struct sim *s, int i)
{
    struct sim_world *w = &s->world;
    struct sim_node *n = &w->nodes[i];
    switch (sim_draw(w, 5)) {
    case 0: n->cpu = 1000 * (1 + sim_draw(w, 8)); break;
    case 1: n->unschedulable = !n->unschedulable; break;
    case 2: n->tainted = !n->tainted; break;
    case 3: n->zone = sim_draw(w, SIM_ZONES); break;
    default: n->pods = sim_chance(w, 50) ? sim_draw(w, 4) : 20; break;
    }
    sim_send_node(s, i);
}

static void node_op(struct sim *s)
{
    struct sim_world *w = &s->world;
    int i = sim_draw(w, SIM_NODES);
    if (!w->nodes[i].live) {
        add_node(s, i);
    } else if (sim_chance(w, 75)) {
        change_node(s, i);
    } else {
        sim_trace(s, "  remove n%d\n", i);
        w->nodes[i].live = false;
        sim_send(s, MST_EVENT_REMOVE, sim_node_object(w, i));
    }
}

static int free_pod(struct sim *s)
{
    int i = sim_draw(&s->world, SIM_PODS);
    for (int k = 0; k < SIM_PODS; k++, i = (i + 1) % SIM_PODS)
        if (!s->world.pods[i].live)
            return i;
    return SIM_NONE;
}

/* What a pod says about others, and the label by which others speak about it. */
static void wish(struct sim *s, struct sim_pod *p)
{
    struct sim_world *w = &s->world;
    p->app = p->group == SIM_NONE ? sim_draw(w, SIM_APPS) : w->groups[p->group].app;
    p->wish = p->group == SIM_NONE ? (enum sim_wish)sim_draw(w, 3) : w->groups[p->group].wish;
    p->from = sim_draw(w, SIM_APPS);
    p->by_zone = sim_chance(w, 30);
    p->skew = 1 + sim_draw(w, 2);
    sim_trace(s, "  a%d, wish %d: from a%d by %s, skew %d\n", p->app, p->wish, p->from,
              p->by_zone ? "zone" : "host", p->skew);
}

static void add_pod(struct sim *s, int i, int group)
{
    struct sim_world *w = &s->world;
    struct sim_pod *p = &w->pods[i];
    *p = (struct sim_pod){ .live = true,
                           .uid = ++w->uids,
                           .created_s = s->now / SIM_SECOND,
                           .group = group,
                           .node = SIM_NONE,
                           .nominated = SIM_NONE,
                           .gated = sim_chance(w, 12),
                           .other_scheduler = sim_chance(w, 5) };
    if (group == SIM_NONE) {
        p->cpu = 500 * (1 + sim_draw(w, 6));
        p->memory = 5 * (1 + sim_draw(w, 4));
        p->zone = sim_chance(w, 30) ? sim_draw(w, SIM_ZONES) : SIM_NONE;
        p->tolerates = sim_chance(w, 40);
        p->priority = 10 * sim_draw(w, 3);
        p->port = sim_chance(w, 20) ? 8080 : 0;
    } else {
        const struct sim_group *g = &w->groups[group];
        p->cpu = g->cpu;
        p->memory = g->memory;
        p->zone = g->zone;
        p->tolerates = g->tolerates;
        p->priority = g->priority + (sim_chance(w, 3) ? 10 : 0);
        p->never = sim_chance(w, 2);
    }
    if (w->domains)
        wish(s, p);
    sim_trace(s, "  new p%d group g%d cpu %lld prio %d%s%s\n", i, group, (long long)p->cpu,
              p->priority, p->gated ? " gated" : "", p->other_scheduler ? " other" : "");
    sim_send_pod(s, i);
}

static void pod_add_op(struct sim *s)
{
    struct sim_world *w = &s->world;
    int group = sim_chance(w, 60) ? sim_draw(w, SIM_GROUPS) : SIM_NONE;
    int n = group == SIM_NONE ? 1 : 1 + sim_draw(w, 4);
    for (int k = 0; k < n; k++) {
        int i = free_pod(s);
        if (i != SIM_NONE)
            add_pod(s, i, group);
    }
}

/* What members look like is decided before the group is there: they may come first. */
static void dream_group(struct sim *s, int i)
{
    struct sim_world *w = &s->world;
    struct sim_group *g = &w->groups[i];
    g->cpu = 500 * (1 + sim_draw(w, 4));
    g->memory = 5 * (1 + sim_draw(w, 3));
    g->zone = sim_chance(w, 25) ? sim_draw(w, SIM_ZONES) : SIM_NONE;
    g->tolerates = sim_chance(w, 30);
    g->priority = 10 * sim_draw(w, 3);
    if (!w->domains)
        return;
    g->app = sim_draw(w, SIM_APPS);
    g->wish = sim_chance(w, 70) ? SIM_NO_WISH : (enum sim_wish)sim_draw(w, 3);
}

static void new_group(struct sim *s, int i)
{
    struct sim_world *w = &s->world;
    struct sim_group *g = &w->groups[i];
    g->live = true;
    g->uid = ++w->uids;
    g->gang = sim_chance(w, 75);
    g->min = 1 + sim_draw(w, 5);
    g->whole = sim_chance(w, 30);
    g->cond.set = g->disruption.set = g->was_true = false;
    sim_trace(s, "  new g%d %s %d prio %d\n", i, g->gang ? "gang" : "basic", g->min, g->priority);
    sim_send_group(s, i);
}

static void group_op(struct sim *s)
{
    struct sim_world *w = &s->world;
    int i = sim_draw(w, SIM_GROUPS);
    struct sim_group *g = &w->groups[i];
    if (!g->live || sim_chance(w, 10)) { /* a live one is replaced: same name, new uid */
        new_group(s, i);
    } else if (sim_chance(w, 75)) {
        g->min = 1 + sim_draw(w, 5);
        sim_trace(s, "  g%d min %d\n", i, g->min);
        sim_send_group(s, i);
    } else {
        sim_trace(s, "  remove g%d\n", i);
        g->live = false;
        sim_send(s, MST_EVENT_REMOVE, sim_group_object(w, i));
    }
}

/* A whole gang, members before their group or after it. */
static void gang_op(struct sim *s)
{
    struct sim_world *w = &s->world;
    int i = sim_draw(w, SIM_GROUPS);
    if (w->groups[i].live)
        return;
    bool first = sim_chance(w, 50);
    if (first)
        new_group(s, i);
    for (int k = 2 + sim_draw(w, 4); k > 0; k--) {
        int pod = free_pod(s);
        if (pod != SIM_NONE)
            add_pod(s, pod, i);
    }
    if (!first)
        new_group(s, i);
}

static void finish_pod(struct sim *s, int i)
{
    struct mst_object *o = sim_pod_object(&s->world, i);
    sim_trace(s, "  p%d is finished\n", i);
    o->u.pod.status.phase = sim_sym(&s->world, sim_chance(&s->world, 50) ? "Succeeded" : "Failed");
    s->world.pods[i].live = false;
    sim_send(s, MST_EVENT_SET, o);
}

static void change_pod(struct sim *s, int i)
{
    struct sim_world *w = &s->world;
    struct sim_pod *p = &w->pods[i];
    int node = sim_draw(w, SIM_NODES);
    if (w->domains && sim_chance(w, 20)) {
        p->app = sim_draw(w, SIM_APPS);
        sim_trace(s, "  p%d is a%d\n", i, p->app);
        sim_send_pod(s, i);
        return;
    }
    switch (sim_draw(w, 6)) {
    case 0: p->gated = false; break;
    case 1: /* another scheduler binds it, perhaps to a node nobody knows */
        if (p->node != SIM_NONE || p->gated)
            return;
        p->node = node;
        p->nominated = SIM_NONE;
        break;
    case 2:
        if (p->node == SIM_NONE && !p->other_scheduler)
            p->nominated = sim_chance(w, 50) ? node : SIM_NONE;
        break;
    case 3:
        if (p->node != SIM_NONE)
            p->allocated = sim_chance(w, 50) ? p->cpu + 500 : p->cpu;
        break;
    case 4:
        if (p->group == SIM_NONE && p->node == SIM_NONE)
            p->tolerates = true;
        break;
    default: p->deleting = true; break;
    }
    sim_trace(s, "  p%d changes: gated %d node %d nominated %d deleting %d\n", i, p->gated, p->node,
              p->nominated, p->deleting);
    sim_send_pod(s, i);
}

static void pod_op(struct sim *s)
{
    struct sim_world *w = &s->world;
    int i = sim_draw(w, SIM_PODS);
    if (!w->pods[i].live)
        return;
    int draw = sim_draw(w, 100);
    if (draw < 55)
        change_pod(s, i);
    else if (draw < 70 && w->pods[i].node != SIM_NONE)
        finish_pod(s, i);
    else if (draw < 90)
        sim_remove_pod(s, i);
    else /* recreated, and the watch shows it as one update */
        add_pod(s, i, w->pods[i].group);
}

static void service_op(struct sim *s)
{
    struct sim_world *w = &s->world;
    struct mst_object *o = sim_service_object(w, sim_draw(w, SIM_APPS));
    sim_send(s, sim_chance(w, 60) ? MST_EVENT_SET : MST_EVENT_REMOVE, o);
}

static void one_op(struct sim *s)
{
    struct sim_world *w = &s->world;
    if (w->domains && sim_chance(w, 3))
        service_op(s);
    if (w->restarts && sim_chance(w, 3))
        sim_restart(s);
    int draw = sim_draw(w, 100);
    if (draw < 12)
        node_op(s);
    else if (draw < 28)
        pod_add_op(s);
    else if (draw < 33)
        gang_op(s);
    else if (draw < 41)
        group_op(s);
    else if (draw < 62)
        pod_op(s);
    else if (draw < 85 && s->binds.n)
        sim_answer(s, (uint32_t)sim_draw(w, (int)s->binds.n));
    else if (draw < 95 && s->evictions.n)
        sim_answer_eviction(s, (uint32_t)sim_draw(w, (int)s->evictions.n));
    else
        sim_wait(s, sim_chance(w, 80) ? sim_draw(w, 3000) * (SIM_SECOND / 1000)
                                      : sim_draw(w, 30) * SIM_SECOND);
    mst_engine_check(s->engine);
    for (int n = sim_draw(w, 4); n > 0; n--)
        (void)sim_step(s);
}

/* ---- what must be true once nothing moves ---- */

static void check_rows(struct sim *s)
{
    struct sim_world *w = &s->world;
    struct mst_cluster *c = mst_engine_cluster(s->engine);
    uint32_t known = 0;
    for (int i = 0; i < SIM_PODS; i++) {
        const struct sim_pod *p = &w->pods[i];
        uint32_t row = sim_pod_row(s, i);
        bool wanted = p->live && (p->node != SIM_NONE || !p->other_scheduler);
        if (wanted != (row != MST_ROW_NONE)) {
            sim_fail(s, "p%d is %s", i, wanted ? "lost" : "still known");
            continue;
        }
        if (!wanted)
            continue;
        known++;
        const struct mst_pod_row *r = &c->pods.v[row];
        if (r->assumed || r->assigned != (p->node != SIM_NONE) ||
            (r->assigned && r->node_name != sim_node_sym(w, p->node)))
            sim_fail(s, "p%d is somewhere else", i);
    }
    if (known != mst_map_count(&c->pod_ids))
        sim_fail(s, "%u pods are known, not %u", mst_map_count(&c->pod_ids), known);
    mst_arena_reset(&w->event);
}

static bool gated(struct sim *s, int pod)
{
    bool is_gated;
    (void)mst_queue_store_of(mst_engine_queue(s->engine), sim_pod_row(s, pod), &is_gated);
    return is_gated;
}

static bool waits(const struct sim_pod *p)
{
    return p->live && p->node == SIM_NONE && !p->other_scheduler && !p->deleting;
}

static void check_lone(struct sim *s, int i)
{
    const struct sim_pod *p = &s->world.pods[i];
    if (p->group != SIM_NONE || !waits(p) || p->gated)
        return;
    for (int node = 0; node < SIM_NODES; node++)
        if (sim_room(&s->world, i, node) > 0)
            sim_fail(s, "p%d fits on n%d and waits", i, node);
}

struct count {
    int example, waiting, scheduled;
    bool valid; /* as the checks before the first pod want it, and nobody is gated */
};

static struct count count_members(struct sim *s, int group)
{
    struct sim_world *w = &s->world;
    const struct sim_group *g = &w->groups[group];
    struct count n = { .example = SIM_NONE, .valid = true };
    int never = 0, all = 0;
    for (int i = 0; i < SIM_PODS; i++) {
        const struct sim_pod *p = &w->pods[i];
        if (!p->live || p->group != group || (p->other_scheduler && p->node == SIM_NONE))
            continue;
        const struct sim_pod *first = n.example == SIM_NONE ? p : &w->pods[n.example];
        n.valid &= p->priority == g->priority && !p->other_scheduler &&
                   (p->node != SIM_NONE || !p->gated) &&
                   (p->cpu == first->cpu && p->memory == first->memory && p->zone == first->zone &&
                    p->tolerates == first->tolerates) &&
                   (p->app == first->app && p->wish == SIM_NO_WISH);
        all++;
        never += p->never;
        n.scheduled += p->node != SIM_NONE;
        if (!waits(p))
            continue;
        n.example = i;
        n.waiting++;
    }
    n.valid &= never == 0 || never == all;
    return n;
}

static void check_group(struct sim *s, int group, bool early)
{
    const struct sim_group *g = &s->world.groups[group];
    struct count n = count_members(s, group);
    if (!g->live || !n.valid || !n.waiting)
        return;
    if (early && s->config.upstream && gated(s, n.example))
        return; /* upstream leaves it gated until the flush when the gating member goes */
    int need = g->gang ? MST_MAX(1, g->min - n.scheduled) : 1;
    int64_t room = 0;
    for (int node = 0; node < SIM_NODES; node++)
        room += sim_room(&s->world, n.example, node);
    if (n.waiting >= need && room >= need)
        sim_fail(s, "g%d waits: %d scheduled, %d waiting, %d needed, room for %lld", group,
                 n.scheduled, n.waiting, need, (long long)room);
}

static void check_rest(struct sim *s, bool early)
{
    check_rows(s);
    /*
     * Nobody is woken when a node goes or moves to another zone and takes the anti-affinity of its
     * pods with it, as in upstream: what fits is sure to be found with the flush only.
     */
    if (early && s->world.domains)
        return;
    for (int i = 0; i < SIM_PODS; i++)
        check_lone(s, i);
    for (int i = 0; i < SIM_GROUPS; i++)
        check_group(s, i, early);
    mst_arena_reset(&s->world.event);
}

/* ---- runs ---- */

static void start(struct sim *s, uint64_t seed, bool upstream, bool prying)
{
    *s = (struct sim){
        .prying = prying, .trace = trace, .seed = seed, .random_ties = seed % 3 == 0
    };
    mst_rng_init(&s->world.rng, seed);
    s->world.domains = seed % 3 == 1;
    s->world.restarts = seed % 4 == 2;
    mst_rng_init(&s->pry, ~seed);
    s->registry = mst_plugins_registry();
    s->world.syms = mst_syms_new();
    for (int i = 0; prying && i < 500; i++)
        (void)mst_sym_of(s->world.syms, sim_name(&s->world.arena, 'x', i));
    for (int i = prying ? SIM_NODES : 0; i-- > 0;)
        (void)mst_sym_of(s->world.syms, sim_name(&s->world.arena, 'n', i));
    s->config.upstream = upstream;
    mst_gates_default(&s->config.gates, upstream);
    if (seed % 5 == 0)
        s->config.gates.on[MST_GATE_SchedulerAsyncPreemption] = false;
    s->config.gates.on[MST_GATE_GenericWorkload] = true;
    mst_config_default(&s->config, &s->registry);
    s->now = INT64_C(1700000000) * SIM_SECOND + 123456789;
    sim_new_engine(s);
    for (int i = 0; i < SIM_PODS; i++)
        s->world.pods[i].nominated = s->world.pods[i].node = s->world.pods[i].group = SIM_NONE;
}

static void stop(struct sim *s)
{
    mst_engine_free(s->engine);
    mst_effects_done(&s->out);
    mst_config_done(&s->config);
    mst_vec_done(&s->binds);
    mst_vec_done(&s->evictions);
    mst_vec_done(&s->parts);
    mst_arena_done(&s->world.arena);
    mst_arena_done(&s->world.event);
    mst_arena_done(&s->pry_arena);
    mst_syms_free(s->world.syms);
}

static void run(struct sim *s)
{
    sim_trace(s, "  --- profile %s%s ---\n", s->config.upstream ? "upstream" : "muster",
              s->prying ? ", with somebody looking" : "");
    for (int i = 0; i < SIM_GROUPS; i++)
        dream_group(s, i);
    for (int i = 0; i < SIM_NODES / 2; i++)
        add_node(s, i);
    for (int i = 0; i < OPS && !s->failed; i++)
        one_op(s);
    sim_trace(s, "  --- the world stands still ---\n");
    s->calm = true;
    (void)sim_flush(s, 100);
    while (s->binds.n)
        sim_answer(s, 0);
    while (s->evictions.n)
        sim_answer_eviction(s, 0);
    for (int i = 0; i < SIM_PODS; i++) /* victims end */
        if (s->world.pods[i].live && s->world.pods[i].disrupted)
            sim_remove_pod(s, i);
    sim_wait(s, 60 * SIM_SECOND);
    if (!s->failed)
        check_rest(s, true);
    sim_wait(s, 360 * SIM_SECOND);
    if (!s->failed)
        check_rest(s, false);
    if (!s->config.upstream)
        sim_check_parts(s);
}

static void run_seed(struct mst_test *t, uint64_t seed, bool upstream)
{
    struct sim plain, pried;
    running_seed = seed;
    start(&plain, seed, upstream, false);
    run(&plain);
    start(&pried, seed, upstream, true);
    run(&pried);
    const char *profile = upstream ? "upstream" : "muster";
    const struct sim *bad = plain.failed ? &plain : &pried;
    if (bad->failed)
        t_fail(t, "seed %llu, profile %s%s: %s (test_engine_sim --seed %llu)",
               (unsigned long long)seed, profile, bad->prying ? ", with somebody looking" : "",
               bad->failure, (unsigned long long)seed);
    else if (plain.hash != pried.hash || plain.effects != pried.effects)
        t_fail(t,
               "seed %llu, profile %s: other effects with somebody looking "
               "(test_engine_sim --seed %llu)",
               (unsigned long long)seed, profile, (unsigned long long)seed);
    t_ok(t, plain.effects > 0);
    stop(&plain);
    stop(&pried);
}

static void test_engine_sim_muster(struct mst_test *t)
{
    for (uint64_t i = 0; i < seed_count; i++)
        run_seed(t, first_seed + i, false);
}

static void test_engine_sim_upstream(struct mst_test *t)
{
    for (uint64_t i = 0; i < seed_count; i++)
        run_seed(t, first_seed + i, true);
}

/* An assertion ends the program; the seed must not be lost with it. */
static void say_seed(int sig)
{
    char text[80];
    int n =
        snprintf(text, sizeof(text), "# aborted in: test_engine_sim --seed %llu\n", running_seed);
    (void)!write(STDERR_FILENO, text, (size_t)n);
    (void)signal(sig, SIG_DFL);
}

int main(int argc, char **argv)
{
    static const struct mst_test_entry tests[] = { T(test_engine_sim_muster),
                                                   T(test_engine_sim_upstream) };
    (void)signal(SIGABRT, say_seed);
    if (argc == 3 && strncmp(argv[1], "--seed", 6) == 0) {
        unsigned long long n = strtoull(argv[2], NULL, 10);
        trace = strcmp(argv[1], "--seed") == 0;
        *(trace ? &first_seed : &seed_count) = n;
        seed_count = trace ? 1 : seed_count;
        argc = 1;
    }
    return mst_test_main(argc, argv, tests, MST_COUNT(tests));
}

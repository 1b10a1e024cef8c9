/*
 * test_improve.c - victims of profile muster against every set of victims and every placement, on
 * small worlds drawn from seeds, in both orders; and never worse than upstream's.
 */
#include "base/rng.h"
#include "preempt_helper.h"
#include "tap.h"

enum { NODES_MAX = 3, PODS_MAX = 9, WAITING_MAX = 3, WORLDS = 2000, APPS = 2 };

static const char *const node_names[] = { "n1", "n2", "n3" };
static const char *const pod_names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
static const char *const waiting_names[] = { "w1", "w2", "w3" };
static const char *const app_names[] = { "x", "z" };

/* A world as numbers. */
struct model {
    uint32_t node_count, pod_count, waiting_count;
    int64_t capacity[NODES_MAX];
    struct {
        uint32_t node, app; /* app APPS: none */
        int64_t cpu, priority, start;
        bool whole, leaving;
    } pods[PODS_MAX];
    int64_t group_priority;
    int64_t waiting[WAITING_MAX];
    uint32_t only; /* NODES_MAX: anywhere */
    int64_t allowed[APPS];
    bool gang;
};

/* What goes together: the pods of the whole group, or one pod. */
struct unit {
    uint32_t mask, n, first; /* pods; the first by name */
    int64_t priority, start;
    bool whole, leaves;
};

static uint32_t below(struct mst_rng *rng, uint32_t n)
{
    return (uint32_t)mst_rng_below(rng, n);
}

static void draw_model(struct mst_rng *rng, struct model *m)
{
    static const int64_t priorities[] = { 1, 5, 5, 10, 200 };
    *m = (struct model){ .node_count = 1 + below(rng, NODES_MAX),
                         .waiting_count = 1,
                         .only = NODES_MAX,
                         .group_priority = priorities[below(rng, 4)],
                         .gang = below(rng, 2) };
    int64_t room[NODES_MAX];
    for (uint32_t i = 0; i < m->node_count; i++)
        room[i] = m->capacity[i] = 2 + below(rng, 5);
    for (uint32_t i = 0; i < PODS_MAX; i++) {
        uint32_t node = below(rng, m->node_count), k = m->pod_count;
        int64_t cpu = 1 + below(rng, 3);
        if (room[node] < cpu)
            continue;
        room[node] -= cpu;
        m->pods[k].node = node;
        m->pods[k].cpu = cpu;
        m->pods[k].start = 100 - (int64_t)i * 7 % 10;
        m->pods[k].priority = priorities[below(rng, 5)];
        m->pods[k].whole = below(rng, 4) == 0;
        m->pods[k].leaving = below(rng, 12) == 0;
        m->pods[k].app = below(rng, 2 * APPS);
        m->pods[k].app = MST_MIN(m->pods[k].app, (uint32_t)APPS);
        m->pod_count++;
    }
    if (m->gang)
        m->waiting_count = 1 + below(rng, WAITING_MAX);
    for (uint32_t i = 0; i < m->waiting_count; i++)
        m->waiting[i] = 1 + below(rng, 4);
    if (below(rng, 4) == 0)
        m->only = below(rng, m->node_count);
    for (uint32_t i = 0; i < APPS; i++)
        m->allowed[i] = below(rng, 3);
}

/* Everybody fits as it is: nobody would ask for victims. Greedy, as the scheduler would. */
static bool fits_now(const struct model *m)
{
    int64_t room[NODES_MAX];
    for (uint32_t i = 0; i < m->node_count; i++)
        room[i] = m->capacity[i];
    for (uint32_t i = 0; i < m->pod_count; i++)
        room[m->pods[i].node] -= m->pods[i].cpu;
    for (uint32_t node = 0; node < m->node_count; node++)
        if ((m->only == NODES_MAX || m->only == node) && room[node] >= m->waiting[0])
            return true;
    return false;
}

/* ---- the naive twin ---- */

static int importance(const struct unit *a, const struct unit *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->whole != b->whole)
        return a->whole ? -1 : 1;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->first < b->first ? -1 : 1;
}

static uint32_t find_units(const struct model *m, struct unit *out)
{
    uint32_t n = 0;
    struct unit group = { .first = PODS_MAX, .start = INT64_MAX, .whole = true, .leaves = true };
    for (uint32_t i = 0; i < m->pod_count; i++) {
        int64_t priority = m->pods[i].whole ? m->group_priority : m->pods[i].priority;
        if (m->pods[i].whole) {
            group.mask |= 1u << i;
            group.n++;
            group.first = MST_MIN(group.first, i);
            group.priority = priority;
            group.start = MST_MIN(group.start, m->pods[i].start);
            group.leaves &= m->pods[i].leaving;
        } else if (priority < 100) {
            out[n++] = (struct unit){ 1u << i,           1, i, priority, m->pods[i].start, false,
                                      m->pods[i].leaving };
        }
    }
    if (group.n)
        out[n++] = group;
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && importance(&out[k], &out[k - 1]) < 0; k--) {
            struct unit swap = out[k];
            out[k] = out[k - 1];
            out[k - 1] = swap;
        }
    return n;
}

/* With the pods of `gone` away: some assignment of all that wait. */
static bool has_room(const struct model *m, uint32_t gone)
{
    uint32_t ways = 1;
    for (uint32_t i = 0; i < m->waiting_count; i++)
        ways *= m->node_count;
    for (uint32_t way = 0; way < ways; way++) {
        int64_t room[NODES_MAX];
        for (uint32_t i = 0; i < m->node_count; i++)
            room[i] = m->capacity[i];
        for (uint32_t i = 0; i < m->pod_count; i++)
            room[m->pods[i].node] -= gone >> i & 1 ? 0 : m->pods[i].cpu;
        bool fits = true;
        for (uint32_t i = 0, rest = way; i < m->waiting_count; i++, rest /= m->node_count) {
            uint32_t node = rest % m->node_count;
            room[node] -= m->waiting[i];
            fits &= room[node] >= 0 && (m->only == NODES_MAX || m->only == node);
        }
        if (fits)
            return true;
    }
    return false;
}

static int64_t violations(const struct model *m, uint32_t gone)
{
    int64_t sum = 0;
    for (uint32_t app = 0; app < APPS; app++) {
        int64_t charged = 0;
        for (uint32_t i = 0; i < m->pod_count; i++)
            charged += (gone >> i & 1) && m->pods[i].app == app && !m->pods[i].leaving;
        sum += MST_MAX(charged - m->allowed[app], (int64_t)0);
    }
    return sum;
}

static uint32_t live_pods(const struct model *m, uint32_t mask)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->pod_count; i++)
        n += (mask >> i & 1) && !m->pods[i].leaving;
    return n;
}

/* Sets of units as masks of their places in the order of importance. <0: a is better. */
static int compare_importance(const struct unit *units, uint32_t n, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < n; i++)
        if (!units[i].leaves && (a >> i & 1) != (b >> i & 1))
            return a >> i & 1 ? 1 : -1;
    return 0;
}

static int compare_smallest(const struct model *m, const struct unit *units, uint32_t n, uint32_t a,
                            uint32_t b)
{
    int64_t pods = 0, groups = 0, count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i && units[i].priority != units[i - 1].priority && pods)
            break;
        pods += (int64_t)live_pods(m, units[i].mask) * ((int)(a >> i & 1) - (int)(b >> i & 1));
    }
    if (pods)
        return pods > 0 ? 1 : -1;
    for (uint32_t i = 0; i < n; i++) {
        int difference = units[i].leaves ? 0 : (int)(a >> i & 1) - (int)(b >> i & 1);
        groups += units[i].whole ? difference : 0;
        count += difference;
    }
    if (groups || count)
        return (groups ? groups : count) > 0 ? 1 : -1;
    int64_t starts[2][PODS_MAX];
    const uint32_t sets[] = { a, b };
    uint32_t sizes[2] = { 0, 0 };
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < n; i++) {
            if (!(sets[s] >> i & 1) || units[i].leaves)
                continue;
            uint32_t k = sizes[s]++;
            for (; k > 0 && starts[s][k - 1] > units[i].start; k--)
                starts[s][k] = starts[s][k - 1];
            starts[s][k] = units[i].start;
        }
    for (uint32_t i = 0; i < sizes[0]; i++)
        if (starts[0][i] != starts[1][i])
            return starts[0][i] > starts[1][i] ? -1 : 1;
    /* By the names of their first pods, ascending: the set that has the lowest of those that only
     * one of them has. */
    for (uint32_t pod = 0; pod < PODS_MAX; pod++)
        for (uint32_t i = 0; i < n; i++)
            if (units[i].first == pod && !units[i].leaves && (a >> i & 1) != (b >> i & 1))
                return a >> i & 1 ? -1 : 1;
    return 0;
}

static uint32_t pods_of(const struct unit *units, uint32_t n, uint32_t set)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < n; i++)
        mask |= set >> i & 1 ? units[i].mask : 0;
    return mask;
}

static int compare_sets(const struct model *m, const struct unit *units, uint32_t n, bool smallest,
                        uint32_t a, uint32_t b)
{
    int64_t u = violations(m, pods_of(units, n, a)), v = violations(m, pods_of(units, n, b));
    if (u != v)
        return u < v ? -1 : 1;
    return smallest ? compare_smallest(m, units, n, a, b) : compare_importance(units, n, a, b);
}

/* The best set of units; units that leave anyway are always in it. UINT32_MAX: none makes room. */
static uint32_t best_set(const struct model *m, const struct unit *units, uint32_t n, bool smallest)
{
    uint32_t best = UINT32_MAX, leaving = 0;
    for (uint32_t i = 0; i < n; i++)
        leaving |= (uint32_t)units[i].leaves << i;
    for (uint32_t set = 0; set < 1u << n; set++) {
        if ((set & leaving) != leaving || !has_room(m, pods_of(units, n, set)))
            continue;
        if (best == UINT32_MAX || compare_sets(m, units, n, smallest, set, best) < 0)
            best = set;
    }
    return best;
}

/* ---- muster ---- */

/* The pods that go, as a mask; UINT32_MAX: preemption does not help. */
static uint32_t ask(const struct model *m, bool upstream, const char *config, bool *ret_proven)
{
    struct eviction_world w;
    world_start(&w, upstream, config);
    for (uint32_t i = 0; i < m->node_count; i++)
        world_node(&w, node_names[i], m->capacity[i]);
    world_group(&w, "whole", m->group_priority, true, 1);
    for (uint32_t i = 0; i < APPS; i++)
        world_budget(&w, app_names[i], app_names[i], m->allowed[i]);
    uint32_t rows[PODS_MAX];
    for (uint32_t i = 0; i < m->pod_count; i++)
        rows[i] =
            world_pod(&w, &(struct world_pod){
                              .name = pod_names[i],
                              .node = node_names[m->pods[i].node],
                              .group = m->pods[i].whole ? "whole" : NULL,
                              .cpu = m->pods[i].cpu,
                              .priority = m->pods[i].priority,
                              .start = m->pods[i].start,
                              .leaving = m->pods[i].leaving,
                              .app = m->pods[i].app < APPS ? app_names[m->pods[i].app] : NULL });
    const char *group = m->gang ? "preemptor" : NULL;
    if (group)
        world_group(&w, group, 100, false, m->waiting_count);
    for (uint32_t i = 0; i < m->waiting_count; i++)
        (void)world_pod(&w, &(struct world_pod){ .name = waiting_names[i],
                                                 .group = group,
                                                 .cpu = m->waiting[i],
                                                 .priority = 100,
                                                 .only = m->only < NODES_MAX ? node_names[m->only]
                                                                             : NULL });
    w.need = m->waiting_count;
    struct mst_preemption out = world_preempt(&w, group);
    uint32_t mask = out.code == MST_SUCCESS ? 0 : UINT32_MAX;
    for (uint32_t i = 0; out.code == MST_SUCCESS && i < out.victims.n; i++)
        for (uint32_t k = 0; k < m->pod_count; k++)
            mask |= rows[k] == out.victims.pods[i] ? 1u << k : 0;
    *ret_proven = out.proven;
    world_stop(&w);
    return mask;
}

/* As a set of units, with all units that leave anyway. */
static uint32_t as_set(const struct unit *units, uint32_t n, uint32_t pods)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < n; i++)
        set |= (uint32_t)(units[i].leaves || (pods & units[i].mask) == units[i].mask) << i;
    return set;
}

static void compare_with_all(struct mst_test *t, bool smallest)
{
    uint32_t asked = 0, found = 0, upstream_worse = 0;
    for (uint64_t seed = 1; asked < WORLDS; seed++) {
        struct mst_rng rng;
        struct model m;
        mst_rng_init(&rng, seed);
        draw_model(&rng, &m);
        if (fits_now(&m))
            continue;
        asked++;
        struct unit units[PODS_MAX];
        uint32_t n = find_units(&m, units), best = best_set(&m, units, n, smallest);
        bool proven;
        char text[40];
        snprintf(text, sizeof(text), "seed %llu", (unsigned long long)seed);
        t_case(t, text);
        uint32_t got =
            ask(&m, false, smallest ? WORLD_CONFIG("victimPolicy: Smallest") : NULL, &proven);
        uint32_t theirs = ask(&m, true, NULL, &(bool){ false });
        if (best == UINT32_MAX || got == UINT32_MAX) {
            t_int(t, got, best == UINT32_MAX ? UINT32_MAX : 0);
            continue;
        }
        uint32_t set = as_set(units, n, got);
        found++;
        t_bool(t, proven, true);
        t_int(t, compare_sets(&m, units, n, smallest, set, best), 0);
        if (theirs == UINT32_MAX)
            continue;
        int c = compare_sets(&m, units, n, smallest, set, as_set(units, n, theirs));
        t_ok(t, c <= 0);
        upstream_worse += c < 0;
    }
    t_case(t, "the worlds are not all alike");
    t_ok(t, found > WORLDS / 2 && upstream_worse > WORLDS / 50);
}

static void test_importance(struct mst_test *t)
{
    compare_with_all(t, false);
}

static void test_smallest(struct mst_test *t)
{
    compare_with_all(t, true);
}

MST_TEST_MAIN(T(test_importance), T(test_smallest))

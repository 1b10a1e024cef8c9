/*
 * usage.c - what a pod takes from its node, stored once per distinct amount.
 *
 * Owns:       the usages; each is freed with its last reference.
 */
#include "cluster/cluster_internal.h"

enum { RESTARTABLE = 1 };

static void put(struct mst_buf *buf, const void *bytes, size_t n)
{
    mst_buf_add(buf, bytes, n);
}

/* Host ports of ordinary and restartable init containers, with upstream's defaults
 * (plugins.md 3.6). */
static void collect_ports(struct mst_cluster *cluster, const struct mst_container *containers,
                          uint32_t n, uint32_t flags, struct mst_port *out, uint32_t *count)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct mst_container *c = &containers[i];
        if ((flags & RESTARTABLE) &&
            !mst_str_is(mst_sym_str(cluster->syms, c->restart_policy), "Always"))
            continue;
        for (uint32_t k = 0; k < c->ports.n; k++) {
            const struct mst_container_port *p = &c->ports.v[k];
            if (p->host_port <= 0)
                continue;
            struct mst_port port = { p->protocol, p->host_ip, p->host_port };
            if (port.protocol <= MST_SYM_EMPTY)
                port.protocol = mst_sym_of_text(cluster->syms, "TCP");
            if (port.ip <= MST_SYM_EMPTY)
                port.ip = mst_sym_of_text(cluster->syms, "0.0.0.0");
            out[(*count)++] = port;
        }
    }
}

static uint32_t port_count(const struct mst_pod *pod)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < pod->spec.containers.n; i++)
        n += pod->spec.containers.v[i].ports.n;
    for (uint32_t i = 0; i < pod->spec.init_containers.n; i++)
        n += pod->spec.init_containers.v[i].ports.n;
    return n;
}

/* Amounts > 0 as columns, ascending. `out` has room for all. */
static uint32_t to_amounts(struct mst_cluster *cluster, const mst_requests *requests,
                           struct mst_amount *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < requests->n; i++) {
        uint32_t r = mst_nodes_resource(&cluster->nodes, requests->v[i].name);
        if (r == MST_RES_NONE || requests->v[i].amount <= 0)
            continue;
        uint32_t at = n++;
        for (; at > 0 && out[at - 1].resource > r; at--)
            out[at] = out[at - 1];
        out[at] = (struct mst_amount){ r, requests->v[i].amount };
    }
    return n;
}

uint32_t mst_amounts_of(struct mst_cluster *cluster, const struct mst_pod *pod,
                        uint32_t request_mode, struct mst_amount **out)
{
    mst_requests requests = { 0 };
    mst_pod_requests(cluster->syms, pod, request_mode, &cluster->scratch, &requests);
    *out = MST_NEW_N(&cluster->scratch, struct mst_amount, MST_MAX(1u, requests.n));
    return to_amounts(cluster, &requests, *out);
}

static struct mst_usage *make(const struct mst_amount *amounts, uint32_t amount_count,
                              const struct mst_port *ports, uint32_t ports_n)
{
    size_t bytes =
        sizeof(struct mst_usage) + amount_count * sizeof(*amounts) + ports_n * sizeof(*ports);
    struct mst_usage *usage = mst_calloc(1, bytes);
    usage->amounts.v = (struct mst_amount *)(usage + 1);
    usage->amounts.n = amount_count;
    usage->ports.v = (struct mst_port *)(usage->amounts.v + amount_count);
    usage->ports.n = ports_n;
    for (uint32_t i = 0; i < amount_count; i++)
        usage->amounts.v[i] = amounts[i];
    for (uint32_t i = 0; i < ports_n; i++)
        usage->ports.v[i] = ports[i];
    return usage;
}

static void usage_key(const struct mst_usage *usage, struct mst_buf *out)
{
    put(out, &usage->amounts.n, sizeof(usage->amounts.n));
    for (uint32_t i = 0; i < usage->amounts.n; i++) {
        put(out, &usage->amounts.v[i].resource, sizeof(uint32_t));
        put(out, &usage->amounts.v[i].amount, sizeof(int64_t));
    }
    put(out, &usage->nonzero_cpu, sizeof(int64_t));
    put(out, &usage->nonzero_memory, sizeof(int64_t));
    for (uint32_t i = 0; i < usage->ports.n; i++) {
        put(out, &usage->ports.v[i].protocol, sizeof(mst_sym));
        put(out, &usage->ports.v[i].ip, sizeof(mst_sym));
        put(out, &usage->ports.v[i].port, sizeof(int64_t));
    }
}

uint32_t mst_usage_of(struct mst_cluster *cluster, const struct mst_pod *pod, uint32_t request_mode)
{
    mst_arena_reset(&cluster->scratch);
    struct mst_amount *amounts;
    uint32_t amount_count = mst_amounts_of(cluster, pod, request_mode, &amounts);
    struct mst_port *ports =
        MST_NEW_N(&cluster->scratch, struct mst_port, MST_MAX(1u, port_count(pod)));
    uint32_t ports_n = 0;
    collect_ports(cluster, pod->spec.containers.v, pod->spec.containers.n, 0, ports, &ports_n);
    collect_ports(cluster, pod->spec.init_containers.v, pod->spec.init_containers.n, RESTARTABLE,
                  ports, &ports_n);
    struct mst_usage *usage = make(amounts, amount_count, ports, ports_n);
    mst_pod_nonzero(cluster->syms, pod, &usage->nonzero_cpu, &usage->nonzero_memory);

    MST_AUTO(mst_buf) key = { 0 };
    usage_key(usage, &key);
    uint64_t id;
    if (mst_map_get(&cluster->usage_ids, mst_buf_span(&key), &id)) {
        mst_free(usage);
        cluster->usages.v[id]->refs++;
        return (uint32_t)id;
    }
    usage->refs = 1;
    if (cluster->free_usages.n) {
        id = cluster->free_usages.v[--cluster->free_usages.n];
        cluster->usages.v[id] = usage;
    } else {
        id = cluster->usages.n;
        mst_vec_push(&cluster->usages, usage);
    }
    mst_map_set(&cluster->usage_ids, mst_buf_span(&key), id);
    return (uint32_t)id;
}

void mst_usage_unref(struct mst_cluster *cluster, uint32_t id)
{
    struct mst_usage *usage = cluster->usages.v[id];
    mst_assert(usage->refs > 0);
    if (--usage->refs)
        return;
    MST_AUTO(mst_buf) key = { 0 };
    usage_key(usage, &key);
    mst_map_delete(&cluster->usage_ids, mst_buf_span(&key));
    mst_free(usage);
    cluster->usages.v[id] = NULL;
    mst_vec_push(&cluster->free_usages, id);
}

void mst_usages_done(struct mst_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->usages.n; i++)
        mst_free(cluster->usages.v[i]);
    mst_vec_done(&cluster->usages);
    mst_vec_done(&cluster->free_usages);
    mst_map_done(&cluster->usage_ids);
}

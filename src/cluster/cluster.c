/*
 * cluster.c - rows of pods, and nodes coming and going under them.
 *
 * Owns:       the pod rows and their text.
 * Invariants: a pod with node_name is on that node's list when the node is known, else on the list
 * of pods of that unknown node; a row's references to class and usage are counted.
 */
#include "cluster/awaited.h"
#include "cluster/budgets.h"
#include "cluster/cluster_internal.h"
#include "cluster/preemptors.h"
#include "cluster/volumes.h"

void mst_cluster_init(struct mst_cluster *cluster, struct mst_syms *syms)
{
    *cluster = (struct mst_cluster){ .syms = syms };
    mst_nodes_init(&cluster->nodes, syms);
    mst_volumes_init(cluster);
}

static void free_text(struct mst_pod_row *p)
{
    mst_text_free(&p->name);
    mst_text_free(&p->uid);
    mst_text_free(&p->gates);
    mst_text_free(&p->controller_name);
    mst_cond_free(&p->scheduled);
    mst_cond_free(&p->disruption);
}

void mst_cluster_done(struct mst_cluster *cluster)
{
    mst_assert(cluster->txn_depth == 0);
    for (uint32_t i = 0; i < cluster->pods.n; i++)
        if (cluster->pods.v[i].live)
            free_text(&cluster->pods.v[i]);
    mst_vec_done(&cluster->pods);
    mst_vec_done(&cluster->free_pods);
    mst_map_done(&cluster->pod_ids);
    mst_vec_done(&cluster->unknown_head);
    mst_vec_done(&cluster->nominated_head);
    mst_groups_done(cluster);
    mst_classes_done(cluster);
    mst_usages_done(cluster);
    mst_pod_volumes_done(cluster);
    mst_volumes_done(cluster);
    mst_affinities_done(cluster);
    mst_namespaces_done(cluster);
    mst_label_keys_done(cluster);
    mst_selectors_done(cluster);
    mst_budgets_done(cluster);
    mst_preemptors_done(cluster);
    mst_awaited_done(cluster);
    mst_vec_done(&cluster->undo);
    mst_vec_done(&cluster->txn_marks);
    mst_arena_done(&cluster->scratch);
    mst_nodes_done(&cluster->nodes);
}

/* ---- nodes ---- */

/* The oldest pod of a list that begins with the newest. */
static uint32_t oldest_of(const struct mst_cluster *cluster, uint32_t pod)
{
    while (pod != MST_ROW_NONE && cluster->pods.v[pod].node_next != MST_ROW_NONE)
        pod = cluster->pods.v[pod].node_next;
    return pod;
}

/* Moves the pods that wait for this node onto it; their order stays. */
static void adopt_unknown(struct mst_cluster *cluster, mst_sym name, uint32_t row)
{
    uint32_t *head = mst_unknown_head(cluster, name);
    uint32_t pod = oldest_of(cluster, *head);
    *head = MST_ROW_NONE; /* the list is taken apart as a whole */
    while (pod != MST_ROW_NONE) {
        uint32_t newer = cluster->pods.v[pod].node_prev;
        cluster->pods.v[pod].node_next = cluster->pods.v[pod].node_prev = MST_ROW_NONE;
        mst_cluster_place(cluster, pod, row);
        pod = newer;
    }
}

uint32_t mst_cluster_node_set(struct mst_cluster *cluster, const struct mst_node *node)
{
    mst_assert(cluster->txn_depth == 0);
    struct mst_nodes *nodes = &cluster->nodes;
    mst_sym name = mst_sym_of(cluster->syms, node->meta.name);
    uint32_t row = mst_nodes_row(nodes, name);
    if (row != MST_ROW_NONE) {
        mst_nodes_update(nodes, row, node);
        return row;
    }
    row = mst_nodes_add(nodes, node);
    adopt_unknown(cluster, name, row);
    uint32_t nominated = *mst_nominated_head(cluster, name);
    for (; nominated != MST_ROW_NONE; nominated = cluster->pods.v[nominated].nominated_next)
        nodes->nominated_count[row]++;
    return row;
}

void mst_cluster_node_remove(struct mst_cluster *cluster, mst_sym name)
{
    mst_assert(cluster->txn_depth == 0);
    struct mst_nodes *nodes = &cluster->nodes;
    uint32_t row = mst_nodes_row(nodes, name);
    mst_assert(row != MST_ROW_NONE);
    MST_VEC(uint32_t) left = { 0 }; /* newest first */
    uint32_t pod;
    while ((pod = nodes->first_pod[row]) != MST_ROW_NONE) {
        mst_cluster_unplace(cluster, pod);
        mst_vec_push(&left, pod);
    }
    while (left.n)
        mst_list_push(cluster, MST_PODS_ON_NODE, mst_unknown_head(cluster, name), left.v[--left.n]);
    mst_vec_done(&left);
    uint32_t moved = mst_nodes_remove(nodes, row);
    if (moved == MST_ROW_NONE)
        return;
    for (pod = nodes->first_pod[row]; pod != MST_ROW_NONE; pod = cluster->pods.v[pod].node_next)
        cluster->pods.v[pod].node = row;
}

/* ---- pods ---- */

uint32_t mst_cluster_pod(const struct mst_cluster *cluster, mst_sym ns, struct mst_str name)
{
    uint64_t id;
    struct mst_str key = mst_key_of((struct mst_cluster *)cluster, ns, name);
    return mst_map_get(&cluster->pod_ids, key, &id) ? (uint32_t)id : MST_ROW_NONE;
}

static struct mst_str joined_gates(struct mst_cluster *cluster, const mst_strs *gates)
{
    if (!gates->n)
        return MST_STR_NONE;
    struct mst_str all = gates->v[0];
    for (uint32_t i = 1; i < gates->n; i++)
        all = mst_arena_printf(&cluster->scratch, "%.*s %.*s", MST_ARG(all), MST_ARG(gates->v[i]));
    return all;
}

/* Takes all that does not move the pod between nodes or groups. */
static void take_properties(struct mst_cluster *cluster, uint32_t row, const struct mst_pod *pod)
{
    struct mst_pod_row *p = &cluster->pods.v[row];
    if (p->deleting != pod->meta.deleted.set && p->node != MST_ROW_NONE)
        mst_nodes_touch(&cluster->nodes, p->node); /* spreading does not count those that go */
    const struct mst_time start = pod->status.start_time;
    if (p->node != MST_ROW_NONE &&
        (p->start_time.set != start.set || p->start_time.unix_s != start.unix_s))
        mst_nodes_restamp(&cluster->nodes, p->node); /* it decides between victims */
    p->deleting = pod->meta.deleted.set;
    p->never_preempts =
        mst_str_is(mst_sym_str(cluster->syms, pod->spec.preemption_policy), "Never");
    p->priority = pod->spec.priority.set ? (int32_t)pod->spec.priority.value : 0;
    p->scheduler_name = pod->spec.scheduler_name;
    p->generation = pod->meta.generation;
    p->created = pod->meta.created;
    p->start_time = pod->status.start_time;
    p->status_nominated = pod->status.nominated_node_name;
    mst_text_set(&p->gates, joined_gates(cluster, &pod->spec.scheduling_gates));
    mst_cond_set(&p->scheduled, &pod->status.conditions, "PodScheduled");
    mst_cond_set(&p->disruption, &pod->status.conditions, "DisruptionTarget");
}

static void occupy(struct mst_cluster *cluster, uint32_t row, mst_sym node_name)
{
    struct mst_pod_row *p = &cluster->pods.v[row];
    p->node_name = node_name;
    uint32_t node = mst_nodes_row(&cluster->nodes, node_name);
    if (node == MST_ROW_NONE)
        mst_list_push(cluster, MST_PODS_ON_NODE, mst_unknown_head(cluster, node_name), row);
    else
        mst_cluster_place(cluster, row, node);
}

static void vacate(struct mst_cluster *cluster, uint32_t row)
{
    struct mst_pod_row *p = &cluster->pods.v[row];
    if (p->node != MST_ROW_NONE)
        mst_cluster_unplace(cluster, row);
    else if (p->node_name != MST_SYM_NONE)
        mst_list_remove(cluster, MST_PODS_ON_NODE, mst_unknown_head(cluster, p->node_name), row,
                        NULL);
    p->node_name = MST_SYM_NONE;
}

static uint32_t new_row(struct mst_cluster *cluster, const struct mst_pod *pod)
{
    struct mst_pod_row fresh = {
        .live = true,
        .ns = pod->meta.namespace_,
        .name = mst_text_copy(pod->meta.name),
        .uid = mst_text_copy(pod->meta.uid),
        .class_id = UINT32_MAX,
        .usage = UINT32_MAX,
        .labels = UINT32_MAX,
        .node = MST_ROW_NONE,
        .node_next = MST_ROW_NONE,
        .node_prev = MST_ROW_NONE,
        .group = MST_ROW_NONE,
        .group_next = MST_ROW_NONE,
        .group_prev = MST_ROW_NONE,
        .nominated_next = MST_ROW_NONE,
        .nominated_prev = MST_ROW_NONE,
    };
    uint32_t row;
    if (cluster->free_pods.n) {
        row = cluster->free_pods.v[--cluster->free_pods.n];
        cluster->pods.v[row] = fresh;
    } else {
        row = cluster->pods.n;
        mst_vec_push(&cluster->pods, fresh);
    }
    struct mst_str key = mst_key_of(cluster, pod->meta.namespace_, pod->meta.name);
    bool is_new = mst_map_set(&cluster->pod_ids, key, row);
    mst_assert(is_new);
    return row;
}

/* A pod without resize status uses what its spec asks for: the class's usage is the answer. */
static bool plain_status(const struct mst_pod *pod)
{
    return !pod->status.container_statuses.n && !pod->status.init_container_statuses.n &&
           !pod->status.allocated_set && !pod->status.resources_set;
}

/*
 * Labels, controller, what the pod says about others. Counters of topology domains see the pods of
 * a row again when it is touched.
 */
static void take_ties(struct mst_cluster *cluster, uint32_t row, const struct mst_pod *pod)
{
    struct mst_pod_row *p = &cluster->pods.v[row];
    uint32_t old_labels = p->labels, old_affinity = p->affinity, node = p->node;
    p->labels = mst_labels_of(cluster, pod);
    uint32_t affinity = mst_affinity_of(cluster, pod);
    struct mst_str controller_name;
    p->controller = mst_controller_of(pod, &controller_name);
    mst_text_set(&p->controller_name, controller_name);
    if (affinity != old_affinity && node != MST_ROW_NONE)
        mst_cluster_unplace(cluster, row);
    p->affinity = affinity;
    if (affinity != old_affinity && node != MST_ROW_NONE)
        mst_cluster_place(cluster, row, node);
    if (p->labels != old_labels && node != MST_ROW_NONE)
        mst_nodes_touch(&cluster->nodes, node);
    if (old_labels != UINT32_MAX)
        mst_labels_unref(cluster, old_labels);
    mst_affinity_unref(cluster, old_affinity);
    mst_keys_of_pod(cluster, pod);
}

static void take_volumes(struct mst_cluster *cluster, uint32_t row, const struct mst_pod *pod)
{
    struct mst_pod_row *p = &cluster->pods.v[row];
    uint32_t old = p->volumes, volumes = mst_volumes_of(cluster, pod), node = p->node;
    if (volumes != old && node != MST_ROW_NONE)
        mst_cluster_unplace(cluster, row);
    p->volumes = volumes;
    if (volumes != old && node != MST_ROW_NONE)
        mst_cluster_place(cluster, row, node);
    mst_volumes_unref(cluster, old);
}

static void take_class(struct mst_cluster *cluster, uint32_t row, const struct mst_pod *pod)
{
    struct mst_pod_row *p = &cluster->pods.v[row];
    uint32_t old_class = p->class_id, old_usage = p->usage;
    bool wants_class = !p->assigned && p->known_profile;
    uint32_t class_id = wants_class ? mst_class_of(cluster, pod, p->profile) : UINT32_MAX;
    uint32_t usage;
    if (wants_class && plain_status(pod)) {
        usage = cluster->classes.v[class_id]->usage;
        cluster->usages.v[usage]->refs++;
    } else {
        usage = mst_usage_of(cluster, pod, MST_REQUEST_STATUS | MST_REQUEST_POD_LEVEL);
    }
    p = &cluster->pods.v[row];
    p->class_id = class_id;
    if (old_class != UINT32_MAX)
        mst_class_unref(cluster, old_class);
    uint32_t node = p->node;
    if (usage != old_usage && node != MST_ROW_NONE)
        mst_cluster_unplace(cluster, row);
    p->usage = usage;
    if (usage != old_usage && node != MST_ROW_NONE)
        mst_cluster_place(cluster, row, node);
    if (old_usage != UINT32_MAX)
        mst_usage_unref(cluster, old_usage);
}

uint32_t mst_cluster_pod_add(struct mst_cluster *cluster, const struct mst_pod *pod,
                             uint32_t profile)
{
    mst_assert(cluster->txn_depth == 0);
    mst_arena_reset(&cluster->scratch);
    uint32_t row = new_row(cluster, pod);
    struct mst_pod_row *p = &cluster->pods.v[row];
    p->assigned = pod->spec.node_name != MST_SYM_NONE;
    p->known_profile = profile != UINT32_MAX;
    p->profile = profile;
    take_properties(cluster, row, pod);
    take_ties(cluster, row, pod);
    take_volumes(cluster, row, pod);
    take_class(cluster, row, pod);
    if (pod->spec.node_name != MST_SYM_NONE)
        occupy(cluster, row, pod->spec.node_name);
    else if (pod->status.nominated_node_name != MST_SYM_NONE)
        mst_cluster_nominate(cluster, row, pod->status.nominated_node_name);
    if (cluster->groups_enabled && pod->spec.group_set && pod->spec.group_name.n) {
        uint32_t group = mst_group_row_of(cluster, pod->meta.namespace_, pod->spec.group_name);
        mst_group_join(cluster, group, row);
    }
    return row;
}

/* The API says which node: confirm what was assumed, or believe it. */
static void become_assigned(struct mst_cluster *cluster, uint32_t row, mst_sym node_name)
{
    struct mst_pod_row *p = &cluster->pods.v[row];
    bool counted = p->assigned || p->assumed;
    if (p->nominated != MST_SYM_NONE)
        mst_cluster_nominate(cluster, row, MST_SYM_NONE);
    if (p->node_name != node_name) {
        vacate(cluster, row);
        occupy(cluster, row, node_name);
    }
    p->assigned = true;
    p->assumed = false;
    if (!counted && p->group != MST_ROW_NONE)
        cluster->groups.v[p->group].scheduled_count++;
}

/*
 * kube-scheduler's cache takes an updated pod off its node and adds it again: it is the newest
 * then. Nothing else about the node changes.
 */
static void become_newest(struct mst_cluster *cluster, uint32_t row)
{
    const struct mst_pod_row *p = &cluster->pods.v[row];
    if (p->node == MST_ROW_NONE && p->node_name == MST_SYM_NONE)
        return;
    uint32_t *head = p->node != MST_ROW_NONE ? &cluster->nodes.first_pod[p->node]
                                             : mst_unknown_head(cluster, p->node_name);
    if (*head == row)
        return;
    mst_list_remove(cluster, MST_PODS_ON_NODE, head, row, NULL);
    mst_list_push(cluster, MST_PODS_ON_NODE, head, row);
}

void mst_cluster_pod_update(struct mst_cluster *cluster, uint32_t row, const struct mst_pod *pod)
{
    mst_assert(cluster->txn_depth == 0);
    mst_arena_reset(&cluster->scratch);
    struct mst_pod_row *p = &cluster->pods.v[row];
    mst_sym old_nominated = p->status_nominated;
    if (pod->spec.node_name != MST_SYM_NONE &&
        (!p->assigned || p->node_name != pod->spec.node_name))
        become_assigned(cluster, row, pod->spec.node_name);
    take_properties(cluster, row, pod);
    take_ties(cluster, row, pod);
    take_volumes(cluster, row, pod);
    take_class(cluster, row, pod);
    become_newest(cluster, row);
    mst_cluster_nominee_changed(cluster, row);
    /* Both empty: a nomination made in memory whose patch is on its way survives. */
    if (!p->assigned && !p->assumed &&
        (old_nominated != MST_SYM_NONE || p->status_nominated != MST_SYM_NONE))
        mst_cluster_nominate(cluster, row, p->status_nominated);
}

void mst_cluster_pod_condition(struct mst_cluster *cluster, uint32_t row,
                               const struct mst_cond *condition)
{
    mst_cond_copy(&cluster->pods.v[row].scheduled, condition);
}

void mst_cluster_pod_disruption(struct mst_cluster *cluster, uint32_t row,
                                const struct mst_cond *condition)
{
    mst_cond_copy(&cluster->pods.v[row].disruption, condition);
}

bool mst_pod_preempted(const struct mst_pod_row *pod)
{
    return pod->deleting && mst_str_is(pod->disruption.status, "True") &&
           mst_str_is(pod->disruption.reason, "PreemptionByScheduler");
}

void mst_cluster_pod_retire(struct mst_cluster *cluster, uint32_t row)
{
    mst_assert(cluster->txn_depth == 0);
    struct mst_pod_row *p = &cluster->pods.v[row];
    mst_assert(p->live);
    if (p->nominated != MST_SYM_NONE)
        mst_cluster_nominate(cluster, row, MST_SYM_NONE);
    vacate(cluster, row);
    mst_group_leave(cluster, row);
}

void mst_cluster_pod_remove(struct mst_cluster *cluster, uint32_t row)
{
    mst_arena_reset(&cluster->scratch);
    mst_cluster_pod_retire(cluster, row);
    struct mst_pod_row *p = &cluster->pods.v[row];
    if (p->class_id != UINT32_MAX)
        mst_class_unref(cluster, p->class_id);
    mst_usage_unref(cluster, p->usage);
    mst_labels_unref(cluster, p->labels);
    mst_affinity_unref(cluster, p->affinity);
    mst_volumes_unref(cluster, p->volumes);
    mst_map_delete(&cluster->pod_ids, mst_key_of(cluster, p->ns, p->name));
    free_text(p);
    *p = (struct mst_pod_row){ 0 };
    mst_vec_push(&cluster->free_pods, row);
}

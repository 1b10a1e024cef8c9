/*
 * inter_pod_affinity_hint.c - which events may help a pod that InterPodAffinity rejected.
 *
 * Differs: profile upstream neither expands namespace selectors nor looks up the labels of
 * namespaces here (it takes an empty label set); profile muster uses the labels, and wakes the pod
 * where a selector meets a namespace that is not known.
 * Source: spec/plugins.md 4.12 "Hints"; kubernetes v1.37
 *         pkg/scheduler/framework/plugins/interpodaffinity/plugin.go
 */
#include "plugins/inter_pod_affinity_internal.h"

typedef enum { NO, YES, UNKNOWN } answer;

static bool lists(const mst_sym_list *list, mst_sym sym)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] == sym)
            return true;
    return false;
}

/* Does the term of a pod in `owner_ns` mean a pod with these labels? */
static answer means(const struct mst_view *view, const struct mst_pod_affinity_term *term,
                    mst_sym owner_ns, uint32_t labels)
{
    const struct mst_pod_labels *other = mst_cluster_labels(view->cluster, labels);
    const struct mst_label_selector *by_labels = &term->namespace_selector;
    const bool own_only = term->namespaces.n == 0 && !by_labels->set;
    if (!mst_selector_means(view->cluster, &term->label_selector, labels))
        return NO;
    if (own_only ? other->ns == owner_ns : lists(&term->namespaces, other->ns))
        return YES;
    if (!by_labels->set)
        return NO;
    bool bad;
    if (view->upstream)
        return mst_label_selector_matches(by_labels, (mst_labels){ 0 }, &bad);
    if (!mst_cluster_namespace_known(view->cluster, other->ns))
        return UNKNOWN;
    return mst_label_selector_matches(by_labels,
                                      mst_cluster_namespace_labels(view->cluster, other->ns), &bad);
}

/* All of a class's required affinity terms; NO without any. */
static answer matches_all(const struct mst_view *view, const struct mst_affinity *own,
                          uint32_t labels)
{
    answer all = own->affinity.required.n ? YES : NO;
    for (uint32_t i = 0; i < own->affinity.required.n; i++) {
        const answer one = means(view, &own->affinity.required.v[i], own->ns, labels);
        if (one == NO)
            return NO;
        if (one == UNKNOWN)
            all = UNKNOWN;
    }
    return all;
}

/* Any required anti-affinity term of `owner`. */
static answer matches_any_anti(const struct mst_view *view, const struct mst_affinity *owner,
                               uint32_t labels)
{
    answer any = NO;
    for (uint32_t i = 0; i < owner->anti.required.n; i++) {
        const answer one = means(view, &owner->anti.required.v[i], owner->ns, labels);
        if (one == YES)
            return YES;
        if (one == UNKNOWN)
            any = UNKNOWN;
    }
    return any;
}

static bool update_helps(const struct mst_view *view, const struct mst_affinity *own,
                         const struct mst_cluster_event *event)
{
    if (matches_all(view, own, event->old_labels) != YES &&
        matches_all(view, own, event->new_labels) != NO)
        return true;
    return matches_any_anti(view, own, event->old_labels) != NO &&
           matches_any_anti(view, own, event->new_labels) != YES;
}

static mst_hint pod_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                            const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    const struct mst_affinity *own = mst_cluster_affinity(view->cluster, klass->affinity);
    const struct mst_pod_row *other = &view->cluster->pods.v[event->pod];
    bool helps = false;
    if (event->actions & MST_ACT_UPDATE_POD_LABEL)
        helps = own && update_helps(view, own, event);
    else if (event->actions & MST_ACT_ADD)
        helps = own && matches_all(view, own, other->labels) != NO;
    else if (own && matches_any_anti(view, own, other->labels) != NO)
        helps = true;
    else if (other->affinity && klass->labels != UINT32_MAX)
        helps = matches_any_anti(view, mst_cluster_affinity(view->cluster, other->affinity),
                                 klass->labels) != NO;
    return helps ? MST_HINT_QUEUE : MST_HINT_SKIP;
}

static mst_sym label_of(const struct mst_node_facts *node, mst_sym key)
{
    return mst_labels_get((mst_labels){ (struct mst_label *)node->labels.v, node->labels.n }, key);
}

static mst_hint node_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                             const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    const struct mst_affinity *own = mst_cluster_affinity(view->cluster, klass->affinity);
    const struct mst_node_facts *from = event->old_node, *to = event->new_node;
    mst_assert(to);
    for (uint32_t i = 0; own && i < own->affinity.required.n; i++) {
        const mst_sym key = own->affinity.required.v[i].topology_key;
        const mst_sym now = label_of(to, key);
        if (now != MST_SYM_NONE && (!from || label_of(from, key) != now))
            return MST_HINT_QUEUE; /* gains the label or moves to another domain */
    }
    for (uint32_t i = 0; own && i < own->anti.required.n; i++) {
        const mst_sym key = own->anti.required.v[i].topology_key;
        const mst_sym before = from ? label_of(from, key) : MST_SYM_NONE;
        if (!from || (before != MST_SYM_NONE && before != label_of(to, key)))
            return MST_HINT_QUEUE; /* loses the label or moves to another domain */
    }
    return MST_HINT_SKIP;
}

const struct mst_event_registration mst_ipa_events[MST_IPA_EVENT_COUNT] = {
    { MST_ON_ASSIGNED_POD, MST_ACT_ADD | MST_ACT_UPDATE_POD_LABEL | MST_ACT_DELETE, pod_changed },
    { MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_LABEL, NULL },
    { MST_ON_NODE, MST_ACT_ADD | MST_ACT_UPDATE_NODE_LABEL, node_changed },
};

/*
 * admit.c - what the API server's admission plugins and creation strategies do to a new object.
 *
 * Source: spec/api.md 4.1, 4.2, 5.2, 5.3; kubernetes v1.37 plugin/pkg/admission/priority and the
 *         strategies of pkg/registry.
 */
#include "api/api_internal.h"

#define GROUP_FINALIZER "scheduling.k8s.io/podgroup-protection"
#define COMPOSITE_FINALIZER "scheduling.k8s.io/compositepodgroup-protection"

static bool refuse(struct mst_api *api, const struct mst_object *object, struct mst_str text)
{
    mst_api_name_object(api, object);
    mst_diag_add(api->diags, MST_DIAG_ERROR, object->source, "%.*s", MST_ARG(text));
    return false;
}

/* ---- priority ---- */

/* The fields of a pod or group that the Priority plugin reads and writes. */
struct priority_fields {
    struct mst_str *class_name;
    struct mst_opt_int *priority;
    mst_sym *preemption_policy;
    bool policy_too; /* false: the gate for the policy of groups is off */
};

static bool find_class(struct mst_api *api, struct mst_str name, mst_class_lookup *lookup,
                       void *ctx, struct mst_class_ref *out)
{
    static const struct {
        const char *name;
        int64_t value;
    } system_classes[] = {
        { "system-cluster-critical", 2000000000 },
        { "system-node-critical", 2000001000 },
    };
    if (lookup && lookup(ctx, name, out))
        return true;
    for (size_t i = 0; i < MST_COUNT(system_classes); i++) {
        if (!mst_str_is(name, system_classes[i].name))
            continue;
        *out =
            (struct mst_class_ref){ system_classes[i].value,
                                    mst_sym_of(api->syms, MST_STR("PreemptLowerPriority")), name };
        return true;
    }
    return false;
}

static struct mst_str priority_text(struct mst_api *api, mst_kind kind, int64_t given, int64_t want)
{
    if (kind == MST_KIND_POD)
        return mst_arena_printf(api->arena,
                                "the integer value of priority (%lld) must not be provided in pod "
                                "spec; priority admission controller computed %lld from the given "
                                "PriorityClass name",
                                (long long)given, (long long)want);
    return mst_arena_printf(
        api->arena,
        "priority set in the %spod group (%lld) must match the priority computed "
        "(%lld) based on the priority class set in the spec",
        kind == MST_KIND_COMPOSITE_POD_GROUP ? "composite " : "", (long long)given,
        (long long)want);
}

static struct mst_str policy_text(struct mst_api *api, mst_kind kind, mst_sym given, mst_sym want)
{
    const char *what = kind == MST_KIND_POD         ? "pod"
                       : kind == MST_KIND_POD_GROUP ? "pod group"
                                                    : "composite pod group";
    return mst_arena_printf(
        api->arena,
        "the string value of PreemptionPolicy (%.*s) must not be provided in %s "
        "spec; priority admission controller computed %.*s from the given "
        "PriorityClass name",
        MST_ARG(mst_sym_str(api->syms, given)), what, MST_ARG(mst_sym_str(api->syms, want)));
}

static bool admit_priority(struct mst_api *api, const struct mst_object *object,
                           const struct priority_fields *f, mst_class_lookup *lookup, void *ctx)
{
    struct mst_class_ref class = { 0 };
    if (!find_class(api, f->class_name->n ? *f->class_name : MST_STR(""), lookup, ctx, &class)) {
        if (f->class_name->n)
            return refuse(api, object,
                          mst_arena_printf(api->arena, "no PriorityClass with name %.*s was found",
                                           MST_ARG(*f->class_name)));
        class.preemption_policy = mst_sym_of(api->syms, MST_STR("PreemptLowerPriority"));
    }
    if (f->priority->set && f->priority->value != class.value)
        return refuse(api, object,
                      priority_text(api, object->kind, f->priority->value, class.value));
    bool check_policy = f->policy_too && class.preemption_policy != MST_SYM_NONE;
    if (check_policy && *f->preemption_policy != MST_SYM_NONE &&
        *f->preemption_policy != class.preemption_policy)
        return refuse(api, object,
                      policy_text(api, object->kind, *f->preemption_policy,
                                  class.preemption_policy));
    *f->priority = (struct mst_opt_int){ class.value, true };
    if (f->class_name->n == 0 && class.name.n)
        *f->class_name = class.name;
    if (check_policy)
        *f->preemption_policy = class.preemption_policy;
    return true;
}

/* ---- pods ---- */

static void add_gated_condition(struct mst_api *api, struct mst_pod *pod)
{
    mst_conditions *list = &pod->status.conditions;
    for (uint32_t i = 0; i < list->n; i++)
        if (mst_str_is(list->v[i].type, "PodScheduled"))
            return;
    struct mst_condition *v = MST_NEW_N(api->arena, struct mst_condition, list->n + 1);
    if (list->n)
        memcpy(v, list->v, list->n * sizeof(*v));
    v[list->n] = (struct mst_condition){
        .type = MST_STR("PodScheduled"),
        .status = MST_STR("False"),
        .reason = MST_STR("SchedulingGated"),
        .message = MST_STR("Scheduling is blocked due to non-empty scheduling gates"),
    };
    list->v = v;
    list->n++;
}

/* matchLabelKeys become requirements with the pod's own values; keys the pod lacks are skipped. */
static void merge_keys(struct mst_api *api, mst_labels labels, const mst_sym_list *keys,
                       mst_selector_op op, struct mst_label_selector *selector)
{
    if (!selector->set || keys->n == 0)
        return;
    mst_requirements *list = &selector->match_expressions;
    struct mst_requirement *v = MST_NEW_N(api->arena, struct mst_requirement, list->n + keys->n);
    uint32_t n = list->n;
    if (n)
        memcpy(v, list->v, n * sizeof(*v));
    for (uint32_t i = 0; i < keys->n; i++) {
        mst_sym value = mst_labels_get(labels, keys->v[i]);
        if (value == MST_SYM_NONE)
            continue;
        mst_sym *values = MST_NEW(api->arena, mst_sym);
        *values = value;
        v[n++] = (struct mst_requirement){
            .key = keys->v[i],
            .op = op,
            .op_text = op == MST_OP_IN ? MST_STR("In") : MST_STR("NotIn"),
            .values = { values, 1 },
        };
    }
    list->v = v;
    list->n = n;
}

static void merge_term(struct mst_api *api, mst_labels labels, struct mst_pod_affinity_term *term)
{
    merge_keys(api, labels, &term->match_label_keys, MST_OP_IN, &term->label_selector);
    merge_keys(api, labels, &term->mismatch_label_keys, MST_OP_NOT_IN, &term->label_selector);
}

static void merge_label_keys(struct mst_api *api, struct mst_pod *pod)
{
    struct mst_pod_affinity *const affinities[] = { &pod->spec.pod_affinity,
                                                    &pod->spec.pod_anti_affinity };
    for (size_t k = 0; k < MST_COUNT(affinities); k++) {
        for (uint32_t i = 0; i < affinities[k]->preferred.n; i++)
            merge_term(api, pod->meta.labels, &affinities[k]->preferred.v[i].term);
        for (uint32_t i = 0; i < affinities[k]->required.n; i++)
            merge_term(api, pod->meta.labels, &affinities[k]->required.v[i]);
    }
    for (uint32_t i = 0; i < pod->spec.spread.n; i++)
        merge_keys(api, pod->meta.labels, &pod->spec.spread.v[i].match_label_keys, MST_OP_IN,
                   &pod->spec.spread.v[i].label_selector);
}

/* volumeMounts[].bindMountOptions: the server's gate VolumeBindMountOptions is alpha and off. */
static void drop_bind_mount_options(struct mst_pod_spec *spec)
{
    for (uint32_t i = 0; i < spec->containers.n; i++)
        spec->containers.v[i].bind_mount_options = false;
    for (uint32_t i = 0; i < spec->init_containers.n; i++)
        spec->init_containers.v[i].bind_mount_options = false;
    spec->ephemeral_bind_mount_options = false;
}

static bool admit_pod(struct mst_api *api, struct mst_object *object, mst_class_lookup *lookup,
                      void *ctx)
{
    struct mst_pod *pod = &object->u.pod;
    struct priority_fields fields = { &pod->spec.priority_class_name, &pod->spec.priority,
                                      &pod->spec.preemption_policy, true };
    if (!admit_priority(api, object, &fields, lookup, ctx))
        return false;
    if (pod->meta.generation == 0)
        pod->meta.generation = 1;
    if (pod->status.phase == MST_SYM_NONE)
        pod->status.phase = mst_sym_of(api->syms, MST_STR("Pending"));
    if (pod->spec.scheduling_gates.n > 0)
        add_gated_condition(api, pod);
    merge_label_keys(api, pod);
    drop_bind_mount_options(&pod->spec);
    return true;
}

/* ---- groups ---- */

static void add_finalizer(struct mst_api *api, struct mst_meta *meta, struct mst_str finalizer)
{
    for (uint32_t i = 0; i < meta->finalizers.n; i++)
        if (mst_str_eq(meta->finalizers.v[i], finalizer))
            return;
    struct mst_str *v = MST_NEW_N(api->arena, struct mst_str, meta->finalizers.n + 1);
    if (meta->finalizers.n)
        memcpy(v, meta->finalizers.v, meta->finalizers.n * sizeof(*v));
    v[meta->finalizers.n] = finalizer;
    meta->finalizers.v = v;
    meta->finalizers.n++;
}

/* Fields whose gate is off vanish without a word; a composite's constraints have no gate. */
static void drop_gated(const struct mst_api *api, struct mst_group_spec *spec, bool composite)
{
    if (!api->topology && !composite) {
        spec->constraints_set = false;
        spec->topology_keys = (mst_sym_list){ NULL, 0 };
    }
    if (!api->claims) {
        spec->claims.v = NULL;
        spec->claims.n = 0;
    }
    if (!api->preemption_policy)
        spec->preemption_policy = MST_SYM_NONE;
    if (!api->composite && !composite)
        spec->parent = MST_STR_NONE;
}

static bool admit_group(struct mst_api *api, struct mst_object *object, mst_class_lookup *lookup,
                        void *ctx)
{
    struct mst_pod_group *group = &object->u.group;
    struct mst_group_spec *spec = &group->spec;
    struct priority_fields fields = { &spec->priority_class_name, &spec->priority,
                                      &spec->preemption_policy, api->preemption_policy };
    if (!admit_priority(api, object, &fields, lookup, ctx))
        return false;
    if (api->preemption_policy && spec->preemption_policy == MST_SYM_NONE)
        spec->preemption_policy = mst_sym_of(api->syms, MST_STR("PreemptLowerPriority"));
    if (!group->composite)
        add_finalizer(api, &group->meta, MST_STR(GROUP_FINALIZER));
    else if (!api->upstream)
        add_finalizer(api, &group->meta, MST_STR(COMPOSITE_FINALIZER));
    drop_gated(api, spec, group->composite);
    return true;
}

static void admit_workload(const struct mst_api *api, struct mst_workload *workload)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < workload->templates.n; i++) {
        struct mst_group_template *template = &workload->templates.v[i];
        drop_gated(api, &template->spec, template->composite);
        /* Without composites only the leaf templates at the top remain; they come first. */
        if (api->composite || (!template->composite && template->parent == UINT32_MAX))
            workload->templates.v[n++] = *template;
    }
    workload->templates.n = n;
}

/* ---- namespaces ---- */

static void label_namespace(struct mst_api *api, struct mst_meta *meta)
{
    mst_sym key = mst_sym_of(api->syms, MST_STR("kubernetes.io/metadata.name"));
    if (meta->name.n == 0)
        return;
    mst_sym value = mst_sym_of(api->syms, meta->name);
    for (uint32_t i = 0; i < meta->labels.n; i++) {
        if (meta->labels.v[i].key == key) {
            meta->labels.v[i].value = value;
            return;
        }
    }
    struct mst_label *v = MST_NEW_N(api->arena, struct mst_label, meta->labels.n + 1);
    if (meta->labels.n)
        memcpy(v, meta->labels.v, meta->labels.n * sizeof(*v));
    v[meta->labels.n] = (struct mst_label){ key, value };
    meta->labels.v = v;
    meta->labels.n++;
}

static bool admit_class(struct mst_api *api, const struct mst_object *object,
                        mst_class_lookup *lookup, void *ctx)
{
    struct mst_class_ref other;
    if (!object->u.priority_class.global_default || !lookup || !lookup(ctx, MST_STR(""), &other) ||
        mst_str_eq(other.name, object->u.meta.name))
        return true;
    return refuse(api, object,
                  mst_arena_printf(api->arena,
                                   "PriorityClass %.*s is already marked as default. "
                                   "Only one default can exist",
                                   MST_ARG(other.name)));
}

bool mst_api_admit(struct mst_api *api, struct mst_object *object, mst_class_lookup *lookup,
                   void *ctx)
{
    if (mst_kind_namespaced(object->kind) && object->u.meta.namespace_ == MST_SYM_NONE)
        object->u.meta.namespace_ = mst_sym_of(api->syms, MST_STR("default"));
    switch (object->kind) {
    case MST_KIND_POD: return admit_pod(api, object, lookup, ctx);
    case MST_KIND_POD_GROUP:
    case MST_KIND_COMPOSITE_POD_GROUP: return admit_group(api, object, lookup, ctx);
    case MST_KIND_WORKLOAD: admit_workload(api, &object->u.workload); break;
    case MST_KIND_NAMESPACE: label_namespace(api, &object->u.meta); break;
    case MST_KIND_PRIORITY_CLASS: return admit_class(api, object, lookup, ctx);
    case MST_KIND_NODE:
    case MST_KIND_PDB:
    case MST_KIND_SERVICE:
    case MST_KIND_REPLICATION_CONTROLLER:
    case MST_KIND_REPLICA_SET:
    case MST_KIND_STATEFUL_SET:
    case MST_KIND_PV:
    case MST_KIND_PVC:
    case MST_KIND_STORAGE_CLASS:
    case MST_KIND_CSI_NODE:
    case MST_KIND_CSI_DRIVER:
    case MST_KIND_CSI_STORAGE_CAPACITY:
    case MST_KIND_VOLUME_ATTACHMENT:
    case MST_KIND_UNKNOWN:
    case MST_KIND_COUNT: break;
    }
    return true;
}

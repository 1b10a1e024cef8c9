/*
 * show.c - an object as the API server would show it: the manifest, what was filled in, the status.
 */
#include "sim/show.h"

#include "base/time_text.h"
#include "sim/clock.h"

struct showing {
    struct mst_syms *syms;
    struct mst_arena *arena;
};

static struct mst_doc *make(const struct showing *s, struct mst_doc *object, const char *key,
                            mst_value_type type)
{
    return mst_doc_make(s->arena, object, mst_str_of(key), type);
}

static void set_str(const struct showing *s, struct mst_doc *object, const char *key,
                    struct mst_str text)
{
    if (text.n)
        mst_doc_set_str(s->arena, object, key, text);
}

static void set_sym(const struct showing *s, struct mst_doc *object, const char *key, mst_sym sym)
{
    if (sym != MST_SYM_NONE)
        set_str(s, object, key, mst_sym_str(s->syms, sym));
}

static void set_time(const struct showing *s, struct mst_doc *object, const char *key,
                     struct mst_time time)
{
    if (!time.set)
        return;
    MST_AUTO(mst_buf) text = { 0 };
    mst_time_print(time.unix_s, time.nanos, &text);
    mst_doc_set_str(s->arena, object, key, mst_arena_str(s->arena, mst_buf_span(&text)));
}

static void show_labels(const struct showing *s, struct mst_doc *meta_doc, mst_labels labels)
{
    if (!labels.n)
        return;
    struct mst_doc *map = make(s, meta_doc, "labels", MST_OBJECT);
    for (uint32_t i = 0; i < labels.n; i++)
        mst_doc_make(s->arena, map, mst_sym_str(s->syms, labels.v[i].key), MST_STRING)->text =
            mst_sym_str(s->syms, labels.v[i].value);
}

static void show_annotations(const struct showing *s, struct mst_doc *meta_doc,
                             const struct mst_meta *meta)
{
    if (!meta->annotations.n)
        return;
    struct mst_doc *map = make(s, meta_doc, "annotations", MST_OBJECT);
    for (uint32_t i = 0; i < meta->annotations.n; i++)
        mst_doc_make(s->arena, map, meta->annotations.v[i].key, MST_STRING)->text =
            meta->annotations.v[i].value;
}

static void show_meta(const struct showing *s, struct mst_doc *doc, const struct mst_meta *meta)
{
    struct mst_doc *m = make(s, doc, "metadata", MST_OBJECT);
    set_str(s, m, "name", meta->name);
    set_sym(s, m, "namespace", meta->namespace_);
    if (meta->namespace_ == MST_SYM_NONE)
        mst_doc_remove(m, "namespace"); /* given, but without meaning for this kind */
    set_str(s, m, "uid", meta->uid);
    set_str(s, m, "resourceVersion", meta->resource_version);
    if (meta->generation)
        mst_doc_set_int(s->arena, m, "generation", meta->generation);
    set_time(s, m, "creationTimestamp", meta->created);
    set_time(s, m, "deletionTimestamp", meta->deleted);
    if (meta->deletion_grace_s.set)
        mst_doc_set_int(s->arena, m, "deletionGracePeriodSeconds", meta->deletion_grace_s.value);
    show_labels(s, m, meta->labels);
    show_annotations(s, m, meta);
    if (meta->finalizers.n) {
        struct mst_doc *list = make(s, m, "finalizers", MST_ARRAY);
        mst_doc_clear(list);
        for (uint32_t i = 0; i < meta->finalizers.n; i++)
            mst_doc_append(s->arena, list, MST_STRING)->text = meta->finalizers.v[i];
    }
}

/*
 * Conditions in the order of the object's list. `pod` ones leave out an empty reason and message,
 * the general form (metav1.Condition) never does.
 */
static void show_conditions(const struct showing *s, struct mst_doc *status,
                            const mst_conditions *conditions, bool pod)
{
    if (!conditions->n)
        return;
    struct mst_doc *list = make(s, status, "conditions", MST_ARRAY);
    mst_doc_clear(list);
    for (uint32_t i = 0; i < conditions->n; i++) {
        const struct mst_condition *c = &conditions->v[i];
        struct mst_doc *out = mst_doc_append(s->arena, list, MST_OBJECT);
        mst_doc_set_str(s->arena, out, "type", c->type);
        mst_doc_set_str(s->arena, out, "status", c->status);
        if (c->observed_generation)
            mst_doc_set_int(s->arena, out, "observedGeneration", c->observed_generation);
        set_time(s, out, "lastProbeTime", c->last_probe);
        set_time(s, out, "lastTransitionTime", c->last_transition);
        if (c->reason.n || !pod)
            mst_doc_set_str(s->arena, out, "reason", c->reason);
        if (c->message.n || !pod)
            mst_doc_set_str(s->arena, out, "message", c->message);
    }
}

/* Quantities that defaulting added; those of the document keep their own spelling. */
static void show_resources(const struct showing *s, struct mst_doc *container, const char *list,
                           const mst_resources *resources)
{
    if (!resources->n)
        return;
    struct mst_doc *holder = make(s, container, "resources", MST_OBJECT);
    struct mst_doc *map = make(s, holder, list, MST_OBJECT);
    for (uint32_t i = 0; i < resources->n; i++) {
        struct mst_str name = mst_sym_str(s->syms, resources->v[i].name);
        struct mst_doc *m = mst_doc_make(s->arena, map, name, MST_NULL);
        if (m->type == MST_NULL) {
            m->type = MST_STRING;
            m->text = mst_quantity_text(&resources->v[i].quantity, s->arena);
        }
    }
}

static void show_ports(const struct showing *s, struct mst_doc *container,
                       const struct mst_container *c)
{
    struct mst_doc *ports = mst_doc_get(container, "ports");
    struct mst_doc *port = ports && ports->type == MST_ARRAY ? ports->first : NULL;
    for (uint32_t i = 0; i < c->ports.n && port; i++, port = port->next) {
        if (port->type != MST_OBJECT)
            continue;
        set_sym(s, port, "protocol", c->ports.v[i].protocol);
        if (c->ports.v[i].host_port)
            mst_doc_set_int(s->arena, port, "hostPort", c->ports.v[i].host_port);
    }
}

static void show_containers(const struct showing *s, struct mst_doc *spec, const char *key,
                            const struct mst_container *v, uint32_t n)
{
    struct mst_doc *list = mst_doc_get(spec, key);
    struct mst_doc *at = list && list->type == MST_ARRAY ? list->first : NULL;
    for (uint32_t i = 0; i < n && at; i++, at = at->next) {
        if (at->type != MST_OBJECT)
            continue;
        show_resources(s, at, "requests", &v[i].resources.requests);
        show_ports(s, at, &v[i]);
    }
}

static void show_pod(const struct showing *s, struct mst_doc *doc, const struct mst_pod *pod)
{
    struct mst_doc *spec = make(s, doc, "spec", MST_OBJECT);
    set_sym(s, spec, "nodeName", pod->spec.node_name);
    set_sym(s, spec, "restartPolicy", pod->spec.restart_policy);
    set_sym(s, spec, "schedulerName", pod->spec.scheduler_name);
    set_str(s, spec, "priorityClassName", pod->spec.priority_class_name);
    set_sym(s, spec, "preemptionPolicy", pod->spec.preemption_policy);
    if (pod->spec.priority.set)
        mst_doc_set_int(s->arena, spec, "priority", pod->spec.priority.value);
    if (pod->spec.termination_grace_s.set)
        mst_doc_set_int(s->arena, spec, "terminationGracePeriodSeconds",
                        pod->spec.termination_grace_s.value);
    show_containers(s, spec, "containers", pod->spec.containers.v, pod->spec.containers.n);
    show_containers(s, spec, "initContainers", pod->spec.init_containers.v,
                    pod->spec.init_containers.n);
    struct mst_doc *status = make(s, doc, "status", MST_OBJECT);
    set_sym(s, status, "phase", pod->status.phase);
    show_conditions(s, status, &pod->status.conditions, true);
    set_sym(s, status, "nominatedNodeName", pod->status.nominated_node_name);
    if (pod->status.nominated_node_name == MST_SYM_NONE)
        mst_doc_remove(status, "nominatedNodeName");
    set_time(s, status, "startTime", pod->status.start_time);
}

static void show_group(const struct showing *s, struct mst_doc *doc,
                       const struct mst_pod_group *group)
{
    struct mst_doc *spec = make(s, doc, "spec", MST_OBJECT);
    set_str(s, spec, "priorityClassName", group->spec.priority_class_name);
    set_sym(s, spec, "preemptionPolicy", group->spec.preemption_policy);
    if (group->spec.priority.set)
        mst_doc_set_int(s->arena, spec, "priority", group->spec.priority.value);
    if (group->spec.disruption == MST_DISRUPT_SINGLE)
        make(s, make(s, spec, "disruptionMode", MST_OBJECT), "single", MST_OBJECT);
    if (group->conditions.n)
        show_conditions(s, make(s, doc, "status", MST_OBJECT), &group->conditions, false);
}

static void show_amounts(const struct showing *s, struct mst_doc *map,
                         const mst_resources *resources)
{
    for (uint32_t i = 0; i < resources->n; i++)
        mst_doc_make(s->arena, map, mst_sym_str(s->syms, resources->v[i].name), MST_STRING)->text =
            mst_quantity_text(&resources->v[i].quantity, s->arena);
}

static void show_node(const struct showing *s, struct mst_doc *doc, const struct mst_node *node)
{
    struct mst_doc *status = make(s, doc, "status", MST_OBJECT);
    const mst_resources *resources = &node->allocatable;
    struct mst_doc *map = mst_doc_get(status, "allocatable");
    if (!resources->n || (map && map->type == MST_OBJECT))
        return;
    /* from capacity, by defaulting */
    show_amounts(s, make(s, status, "allocatable", MST_OBJECT), resources);
}

/* A volume that no document describes: the simulated provisioner made it. */
static void show_made_volume(const struct showing *s, struct mst_doc *spec, const struct mst_pv *pv)
{
    mst_assert(pv->sources == MST_PV_CSI);
    show_amounts(s, make(s, spec, "capacity", MST_OBJECT), &pv->capacity);
    struct mst_doc *csi = make(s, spec, "csi", MST_OBJECT);
    set_sym(s, csi, "driver", pv->driver);
    set_str(s, csi, "volumeHandle", pv->handle);
    struct mst_doc *modes = make(s, spec, "accessModes", MST_ARRAY);
    for (uint32_t i = 0; i < pv->access_modes.n; i++)
        mst_doc_append(s->arena, modes, MST_STRING)->text =
            mst_sym_str(s->syms, pv->access_modes.v[i]);
}

static void show_pv(const struct showing *s, struct mst_doc *doc, const struct mst_object *object)
{
    const struct mst_pv *pv = &object->u.pv;
    struct mst_doc *spec = make(s, doc, "spec", MST_OBJECT);
    if (!object->source)
        show_made_volume(s, spec, pv);
    if (pv->claim_set) {
        struct mst_doc *claim = make(s, spec, "claimRef", MST_OBJECT);
        set_sym(s, claim, "namespace", pv->claim_ns);
        set_str(s, claim, "name", pv->claim_name);
        set_str(s, claim, "uid", pv->claim_uid);
    }
    set_sym(s, spec, "storageClassName", pv->class_name);
    set_sym(s, make(s, doc, "status", MST_OBJECT), "phase", pv->phase);
}

static void show_pvc(const struct showing *s, struct mst_doc *doc, const struct mst_pvc *pvc)
{
    struct mst_doc *spec = make(s, doc, "spec", MST_OBJECT);
    set_str(s, spec, "volumeName", pvc->volume_name);
    set_sym(s, spec, "storageClassName", pvc->class_name);
    set_sym(s, make(s, doc, "status", MST_OBJECT), "phase", pvc->phase);
}

/* apiVersion and kind come first; members of a typed list do not carry them. */
static struct mst_doc *begin(const struct showing *s, const struct mst_object *object)
{
    struct mst_doc *doc =
        object->source ? mst_doc_of(s->arena, object->source) : mst_doc_new(s->arena, MST_OBJECT);
    struct mst_doc *out = mst_doc_new(s->arena, MST_OBJECT);
    mst_doc_set_str(s->arena, out, "apiVersion", object->api_version);
    mst_doc_set_str(s->arena, out, "kind", mst_str_of(mst_kind_name(object->kind)));
    mst_doc_remove(doc, "apiVersion");
    mst_doc_remove(doc, "kind");
    out->last->next = doc->first;
    if (doc->last)
        out->last = doc->last;
    return out;
}

struct mst_doc *mst_show_object(struct mst_syms *syms, const struct mst_object *object,
                                struct mst_arena *arena)
{
    struct showing s = { .syms = syms, .arena = arena };
    struct mst_doc *doc = begin(&s, object);
    show_meta(&s, doc, &object->u.meta);
    switch (object->kind) {
    case MST_KIND_POD: show_pod(&s, doc, &object->u.pod); break;
    case MST_KIND_NODE: show_node(&s, doc, &object->u.node); break;
    case MST_KIND_POD_GROUP:
    case MST_KIND_COMPOSITE_POD_GROUP: show_group(&s, doc, &object->u.group); break;
    case MST_KIND_PV: show_pv(&s, doc, object); break;
    case MST_KIND_PVC: show_pvc(&s, doc, &object->u.pvc); break;
    case MST_KIND_PRIORITY_CLASS:
        set_sym(&s, doc, "preemptionPolicy", object->u.priority_class.preemption_policy);
        break;
    case MST_KIND_NAMESPACE:
    case MST_KIND_WORKLOAD:
    case MST_KIND_PDB:
    case MST_KIND_SERVICE:
    case MST_KIND_REPLICATION_CONTROLLER:
    case MST_KIND_REPLICA_SET:
    case MST_KIND_STATEFUL_SET:
    case MST_KIND_STORAGE_CLASS:
    case MST_KIND_CSI_NODE:
    case MST_KIND_CSI_DRIVER:
    case MST_KIND_CSI_STORAGE_CAPACITY:
    case MST_KIND_VOLUME_ATTACHMENT:
    case MST_KIND_UNKNOWN:
    case MST_KIND_COUNT: break;
    }
    return doc;
}

/*
 * extender_call.c - what an extender is asked and what it answers, as JSON.
 *
 * Invariants: the names and the order of fields are those of upstream's types; as in Go, the first
 *             field of a wrong type is the error and a field in any case is taken.
 */
#include "framework/extender_call.h"

#include "base/sort.h"
#include "framework/go_json.h"

struct mst_str mst_extender_url(const struct mst_extender_call *call, struct mst_arena *arena)
{
    struct mst_str prefix = call->extender->url_prefix;
    while (prefix.n && prefix.p[prefix.n - 1] == '/')
        prefix.n--;
    return mst_arena_printf(arena, "%.*s/%.*s", MST_ARG(prefix),
                            MST_ARG(call->extender->verbs[call->verb]));
}

/* ---- copies ---- */

static struct mst_ext_pod copy_pod(struct mst_arena *arena, const struct mst_ext_pod *pod)
{
    return (struct mst_ext_pod){ .ns = mst_arena_str(arena, pod->ns),
                                 .name = mst_arena_str(arena, pod->name),
                                 .uid = mst_arena_str(arena, pod->uid) };
}

static void copy_victims(struct mst_arena *arena, const struct mst_ext_victims *from,
                         struct mst_ext_victims *out)
{
    *out = *from;
    out->node = mst_arena_str(arena, from->node);
    out->pods.v = MST_NEW_N(arena, struct mst_ext_pod, from->pods.n);
    for (uint32_t i = 0; i < from->pods.n; i++)
        out->pods.v[i] = copy_pod(arena, &from->pods.v[i]);
}

void mst_extender_call_copy(struct mst_arena *arena, const struct mst_extender_call *from,
                            struct mst_extender_call *out)
{
    *out = *from;
    out->pod = copy_pod(arena, &from->pod);
    out->nodes.v = MST_NEW_N(arena, struct mst_str, from->nodes.n);
    for (uint32_t i = 0; i < from->nodes.n; i++)
        out->nodes.v[i] = mst_arena_str(arena, from->nodes.v[i]);
    out->victims.v = MST_NEW_N(arena, struct mst_ext_victims, from->victims.n);
    for (uint32_t i = 0; i < from->victims.n; i++)
        copy_victims(arena, &from->victims.v[i], &out->victims.v[i]);
}

/* ---- requests ---- */

struct writing {
    const struct mst_extender_call *call;
    const struct mst_extender_objects *objects;
    struct mst_json_writer w;
};

static void put_text(struct writing *x, const char *key, struct mst_str text)
{
    mst_jw_key(&x->w, key);
    mst_jw_str(&x->w, text);
}

static void put_pod(struct writing *x)
{
    mst_jw_key(&x->w, "Pod");
    x->objects->pod(x->objects->ctx, &x->call->pod, &x->w);
}

static void put_nodes(struct writing *x)
{
    const mst_strs *nodes = &x->call->nodes;
    const bool names = x->call->extender->node_cache;
    mst_jw_key(&x->w, "Nodes");
    if (names) {
        mst_jw_null(&x->w);
    } else {
        mst_jw_object_begin(&x->w);
        mst_jw_key(&x->w, "metadata");
        mst_jw_object_begin(&x->w);
        mst_jw_object_end(&x->w);
        mst_jw_key(&x->w, "items");
        mst_jw_array_begin(&x->w);
        for (uint32_t i = 0; i < nodes->n; i++)
            x->objects->node(x->objects->ctx, nodes->v[i], &x->w);
        mst_jw_array_end(&x->w);
        mst_jw_object_end(&x->w);
    }
    mst_jw_key(&x->w, "NodeNames");
    if (!names) {
        mst_jw_null(&x->w);
        return;
    }
    mst_jw_array_begin(&x->w);
    for (uint32_t i = 0; i < nodes->n; i++)
        mst_jw_str(&x->w, nodes->v[i]);
    mst_jw_array_end(&x->w);
}

static int by_node(const void *a, const void *b, void *ctx)
{
    const struct mst_ext_victims *v = ctx;
    return mst_str_cmp(v[*(const uint32_t *)a].node, v[*(const uint32_t *)b].node);
}

static void put_victims_of(struct writing *x, const struct mst_ext_victims *v, bool uids)
{
    mst_jw_key_str(&x->w, v->node);
    mst_jw_object_begin(&x->w);
    mst_jw_key(&x->w, "Pods");
    mst_jw_array_begin(&x->w);
    for (uint32_t i = 0; i < v->pods.n; i++) {
        if (!uids) {
            x->objects->pod(x->objects->ctx, &v->pods.v[i], &x->w);
            continue;
        }
        mst_jw_object_begin(&x->w);
        put_text(x, "UID", v->pods.v[i].uid);
        mst_jw_object_end(&x->w);
    }
    mst_jw_array_end(&x->w);
    mst_jw_key(&x->w, "NumPDBViolations");
    mst_jw_int(&x->w, v->pdb_violations);
    mst_jw_object_end(&x->w);
}

/* The map that the extender gets; the other one is null. Keys ascend, as Go writes maps. */
static void put_victims(struct writing *x, const char *key, bool uids)
{
    mst_jw_key(&x->w, key);
    if (uids != x->call->extender->node_cache) {
        mst_jw_null(&x->w);
        return;
    }
    MST_VEC(uint32_t) order = { 0 };
    for (uint32_t i = 0; i < x->call->victims.n; i++)
        mst_vec_push(&order, i);
    mst_sort(order.v, order.n, sizeof(*order.v), by_node, x->call->victims.v);
    mst_jw_object_begin(&x->w);
    for (uint32_t i = 0; i < order.n; i++)
        put_victims_of(x, &x->call->victims.v[order.v[i]], uids);
    mst_jw_object_end(&x->w);
    mst_vec_done(&order);
}

void mst_extender_body(const struct mst_extender_call *call,
                       const struct mst_extender_objects *objects, struct mst_buf *out)
{
    struct writing x = { .call = call, .objects = objects, .w = { .out = out } };
    mst_jw_object_begin(&x.w);
    switch (call->verb) {
    case MST_VERB_FILTER:
    case MST_VERB_PRIORITIZE:
        put_pod(&x);
        put_nodes(&x);
        break;
    case MST_VERB_PREEMPT:
        put_pod(&x);
        put_victims(&x, "NodeNameToVictims", false);
        put_victims(&x, "NodeNameToMetaVictims", true);
        break;
    case MST_VERB_BIND:
        put_text(&x, "PodName", call->pod.name);
        put_text(&x, "PodNamespace", call->pod.ns);
        put_text(&x, "PodUID", call->pod.uid);
        put_text(&x, "Node", call->nodes.v[0]);
        break;
    case MST_VERB_COUNT: break;
    }
    mst_jw_object_end(&x.w);
}

/* ---- answers ---- */

struct reading {
    struct mst_arena *arena;
    struct mst_str error; /* the first one; absent: none */
};

static void wrong(struct reading *r, const struct mst_value *v, const char *field, const char *type)
{
    if (!r->error.p)
        r->error = mst_go_json_type_error(r->arena, v, field, type);
}

/* Whether the value is there and of that type; null is no error. */
static bool is_a(struct reading *r, const struct mst_value *v, mst_value_type want,
                 const char *field, const char *type)
{
    if (v->type == want)
        return true;
    if (v->type != MST_NULL)
        wrong(r, v, field, type);
    return false;
}

static void take_text(struct reading *r, const struct mst_value *v, const char *field,
                      struct mst_str *out)
{
    if (is_a(r, v, MST_STRING, field, "string"))
        *out = mst_arena_str(r->arena, mst_value_str(v));
}

static void take_int(struct reading *r, const struct mst_value *v, const char *field, int64_t *out)
{
    if (is_a(r, v, MST_NUMBER, field, "int64") && !mst_value_int(v, out))
        wrong(r, v, field, "int64");
}

/* ---- filter ---- */

struct filtering {
    struct reading r;
    struct mst_str error;
    bool names_set, objects_set;
    mst_strs names, objects;
    const struct mst_value *failed[2]; /* unresolvable, plain */
};

static void take_names(struct filtering *f, const struct mst_value *v)
{
    static const char field[] = "ExtenderFilterResult.NodeNames";
    f->names_set = is_a(&f->r, v, MST_ARRAY, field, "[]string");
    if (!f->names_set)
        return;
    f->names = (mst_strs){ MST_NEW_N(f->r.arena, struct mst_str, v->n), 0 };
    MST_EACH_ELEMENT (e, v) {
        struct mst_str *name = &f->names.v[f->names.n++];
        *name = MST_STR("");
        take_text(&f->r, e, field, name);
    }
}

/* Of a node only its name counts. */
static struct mst_str name_of(struct filtering *f, const struct mst_value *node)
{
    struct mst_str name = MST_STR("");
    if (!is_a(&f->r, node, MST_OBJECT, "NodeList.Nodes.items", "v1.Node"))
        return name;
    MST_EACH_MEMBER (key, node) {
        if (!mst_go_json_key_is(key, "metadata") ||
            !is_a(&f->r, key + 1, MST_OBJECT, "Node.Nodes.items.metadata", "v1.ObjectMeta"))
            continue;
        MST_EACH_MEMBER (k, key + 1)
            if (mst_go_json_key_is(k, "name"))
                take_text(&f->r, k + 1, "ObjectMeta.Nodes.items.metadata.name", &name);
    }
    return name;
}

static void take_objects(struct filtering *f, const struct mst_value *v)
{
    f->objects_set = is_a(&f->r, v, MST_OBJECT, "ExtenderFilterResult.Nodes", "v1.NodeList");
    if (!f->objects_set)
        return;
    MST_EACH_MEMBER (key, v) {
        if (!mst_go_json_key_is(key, "items") ||
            !is_a(&f->r, key + 1, MST_ARRAY, "NodeList.Nodes.items", "[]v1.Node"))
            continue;
        f->objects = (mst_strs){ MST_NEW_N(f->r.arena, struct mst_str, key[1].n), 0 };
        MST_EACH_ELEMENT (e, key + 1)
            f->objects.v[f->objects.n++] = name_of(f, e);
    }
}

static void take_failed(struct filtering *f, const struct mst_value *v, bool unresolvable)
{
    const char *field = unresolvable ? "ExtenderFilterResult.FailedAndUnresolvableNodes"
                                     : "ExtenderFilterResult.FailedNodes";
    const uint32_t at = unresolvable ? 0 : 1;
    f->failed[at] = NULL;
    if (!is_a(&f->r, v, MST_OBJECT, field, "v1.FailedNodesMap"))
        return;
    f->failed[at] = v;
    MST_EACH_MEMBER (key, v)
        (void)is_a(&f->r, key + 1, MST_STRING, field, "string");
}

static bool names_node(const struct mst_value *map, struct mst_str node)
{
    if (map)
        MST_EACH_MEMBER (key, map)
            if (mst_str_eq(mst_value_str(key), node))
                return true;
    return false;
}

/* A node in both maps is unresolvable. */
static void keep_failed(const struct filtering *f, struct mst_extender_answer *out)
{
    const uint32_t n = (f->failed[0] ? f->failed[0]->n : 0) + (f->failed[1] ? f->failed[1]->n : 0);
    out->failed.v = MST_NEW_N(f->r.arena, struct mst_ext_failed, n);
    for (uint32_t at = 0; at < 2; at++) {
        if (!f->failed[at])
            continue;
        MST_EACH_MEMBER (key, f->failed[at]) {
            const struct mst_str node = mst_value_str(key);
            if (at == 1 && names_node(f->failed[0], node))
                continue;
            const struct mst_str text =
                key[1].type == MST_STRING ? mst_value_str(key + 1) : MST_STR("");
            out->failed.v[out->failed.n++] =
                (struct mst_ext_failed){ .node = mst_arena_str(f->r.arena, node),
                                         .text = mst_arena_str(f->r.arena, text),
                                         .unresolvable = at == 0 };
        }
    }
}

static void read_filter(const struct mst_extender_call *call, const struct mst_value *root,
                        struct mst_arena *arena, struct mst_extender_answer *out)
{
    struct filtering f = { .r = { .arena = arena }, .error = MST_STR("") };
    if (is_a(&f.r, root, MST_OBJECT, NULL, "v1.ExtenderFilterResult"))
        MST_EACH_MEMBER (key, root) {
            if (mst_go_json_key_is(key, "NodeNames"))
                take_names(&f, key + 1);
            else if (mst_go_json_key_is(key, "Nodes"))
                take_objects(&f, key + 1);
            else if (mst_go_json_key_is(key, "FailedNodes"))
                take_failed(&f, key + 1, false);
            else if (mst_go_json_key_is(key, "FailedAndUnresolvableNodes"))
                take_failed(&f, key + 1, true);
            else if (mst_go_json_key_is(key, "Error"))
                take_text(&f.r, key + 1, "ExtenderFilterResult.Error", &f.error);
        }
    if (f.r.error.p)
        out->error = f.r.error;
    else if (f.error.n)
        out->error = f.error;
    if (out->error.p)
        return;
    if (call->extender->node_cache && f.names_set)
        out->nodes = f.names;
    else if (f.objects_set)
        out->nodes = f.objects;
    out->objects = !(call->extender->node_cache && f.names_set);
    keep_failed(&f, out);
}

/* ---- prioritize ---- */

static void read_scores(const struct mst_value *root, struct mst_arena *arena,
                        struct mst_extender_answer *out)
{
    struct reading r = { .arena = arena };
    if (is_a(&r, root, MST_ARRAY, NULL, "v1.HostPriorityList")) {
        out->scores.v = MST_NEW_N(arena, struct mst_ext_score, root->n);
        MST_EACH_ELEMENT (e, root) {
            struct mst_ext_score *s = &out->scores.v[out->scores.n++];
            *s = (struct mst_ext_score){ .node = MST_STR("") };
            if (!is_a(&r, e, MST_OBJECT, NULL, "v1.HostPriority"))
                continue;
            MST_EACH_MEMBER (key, e) {
                if (mst_go_json_key_is(key, "Host"))
                    take_text(&r, key + 1, "HostPriority.Host", &s->node);
                else if (mst_go_json_key_is(key, "Score"))
                    take_int(&r, key + 1, "HostPriority.Score", &s->score);
            }
        }
    }
    out->error = r.error;
}

/* ---- bind ---- */

static void read_bound(const struct mst_value *root, struct mst_arena *arena,
                       struct mst_extender_answer *out)
{
    struct reading r = { .arena = arena };
    struct mst_str error = MST_STR("");
    if (is_a(&r, root, MST_OBJECT, NULL, "v1.ExtenderBindingResult"))
        MST_EACH_MEMBER (key, root)
            if (mst_go_json_key_is(key, "Error"))
                take_text(&r, key + 1, "ExtenderBindingResult.Error", &error);
    out->error = r.error;
    if (!out->error.p && error.n)
        out->error = error;
}

/* ---- preempt ---- */

#define MAP_FIELD "NodeNameToMetaVictims"

static void take_pods(struct reading *r, const struct mst_value *v, struct mst_ext_kept *out)
{
    static const char field[] = "MetaVictims." MAP_FIELD ".Pods";
    if (!is_a(r, v, MST_ARRAY, field, "[]*v1.MetaPod"))
        return;
    out->uids = (mst_strs){ MST_NEW_N(r->arena, struct mst_str, v->n), 0 };
    MST_EACH_ELEMENT (e, v) {
        struct mst_str *uid = &out->uids.v[out->uids.n++];
        *uid = MST_STR("");
        if (!is_a(r, e, MST_OBJECT, field, "v1.MetaPod"))
            continue;
        MST_EACH_MEMBER (key, e)
            if (mst_go_json_key_is(key, "UID"))
                take_text(r, key + 1, "MetaPod." MAP_FIELD ".Pods.UID", uid);
    }
}

static void take_kept(struct reading *r, const struct mst_value *map,
                      struct mst_extender_answer *out)
{
    out->kept.v = MST_NEW_N(r->arena, struct mst_ext_kept, map->n);
    out->kept.n = 0;
    MST_EACH_MEMBER (node, map) {
        struct mst_ext_kept *kept = &out->kept.v[out->kept.n++];
        *kept = (struct mst_ext_kept){ .node = mst_arena_str(r->arena, mst_value_str(node)) };
        if (!is_a(r, node + 1, MST_OBJECT, "ExtenderPreemptionResult." MAP_FIELD, "v1.MetaVictims"))
            continue;
        MST_EACH_MEMBER (key, node + 1) {
            if (mst_go_json_key_is(key, "Pods"))
                take_pods(r, key + 1, kept);
            else if (mst_go_json_key_is(key, "NumPDBViolations"))
                take_int(r, key + 1, "MetaVictims." MAP_FIELD ".NumPDBViolations",
                         &kept->pdb_violations);
        }
    }
}

static void read_kept(const struct mst_value *root, struct mst_arena *arena,
                      struct mst_extender_answer *out)
{
    struct reading r = { .arena = arena };
    if (is_a(&r, root, MST_OBJECT, NULL, "v1.ExtenderPreemptionResult"))
        MST_EACH_MEMBER (key, root)
            if (mst_go_json_key_is(key, MAP_FIELD) &&
                is_a(&r, key + 1, MST_OBJECT, "ExtenderPreemptionResult." MAP_FIELD,
                     "map[string]*v1.MetaVictims"))
                take_kept(&r, key + 1, out);
    out->error = r.error;
}

void mst_extender_read(const struct mst_extender_call *call, struct mst_str body,
                       struct mst_arena *arena, struct mst_extender_answer *out)
{
    struct mst_arena scratch = { 0 };
    const struct mst_value *root = NULL;
    struct mst_str error;
    *out = (struct mst_extender_answer){ .error = MST_STR_NONE };
    if (!mst_go_json_read(body, &scratch, &root, &error)) {
        out->error = mst_arena_str(arena, error);
    } else {
        switch (call->verb) {
        case MST_VERB_FILTER: read_filter(call, root, arena, out); break;
        case MST_VERB_PRIORITIZE: read_scores(root, arena, out); break;
        case MST_VERB_BIND: read_bound(root, arena, out); break;
        case MST_VERB_PREEMPT: read_kept(root, arena, out); break;
        case MST_VERB_COUNT: break;
        }
    }
    mst_arena_done(&scratch);
}

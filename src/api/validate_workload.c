/*
 * validate_workload.c - a Workload and its tree of templates.
 *
 * Invariants: the tree is walked by an order computed once, never by recursion; a broken list (too
 *             long) hides what is below it from the generated rules, as upstream does.
 * Source:     spec/api.md 2.1, 4.4 rules 1-8; kubernetes v1.37 pkg/apis/scheduling/validation.
 */
#include "api/validate_internal.h"

enum { TEMPLATES_MAX = 8, TREE_DEPTH_MAX = 4 };
#define NOBODY UINT32_MAX

/* Children of a template, or of the spec: leaves [0] and composites [1], in document order. */
struct children {
    uint32_t first[2], last[2], count[2];
};

struct tree {
    const struct mst_group_template *v;
    uint32_t n;
    struct children top;
    struct children *of; /* per template */
    uint32_t *next;      /* per template: its next sibling of the same list */
    uint32_t *preorder;  /* composites, parents before children, depth first */
    uint32_t preorder_count;
    const struct mst_path **paths;
    bool *hidden; /* below a list that is too long */
};

static const char *const list_names[] = { "podGroupTemplates", "compositePodGroupTemplates" };

static struct children *children_of(struct tree *tree, uint32_t i)
{
    return i == NOBODY ? &tree->top : &tree->of[i];
}

#define EACH_CHILD(i_, tree_, children_, kind_)                                                    \
    for (uint32_t i_ = (children_)->first[kind_]; i_ != NOBODY; i_ = (tree_)->next[i_])

static const struct mst_path *make_path(struct mst_arena *arena, const struct mst_path *up,
                                        const struct mst_group_template *template)
{
    struct mst_path *steps = MST_NEW_N(arena, struct mst_path, 2);
    steps[0] = MST_AT(up, list_names[template->composite]);
    steps[1] = MST_AT_I(&steps[0], template->index);
    return &steps[1];
}

/* Depth first over composites, children in document order. */
static void order_composites(struct tree *tree, uint32_t *stack)
{
    uint32_t depth = 0;
    if (tree->top.first[1] != NOBODY)
        stack[depth++] = tree->top.first[1];
    while (depth > 0) {
        uint32_t i = stack[--depth];
        tree->preorder[tree->preorder_count++] = i;
        if (tree->next[i] != NOBODY)
            stack[depth++] = tree->next[i];
        if (tree->of[i].first[1] != NOBODY)
            stack[depth++] = tree->of[i].first[1];
    }
}

static struct tree make_tree(struct mst_validator *v, const struct mst_workload *workload,
                             const struct mst_path *spec)
{
    struct mst_arena *arena = v->api->arena;
    uint32_t n = workload->templates.n;
    struct tree tree = {
        .v = workload->templates.v,
        .n = n,
        .top = { .first = { NOBODY, NOBODY } },
        .of = MST_NEW_N(arena, struct children, n),
        .next = MST_NEW_N(arena, uint32_t, n),
        .preorder = MST_NEW_N(arena, uint32_t, n),
        .paths = MST_NEW_N(arena, const struct mst_path *, n),
        .hidden = MST_NEW_N(arena, bool, n),
    };
    for (uint32_t i = 0; i < n; i++) {
        const struct mst_group_template *template = &tree.v[i];
        bool composite = template->composite;
        mst_assert(template->parent == NOBODY || template->parent < i);
        struct children *siblings = children_of(&tree, template->parent);
        tree.of[i].first[0] = tree.of[i].first[1] = tree.next[i] = NOBODY;
        if (siblings->count[composite]++ == 0)
            siblings->first[composite] = i;
        else
            tree.next[siblings->last[composite]] = i;
        siblings->last[composite] = i;
        tree.paths[i] =
            make_path(arena, template->parent == NOBODY ? spec : tree.paths[template->parent],
                      template);
    }
    order_composites(&tree, MST_NEW_N(arena, uint32_t, 2 * (size_t)n + 1));
    return tree;
}

/* ---- a template as JSON, with the API's names or upstream's internal ones ---- */

struct printer {
    struct mst_json_writer w;
    const struct mst_validator *v;
    bool internal; /* Go field names, nothing left out */
};

static void put_key(struct printer *p, const char *name)
{
    char upper[64];
    size_t n = strlen(name);
    mst_assert(n > 0 && n < sizeof(upper));
    memcpy(upper, name, n + 1);
    if (p->internal)
        upper[0] = (char)(upper[0] - 'a' + 'A');
    mst_jw_key(&p->w, upper);
}

/* A key whose value is absent: left out, or null when all fields are shown. */
static void put_absent(struct printer *p, const char *name, bool always)
{
    if (!p->internal && !always)
        return;
    put_key(p, name);
    mst_jw_null(&p->w);
}

static void put_text(struct printer *p, const char *name, struct mst_str text, bool pointer)
{
    if (!text.p && (pointer || !p->internal)) {
        put_absent(p, name, false);
        return;
    }
    put_key(p, name);
    mst_jw_str(&p->w, text.p ? text : MST_STR(""));
}

static void put_empty(struct printer *p, const char *name, bool present)
{
    if (!present) {
        put_absent(p, name, false);
        return;
    }
    put_key(p, name);
    mst_jw_object_begin(&p->w);
    mst_jw_object_end(&p->w);
}

static void put_policy(struct printer *p, const struct mst_group_spec *spec, bool composite)
{
    put_key(p, "schedulingPolicy");
    mst_jw_object_begin(&p->w);
    put_empty(p, "basic", spec->policy & MST_POLICY_BASIC);
    if (spec->policy & MST_POLICY_GANG) {
        put_key(p, "gang");
        mst_jw_object_begin(&p->w);
        put_key(p, composite ? "minGroupCount" : "minCount");
        mst_jw_int(&p->w, spec->min_count);
        mst_jw_object_end(&p->w);
    } else {
        put_absent(p, "gang", false);
    }
    mst_jw_object_end(&p->w);
}

static void put_constraints(struct printer *p, const struct mst_group_spec *spec, bool composite)
{
    if (!spec->constraints_set) {
        put_absent(p, "schedulingConstraints", !composite);
        return;
    }
    put_key(p, "schedulingConstraints");
    mst_jw_object_begin(&p->w);
    if (spec->topology_keys.n > 0) {
        put_key(p, "topology");
        mst_jw_array_begin(&p->w);
        for (uint32_t i = 0; i < spec->topology_keys.n; i++) {
            mst_jw_object_begin(&p->w);
            put_key(p, "key");
            mst_jw_str(&p->w, mst_v_sym(p->v, spec->topology_keys.v[i]));
            mst_jw_object_end(&p->w);
        }
        mst_jw_array_end(&p->w);
    } else {
        put_absent(p, "topology", false);
    }
    mst_jw_object_end(&p->w);
}

static void put_claims(struct printer *p, const struct mst_group_spec *spec)
{
    if (spec->claims.n == 0) {
        put_absent(p, "resourceClaims", false);
        return;
    }
    put_key(p, "resourceClaims");
    mst_jw_array_begin(&p->w);
    for (uint32_t i = 0; i < spec->claims.n; i++) {
        const struct mst_group_claim *claim = &spec->claims.v[i];
        mst_jw_object_begin(&p->w);
        put_key(p, "name");
        mst_jw_str(&p->w, claim->name.p ? claim->name : MST_STR(""));
        put_text(p, "resourceClaimName", claim->resource_claim_name, true);
        put_text(p, "resourceClaimTemplateName", claim->resource_claim_template_name, true);
        mst_jw_object_end(&p->w);
    }
    mst_jw_array_end(&p->w);
}

/* The fields of a template without its children; the object stays open. */
static void put_fields(struct printer *p, const struct mst_group_template *template)
{
    const struct mst_group_spec *spec = &template->spec;
    mst_jw_object_begin(&p->w);
    put_key(p, "name");
    mst_jw_str(&p->w, spec->template_name.p ? spec->template_name : MST_STR(""));
    put_policy(p, spec, template->composite);
    put_constraints(p, spec, template->composite);
    if (!template->composite)
        put_claims(p, spec);
    if (spec->disruption == MST_DISRUPT_NIL) {
        put_absent(p, "disruptionMode", false);
    } else {
        put_key(p, "disruptionMode");
        mst_jw_object_begin(&p->w);
        put_empty(p, "single",
                  spec->disruption == MST_DISRUPT_SINGLE || spec->disruption == MST_DISRUPT_BOTH);
        put_empty(p, "all",
                  spec->disruption == MST_DISRUPT_ALL || spec->disruption == MST_DISRUPT_BOTH);
        mst_jw_object_end(&p->w);
    }
    put_text(p, "priorityClassName", spec->priority_class_name, false);
    if (spec->priority.set) {
        put_key(p, "priority");
        mst_jw_int(&p->w, spec->priority.value);
    } else {
        put_absent(p, "priority", false);
    }
    put_text(p, "preemptionPolicy", mst_sym_str(p->v->api->syms, spec->preemption_policy), true);
}

static void put_leaves(struct printer *p, const struct tree *tree, const struct children *children)
{
    if (children->count[0] == 0) {
        put_absent(p, list_names[0], false);
        return;
    }
    put_key(p, list_names[0]);
    mst_jw_array_begin(&p->w);
    EACH_CHILD(i, tree, children, 0)
    {
        put_fields(p, &tree->v[i]);
        mst_jw_object_end(&p->w);
    }
    mst_jw_array_end(&p->w);
}

/* The list that begins with composite `first`, all the way down. */
static void put_composites(struct printer *p, const struct tree *tree, uint32_t first)
{
    enum { OPEN_MAX = MST_DEPTH_MAX };
    uint32_t open[OPEN_MAX], depth = 0;
    uint32_t at = first;
    mst_jw_array_begin(&p->w);
    for (;;) {
        if (at != NOBODY) {
            put_fields(p, &tree->v[at]);
            put_leaves(p, tree, &tree->of[at]);
            if (tree->of[at].count[1] > 0) {
                put_key(p, list_names[1]);
                mst_jw_array_begin(&p->w);
            } else {
                put_absent(p, list_names[1], false);
            }
            mst_assert(depth < OPEN_MAX); /* templates nest half as deep as their document */
            open[depth++] = at;
            at = tree->of[at].first[1];
            if (at != NOBODY)
                continue;
        } else {
            mst_jw_array_end(&p->w);
            if (depth == 0)
                return;
        }
        at = open[--depth];
        mst_jw_object_end(&p->w);
        at = tree->next[at];
    }
}

static struct mst_str template_json(struct mst_validator *v, const struct tree *tree, uint32_t i)
{
    MST_AUTO(mst_buf) buf = { 0 };
    struct printer p = { .w = { .out = &buf }, .v = v };
    put_fields(&p, &tree->v[i]);
    if (tree->v[i].composite) {
        put_leaves(&p, tree, &tree->of[i]);
        if (tree->of[i].count[1] > 0) {
            put_key(&p, list_names[1]);
            put_composites(&p, tree, tree->of[i].first[1]);
        }
    }
    mst_jw_object_end(&p.w);
    return mst_arena_str(v->api->arena, mst_buf_span(&buf));
}

static struct mst_str nested_json(struct mst_validator *v, const struct tree *tree, uint32_t i)
{
    MST_AUTO(mst_buf) buf = { 0 };
    struct printer p = { .w = { .out = &buf }, .v = v, .internal = true };
    put_composites(&p, tree, tree->of[i].first[1]);
    return mst_arena_str(v->api->arena, mst_buf_span(&buf));
}

/* ---- upstream's hand-written rules ---- */

static struct mst_str name_of(const struct tree *tree, uint32_t i)
{
    struct mst_str name = tree->v[i].spec.template_name;
    return name.p ? name : MST_STR("");
}

/* Names of a list against all lists before it; those of the list itself are another rule. */
static void check_list_names(struct mst_validator *v, const struct tree *tree,
                             const struct children *children, int kind, struct mst_map *names)
{
    EACH_CHILD(i, tree, children, kind)
    {
        struct mst_str name = name_of(tree, i);
        if (mst_map_has(names, name))
            mst_v_duplicate_str(v, &MST_AT(tree->paths[i], "name"), name);
    }
    EACH_CHILD(i, tree, children, kind)
    mst_map_set(names, name_of(tree, i), 0);
}

static void check_names(struct mst_validator *v, const struct tree *tree)
{
    struct mst_map names = { 0 };
    EACH_CHILD(i, tree, &tree->top, 0)
    mst_map_set(&names, name_of(tree, i), 0);
    check_list_names(v, tree, &tree->top, 1, &names);
    for (uint32_t k = 0; k < tree->preorder_count; k++) {
        const struct children *children = &tree->of[tree->preorder[k]];
        check_list_names(v, tree, children, 0, &names);
        check_list_names(v, tree, children, 1, &names);
    }
    mst_map_done(&names);
}

static void check_depth(struct mst_validator *v, const struct tree *tree)
{
    uint32_t root = NOBODY, reported = NOBODY;
    for (uint32_t k = 0; k < tree->preorder_count; k++) {
        uint32_t i = tree->preorder[k];
        if (tree->v[i].parent == NOBODY)
            root = i;
        if (tree->v[i].depth + 1 < TREE_DEPTH_MAX || reported == root)
            continue;
        reported = root;
        mst_v_invalid(v, tree->paths[root], nested_json(v, tree, root),
                      "maximum template hierarchy depth is 4");
    }
}

static bool same_priority(const struct mst_group_spec *a, const struct mst_group_spec *b)
{
    return mst_str_eq(a->priority_class_name, b->priority_class_name) &&
           a->priority.set == b->priority.set &&
           (!a->priority.set || a->priority.value == b->priority.value);
}

static void check_priorities(struct mst_validator *v, const struct tree *tree,
                             const struct mst_path *spec)
{
    uint32_t first = tree->top.first[0] != NOBODY ? tree->top.first[0] : tree->top.first[1];
    bool leaves_differ = false, any_differ = false;
    for (uint32_t i = 0; i < tree->n; i++) {
        bool differs = !same_priority(&tree->v[first].spec, &tree->v[i].spec);
        any_differ |= differs;
        leaves_differ |= differs && !tree->v[i].composite && tree->v[i].parent == NOBODY;
    }
    if (leaves_differ)
        mst_v_invalid(v, spec, MST_STR("null"), "detected multiple priority configurations");
    else if (any_differ)
        mst_v_invalid(v, spec, MST_STR("null"),
                      "all priority and priorityClassName values must be identical, detected "
                      "multiple values");
}

static void check_childless(struct mst_validator *v, const struct tree *tree)
{
    for (uint32_t k = 0; k < tree->preorder_count; k++) {
        uint32_t i = tree->preorder[k];
        if (tree->of[i].count[0] + tree->of[i].count[1] == 0)
            mst_v_invalid_str(v, tree->paths[i], tree->v[i].spec.template_name,
                              "must have at least one child PodGroupTemplate or "
                              "CompositePodGroupTemplate");
    }
}

/* ---- upstream's generated rules ---- */

/* Length and uniqueness of a list; false when its elements are not to be looked at. */
static bool check_list(struct mst_validator *v, const struct tree *tree,
                       const struct mst_path *owner, const struct children *children, int kind)
{
    if (children->count[kind] > TEMPLATES_MAX) {
        mst_v_too_many(v, &MST_AT(owner, list_names[kind]), children->count[kind], TEMPLATES_MAX);
        return false;
    }
    EACH_CHILD(i, tree, children, kind)
    {
        bool again = false;
        for (uint32_t k = children->first[kind]; k != i; k = tree->next[k])
            again |= mst_str_eq(tree->v[i].spec.template_name, tree->v[k].spec.template_name);
        if (again)
            mst_v_duplicate(v, tree->paths[i], template_json(v, tree, i), NULL);
    }
    return true;
}

/* The leaves of a list, then the heads of its composites; those themselves come in preorder. */
static void check_children(struct mst_validator *v, struct tree *tree, const struct mst_path *owner,
                           const struct children *children)
{
    if (check_list(v, tree, owner, children, 0))
        EACH_CHILD(i, tree, children, 0)
    mst_validate_group_spec(v, tree->paths[i], &tree->v[i].spec, false, true);
    bool gate_off = !v->api->composite && children->count[1] > 0;
    if (gate_off)
        mst_v_forbidden(v, &MST_AT(owner, list_names[1]), NULL);
    if (!check_list(v, tree, owner, children, 1) || gate_off)
        EACH_CHILD(i, tree, children, 1)
    tree->hidden[i] = true;
}

static void check_controller(struct mst_validator *v, const struct mst_path *path,
                             const struct mst_workload *workload)
{
    const struct {
        const char *name;
        struct mst_str value;
    } segments[] = { { "kind", workload->controller_kind }, { "name", workload->controller_name } };
    if (!workload->controller_ref_set)
        return;
    if (workload->controller_group.n > 0)
        mst_v_name(v, &MST_AT(path, "apiGroup"), MST_NAME_SUBDOMAIN, MST_LENGTH_IN_BYTES,
                   workload->controller_group);
    for (size_t i = 0; i < MST_COUNT(segments); i++) {
        if (segments[i].value.n == 0)
            mst_v_required(v, &MST_AT(path, segments[i].name), NULL);
        else
            mst_v_name(v, &MST_AT(path, segments[i].name), MST_NAME_PATH_SEGMENT,
                       MST_LENGTH_IN_BYTES, segments[i].value);
    }
}

static void check_union(struct mst_validator *v, const struct tree *tree,
                        const struct mst_path *spec)
{
    if (tree->n == 0)
        mst_v_invalid_str(v, spec, MST_STR(""),
                          "must specify one of: `podGroupTemplates`, `compositePodGroupTemplates`");
    else if (tree->top.count[0] > 0 && tree->top.count[1] > 0)
        mst_v_invalid_str(
            v, spec, MST_STR("{podGroupTemplates, compositePodGroupTemplates}"),
            "must specify exactly one of: `podGroupTemplates`, `compositePodGroupTemplates`");
}

void mst_validate_workload(struct mst_validator *v, const struct mst_workload *workload)
{
    const struct mst_path spec = MST_AT(NULL, "spec");
    struct tree tree = make_tree(v, workload, &spec);
    mst_validate_meta(v, &workload->meta, MST_NAME_SUBDOMAIN, true);
    check_names(v, &tree);
    check_depth(v, &tree);
    check_priorities(v, &tree, &spec);
    check_childless(v, &tree);
    check_union(v, &tree, &spec);
    check_controller(v, &MST_AT(&spec, "controllerRef"), workload);
    check_children(v, &tree, &spec, &tree.top);
    for (uint32_t k = 0; k < tree.preorder_count; k++) {
        uint32_t i = tree.preorder[k];
        uint32_t parent = tree.v[i].parent;
        tree.hidden[i] |= parent != NOBODY && tree.hidden[parent];
        if (tree.hidden[i])
            continue;
        mst_validate_group_spec(v, tree.paths[i], &tree.v[i].spec, true, true);
        check_children(v, &tree, tree.paths[i], &tree.of[i]);
    }
}

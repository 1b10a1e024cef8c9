/* Objects as they will be once the patches that wait are written. */
#include "writer_helper.h"

struct seen {
    struct mst_syms *syms;
    struct mst_arena arena;
    struct mst_object object, room;
    struct mst_condition conditions[2];
};

/* "PodScheduled=False: why; ... on n1" */
static struct mst_str print(struct seen *s, const struct mst_object *object)
{
    const bool is_pod = object->kind == MST_KIND_POD;
    const mst_conditions *list =
        is_pod ? &object->u.pod.status.conditions : &object->u.group.conditions;
    struct mst_str text = MST_STR("");
    for (uint32_t i = 0; i < list->n; i++)
        text = mst_arena_printf(&s->arena, "%.*s%.*s=%.*s: %.*s; ", MST_ARG(text),
                                MST_ARG(list->v[i].type), MST_ARG(list->v[i].status),
                                MST_ARG(list->v[i].message));
    const mst_sym node = is_pod ? object->u.pod.status.nominated_node_name : (mst_sym)MST_SYM_NONE;
    return node == MST_SYM_NONE ? text
                                : mst_arena_printf(&s->arena, "%.*son %.*s", MST_ARG(text),
                                                   MST_ARG(mst_sym_str(s->syms, node)));
}

/* A pod p or a group p of two conditions, the second of which patches are about. */
static void start(struct seen *s, mst_kind kind, const char *type)
{
    *s = (struct seen){ .syms = mst_syms_new(), .object = { .kind = kind } };
    s->conditions[0] = (struct mst_condition){ .type = MST_STR("Ready"), .status = MST_STR("X") };
    s->conditions[1] = (struct mst_condition){ .type = mst_str_of(type),
                                               .status = MST_STR("False"),
                                               .message = MST_STR("old") };
    s->object.u.meta = (struct mst_meta){ .name = MST_STR("p"),
                                          .namespace_ = mst_sym_of_text(s->syms, "ns"),
                                          .uid = MST_STR("u") };
    *(kind == MST_KIND_POD ? &s->object.u.pod.status.conditions : &s->object.u.group.conditions) =
        (mst_conditions){ s->conditions, 2 };
}

static void stop(struct seen *s)
{
    mst_arena_done(&s->arena);
    mst_syms_free(s->syms);
}

/* ret_same: nothing was changed, nor copied. */
static struct mst_str look(struct rig *r, struct seen *s, bool *ret_same)
{
    const struct mst_object *o =
        mst_writer_overlay(r->writer, s->syms, &s->object, &s->room, &s->arena);
    *ret_same = o == &s->object;
    return print(s, o);
}

#define OLD "Ready=X: ; PodScheduled=False: old; "
#define NEW(message) "Ready=X: ; PodScheduled=False: " message "; "

static void test_overlay_follows_the_patches(struct mst_test *t)
{
    struct rig r;
    struct seen s;
    bool same;
    start(&s, MST_KIND_POD, "PodScheduled");
    rig_start(&r, (struct mst_writer_options){ 0 });
    t_str(t, look(&r, &s, &same), OLD);
    t_ok(t, same);
    rig_want(&r, rig_message(1, "p", "sent"));
    t_str(t, look(&r, &s, &same), NEW("sent"));
    rig_want(&r, rig_nominate(2, "p", "n1"));
    t_str(t, look(&r, &s, &same), NEW("sent") "on n1");
    rig_want(&r, rig_message(3, "p", "waits"));
    t_str(t, look(&r, &s, &same), NEW("waits") "on n1");
    t_ok(t, !same);
    t_str(t, print(&s, &s.object), OLD);
    rig_reply(&r, 0, 200, NULL);
    rig_want(&r, rig_nominate(4, "p", ""));
    t_str(t, look(&r, &s, &same), NEW("waits")); /* n1 is being written, and cleared after that */
    rig_stop(&r, t);
    stop(&s);
}

/* Tried again later: it may be written yet. */
static void test_overlay_while_paused(struct mst_test *t)
{
    struct rig r;
    struct seen s;
    bool same;
    start(&s, MST_KIND_POD, "PodScheduled");
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, rig_message(1, "p", "sent"));
    rig_reply(&r, 0, 500, "later");
    t_str(t, look(&r, &s, &same), NEW("sent"));
    rig_wait(&r, 2);
    rig_reply(&r, 1, 404, "gone");
    t_str(t, look(&r, &s, &same), OLD);
    rig_stop(&r, t);
    stop(&s);
}

static void test_overlay_of_others(struct mst_test *t)
{
    static const struct {
        const char *name, *patched, *uid, *node;
    } cases[] = {
        { "another pod", "q", "u", NULL },
        { "a namesake", "p", "u2", NULL },
        { "a pod with a node", "p", "u", "n1" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig r;
        struct seen s;
        bool same;
        t_case(t, cases[i].name);
        start(&s, MST_KIND_POD, "PodScheduled");
        rig_start(&r, (struct mst_writer_options){ 0 });
        struct mst_effect e = rig_message(1, cases[i].patched, "new");
        e.uid = mst_str_of(cases[i].uid);
        rig_want(&r, e);
        if (cases[i].node)
            s.object.u.pod.spec.node_name = mst_sym_of_text(s.syms, cases[i].node);
        t_str(t, look(&r, &s, &same), OLD);
        t_ok(t, same);
        rig_stop(&r, t);
        stop(&s);
    }
}

static void test_overlay_of_groups(struct mst_test *t)
{
    struct rig r;
    struct seen s;
    bool same;
    start(&s, MST_KIND_POD_GROUP, "DisruptionTarget");
    rig_start(&r, (struct mst_writer_options){ 0 });
    rig_want(&r, rig_group(1, "p", "True"));
    t_str(t, look(&r, &s, &same),
          "Ready=X: ; DisruptionTarget=False: old; PodGroupInitiallyScheduled=True: ; ");
    s.object.kind = MST_KIND_NODE;
    t_ok(t, mst_writer_overlay(r.writer, s.syms, &s.object, &s.room, &s.arena) == &s.object);
    rig_stop(&r, t);
    stop(&s);
}

MST_TEST_MAIN(T(test_overlay_follows_the_patches), T(test_overlay_while_paused),
              T(test_overlay_of_others), T(test_overlay_of_groups))

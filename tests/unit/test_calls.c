/* Calls to extenders from the loop: in order, each answered once; nobody listens there. */
#include "daemon/calls.h"

#include <event2/event.h>

#include "plugins/registry.h"
#include "tap.h"

/* Port 1 of loopback: refused at once. */
static const char document[] =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "extenders: [{urlPrefix: 'http://127.0.0.1:1', filterVerb: filter}]\n";

struct rig {
    struct event_base *loop;
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_config config;
    struct mst_diags diags;
    struct mst_calls *calls;
    struct mst_buf answers;
    uint32_t count;
};

static void on_answer(void *ctx, const struct mst_event *event)
{
    struct rig *rig = ctx;
    rig->count++;
    mst_buf_printf(&rig->answers, "%s %d %s, ",
                   event->kind == MST_EVENT_EFFECT_FAILED ? "failed" : "done",
                   (int)event->effect_id,
                   memmem(event->reason.p, event->reason.n, "refused", 7) ? "refused" : "?");
}

static void write_pod(void *ctx, const struct mst_ext_pod *pod, struct mst_json_writer *w)
{
    (void)ctx;
    mst_jw_str(w, pod->name);
}

static void write_node(void *ctx, struct mst_str name, struct mst_json_writer *w)
{
    (void)ctx;
    mst_jw_str(w, name);
}

static void rig_init(struct rig *rig)
{
    struct mst_err err;
    *rig = (struct rig){ .loop = event_base_new(), .syms = mst_syms_new() };
    rig->registry = mst_plugins_registry();
    const bool ok =
        mst_config_read(&rig->config, &rig->registry, rig->syms, mst_str_of(document), &rig->diags);
    mst_assert(ok);
    const struct mst_calls_options options = { .loop = rig->loop,
                                               .config = &rig->config,
                                               .objects = { write_pod, write_node, NULL },
                                               .answer = on_answer,
                                               .ctx = rig };
    const mst_rc rc = mst_calls_new(&options, &rig->calls, &err);
    mst_assert(rc == MST_OK);
}

static void rig_done(struct rig *rig)
{
    mst_calls_free(rig->calls);
    mst_buf_done(&rig->answers);
    mst_config_done(&rig->config);
    mst_diags_done(&rig->diags);
    mst_syms_free(rig->syms);
    event_base_free(rig->loop);
}

static void call(struct rig *rig, uint64_t id)
{
    struct mst_str nodes[] = { MST_STR("n1") };
    struct mst_extender_call c = { .extender = &rig->config.extenders.v[0],
                                   .verb = MST_VERB_FILTER,
                                   .pod = { MST_STR("ns"), MST_STR("p"), MST_STR("u") },
                                   .nodes = { nodes, 1 } };
    const struct mst_effect e = { .id = id,
                                  .kind = MST_EFFECT_EXTENDER,
                                  .call = &c,
                                  .url = MST_STR("http://127.0.0.1:1/filter") };
    mst_calls_effect(rig->calls, &e);
    memset(&c, 0xff, sizeof(c)); /* what was given is not looked at later */
}

static void test_answers_in_order(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    for (uint64_t id = 1; id <= 3; id++)
        call(&rig, id);
    t_int(t, rig.count, 0); /* never from within the call */
    t_int(t, mst_calls_pending(rig.calls), 3);
    while (rig.count < 3)
        event_base_loop(rig.loop, EVLOOP_ONCE);
    t_str(t, mst_buf_span(&rig.answers), "failed 1 refused, failed 2 refused, failed 3 refused, ");
    t_int(t, mst_calls_pending(rig.calls), 0);
    rig_done(&rig);
}

static void test_freed_with_calls_waiting(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    for (uint64_t id = 1; id <= 20; id++)
        call(&rig, id);
    rig_done(&rig);
    t_int(t, rig.count, 0);
}

MST_TEST_MAIN(T(test_answers_in_order), T(test_freed_with_calls_waiting))

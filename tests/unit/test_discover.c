/* What is served is asked for once, and again until there is an answer. */
#include "daemon/discover.h"

#include "fake_client.h"
#include "tap.h"

struct rig {
    struct mst_client client;
    struct mst_discovery *discovery;
    struct mst_served_apis served;
    int told;
};

static void on_done(void *ctx, const struct mst_served_apis *served)
{
    struct rig *rig = ctx;
    rig->served = *served;
    rig->told++;
}

static void rig_init(struct rig *rig)
{
    *rig = (struct rig){ .client = { .loop = event_base_new() } };
    const struct mst_discovery_options options = {
        .loop = rig->client.loop, .client = &rig->client, .done = on_done, .ctx = rig
    };
    rig->discovery = mst_discovery_new(&options);
}

static void rig_done(struct rig *rig)
{
    mst_discovery_free(rig->discovery);
    event_base_free(rig->client.loop);
}

static void answer(struct mst_test *t, struct rig *rig, const char *path, int status,
                   const char *body)
{
    t_int(t, rig->client.n, 1);
    struct mst_request_handle *h = rig->client.pending[0];
    t_str(t, mst_buf_span(&h->path), path);
    const struct mst_reply reply = { .net = status ? MST_NET_OK : MST_NET_REFUSED,
                                     .status = status,
                                     .retry_after_s = -1,
                                     .body = mst_str_of(body),
                                     .problem = MST_STR("no") };
    fake_finish(h, &reply);
}

#define BETA "/apis/scheduling.k8s.io/v1beta1"
#define ALPHA "/apis/scheduling.k8s.io/v1alpha3"
#define GROUPS "{\"resources\":[{\"name\":\"workloads\"},{\"name\":\"podgroups\"}]}"
#define BOTH "{\"resources\":[{\"name\":\"podgroups\"},{\"name\":\"compositepodgroups\"}]}"

static const struct {
    const char *name;
    int beta_status;
    const char *beta;
    int alpha_status;
    const char *alpha, *version;
    bool composites;
} cases[] = {
    { "both versions", 200, GROUPS, 200, BOTH, "v1beta1", true },
    { "the old one only", 404, "", 200, GROUPS, "v1alpha3", false },
    { "none", 404, "", 404, "", NULL, false },
    { "a version without groups", 200, "{\"resources\":[]}", 404, "", NULL, false },
    { "not allowed to look", 403, "", 403, "", "v1beta1", false },
    { "no JSON", 200, "]", 200, "{}", NULL, false },
    { "wrong types", 200, "{\"resources\":[1,{\"name\":2}]}", 200, "{\"resources\":7}", NULL,
      false },
};

static void test_versions(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig rig;
        t_case(t, cases[i].name);
        rig_init(&rig);
        answer(t, &rig, BETA, cases[i].beta_status, cases[i].beta);
        t_int(t, rig.told, 0);
        answer(t, &rig, ALPHA, cases[i].alpha_status, cases[i].alpha);
        t_int(t, rig.told, 1);
        if (cases[i].version)
            t_text(t, rig.served.group_version ? rig.served.group_version : "-", cases[i].version);
        else
            t_ok(t, !rig.served.group_version);
        t_bool(t, rig.served.composites, cases[i].composites);
        rig_done(&rig);
    }
}

/* A server that is not there yet is asked again; freeing in between leaves nothing behind. */
static void test_asks_again(struct mst_test *t)
{
    static const int failures[] = { 0, 503, 500 };
    struct rig rig;
    rig_init(&rig);
    for (size_t i = 0; i < MST_COUNT(failures); i++) {
        answer(t, &rig, BETA, failures[i], "");
        t_int(t, rig.client.n, 0);
        event_base_loop(rig.client.loop, EVLOOP_ONCE);
        t_int(t, rig.client.n, 1);
    }
    answer(t, &rig, BETA, 200, GROUPS);
    t_int(t, rig.client.n, 1);
    rig_done(&rig);
    t_int(t, rig.client.n, 0);
    t_int(t, rig.told, 0);
}

MST_TEST_MAIN(T(test_versions), T(test_asks_again))

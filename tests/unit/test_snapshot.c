/* A cluster is listed kind by kind and page by page; what cannot be had is told apart. */
#include "daemon/snapshot.h"

#include "daemon/followed.h"
#include "fake_client.h"
#include "tap.h"

struct rig {
    struct mst_client client;
    struct mst_snapshot *snapshot;
    uint32_t told, progress;
    bool failed;
    struct mst_err err;
};

static void on_done(void *ctx, const struct mst_err *err)
{
    struct rig *rig = ctx;
    rig->told++;
    rig->failed = err != NULL;
    if (err)
        rig->err = *err;
}

static void on_progress(void *ctx)
{
    ((struct rig *)ctx)->progress++;
}

static void rig_init(struct rig *rig)
{
    *rig = (struct rig){ .told = 0 };
    fake_init(&rig->client);
    const struct mst_snapshot_options options = {
        .loop = rig->client.loop,
        .client = &rig->client,
        .retry_min_ms = 1,
        .done = on_done,
        .progress = on_progress,
        .ctx = rig,
    };
    rig->snapshot = mst_snapshot_new(&options);
}

static void rig_done(struct rig *rig)
{
    mst_snapshot_free(rig->snapshot);
    fake_done(&rig->client);
}

/* The oldest question, which must be for this path; NULL when there is none. */
static struct mst_request_handle *next(struct rig *rig)
{
    return fake_next(&rig->client, 2000);
}

static bool asks(const struct mst_request_handle *h, const char *resource)
{
    return strstr(h->path.p, resource) != NULL;
}

#define EMPTY "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}"
#define TWO "{\"kind\":\"NodeList\",\"items\":[{\"a\":[]},{\"b\":{}}],\"metadata\":{}}"
#define PAGE1 "{\"metadata\":{\"continue\":\"t/1+=\"},\"items\":[{\"n\":1}]}"
#define PAGE2 "{\"metadata\":{\"continue\":\"\"},\"items\":[{\"n\":2}]}"

/* Answers all that is asked with `status` for this resource, with an empty list for the others. */
static void answer_all(struct rig *rig, const char *resource, int status, const char *body)
{
    while (!rig->told) {
        struct mst_request_handle *h = next(rig);
        mst_assert(h);
        if (resource && asks(h, resource))
            fake_answer(h, status, body);
        else
            fake_answer(h, 200, EMPTY);
    }
}

static uint32_t documents(const struct rig *rig, const struct mst_snapshot_document **out)
{
    uint32_t count;
    *out = mst_snapshot_documents(rig->snapshot, &count);
    return count;
}

static const struct mst_snapshot_document *document(const struct rig *rig, const char *label)
{
    const struct mst_snapshot_document *list;
    const uint32_t count = documents(rig, &list);
    for (uint32_t i = 0; i < count; i++)
        if (mst_str_is(list[i].label, label))
            return &list[i];
    return NULL;
}

static void test_snapshot_lists_every_kind(struct mst_test *t)
{
    struct rig rig;
    uint32_t fixed;
    (void)mst_followed_fixed(&fixed);
    rig_init(&rig);
    t_int(t, rig.client.n, 0); /* nothing from within mst_snapshot_new */
    struct mst_request_handle *h = next(&rig);
    t_ok(t, h && asks(h, "/api/v1/nodes?limit=500"));
    t_int(t, rig.client.n, 4); /* some at a time */
    t_str(t, mst_buf_span(&rig.client.pending[2]->path),
          "/api/v1/pods?limit=500&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3D"
          "Failed");
    answer_all(&rig, "/nodes", 200, TWO);
    t_bool(t, rig.failed, false);
    t_int(t, rig.told, 1);
    /* Groups in the newest version only, composites, priority classes. */
    t_int(t, rig.client.sent, fixed + 3);
    t_int(t, rig.progress, fixed + 3);
    const struct mst_snapshot_document *list;
    t_int(t, documents(&rig, &list), fixed + 3);
    t_str(t, list[0].label, "cluster/nodes");
    t_str(t, list[0].text, TWO);
    t_str(t, list[fixed].label, "cluster/podgroups");
    t_str(t, list[fixed + 2].label, "cluster/priorityclasses");
    t_int(t, mst_snapshot_stats_of(rig.snapshot).objects, 2);
    rig_done(&rig);
}

static void test_snapshot_pages(struct mst_test *t)
{
    struct rig rig;
    uint32_t pages = 0;
    rig_init(&rig);
    while (!rig.told) {
        struct mst_request_handle *h = next(&rig);
        mst_assert(h);
        if (!asks(h, "/api/v1/nodes")) {
            fake_answer(h, 200, EMPTY);
            continue;
        }
        if (pages++)
            t_str(t, mst_buf_span(&h->path), "/api/v1/nodes?limit=500&continue=t%2F1%2B%3D");
        fake_answer(h, 200, pages == 1 ? PAGE1 : PAGE2);
    }
    t_int(t, pages, 2);
    t_ok(t, document(&rig, "cluster/nodes") && document(&rig, "cluster/nodes#2"));
    t_str(t, document(&rig, "cluster/nodes#2")->text, PAGE2);
    rig_done(&rig);
}

/* What the pages before said is forgotten when the token is too old. */
static void test_snapshot_begins_again_after_410(struct mst_test *t)
{
    struct rig rig;
    uint32_t asked = 0;
    rig_init(&rig);
    while (!rig.told) {
        struct mst_request_handle *h = next(&rig);
        mst_assert(h);
        if (!asks(h, "/api/v1/nodes")) {
            fake_answer(h, 200, EMPTY);
            continue;
        }
        asked++;
        t_bool(t, asks(h, "continue="), asked == 2);
        fake_answer(h, asked == 2 ? 410 : 200, asked == 1 ? PAGE1 : asked == 2 ? "old" : TWO);
    }
    t_int(t, asked, 3);
    t_bool(t, rig.failed, false);
    t_str(t, document(&rig, "cluster/nodes")->text, TWO);
    t_ok(t, !document(&rig, "cluster/nodes#2"));
    t_int(t, mst_snapshot_stats_of(rig.snapshot).objects, 2);
    rig_done(&rig);
}

static void test_snapshot_410_has_an_end(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    answer_all(&rig, "/api/v1/nodes", 410, "too old");
    t_bool(t, rig.failed, true);
    t_ok(t, strstr(rig.err.text, "list nodes: the server answers 410: too old"));
    rig_done(&rig);
}

static void test_snapshot_without_groups(struct mst_test *t)
{
    static const struct {
        const char *name, *resource;
        int status;
        uint32_t notes;
    } cases[] = {
        { "not served", "podgroups", 404, 0 },
        { "not allowed", "/podgroups", 403, 1 },
        { "no priority classes", "priorityclasses", 403, 1 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig rig;
        uint32_t notes;
        t_case(t, cases[i].name);
        rig_init(&rig);
        answer_all(&rig, cases[i].resource, cases[i].status, "no");
        t_bool(t, rig.failed, false);
        const struct mst_str *list = mst_snapshot_notes(rig.snapshot, &notes);
        t_int(t, notes, cases[i].notes);
        if (notes)
            t_ok(t, memmem(list[0].p, list[0].n, "scheduling.k8s.io", 17) != NULL);
        t_ok(t, !document(&rig, "cluster/podgroups") == (i < 2));
        rig_done(&rig);
    }
}

static void test_snapshot_older_groups(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    while (!rig.told) {
        struct mst_request_handle *h = next(&rig);
        mst_assert(h);
        const bool groups = asks(h, "/v1alpha3/podgroups");
        fake_answer(h, asks(h, "/v1beta1/podgroups") ? 404 : 200, groups ? TWO : EMPTY);
    }
    t_str(t, document(&rig, "cluster/podgroups")->text, TWO);
    rig_done(&rig);
}

static void test_snapshot_refusals(struct mst_test *t)
{
    static const struct {
        const char *name;
        int status;
        const char *body, *want;
    } cases[] = {
        { "forbidden", 403, "nodes is forbidden",
          "list nodes: 403 Forbidden: nodes is forbidden; a ClusterRole that allows it has the "
          "rule apiGroups: [\"\"], resources: [\"nodes\"], verbs: [\"list\"]" },
        { "unauthorized", 401, "who?", "look at the user of the kubeconfig's context" },
        { "no such kind", 404, "nothing here", "list nodes: the server answers 404: nothing here" },
        { "no list", 200, "<html>", "is this a Kubernetes API server?" },
        { "a list without items", 200, "{\"metadata\":{}}", "is this a Kubernetes API server?" },
        { "items of another type", 200, "{\"items\":[1]}", "is this a Kubernetes API server?" },
        { "cut off", 200, "{\"items\":[{\"a\":1}", "is this a Kubernetes API server?" },
        { "unwell", 503, "etcd is gone", "the server answers 503: etcd is gone" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig rig;
        t_case(t, cases[i].name);
        rig_init(&rig);
        answer_all(&rig, "/api/v1/nodes", cases[i].status, cases[i].body);
        t_bool(t, rig.failed, true);
        t_int(t, rig.told, 1);
        t_int(t, rig.client.n, 0); /* nothing is under way any more */
        if (!strstr(rig.err.text, cases[i].want))
            t_fail(t, "\"%s\" lacks \"%s\"", rig.err.text, cases[i].want);
        rig_done(&rig);
    }
}

/* A server that is busy, or a connection that breaks, is asked again; a closed port is not. */
static void test_snapshot_asks_again(struct mst_test *t)
{
    static const struct {
        const char *name;
        int status; /* 0: `net` */
        mst_net net;
        bool again;
    } cases[] = {
        { "busy", 429, MST_NET_OK, true },         { "unwell", 500, MST_NET_OK, true },
        { "broken", 0, MST_NET_BROKEN, true },     { "slow", 0, MST_NET_TIMEOUT, true },
        { "refused", 0, MST_NET_REFUSED, false },  { "certificates", 0, MST_NET_TLS, false },
        { "credentials", 0, MST_NET_AUTH, false },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        struct rig rig;
        t_case(t, cases[i].name);
        rig_init(&rig);
        struct mst_request_handle *h = next(&rig);
        t_ok(t, h && asks(h, "/api/v1/nodes"));
        if (cases[i].status)
            fake_answer(h, cases[i].status, "wait");
        else
            fake_fail(h, cases[i].net);
        t_bool(t, rig.told == 0, cases[i].again);
        answer_all(&rig, NULL, 0, NULL);
        t_bool(t, rig.failed, !cases[i].again);
        t_ok(t, !cases[i].again == !document(&rig, "cluster/nodes"));
        rig_done(&rig);
    }
}

static void test_snapshot_can_be_left(struct mst_test *t)
{
    struct rig rig;
    rig_init(&rig);
    t_ok(t, next(&rig) != NULL);
    mst_snapshot_free(rig.snapshot);
    t_int(t, rig.client.cancelled, 4);
    fake_done(&rig.client);
    mst_snapshot_free(NULL);
}

MST_TEST_MAIN(T(test_snapshot_lists_every_kind), T(test_snapshot_pages),
              T(test_snapshot_begins_again_after_410), T(test_snapshot_410_has_an_end),
              T(test_snapshot_without_groups), T(test_snapshot_older_groups),
              T(test_snapshot_refusals), T(test_snapshot_asks_again), T(test_snapshot_can_be_left))

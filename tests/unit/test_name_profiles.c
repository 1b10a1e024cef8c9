/* Every schedulerName that waiting pods of a cluster have is a profile. */
#include "cli/name_profiles.h"

#include "sim_fixture.h"

#define STORED "uid: u-1, resourceVersion: \"7\""
#define WAITS(name, more, spec)                                                                    \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", namespace: default, " more "}\n"        \
    "spec: {" spec " containers: [{name: main, image: i}]}\n---\n"
#define BY(scheduler) "schedulerName: " scheduler ","

/* The names of the profiles, with a blank between them. */
static void names_of(const char *text, struct mst_buf *names, struct mst_buf *document)
{
    struct fixture f;
    fixture_init(&f, ".yaml", text);
    MST_AUTO(mst_buf) diags = { 0 };
    fixture_diags(&f, &diags);
    if (!f.loaded)
        fprintf(stderr, "%.*s", MST_ARG(mst_buf_span(&diags)));
    mst_assert(f.loaded);
    f.config.upstream = true;
    f.config.gates.minor = 35;
    mst_name_profiles(&f.config, &f.registry, &f.scenario, document);
    mst_assert(f.config.upstream && f.config.gates.minor == 35);
    names->n = 0;
    for (uint32_t i = 0; i < f.config.profiles.n; i++)
        mst_buf_printf(names, "%s%.*s", i ? " " : "",
                       MST_ARG(f.config.profiles.v[i].scheduler_name));
    for (uint32_t i = 1; i < f.config.profiles.n; i++)
        mst_assert(f.config.profiles.v[i].plugin_count == f.config.profiles.v[0].plugin_count);
    fixture_done(&f);
}

static void test_name_profiles_of_a_cluster(struct mst_test *t)
{
    MST_AUTO(mst_buf) names = { 0 };
    MST_AUTO(mst_buf) document = { 0 };
    names_of(WAITS("a", STORED, BY("zebra")) WAITS("b", STORED, "") WAITS("c", STORED, BY("muster"))
                 WAITS("d", STORED, BY("zebra")) WAITS("e", STORED, BY("gone") "nodeName: node-1,"),
             &names, &document);
    t_str(t, mst_buf_span(&names), "default-scheduler zebra muster");
    t_str(t, mst_buf_span(&document),
          "{\"apiVersion\":\"kubescheduler.config.k8s.io/v1\","
          "\"kind\":\"KubeSchedulerConfiguration\",\"profiles\":["
          "{\"schedulerName\":\"default-scheduler\"},{\"schedulerName\":\"zebra\"},"
          "{\"schedulerName\":\"muster\"}]}\n");
    /* A pod that somebody adds to a cluster counts as well. */
    document.n = 0;
    names_of(WAITS("a", STORED, "") WAITS("b", "labels: {}", BY("muster")), &names, &document);
    t_str(t, mst_buf_span(&names), "default-scheduler muster");
}

static void test_name_profiles_not_needed(struct mst_test *t)
{
    MST_AUTO(mst_buf) names = { 0 };
    MST_AUTO(mst_buf) document = { 0 };
    /* Written by a person, in a namespace that nobody wrote. */
    names_of(WAITS("a", "labels: {}", BY("other")), &names, &document);
    t_str(t, mst_buf_span(&names), "default-scheduler");
    names_of(WAITS("a", STORED, "") WAITS("b", STORED, BY("default-scheduler")), &names, &document);
    t_str(t, mst_buf_span(&names), "default-scheduler");
    names_of(WAITS("a", STORED, BY("\"no word\"")) WAITS("b", STORED, BY("\"n\\u00f6\"")), &names,
             &document);
    t_str(t, mst_buf_span(&names), "default-scheduler");
    t_int(t, (long long)document.n, 0);
}

static void test_name_profiles_too_many(struct mst_test *t)
{
    MST_AUTO(mst_buf) text = { 0 };
    MST_AUTO(mst_buf) names = { 0 };
    MST_AUTO(mst_buf) document = { 0 };
    for (uint32_t i = 0; i < 1005; i++)
        mst_buf_printf(&text,
                       "{apiVersion: v1, kind: Pod, metadata: {name: p%u, namespace: a, " STORED
                       "}, spec: {schedulerName: s%u, containers: [{name: m, image: i}]}}\n---\n",
                       i, i);
    mst_buf_char(&text, '\0');
    names_of(text.p, &names, &document);
    uint32_t count = 1;
    for (size_t i = 0; i < names.n; i++)
        count += names.p[i] == ' ';
    t_int(t, count, 1000);
}

MST_TEST_MAIN(T(test_name_profiles_of_a_cluster), T(test_name_profiles_not_needed),
              T(test_name_profiles_too_many))

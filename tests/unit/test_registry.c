/* The linked plugins against the configuration's table of names. */
#include "framework/config.h"
#include "plugins/registry.h"
#include "tap.h"

static void test_registry_names_are_unique(struct mst_test *t)
{
    const struct mst_registry registry = mst_plugins_registry();
    t_int(t, registry.n, 20);
    for (uint32_t i = 0; i < registry.n; i++)
        for (uint32_t k = 0; k < i; k++)
            t_ok(t, strcmp(registry.v[i]->name, registry.v[k]->name) != 0);
}

/* What the registry's own fields say is what the default set has. */
static void test_registry_agrees_with_the_default_set(struct mst_test *t)
{
    const struct mst_registry registry = mst_plugins_registry();
    struct mst_config config = { 0 };
    mst_gates_default(&config.gates, false);
    mst_config_default(&config, &registry);
    const struct mst_cfg_profile *profile = &config.profiles.v[0];
    t_int(t, profile->plugin_count, registry.n);
    for (uint32_t i = 0; i < registry.n; i++) {
        const struct mst_plugin *plugin = registry.v[i];
        int64_t weight = 0;
        t_case(t, plugin->name);
        t_ok(t, profile->plugins[i].plugin == plugin);
        for (uint32_t k = 0; k < profile->points[MST_CFG_SCORE].n; k++)
            if (profile->points[MST_CFG_SCORE].v[k].plugin == plugin)
                weight = profile->points[MST_CFG_SCORE].v[k].weight;
        t_int(t, plugin->default_weight, weight);
        t_bool(t, plugin->score != NULL, weight != 0);
        t_bool(t, plugin->filter != NULL, plugin->pre_filter != NULL);
        t_ok(t, plugin->filter == NULL || plugin->explain != NULL);
        t_ok(t, (plugin->init != NULL) == (plugin->done != NULL));
        t_ok(t, plugin->event_count == 0 || plugin->events != NULL);
    }
    mst_config_done(&config);
}

/* The filters in the order of the default set: the first that rejects names the reason. */
static void test_registry_order_of_filters(struct mst_test *t)
{
    static const char *const order[] = {
        "NodeName",
        "NodeUnschedulable",
        "TaintToleration",
        "NodeAffinity",
        "NodePorts",
        "NodeResourcesFit",
        "VolumeRestrictions",
        "NodeVolumeLimits",
        "VolumeBinding",
        "VolumeZone",
        "PodTopologySpread",
        "InterPodAffinity",
        "NodeDeclaredFeatures",
    };
    const struct mst_registry registry = mst_plugins_registry();
    struct mst_config config = { .upstream = true };
    mst_gates_default(&config.gates, true);
    mst_config_default(&config, &registry);
    const struct mst_cfg_profile *profile = &config.profiles.v[0];
    t_int(t, profile->points[MST_CFG_FILTER].n, MST_COUNT(order));
    for (uint32_t i = 0; i < MST_COUNT(order); i++)
        t_text(t, profile->points[MST_CFG_FILTER].v[i].plugin->name, order[i]);
    mst_config_done(&config);
}

MST_TEST_MAIN(T(test_registry_names_are_unique), T(test_registry_agrees_with_the_default_set),
              T(test_registry_order_of_filters))

/*
 * registry.c - the list of the plugins that are linked in.
 *
 * Owns:       nothing but the constant table.
 * Invariants: the order is that of the default set (spec/plugins.md 1); names are unique.
 */
#include "plugins/registry.h"

static const struct mst_plugin *const plugins[] = {
#define MST_PLUGIN(name) &mst_plugin_##name,
#include "plugins/registry.def"
#undef MST_PLUGIN
};

_Static_assert(MST_COUNT(plugins) <= MST_SLOTS_MAX, "a profile has a slot for every plugin");

struct mst_registry mst_plugins_registry(void)
{
    return (struct mst_registry){ plugins, MST_COUNT(plugins) };
}

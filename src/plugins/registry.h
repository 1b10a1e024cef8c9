/*
 * registry.h - the plugins that are linked in. Adding one: a file and a line in registry.def.
 */
#ifndef MST_PLUGINS_REGISTRY_H
#define MST_PLUGINS_REGISTRY_H

#include "framework/plugin.h"

#define MST_PLUGIN(name) extern const struct mst_plugin mst_plugin_##name;
#include "plugins/registry.def"
#undef MST_PLUGIN

/* All of them, in the order of the default set. The list is static. */
struct mst_registry mst_plugins_registry(void);

#endif

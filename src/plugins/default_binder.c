/*
 * DefaultBinder - binds a pod through its binding subresource.
 * Reads: nothing here: binding is an effect that the host carries out.  Requeue on: nothing.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/defaultbinder/default_binder.go
 */
#include "plugins/registry.h"

const struct mst_plugin mst_plugin_default_binder = {
    .name = "DefaultBinder",
    .points = MST_POINT_BIND,
    .reads = MST_READS_NODE,
};

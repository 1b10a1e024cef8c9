/*
 * name_profiles.h - profiles for the schedulers that the pods of a cluster name.
 *
 * Who asks why a pod of a cluster waits seldom has the configuration of its scheduler at hand. So
 * without one, every spec.schedulerName that pods which wait name counts as a profile of its own,
 * with the default plugins, beside default-scheduler.
 *
 * Not here:   manifests that no server has stored: there a name that is not configured is the name
 *             of somebody else's scheduler, as in a cluster.
 */
#ifndef MST_NAME_PROFILES_H
#define MST_NAME_PROFILES_H

#include "framework/config.h"
#include "sim/scenario.h"

/*
 * Replaces `config`, which is the default one, if the scenario has objects of a cluster and other
 * names than default-scheduler in it. `ret_text` is set to the KubeSchedulerConfiguration that says
 * so, for recordings, or left empty. More names than a configuration may have are left out.
 */
void mst_name_profiles(struct mst_config *config, const struct mst_registry *registry,
                       const struct mst_scenario *scenario, struct mst_buf *ret_text);

#endif

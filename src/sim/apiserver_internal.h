/*
 * apiserver_internal.h - what apiserver.c and api_effects.c share.
 */
#ifndef MST_APISERVER_INTERNAL_H
#define MST_APISERVER_INTERNAL_H

#include "sim/apiserver.h"

/* A new resourceVersion, and the watcher told. */
void mst_apiserver_publish(struct mst_apiserver *server, struct mst_served *served);
void mst_apiserver_schedule(struct mst_apiserver *server, struct mst_due due);
/* The pod has a node from now on: its run begins. */
void mst_apiserver_started(struct mst_apiserver *server, struct mst_served *served);
/* As a DELETE call by somebody: with the pod's grace period. */
void mst_apiserver_delete(struct mst_apiserver *server, struct mst_served *served);
/* A new object that no document of the scenario describes, as if it came with document `doc`. */
struct mst_served *mst_apiserver_add(struct mst_apiserver *server, const struct mst_object *object,
                                     uint32_t doc);
/* Updates of volumes and claims, and what the volume controller makes of them. */
void mst_apiserver_volume_effect(struct mst_apiserver *server, const struct mst_effect *effect,
                                 struct mst_str *ret_error);

#endif

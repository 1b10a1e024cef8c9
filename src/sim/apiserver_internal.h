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

#endif

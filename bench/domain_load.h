/*
 * domain_load.h - clusters and pods that speak about pods, for the benchmarks of the plugins that
 * count pods: the shapes of kube-scheduler's scheduler_perf, made one object at a time.
 *
 * Owns:       the texts and lists of the object made last.
 * Borrows:    the symbols.
 * Invariants: the object number i of a kind is the same on every run and machine.
 */
#ifndef MST_BENCH_DOMAIN_LOAD_H
#define MST_BENCH_DOMAIN_LOAD_H

#include "api/types.h"

typedef enum {
    MST_DOMAIN_ANTI,         /* required anti-affinity by host */
    MST_DOMAIN_AFFINITY,     /* required affinity by zone */
    MST_DOMAIN_PREFERRED,    /* half prefer hosts with their like, half hosts without */
    MST_DOMAIN_SPREAD,       /* over zones, DoNotSchedule */
    MST_DOMAIN_SPREAD_SOFT,  /* over zones, ScheduleAnyway */
    MST_DOMAIN_SPREAD_LISTS, /* by the built-in constraints: a Service selects the pods */
    MST_DOMAIN_NS_SELECTOR,  /* as the first, in all namespaces of one label */
} mst_domain_kind;

/* Pods are numbered through: those that are there before, then those that are measured. */
struct mst_domain_shape {
    mst_domain_kind kind;
    uint32_t node_count, zone_count;
    uint32_t before_count, measured_count;
    uint32_t namespace_count; /* of the pods before; the measured ones are in one more */
};

enum { MST_DOMAIN_TEXT = 48, MST_DOMAIN_LABELS = 3 };

struct mst_domain_load {
    struct mst_domain_shape shape;
    struct mst_syms *syms;
    mst_sym scheduler_name; /* set by the user before the first pod */
    struct mst_object object;
    char name[MST_DOMAIN_TEXT], uid[MST_DOMAIN_TEXT];
    struct mst_label labels[MST_DOMAIN_LABELS], like[1], team[1];
    struct mst_resource resources[4];
    struct mst_container container;
    mst_sym namespaces[2];
    struct mst_weighted_pod_affinity_term term;
    struct mst_spread_constraint spread;
};

void mst_domain_load_init(struct mst_domain_load *load, struct mst_syms *syms,
                          const struct mst_domain_shape *shape);

static inline uint32_t mst_domain_pod_count(const struct mst_domain_shape *shape)
{
    return shape->before_count + shape->measured_count;
}

/* Each object is good until the next call. i <= namespace_count. */
const struct mst_object *mst_domain_namespace(struct mst_domain_load *load, uint32_t i);
const struct mst_object *mst_domain_node(struct mst_domain_load *load, uint32_t i);
/* Selects the measured pods of MST_DOMAIN_SPREAD_LISTS. */
const struct mst_object *mst_domain_service(struct mst_domain_load *load);
const struct mst_object *mst_domain_pod(struct mst_domain_load *load, uint32_t i);

#endif

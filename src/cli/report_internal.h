/*
 * report_internal.h - what the files of the report share.
 */
#ifndef MST_REPORT_INTERNAL_H
#define MST_REPORT_INTERNAL_H

#include "cli/report.h"
#include "cli/table.h"

/* What a pod or a group is up to, in one word, with how it should look. */
struct mst_standing {
    const char *word;
    mst_style style;
    struct mst_str reason; /* absent when there is nothing to say */
};

struct mst_reporting {
    struct mst_run *run;
    const struct mst_report_options *options;
    struct mst_arena arena;
    const uint32_t *order; /* indices of the server's objects, by document */
    /* groups, in order of first arrival; filled by mst_report_groups_collect */
    MST_VEC(struct mst_group_stat) groups;
    struct mst_map group_ids; /* "PodGroup/ns/name" -> index into groups */
};

struct mst_group_stat {
    uint32_t served;  /* index */
    uint32_t members; /* that live or have finished */
    uint32_t bound;   /* that have, or had until they finished, a node */
    uint32_t finished;
    uint32_t pending_pod; /* served index of the first member without a node, UINT32_MAX: none */
    int64_t first_ns;     /* arrival of the first member */
    MST_VEC(int64_t) bound_ns;
    int64_t quorum_ns; /* when min_count members had a node; MST_NEVER: never */
};

/* "name" in namespace default, else "ns/name". */
struct mst_str mst_report_name(struct mst_reporting *r, const struct mst_object *object);
struct mst_standing mst_report_pod_standing(struct mst_reporting *r, const struct mst_served *pod);
const struct mst_condition *mst_report_condition(const mst_conditions *list, const char *type);
/* The core of a message that wraps another one: for narrow tables. */
struct mst_str mst_report_short(struct mst_str reason);
/* An amount of a resource for people: "12", "500m" CPU, "6.5Gi", "4". */
struct mst_str mst_report_amount(struct mst_arena *arena, struct mst_str name, int64_t amount);
/* A time span for people, rounded to the millisecond. */
void mst_report_span(int64_t ns, struct mst_buf *out);

/* Fills r->groups and r->group_ids from the run; r->order must be set. Once per report. */
void mst_report_groups_collect(struct mst_reporting *r);
/* The table of groups and an empty line; nothing when there is no group. */
void mst_report_groups_print(struct mst_reporting *r, struct mst_buf *out);
void mst_report_groups_done(struct mst_reporting *r);
/* Enough members have a node, but others wait. */
bool mst_report_group_partial(struct mst_reporting *r, const struct mst_group_stat *stat);
bool mst_report_group_scheduled(struct mst_reporting *r, const struct mst_group_stat *stat);
/* The summary and the use of resources; `wide`: also per node. */
void mst_report_summary_print(struct mst_reporting *r, struct mst_buf *out);

#endif

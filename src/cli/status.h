/*
 * status.h - how PodGroups and lone pods stand: what the objects say, nothing attempted.
 *
 * Owns:       one entry per group. Borrows scenario and symbols.
 * Invariants: groups are sorted by namespace and name; a pod is counted once, in its group or as a
 *             lone one; pods that ran to their end are not counted.
 */
#ifndef MST_STATUS_H
#define MST_STATUS_H

#include "cli/live.h"
#include "cli/table.h"
#include "sim/scenario.h"

struct mst_group_status {
    const struct mst_object *object; /* NULL: pods name it, but it is not there */
    struct mst_str ns, name;
    uint32_t members, bound, running, pending, gated;
    MST_VEC(mst_sym) nodes;       /* of its members, each once, by name */
    const struct mst_pod *waiter; /* its first member without a node */
    const char *state;
    mst_style style;
    struct mst_str message;
};

struct mst_status_list {
    struct mst_syms *syms;
    struct mst_arena arena;
    MST_VEC(struct mst_group_status) groups;
    uint32_t lone_unschedulable, lone_gated, lone_untried; /* pods without group and node */
    uint32_t pending;                                      /* pods, those of groups included */
};

/* Of everything that is there from the start, in the scope. */
void mst_status_collect(struct mst_status_list *list, const struct mst_scenario *scenario,
                        const struct mst_scope *scope);
void mst_status_done(struct mst_status_list *list);

/* A table and what is to be said of lone pods. `now_s`: what ages count to. */
void mst_status_print(struct mst_status_list *list, int64_t now_s, bool wide, bool colours,
                      struct mst_buf *out);
void mst_status_json(struct mst_status_list *list, int64_t now_s, struct mst_buf *out);

#endif

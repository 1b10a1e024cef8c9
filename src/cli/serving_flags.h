/*
 * serving_flags.h - the flags of `muster scheduler` about its HTTPS port, and what is asked there.
 */
#ifndef MST_SERVING_FLAGS_H
#define MST_SERVING_FLAGS_H

#include "cli/command.h"
#include "daemon/serving.h"

/* What was read; texts point into the command line or live in `arena`. */
struct mst_serving_setup {
    struct mst_arena arena;
    struct mst_connection reviews; /* of --authentication-kubeconfig, --authorization-kubeconfig */
    struct mst_serving_flags flags;
};

/* False after errors were printed; `out` must be freed all the same. */
bool mst_serving_flags_read(const struct mst_args *args, struct mst_serving_setup *out);
void mst_serving_setup_done(struct mst_serving_setup *setup);

/* As mst_serving_options.explain. */
int mst_serving_explain(void *ctx, struct mst_engine *engine, int64_t now_ns, struct mst_str kind,
                        struct mst_str ns, struct mst_str name, bool json, struct mst_buf *out);

#endif

/*
 * sim_fixture.h - a scenario from a text, for the tests of the simulator.
 */
#ifndef MST_SIM_FIXTURE_H
#define MST_SIM_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/rng.h"
#include "plugins/registry.h"
#include "sim/run.h"
#include "tap.h"

struct fixture {
    struct mst_syms *syms;
    struct mst_registry registry;
    struct mst_config config;
    struct mst_scenario scenario;
    struct mst_diags diags;
    char path[64];
    bool loaded;
};

/* `suffix` of the file: ".yaml" or ".json". */
static inline void fixture_init(struct fixture *f, const char *suffix, const char *text)
{
    *f = (struct fixture){ .syms = mst_syms_new(), .registry = mst_plugins_registry() };
    mst_gates_default(&f->config.gates, false);
    mst_config_default(&f->config, &f->registry);
    snprintf(f->path, sizeof(f->path), "/tmp/muster-test-XXXXXX%s", suffix);
    int fd = mkstemps(f->path, (int)strlen(suffix));
    mst_assert(fd >= 0);
    mst_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    const char *paths[] = { f->path };
    f->loaded = mst_scenario_load(&f->scenario, f->syms, &f->config.gates, f->config.upstream,
                                  paths, 1, &f->diags);
    unlink(f->path);
}

static inline void fixture_done(struct fixture *f)
{
    mst_scenario_done(&f->scenario);
    mst_config_done(&f->config);
    mst_diags_done(&f->diags);
    mst_syms_free(f->syms);
}

/* All that is wrong as one text, places and all, without the name of the file. */
static inline void fixture_diags(const struct fixture *f, struct mst_buf *out)
{
    for (uint32_t i = 0; i < f->diags.list.n; i++) {
        struct mst_diag diag = f->diags.list.v[i];
        diag.file = MST_STR("FILE");
        mst_diag_print(&diag, out);
    }
}

static inline struct mst_run_options fixture_options(struct fixture *f)
{
    return (struct mst_run_options){ .scenario = &f->scenario,
                                     .config = &f->config,
                                     .registry = &f->registry,
                                     .until_ns = MST_NEVER };
}

#define NODE(name, cpu)                                                                            \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n"                                     \
    "status: {allocatable: {cpu: \"" cpu "\", memory: 8Gi, pods: \"110\"}}\n---\n"
#define GANG(name, min)                                                                            \
    "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: " name "}\n"          \
    "spec: {schedulingPolicy: {gang: {minCount: " min "}}}\n---\n"
/* `annotations` and `spec` are flow maps' contents, ending in ", " when not empty. */
#define POD(name, annotations, spec, cpu)                                                          \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", annotations: {" annotations "}}\n"      \
    "spec: {" spec "containers: [{name: main, image: i, resources: {requests: {cpu: \"" cpu        \
    "\"}}}]}\n---\n"
#define MEMBER(name, group, cpu) POD(name, "", "schedulingGroup: {podGroupName: " group "}, ", cpu)

#endif

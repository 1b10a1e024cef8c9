/* The table of what is followed: consistent with itself and with the kinds. */
#include "daemon/followed.h"

#include "api/api.h"
#include "tap.h"

/* The path ends in the resource and names the group. */
static void check(struct mst_test *t, const struct mst_followed *f)
{
    t_case(t, f->path);
    const char *slash = strrchr(f->path, '/');
    t_ok(t, slash && strcmp(slash + 1, f->resource) == 0);
    t_bool(t, strncmp(f->path, "/api/v1/", 8) == 0, f->group[0] == 0);
    t_ok(t, !f->group[0] || strstr(f->path, f->group));
    t_ok(t, f->kind != MST_KIND_UNKNOWN && f->kind != MST_KIND_COUNT);
}

static void test_followed_table(struct mst_test *t)
{
    uint32_t count, group_count;
    bool seen[MST_KIND_COUNT] = { false };
    const struct mst_followed *fixed = mst_followed_fixed(&count);
    for (uint32_t i = 0; i < count; i++) {
        check(t, &fixed[i]);
        t_ok(t, !seen[fixed[i].kind] && !fixed[i].optional);
        seen[fixed[i].kind] = true;
    }
    t_int(t, fixed[0].kind, MST_KIND_NODE);
    const struct mst_followed *groups = mst_followed_groups(&group_count);
    for (uint32_t i = 0; i < group_count; i++) {
        check(t, &groups[i]);
        t_ok(t, groups[i].kind == MST_KIND_POD_GROUP && groups[i].optional);
    }
    t_str(t, mst_followed_version(&groups[0]), "v1beta1");
    t_str(t, mst_followed_version(&groups[1]), "v1alpha3");
    check(t, mst_followed_composites());
    check(t, mst_followed_classes());
    /* Every kind is followed once; workloads are nobody's business here. */
    seen[MST_KIND_UNKNOWN] = seen[MST_KIND_WORKLOAD] = true;
    seen[MST_KIND_POD_GROUP] = seen[MST_KIND_COMPOSITE_POD_GROUP] = true;
    seen[MST_KIND_PRIORITY_CLASS] = true;
    for (int kind = 0; kind < MST_KIND_COUNT; kind++) {
        t_case(t, mst_kind_name((mst_kind)kind));
        t_ok(t, seen[kind]);
    }
}

MST_TEST_MAIN(T(test_followed_table))

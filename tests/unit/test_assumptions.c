/* Assumptions about volumes and claims inside of transactions: all of it comes back. */
#include "storage_helper.h"
#include "tap.h"

static const char world[] = PV("v", "storageClassName: late, nfs: {path: /}", "uid: uv")
    PVC("a", "storageClassName: late", "resourceVersion: '1'")
        PVC("b", "storageClassName: late", "resourceVersion: '1'");

static const struct mst_stored *get(struct mst_fixture *f, mst_vol_kind kind, const char *key)
{
    const struct mst_stored *stored = mst_volumes_get(&f->cluster, kind, mst_str_of(key));
    mst_assert(stored);
    return stored;
}

static struct mst_str owner(struct mst_fixture *f)
{
    return mst_pv_claim(get(f, MST_VOL_PV, "v")).name;
}

static struct mst_str node_of(struct mst_fixture *f, const char *claim)
{
    return mst_sym_str(f->syms, mst_pvc_selected_node(&f->cluster, get(f, MST_VOL_PVC, claim)));
}

static void assume_pv(struct mst_fixture *f, const char *claim)
{
    mst_volumes_assume_claim(&f->cluster, get(f, MST_VOL_PV, "v"), get(f, MST_VOL_PVC, claim),
                             true);
}

static void assume_node(struct mst_fixture *f, const char *claim, const char *node)
{
    mst_volumes_assume_node(&f->cluster, get(f, MST_VOL_PVC, claim),
                            mst_sym_of_text(f->syms, node));
}

/* What was assumed before the transaction is replaced in it, and comes back. */
static void test_rollback_brings_back_what_was_assumed(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    storage_apply(f, world);
    assume_pv(f, "default/a");
    assume_node(f, "default/b", "n1");
    const uint64_t generation = mst_volumes_generation(&f->cluster);
    const uint32_t outer = mst_txn_begin(&f->cluster);
    assume_pv(f, "default/b");
    t_str(t, owner(f), "b");
    const uint64_t within = mst_volumes_generation(&f->cluster);
    t_bool(t, within != generation, true);
    const uint32_t inner = mst_txn_begin(&f->cluster);
    assume_node(f, "default/b", "n2");
    mst_volumes_restore(&f->cluster, MST_VOL_PV, MST_STR("v"));
    mst_volumes_restore(&f->cluster, MST_VOL_PVC, MST_STR("default/b"));
    t_bool(t, owner(f).p == NULL && node_of(f, "default/b").p == NULL, true);
    mst_txn_rollback(&f->cluster, inner);
    t_str(t, owner(f), "b");
    t_str(t, node_of(f, "default/b"), "n1");
    t_bool(t, mst_volumes_generation(&f->cluster) == within, true);
    mst_txn_rollback(&f->cluster, outer);
    t_str(t, owner(f), "a");
    t_str(t, node_of(f, "default/b"), "n1");
    t_bool(t, mst_volumes_generation(&f->cluster) == generation, true);
    fixture_free(f);
}

/* A number that was given for something else is never given again. */
static void test_generations_are_not_reused(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    storage_apply(f, world);
    uint32_t mark = mst_txn_begin(&f->cluster);
    assume_node(f, "default/a", "n1");
    const uint64_t first = mst_volumes_generation(&f->cluster);
    mst_txn_rollback(&f->cluster, mark);
    mark = mst_txn_begin(&f->cluster);
    assume_node(f, "default/a", "n2");
    t_bool(t, mst_volumes_generation(&f->cluster) != first, true);
    mst_txn_rollback(&f->cluster, mark);
    fixture_free(f);
}

static void test_commit_keeps_them(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    storage_apply(f, world);
    assume_pv(f, "default/a");
    const uint32_t outer = mst_txn_begin(&f->cluster);
    const uint32_t inner = mst_txn_begin(&f->cluster);
    assume_pv(f, "default/b");
    mst_txn_commit(&f->cluster, inner);
    mst_txn_commit(&f->cluster, outer);
    t_str(t, owner(f), "b");
    mst_volumes_restore(&f->cluster, MST_VOL_PV, MST_STR("v"));
    t_bool(t, owner(f).p == NULL, true);
    fixture_free(f);
}

/* An inner commit can still be taken back by the outer transaction. */
static void test_outer_rollback_undoes_inner_commit(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    storage_apply(f, world);
    const uint32_t outer = mst_txn_begin(&f->cluster);
    const uint32_t inner = mst_txn_begin(&f->cluster);
    assume_pv(f, "default/b");
    mst_txn_commit(&f->cluster, inner);
    mst_txn_rollback(&f->cluster, outer);
    t_bool(t, owner(f).p == NULL && !get(f, MST_VOL_PV, "v")->assumption.on, true);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_rollback_brings_back_what_was_assumed), T(test_generations_are_not_reused),
              T(test_commit_keeps_them), T(test_outer_rollback_undoes_inner_commit))

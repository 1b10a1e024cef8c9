/* ImageLocality: worked values, names, and the naive twin. */
#include "base/rng.h"
#include "cluster_helper.h"
#include "plugins/registry.h"
#include "tap.h"

#define MB 1048576ll

/* `n` nodes, of which the first `have` hold an image of `mb` megabytes. */
static struct mst_fixture *spread(uint32_t n, uint32_t have, uint32_t mb, const char *containers)
{
    MST_AUTO(mst_buf) yaml = { 0 };
    for (uint32_t i = 0; i < n; i++)
        mst_buf_printf(&yaml,
                       "---\nkind: Node\napiVersion: v1\nmetadata: {name: n%u}\nstatus: {images: "
                       "[{names: ['img:latest', 'img@sha256:1'], sizeBytes: %lld}]}\n",
                       i, i < have ? mb * MB : 0);
    for (uint32_t i = have; i < n; i++)
        mst_buf_printf(&yaml, "---\nkind: Node\napiVersion: v1\nmetadata: {name: n%u}\n", i);
    mst_buf_printf(
        &yaml, "---\nkind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: {containers: [%s]}\n",
        containers);
    mst_buf_char(&yaml, '\0');
    return fixture_new(yaml.p);
}

#define ONE "{name: c, image: img}"
static const struct {
    const char *name;
    uint32_t nodes, have, mb;
    const char *containers;
    int64_t with, without;
} worked[] = {
    { "300 MB on 2 of 10 nodes", 10, 2, 300, ONE, 3, 0 },
    { "300 MB everywhere", 4, 4, 300, ONE, 28, 28 },
    { "3000 MB everywhere", 4, 4, 3000, ONE, 100, 100 },
    { "600 MB on half of the nodes, twice", 10, 5, 600,
      "{name: c, image: 'img:latest'}, {name: d, image: 'other:1'}", 14, 0 },
    { "counted once for each container", 4, 4, 300, ONE ", {name: d, image: img}", 29, 29 },
    { "below the threshold", 4, 4, 22, ONE, 0, 0 },
    { "no default registry", 4, 4, 3000, "{name: c, image: docker.io/library/img}", 0, 0 },
    { "another tag", 4, 4, 3000, "{name: c, image: 'img:1'}", 0, 0 },
    { "a digest is left alone", 4, 4, 3000, "{name: c, image: 'img@sha256:1'}", 100, 100 },
};

static void test_image_worked_values(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(worked); i++) {
        struct mst_fixture *f =
            spread(worked[i].nodes, worked[i].have, worked[i].mb, worked[i].containers);
        const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_image_locality, NULL);
        MST_AUTO(mst_buf) last = { 0 };
        mst_buf_printf(&last, "n%u", worked[i].nodes - 1);
        mst_buf_char(&last, '\0');
        t_case(t, worked[i].name);
        t_int(t, fixture_score(f, &p, "p", "n0"), worked[i].with);
        t_int(t, fixture_score(f, &p, "p", last.p), worked[i].without);
        fixture_free(f);
    }
}

static void test_image_uniform_when_nobody_has_it(struct mst_test *t)
{
    struct mst_fixture *f = spread(3, 0, 0, ONE);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_image_locality, NULL);
    struct mst_pre_score pre;
    (void)fixture_scores(f, &p, "p", &pre);
    t_bool(t, pre.uniform, true);
    fixture_apply(f, "kind: Node\napiVersion: v1\nmetadata: {name: n1}\nstatus: {images: [{names: "
                     "['img:latest'], sizeBytes: 900000000}]}\n");
    (void)fixture_scores(f, &p, "p", &pre);
    t_bool(t, pre.uniform, false);
    t_int(t, fixture_score(f, &p, "p", "n1"), 26); /* a third of 858 MB */
    fixture_free(f);
}

/* A group of profile upstream preempts in a cluster whose images nobody remembers. */
static void test_image_hidden(struct mst_test *t)
{
    struct mst_fixture *f = spread(3, 1, 900, ONE);
    const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_image_locality, NULL);
    struct mst_pre_score pre;
    uint64_t before = f->cluster.nodes.image_generation;
    mst_nodes_hide_images(&f->cluster.nodes, true);
    mst_nodes_hide_images(&f->cluster.nodes, true);
    t_int(t, f->cluster.nodes.image_generation, before + 1); /* cached scores are void */
    (void)fixture_scores(f, &p, "p", &pre);
    t_bool(t, pre.uniform, true);
    mst_nodes_hide_images(&f->cluster.nodes, false);
    t_int(t, f->cluster.nodes.image_generation, before + 2);
    (void)fixture_scores(f, &p, "p", &pre);
    t_bool(t, pre.uniform, false);
    fixture_free(f);
    f = fixture_new("kind: Node\napiVersion: v1\nmetadata: {name: n1}\n");
    before = f->cluster.nodes.image_generation;
    mst_nodes_hide_images(&f->cluster.nodes, true); /* nothing to hide, nothing to pay */
    t_int(t, f->cluster.nodes.image_generation, before);
    fixture_free(f);
}

/* Whole scans go by image, single rows by the row's list: the helper compares them. */
static void test_image_agrees_with_naive_twin(struct mst_test *t)
{
    enum { NODES = 60, IMAGES = 12 };
    struct mst_rng rng;
    mst_rng_init(&rng, 5);
    for (uint32_t round = 0; round < 20; round++) {
        MST_AUTO(mst_buf) yaml = { 0 };
        int64_t bytes[NODES][IMAGES] = { 0 };
        uint32_t with[IMAGES] = { 0 };
        int64_t first[IMAGES] = { 0 }; /* the size that the first node gives counts for all */
        for (uint32_t i = 0; i < NODES; i++) {
            mst_buf_printf(&yaml,
                           "---\nkind: Node\napiVersion: v1\nmetadata: {name: n%u}\nstatus: "
                           "{images: [",
                           i);
            const char *comma = "";
            for (uint32_t k = 0; k < IMAGES; k++) {
                if (mst_rng_below(&rng, 3))
                    continue;
                bytes[i][k] = 1 + (int64_t)mst_rng_below(&rng, 2000 * MB);
                first[k] = with[k]++ ? first[k] : bytes[i][k];
                mst_buf_printf(&yaml, "%s{names: ['i%u:latest'], sizeBytes: %lld}", comma, k,
                               (long long)bytes[i][k]);
                comma = ", ";
            }
            mst_buf_text(&yaml, "]}\n");
        }
        mst_buf_text(&yaml,
                     "---\nkind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: {containers: [");
        uint32_t used[5];
        for (uint32_t c = 0; c < 5; c++) {
            used[c] = (uint32_t)mst_rng_below(&rng, IMAGES);
            mst_buf_printf(&yaml, "%s{name: c%u, image: i%u}", c ? ", " : "", c, used[c]);
        }
        mst_buf_text(&yaml, "]}\n");
        mst_buf_char(&yaml, '\0');
        struct mst_fixture *f = fixture_new(yaml.p);
        const struct fixture_plugin p = fixture_plugin(f, &mst_plugin_image_locality, NULL);
        struct mst_pre_score pre;
        const int64_t *raw = fixture_scores(f, &p, "p", &pre);
        for (uint32_t i = 0; i < NODES; i++) {
            int64_t sum = 0;
            for (uint32_t c = 0; c < 5; c++)
                if (bytes[i][used[c]])
                    sum +=
                        (int64_t)((double)first[used[c]] * ((double)with[used[c]] / (double)NODES));
            sum = MST_MIN(MST_MAX(sum, 23 * MB), 5000 * MB);
            t_int(t, raw[fixture_node(f, mst_arena_printf(&f->arena, "n%u", i).p)],
                  100 * (sum - 23 * MB) / (4977 * MB));
        }
        fixture_free(f);
    }
}

MST_TEST_MAIN(T(test_image_worked_values), T(test_image_uniform_when_nobody_has_it),
              T(test_image_hidden), T(test_image_agrees_with_naive_twin))

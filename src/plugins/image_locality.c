/*
 * ImageLocality - prefers nodes that already have the pod's images, large ones above all, but less
 * so when few nodes have them.
 * Reads: class->images, nodes->images, the number of nodes that have an image.
 * Requeue on: nothing, it rejects no pod.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/imagelocality/image_locality.go
 *
 * Scores change when any node's images or the number of nodes change, so `uniform` and cached
 * scores hold only while nodes->image_generation and nodes->set_generation stand.
 */
#include "plugins/registry.h"

#define MEGABYTE ((int64_t)1024 * 1024)
#define SUM_MIN (23 * MEGABYTE)
#define CONTAINER_MAX (1000 * MEGABYTE)
/* A whole scan goes image by image; below this many rows the rows' own lists are shorter. */
enum { FEW_ROWS = 16 };

/* In floating point, operation by operation as upstream: truncated, not rounded. */
static int64_t scaled(int64_t bytes, uint32_t with_image, uint32_t nodes)
{
    return (int64_t)((double)bytes * ((double)with_image / (double)nodes));
}

static int64_t score_of_sum(const struct mst_class *klass, int64_t sum)
{
    const int64_t max = CONTAINER_MAX * klass->image_slots;
    if (sum < SUM_MIN)
        sum = SUM_MIN;
    else if (sum > max)
        sum = max;
    return 100 * (sum - SUM_MIN) / (max - SUM_MIN);
}

static void pre_score(const struct mst_view *view, const void *instance,
                      const struct mst_class *klass, struct mst_arena *arena,
                      struct mst_pre_score *out)
{
    (void)instance;
    (void)arena;
    *out = (struct mst_pre_score){
        .code = MST_SUCCESS,
        .state = (void *)klass,
        .uniform = true, /* 0 everywhere, unless some node has one of the images */
    };
    for (uint32_t i = 0; i < klass->images.n && out->uniform; i++)
        out->uniform = !mst_nodes_image(view->nodes, klass->images.v[i]);
}

/* The recorded size of an image that the row has; a name is at most once on its list. */
static bool row_image(const struct mst_image_list *list, mst_sym name, int64_t *ret_bytes)
{
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->v[i].name == name) {
            *ret_bytes = list->v[i].bytes;
            return true;
        }
    }
    return false;
}

static int64_t row_sum(struct mst_nodes *nodes, const struct mst_class *klass, uint32_t row)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < klass->images.n && !nodes->images_hidden; i++) {
        int64_t bytes;
        if (row_image(&nodes->images[row], klass->images.v[i], &bytes))
            sum += scaled(bytes, mst_nodes_image(nodes, klass->images.v[i])->rows.n, nodes->count);
    }
    return sum;
}

/* The first entry of a row at or behind `begin`; rows ascend. */
static uint32_t first_from(const struct mst_image_rows *have, uint32_t begin)
{
    uint32_t low = 0, high = have->rows.n;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (have->rows.v[mid] < begin)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void add_image(const struct mst_image_rows *have, uint32_t nodes, uint32_t begin,
                      uint32_t end, int64_t *sum)
{
    for (uint32_t i = first_from(have, begin); i < have->rows.n && have->rows.v[i] < end; i++)
        sum[have->rows.v[i]] += scaled(have->bytes.v[i], have->rows.n, nodes);
}

static void score(const struct mst_view *view, const void *instance, void *state, uint32_t begin,
                  uint32_t end, int64_t *raw)
{
    (void)instance;
    struct mst_nodes *nodes = view->nodes;
    const struct mst_class *klass = state;
    if (end - begin <= FEW_ROWS) {
        for (uint32_t i = begin; i < end; i++)
            raw[i] = score_of_sum(klass, row_sum(nodes, klass, i));
        return;
    }
    memset(raw + begin, 0, (end - begin) * sizeof(*raw));
    const struct mst_image_rows *only = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < klass->images.n; i++) {
        const struct mst_image_rows *have = mst_nodes_image(nodes, klass->images.v[i]);
        if (!have)
            continue;
        add_image(have, nodes->count, begin, end, raw);
        only = have;
        count++;
    }
    if (count == 1) { /* the usual pod: each row is in the list once */
        for (uint32_t i = first_from(only, begin); i < only->rows.n && only->rows.v[i] < end; i++)
            raw[only->rows.v[i]] = score_of_sum(klass, raw[only->rows.v[i]]);
        return;
    }
    for (uint32_t i = begin; count && i < end; i++)
        raw[i] = raw[i] == 0 ? 0 : score_of_sum(klass, raw[i]);
}

const struct mst_plugin mst_plugin_image_locality = {
    .name = "ImageLocality",
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_IMAGES,
    .default_weight = 1,
    .pre_score = pre_score,
    .score = score,
};

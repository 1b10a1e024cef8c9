/*
 * pod_amounts.c - exact requests and limits, shared by pods that have the same.
 */
#include "daemon/pod_amounts.h"

#include "api/names.h"
#include "base/map.h"
#include "base/sort.h"
#include "server/metrics.h"

struct amount {
    double value; /* not 0 */
    mst_sym resource;
    uint32_t limit; /* 1: a limit; as wide as this, so that there is no padding in keys */
};
_Static_assert(sizeof(struct amount) == 16, "no padding");

struct entry {
    uint32_t refs, count;
    struct mst_buf text; /* of what each line ends with, from the unit on */
    uint32_t *ends;      /* [count], in `text` */
    struct amount v[];
};

struct mst_pod_amounts {
    struct mst_syms *syms;
    struct mst_map by_content;    /* to struct entry * */
    MST_VEC(struct entry *) rows; /* by row of a pod; NULL: nothing */
};

struct mst_pod_amounts *mst_pod_amounts_new(struct mst_syms *syms)
{
    struct mst_pod_amounts *amounts = mst_calloc(1, sizeof(*amounts));
    amounts->syms = syms;
    return amounts;
}

uint32_t mst_pod_amounts_count(const struct mst_pod_amounts *amounts)
{
    return mst_map_count(&amounts->by_content);
}

static struct mst_str key_of(const struct amount *v, uint32_t count)
{
    return (struct mst_str){ (const char *)v, count * sizeof(*v) };
}

static void unref(struct mst_pod_amounts *amounts, struct entry *entry)
{
    if (!entry || --entry->refs)
        return;
    const bool was_there = mst_map_delete(&amounts->by_content, key_of(entry->v, entry->count));
    mst_assert(was_there);
    mst_buf_done(&entry->text);
    mst_free(entry->ends);
    mst_free(entry);
}

void mst_pod_amounts_free(struct mst_pod_amounts *amounts)
{
    if (!amounts)
        return;
    for (uint32_t i = 0; i < amounts->rows.n; i++)
        unref(amounts, amounts->rows.v[i]);
    mst_vec_done(&amounts->rows);
    mst_map_done(&amounts->by_content);
    mst_free(amounts);
}

static const char *unit_of(struct mst_str resource)
{
    if (mst_str_is(resource, "cpu"))
        return "cores";
    if (mst_str_is(resource, "memory") || mst_str_is(resource, "storage") ||
        mst_str_is(resource, "ephemeral-storage") || mst_str_has_prefix(resource, "hugepages-"))
        return "bytes";
    return mst_str_has_prefix(resource, "attachable-volumes-") ? "integer" : "";
}

static struct entry *entry_new(const struct mst_pod_amounts *amounts, const struct amount *v,
                               uint32_t count)
{
    struct entry *entry = mst_calloc(1, sizeof(*entry) + count * sizeof(*v));
    entry->refs = 1;
    entry->count = count;
    entry->ends = mst_calloc(count, sizeof(*entry->ends));
    memcpy(entry->v, v, count * sizeof(*v));
    for (uint32_t i = 0; i < count; i++) {
        const char *unit = unit_of(mst_sym_str(amounts->syms, v[i].resource));
        mst_buf_printf(&entry->text, "\",unit=\"%s\"} ", unit);
        mst_metrics_print_number(&entry->text, v[i].value);
        mst_buf_char(&entry->text, '\n');
        entry->ends[i] = (uint32_t)entry->text.n;
    }
    return entry;
}

/* With a reference added; NULL for nothing. */
static struct entry *entry_of(struct mst_pod_amounts *amounts, const struct amount *v,
                              uint32_t count)
{
    uint64_t found;
    if (!count)
        return NULL;
    if (mst_map_get(&amounts->by_content, key_of(v, count), &found)) {
        struct entry *entry = (struct entry *)(uintptr_t)found;
        entry->refs++;
        return entry;
    }
    struct entry *entry = entry_new(amounts, v, count);
    (void)mst_map_set(&amounts->by_content, key_of(v, count), (uintptr_t)entry);
    return entry;
}

/* By the text of the name: what is shown is in an order that does not depend on symbols. */
static int compare_amounts(const void *a, const void *b, void *ctx)
{
    return mst_str_cmp(mst_sym_str(ctx, ((const struct amount *)a)->resource),
                       mst_sym_str(ctx, ((const struct amount *)b)->resource));
}

void mst_pod_amounts_set(struct mst_pod_amounts *amounts, uint32_t row, const struct mst_pod *pod)
{
    struct mst_arena arena = { 0 };
    const mst_resources lists[2] = { mst_pod_exact(amounts->syms, pod, false, &arena),
                                     mst_pod_exact(amounts->syms, pod, true, &arena) };
    struct amount *v = MST_NEW_N(&arena, struct amount, lists[0].n + lists[1].n + 1);
    uint32_t n = 0;
    for (uint32_t limit = 0; limit < 2; limit++) {
        const uint32_t first = n;
        for (uint32_t i = 0; i < lists[limit].n; i++) {
            const struct mst_resource *resource = &lists[limit].v[i];
            if (mst_quantity_sign(&resource->quantity))
                v[n++] = (struct amount){ mst_quantity_approximate(&resource->quantity),
                                          resource->name, limit };
        }
        mst_sort(v + first, n - first, sizeof(*v), compare_amounts, amounts->syms);
    }
    while (amounts->rows.n <= row)
        mst_vec_push(&amounts->rows, NULL);
    struct entry *before = amounts->rows.v[row];
    amounts->rows.v[row] = entry_of(amounts, v, n);
    unref(amounts, before);
    mst_arena_done(&arena);
}

/* ---- text ---- */

static void print_label(struct mst_buf *out, const char *before, struct mst_str value)
{
    mst_buf_text(out, before);
    mst_metrics_print_value(out, value);
}

/* What all lines of the pod begin with. */
static void print_head(const struct mst_pod_amounts *amounts, const struct mst_pod_row *pod,
                       const char *family, struct mst_buf *out)
{
    mst_buf_text(out, family);
    print_label(out, "{namespace=\"", mst_sym_str(amounts->syms, pod->ns));
    print_label(out, "\",node=\"",
                pod->assigned ? mst_sym_str(amounts->syms, pod->node_name) : MST_STR(""));
    print_label(out, "\",pod=\"", pod->name);
    mst_buf_printf(out, "\",priority=\"%d\",resource=\"", pod->priority);
}

/* The first line is printed, and the others take their head from it. */
static void print_pod(const struct mst_pod_amounts *amounts, const struct mst_pod_row *pod,
                      const struct entry *entry, const char *family, uint32_t limit,
                      struct mst_buf *out)
{
    const struct mst_str scheduler = mst_sym_str(amounts->syms, pod->scheduler_name);
    size_t head = 0, head_n = 0;
    for (uint32_t i = 0; i < entry->count; i++) {
        const uint32_t begin = i ? entry->ends[i - 1] : 0;
        if (entry->v[i].limit != limit)
            continue;
        if (!head_n) {
            head = out->n;
            print_head(amounts, pod, family, out);
            head_n = out->n - head;
        } else {
            mst_buf_reserve(out, head_n);
            mst_buf_add(out, out->p + head, head_n);
        }
        mst_metrics_print_value(out, mst_sym_str(amounts->syms, entry->v[i].resource));
        print_label(out, "\",scheduler=\"", scheduler);
        mst_buf_add(out, entry->text.p + begin, entry->ends[i] - begin);
    }
}

static void print_family(const struct mst_pod_amounts *amounts, const struct mst_cluster *cluster,
                         const char *family, const char *help, uint32_t limit, struct mst_buf *out)
{
    const uint32_t count = MST_MIN(cluster->pods.n, amounts->rows.n);
    const size_t begin = out->n;
    mst_buf_printf(out, "# HELP %s [STABLE] %s\n# TYPE %s gauge\n", family, help, family);
    const size_t head = out->n;
    for (uint32_t i = 0; i < count; i++)
        if (cluster->pods.v[i].live && amounts->rows.v[i])
            print_pod(amounts, &cluster->pods.v[i], amounts->rows.v[i], family, limit, out);
    if (out->n == head)
        out->n = begin;
}

void mst_pod_amounts_print(const struct mst_pod_amounts *amounts, const struct mst_cluster *cluster,
                           struct mst_buf *out)
{
    print_family(amounts, cluster, "kube_pod_resource_limit",
                 "What a pod may use at most, by resource, in its unit if it has one.", 1, out);
    print_family(amounts, cluster, "kube_pod_resource_request",
                 "What a pod asks for, by resource, in its unit if it has one.", 0, out);
}

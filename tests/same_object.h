/*
 * same_object.h - whether two decoded objects are equal in all that a schema reads.
 *
 * Both must have been decoded with the same symbols. A difference is told as the path of the first
 * field that has it.
 */
#ifndef MST_TESTS_SAME_OBJECT_H
#define MST_TESTS_SAME_OBJECT_H

#include "api/api_internal.h"

struct same_list {
    const char *v;
    uint32_t n;
};

static inline struct same_list same_list_at(const void *at)
{
    struct same_list list;
    memcpy(&list.v, at, sizeof(list.v));
    memcpy(&list.n, (const char *)at + sizeof(list.v), sizeof(list.n));
    return list;
}

static inline bool same_str(struct mst_str a, struct mst_str b)
{
    return mst_str_eq(a, b) && !a.p == !b.p;
}

static inline bool same_quantity(const struct mst_quantity *a, const struct mst_quantity *b)
{
    return a->nano == b->nano && a->format == b->format && a->saturated == b->saturated &&
           same_str(a->kept, b->kept);
}

static inline bool same_resources(struct same_list a, struct same_list b)
{
    const struct mst_resource *x = (const void *)a.v, *y = (const void *)b.v;
    bool same = a.n == b.n;
    for (uint32_t i = 0; same && i < a.n; i++)
        same = x[i].name == y[i].name && same_quantity(&x[i].quantity, &y[i].quantity);
    return same;
}

/* `per` texts for each element. */
static inline bool same_texts(struct same_list a, struct same_list b, uint32_t per)
{
    const struct mst_str *x = (const void *)a.v, *y = (const void *)b.v;
    bool same = a.n == b.n;
    for (uint32_t i = 0; same && i < a.n * per; i++)
        same = same_str(x[i], y[i]);
    return same;
}

static inline bool same_hook(const struct mst_field *field, const void *x, const void *y)
{
    const void *a = (const char *)x + field->offset, *b = (const char *)y + field->offset;
    if (field->hook == mst_decode_op) {
        const struct mst_requirement *p = x, *q = y;
        return p->op == q->op && same_str(p->op_text, q->op_text);
    }
    if (field->hook == mst_decode_int_or_str) {
        const struct mst_int_or_str *p = a, *q = b;
        return p->set == q->set && p->is_str == q->is_str && p->num == q->num &&
               same_str(p->text, q->text);
    }
    if (field->hook == mst_decode_disruption)
        return *(const mst_disruption *)a == *(const mst_disruption *)b;
    if (field->hook == mst_decode_mounts || field->hook == mst_decode_restart_rules ||
        field->hook == mst_decode_ephemeral)
        return *(const bool *)a == *(const bool *)b;
    const struct mst_opt_quantity *p = a, *q = b; /* the one that is left, of schema_storage.c */
    return p->set == q->set && same_quantity(&p->value, &q->value);
}

static inline bool same_flag(const struct mst_field *field, const void *x, const void *y)
{
    const void *a = (const char *)x + field->flag, *b = (const char *)y + field->flag;
    switch ((mst_flag_op)field->flag_op) {
    case MST_FLAG_NONE: return true;
    case MST_FLAG_BOOL: return *(const bool *)a == *(const bool *)b;
    case MST_FLAG_OR: return *(const unsigned *)a == *(const unsigned *)b;
    case MST_FLAG_SOURCE:
    case MST_FLAG_SYNTHETIC: break;
    }
    const struct mst_volume *p = a, *q = b;
    return p->source == q->source && p->source_count == q->source_count &&
           p->synthetic == q->synthetic && p->source_name == q->source_name &&
           !p->source_value == !q->source_value &&
           (!p->source_value || mst_source_hash(p->source_name, p->source_value) ==
                                    mst_source_hash(q->source_name, q->source_value));
}

static inline bool same_scalar(const struct mst_field *field, const void *a, const void *b)
{
    switch ((mst_field_kind)field->kind) {
    case MST_FIELD_STR:
    case MST_FIELD_STR_PTR: return same_str(*(const struct mst_str *)a, *(const struct mst_str *)b);
    case MST_FIELD_SYM:
    case MST_FIELD_SYM_PTR: return *(const mst_sym *)a == *(const mst_sym *)b;
    case MST_FIELD_BOOL: return *(const bool *)a == *(const bool *)b;
    case MST_FIELD_OPT_BOOL: return memcmp(a, b, sizeof(struct mst_opt_bool)) == 0;
    case MST_FIELD_INT32:
    case MST_FIELD_INT64: return *(const int64_t *)a == *(const int64_t *)b;
    case MST_FIELD_OPT_INT32:
    case MST_FIELD_OPT_INT64: {
        const struct mst_opt_int *x = a, *y = b;
        return x->set == y->set && x->value == y->value;
    }
    case MST_FIELD_TIME: {
        const struct mst_time *x = a, *y = b;
        return x->set == y->set && x->unix_s == y->unix_s && x->nanos == y->nanos;
    }
    case MST_FIELD_LABELS:
    case MST_FIELD_SYMS: {
        struct same_list x = same_list_at(a), y = same_list_at(b);
        size_t size = field->kind == MST_FIELD_SYMS ? sizeof(mst_sym) : sizeof(struct mst_label);
        return x.n == y.n && (x.n == 0 || memcmp(x.v, y.v, x.n * size) == 0);
    }
    case MST_FIELD_ANNOTATIONS: return same_texts(same_list_at(a), same_list_at(b), 2);
    case MST_FIELD_KEYS:
    case MST_FIELD_STRS: return same_texts(same_list_at(a), same_list_at(b), 1);
    case MST_FIELD_RESOURCES: return same_resources(same_list_at(a), same_list_at(b));
    case MST_FIELD_IGNORED:
    case MST_FIELD_OBJECT:
    case MST_FIELD_LIST:
    case MST_FIELD_HOOK: break;
    }
    return true;
}

/* tidy: allow recursion: down the levels of a schema, whose number is fixed */
static inline bool same_struct(const struct mst_schema *schema, const void *x, const void *y,
                               struct mst_buf *path)
{
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct mst_field *field = &schema->fields[i];
        const void *a = (const char *)x + field->offset, *b = (const char *)y + field->offset;
        const size_t length = path->n;
        mst_buf_printf(path, ".%s", field->name);
        bool same = same_flag(field, x, y);
        if (same && field->kind == MST_FIELD_HOOK)
            same = same_hook(field, x, y);
        else if (same && field->kind == MST_FIELD_OBJECT)
            same = same_struct(field->sub, a, b, path);
        else if (same && field->kind == MST_FIELD_LIST) {
            struct same_list p = same_list_at(a), q = same_list_at(b);
            same = p.n == q.n;
            for (uint32_t k = 0; same && k < p.n; k++)
                same = same_struct(field->sub, p.v + (size_t)k * field->sub->size,
                                   q.v + (size_t)k * field->sub->size, path);
        } else if (same)
            same = same_scalar(field, a, b);
        if (!same)
            return false;
        path->n = length;
    }
    return true;
}

static inline bool same_templates(const struct mst_workload *a, const struct mst_workload *b,
                                  struct mst_buf *path)
{
    bool same = a->templates.n == b->templates.n;
    for (uint32_t i = 0; same && i < a->templates.n; i++) {
        const struct mst_group_template *x = &a->templates.v[i], *y = &b->templates.v[i];
        same = x->composite == y->composite && x->parent == y->parent && x->depth == y->depth &&
               x->index == y->index &&
               same_struct(x->composite ? &mst_schema_composite_template
                                        : &mst_schema_pod_group_template,
                           &x->spec, &y->spec, path);
    }
    return same;
}

/* `path` gets where they differ. */
static inline bool same_object(const struct mst_object *a, const struct mst_object *b,
                               struct mst_buf *path)
{
    if (a->kind != b->kind || !mst_str_eq(a->api_version, b->api_version))
        return false;
    if (!same_struct(mst_schema_of(a->kind), &a->u, &b->u, path))
        return false;
    return a->kind != MST_KIND_WORKLOAD || same_templates(&a->u.workload, &b->u.workload, path);
}

#endif

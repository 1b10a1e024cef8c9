/*
 * text.c - text that a row owns: copies on the heap, replaced only when it differs.
 */
#include "cluster/cluster_internal.h"

struct mst_str mst_text_copy(struct mst_str s)
{
    if (!s.p)
        return s;
    char *copy = mst_calloc(s.n + 1, 1);
    memcpy(copy, s.p, s.n);
    return (struct mst_str){ copy, s.n };
}

void mst_text_free(struct mst_str *s)
{
    mst_free((void *)s->p);
    *s = MST_STR_NONE;
}

void mst_text_set(struct mst_str *to, struct mst_str s)
{
    if (mst_str_eq(*to, s) && !to->p == !s.p)
        return;
    struct mst_str copy = mst_text_copy(s); /* s may be the old text */
    mst_text_free(to);
    *to = copy;
}

void mst_cond_set(struct mst_cond *to, const mst_conditions *conditions, const char *type)
{
    for (uint32_t i = 0; i < conditions->n; i++) {
        const struct mst_condition *c = &conditions->v[i];
        if (!mst_str_is(c->type, type))
            continue;
        mst_text_set(&to->status, c->status);
        mst_text_set(&to->reason, c->reason);
        mst_text_set(&to->message, c->message);
        to->observed_generation = c->observed_generation;
        to->last_transition = c->last_transition;
        return;
    }
    mst_cond_free(to);
}

void mst_cond_copy(struct mst_cond *to, const struct mst_cond *from)
{
    mst_text_set(&to->status, from->status);
    mst_text_set(&to->reason, from->reason);
    mst_text_set(&to->message, from->message);
    to->observed_generation = from->observed_generation;
    to->last_transition = from->last_transition;
}

void mst_cond_free(struct mst_cond *cond)
{
    mst_text_free(&cond->status);
    mst_text_free(&cond->reason);
    mst_text_free(&cond->message);
    cond->observed_generation = 0;
    cond->last_transition = (struct mst_time){ 0 };
}

struct mst_str mst_key_of(struct mst_cluster *cluster, mst_sym ns, struct mst_str name)
{
    struct mst_str space = mst_sym_str(cluster->syms, ns);
    size_t n = space.n + 1 + name.n;
    char *p = mst_arena_alloc(&cluster->scratch, n + 1);
    if (space.n)
        memcpy(p, space.p, space.n);
    p[space.n] = '/';
    if (name.n)
        memcpy(p + space.n + 1, name.p, name.n);
    p[n] = '\0';
    return (struct mst_str){ p, n };
}

/*
 * sort.h - sorting with a total order and a context, stable, allocation on the heap for the merge.
 */
#ifndef MST_SORT_H
#define MST_SORT_H

#include "base/base.h"

/* <0, 0, >0. 0 only for elements whose order does not matter: the sort is stable anyway. */
typedef int mst_compare(const void *a, const void *b, void *ctx);

/* Merge sort: O(n log n) compares, stable, never quadratic. */
void mst_sort(void *base, size_t count, size_t size, mst_compare *compare, void *ctx);
/* In bytewise order. */
void mst_sort_strs(struct mst_str *v, size_t count);

#endif

/*
 * domain_index.c - values to dense numbers: a table with linear probing, a list of free numbers.
 */
#include "plugins/domain_index.h"

enum { CAP_FIRST = 8 };

void *mst_arena_grow(struct mst_arena *arena, const void *old, uint32_t old_n, uint32_t new_n,
                     size_t size)
{
    mst_assert(new_n >= old_n);
    char *v = mst_arena_alloc(arena, new_n * size);
    if (old_n)
        memcpy(v, old, old_n * size);
    memset(v + old_n * size, 0, (new_n - old_n) * size);
    return v;
}

static uint32_t home_of(const struct mst_domain_index *index, mst_sym value)
{
    return (uint32_t)((value * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (index->slot_count - 1);
}

/* The slot that holds the value, or the free one where it belongs. */
static uint32_t slot_of(const struct mst_domain_index *index, mst_sym value)
{
    uint32_t slot = home_of(index, value);
    while (index->slots[slot] && index->value[index->slots[slot]] != value)
        slot = (slot + 1) & (index->slot_count - 1);
    return slot;
}

static void resize(struct mst_domain_index *index, uint32_t cap)
{
    struct mst_arena *arena = index->arena;
    index->value = mst_arena_grow(arena, index->value, index->cap, cap, sizeof(*index->value));
    index->rows = mst_arena_grow(arena, index->rows, index->cap, cap, sizeof(*index->rows));
    index->next_free =
        mst_arena_grow(arena, index->next_free, index->cap, cap, sizeof(*index->next_free));
    index->cap = cap;
    index->slot_count = 2 * cap;
    index->slots = MST_NEW_N(arena, uint32_t, index->slot_count);
    for (uint32_t i = 1; i < index->count; i++)
        if (index->value[i] != MST_SYM_NONE)
            index->slots[slot_of(index, index->value[i])] = i;
}

void mst_domain_index_init(struct mst_domain_index *index, struct mst_arena *arena, mst_sym key,
                           uint32_t row_count)
{
    *index = (struct mst_domain_index){
        .arena = arena,
        .key = key,
        .of_row = MST_NEW_N(arena, uint32_t, row_count),
        .count = 1,
    };
    resize(index, CAP_FIRST);
}

static uint32_t number_of(struct mst_domain_index *index, mst_sym value)
{
    uint32_t slot = slot_of(index, value);
    if (index->slots[slot])
        return index->slots[slot];
    uint32_t number = index->first_free;
    if (number) {
        index->first_free = index->next_free[number];
    } else {
        if (index->count == index->cap) {
            resize(index, 2 * index->cap);
            slot = slot_of(index, value);
        }
        number = index->count++;
    }
    index->value[number] = value;
    index->slots[slot] = number;
    return number;
}

/* Takes a number out of the table; those behind it close the gap. */
static void forget(struct mst_domain_index *index, uint32_t number)
{
    const uint32_t mask = index->slot_count - 1;
    uint32_t gap = slot_of(index, index->value[number]);
    mst_assert(index->slots[gap] == number);
    for (uint32_t at = (gap + 1) & mask; index->slots[at]; at = (at + 1) & mask) {
        const uint32_t home = home_of(index, index->value[index->slots[at]]);
        if (((at - home) & mask) < ((at - gap) & mask))
            continue; /* it would land before its home */
        index->slots[gap] = index->slots[at];
        gap = at;
    }
    index->slots[gap] = MST_DOMAIN_NONE;
    index->value[number] = MST_SYM_NONE;
    index->next_free[number] = index->first_free;
    index->first_free = number;
}

uint32_t mst_domain_index_move(struct mst_domain_index *index, uint32_t row, mst_sym value)
{
    const uint32_t old = index->of_row[row];
    if (old ? index->value[old] == value : value == MST_SYM_NONE)
        return old;
    const uint32_t now = value == MST_SYM_NONE ? MST_DOMAIN_NONE : number_of(index, value);
    index->of_row[row] = now;
    if (now)
        index->rows[now]++;
    if (old && --index->rows[old] == 0)
        forget(index, old);
    return now;
}

uint32_t mst_domain_index_hold(struct mst_domain_index *index, mst_sym value)
{
    const uint32_t number = number_of(index, value);
    index->rows[number]++;
    return number;
}

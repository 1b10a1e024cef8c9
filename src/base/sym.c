/*
 * sym.c - the symbol table: an open-addressed hash table in front of text in an arena.
 *
 * Owns:       the slots, the list of texts, the texts (arena).
 * Invariants: a slot is free when its id is MST_SYM_NONE; at most half the slots are taken, so a
 *             probe ends; the length of a text stands in the 4 bytes before it, which keeps a hit
 *             to two cache lines: the slot and the text.
 */
#include "base/sym.h"

#include "base/hash_internal.h"
#include "base/mem.h"

enum { SLOTS_MIN = 256 };

struct slot {
    uint32_t hash;
    mst_sym id;
    const char *text;
};

struct mst_syms {
    struct slot *slots;
    uint32_t mask;
    MST_VEC(const char *) texts; /* by id; NULL for MST_SYM_NONE */
    struct mst_arena arena;
};

static uint32_t text_n(const char *text)
{
    uint32_t n;
    memcpy(&n, text - sizeof(n), sizeof(n));
    return n;
}

struct mst_syms *mst_syms_new(void)
{
    struct mst_syms *syms = mst_calloc(1, sizeof(*syms));
    syms->slots = mst_calloc(SLOTS_MIN, sizeof(*syms->slots));
    syms->mask = SLOTS_MIN - 1;
    mst_vec_push(&syms->texts, NULL);
    mst_sym empty = mst_sym_of(syms, MST_STR(""));
    mst_assert(empty == MST_SYM_EMPTY);
    return syms;
}

void mst_syms_free(struct mst_syms *syms)
{
    if (!syms)
        return;
    mst_free(syms->slots);
    mst_vec_done(&syms->texts);
    mst_arena_done(&syms->arena);
    mst_free(syms);
}

/* The slot that holds s, or the free one where it belongs. */
static inline struct slot *slot_of(const struct mst_syms *syms, struct mst_str s, uint32_t hash)
{
    for (uint32_t i = hash & syms->mask;; i = (i + 1) & syms->mask) {
        struct slot *slot = &syms->slots[i];
        if (slot->id == MST_SYM_NONE)
            return slot;
        if (slot->hash == hash && text_n(slot->text) == s.n && bytes_equal(slot->text, s.p, s.n))
            return slot;
    }
}

static void slots_grow(struct mst_syms *syms)
{
    uint32_t mask = 2 * syms->mask + 1;
    mst_assert(mask > syms->mask);
    struct slot *slots = mst_calloc((size_t)mask + 1, sizeof(*slots));
    for (uint32_t i = 0; i <= syms->mask; i++) {
        if (syms->slots[i].id == MST_SYM_NONE)
            continue;
        uint32_t to = syms->slots[i].hash & mask;
        while (slots[to].id != MST_SYM_NONE)
            to = (to + 1) & mask;
        slots[to] = syms->slots[i];
    }
    mst_free(syms->slots);
    syms->slots = slots;
    syms->mask = mask;
}

/* Kept out of line, so that the path of a hit stays short. */
static __attribute__((noinline)) mst_sym sym_add(struct mst_syms *syms, struct mst_str s,
                                                 uint32_t hash)
{
    mst_assert(s.n < UINT32_MAX);
    if (syms->texts.n > syms->mask / 2)
        slots_grow(syms);
    uint32_t n = (uint32_t)s.n;
    char *text = (char *)mst_arena_alloc(&syms->arena, sizeof(n) + s.n + 1) + sizeof(n);
    memcpy(text - sizeof(n), &n, sizeof(n));
    memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    mst_sym id = syms->texts.n;
    mst_vec_push(&syms->texts, text);
    *slot_of(syms, s, hash) = (struct slot){ .hash = hash, .id = id, .text = text };
    return id;
}

mst_sym mst_sym_of(struct mst_syms *syms, struct mst_str s)
{
    if (!s.p)
        return MST_SYM_NONE;
    uint32_t hash = (uint32_t)hash_bytes(s.p, s.n);
    const struct slot *slot = slot_of(syms, s, hash);
    return slot->id != MST_SYM_NONE ? slot->id : sym_add(syms, s, hash);
}

mst_sym mst_sym_of_text(struct mst_syms *syms, const char *text)
{
    return mst_sym_of(syms, mst_str_of(text));
}

mst_sym mst_sym_find(const struct mst_syms *syms, struct mst_str s)
{
    if (!s.p)
        return MST_SYM_NONE;
    return slot_of(syms, s, (uint32_t)hash_bytes(s.p, s.n))->id;
}

struct mst_str mst_sym_str(const struct mst_syms *syms, mst_sym sym)
{
    mst_assert(sym < syms->texts.n);
    const char *text = syms->texts.v[sym];
    return text ? (struct mst_str){ text, text_n(text) } : MST_STR_NONE;
}

uint32_t mst_syms_count(const struct mst_syms *syms)
{
    return syms->texts.n;
}

/*
 * map.c - the insertion-ordered hash map: entries in a row, and a table of slots that finds them.
 *
 * Owns:       the entries, a heap copy of each live key, the slots.
 * Invariants: entries[0..entry_count) are in order of insertion and the last one is live; every
 *             live entry has exactly one slot, dead ones have none (deletion closes the gap in the
 *             probe sequence, so there are no tombstones); slot_count is twice entry_cap, a power
 *             of two.
 */
#include "base/map.h"

#include "base/hash_internal.h"
#include "base/mem.h"

enum { ENTRIES_MIN = 8, ENTRIES_MAX = 1 << 30 };

uint64_t mst_hash(const void *bytes, size_t n)
{
    return hash_bytes(n ? bytes : "", n);
}

void mst_hash_wide(const void *bytes, size_t n, uint64_t ret_halves[2])
{
    XXH128_hash_t hash = XXH3_128bits(n ? bytes : "", n);
    ret_halves[0] = hash.low64;
    ret_halves[1] = hash.high64;
}

uint64_t mst_hash_mix(uint64_t hash, uint64_t value)
{
    /* The finaliser of splitmix64 over both: cheap, and each input bit reaches every output bit. */
    uint64_t x = (hash ^ (value * UINT64_C(0x9e3779b97f4a7c15))) + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void mst_map_done(struct mst_map *map)
{
    mst_map_clear(map);
    mst_free(map->entries);
    mst_free(map->slots);
    *map = (struct mst_map){ 0 };
}

void mst_map_clear(struct mst_map *map)
{
    for (uint32_t i = 0; i < map->entry_count; i++)
        mst_free((char *)map->entries[i].key);
    if (map->slots)
        memset(map->slots, 0, map->slot_count * sizeof(*map->slots));
    map->entry_count = map->live_count = 0;
}

/* The position of the slot that holds key, or of the free one where it belongs. */
static inline uint32_t slot_of(const struct mst_map *map, struct mst_str key, uint32_t hash)
{
    uint32_t mask = map->slot_count - 1;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        if (map->slots[at] == 0)
            return at;
        const struct mst_map_entry *e = &map->entries[map->slots[at] - 1];
        if (e->hash == hash && e->key_n == key.n && bytes_equal(e->key, key.p, key.n))
            return at;
    }
}

/* Drops dead entries, doubles when most are live, and fills the slots anew. */
static void rebuild(struct mst_map *map)
{
    uint32_t to = 0;
    for (uint32_t i = 0; i < map->entry_count; i++)
        if (map->entries[i].live)
            map->entries[to++] = map->entries[i];
    map->entry_count = to;
    if (map->live_count >= map->entry_cap / 2) {
        mst_assert(map->entry_cap < ENTRIES_MAX);
        map->entry_cap = MST_MAX(2 * map->entry_cap, ENTRIES_MIN);
        map->entries = mst_realloc(map->entries, map->entry_cap, sizeof(*map->entries));
        mst_free(map->slots);
        map->slot_count = 2 * map->entry_cap;
        map->slots = mst_calloc(map->slot_count, sizeof(*map->slots));
    } else {
        mst_assert(map->slots);
        memset(map->slots, 0, map->slot_count * sizeof(*map->slots));
    }
    uint32_t mask = map->slot_count - 1;
    for (uint32_t i = 0; i < map->entry_count; i++) {
        uint32_t at = map->entries[i].hash & mask;
        while (map->slots[at] != 0)
            at = (at + 1) & mask;
        map->slots[at] = i + 1;
    }
}

bool mst_map_set(struct mst_map *map, struct mst_str key, uint64_t value)
{
    mst_assert(key.n < UINT32_MAX);
    if (!map->slots)
        rebuild(map);
    uint32_t hash = (uint32_t)mst_hash(key.p, key.n);
    uint32_t at = slot_of(map, key, hash);
    if (map->slots[at] != 0) {
        map->entries[map->slots[at] - 1].value = value;
        return false;
    }
    if (map->entry_count == map->entry_cap) {
        rebuild(map);
        at = slot_of(map, key, hash);
    }
    char *copy = mst_realloc(NULL, key.n + 1, 1);
    if (key.n)
        memcpy(copy, key.p, key.n);
    copy[key.n] = '\0';
    map->entries[map->entry_count++] = (struct mst_map_entry){
        .key = copy,
        .key_n = (uint32_t)key.n,
        .hash = hash,
        .value = value,
        .live = true,
    };
    map->slots[at] = map->entry_count;
    map->live_count++;
    return true;
}

bool mst_map_get(const struct mst_map *map, struct mst_str key, uint64_t *out)
{
    if (map->live_count == 0)
        return false;
    uint32_t slot = map->slots[slot_of(map, key, (uint32_t)mst_hash(key.p, key.n))];
    if (slot == 0)
        return false;
    *out = map->entries[slot - 1].value;
    return true;
}

bool mst_map_has(const struct mst_map *map, struct mst_str key)
{
    uint64_t value;
    return mst_map_get(map, key, &value);
}

/* Frees slot `at` and moves later ones of the same run up, where that keeps them reachable. */
static void slot_remove(struct mst_map *map, uint32_t at)
{
    uint32_t mask = map->slot_count - 1;
    for (uint32_t next = (at + 1) & mask; map->slots[next] != 0; next = (next + 1) & mask) {
        uint32_t home = map->entries[map->slots[next] - 1].hash & mask;
        /* Distances from home, around the end of the table: may `next` sit at `at`? */
        if (((next - home) & mask) >= ((next - at) & mask)) {
            map->slots[at] = map->slots[next];
            at = next;
        }
    }
    map->slots[at] = 0;
}

bool mst_map_delete(struct mst_map *map, struct mst_str key)
{
    if (map->live_count == 0)
        return false;
    uint32_t at = slot_of(map, key, (uint32_t)mst_hash(key.p, key.n));
    if (map->slots[at] == 0)
        return false;
    struct mst_map_entry *e = &map->entries[map->slots[at] - 1];
    slot_remove(map, at);
    /* `key` may be the entry's own text, so it is not looked at from here on. */
    mst_free((char *)e->key);
    *e = (struct mst_map_entry){ 0 };
    map->live_count--;
    while (map->entry_count > 0 && !map->entries[map->entry_count - 1].live)
        map->entry_count--;
    return true;
}

bool mst_map_next(const struct mst_map *map, uint32_t *at, const struct mst_map_entry **out)
{
    while (*at < map->entry_count) {
        const struct mst_map_entry *e = &map->entries[(*at)++];
        if (e->live) {
            *out = e;
            return true;
        }
    }
    return false;
}

/*
 * map.h - a hash map from bytes to a 64-bit value that iterates in order of insertion.
 *
 * Owns:       copies of its keys. Zero-initialised is valid and empty.
 * Invariants: iteration order is insertion order, whatever was deleted in between; a key that is
 *             deleted and set again goes to the end.
 */
#ifndef MST_MAP_H
#define MST_MAP_H

#include "base/base.h"

struct mst_map_entry {
    const char *key;
    uint32_t key_n;
    uint32_t hash;
    uint64_t value;
    bool live;
};

struct mst_map {
    struct mst_map_entry *entries; /* in order of insertion, dead ones until the next rebuild */
    uint32_t entry_count, entry_cap;
    uint32_t live_count;
    uint32_t *slots; /* entry index + 1, 0 = free */
    uint32_t slot_count;
};

void mst_map_done(struct mst_map *map);
void mst_map_clear(struct mst_map *map);
/* Sets or replaces. Returns true if the key is new. */
bool mst_map_set(struct mst_map *map, struct mst_str key, uint64_t value);
bool mst_map_get(const struct mst_map *map, struct mst_str key, uint64_t *out);
bool mst_map_has(const struct mst_map *map, struct mst_str key);
bool mst_map_delete(struct mst_map *map, struct mst_str key);
static inline uint32_t mst_map_count(const struct mst_map *map)
{
    return map->live_count;
}
/*
 * Iteration: `for (uint32_t i = 0; mst_map_next(map, &i, &e);)`. Deleting the entry at hand is
 * allowed; inserting is not.
 */
bool mst_map_next(const struct mst_map *map, uint32_t *at, const struct mst_map_entry **out);

/* The hash the project uses for bytes (xxHash, fixed seed: the same on every run and machine). */
uint64_t mst_hash(const void *bytes, size_t n);
/* The same, twice as wide: an identity for bytes that need not be kept. */
void mst_hash_wide(const void *bytes, size_t n, uint64_t ret_halves[2]);
uint64_t mst_hash_mix(uint64_t hash, uint64_t value);

#endif

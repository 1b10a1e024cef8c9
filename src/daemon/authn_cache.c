/*
 * authn_cache.c - reviews that were answered a moment ago.
 */
#include "daemon/authn_internal.h"

static void forget_all(struct mst_review_cache *cache)
{
    const struct mst_map_entry *e;
    for (uint32_t at = 0; mst_map_next(&cache->by_key, &at, &e);) {
        struct mst_review_entry *entry = (struct mst_review_entry *)(uintptr_t)e->value;
        mst_free((char *)(uintptr_t)entry->text.p);
        mst_free(entry);
    }
    mst_map_clear(&cache->by_key);
}

void mst_review_cache_done(struct mst_review_cache *cache)
{
    forget_all(cache);
    mst_map_done(&cache->by_key);
}

const struct mst_review_entry *mst_review_cache_get(struct mst_review_cache *cache,
                                                    struct mst_str key, int64_t now_ms)
{
    uint64_t found;
    if (!mst_map_get(&cache->by_key, key, &found))
        return NULL;
    const struct mst_review_entry *entry = (const struct mst_review_entry *)(uintptr_t)found;
    return now_ms < entry->expires_ms ? entry : NULL;
}

void mst_review_cache_put(struct mst_review_cache *cache, struct mst_str key, bool yes,
                          struct mst_str text, int64_t expires_ms)
{
    uint64_t found;
    struct mst_review_entry *entry;
    if (mst_map_get(&cache->by_key, key, &found)) {
        entry = (struct mst_review_entry *)(uintptr_t)found;
        mst_free((char *)(uintptr_t)entry->text.p);
    } else {
        if (mst_map_count(&cache->by_key) >= MST_REVIEWS_KEPT_MAX)
            forget_all(cache);
        entry = mst_calloc(1, sizeof(*entry));
        (void)mst_map_set(&cache->by_key, key, (uintptr_t)entry);
    }
    char *copy = mst_calloc(text.n + 1, 1);
    memcpy(copy, text.n ? text.p : "", text.n);
    *entry = (struct mst_review_entry){ expires_ms, yes, { copy, text.n } };
}

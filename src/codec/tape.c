/*
 * tape.c - looking things up on a tape, unique keys, and walking it.
 *
 * Owns:       nothing.
 * Invariants: as in tape.h; mst_tape_dedup is what makes "duplicate keys are gone" true.
 */
#include "codec/tape_internal.h"

#include "base/map.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

const struct mst_value *mst_value_get(const struct mst_value *v, const char *key)
{
    if (!v || v->type != MST_OBJECT)
        return NULL;
    size_t n = strlen(key);
    MST_EACH_MEMBER (k, v)
        if (k->n == n && memcmp(k->p, key, n) == 0)
            return k + 1;
    return NULL;
}

const char *mst_value_type_name(const struct mst_value *v)
{
    static const char *const names[] = {
        [MST_NULL] = "null",     [MST_FALSE] = "boolean", [MST_TRUE] = "boolean",
        [MST_NUMBER] = "number", [MST_STRING] = "string", [MST_ARRAY] = "array",
        [MST_OBJECT] = "object",
    };
    mst_assert(v->type < MST_COUNT(names));
    return names[v->type];
}

bool mst_value_int(const struct mst_value *v, int64_t *out)
{
    if (v->type != MST_NUMBER || v->n == 0)
        return false;
    bool negative = v->p[0] == '-';
    uint64_t sum = 0;
    uint64_t limit = (uint64_t)INT64_MAX + negative;
    if (v->n == negative)
        return false;
    for (uint32_t i = negative; i < v->n; i++) {
        uint32_t digit = (uint32_t)(unsigned char)v->p[i] - '0';
        if (digit > 9 || sum > (limit - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}

struct mst_str mst_clip(struct mst_str s)
{
    if (s.n <= MST_DIAG_KEY_MAX)
        return s;
    size_t n = MST_DIAG_KEY_MAX;
    while (n > 0 && ((unsigned char)s.p[n] & 0xC0) == 0x80)
        n--;
    return (struct mst_str){ s.p, n };
}

/*
 * A hash good enough to tell the keys of one object apart without reading them whole: its
 * length and its first, middle and last byte. Never 0. A clash only costs a comparison.
 */
static inline uint16_t key_hash16(const struct mst_value *key)
{
    uint32_t n = key->n;
    if (n == 0)
        return 1;
    const unsigned char *p = (const unsigned char *)key->p;
    uint32_t mix = p[0] | (uint32_t)p[n / 2] << 8 | (uint32_t)p[n - 1] << 16 | n << 24;
    return (uint16_t)((mix * UINT32_C(0x9E3779B1)) >> 16 | 1);
}

enum { SMALL_MEMBERS = 16 };

/* True when two of at most SMALL_MEMBERS keys may be equal. */
#ifdef __SSE2__
static bool small_may_repeat(const struct mst_value *object)
{
    /* The hashes stay in two registers, 8 each; a new one pushes the others up. 0 is no hash. */
    __m128i low = _mm_setzero_si128(), high = low, hits = low;
    MST_EACH_MEMBER (key, object) {
        int hash = key_hash16(key);
        __m128i all = _mm_set1_epi16((short)hash);
        hits =
            _mm_or_si128(hits, _mm_or_si128(_mm_cmpeq_epi16(low, all), _mm_cmpeq_epi16(high, all)));
        high = _mm_or_si128(_mm_slli_si128(high, 2), _mm_srli_si128(low, 14));
        low = _mm_insert_epi16(_mm_slli_si128(low, 2), hash, 0);
    }
    return _mm_movemask_epi8(hits) != 0;
}
#else
static bool small_may_repeat(const struct mst_value *object)
{
    uint16_t hashes[SMALL_MEMBERS];
    uint32_t count = 0, hits = 0;
    MST_EACH_MEMBER (key, object) {
        uint16_t hash = key_hash16(key);
        for (uint32_t i = 0; i < count; i++)
            hits |= hashes[i] == hash;
        hashes[count++] = hash;
    }
    return hits != 0;
}
#endif

/* The set of keys seen: slot -> member number + 1. */
struct key_set {
    uint32_t *slots;
    uint32_t mask;
    const struct mst_value **keys; /* by member number; the last one of equal keys */
    uint32_t *first;               /* by member number: the member whose place it takes */
    uint64_t *hashes;
};

static void key_set_init(struct key_set *set, uint32_t member_count)
{
    uint32_t slot_count = 16;
    while (slot_count < member_count * 2)
        slot_count *= 2;
    *set = (struct key_set){
        .slots = mst_calloc(slot_count, sizeof(*set->slots)),
        .mask = slot_count - 1,
        .keys = mst_calloc(member_count, sizeof(*set->keys)),
        .first = mst_calloc(member_count, sizeof(*set->first)),
        .hashes = mst_calloc(member_count, sizeof(*set->hashes)),
    };
}

static void key_set_done(struct key_set *set)
{
    mst_free(set->slots);
    mst_free(set->keys);
    mst_free(set->first);
    mst_free(set->hashes);
}

/* Adds member number `member_i`; returns the number of the first member with an equal key. */
static uint32_t key_set_add(struct key_set *set, uint32_t member_i, const struct mst_value *key)
{
    uint64_t hash = mst_hash(key->p, key->n);
    set->keys[member_i] = key;
    set->hashes[member_i] = hash;
    uint32_t slot = (uint32_t)hash & set->mask;
    for (; set->slots[slot]; slot = (slot + 1) & set->mask) {
        uint32_t other = set->slots[slot] - 1;
        if (set->hashes[other] == hash &&
            mst_str_eq(mst_value_str(set->keys[other]), mst_value_str(key)))
            return other;
    }
    set->slots[slot] = member_i + 1;
    return member_i;
}

static void warn_duplicate(struct mst_diags *diags, const struct mst_value *key)
{
    if (!diags)
        return;
    struct mst_str shown = mst_clip(mst_value_str(key));
    mst_diag_add(diags, MST_DIAG_WARNING, key, "duplicate key \"%.*s%s\", the last one is used",
                 MST_ARG(shown), shown.n < key->n ? "..." : "");
}

/* Rewrites the object with, for each first member, the last member that has its key. */
static void rewrite(struct mst_value *object, struct key_set *set, uint32_t kept)
{
    uint32_t entry_count = object->span - 1;
    struct mst_value *copy = mst_calloc(entry_count, sizeof(*copy));
    memcpy(copy, object + 1, entry_count * sizeof(*copy));
    struct mst_value *to = object + 1;
    for (uint32_t i = 0; i < object->n; i++) {
        if (set->first[i] != i)
            continue;
        const struct mst_value *from = copy + (set->keys[i] - (object + 1));
        uint32_t span = 1 + from[1].span;
        memcpy(to, from, span * sizeof(*to));
        to += span;
    }
    mst_free(copy);
    object->n = kept;
    object->span = (uint32_t)(to - object);
}

void mst_tape_dedup(struct mst_value *object, struct mst_diags *diags)
{
    if (object->n < 2 || (object->n <= SMALL_MEMBERS && !small_may_repeat(object)))
        return;
    struct key_set set;
    key_set_init(&set, object->n);
    uint32_t member_i = 0, kept = 0;
    MST_EACH_MEMBER (key, object) {
        uint32_t first = key_set_add(&set, member_i, key);
        set.first[member_i] = first;
        if (first == member_i) {
            kept++;
        } else {
            set.keys[first] = key;
            warn_duplicate(diags, key);
        }
        member_i++;
    }
    mst_assert(member_i == object->n);
    if (kept < object->n)
        rewrite(object, &set, kept);
    key_set_done(&set);
}

void mst_walk_init(struct mst_walk *walk, const struct mst_value *root)
{
    walk->at = root;
    walk->depth = 0;
    walk->open[0].container = NULL;
    walk->open[0].end = mst_value_next(root);
    walk->open[0].key_next = false;
}

mst_walk_step mst_walk_next(struct mst_walk *walk, const struct mst_value **out)
{
    const struct mst_value *v = walk->at;
    uint32_t depth = walk->depth;
    if (v == walk->open[depth].end) {
        if (depth == 0)
            return MST_WALK_DONE;
        *out = walk->open[depth].container;
        walk->depth--;
        return MST_WALK_CLOSE;
    }
    *out = v;
    walk->at++;
    bool in_object = walk->open[depth].container && walk->open[depth].container->type == MST_OBJECT;
    bool is_key = in_object && walk->open[depth].key_next;
    walk->open[depth].key_next = !is_key;
    if (v->type >= MST_ARRAY) {
        mst_assert(!is_key);
        mst_assert(depth < MST_DEPTH_MAX);
        walk->depth = ++depth;
        walk->open[depth].container = v;
        walk->open[depth].end = mst_value_next(v);
        walk->open[depth].key_next = true;
    }
    return is_key ? MST_WALK_KEY : MST_WALK_VALUE;
}

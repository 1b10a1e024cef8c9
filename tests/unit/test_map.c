/*
 * test_map.c - the ordered map against a list that is searched and shifted.
 */
#include "base/map.h"
#include "base/mem.h"
#include "base/rng.h"
#include "hash_collisions.h"
#include "tap.h"

static void test_empty_map(struct mst_test *t)
{
    struct mst_map map = { 0 };
    const struct mst_map_entry *e = NULL;
    uint32_t at = 0;
    uint64_t value = 99;
    t_int(t, mst_map_count(&map), 0);
    t_bool(t, mst_map_get(&map, MST_STR("a"), &value), false);
    t_int(t, value, 99);
    t_bool(t, mst_map_delete(&map, MST_STR("a")), false);
    t_bool(t, mst_map_next(&map, &at, &e), false);
    mst_map_clear(&map);
    mst_map_done(&map);
    mst_map_done(&map);
}

static void test_set_get_replace(struct mst_test *t)
{
    struct mst_map map = { 0 };
    uint64_t value = 0;
    t_bool(t, mst_map_set(&map, MST_STR("a"), 1), true);
    t_bool(t, mst_map_set(&map, MST_STR("a"), UINT64_MAX), false);
    t_bool(t, mst_map_get(&map, MST_STR("a"), &value), true);
    t_ok(t, value == UINT64_MAX);
    t_int(t, mst_map_count(&map), 1);
    t_bool(t, mst_map_has(&map, MST_STR("b")), false);
    mst_map_done(&map);
}

static void test_key_is_copied_and_any_bytes_do(struct mst_test *t)
{
    struct mst_map map = { 0 };
    char key[] = "key";
    (void)mst_map_set(&map, mst_str_of(key), 5);
    key[0] = 'X';
    t_bool(t, mst_map_has(&map, MST_STR("key")), true);
    t_bool(t, mst_map_set(&map, MST_STR("a\0b"), 1), true);
    t_bool(t, mst_map_set(&map, MST_STR("a\0c"), 2), true);
    t_bool(t, mst_map_set(&map, MST_STR(""), 3), true);
    t_bool(t, mst_map_set(&map, MST_STR_NONE, 4), false);
    t_int(t, mst_map_count(&map), 4);
    mst_map_done(&map);
}

static void test_deleted_key_goes_to_the_end(struct mst_test *t)
{
    struct mst_map map = { 0 };
    (void)mst_map_set(&map, MST_STR("a"), 1);
    (void)mst_map_set(&map, MST_STR("b"), 2);
    (void)mst_map_set(&map, MST_STR("c"), 3);
    t_bool(t, mst_map_delete(&map, MST_STR("a")), true);
    t_bool(t, mst_map_set(&map, MST_STR("a"), 4), true);
    (void)mst_map_set(&map, MST_STR("b"), 5);
    MST_AUTO(mst_buf) order = { 0 };
    const struct mst_map_entry *e;
    for (uint32_t i = 0; mst_map_next(&map, &i, &e);)
        mst_buf_printf(&order, "%s=%d ", e->key, (int)e->value);
    t_str(t, mst_buf_span(&order), "b=5 c=3 a=4 ");
    mst_map_done(&map);
}

static void test_delete_while_iterating(struct mst_test *t)
{
    struct mst_map map = { 0 };
    struct mst_arena arena = { 0 };
    for (int i = 0; i < 1000; i++)
        (void)mst_map_set(&map, mst_arena_printf(&arena, "k%d", i), (uint64_t)i);
    uint32_t seen = 0;
    const struct mst_map_entry *e;
    for (uint32_t i = 0; mst_map_next(&map, &i, &e);) {
        seen++;
        if (e->value % 3 != 0)
            t_bool(t, mst_map_delete(&map, (struct mst_str){ e->key, e->key_n }), true);
    }
    t_int(t, seen, 1000);
    t_int(t, mst_map_count(&map), 334);
    uint64_t next = 0;
    for (uint32_t i = 0; mst_map_next(&map, &i, &e); next += 3)
        t_int(t, e->value, next);
    mst_arena_done(&arena);
    mst_map_done(&map);
}

static void test_queue_like_use_does_not_grow(struct mst_test *t)
{
    struct mst_map map = { 0 };
    char key[16];
    for (uint32_t i = 0; i < 100000; i++) {
        memcpy(key, &i, sizeof(i));
        (void)mst_map_set(&map, (struct mst_str){ key, 4 }, i);
        uint32_t old = i - 10;
        memcpy(key, &old, sizeof(old));
        t_bool(t, mst_map_delete(&map, (struct mst_str){ key, 4 }), i >= 10);
    }
    t_int(t, mst_map_count(&map), 10);
    t_ok(t, map.entry_cap <= 64);
    mst_map_done(&map);
}

static void test_equal_hashes_are_told_apart(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(collisions); i++) {
        t_case(t, collisions[i].name);
        struct mst_str a = mst_str_of(collisions[i].a), b = mst_str_of(collisions[i].b);
        struct mst_map map = { 0 };
        t_bool(t, mst_map_set(&map, a, 1), true);
        t_bool(t, mst_map_has(&map, b), false);
        t_bool(t, mst_map_delete(&map, b), false);
        t_bool(t, mst_map_set(&map, b, 2), true);
        t_bool(t, mst_map_delete(&map, a), true);
        uint64_t value = 0;
        t_bool(t, mst_map_get(&map, b, &value), true);
        t_int(t, value, 2);
        mst_map_done(&map);
    }
}

enum { TWIN_MAX = 400 };
struct twin {
    uint32_t keys[TWIN_MAX], n;
    uint64_t values[TWIN_MAX];
};

static uint32_t twin_find(const struct twin *twin, uint32_t key)
{
    uint32_t i = 0;
    while (i < twin->n && twin->keys[i] != key)
        i++;
    return i;
}

static void twin_delete(struct twin *twin, uint32_t at)
{
    for (uint32_t i = at + 1; i < twin->n; i++) {
        twin->keys[i - 1] = twin->keys[i];
        twin->values[i - 1] = twin->values[i];
    }
    twin->n--;
}

static bool same_order(const struct mst_map *map, const struct twin *twin)
{
    uint32_t n = 0;
    const struct mst_map_entry *e;
    for (uint32_t i = 0; mst_map_next(map, &i, &e); n++)
        if (n >= twin->n || memcmp(e->key, &twin->keys[n], 4) != 0 || e->value != twin->values[n])
            return false;
    return n == twin->n && n == mst_map_count(map);
}

static void test_random_against_list(struct mst_test *t)
{
    struct mst_map map = { 0 };
    static struct twin twin;
    struct mst_rng rng;
    mst_rng_init(&rng, 11);
    for (int step = 0; step < 30000; step++) {
        uint32_t key = (uint32_t)mst_rng_below(&rng, TWIN_MAX);
        struct mst_str s = { (const char *)&key, sizeof(key) };
        uint32_t at = twin_find(&twin, key);
        uint64_t value = 0;
        t_bool(t, mst_map_get(&map, s, &value), at < twin.n);
        if (at < twin.n)
            t_int(t, value, twin.values[at]);
        /* Phases of growth and of decline. */
        if (mst_rng_below(&rng, 100) < (step / 3000 % 2 ? 30u : 70u)) {
            t_bool(t, mst_map_set(&map, s, (uint64_t)step), at == twin.n);
            twin.keys[at] = key;
            twin.values[at] = (uint64_t)step;
            twin.n += at == twin.n;
        } else {
            t_bool(t, mst_map_delete(&map, s), at < twin.n);
            if (at < twin.n)
                twin_delete(&twin, at);
        }
        if (step % 100 == 0)
            t_ok(t, same_order(&map, &twin));
        if (step % 10000 == 9999) {
            mst_map_clear(&map);
            twin.n = 0;
        }
    }
    mst_map_done(&map);
}

/* XXH3_64bits with seed 0; the values of the algorithm's own definition for these inputs. */
static void test_hash_is_xxh3(struct mst_test *t)
{
    t_ok(t, mst_hash("", 0) == UINT64_C(0x2d06800538d394c2));
    t_ok(t, mst_hash(NULL, 0) == UINT64_C(0x2d06800538d394c2));
    t_ok(t, mst_hash("a", 1) == UINT64_C(0xe6c632b61e964e1f));
    t_ok(t, mst_hash("abc", 3) == UINT64_C(0x78af5f94892f3950));
}

/* XXH3_128bits with seed 0. */
static void test_hash_wide_has_two_halves(struct mst_test *t)
{
    uint64_t none[2], a[2], b[2];
    mst_hash_wide(NULL, 0, none);
    t_ok(t, none[0] == UINT64_C(0x6001c324468d497f) && none[1] == UINT64_C(0x99aa06d3014798d8));
    mst_hash_wide("abc", 3, a);
    mst_hash_wide("abd", 3, b);
    t_ok(t, a[0] != b[0] && a[1] != b[1] && a[0] != a[1]);
}

static void test_hash_mix_depends_on_both_and_order(struct mst_test *t)
{
    t_ok(t, mst_hash_mix(1, 2) != mst_hash_mix(2, 1));
    t_ok(t, mst_hash_mix(0, 0) != 0);
    t_ok(t, mst_hash_mix(1, 2) == mst_hash_mix(1, 2));
    /* One flipped bit changes about half of the result. */
    uint32_t changed = 0;
    for (int bit = 0; bit < 64; bit++)
        changed += (uint32_t)__builtin_popcountll(mst_hash_mix(5, 7) ^
                                                  mst_hash_mix(5, 7 ^ UINT64_C(1) << bit));
    t_ok(t, changed > 64 * 28 && changed < 64 * 36);
}

MST_TEST_MAIN(T(test_empty_map), T(test_set_get_replace), T(test_key_is_copied_and_any_bytes_do),
              T(test_deleted_key_goes_to_the_end), T(test_delete_while_iterating),
              T(test_queue_like_use_does_not_grow), T(test_equal_hashes_are_told_apart),
              T(test_random_against_list), T(test_hash_is_xxh3), T(test_hash_wide_has_two_halves),
              T(test_hash_mix_depends_on_both_and_order))

/*
 * source_hash.c - what tells the sources of two volumes apart, as one number.
 *
 * Invariants: the order of members, absent members, empty ones, false and null, and defaults that
 *             are spelled out change nothing: an API server prints an object one way, people write
 *             it in many. `optional: false` differs from its absence, as in Go, where it is a
 *             pointer.
 * Source:     kubernetes v1.37 staging kube-scheduler framework/signers.go, VolumesSigner;
 *             pkg/apis/core/v1/defaults.go for the defaults.
 */
#include "api/api.h"
#include "base/map.h"

static const struct {
    const char *name, *value;
} defaults[] = {
    { "defaultMode", "420" },
    { "expirationSeconds", "3600" },
    { "apiVersion", "v1" },
    { "iscsiInterface", "default" },
    { "pool", "rbd" },
    { "user", "admin" },
    { "cachingMode", "ReadWrite" },
    { "kind", "Shared" },
    { "keyring", "/etc/ceph/keyring" },
};

static bool is_default(struct mst_str key, const struct mst_value *value)
{
    if (value->type != MST_STRING && value->type != MST_NUMBER)
        return false;
    for (size_t i = 0; i < MST_COUNT(defaults); i++)
        if (mst_str_is(key, defaults[i].name) &&
            mst_str_is(mst_value_str(value), defaults[i].value))
            return true;
    return false;
}

/* True for a leaf that Go's encoder leaves out, and for the containers themselves. */
static bool says_nothing(struct mst_str key, const struct mst_value *value)
{
    switch ((mst_value_type)value->type) {
    case MST_NULL:
    case MST_OBJECT:
    case MST_ARRAY: return true;
    case MST_FALSE: return !mst_str_is(key, "optional");
    case MST_STRING: return !value->n || is_default(key, value);
    case MST_NUMBER: return is_default(key, value);
    case MST_TRUE: return false;
    }
    return false;
}

/* A container on the way down: where it ends, and the hash of the path to it. */
struct level {
    const struct mst_value *end;
    uint64_t path;
    bool array;
    uint32_t index;
};

static uint64_t hash_str(struct mst_str s)
{
    return mst_hash(s.p, s.n);
}

uint64_t mst_source_hash(const char *name, const struct mst_value *value)
{
    struct level levels[MST_DEPTH_MAX + 1];
    uint32_t depth = 0;
    const uint64_t root = hash_str(mst_str_of(name));
    uint64_t sum = root;
    if (value->type != MST_OBJECT)
        return sum; /* of a wrong type: reported elsewhere */
    levels[depth++] = (struct level){ .end = mst_value_next(value), .path = root };
    const struct mst_value *at = mst_value_first(value);
    while (depth) {
        struct level *level = &levels[depth - 1];
        if (at >= level->end) {
            depth--;
            continue;
        }
        struct mst_str key = level->array ? MST_STR("") : mst_value_str(at);
        uint64_t step = level->array ? level->index++ : hash_str(key);
        const struct mst_value *v = level->array ? at : at + 1;
        const uint64_t path = mst_hash_mix(level->path, step);
        /* A sum, so that the order of members does not matter. */
        if (!says_nothing(key, v))
            sum += mst_hash_mix(mst_hash_mix(path, v->type), hash_str(mst_value_str(v)));
        at = mst_value_next(v);
        if (v->type != MST_OBJECT && v->type != MST_ARRAY)
            continue;
        mst_assert(depth < MST_COUNT(levels));
        levels[depth++] = (struct level){ .end = at, .path = path, .array = v->type == MST_ARRAY };
        at = mst_value_first(v);
    }
    return sum;
}

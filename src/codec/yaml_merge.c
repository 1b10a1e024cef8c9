/*
 * yaml_merge.c - merge keys ("<<: *defaults") replaced by what they bring.
 *
 * Owns:       a copy of the object's entries and a set of its keys, while it works.
 * Invariants: the result never has more entries than the object had, so it fits in its place.
 * Source:     https://yaml.org/type/merge.html
 */
#include "base/map.h"
#include "codec/yaml_internal.h"

static const struct mst_value *find_bad(const struct mst_value *value)
{
    if (value->type == MST_OBJECT)
        return NULL;
    if (value->type != MST_ARRAY)
        return value;
    MST_EACH_ELEMENT (element, value)
        if (element->type != MST_OBJECT)
            return element;
    return NULL;
}

struct merge {
    struct mst_map own; /* keys that are taken */
    struct mst_value *to;
    uint32_t count;
};

static void put_member(struct merge *m, const struct mst_value *key)
{
    uint32_t span = 1 + key[1].span;
    memcpy(m->to, key, span * sizeof(*key));
    m->to += span;
    m->count++;
}

static void put_mapping(struct merge *m, const struct mst_value *mapping)
{
    MST_EACH_MEMBER (key, mapping)
        if (mst_map_set(&m->own, mst_value_str(key), 0))
            put_member(m, key);
}

static void put_merged(struct merge *m, const struct mst_value *value)
{
    if (value->type == MST_OBJECT) {
        put_mapping(m, value);
        return;
    }
    MST_EACH_ELEMENT (element, value)
        put_mapping(m, element);
}

const struct mst_value *mst_yaml_merge(struct mst_value *object)
{
    struct merge m = { .to = object + 1 };
    MST_EACH_MEMBER (key, object) {
        const struct mst_value *bad = key->type == MST_MERGE_KEY ? find_bad(key + 1) : NULL;
        if (bad) {
            mst_map_done(&m.own);
            return bad;
        }
        if (key->type != MST_MERGE_KEY)
            mst_map_set(&m.own, mst_value_str(key), 0);
    }
    struct mst_value *copy = mst_calloc(object->span, sizeof(*copy));
    memcpy(copy, object, object->span * sizeof(*copy));
    MST_EACH_MEMBER (key, copy) {
        if (key->type == MST_MERGE_KEY)
            put_merged(&m, key + 1);
        else
            put_member(&m, key);
    }
    object->n = m.count;
    object->span = (uint32_t)(m.to - object);
    mst_free(copy);
    mst_map_done(&m.own);
    return NULL;
}

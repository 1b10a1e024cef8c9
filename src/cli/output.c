/*
 * output.c - what several commands print alike: objects and answers as JSON or YAML, ages.
 */
#include "cli/output.h"

#include "codec/json.h"
#include "codec/yaml.h"

mst_rc mst_output_yaml(struct mst_str json, struct mst_buf *out, struct mst_err *err)
{
    struct mst_arena arena = { 0 };
    const struct mst_value *value;
    mst_rc rc = mst_json_parse(json, NULL, &arena, NULL, &value, err);
    if (!rc)
        rc = mst_yaml_write(value, out, err);
    mst_arena_done(&arena);
    return rc;
}

void mst_output_age(int64_t seconds, struct mst_buf *out)
{
    static const struct {
        int64_t below, unit;
        char letter;
    } units[] = { { 120, 1, 's' }, { 180 * 60, 60, 'm' }, { 48 * 3600, 3600, 'h' } };
    const int64_t age = MST_MAX(seconds, (int64_t)0);
    for (size_t i = 0; i < MST_COUNT(units); i++) {
        if (age >= units[i].below)
            continue;
        mst_buf_printf(out, "%lld%c", (long long)(age / units[i].unit), units[i].letter);
        return;
    }
    mst_buf_printf(out, "%lldd", (long long)(age / 86400));
}

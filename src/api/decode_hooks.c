/*
 * decode_hooks.c - the fields that a table row cannot describe: unions, times, trees of templates.
 */
#include "api/api_internal.h"

void mst_decode_op(struct mst_decoder *d, const struct mst_field *field,
                   const struct mst_path *path, const struct mst_value *value, void *base)
{
    static const struct {
        const char *text;
        mst_selector_op op;
    } ops[] = {
        { "In", MST_OP_IN },         { "NotIn", MST_OP_NOT_IN },
        { "Exists", MST_OP_EXISTS }, { "DoesNotExist", MST_OP_DOES_NOT_EXIST },
        { "Gt", MST_OP_GT },         { "Lt", MST_OP_LT },
    };
    (void)field;
    struct mst_requirement *requirement = base;
    if (value->type != MST_STRING) {
        mst_decode_wrong_type(d, path, "string", value);
        return;
    }
    requirement->op_text = mst_value_str(value);
    for (size_t i = 0; i < MST_COUNT(ops); i++)
        if (mst_str_is(requirement->op_text, ops[i].text))
            requirement->op = ops[i].op;
}

void mst_decode_int_or_str(struct mst_decoder *d, const struct mst_field *field,
                           const struct mst_path *path, const struct mst_value *value, void *base)
{
    struct mst_int_or_str *out = (struct mst_int_or_str *)((char *)base + field->offset);
    int64_t num = 0;
    if (value->type == MST_STRING) {
        *out = (struct mst_int_or_str){ .set = true, .is_str = true, .text = mst_value_str(value) };
    } else if (mst_value_int(value, &num) && num >= INT32_MIN && num <= INT32_MAX) {
        *out = (struct mst_int_or_str){ .set = true, .num = num };
    } else {
        mst_decode_wrong_type(d, path, "32-bit integer or string", value);
    }
}

void mst_decode_disruption(struct mst_decoder *d, const struct mst_field *field,
                           const struct mst_path *path, const struct mst_value *value, void *base)
{
    static const mst_disruption modes[] = { MST_DISRUPT_EMPTY, MST_DISRUPT_SINGLE, MST_DISRUPT_ALL,
                                            MST_DISRUPT_BOTH };
    unsigned bits = 0;
    mst_decode_struct(d, &mst_schema_disruption, path, value, &bits);
    mst_assert(bits < MST_COUNT(modes));
    *(mst_disruption *)((char *)base + field->offset) = modes[bits];
}

static bool any_element_has(const struct mst_value *list, const char *name)
{
    if (list->type != MST_ARRAY)
        return false;
    MST_EACH_ELEMENT (element, list) {
        const struct mst_value *member = mst_value_get(element, name);
        if (member && member->type != MST_NULL)
            return true;
    }
    return false;
}

void mst_decode_mounts(struct mst_decoder *d, const struct mst_field *field,
                       const struct mst_path *path, const struct mst_value *value, void *base)
{
    if (value->type != MST_ARRAY)
        mst_decode_wrong_type(d, path, "array", value);
    else if (any_element_has(value, "bindMountOptions"))
        *(bool *)((char *)base + field->offset) = true;
}

void mst_decode_ephemeral(struct mst_decoder *d, const struct mst_field *field,
                          const struct mst_path *path, const struct mst_value *value, void *base)
{
    if (value->type != MST_ARRAY) {
        mst_decode_wrong_type(d, path, "array", value);
        return;
    }
    MST_EACH_ELEMENT (container, value) {
        const struct mst_value *mounts = mst_value_get(container, "volumeMounts");
        if (mounts && any_element_has(mounts, "bindMountOptions"))
            *(bool *)((char *)base + field->offset) = true;
    }
}

void mst_decode_restart_rules(struct mst_decoder *d, const struct mst_field *field,
                              const struct mst_path *path, const struct mst_value *value,
                              void *base)
{
    if (value->type != MST_ARRAY) {
        mst_decode_wrong_type(d, path, "array", value);
        return;
    }
    MST_EACH_ELEMENT (rule, value) {
        const struct mst_value *action = mst_value_get(rule, "action");
        if (action && action->type == MST_STRING &&
            mst_str_is(mst_value_str(action), "RestartAllContainers"))
            *(bool *)((char *)base + field->offset) = true;
    }
}

/* ---- time ---- */

/* `n` digits at *at as a number; false when there are fewer. Moves *at behind them. */
static bool digits(const char **at, const char *end, int n, int *out)
{
    int value = 0;
    for (int i = 0; i < n; i++) {
        if (*at == end || **at < '0' || **at > '9')
            return false;
        value = value * 10 + (*(*at)++ - '0');
    }
    *out = value;
    return true;
}

static bool literal(const char **at, const char *end, char c)
{
    return *at < end && *(*at)++ == c;
}

/* Days since 1970-01-01 of a date in the Gregorian calendar. */
static int64_t days_from_civil(int year, int month, int day)
{
    int64_t y = year - (month <= 2);
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           719468;
}

static int days_in_month(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

/* "Z" or "+hh:mm", as seconds east. */
static bool parse_offset(const char **at, const char *end, int *ret_offset_s)
{
    if (*at == end)
        return false;
    char sign = *(*at)++;
    int hours = 0, minutes = 0;
    if (sign != 'Z' &&
        (!digits(at, end, 2, &hours) || !literal(at, end, ':') || !digits(at, end, 2, &minutes)))
        return false;
    if ((sign != 'Z' && sign != '+' && sign != '-') || hours > 23 || minutes > 59)
        return false;
    *ret_offset_s = (hours * 3600 + minutes * 60) * (sign == '-' ? -1 : 1);
    return true;
}

/* ".123": the first nine digits count. */
static bool parse_fraction(const char **at, const char *end, int32_t *ret_nanos)
{
    int32_t nanos = 0, scale = 100000000;
    if (*at == end || (**at != '.' && **at != ','))
        return true;
    const char *begin = ++*at;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at, scale /= 10)
        nanos += (**at - '0') * scale;
    *ret_nanos = nanos;
    return *at > begin;
}

bool mst_time_parse(struct mst_str text, struct mst_time *out)
{
    const char *at = text.p, *end = text.p + text.n;
    int year, month, day, hour, minute, second, offset_s;
    struct mst_time t = { .set = true };
    if (!digits(&at, end, 4, &year) || !literal(&at, end, '-') || !digits(&at, end, 2, &month) ||
        !literal(&at, end, '-') || !digits(&at, end, 2, &day) || !literal(&at, end, 'T') ||
        !digits(&at, end, 2, &hour) || !literal(&at, end, ':') || !digits(&at, end, 2, &minute) ||
        !literal(&at, end, ':') || !digits(&at, end, 2, &second) ||
        !parse_fraction(&at, end, &t.nanos) || !parse_offset(&at, end, &offset_s) || at != end)
        return false;
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour > 23 ||
        minute > 59 || second > 59)
        return false;
    t.unix_s =
        days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset_s;
    *out = t;
    return true;
}

/* ---- the tree of templates ---- */

/* A template that waits for its turn; its path must outlive the walk, so it lives in an arena. */
struct pending {
    const struct mst_value *value;
    const struct mst_path *path;
};

struct template_walk {
    struct mst_decoder *d;
    MST_VEC(struct pending) pending;
    MST_VEC(struct mst_group_template) templates; /* same indices as `pending` */
};

static const struct mst_path *keep_path(struct mst_decoder *d, struct mst_path path)
{
    struct mst_path *kept = MST_NEW(d->api->arena, struct mst_path);
    *kept = path;
    return kept;
}

static void queue_list(struct template_walk *walk, const struct mst_value *owner,
                       const struct mst_path *owner_path, bool composite, uint32_t parent)
{
    const char *name = composite ? "compositePodGroupTemplates" : "podGroupTemplates";
    const struct mst_value *list = mst_value_get(owner, name);
    if (!list || list->type == MST_NULL)
        return;
    const struct mst_path *path = keep_path(walk->d, MST_AT(owner_path, name));
    if (list->type != MST_ARRAY) {
        mst_decode_wrong_type(walk->d, path, "array", list);
        return;
    }
    uint32_t depth = parent == UINT32_MAX ? 0 : walk->templates.v[parent].depth + 1, i = 0;
    MST_EACH_ELEMENT (element, list) {
        struct mst_group_template template = {
            .composite = composite, .parent = parent, .depth = depth, .index = i
        };
        mst_vec_push(&walk->templates, template);
        mst_vec_push(&walk->pending,
                     (struct pending){ element, keep_path(walk->d, MST_AT_I(path, i)) });
        i++;
    }
}

void mst_decode_templates(struct mst_decoder *d, const struct mst_value *spec,
                          const struct mst_path *path, struct mst_workload *workload)
{
    struct template_walk walk = { .d = d };
    queue_list(&walk, spec, path, false, UINT32_MAX);
    queue_list(&walk, spec, path, true, UINT32_MAX);
    for (uint32_t i = 0; i < walk.templates.n; i++) { /* grows; bounded by the document's size */
        const struct pending at = walk.pending.v[i];
        bool composite = walk.templates.v[i].composite;
        if (at.value->type != MST_NULL)
            mst_decode_struct(d,
                              composite ? &mst_schema_composite_template
                                        : &mst_schema_pod_group_template,
                              at.path, at.value, &walk.templates.v[i].spec);
        if (composite && at.value->type == MST_OBJECT) {
            queue_list(&walk, at.value, at.path, false, i);
            queue_list(&walk, at.value, at.path, true, i);
        }
    }
    uint32_t n = walk.templates.n;
    workload->templates.v = MST_NEW_N(d->api->arena, struct mst_group_template, n);
    workload->templates.n = n;
    if (n)
        memcpy(workload->templates.v, walk.templates.v, n * sizeof(*walk.templates.v));
    mst_vec_done(&walk.templates);
    mst_vec_done(&walk.pending);
}

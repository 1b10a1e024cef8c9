/*
 * explain_print.c - an explanation as text for people and as JSON for programs.
 */
#include "cli/explain_print.h"

#include "cli/table.h"

enum { NAMES_SHOWN = 4 };

static const char *policy_name(mst_policy policy)
{
    switch (policy) {
    case MST_POLICY_BASIC: return "basic";
    case MST_POLICY_GANG: return "gang";
    case MST_POLICY_UNSET:
    case MST_POLICY_BOTH: break;
    }
    return "none";
}

/* "a, b, c and 5 more". */
static void print_names(struct mst_buf *out, const mst_strs *names)
{
    uint32_t shown = names->n <= NAMES_SHOWN + 1 ? names->n : NAMES_SHOWN;
    for (uint32_t i = 0; i < shown; i++)
        mst_buf_printf(out, "%s%.*s", i ? ", " : "", MST_ARG(names->v[i]));
    if (shown < names->n)
        mst_buf_printf(out, " and %u more", names->n - shown);
}

static void label(struct mst_buf *out, bool colours, const char *text)
{
    enum { WIDTH = 9 };
    mst_buf_text(out, "  ");
    mst_styled(out, colours, MST_STYLE_DIM, mst_str_of(text));
    mst_buf_printf(out, "%*s", (int)(WIDTH - strlen(text)), "");
}

static void print_head(const struct mst_explanation *e, bool colours, struct mst_buf *out)
{
    MST_AUTO(mst_buf) title = { 0 };
    mst_buf_printf(&title, "%s %.*s/%.*s", e->group ? "PodGroup" : "Pod", MST_ARG(e->ns),
                   MST_ARG(e->name));
    mst_styled(out, colours, MST_STYLE_BOLD, mst_buf_span(&title));
    if (e->group && e->policy == MST_POLICY_GANG)
        mst_buf_printf(out, " (gang, minCount %lld)", (long long)e->min_count);
    else if (e->group)
        mst_buf_printf(out, " (%s)", policy_name(e->policy));
    mst_buf_printf(out, ": %.*s\n", MST_ARG(e->state));
    if (e->message.n) {
        label(out, colours, "why");
        mst_buf_printf(out, "%.*s\n", MST_ARG(e->message));
    }
    if (!e->group)
        return;
    label(out, colours, "members");
    mst_buf_printf(out, "%u known, %u scheduled, %u queued", e->members, e->scheduled, e->queued);
    if (e->queued)
        mst_buf_printf(out, "; %u of the queued would fit now", e->would_fit);
    mst_buf_char(out, '\n');
}

static void print_reasons(const struct mst_class_explanation *c, bool colours, struct mst_buf *out)
{
    static const struct mst_column columns[] = { { "NODES", true, 0 },
                                                 { "REASON", false, 0 },
                                                 { "WHICH", false, 0 } };
    struct mst_table table = { .columns = columns, .column_count = MST_COUNT(columns) };
    if (!c->reasons.n)
        return;
    for (uint32_t i = 0; i < c->reasons.n; i++) {
        const struct mst_reason_nodes *r = &c->reasons.v[i];
        MST_AUTO(mst_buf) names = { 0 };
        print_names(&names, &r->nodes);
        mst_table_addf(&table, MST_STYLE_PLAIN, "%u", r->nodes.n);
        mst_table_add(&table, MST_STYLE_BAD, r->reason);
        mst_table_add(&table, MST_STYLE_PLAIN, mst_buf_span(&names));
    }
    MST_AUTO(mst_buf) text = { 0 };
    mst_table_print(&table, colours, &text);
    struct mst_str rest = mst_buf_span(&text);
    while (rest.n) {
        const char *end = memchr(rest.p, '\n', rest.n);
        size_t n = (size_t)(end - rest.p) + 1;
        mst_buf_printf(out, "           %.*s", (int)n, rest.p);
        rest.p += n;
        rest.n -= n;
    }
    mst_table_done(&table);
}

static void print_class(const struct mst_explanation *e, const struct mst_class_explanation *c,
                        bool colours, struct mst_buf *out)
{
    label(out, colours, "pods");
    if (e->group) {
        mst_buf_printf(out, "%u x ", c->pods.n);
        mst_buf_printf(out, "%.*s: ", MST_ARG(c->request.n ? c->request : MST_STR("no request")));
        print_names(out, &c->pods);
        mst_buf_char(out, '\n');
    } else {
        mst_buf_printf(out, "%.*s\n", MST_ARG(c->request.n ? c->request : MST_STR("no request")));
    }
    label(out, colours, "room");
    if (e->group)
        mst_buf_printf(out,
                       "%u of %u placed; %u of %u nodes would take the next one; alone, %u "
                       "of them fit\n",
                       c->placed, c->pods.n, c->feasible, c->node_count, c->room);
    else
        mst_buf_printf(out, "%u of %u nodes would take it\n", c->feasible, c->node_count);
    print_reasons(c, colours, out);
}

void mst_explanation_print(const struct mst_explanation *e, bool colours, struct mst_buf *out)
{
    print_head(e, colours, out);
    for (uint32_t i = 0; i < e->classes.n; i++)
        print_class(e, &e->classes.v[i], colours, out);
    for (uint32_t i = 0; i < e->fixes.n; i++) {
        label(out, colours, i ? "or" : "helps");
        mst_styled(out, colours, MST_STYLE_GOOD, e->fixes.v[i].text);
        mst_buf_char(out, '\n');
    }
}

/* ---- JSON ---- */

static void key_str(struct mst_json_writer *w, const char *key, struct mst_str text)
{
    mst_jw_key(w, key);
    mst_jw_str(w, text);
}

static void key_int(struct mst_json_writer *w, const char *key, int64_t value)
{
    mst_jw_key(w, key);
    mst_jw_int(w, value);
}

static void key_strs(struct mst_json_writer *w, const char *key, const mst_strs *list)
{
    mst_jw_key(w, key);
    mst_jw_array_begin(w);
    for (uint32_t i = 0; i < list->n; i++)
        mst_jw_str(w, list->v[i]);
    mst_jw_array_end(w);
}

static void class_json(const struct mst_class_explanation *c, struct mst_json_writer *w)
{
    mst_jw_object_begin(w);
    key_strs(w, "pods", &c->pods);
    key_str(w, "request", c->request);
    key_int(w, "placed", c->placed);
    key_int(w, "nodes", c->node_count);
    key_int(w, "feasible", c->feasible);
    key_int(w, "room", c->room);
    if (c->message.n)
        key_str(w, "message", c->message);
    mst_jw_key(w, "reasons");
    mst_jw_array_begin(w);
    for (uint32_t i = 0; i < c->reasons.n; i++) {
        const struct mst_reason_nodes *r = &c->reasons.v[i];
        mst_jw_object_begin(w);
        key_str(w, "reason", r->reason);
        key_str(w, "plugin", r->plugin);
        mst_jw_key(w, "unresolvable");
        mst_jw_bool(w, r->unresolvable);
        key_strs(w, "nodes", &r->nodes);
        mst_jw_object_end(w);
    }
    mst_jw_array_end(w);
    mst_jw_object_end(w);
}

static const char *fix_name(mst_fix_kind kind)
{
    switch (kind) {
    case MST_FIX_NOTHING_NEEDED: return "nothingNeeded";
    case MST_FIX_MIN_COUNT: return "lowerMinCount";
    case MST_FIX_NODES: return "addNodes";
    case MST_FIX_FREE: return "freeResource";
    case MST_FIX_MEMBERS: return "createMembers";
    case MST_FIX_GATES: return "openGates";
    }
    return "";
}

static void fix_json(const struct mst_fix *fix, struct mst_json_writer *w)
{
    mst_jw_object_begin(w);
    key_str(w, "kind", mst_str_of(fix_name(fix->kind)));
    if (fix->count)
        key_int(w, "count", fix->count);
    if (fix->node.n)
        key_str(w, "node", fix->node);
    if (fix->resource.n) {
        key_str(w, "resource", fix->resource);
        key_int(w, "amount", fix->amount);
    }
    key_str(w, "text", fix->text);
    mst_jw_object_end(w);
}

void mst_explanation_json(const struct mst_explanation *e, struct mst_json_writer *w)
{
    mst_jw_object_begin(w);
    key_str(w, "kind", e->group ? MST_STR("PodGroup") : MST_STR("Pod"));
    key_str(w, "namespace", e->ns);
    key_str(w, "name", e->name);
    if (e->group) {
        key_str(w, "policy", mst_str_of(policy_name(e->policy)));
        key_int(w, "minCount", e->min_count);
    }
    key_str(w, "state", e->state);
    if (e->message.n)
        key_str(w, "message", e->message);
    key_int(w, "members", e->members);
    key_int(w, "scheduled", e->scheduled);
    key_int(w, "queued", e->queued);
    key_int(w, "wouldFit", e->would_fit);
    mst_jw_key(w, "feasible");
    mst_jw_bool(w, e->feasible);
    mst_jw_key(w, "classes");
    mst_jw_array_begin(w);
    for (uint32_t i = 0; i < e->classes.n; i++)
        class_json(&e->classes.v[i], w);
    mst_jw_array_end(w);
    mst_jw_key(w, "fixes");
    mst_jw_array_begin(w);
    for (uint32_t i = 0; i < e->fixes.n; i++)
        fix_json(&e->fixes.v[i], w);
    mst_jw_array_end(w);
    mst_jw_object_end(w);
}

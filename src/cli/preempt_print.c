/*
 * preempt_print.c - who would have to go, as JSON lines and as text for people.
 *
 * The JSON lines are those of the reference program's mode `preempt`, key by key, so that the two
 * can be compared with diff.
 */
#include "cli/explain_print.h"
#include "cli/table.h"

enum { NAMES_SHOWN = 6, PLANS_SHOWN = 5 };

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

static void plan_json(struct mst_json_writer *w, const struct mst_eviction_plan *plan)
{
    mst_jw_object_begin(w);
    key_str(w, "node", plan->node);
    mst_jw_key(w, "victims");
    mst_jw_array_begin(w);
    for (uint32_t i = 0; i < plan->pods.n; i++)
        mst_jw_str(w, plan->pods.v[i].pod);
    mst_jw_array_end(w);
    key_int(w, "pdbViolations", plan->violations);
    if (plan->group_disruptions)
        key_int(w, "podGroupDisruptions", plan->group_disruptions);
    mst_jw_object_end(w);
}

static void seats_json(struct mst_json_writer *w, const char *key, const mst_seats *seats)
{
    if (!seats->n)
        return;
    mst_jw_key(w, key);
    mst_jw_object_begin(w);
    for (uint32_t i = 0; i < seats->n; i++) {
        mst_jw_key_str(w, seats->v[i].pod);
        mst_jw_str(w, seats->v[i].node);
    }
    mst_jw_object_end(w);
}

static const char *result_name(mst_preempt_result result)
{
    switch (result) {
    case MST_PREEMPT_SCHEDULED: return "scheduled";
    case MST_PREEMPT_PREEMPTING: return "preempting";
    case MST_PREEMPT_UNSCHEDULABLE: return "unschedulable";
    case MST_PREEMPT_GATED: return "gated";
    }
    return "";
}

static void trials_json(struct mst_json_writer *w, const struct mst_preempt_answer *a)
{
    if (a->candidates.n) {
        mst_jw_key(w, "candidates");
        mst_jw_array_begin(w);
        for (uint32_t i = 0; i < a->candidates.n; i++)
            plan_json(w, &a->candidates.v[i]);
        mst_jw_array_end(w);
    }
    if (!a->rejected.n)
        return;
    mst_jw_key(w, "rejected");
    mst_jw_object_begin(w);
    for (uint32_t i = 0; i < a->rejected.n; i++) {
        mst_jw_key_str(w, a->rejected.v[i].node);
        mst_jw_str(w, a->rejected.v[i].why);
    }
    mst_jw_object_end(w);
}

static void print_entity(const struct mst_preempt_answer *a, struct mst_buf *out)
{
    mst_buf_printf(out, "%s %.*s/%.*s", a->group ? "PodGroup" : "Pod", MST_ARG(a->ns),
                   MST_ARG(a->name));
}

void mst_preempt_json(const struct mst_preempt_answer *a, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out };
    MST_AUTO(mst_buf) entity = { 0 };
    print_entity(a, &entity);
    mst_jw_object_begin(&w);
    key_str(&w, "entity", mst_buf_span(&entity));
    key_int(&w, "priority", a->priority);
    key_str(&w, "result", mst_str_of(result_name(a->result)));
    seats_json(&w, "binds", &a->binds);
    trials_json(&w, a);
    if (a->result == MST_PREEMPT_PREEMPTING) {
        mst_jw_key(&w, "chosen");
        plan_json(&w, &a->chosen);
    }
    seats_json(&w, "nominated", &a->nominated);
    if (a->message.n && a->result != MST_PREEMPT_GATED)
        key_str(&w, "message", a->message);
    mst_jw_object_end(&w);
    mst_buf_char(out, '\n');
}

/* ---- text ---- */

static void label(struct mst_buf *out, bool colours, const char *text)
{
    enum { WIDTH = 9 };
    mst_buf_text(out, "  ");
    mst_styled(out, colours, MST_STYLE_DIM, mst_str_of(text));
    mst_buf_printf(out, "%*s", (int)(WIDTH - strlen(text)), "");
}

static const char *pods_word(uint32_t n)
{
    return n == 1 ? "pod" : "pods";
}

static void print_head(const struct mst_preempt_answer *a, bool colours, struct mst_buf *out)
{
    MST_AUTO(mst_buf) title = { 0 };
    print_entity(a, &title);
    mst_styled(out, colours, MST_STYLE_BOLD, mst_buf_span(&title));
    mst_buf_printf(out, " (priority %d): ", a->priority);
    switch (a->result) {
    case MST_PREEMPT_SCHEDULED: mst_buf_text(out, "fits as it is, nobody has to go\n"); break;
    case MST_PREEMPT_GATED: mst_buf_text(out, "held back\n"); break;
    case MST_PREEMPT_UNSCHEDULABLE:
        mst_buf_text(out, a->never ? "does not fit, and its preemptionPolicy is Never\n"
                                   : "does not fit, and nobody would be evicted\n");
        break;
    case MST_PREEMPT_PREEMPTING:
        mst_buf_printf(out, "%u %s would have to go\n", a->chosen.pods.n,
                       pods_word(a->chosen.pods.n));
        break;
    }
}

/* "a (priority 1, on n1)"; where everybody is on one node that is said elsewhere. */
static void print_evictee(const struct mst_evictee *e, bool with_node, struct mst_buf *out)
{
    mst_buf_printf(out, "%.*s (priority %d", MST_ARG(e->pod), e->priority);
    if (with_node)
        mst_buf_printf(out, ", on %.*s", MST_ARG(e->node));
    if (e->unit.n)
        mst_buf_printf(out, ", with all of PodGroup %.*s", MST_ARG(e->unit));
    if (e->leaving)
        mst_buf_text(out, ", leaving already");
    mst_buf_char(out, ')');
}

static void print_plan(const struct mst_eviction_plan *plan, struct mst_buf *out)
{
    uint32_t shown = plan->pods.n <= NAMES_SHOWN + 1 ? plan->pods.n : NAMES_SHOWN;
    for (uint32_t i = 0; i < shown; i++) {
        const struct mst_evictee *e = &plan->pods.v[i];
        if (i)
            mst_buf_text(out, ", ");
        print_evictee(e, !mst_str_eq(e->node, plan->node), out);
    }
    if (shown < plan->pods.n)
        mst_buf_printf(out, " and %u more", plan->pods.n - shown);
    if (!plan->pods.n)
        mst_buf_text(out, "nobody: there is room once it is looked for in another order");
    if (plan->violations)
        mst_buf_printf(out, "; %u beyond what a PodDisruptionBudget allows", plan->violations);
    mst_buf_char(out, '\n');
}

static void print_seats(const mst_seats *seats, bool colours, const char *what, struct mst_buf *out)
{
    if (!seats->n)
        return;
    uint32_t shown = seats->n <= NAMES_SHOWN + 1 ? seats->n : NAMES_SHOWN;
    label(out, colours, what);
    for (uint32_t i = 0; i < shown; i++)
        mst_buf_printf(out, "%s%.*s on %.*s", i ? ", " : "", MST_ARG(seats->v[i].pod),
                       MST_ARG(seats->v[i].node));
    if (shown < seats->n)
        mst_buf_printf(out, " and %u more", seats->n - shown);
    mst_buf_char(out, '\n');
}

/* The nodes that were not chosen, and who would have had to go there. */
static void print_others(const struct mst_preempt_answer *a, bool colours, struct mst_buf *out)
{
    uint32_t shown = 0, others = 0;
    for (uint32_t i = 0; i < a->candidates.n; i++) {
        const struct mst_eviction_plan *plan = &a->candidates.v[i];
        if (mst_str_eq(plan->node, a->chosen.node) || ++others > PLANS_SHOWN)
            continue;
        label(out, colours, shown++ ? "" : "instead");
        mst_buf_printf(out, "on %.*s: ", MST_ARG(plan->node));
        print_plan(plan, out);
    }
    if (others > shown) {
        label(out, colours, "");
        mst_buf_printf(out, "and on %u more nodes\n", others - shown);
    }
}

static bool said_before(const mst_preempt_refusals *list, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (mst_str_eq(list->v[i].why, list->v[at].why))
            return true;
    return false;
}

/* One row for each reason, in order of the first node that gives it. */
static void add_refusals(const mst_preempt_refusals *list, const char *when,
                         struct mst_table *table)
{
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t n = 0;
        MST_AUTO(mst_buf) names = { 0 };
        if (said_before(list, i))
            continue;
        for (uint32_t k = i; k < list->n; k++) {
            if (!mst_str_eq(list->v[k].why, list->v[i].why) || ++n > NAMES_SHOWN)
                continue;
            mst_buf_printf(&names, "%s%.*s", names.n ? ", " : "", MST_ARG(list->v[k].node));
        }
        if (n > NAMES_SHOWN)
            mst_buf_printf(&names, " and %u more", n - NAMES_SHOWN);
        mst_table_addf(table, MST_STYLE_PLAIN, "%u", n);
        mst_table_add(table, MST_STYLE_PLAIN, mst_str_of(when));
        mst_table_add(table, MST_STYLE_BAD, list->v[i].why);
        mst_table_add(table, MST_STYLE_PLAIN, mst_buf_span(&names));
    }
}

static void print_refusals(const struct mst_preempt_answer *a, bool colours, struct mst_buf *out)
{
    static const struct mst_column columns[] = {
        { "NODES", true, 0 }, { "WHEN", false, 0 }, { "REASON", false, 0 }, { "WHICH", false, 0 }
    };
    struct mst_table table = { .columns = columns, .column_count = MST_COUNT(columns) };
    bool everywhere = a->rejected.n == 1 && mst_str_is(a->rejected.v[0].node, "*");
    if ((!a->rejected.n && !a->hopeless.n) || everywhere)
        return;
    label(out, colours, "no help");
    mst_buf_text(out, "evictions do not make room here:\n");
    add_refusals(&a->rejected, "with all lower pods gone", &table);
    add_refusals(&a->hopeless, "whoever goes", &table);
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

static void print_what_if(const struct mst_preempt_answer *a, bool colours, struct mst_buf *out)
{
    if (!a->never)
        return;
    label(out, colours, "else");
    if (!a->what_if) {
        mst_buf_text(out, "another preemptionPolicy would not help: no evictions make room\n");
        return;
    }
    mst_buf_printf(out, "with preemptionPolicy PreemptLowerPriority, from %.*s: ",
                   MST_ARG(a->allowed.node));
    print_plan(&a->allowed, out);
}

void mst_preempt_print(const struct mst_preempt_answer *a, bool colours, struct mst_buf *out)
{
    print_head(a, colours, out);
    if (a->message.n) {
        label(out, colours, "why");
        mst_buf_printf(out, "%.*s\n", MST_ARG(a->message));
    }
    print_seats(&a->binds, colours, "binds", out);
    if (a->result == MST_PREEMPT_PREEMPTING) {
        label(out, colours, "goes");
        if (!a->group)
            mst_buf_printf(out, "on %.*s: ", MST_ARG(a->chosen.node));
        print_plan(&a->chosen, out);
        if (a->chosen.pods.n) {
            label(out, colours, "fewer");
            mst_buf_printf(out, "no: with any of these back, %s does not fit where it is placed\n",
                           a->group ? "the group" : "the pod");
        }
        print_others(a, colours, out);
    }
    print_seats(&a->nominated, colours, "seats", out);
    print_what_if(a, colours, out);
    print_refusals(a, colours, out);
}

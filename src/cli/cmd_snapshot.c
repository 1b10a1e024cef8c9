/*
 * cmd_snapshot.c - muster snapshot: what scheduling depends on in a cluster, as one List.
 *
 * Objects are printed as the server has them, one after another: what is in memory is the lists as
 * they came and one object.
 */
#include <stdio.h>

#include "api/api.h"
#include "cli/live.h"
#include "cli/redact.h"
#include "codec/json.h"
#include "codec/yaml.h"

enum { FLUSH_BYTES = 1 << 20 };

struct printing {
    const struct mst_args *args;
    bool yaml, redact;
    bool any; /* an object is printed already */
    struct mst_buf out;
    struct mst_arena arena;
};

/* "PodList" says what kind its items are of, which do not say so themselves. */
static struct mst_str item_kind(const struct mst_value *list)
{
    const struct mst_value *kind = mst_value_get(list, "kind");
    struct mst_str text = kind && kind->type == MST_STRING ? mst_value_str(kind) : MST_STR_NONE;
    const size_t suffix = sizeof("List") - 1;
    if (text.n > suffix && memcmp(text.p + text.n - suffix, "List", suffix) == 0)
        text.n -= suffix;
    return text;
}

static struct mst_str api_version(const struct mst_value *list)
{
    const struct mst_value *v = mst_value_get(list, "apiVersion");
    return v && v->type == MST_STRING ? mst_value_str(v) : MST_STR_NONE;
}

/* One object with its type first, as JSON. */
static void write_object(struct printing *p, const struct mst_value *list,
                         const struct mst_value *item, struct mst_json_writer *w)
{
    struct mst_doc *doc = mst_doc_of(&p->arena, item);
    mst_doc_remove(doc, "apiVersion");
    mst_doc_remove(doc, "kind");
    mst_redact_noise(doc);
    if (p->redact)
        mst_redact(doc);
    mst_jw_object_begin(w);
    mst_jw_key(w, "apiVersion");
    mst_jw_str(w, api_version(list));
    mst_jw_key(w, "kind");
    mst_jw_str(w, item_kind(list));
    for (const struct mst_doc *member = doc->first; member; member = member->next) {
        mst_jw_key_str(w, member->key);
        mst_doc_write(member, w);
    }
    mst_jw_object_end(w);
}

/* YAML: a list of one item, which continues the one before it. */
static mst_rc print_yaml(struct printing *p, const struct mst_value *list,
                         const struct mst_value *item, struct mst_err *err)
{
    MST_AUTO(mst_buf) json = { 0 };
    struct mst_json_writer w = { .out = &json };
    const struct mst_value *value;
    if (!p->any)
        mst_buf_char(&p->out, '\n');
    mst_jw_array_begin(&w);
    write_object(p, list, item, &w);
    mst_jw_array_end(&w);
    mst_rc rc = mst_json_parse(mst_buf_span(&json), NULL, &p->arena, NULL, &value, err);
    return rc ? rc : mst_yaml_write(value, &p->out, err);
}

static void print_json(struct printing *p, const struct mst_value *list,
                       const struct mst_value *item)
{
    struct mst_json_writer w = { .out = &p->out };
    mst_buf_text(&p->out, p->any ? ",\n" : "\n");
    write_object(p, list, item, &w);
}

static int flush(struct printing *p, size_t above)
{
    int code = MST_EXIT_OK;
    if (p->out.n > above)
        code = mst_print(&p->out);
    if (p->out.n > above)
        p->out.n = 0;
    return code;
}

static int fail(const struct printing *p, struct mst_str label, const struct mst_err *err)
{
    fprintf(stderr, "muster %s: %.*s: %s\n", p->args->command->name, MST_ARG(label), err->text);
    return MST_EXIT_FAILED;
}

static int print_document(struct printing *p, const struct mst_snapshot_document *document)
{
    struct mst_arena arena = { 0 };
    struct mst_err err;
    const struct mst_value *list, *items;
    int code = MST_EXIT_OK;
    if (mst_json_parse(document->text, NULL, &arena, NULL, &list, &err)) {
        mst_arena_done(&arena);
        return fail(p, document->label, &err);
    }
    items = mst_value_get(list, "items");
    if (items && items->type == MST_ARRAY) {
        MST_EACH_ELEMENT (item, items) {
            if (code || item->type != MST_OBJECT)
                continue;
            if (!p->yaml)
                print_json(p, list, item);
            else if (print_yaml(p, list, item, &err))
                code = fail(p, document->label, &err);
            p->any = true;
            mst_arena_reset(&p->arena);
            if (!code)
                code = flush(p, FLUSH_BYTES);
        }
    }
    mst_arena_done(&arena);
    return code;
}

static int print_all(struct printing *p, const struct mst_snapshot *snapshot)
{
    uint32_t count;
    int code = MST_EXIT_OK;
    const struct mst_snapshot_document *documents = mst_snapshot_documents(snapshot, &count);
    mst_buf_text(&p->out, p->yaml ? "apiVersion: v1\nkind: List\nitems:"
                                  : "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (uint32_t i = 0; i < count && !code; i++)
        code = print_document(p, &documents[i]);
    if (!p->yaml)
        mst_buf_text(&p->out, p->any ? "\n]}\n" : "]}\n");
    else if (!p->any)
        mst_buf_text(&p->out, " []\n");
    return code ? code : flush(p, 0);
}

static int run(const struct mst_args *args)
{
    struct mst_live live = { 0 };
    struct printing p = {
        .args = args,
        .yaml = strcmp(mst_args_text(args, "output", "yaml"), "yaml") == 0,
        .redact = mst_args_has(args, "redact"),
    };
    int code = mst_live_read(&live, args, NULL);
    if (!code)
        code = print_all(&p, live.snapshot);
    mst_buf_done(&p.out);
    mst_arena_done(&p.arena);
    mst_live_done(&live);
    return code;
}

static const struct mst_flag flags[] = {
    MST_LIVE_FLAGS,
    { .name = "output",
      .letter = 'o',
      .arg = "FORMAT",
      .values = "yaml|json",
      .help = "what to print (default yaml); json has one object a line" },
    { .name = "redact",
      .help = "leave out what no decision reads: commands, arguments, environments, probes,\n"
              "templates, addresses, container states, parameters of volumes, annotations but\n"
              "those of scheduling; names, labels and images stay" },
};

const struct mst_command mst_command_snapshot = {
    .name = "snapshot",
    .summary = "print what scheduling depends on in a cluster, for later or for a bug report",
    .usage = "[--redact] [flags]",
    .about =
        "Lists nodes, namespaces, pods that have not ended, PodGroups, priority classes, budgets,\n"
        "workloads' selectors and storage, and prints them as one List that simulate, explain,\n"
        "status and top read with -f. Secrets and ConfigMaps are never read, but pods may hold\n"
        "secrets in their commands and environments: --redact leaves those out.\n"
        "\n"
        "Exit code 0. 1: the cluster does not answer, or does not allow it. 2: bad input.",
    .flags = flags,
    .flag_count = MST_COUNT(flags),
    .examples = "  muster snapshot --redact > snapshot.yaml\n"
                "  muster explain -f snapshot.yaml podgroup/train\n",
    .plugin = true,
    .run = run,
};

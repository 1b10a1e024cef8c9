/*
 * name_profiles.c - the names in order of appearance, a document that lists them, and its reading.
 */
#include "cli/name_profiles.h"

#include "codec/json.h"

enum {
    NAMES_MAX = 999, /* beside the default one, of the 1,000 that a document may have */
    NAME_BYTES_MAX = 253,
};

typedef MST_VEC(mst_sym) names;

static bool has(const names *list, mst_sym name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] == name)
            return true;
    return false;
}

/* A server takes any text as a name; what is no word is the name of no scheduler. */
static bool is_word(struct mst_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] <= ' ' || name.p[i] > '~')
            return false;
    return name.n > 0 && name.n <= NAME_BYTES_MAX;
}

/* The names of pods that wait, if anything here was stored by a server. */
static void collect(const struct mst_scenario *scenario, names *out)
{
    bool stored = false;
    const mst_sym usual = mst_sym_of(scenario->syms, MST_STR("default-scheduler"));
    for (uint32_t i = 0; i < scenario->docs.n; i++) {
        const struct mst_scenario_doc *doc = &scenario->docs.v[i];
        stored |= doc->origin != MST_DOC_WRITTEN && !doc->implied;
        if (doc->object.kind != MST_KIND_POD)
            continue;
        const struct mst_pod_spec *spec = &doc->object.u.pod.spec;
        const mst_sym name = spec->scheduler_name;
        if (spec->node_name == MST_SYM_NONE && name != usual && out->n < NAMES_MAX &&
            !has(out, name) && is_word(mst_sym_str(scenario->syms, name)))
            mst_vec_push(out, name);
    }
    if (!stored)
        out->n = 0;
}

static void add_profile(struct mst_json_writer *w, struct mst_str name)
{
    mst_jw_object_begin(w);
    mst_jw_key(w, "schedulerName");
    mst_jw_str(w, name);
    mst_jw_object_end(w);
}

static void write_document(const struct mst_syms *syms, const names *list, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "apiVersion");
    mst_jw_text(&w, "kubescheduler.config.k8s.io/v1");
    mst_jw_key(&w, "kind");
    mst_jw_text(&w, "KubeSchedulerConfiguration");
    mst_jw_key(&w, "profiles");
    mst_jw_array_begin(&w);
    add_profile(&w, MST_STR("default-scheduler"));
    for (uint32_t i = 0; i < list->n; i++)
        add_profile(&w, mst_sym_str(syms, list->v[i]));
    mst_jw_array_end(&w);
    mst_jw_object_end(&w);
    mst_buf_char(out, '\n');
}

void mst_name_profiles(struct mst_config *config, const struct mst_registry *registry,
                       const struct mst_scenario *scenario, struct mst_buf *ret_text)
{
    names list = { 0 };
    collect(scenario, &list);
    if (list.n) {
        MST_AUTO(mst_diags) diags = { 0 };
        const bool upstream = config->upstream;
        const struct mst_gates gates = config->gates;
        write_document(scenario->syms, &list, ret_text);
        mst_config_done(config);
        *config = (struct mst_config){ .upstream = upstream, .gates = gates };
        const bool read =
            mst_config_read(config, registry, scenario->syms, mst_buf_span(ret_text), &diags);
        mst_assert(read);
    }
    mst_vec_done(&list);
}

/*
 * fuzz_api.c - any bytes as manifests: read, decode, default, admit, validate, and ask the
 * questions
 * that the scheduler asks of pods. The first byte chooses YAML or JSON and the gates.
 */
#include "api/api.h"
#include "codec/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_pod(struct mst_api *api, const struct mst_pod *pod)
{
    for (uint32_t mode = 0; mode < 8; mode++) {
        mst_requests requests;
        mst_pod_requests(api->syms, pod, mode, api->arena, &requests);
        for (uint32_t i = 1; i < requests.n; i++)
            mst_assert(mst_str_cmp(mst_sym_str(api->syms, requests.v[i - 1].name),
                                   mst_sym_str(api->syms, requests.v[i].name)) < 0);
    }
    int64_t cpu_milli, memory;
    mst_pod_nonzero(api->syms, pod, &cpu_milli, &memory);
    const struct mst_node_affinity *affinity = &pod->spec.node_affinity;
    for (uint32_t i = 0; i < affinity->required.terms.n; i++) {
        const struct mst_node_selector_term *term = &affinity->required.terms.v[i];
        bool matches = mst_node_term_matches(api->syms, term, pod->meta.labels, MST_SYM_NONE);
        mst_assert(!matches || !mst_node_term_error(api->syms, term, api->arena).p);
    }
    for (uint32_t i = 0; i < pod->spec.spread.n; i++) {
        bool bad;
        bool matches = mst_label_selector_matches(&pod->spec.spread.v[i].label_selector,
                                                  pod->meta.labels, &bad);
        mst_assert(!matches || !bad);
    }
}

static bool take(void *ctx, struct mst_object *object)
{
    struct mst_api *api = ctx;
    mst_api_default(api, object);
    (void)mst_api_admit(api, object, NULL, NULL);
    uint32_t errors = api->diags->error_count;
    bool ok = mst_api_validate(api, object);
    mst_assert(ok == (api->diags->error_count == errors));
    mst_assert(mst_meta_key(api, &object->u.meta).p);
    if (object->kind == MST_KIND_POD)
        ask_pod(api, &object->u.pod);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { DOCUMENTS_MAX = 100 };
    if (size == 0)
        return 0;
    struct mst_arena arena = { 0 };
    struct mst_diags diags = { 0 };
    struct mst_api api = {
        .syms = mst_syms_new(),
        .arena = &arena,
        .diags = &diags,
        .composite = data[0] & 2,
        .topology = data[0] & 4,
        .preemption_policy = data[0] & 8,
        .claims = data[0] & 16,
        .upstream = data[0] & 32,
    };
    struct mst_str text = { (const char *)data + 1, size - 1 };
    const struct mst_value *doc;
    if (data[0] & 1) {
        if (mst_json_parse(text, NULL, &arena, &diags, &doc, NULL) == MST_OK)
            mst_api_decode(&api, doc, take, &api);
    } else {
        struct mst_yaml_reader reader;
        mst_rc rc = MST_OK;
        mst_yaml_init(&reader, text);
        for (uint32_t i = 0; i < DOCUMENTS_MAX && rc != MST_ENOTFOUND; i++) {
            rc = mst_yaml_next(&reader, &arena, &diags, &doc);
            if (rc == MST_OK)
                mst_api_decode(&api, doc, take, &api);
        }
    }
    mst_syms_free(api.syms);
    mst_diags_done(&diags);
    mst_arena_done(&arena);
    return 0;
}

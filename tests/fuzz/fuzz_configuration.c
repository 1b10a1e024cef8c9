/*
 * fuzz_configuration.c - any bytes as a KubeSchedulerConfiguration: no crash, and what is accepted
 * prints as a configuration that is accepted again.
 */
#include "framework/config.h"
#include "plugins/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static bool read(struct mst_config *config, struct mst_syms *syms, struct mst_str text,
                 struct mst_diags *diags)
{
    struct mst_registry registry = mst_plugins_registry();
    mst_gates_default(&config->gates, config->upstream);
    return mst_config_read(config, &registry, syms, text, diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct mst_syms *syms = mst_syms_new();
    struct mst_diags diags = { 0 };
    struct mst_config first = { .upstream = n & 1 }, second = { .upstream = n & 1 };
    if (read(&first, syms, (struct mst_str){ (const char *)bytes, n }, &diags)) {
        MST_AUTO(mst_buf) text = { 0 };
        MST_AUTO(mst_arena) arena = { 0 };
        struct mst_json_writer w = { .out = &text };
        mst_config_write(&first, &arena, &w);
        mst_assert(read(&second, syms, mst_buf_span(&text), &diags));
    }
    mst_config_done(&first);
    mst_config_done(&second);
    mst_diags_done(&diags);
    mst_syms_free(syms);
    return 0;
}

/*
 * fuzz_proto.c - any bytes as what an API server sends: a document, a list, a watch. The first byte
 * says which, in which encoding, and how many bytes of a watch come at a time; whatever that is, a
 * watch must give the same events.
 */
#include "api/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct world {
    struct mst_arena arena, keep;
    struct mst_diags diags;
    struct mst_api api;
};

static bool take(void *ctx, struct mst_object *object)
{
    struct mst_api *api = ctx;
    mst_api_default(api, object);
    mst_assert(mst_meta_key(api, &object->u.meta).p);
    return true;
}

/* What is on a tape can be written and read again. */
static void check_tape(struct world *w, const struct mst_value *tape)
{
    MST_AUTO(mst_buf) text = { 0 };
    struct mst_json_writer writer = { .out = &text };
    mst_jw_value(&writer, tape);
    const struct mst_value *again = NULL;
    mst_rc rc = mst_json_parse(mst_buf_span(&text), NULL, &w->arena, NULL, &again, NULL);
    mst_assert(rc == MST_OK && again->span == tape->span);
}

static void read_document(struct world *w, mst_encoding encoding, struct mst_str bytes)
{
    const struct mst_value *tape;
    struct mst_status_answer answer;
    struct mst_err err = { 0 };
    if (mst_document_parse(encoding, bytes, &w->arena, &tape, &err)) {
        mst_assert(err.text[0]);
        return;
    }
    check_tape(w, tape);
    (void)mst_status_answer_of(tape, &answer);
    mst_api_decode(&w->api, tape, take, &w->api);
}

static void read_list(struct world *w, mst_encoding encoding, struct mst_str bytes)
{
    struct mst_list_reader list;
    struct mst_list_item item;
    struct mst_err err = { 0 };
    mst_rc rc = mst_list_open(&list, encoding, bytes, &w->keep, &err);
    while (rc == MST_OK && (rc = mst_list_next(&list, &w->api, &item, &err)) == MST_OK) {
        check_tape(w, item.tape);
        mst_arena_reset(&w->arena);
    }
    mst_assert(rc == MST_ENOTFOUND || err.text[0]);
    mst_assert(mst_list_next(&list, &w->api, &item, &err) == rc);
}

/* A hash of the events and of how the stream ends. */
static uint64_t read_watch(struct world *w, mst_encoding encoding, struct mst_str bytes,
                           size_t step)
{
    struct mst_watch_reader watch;
    struct mst_watch_event event;
    struct mst_err err = { 0 };
    mst_rc rc = MST_ENOTFOUND;
    uint64_t sum = 0;
    mst_watch_init(&watch, encoding);
    for (size_t at = 0; at < bytes.n && rc == MST_ENOTFOUND; at += step) {
        mst_watch_feed(&watch, (struct mst_str){ bytes.p + at, MST_MIN(step, bytes.n - at) });
        while ((rc = mst_watch_next(&watch, &w->api, &event, &err)) == MST_OK) {
            sum = sum * 31 + (uint64_t)event.type * 4 + (event.object != NULL) * 2 +
                  event.initial_end + event.resource_version.n * 64 + event.tape->span * 1024;
            mst_arena_reset(&w->arena);
        }
    }
    mst_assert(rc == MST_ENOTFOUND || err.text[0]);
    mst_watch_done(&watch);
    return sum * 31 + (uint64_t)rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct world w = { 0 };
    w.api = (struct mst_api){ .syms = mst_syms_new(), .arena = &w.arena, .diags = &w.diags };
    const mst_encoding encoding = data[0] & 1 ? MST_ENCODING_PROTO : MST_ENCODING_JSON;
    struct mst_str bytes = { (const char *)data + 1, size - 1 };
    size_t step = 1 + data[0] / 16;
    switch (data[0] >> 1 & 3) {
    case 0: read_document(&w, encoding, bytes); break;
    case 1: read_list(&w, encoding, bytes); break;
    default:
        mst_assert(read_watch(&w, encoding, bytes, step) == read_watch(&w, encoding, bytes, size));
        break;
    }
    mst_syms_free(w.api.syms);
    mst_diags_done(&w.diags);
    mst_arena_done(&w.arena);
    mst_arena_done(&w.keep);
    return 0;
}

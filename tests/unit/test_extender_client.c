/* Calls that never reach anybody: what is said of them. The others are in golden/extenders.sh. */
#include "client/extender_client.h"
#include "tap.h"

struct peer {
    struct mst_config config;
    struct mst_cfg_extender extender;
    struct mst_extender_client *client;
    struct mst_err err;
    mst_rc rc;
};

static void start(struct peer *p, struct mst_cfg_tls tls)
{
    *p = (struct peer){ .extender = { .verbs = { [MST_VERB_FILTER] = { "f", 1 } },
                                      .timeout_ns = INT64_C(2000000000),
                                      .tls = tls } };
    p->config.extenders.v = &p->extender;
    p->config.extenders.n = 1;
    p->rc = mst_extender_client_new(&p->config, &p->client, &p->err);
}

static void test_client_refusals(struct mst_test *t)
{
    static const struct {
        const char *url, *error;
    } cases[] = {
        { "http://127.0.0.1:1/f",
          "Post \"http://127.0.0.1:1/f\": dial tcp 127.0.0.1:1: connect: connection refused" },
        { "https://127.0.0.1:1/f",
          "Post \"https://127.0.0.1:1/f\": dial tcp 127.0.0.1:1: connect: connection refused" },
        { "ftp://127.0.0.1/f", "Post \"ftp://127.0.0.1/f\": unsupported protocol scheme \"ftp\"" },
        { "x/f", "Post \"x/f\": unsupported protocol scheme \"\"" },
        { "/f", "Post \"/f\": unsupported protocol scheme \"\"" },
        { "http://a b/f", "Post \"http://a b/f\": the URL is not valid" },
    };
    struct peer p;
    start(&p, (struct mst_cfg_tls){ .insecure = true });
    t_int(t, p.rc, MST_OK);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) text = { 0 };
        const struct mst_extender_call call = { .extender = &p.extender, .verb = MST_VERB_FILTER };
        t_case(t, cases[i].url);
        mst_buf_text(&text, "what was there before");
        t_bool(t,
               mst_extender_client_send(p.client, &call, mst_str_of(cases[i].url), MST_STR("{}"),
                                        &text),
               false);
        t_str(t, mst_buf_span(&text), cases[i].error);
    }
    mst_extender_client_free(p.client);
}

static void test_client_files(struct mst_test *t)
{
    struct peer p;
    start(&p, (struct mst_cfg_tls){ .key_file = { "/no/such/key", 12 } });
    t_int(t, p.rc, MST_EIO);
    t_text(t, p.err.text, "couldn't build extenders: open /no/such/key: no such file or directory");
    start(&p,
          (struct mst_cfg_tls){ .key_file = { "/no/such/key", 12 }, .key_data = { "Zg==", 4 } });
    t_int(t, p.rc, MST_OK); /* data goes before the file */
    mst_extender_client_free(p.client);
    mst_extender_client_free(NULL);
}

MST_TEST_MAIN(T(test_client_refusals), T(test_client_files))

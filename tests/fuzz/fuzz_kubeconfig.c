/*
 * fuzz_kubeconfig.c - any bytes as a kubeconfig: no crash, and either an error that names the file
 * or a connection whose parts go together.
 */
#include "client/connection_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const struct mst_connection_options options = { .kubeconfig = "the-file",
                                                    .master = n & 1 ? "https://master" : NULL };
    struct mst_connection c = { 0 };
    struct mst_err err = { 0 };
    const struct mst_str text = { (const char *)bytes, n };
    const mst_rc rc = mst_kube_load_text(&options, text, &c, &err);
    if (rc) {
        mst_assert(err.rc == rc);
        mst_assert(strstr(err.text, "the-file"));
    } else {
        mst_assert(mst_str_has_prefix(c.server, "http"));
        mst_assert(!c.cert_pem.n == !c.key_pem.n);
        mst_assert(!c.insecure || !c.ca_pem.n);
        mst_assert(c.impersonate_user.n || !c.impersonate_groups.n);
    }
    mst_connection_done(&c);
    return 0;
}

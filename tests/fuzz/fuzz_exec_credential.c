/*
 * fuzz_exec_credential.c - any bytes as what a credentials plug-in prints: no crash, and either an
 * error or credentials that can be used.
 */
#include "client/exec_plugin.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    MST_AUTO(mst_arena) arena = { 0 };
    struct mst_exec_credentials c = { 0 };
    struct mst_err err = { 0 };
    const mst_rc rc = mst_exec_read((struct mst_str){ (const char *)bytes, n },
                                    MST_STR("client.authentication.k8s.io/v1"), &arena, &c, &err);
    mst_assert(rc == MST_OK || err.rc == rc);
    mst_assert((rc == MST_OK) == (c.token.n || c.cert_pem.n));
    mst_assert(!c.cert_pem.n == !c.key_pem.n);
    mst_assert(!memchr(c.token.p ? c.token.p : "", '\n', c.token.n));
    return 0;
}

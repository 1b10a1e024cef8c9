/* Leases read and written. */
#include "client/lease_record.h"

#include "tap.h"

static void test_record_round(struct mst_test *t)
{
    static const char body[] =
        "{\"kind\":\"Lease\",\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"7\","
        "\"labels\":{\"a\":\"b\"}},\"spec\":{\"holderIdentity\":\"h\\\"1\","
        "\"leaseDurationSeconds\":15,\"acquireTime\":\"t1\",\"renewTime\":\"t2\","
        "\"leaseTransitions\":3,\"strategy\":null}}";
    struct mst_arena arena = { 0 };
    struct mst_err err;
    const struct mst_value *doc = NULL;
    struct mst_lease_record a, b;
    MST_AUTO(mst_buf) out = { 0 };
    t_int(t, mst_lease_record_read(mst_str_of(body), &arena, &doc, &a, &err), MST_OK);
    t_str(t, a.holder, "h\"1");
    t_int(t, a.duration_s, 15);
    t_int(t, a.transitions, 3);
    b = a;
    t_ok(t, mst_lease_record_equal(&a, &b));
    b.renew_time = MST_STR("t3");
    t_ok(t, !mst_lease_record_equal(&a, &b));
    mst_lease_record_write(doc, MST_STR("?"), MST_STR("?"), &b, &out);
    t_str(t, mst_buf_span(&out),
          "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":"
          "\"x\",\"resourceVersion\":\"7\",\"labels\":{\"a\":\"b\"}},\"spec\":{"
          "\"holderIdentity\":\"h\\\"1\",\"leaseDurationSeconds\":15,\"acquireTime\":\"t1\","
          "\"renewTime\":\"t3\",\"leaseTransitions\":3}}");
    out.n = 0;
    mst_lease_record_write(NULL, MST_STR("n"), MST_STR("x"), &b, &out);
    t_ok(t, memmem(out.p, out.n, "\"metadata\":{\"name\":\"x\",\"namespace\":\"n\"}", 39) != NULL);
    mst_arena_done(&arena);
}

/* What is missing is empty: such a lease is nobody's. */
static void test_record_empty(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_err err;
    const struct mst_value *doc = NULL;
    struct mst_lease_record a;
    t_int(t, mst_lease_record_read(MST_STR("{\"metadata\":{}}"), &arena, &doc, &a, &err), MST_OK);
    t_ok(t, !a.holder.n && !a.duration_s && !a.transitions && !a.renew_time.n);
    t_int(t, mst_lease_record_read(MST_STR("[]"), &arena, &doc, &a, &err), MST_EDECODE);
    t_int(t, mst_lease_record_read(MST_STR("x"), &arena, &doc, &a, &err), MST_EDECODE);
    mst_arena_done(&arena);
}

static void test_record_times(struct mst_test *t)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        { 0, "1970-01-01T00:00:00.000000Z" },
        { INT64_C(1796040000123456789), "2026-11-30T12:00:00.123456Z" },
        { INT64_C(951782399999999999), "2000-02-28T23:59:59.999999Z" },
        { -1, "1969-12-31T23:59:59.999999Z" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        MST_AUTO(mst_buf) out = { 0 };
        mst_lease_time(cases[i].ns, &out);
        t_str(t, mst_buf_span(&out), cases[i].text);
    }
}

MST_TEST_MAIN(T(test_record_round), T(test_record_empty), T(test_record_times))

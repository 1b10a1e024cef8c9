/* What is remembered of objects: changes, repetitions, who is gone. */
#include "client/known.h"

#include <stdio.h>

#include "base/rng.h"
#include "tap.h"

static struct mst_known_id id(const char *ns, const char *name, const char *uid)
{
    return (struct mst_known_id){ mst_str_of(ns), mst_str_of(name), mst_str_of(uid) };
}

static void test_known_versions(struct mst_test *t)
{
    static const char *const versions[] = { "",   "1",  "12",        "012",
                                            "-1", "1a", "123456789", "99999999999999999999999" };
    for (size_t i = 0; i < MST_COUNT(versions); i++)
        for (size_t k = 0; k < MST_COUNT(versions); k++)
            t_bool(t,
                   mst_known_version(mst_str_of(versions[i])) ==
                       mst_known_version(mst_str_of(versions[k])),
                   i == k);
    t_int(t, mst_known_version(MST_STR("123456789")), 123456789);
}

/* UIDs come back as they were written, usual or not. */
static void test_known_uids(struct mst_test *t)
{
    static const char *const uids[] = {
        "0f3ad2c4-7c5e-4d1b-9a60-5be4e1a2c3d4",
        "0F3AD2C4-7C5E-4D1B-9A60-5BE4E1A2C3D4",
        "0f3ad2c4+7c5e-4d1b-9a60-5be4e1a2c3d4",
        "0f3ad2c4-7c5e-4d1b-9a60-5be4e1a2c3dx",
        "0f3ad2c4-7c5e-4d1b-9a60-5be4e1a2c3d",
        "",
        "node-7",
        "00000000-0000-0000-0000-000000000000",
    };
    struct mst_known known = { 0 };
    for (size_t i = 0; i < MST_COUNT(uids); i++) {
        MST_AUTO(mst_buf) uid = { 0 };
        const struct mst_known_id a = id("n", "a", uids[i]);
        t_case(t, uids[i]);
        t_int(t, mst_known_look(&known, &a, MST_STR("1")), i ? MST_KNOWN_REPLACED : MST_KNOWN_NEW);
        mst_known_put(&known, &a, MST_STR("1"));
        t_int(t, mst_known_look(&known, &a, MST_STR("1")), MST_KNOWN_SAME);
        t_int(t, mst_known_look(&known, &a, MST_STR("2")), MST_KNOWN_CHANGED);
        t_ok(t, mst_known_take(&known, &a, &uid));
        t_str(t, mst_buf_span(&uid), uids[i]);
        t_ok(t, !mst_known_take(&known, &a, &uid));
        mst_known_put(&known, &a, MST_STR("1"));
        t_int(t, mst_known_count(&known), 1);
    }
    mst_known_done(&known);
}

static void test_known_rounds(struct mst_test *t)
{
    struct mst_known known = { 0 };
    const struct mst_known_id a = id("n", "a", "u1"), b = id("", "b", "u2"), c = id("m", "a", "u3");
    mst_known_round(&known);
    mst_known_put(&known, &a, MST_STR("1"));
    mst_known_put(&known, &b, MST_STR("1"));
    mst_known_put(&known, &c, MST_STR("1"));
    mst_known_round(&known);
    mst_known_keep(&known, &b);
    const struct mst_known_id d = id("", "d", "u4");
    mst_known_keep(&known, &d); /* unknown: nothing */
    struct mst_known_id out;
    MST_AUTO(mst_buf) text = { 0 };
    uint32_t at = 0;
    t_ok(t, mst_known_sweep(&known, &at, &text, &out));
    t_str(t, out.ns, "n");
    t_str(t, out.name, "a");
    t_str(t, out.uid, "u1");
    t_ok(t, mst_known_sweep(&known, &at, &text, &out));
    t_str(t, out.ns, "m");
    t_str(t, out.uid, "u3");
    t_ok(t, !mst_known_sweep(&known, &at, &text, &out));
    t_int(t, mst_known_count(&known), 1);
    mst_known_round(&known);
    at = 0;
    t_ok(t, mst_known_sweep(&known, &at, &text, &out));
    t_str(t, out.ns, "");
    t_str(t, out.name, "b");
    mst_known_done(&known);
}

/* Against an array. */
static void test_known_twin(struct mst_test *t)
{
    enum { NAMES = 40, STEPS = 20000 };
    struct {
        int uid, version;
        bool there, seen;
    } twin[NAMES] = { 0 };
    struct mst_known known = { 0 };
    struct mst_rng rng;
    struct mst_buf text = { 0 };
    mst_rng_init(&rng, 3);
    for (int i = 0; i < STEPS; i++) {
        const uint32_t k = (uint32_t)mst_rng_below(&rng, NAMES);
        char name[8], uid[8], version[8];
        const int new_uid = (int)mst_rng_below(&rng, 3), new_version = (int)mst_rng_below(&rng, 4);
        snprintf(name, sizeof(name), "%u", k);
        snprintf(uid, sizeof(uid), "u%d", new_uid);
        snprintf(version, sizeof(version), "%d", new_version);
        const struct mst_known_id it = id("ns", name, uid);
        const mst_known_verdict want = !twin[k].there                   ? MST_KNOWN_NEW
                                       : twin[k].uid != new_uid         ? MST_KNOWN_REPLACED
                                       : twin[k].version != new_version ? MST_KNOWN_CHANGED
                                                                        : MST_KNOWN_SAME;
        t_int(t, mst_known_look(&known, &it, mst_str_of(version)), want);
        text.n = 0;
        switch (mst_rng_below(&rng, 40)) {
        case 0:
            mst_known_round(&known);
            for (int n = 0; n < NAMES; n++)
                twin[n].seen = false;
            break;
        case 1: {
            struct mst_known_id out;
            for (uint32_t at = 0; mst_known_sweep(&known, &at, &text, &out);) {
                int n = 0;
                for (size_t d = 0; d < out.name.n; d++)
                    n = n * 10 + (out.name.p[d] - '0');
                t_ok(t, twin[n].there && !twin[n].seen);
                twin[n].there = false;
            }
            for (int n = 0; n < NAMES; n++)
                t_ok(t, !twin[n].there || twin[n].seen);
            break;
        }
        case 2:
        case 3:
        case 4:
            t_bool(t, mst_known_take(&known, &it, &text), twin[k].there);
            twin[k].there = false;
            break;
        case 5:
            mst_known_keep(&known, &it);
            twin[k].seen = true;
            break;
        default:
            mst_known_put(&known, &it, mst_str_of(version));
            twin[k].uid = new_uid;
            twin[k].version = new_version;
            twin[k].there = twin[k].seen = true;
        }
    }
    mst_known_done(&known);
    mst_buf_done(&text);
}

MST_TEST_MAIN(T(test_known_versions), T(test_known_uids), T(test_known_rounds), T(test_known_twin))

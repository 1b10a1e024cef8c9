/*
 * lease_record.c - Leases from and to JSON.
 */
#include "client/lease_record.h"

#include <time.h>

static struct mst_str text_of(const struct mst_value *object, const char *name)
{
    const struct mst_value *v = object ? mst_value_get(object, name) : NULL;
    return v && v->type == MST_STRING ? mst_value_str(v) : MST_STR("");
}

static int64_t int_of(const struct mst_value *object, const char *name)
{
    const struct mst_value *v = object ? mst_value_get(object, name) : NULL;
    int64_t x;
    return v && mst_value_int(v, &x) ? x : 0;
}

mst_rc mst_lease_record_read(struct mst_str body, struct mst_arena *arena,
                             const struct mst_value **ret_doc, struct mst_lease_record *out,
                             struct mst_err *err)
{
    const struct mst_value *doc;
    mst_rc rc = mst_json_parse(body, NULL, arena, NULL, &doc, err);
    if (rc)
        return mst_wrap(err, "Lease");
    const struct mst_value *meta = mst_value_get(doc, "metadata");
    if (!meta || meta->type != MST_OBJECT)
        return mst_fail(err, MST_EDECODE, "Lease: metadata is no object");
    const struct mst_value *spec = mst_value_get(doc, "spec");
    *ret_doc = doc;
    *out = (struct mst_lease_record){
        .holder = text_of(spec, "holderIdentity"),
        .duration_s = int_of(spec, "leaseDurationSeconds"),
        .transitions = int_of(spec, "leaseTransitions"),
        .acquire_time = text_of(spec, "acquireTime"),
        .renew_time = text_of(spec, "renewTime"),
    };
    return MST_OK;
}

bool mst_lease_record_equal(const struct mst_lease_record *a, const struct mst_lease_record *b)
{
    return mst_str_eq(a->holder, b->holder) && a->duration_s == b->duration_s &&
           a->transitions == b->transitions && mst_str_eq(a->acquire_time, b->acquire_time) &&
           mst_str_eq(a->renew_time, b->renew_time);
}

void mst_lease_record_write(const struct mst_value *doc, struct mst_str ns, struct mst_str name,
                            const struct mst_lease_record *record, struct mst_buf *out)
{
    struct mst_json_writer w = { .out = out };
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "apiVersion");
    mst_jw_text(&w, "coordination.k8s.io/v1");
    mst_jw_key(&w, "kind");
    mst_jw_text(&w, "Lease");
    mst_jw_key(&w, "metadata");
    if (doc) {
        mst_jw_value(&w, mst_value_get(doc, "metadata"));
    } else {
        mst_jw_object_begin(&w);
        mst_jw_key(&w, "name");
        mst_jw_str(&w, name);
        mst_jw_key(&w, "namespace");
        mst_jw_str(&w, ns);
        mst_jw_object_end(&w);
    }
    mst_jw_key(&w, "spec");
    mst_jw_object_begin(&w);
    mst_jw_key(&w, "holderIdentity");
    mst_jw_str(&w, record->holder);
    mst_jw_key(&w, "leaseDurationSeconds");
    mst_jw_int(&w, record->duration_s);
    mst_jw_key(&w, "acquireTime");
    mst_jw_str(&w, record->acquire_time);
    mst_jw_key(&w, "renewTime");
    mst_jw_str(&w, record->renew_time);
    mst_jw_key(&w, "leaseTransitions");
    mst_jw_int(&w, record->transitions);
    mst_jw_object_end(&w);
    mst_jw_object_end(&w);
}

void mst_lease_time(int64_t unix_ns, struct mst_buf *out)
{
    enum { NS_PER_S = 1000000000 };
    const int64_t ns = (unix_ns % NS_PER_S + NS_PER_S) % NS_PER_S;
    const time_t seconds = (time_t)((unix_ns - ns) / NS_PER_S);
    struct tm tm;
    const struct tm *ok = gmtime_r(&seconds, &tm);
    mst_assert(ok);
    mst_buf_printf(out, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", tm.tm_year + 1900, tm.tm_mon + 1,
                   tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)(ns / 1000));
}

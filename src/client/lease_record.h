/*
 * lease_record.h - what a Lease says about who leads, and Leases written anew.
 *
 * Invariants: a Lease that is written keeps the metadata it had, resourceVersion above all, so that
 *             the server refuses what does not build on the newest one.
 * Source:     kubernetes v1.37 client-go tools/leaderelection/resourcelock/leaselock.go.
 */
#ifndef MST_LEASE_RECORD_H
#define MST_LEASE_RECORD_H

#include "base/err.h"
#include "codec/json.h"

/* Of a Lease's spec; text is borrowed from the document. */
struct mst_lease_record {
    struct mst_str holder; /* empty: nobody */
    int64_t duration_s;    /* 0: not said */
    int64_t transitions;
    struct mst_str acquire_time, renew_time;
};

/*
 * Reads a Lease. `doc` is the tape, in `arena`, and points into `body`.
 *
 * Errors   MST_EDECODE: no JSON object.
 */
mst_rc mst_lease_record_read(struct mst_str body, struct mst_arena *arena,
                             const struct mst_value **ret_doc, struct mst_lease_record *out,
                             struct mst_err *err) MST_WARN_UNUSED;

/* Two are equal if no field differs: as long as they are, nobody has renewed. */
bool mst_lease_record_equal(const struct mst_lease_record *a, const struct mst_lease_record *b);

/*
 * A Lease as JSON with this record.
 *
 * doc      the one it is written over; NULL: a new one, of this namespace and name.
 */
void mst_lease_record_write(const struct mst_value *doc, struct mst_str ns, struct mst_str name,
                            const struct mst_lease_record *record, struct mst_buf *out);

/* "2026-11-30T12:00:00.123456Z". */
void mst_lease_time(int64_t unix_ns, struct mst_buf *out);

#endif

/*
 * lease.h - leader election by a coordination.k8s.io/v1 Lease.
 *
 * Invariants: `started` comes before `stopped`, each at most once; we never think that we lead for
 *             longer than renew_deadline after we sent the last renewal that the server
 *             acknowledged, measured with the monotonic clock, so that a step of the wall clock
 *             changes nothing. Another may take the lease a lease's time after it saw that renewal,
 *             which is later. After `stopped` nothing is tried any more: the process ends.
 * Source:     kubernetes v1.37 client-go tools/leaderelection; spec/plugins.md 6.1, 7.
 */
#ifndef MST_LEASE_H
#define MST_LEASE_H

#include "client/client.h"

struct mst_lease;

struct mst_lease_options {
    struct event_base *loop;
    struct mst_client *client;
    const struct mst_log *log;
    struct mst_str ns, name; /* copied */
    struct mst_str identity; /* "<hostname>_<uuid>"; copied */
    int64_t lease_ms, renew_deadline_ms, retry_ms;
    uint64_t seed;                     /* of the jitter */
    int64_t (*now_unix_ns)(void *ctx); /* wall clock: what is written into the Lease */
    void (*started)(void *ctx);
    void (*stopped)(void *ctx); /* leadership is lost; not told when it is given back */
    /* Somebody leads, maybe we: told when it changes, for the log. May be NULL. */
    void (*leader)(void *ctx, struct mst_str identity);
    void *ctx;
};

/* Starts with the loop. lease_ms > renew_deadline_ms > retry_ms * 1.2 > 0 (asserted). */
struct mst_lease *mst_lease_new(const struct mst_lease_options *options);
/*
 * Gives the lease back if we lead, which is over at once: `released` is told from the loop when
 * others may take it, or after renew_deadline_ms at the latest. Once.
 */
void mst_lease_release(struct mst_lease *lease, void (*released)(void *ctx), void *ctx);
void mst_lease_free(struct mst_lease *lease);

/* Looks at the clock: false as soon as the deadline is over, even before `stopped` is told. */
bool mst_lease_leads(const struct mst_lease *lease);
/* For /healthz: not leading, or renewed within the lease's time and `grace_ms`. */
bool mst_lease_healthy(const struct mst_lease *lease, int64_t grace_ms);
/* Renewals that had to read the Lease first: it was not as we had left it. */
uint64_t mst_lease_slow_renewals(const struct mst_lease *lease);

#endif

/*
 * lease.h - leader election by a coordination.k8s.io/v1 Lease.
 *
 * Invariants: `started` comes before `stopped`, each at most once; we never think that we lead for
 *             longer than renew_deadline after the last renewal that the server acknowledged,
 *             measured with the monotonic clock, so that a step of the wall clock changes nothing.
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
    void (*stopped)(void *ctx);                         /* leadership is lost */
    void (*leader)(void *ctx, struct mst_str identity); /* somebody (else) leads; for the log */
    void *ctx;
};

struct mst_lease *mst_lease_new(const struct mst_lease_options *options);
/* Gives the lease back if we lead: `released` is told when that is done or cannot be. */
void mst_lease_release(struct mst_lease *lease, void (*released)(void *ctx), void *ctx);
void mst_lease_free(struct mst_lease *lease);

bool mst_lease_leads(const struct mst_lease *lease);
/* For /healthz: not leading, or renewed within the lease's time and `grace_ms`. */
bool mst_lease_healthy(const struct mst_lease *lease, int64_t grace_ms);

#endif

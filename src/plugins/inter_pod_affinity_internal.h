/*
 * inter_pod_affinity_internal.h - the counters of InterPodAffinity for one pod class.
 *
 * Everything is kept by topology key and domain: how many pods there match the class's own terms,
 *                                                and what the terms of the pods there say about
 * the class. A row remembers its share.
 *
 * Invariants: the sums of a domain are the shares of its rows; domain 0 (rows without the label)
 *             has none; `verdict` and `score` follow the sums.
 */
#ifndef MST_INTER_POD_AFFINITY_INTERNAL_H
#define MST_INTER_POD_AFFINITY_INTERNAL_H

#include "cluster/affinity.h"
#include "framework/plugin.h"
#include "plugins/domain_index.h"
#include "plugins/label_answers.h"

struct ipa_instance {
    int64_t hard_weight;
    bool ignore_preferred;
    /*
     * Gate InterPodAffinityHostnameFastPath: kubernetes.io/hostname, whose required terms are about
     * one node, not about the nodes that share a value; MST_SYM_NONE: the gate is off.
     */
    mst_sym hostname;
};

/* Bits of a domain's verdict; the lowest one that a row has names the reason. */
enum {
    IPA_BREAKS_AFFINITY = 1, /* required affinity: no matching pod, or no label */
    IPA_BREAKS_ANTI = 2,     /* required anti-affinity of the class */
    IPA_BREAKS_EXISTING = 4, /* required anti-affinity of a pod that is there */
    IPA_BREAKS_END = 8,
};

struct ipa_counts {
    uint32_t affinity; /* pods that match all required affinity terms */
    uint32_t anti;     /* (pod, term) pairs of the class's required anti-affinity */
    uint32_t existing; /* (pod, term) pairs of pods' required anti-affinity */
    uint32_t entries;  /* additions to `score`: an entry of sum 0 is still one */
    int64_t score;
};

struct ipa_key {
    struct mst_domain_index index;
    bool alone;                    /* every row that has the label is a domain of its own */
    bool required;                 /* a required affinity term has this key */
    uint32_t cap;                  /* of the arrays by domain */
    struct ipa_counts *sum, *seen; /* [domain], [row] */
    uint32_t *verdict;             /* [domain] IPA_BREAKS_* */
    int64_t *score;                /* [domain] */
    uint64_t rejecting;            /* anti and existing of all domains */
    uint64_t entries;
};

typedef enum { IPA_AFFINITY, IPA_ANTI, IPA_PREFERRED } ipa_kind;

/* A term of the class. */
struct ipa_term {
    ipa_kind kind;
    uint32_t key;
    int64_t weight; /* of a preferred one; negative for anti-affinity */
    const struct mst_pod_affinity_term *from;
};

/* What one affinity says about the class. */
struct ipa_effect {
    uint32_t key;
    bool rejects; /* required anti-affinity; else adds `weight` to the score */
    int64_t weight;
};
enum { IPA_EFFECT_SLOTS = 128 };
struct ipa_effects {
    uint32_t id; /* affinity id, 0: free */
    uint64_t serial;
    struct ipa_effect *v;
    uint32_t n, cap;
    bool hostname; /* it has a required anti-affinity term of that key, whomever it means */
};

struct ipa_state {
    const struct mst_class *klass;
    const struct ipa_instance *instance;
    struct mst_arena *arena;
    uint32_t row_count;
    struct ipa_term *terms; /* required affinity, required anti-affinity, preferred */
    uint32_t term_count, affinity_count, anti_count;
    bool self_matches; /* the class matches all its required affinity terms */
    bool open;   /* as the verdicts have it: nobody matches anywhere, so the first pod may go */
    bool scores; /* PreScore does not skip for good */
    struct ipa_key *keys;
    struct ipa_counts *now; /* [key] scratch of one row */
    uint32_t key_count, key_cap;
    uint64_t affinity_total, existing_total, entry_total;
    /* With instance->hostname: pods with such terms. One keeps the filter from skipping. */
    uint32_t *hostname_seen, hostname_now; /* [row], of the row at hand; 0 between rows */
    uint64_t hostname_total;
    uint64_t namespace_generation;
    struct mst_label_answers labels;
    struct ipa_effects *effects; /* [IPA_EFFECT_SLOTS] */
};

/* inter_pod_affinity_count.c */
struct ipa_state *mst_ipa_state_new(const struct mst_view *view,
                                    const struct ipa_instance *instance,
                                    const struct mst_class *klass, struct mst_arena *arena);
bool mst_ipa_row_changed(const struct mst_view *view, struct ipa_state *state, uint32_t row);
/* Brings everything up to date that is not a matter of one row. */
void mst_ipa_begin(const struct mst_view *view, struct ipa_state *state);

/* inter_pod_affinity_hint.c */
extern const struct mst_event_registration mst_ipa_events[];
enum { MST_IPA_EVENT_COUNT = 3 };

#endif

/*
 * redact.h - takes out of an object what no scheduling decision reads.
 */
#ifndef MST_REDACT_H
#define MST_REDACT_H

#include "sim/doc.h"

/* What servers note for themselves and nobody else reads: metadata.managedFields. */
void mst_redact_noise(struct mst_doc *object);
/*
 * Commands, arguments, environments, probes, templates of workloads, addresses, messages of
 * containers, parameters of volumes, and annotations but those that scheduling reads. Names of
 * objects, labels and images stay: decisions depend on them.
 */
void mst_redact(struct mst_doc *object);

#endif

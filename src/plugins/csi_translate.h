/*
 * csi_translate.h - volumes of drivers that once were part of Kubernetes, as their CSI drivers see
 * them.
 *
 * Source: kubernetes v1.37 staging csi-translation-lib plugins/.
 */
#ifndef MST_PLUGINS_CSI_TRANSLATE_H
#define MST_PLUGINS_CSI_TRANSLATE_H

#include "cluster/volumes.h"

struct mst_migrated {
    const char *in_tree;      /* "kubernetes.io/aws-ebs" */
    const char *driver;       /* "ebs.csi.aws.com" */
    const char *topology_key; /* NULL: volumes of this driver know no zones */
    unsigned pv_source;       /* MST_PV_* */
    mst_volume_source source; /* of inline volumes */
    bool on;                  /* the scheduler translates it */
};

/* The driver that took over; NULL: none did. */
const struct mst_migrated *mst_migrated_pv(const struct mst_pv *pv);
const struct mst_migrated *mst_migrated_inline(mst_volume_source source);
const struct mst_migrated *mst_migrated_name(struct mst_str in_tree);

/* The volume handle that the CSI driver would use; absent when the volume cannot be translated. */
struct mst_str mst_migrated_pv_handle(struct mst_syms *syms, const struct mst_pv *pv,
                                      struct mst_arena *arena);
/* Why it cannot be translated; absent: it can. */
struct mst_str mst_migrated_pv_error(struct mst_syms *syms, const struct mst_pv *pv,
                                     struct mst_arena *arena);
struct mst_str mst_migrated_inline_handle(struct mst_syms *syms,
                                          const struct mst_pod_volume *volume,
                                          struct mst_arena *arena);

/* The volume's node affinity in terms of the CSI driver's topology. Everything in `arena`. */
struct mst_node_selector mst_migrated_affinity(struct mst_syms *syms, const struct mst_pv *pv,
                                               struct mst_arena *arena);

/* True if the CSINode says that the node's kubelet has handed the plugin over. */
bool mst_migrated_on_node(const struct mst_csi_node *csi_node, const struct mst_migrated *plugin);

#endif

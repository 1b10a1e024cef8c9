/*
 * csi_translate.c - handles and topology of volumes that were handed over to CSI drivers.
 *
 * Not here: storage class parameters and secrets, which no placement depends on.
 */
#include "plugins/csi_translate.h"

#define ZONE "topology.kubernetes.io/zone"
#define REGION "topology.kubernetes.io/region"
#define BETA_ZONE "failure-domain.beta.kubernetes.io/zone"
#define BETA_REGION "failure-domain.beta.kubernetes.io/region"

static const struct mst_migrated plugins[] = {
    { "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone", MST_PV_GCE_PD,
      MST_VOLUME_GCE_PD, true },
    { "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone", MST_PV_AWS_EBS,
      MST_VOLUME_AWS_EBS, true },
    { "kubernetes.io/cinder", "cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone",
      MST_PV_CINDER, MST_VOLUME_CINDER, true },
    { "kubernetes.io/azure-disk", "disk.csi.azure.com", NULL, MST_PV_AZURE_DISK,
      MST_VOLUME_AZURE_DISK, true },
    { "kubernetes.io/portworx-volume", "pxd.portworx.com", NULL, MST_PV_PORTWORX,
      MST_VOLUME_PORTWORX, true },
    { "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", NULL, 0, MST_VOLUME_VSPHERE,
      false },
    { "kubernetes.io/azure-file", "file.csi.azure.com", NULL, 0, MST_VOLUME_OTHER, false },
};

const struct mst_migrated *mst_migrated_pv(const struct mst_pv *pv)
{
    for (size_t i = 0; i < MST_COUNT(plugins); i++)
        if (pv->sources & plugins[i].pv_source)
            return &plugins[i];
    return NULL;
}

const struct mst_migrated *mst_migrated_inline(mst_volume_source source)
{
    for (size_t i = 0; i < MST_COUNT(plugins) && source != MST_VOLUME_OTHER; i++)
        if (plugins[i].source == source)
            return &plugins[i];
    return NULL;
}

const struct mst_migrated *mst_migrated_name(struct mst_str in_tree)
{
    for (size_t i = 0; i < MST_COUNT(plugins); i++)
        if (mst_str_is(in_tree, plugins[i].in_tree))
            return &plugins[i];
    return NULL;
}

/* ---- handles ---- */

/* "aws://zone/vol-1" names the volume "vol-1"; other texts are the volume's name themselves. */
static struct mst_str ebs_handle(struct mst_str id)
{
    if (!mst_str_has_prefix(id, "aws://"))
        return id;
    struct mst_str rest = { id.p + 6, id.n - 6 };
    while (rest.n && rest.p[0] != '/')
        rest = (struct mst_str){ rest.p + 1, rest.n - 1 };
    while (rest.n && rest.p[0] == '/')
        rest = (struct mst_str){ rest.p + 1, rest.n - 1 };
    while (rest.n && rest.p[rest.n - 1] == '/')
        rest.n--;
    const bool plain = mst_str_has_prefix(rest, "vol-") && !memchr(rest.p, '/', rest.n);
    return plain ? rest : MST_STR_NONE;
}

static mst_sym label_of(struct mst_syms *syms, const struct mst_pv *pv, const char *key)
{
    return mst_labels_get(pv->meta.labels, mst_sym_of_text(syms, key));
}

/* "europe-west1" of "europe-west1-b"; absent when it does not have three parts. */
static struct mst_str gce_region(struct mst_str zone)
{
    size_t dashes = 0, last = 0;
    for (size_t i = 0; i < zone.n; i++)
        if (zone.p[i] == '-') {
            dashes++;
            last = i;
        }
    return dashes == 2 ? (struct mst_str){ zone.p, last } : MST_STR_NONE;
}

static size_t find_separator(struct mst_str s)
{
    for (size_t i = 0; i + 1 < s.n; i++)
        if (s.p[i] == '_' && s.p[i + 1] == '_')
            return i;
    return s.n;
}

static struct mst_str gce_zones(struct mst_syms *syms, const struct mst_pv *pv)
{
    mst_sym label = label_of(syms, pv, BETA_ZONE);
    if (label == MST_SYM_NONE || label == MST_SYM_EMPTY)
        label = label_of(syms, pv, ZONE);
    return mst_sym_str(syms, label);
}

/* Cuts the first zone off "a__b"; false when there is none left. "" has one, "a__" has two. */
static bool next_zone(struct mst_str *rest, struct mst_str *ret_zone)
{
    if (!rest->p)
        return false;
    const size_t n = find_separator(*rest);
    *ret_zone = (struct mst_str){ rest->p, n };
    *rest = n == rest->n ? MST_STR_NONE : (struct mst_str){ rest->p + n + 2, rest->n - n - 2 };
    return true;
}

/* The one region of several zones. Absent: there is none, and *ret_error says why. */
static struct mst_str gce_region_of(struct mst_str zones, struct mst_arena *arena,
                                    struct mst_str *ret_error)
{
    struct mst_str zone, region = MST_STR_NONE, other = MST_STR_NONE;
    for (struct mst_str rest = zones; next_zone(&rest, &zone);) {
        const struct mst_str mine = gce_region(zone);
        if (!mine.p) {
            *ret_error = mst_arena_printf(arena,
                                          "zone in unexpected format, expected: "
                                          "{locale}-{region}-{zone}, got: %.*s",
                                          MST_ARG(zone));
            return MST_STR_NONE;
        }
        if (region.p && !mst_str_eq(region, mine))
            other = mine;
        region = region.p ? region : mine;
    }
    if (!other.p)
        return region;
    /* Upstream prints its set of them, sorted. */
    const bool sorted = mst_str_cmp(region, other) < 0;
    *ret_error =
        mst_arena_printf(arena,
                         "multiple or no regions gotten from zones, got: map[%.*s:{} %.*s:{}]",
                         MST_ARG(sorted ? region : other), MST_ARG(sorted ? other : region));
    return MST_STR_NONE;
}

static bool is_regional(struct mst_str zones)
{
    return find_separator(zones) < zones.n;
}

static struct mst_str gce_handle(struct mst_syms *syms, const struct mst_pv *pv,
                                 struct mst_arena *arena)
{
    struct mst_str zones = gce_zones(syms, pv), error;
    if (!zones.n)
        zones = MST_STR("UNSPECIFIED");
    if (!is_regional(zones))
        return mst_arena_printf(arena, "projects/UNSPECIFIED/zones/%.*s/disks/%.*s", MST_ARG(zones),
                                MST_ARG(pv->handle));
    const struct mst_str region = gce_region_of(zones, arena, &error);
    if (!region.p)
        return MST_STR_NONE;
    return mst_arena_printf(arena, "projects/UNSPECIFIED/regions/%.*s/disks/%.*s", MST_ARG(region),
                            MST_ARG(pv->handle));
}

/* Without a kind the API server fills in "Shared", which no CSI driver knows. */
static bool is_managed(struct mst_str kind)
{
    static const char managed[] = "managed";
    if (kind.n != sizeof(managed) - 1)
        return false;
    for (size_t i = 0; i < kind.n; i++)
        if ((kind.p[i] | 0x20) != managed[i])
            return false;
    return true;
}

struct mst_str mst_migrated_pv_handle(struct mst_syms *syms, const struct mst_pv *pv,
                                      struct mst_arena *arena)
{
    if (pv->sources & MST_PV_AWS_EBS)
        return ebs_handle(pv->handle);
    if (pv->sources & MST_PV_GCE_PD)
        return gce_handle(syms, pv, arena);
    if ((pv->sources & MST_PV_AZURE_DISK) && !is_managed(pv->disk_kind))
        return MST_STR_NONE;
    return pv->handle;
}

struct mst_str mst_migrated_pv_error(struct mst_syms *syms, const struct mst_pv *pv,
                                     struct mst_arena *arena)
{
    if (mst_migrated_pv_handle(syms, pv, arena).p)
        return MST_STR_NONE;
    struct mst_str why = MST_STR("");
    if (pv->sources & MST_PV_AWS_EBS) {
        why = mst_arena_printf(arena,
                               "failed to translate Kubernetes ID to EBS Volume ID Invalid format "
                               "for AWS volume (%.*s)",
                               MST_ARG(pv->handle));
    } else if (pv->sources & MST_PV_GCE_PD) {
        (void)gce_region_of(gce_zones(syms, pv), arena, &why);
        why = mst_arena_printf(arena, "failed to get region from zones: %.*s", MST_ARG(why));
    } else {
        const struct mst_str kind = pv->disk_kind.n ? pv->disk_kind : MST_STR("Shared");
        why =
            mst_arena_printf(arena, "kind(%.*s) is not supported in csi migration", MST_ARG(kind));
    }
    return mst_arena_printf(arena, "could not translate pv: %.*s", MST_ARG(why));
}

struct mst_str mst_migrated_inline_handle(struct mst_syms *syms,
                                          const struct mst_pod_volume *volume,
                                          struct mst_arena *arena)
{
    const struct mst_str id = mst_sym_str(syms, volume->id);
    if (volume->source == MST_VOLUME_AZURE_DISK && !is_managed(mst_sym_str(syms, volume->rbd_pool)))
        return MST_STR_NONE;
    if (volume->source == MST_VOLUME_AWS_EBS)
        return ebs_handle(id);
    if (volume->source == MST_VOLUME_GCE_PD)
        return mst_arena_printf(arena, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/%.*s",
                                MST_ARG(id));
    return id;
}

/* ---- topology ---- */

static bool has_key(const struct mst_node_selector *s, mst_sym key)
{
    for (uint32_t t = 0; t < s->terms.n; t++)
        for (uint32_t i = 0; i < s->terms.v[t].match_expressions.n; i++)
            if (s->terms.v[t].match_expressions.v[i].key == key)
                return true;
    return false;
}

static bool has_values(const struct mst_node_selector *s, mst_sym key)
{
    for (uint32_t t = 0; t < s->terms.n; t++)
        for (uint32_t i = 0; i < s->terms.v[t].match_expressions.n; i++)
            if (s->terms.v[t].match_expressions.v[i].key == key &&
                s->terms.v[t].match_expressions.v[i].values.n)
                return true;
    return false;
}

static void replace_key(struct mst_node_selector *s, mst_sym old, mst_sym new)
{
    for (uint32_t t = 0; t < s->terms.n; t++)
        for (uint32_t i = 0; i < s->terms.v[t].match_expressions.n; i++)
            if (s->terms.v[t].match_expressions.v[i].key == old)
                s->terms.v[t].match_expressions.v[i].key = new;
}

/* A copy whose expressions may be changed, with room for one more in each term. */
static struct mst_node_selector editable(const struct mst_node_selector *from,
                                         struct mst_arena *arena)
{
    struct mst_node_selector to = *from;
    to.terms.v = MST_NEW_N(arena, struct mst_node_selector_term, from->terms.n + 1);
    for (uint32_t t = 0; t < from->terms.n; t++) {
        const mst_requirements *list = &from->terms.v[t].match_expressions;
        to.terms.v[t] = from->terms.v[t];
        to.terms.v[t].match_expressions.v = MST_NEW_N(arena, struct mst_requirement, list->n + 1);
        if (list->n)
            memcpy(to.terms.v[t].match_expressions.v, list->v, list->n * sizeof(*list->v));
    }
    return to;
}

/* Every term also asks for one of the zones "a__b". */
static void add_zones(struct mst_syms *syms, struct mst_node_selector *s, mst_sym key,
                      struct mst_str zones, struct mst_arena *arena)
{
    struct mst_requirement r = { .key = key, .op = MST_OP_IN, .op_text = MST_STR("In") };
    r.values.v = MST_NEW_N(arena, mst_sym, zones.n / 2 + 1);
    while (zones.n) {
        const size_t n = find_separator(zones);
        if (n)
            r.values.v[r.values.n++] = mst_sym_of(syms, (struct mst_str){ zones.p, n });
        const size_t skip = MST_MIN(zones.n, n + 2);
        zones = (struct mst_str){ zones.p + skip, zones.n - skip };
    }
    if (!r.values.n)
        return;
    s->set = true;
    if (!s->terms.n) {
        s->terms.v[0] = (struct mst_node_selector_term){ 0 };
        s->terms.v[0].match_expressions.v = MST_NEW(arena, struct mst_requirement);
        s->terms.n = 1;
    }
    for (uint32_t t = 0; t < s->terms.n; t++) {
        mst_requirements *list = &s->terms.v[t].match_expressions;
        list->v[list->n++] = r;
    }
}

struct mst_node_selector mst_migrated_affinity(struct mst_syms *syms, const struct mst_pv *pv,
                                               struct mst_arena *arena)
{
    const struct mst_migrated *plugin = mst_migrated_pv(pv);
    struct mst_node_selector s = editable(&pv->required, arena);
    if (!plugin || !plugin->topology_key)
        return s;
    const mst_sym zone = mst_sym_of_text(syms, ZONE), beta = mst_sym_of_text(syms, BETA_ZONE);
    const bool old = !has_key(&s, zone) &&
                     (has_key(&s, beta) || (label_of(syms, pv, ZONE) == MST_SYM_NONE &&
                                            label_of(syms, pv, BETA_ZONE) != MST_SYM_NONE));
    const mst_sym used = old ? beta : zone, key = mst_sym_of_text(syms, plugin->topology_key);
    const mst_sym label = mst_labels_get(pv->meta.labels, used);
    if (has_values(&s, used))
        replace_key(&s, used, key);
    else if (label != MST_SYM_NONE)
        add_zones(syms, &s, key, mst_sym_str(syms, label), arena);
    const mst_sym beta_region = mst_sym_of_text(syms, BETA_REGION);
    if (old && has_values(&s, beta_region))
        replace_key(&s, beta_region, mst_sym_of_text(syms, REGION));
    return s;
}

bool mst_migrated_on_node(const struct mst_csi_node *csi_node, const struct mst_migrated *plugin)
{
    if (!csi_node || !plugin->on)
        return false;
    struct mst_str list =
        mst_meta_annotation(&csi_node->meta, "storage.alpha.kubernetes.io/migrated-plugins");
    while (list.n) {
        const char *comma = memchr(list.p, ',', list.n);
        const size_t n = comma ? (size_t)(comma - list.p) : list.n;
        if (mst_str_is((struct mst_str){ list.p, n }, plugin->in_tree))
            return true;
        const size_t skip = MST_MIN(list.n, n + 1);
        list = (struct mst_str){ list.p + skip, list.n - skip };
    }
    return false;
}

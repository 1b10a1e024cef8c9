/*
 * proto_volumes.c - the messages of the sources of volumes, and those that they share with others.
 *
 * Written by tools/proto-gen from the Go types of k8s.io/api v0.37.2; change that, not this.
 * Not here:   all other messages (proto_tables.c).
 */
#include "api/proto_tables.h"

/* clang-format off */
MESSAGE(m_host_path_volume_source, "HostPathVolumeSource", ONE(1, STRING, "path"),
    ONE(2, STRING, "type"))
MESSAGE(m_empty_dir_volume_source, "EmptyDirVolumeSource", OMIT(1, STRING, "medium"),
    ONE(2, AMOUNT, "sizeLimit"), ONE(3, INT32, "mode"))
MESSAGE(m_gce_persistent_disk_volume_source, "GCEPersistentDiskVolumeSource",
    ONE(1, STRING, "pdName"), OMIT(2, STRING, "fsType"), OMIT(3, INT32, "partition"),
    OMIT(4, BOOL, "readOnly"))
MESSAGE(m_aws_elastic_block_store_volume_source, "AWSElasticBlockStoreVolumeSource",
    ONE(1, STRING, "volumeID"), OMIT(2, STRING, "fsType"), OMIT(3, INT32, "partition"),
    OMIT(4, BOOL, "readOnly"))
MESSAGE(m_git_repo_volume_source, "GitRepoVolumeSource", ONE(1, STRING, "repository"),
    OMIT(2, STRING, "revision"), OMIT(3, STRING, "directory"))
MESSAGE(m_key_to_path, "KeyToPath", ONE(1, STRING, "key"), ONE(2, STRING, "path"),
    ONE(3, INT32, "mode"), ONE(4, INT64, "user"))
MESSAGE(m_secret_volume_source, "SecretVolumeSource", OMIT(1, STRING, "secretName"),
    SUBS(2, m_key_to_path, "items"), ONE(3, INT32, "defaultMode"), ONE(4, BOOL, "optional"),
    ONE(5, INT64, "defaultUser"))
MESSAGE(m_nfs_volume_source, "NFSVolumeSource", ONE(1, STRING, "server"), ONE(2, STRING, "path"),
    OMIT(3, BOOL, "readOnly"))
MESSAGE(m_local_object_reference, "LocalObjectReference", OMIT(1, STRING, "name"))
MESSAGE(m_iscsi_volume_source, "ISCSIVolumeSource", ONE(1, STRING, "targetPortal"),
    ONE(2, STRING, "iqn"), ONE(3, INT32, "lun"), OMIT(4, STRING, "iscsiInterface"),
    OMIT(5, STRING, "fsType"), OMIT(6, BOOL, "readOnly"), LIST(7, STRING, "portals"),
    OMIT(8, BOOL, "chapAuthDiscovery"), SUB(10, m_local_object_reference, "secretRef"),
    OMIT(11, BOOL, "chapAuthSession"), ONE(12, STRING, "initiatorName"))
MESSAGE(m_glusterfs_volume_source, "GlusterfsVolumeSource", ONE(1, STRING, "endpoints"),
    ONE(2, STRING, "path"), OMIT(3, BOOL, "readOnly"))
MESSAGE(m_persistent_volume_claim_volume_source, "PersistentVolumeClaimVolumeSource",
    ONE(1, STRING, "claimName"), OMIT(2, BOOL, "readOnly"))
MESSAGE(m_rbd_volume_source, "RBDVolumeSource", LIST(1, STRING, "monitors"),
    ONE(2, STRING, "image"), OMIT(3, STRING, "fsType"), OMIT(4, STRING, "pool"),
    OMIT(5, STRING, "user"), OMIT(6, STRING, "keyring"),
    SUB(7, m_local_object_reference, "secretRef"), OMIT(8, BOOL, "readOnly"))
MESSAGE(m_flex_volume_source, "FlexVolumeSource", ONE(1, STRING, "driver"),
    OMIT(2, STRING, "fsType"), SUB(3, m_local_object_reference, "secretRef"),
    OMIT(4, BOOL, "readOnly"), MAP(5, STRING, "options"))
MESSAGE(m_cinder_volume_source, "CinderVolumeSource", ONE(1, STRING, "volumeID"),
    OMIT(2, STRING, "fsType"), OMIT(3, BOOL, "readOnly"),
    SUB(4, m_local_object_reference, "secretRef"))
MESSAGE(m_ceph_fs_volume_source, "CephFSVolumeSource", LIST(1, STRING, "monitors"),
    OMIT(2, STRING, "path"), OMIT(3, STRING, "user"), OMIT(4, STRING, "secretFile"),
    SUB(5, m_local_object_reference, "secretRef"), OMIT(6, BOOL, "readOnly"))
MESSAGE(m_flocker_volume_source, "FlockerVolumeSource", OMIT(1, STRING, "datasetName"),
    OMIT(2, STRING, "datasetUUID"))
MESSAGE(m_object_field_selector, "ObjectFieldSelector", OMIT(1, STRING, "apiVersion"),
    ONE(2, STRING, "fieldPath"))
MESSAGE(m_resource_field_selector, "ResourceFieldSelector", OMIT(1, STRING, "containerName"),
    ONE(2, STRING, "resource"), ONE(3, AMOUNT, "divisor"))
MESSAGE(m_downward_api_volume_file, "DownwardAPIVolumeFile", ONE(1, STRING, "path"),
    SUB(2, m_object_field_selector, "fieldRef"),
    SUB(3, m_resource_field_selector, "resourceFieldRef"), ONE(4, INT32, "mode"),
    ONE(5, INT64, "user"))
MESSAGE(m_downward_api_volume_source, "DownwardAPIVolumeSource",
    SUBS(1, m_downward_api_volume_file, "items"), ONE(2, INT32, "defaultMode"),
    ONE(3, INT64, "defaultUser"))
MESSAGE(m_fc_volume_source, "FCVolumeSource", LIST(1, STRING, "targetWWNs"), ONE(2, INT32, "lun"),
    OMIT(3, STRING, "fsType"), OMIT(4, BOOL, "readOnly"), LIST(5, STRING, "wwids"))
MESSAGE(m_azure_file_volume_source, "AzureFileVolumeSource", ONE(1, STRING, "secretName"),
    ONE(2, STRING, "shareName"), OMIT(3, BOOL, "readOnly"))
MESSAGE(m_config_map_volume_source, "ConfigMapVolumeSource", INLINE(1, m_local_object_reference),
    SUBS(2, m_key_to_path, "items"), ONE(3, INT32, "defaultMode"), ONE(4, BOOL, "optional"),
    ONE(5, INT64, "defaultUser"))
MESSAGE(m_vsphere_virtual_disk_volume_source, "VsphereVirtualDiskVolumeSource",
    ONE(1, STRING, "volumePath"), OMIT(2, STRING, "fsType"), OMIT(3, STRING, "storagePolicyName"),
    OMIT(4, STRING, "storagePolicyID"))
MESSAGE(m_quobyte_volume_source, "QuobyteVolumeSource", ONE(1, STRING, "registry"),
    ONE(2, STRING, "volume"), OMIT(3, BOOL, "readOnly"), OMIT(4, STRING, "user"),
    OMIT(5, STRING, "group"), OMIT(6, STRING, "tenant"))
MESSAGE(m_azure_disk_volume_source, "AzureDiskVolumeSource", ONE(1, STRING, "diskName"),
    ONE(2, STRING, "diskURI"), ONE(3, STRING, "cachingMode"), ONE(4, STRING, "fsType"),
    ONE(5, BOOL, "readOnly"), ONE(6, STRING, "kind"))
MESSAGE(m_photon_persistent_disk_volume_source, "PhotonPersistentDiskVolumeSource",
    ONE(1, STRING, "pdID"), OMIT(2, STRING, "fsType"))
MESSAGE(m_portworx_volume_source, "PortworxVolumeSource", ONE(1, STRING, "volumeID"),
    OMIT(2, STRING, "fsType"), OMIT(3, BOOL, "readOnly"))
MESSAGE(m_scale_io_volume_source, "ScaleIOVolumeSource", ONE(1, STRING, "gateway"),
    ONE(2, STRING, "system"), SUB(3, m_local_object_reference, "secretRef"),
    OMIT(4, BOOL, "sslEnabled"), OMIT(5, STRING, "protectionDomain"),
    OMIT(6, STRING, "storagePool"), OMIT(7, STRING, "storageMode"), OMIT(8, STRING, "volumeName"),
    OMIT(9, STRING, "fsType"), OMIT(10, BOOL, "readOnly"))
MESSAGE(m_secret_projection, "SecretProjection", INLINE(1, m_local_object_reference),
    SUBS(2, m_key_to_path, "items"), ONE(4, BOOL, "optional"))
MESSAGE(m_downward_api_projection, "DownwardAPIProjection",
    SUBS(1, m_downward_api_volume_file, "items"))
MESSAGE(m_config_map_projection, "ConfigMapProjection", INLINE(1, m_local_object_reference),
    SUBS(2, m_key_to_path, "items"), ONE(4, BOOL, "optional"))
MESSAGE(m_service_account_token_projection, "ServiceAccountTokenProjection",
    OMIT(1, STRING, "audience"), ONE(2, INT64, "expirationSeconds"), ONE(3, STRING, "path"),
    ONE(4, INT64, "user"))
MESSAGE(m_label_selector_requirement, "LabelSelectorRequirement", ONE(1, STRING, "key"),
    ONE(2, STRING, "operator"), LIST(3, STRING, "values"))
SHARED(mst_message_label_selector, "LabelSelector", MAP(1, STRING, "matchLabels"),
    SUBS(2, m_label_selector_requirement, "matchExpressions"))
MESSAGE(m_cluster_trust_bundle_projection, "ClusterTrustBundleProjection", ONE(1, STRING, "name"),
    ONE(2, STRING, "signerName"), SUB(3, mst_message_label_selector, "labelSelector"),
    ONE(4, STRING, "path"), ONE(5, BOOL, "optional"), ONE(6, INT64, "user"))
MESSAGE(m_pod_certificate_projection, "PodCertificateProjection", OMIT(1, STRING, "signerName"),
    OMIT(2, STRING, "keyType"), ONE(3, INT32, "maxExpirationSeconds"),
    OMIT(4, STRING, "credentialBundlePath"), OMIT(5, STRING, "keyPath"),
    OMIT(6, STRING, "certificateChainPath"), MAP(7, STRING, "userAnnotations"),
    ONE(8, INT64, "user"))
MESSAGE(m_volume_projection, "VolumeProjection", SUB(1, m_secret_projection, "secret"),
    SUB(2, m_downward_api_projection, "downwardAPI"), SUB(3, m_config_map_projection, "configMap"),
    SUB(4, m_service_account_token_projection, "serviceAccountToken"),
    SUB(5, m_cluster_trust_bundle_projection, "clusterTrustBundle"),
    SUB(6, m_pod_certificate_projection, "podCertificate"))
MESSAGE(m_projected_volume_source, "ProjectedVolumeSource", SUBS(1, m_volume_projection, "sources"),
    ONE(2, INT32, "defaultMode"), ONE(3, INT64, "defaultUser"))
MESSAGE(m_storage_os_volume_source, "StorageOSVolumeSource", OMIT(1, STRING, "volumeName"),
    OMIT(2, STRING, "volumeNamespace"), OMIT(3, STRING, "fsType"), OMIT(4, BOOL, "readOnly"),
    SUB(5, m_local_object_reference, "secretRef"))
MESSAGE(m_csi_volume_source, "CSIVolumeSource", ONE(1, STRING, "driver"), ONE(2, BOOL, "readOnly"),
    ONE(3, STRING, "fsType"), MAP(4, STRING, "volumeAttributes"),
    SUB(5, m_local_object_reference, "nodePublishSecretRef"))
MESSAGE(m_owner_reference, "OwnerReference", ONE(1, STRING, "kind"), ONE(3, STRING, "name"),
    ONE(4, STRING, "uid"), ONE(5, STRING, "apiVersion"), ONE(6, BOOL, "controller"),
    ONE(7, BOOL, "blockOwnerDeletion"))
SHARED(mst_message_object_meta, "ObjectMeta", OMIT(1, STRING, "name"),
    OMIT(2, STRING, "generateName"), OMIT(3, STRING, "namespace"), OMIT(4, STRING, "selfLink"),
    OMIT(5, STRING, "uid"), OMIT(6, STRING, "resourceVersion"), OMIT(7, INT64, "generation"),
    ONE(8, TIME, "creationTimestamp"), ONE(9, TIME, "deletionTimestamp"),
    ONE(10, INT64, "deletionGracePeriodSeconds"), MAP(11, STRING, "labels"),
    MAP(12, STRING, "annotations"), SUBS(13, m_owner_reference, "ownerReferences"),
    LIST(14, STRING, "finalizers"))
MESSAGE(m_volume_resource_requirements, "VolumeResourceRequirements", MAP(1, AMOUNT, "limits"),
    MAP(2, AMOUNT, "requests"))
MESSAGE(m_typed_local_object_reference, "TypedLocalObjectReference", ONE(1, STRING, "apiGroup"),
    ONE(2, STRING, "kind"), ONE(3, STRING, "name"))
MESSAGE(m_typed_object_reference, "TypedObjectReference", ONE(1, STRING, "apiGroup"),
    ONE(2, STRING, "kind"), ONE(3, STRING, "name"), ONE(4, STRING, "namespace"))
SHARED(mst_message_persistent_volume_claim_spec, "PersistentVolumeClaimSpec",
    LIST(1, STRING, "accessModes"), SUB(2, m_volume_resource_requirements, "resources"),
    OMIT(3, STRING, "volumeName"), SUB(4, mst_message_label_selector, "selector"),
    ONE(5, STRING, "storageClassName"), ONE(6, STRING, "volumeMode"),
    SUB(7, m_typed_local_object_reference, "dataSource"),
    SUB(8, m_typed_object_reference, "dataSourceRef"), ONE(9, STRING, "volumeAttributesClassName"))
MESSAGE(m_persistent_volume_claim_template, "PersistentVolumeClaimTemplate",
    SUB(1, mst_message_object_meta, "metadata"),
    SUB(2, mst_message_persistent_volume_claim_spec, "spec"))
MESSAGE(m_ephemeral_volume_source, "EphemeralVolumeSource",
    SUB(1, m_persistent_volume_claim_template, "volumeClaimTemplate"))
MESSAGE(m_image_volume_source, "ImageVolumeSource", OMIT(1, STRING, "reference"),
    OMIT(2, STRING, "pullPolicy"))
SHARED(mst_message_volume_source, "VolumeSource", SUB(1, m_host_path_volume_source, "hostPath"),
    SUB(2, m_empty_dir_volume_source, "emptyDir"),
    SUB(3, m_gce_persistent_disk_volume_source, "gcePersistentDisk"),
    SUB(4, m_aws_elastic_block_store_volume_source, "awsElasticBlockStore"),
    SUB(5, m_git_repo_volume_source, "gitRepo"), SUB(6, m_secret_volume_source, "secret"),
    SUB(7, m_nfs_volume_source, "nfs"), SUB(8, m_iscsi_volume_source, "iscsi"),
    SUB(9, m_glusterfs_volume_source, "glusterfs"),
    SUB(10, m_persistent_volume_claim_volume_source, "persistentVolumeClaim"),
    SUB(11, m_rbd_volume_source, "rbd"), SUB(12, m_flex_volume_source, "flexVolume"),
    SUB(13, m_cinder_volume_source, "cinder"), SUB(14, m_ceph_fs_volume_source, "cephfs"),
    SUB(15, m_flocker_volume_source, "flocker"),
    SUB(16, m_downward_api_volume_source, "downwardAPI"), SUB(17, m_fc_volume_source, "fc"),
    SUB(18, m_azure_file_volume_source, "azureFile"),
    SUB(19, m_config_map_volume_source, "configMap"),
    SUB(20, m_vsphere_virtual_disk_volume_source, "vsphereVolume"),
    SUB(21, m_quobyte_volume_source, "quobyte"), SUB(22, m_azure_disk_volume_source, "azureDisk"),
    SUB(23, m_photon_persistent_disk_volume_source, "photonPersistentDisk"),
    SUB(24, m_portworx_volume_source, "portworxVolume"),
    SUB(25, m_scale_io_volume_source, "scaleIO"), SUB(26, m_projected_volume_source, "projected"),
    SUB(27, m_storage_os_volume_source, "storageos"), SUB(28, m_csi_volume_source, "csi"),
    SUB(29, m_ephemeral_volume_source, "ephemeral"), SUB(30, m_image_volume_source, "image"))
BLANK(m_glusterfs_persistent_volume_source, "GlusterfsPersistentVolumeSource")
BLANK(m_rbd_persistent_volume_source, "RBDPersistentVolumeSource")
BLANK(m_iscsi_persistent_volume_source, "ISCSIPersistentVolumeSource")
MESSAGE(m_cinder_persistent_volume_source, "CinderPersistentVolumeSource",
    ONE(1, STRING, "volumeID"))
BLANK(m_ceph_fs_persistent_volume_source, "CephFSPersistentVolumeSource")
BLANK(m_flex_persistent_volume_source, "FlexPersistentVolumeSource")
BLANK(m_azure_file_persistent_volume_source, "AzureFilePersistentVolumeSource")
BLANK(m_scale_io_persistent_volume_source, "ScaleIOPersistentVolumeSource")
BLANK(m_local_volume_source, "LocalVolumeSource")
BLANK(m_storage_os_persistent_volume_source, "StorageOSPersistentVolumeSource")
MESSAGE(m_csi_persistent_volume_source, "CSIPersistentVolumeSource", ONE(1, STRING, "driver"),
    ONE(2, STRING, "volumeHandle"))
SHARED(mst_message_persistent_volume_source, "PersistentVolumeSource",
    SUB(1, m_gce_persistent_disk_volume_source, "gcePersistentDisk"),
    SUB(2, m_aws_elastic_block_store_volume_source, "awsElasticBlockStore"),
    SUB(3, m_host_path_volume_source, "hostPath"),
    SUB(4, m_glusterfs_persistent_volume_source, "glusterfs"), SUB(5, m_nfs_volume_source, "nfs"),
    SUB(6, m_rbd_persistent_volume_source, "rbd"),
    SUB(7, m_iscsi_persistent_volume_source, "iscsi"),
    SUB(8, m_cinder_persistent_volume_source, "cinder"),
    SUB(9, m_ceph_fs_persistent_volume_source, "cephfs"), SUB(10, m_fc_volume_source, "fc"),
    SUB(11, m_flocker_volume_source, "flocker"),
    SUB(12, m_flex_persistent_volume_source, "flexVolume"),
    SUB(13, m_azure_file_persistent_volume_source, "azureFile"),
    SUB(14, m_vsphere_virtual_disk_volume_source, "vsphereVolume"),
    SUB(15, m_quobyte_volume_source, "quobyte"), SUB(16, m_azure_disk_volume_source, "azureDisk"),
    SUB(17, m_photon_persistent_disk_volume_source, "photonPersistentDisk"),
    SUB(18, m_portworx_volume_source, "portworxVolume"),
    SUB(19, m_scale_io_persistent_volume_source, "scaleIO"),
    SUB(20, m_local_volume_source, "local"),
    SUB(21, m_storage_os_persistent_volume_source, "storageos"),
    SUB(22, m_csi_persistent_volume_source, "csi"))
/* clang-format on */

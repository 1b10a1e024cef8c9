/*
 * podlist.c - generates pods with all that real ones carry: owners, managed fields, projected
 * volumes, environment, probes, conditions and container statuses.
 */
#include "podlist.h"

#include "base/rng.h"

struct pod {
    uint32_t number, node, replica_set, hour, minute, second;
    uint32_t cpu_milli, memory_mib, container_count;
    uint64_t uid, version;
};

static void make_metadata(struct mst_buf *out, const struct pod *p)
{
    mst_buf_printf(
        out,
        "{\"metadata\":{\"name\":\"web-%u-6d4cf56db6-%05u\",\"generateName\":\"web-%u-6d4cf56db6-"
        "\","
        "\"namespace\":\"team-%u\",\"uid\":\"%08x-7a51-4f0e-9c1d-%012llx\","
        "\"resourceVersion\":\"%llu\",\"generation\":1,"
        "\"creationTimestamp\":\"2026-03-11T%02u:%02u:%02uZ\",\"labels\":{\"app\":\"web-%u\","
        "\"app.kubernetes.io/managed-by\":\"Helm\",\"pod-template-hash\":\"6d4cf56db6\","
        "\"topology.kubernetes.io/zone\":\"zone-%u\"},\"annotations\":{"
        "\"prometheus.io/scrape\":\"true\",\"prometheus.io/port\":\"9090\","
        "\"kubectl.kubernetes.io/restartedAt\":\"2026-03-10T08:00:00Z\"},",
        p->replica_set, p->number, p->replica_set, p->replica_set % 20, p->number,
        (unsigned long long)(p->uid & 0xFFFFFFFFFFFF), (unsigned long long)p->version, p->hour,
        p->minute, p->second, p->replica_set, p->node % 3);
    mst_buf_printf(out,
                   "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\","
                   "\"name\":\"web-%u-6d4cf56db6\",\"uid\":\"%08x-aaaa-4bbb-8ccc-0123456789ab\","
                   "\"controller\":true,\"blockOwnerDeletion\":true}],",
                   p->replica_set, p->replica_set);
}

static void make_managed_fields(struct mst_buf *out, const struct pod *p)
{
    mst_buf_printf(
        out,
        "\"managedFields\":[{\"manager\":\"kube-controller-manager\",\"operation\":\"Update\","
        "\"apiVersion\":\"v1\",\"time\":\"2026-03-11T%02u:%02u:%02uZ\",\"fieldsType\":\"FieldsV1\","
        "\"fieldsV1\":{\"f:metadata\":{\"f:generateName\":{},\"f:labels\":{\".\":{},\"f:app\":{},"
        "\"f:pod-template-hash\":{}},\"f:ownerReferences\":{\".\":{},"
        "\"k:{\\\"uid\\\":\\\"%08x-aaaa-4bbb-8ccc-0123456789ab\\\"}\":{}}},\"f:spec\":{"
        "\"f:containers\":{\"k:{\\\"name\\\":\\\"main\\\"}\":{\".\":{},\"f:env\":{\".\":{},"
        "\"k:{\\\"name\\\":\\\"POD_NAME\\\"}\":{\".\":{},\"f:name\":{},\"f:valueFrom\":{}}},"
        "\"f:image\":{},\"f:imagePullPolicy\":{},\"f:name\":{},\"f:resources\":{\".\":{},"
        "\"f:limits\":{\".\":{},\"f:memory\":{}},\"f:requests\":{\".\":{},\"f:cpu\":{},"
        "\"f:memory\":{}}},\"f:terminationMessagePath\":{},\"f:terminationMessagePolicy\":{}}},"
        "\"f:dnsPolicy\":{},\"f:enableServiceLinks\":{},\"f:restartPolicy\":{},"
        "\"f:schedulerName\":{},\"f:securityContext\":{},\"f:terminationGracePeriodSeconds\":{}}}}"
        ",",
        p->hour, p->minute, p->second, p->replica_set);
    mst_buf_printf(
        out,
        "{\"manager\":\"kubelet\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
        "\"time\":\"2026-03-11T%02u:%02u:%02uZ\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{"
        "\"f:status\":{\"f:conditions\":{\"k:{\\\"type\\\":\\\"Ready\\\"}\":{\".\":{},"
        "\"f:lastProbeTime\":{},\"f:lastTransitionTime\":{},\"f:status\":{},\"f:type\":{}}},"
        "\"f:containerStatuses\":{},\"f:hostIP\":{},\"f:phase\":{},\"f:podIP\":{},\"f:podIPs\":{"
        "\".\":{},\"k:{\\\"ip\\\":\\\"10.%u.%u.%u\\\"}\":{\".\":{},\"f:ip\":{}}},"
        "\"f:startTime\":{}}},\"subresource\":\"status\"}]},",
        p->hour, p->minute, p->second, p->node >> 8 & 255, p->node & 255, p->number & 255);
}

static void make_container(struct mst_buf *out, const struct pod *p, uint32_t i)
{
    static const char *const names[] = { "main", "proxy", "logger" };
    const char *name = names[i % MST_COUNT(names)];
    mst_buf_printf(
        out,
        "%s{\"name\":\"%s\",\"image\":\"registry.example.com/team/%s:v1.%u.3\",\"args\":["
        "\"--listen=:8080\",\"--log-format=json\",\"--config=/etc/%s/config.yaml\"],"
        "\"ports\":[{\"name\":\"http\",\"containerPort\":8080,\"protocol\":\"TCP\"}],\"env\":["
        "{\"name\":\"POD_NAME\",\"valueFrom\":{\"fieldRef\":{\"apiVersion\":\"v1\","
        "\"fieldPath\":\"metadata.name\"}}},{\"name\":\"GOMAXPROCS\",\"value\":\"%u\"},"
        "{\"name\":\"GREETING\",\"value\":\"say \\\"hi\\\"\\n\"},"
        "{\"name\":\"DB_PASSWORD\",\"valueFrom\":{\"secretKeyRef\":{\"name\":\"db\","
        "\"key\":\"password\"}}}],",
        i ? "," : "", name, name, p->replica_set % 40, name, p->cpu_milli / 1000 + 1);
    mst_buf_printf(
        out,
        "\"resources\":{\"limits\":{\"memory\":\"%uMi\"},\"requests\":{\"cpu\":\"%um\","
        "\"memory\":\"%uMi\"}},\"volumeMounts\":[{\"name\":\"config\",\"mountPath\":\"/etc/%s\"},"
        "{\"name\":\"kube-api-access\",\"readOnly\":true,"
        "\"mountPath\":\"/var/run/secrets/kubernetes.io/serviceaccount\"}],\"readinessProbe\":{"
        "\"httpGet\":{\"path\":\"/ready\",\"port\":8080,\"scheme\":\"HTTP\"},\"timeoutSeconds\":1,"
        "\"periodSeconds\":10,\"successThreshold\":1,\"failureThreshold\":3},"
        "\"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\","
        "\"imagePullPolicy\":\"IfNotPresent\"}",
        p->memory_mib * 2, p->cpu_milli, p->memory_mib, name);
}

static void make_spec(struct mst_buf *out, const struct pod *p)
{
    mst_buf_text(out,
                 "\"spec\":{\"volumes\":[{\"name\":\"config\",\"configMap\":{\"name\":\"web\","
                 "\"defaultMode\":420}},{\"name\":\"kube-api-access\",\"projected\":{\"sources\":["
                 "{\"serviceAccountToken\":{\"expirationSeconds\":3607,\"path\":\"token\"}},"
                 "{\"configMap\":{\"name\":\"kube-root-ca.crt\",\"items\":[{\"key\":\"ca.crt\","
                 "\"path\":\"ca.crt\"}]}},{\"downwardAPI\":{\"items\":[{\"path\":\"namespace\","
                 "\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.namespace\"}}]}}],"
                 "\"defaultMode\":420}}],\"containers\":[");
    for (uint32_t i = 0; i < p->container_count; i++)
        make_container(out, p, i);
    mst_buf_printf(out,
                   "],\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,"
                   "\"dnsPolicy\":\"ClusterFirst\",\"serviceAccountName\":\"default\","
                   "\"serviceAccount\":\"default\",\"nodeName\":\"node-%u\",\"securityContext\":{},"
                   "\"schedulerName\":\"default-scheduler\",\"tolerations\":[{"
                   "\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\","
                   "\"effect\":\"NoExecute\",\"tolerationSeconds\":300},{"
                   "\"key\":\"node.kubernetes.io/unreachable\",\"operator\":\"Exists\","
                   "\"effect\":\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0,"
                   "\"enableServiceLinks\":true,\"preemptionPolicy\":\"PreemptLowerPriority\"},",
                   p->node);
}

static void make_status(struct mst_buf *out, const struct pod *p)
{
    static const char *const types[] = { "PodReadyToStartContainers", "Initialized", "Ready",
                                         "ContainersReady", "PodScheduled" };
    mst_buf_text(out, "\"status\":{\"phase\":\"Running\",\"conditions\":[");
    for (size_t i = 0; i < MST_COUNT(types); i++)
        mst_buf_printf(out,
                       "%s{\"type\":\"%s\",\"status\":\"True\",\"lastProbeTime\":null,"
                       "\"lastTransitionTime\":\"2026-03-11T%02u:%02u:%02uZ\"}",
                       i ? "," : "", types[i], p->hour, p->minute, p->second);
    mst_buf_printf(out,
                   "],\"hostIP\":\"192.168.%u.%u\",\"podIP\":\"10.%u.%u.%u\",\"podIPs\":[{"
                   "\"ip\":\"10.%u.%u.%u\"}],\"startTime\":\"2026-03-11T%02u:%02u:%02uZ\","
                   "\"containerStatuses\":[",
                   p->node >> 8 & 255, p->node & 255, p->node >> 8 & 255, p->node & 255,
                   p->number & 255, p->node >> 8 & 255, p->node & 255, p->number & 255, p->hour,
                   p->minute, p->second);
    for (uint32_t i = 0; i < p->container_count; i++)
        mst_buf_printf(
            out,
            "%s{\"name\":\"c%u\",\"state\":{\"running\":{"
            "\"startedAt\":\"2026-03-11T%02u:%02u:%02uZ\"}},\"lastState\":{},\"ready\":true,"
            "\"restartCount\":%u,\"image\":\"registry.example.com/team/main:v1.%u.3\","
            "\"imageID\":\"registry.example.com/team/main@sha256:%016llx%016llx%016llx%016llx\","
            "\"containerID\":\"containerd://%016llx%016llx%016llx%016llx\",\"started\":true}",
            i ? "," : "", i, p->hour, p->minute, p->second, p->number % 3, p->replica_set % 40,
            (unsigned long long)p->uid, (unsigned long long)p->uid, (unsigned long long)p->version,
            (unsigned long long)p->uid, (unsigned long long)p->version, (unsigned long long)p->uid,
            (unsigned long long)p->uid, (unsigned long long)p->version);
    mst_buf_text(out, "],\"qosClass\":\"Burstable\"}}");
}

void mst_podlist_make(struct mst_buf *out, size_t bytes, uint64_t seed)
{
    struct mst_rng rng;
    mst_rng_init(&rng, seed);
    size_t begin = out->n;
    mst_buf_text(out, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{"
                      "\"resourceVersion\":\"90210000\"},\"items\":[");
    for (uint32_t i = 0; out->n - begin < bytes; i++) {
        struct pod pod = {
            .number = i,
            .node = (uint32_t)mst_rng_below(&rng, 5000),
            .replica_set = (uint32_t)mst_rng_below(&rng, 1000),
            .hour = (uint32_t)mst_rng_below(&rng, 24),
            .minute = (uint32_t)mst_rng_below(&rng, 60),
            .second = (uint32_t)mst_rng_below(&rng, 60),
            .cpu_milli = 50 * (1 + (uint32_t)mst_rng_below(&rng, 80)),
            .memory_mib = 64 * (1 + (uint32_t)mst_rng_below(&rng, 64)),
            .container_count = 1 + (uint32_t)mst_rng_below(&rng, 3),
            .uid = mst_rng_next(&rng),
            .version = mst_rng_below(&rng, 90210000),
        };
        if (i)
            mst_buf_char(out, ',');
        make_metadata(out, &pod);
        make_managed_fields(out, &pod);
        make_spec(out, &pod);
        make_status(out, &pod);
    }
    mst_buf_text(out, "]}");
}

/*
 * validate_resources.c - requests, limits and claims of containers and pods.
 *
 * Source: kubernetes v1.37 pkg/apis/core/validation/validation.go, validateResourceRequirements,
 *         validatePodResourceConsistency; pkg/apis/core/helper.
 */
#include "api/validate_internal.h"
#include "base/sort.h"

static bool is_one_of(struct mst_str text, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (mst_str_is(text, names[i]))
            return true;
    return false;
}

static bool is_hugepages(struct mst_str name)
{
    return mst_str_has_prefix(name, "hugepages-");
}

static bool is_native(struct mst_str name)
{
    return !name.n || !memchr(name.p, '/', name.n) ||
           memmem(name.p, name.n, "kubernetes.io/", strlen("kubernetes.io/"));
}

static bool is_overcommit_allowed(struct mst_str name)
{
    return is_native(name) && !is_hugepages(name);
}

static bool is_integer(struct mst_str name)
{
    static const char *const names[] = {
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    };
    return is_one_of(name, names, MST_COUNT(names)) || mst_name_is_extended(name);
}

static bool is_standard(struct mst_str name)
{
    static const char *const names[] = {
        "cpu",
        "memory",
        "ephemeral-storage",
        "requests.cpu",
        "requests.memory",
        "requests.ephemeral-storage",
        "limits.cpu",
        "limits.memory",
        "limits.ephemeral-storage",
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "storage",
        "requests.storage",
        "services.nodeports",
        "services.loadbalancers",
    };
    return is_one_of(name, names, MST_COUNT(names)) || is_hugepages(name) ||
           mst_str_has_prefix(name, "requests.hugepages-");
}

static bool is_standard_of_container(struct mst_str name)
{
    static const char *const names[] = { "cpu", "memory", "ephemeral-storage" };
    return is_one_of(name, names, MST_COUNT(names)) || is_hugepages(name);
}

static struct mst_str text_of(const struct mst_validator *v, const struct mst_quantity *q)
{
    return mst_quantity_text(q, v->api->arena);
}

void mst_validate_quantity(struct mst_validator *v, const struct mst_path *path,
                           const struct mst_resource *resource)
{
    const struct mst_quantity *q = &resource->quantity;
    if (mst_quantity_sign(q) < 0)
        mst_v_invalid_str(v, path, text_of(v, q), "must be greater than or equal to 0");
    /* Differs: upstream takes the text and counts with what is left of it modulo 2^64. */
    if (q->saturated)
        mst_v_invalid_str(v, path, text_of(v, q),
                          "must be less than 1.7e29, the most that is counted");
    /* Thousandths, rounded up, decide; the value is shown as JSON, which quotes it as well. */
    if (is_integer(mst_v_sym(v, resource->name)) && mst_quantity_milli(q) % 1000 != 0)
        mst_v_invalid_str(v, path, text_of(v, q), "must be an integer");
}

/* The part of the name's rules that containers and pods share; false when something was wrong. */
static bool validate_name(struct mst_validator *v, const struct mst_path *path, struct mst_str name)
{
    if (!mst_v_name(v, path, MST_NAME_LABEL_KEY, MST_LENGTH_IN_BYTES, name))
        return false;
    if (memchr(name.p, '/', name.n) || is_standard(name))
        return true;
    mst_v_invalid_str(v, path, name, "must be a standard resource type or fully qualified");
    return false;
}

static void validate_container_name(struct mst_validator *v, const struct mst_path *path,
                                    struct mst_str name)
{
    validate_name(v, path, name);
    bool bare = !name.n || !memchr(name.p, '/', name.n);
    if (bare && !is_standard_of_container(name))
        mst_v_invalid_str(v, path, name, "must be a standard resource for containers");
    else if (!bare && !is_native(name) && !mst_name_is_extended(name))
        mst_v_invalid_str(v, path, name, "doesn't follow extended resource name standard");
}

static void validate_pod_name(struct mst_validator *v, const struct mst_path *path,
                              struct mst_str name)
{
    if (validate_name(v, path, name) && !mst_resource_is_pod_level(name))
        mst_v_unsupported(v, path, name, "\"cpu\", \"hugepages-\", \"memory\"");
}

/* A hugepages amount must be a multiple of the page size in its name. */
static void validate_hugepages(struct mst_validator *v, const struct mst_path *path,
                               const struct mst_resource *resource)
{
    struct mst_str name = mst_v_sym(v, resource->name);
    struct mst_quantity page;
    if (!is_hugepages(name))
        return;
    struct mst_str size = { name.p + strlen("hugepages-"), name.n - strlen("hugepages-") };
    bool ok = mst_quantity_parse(size, &page, NULL) == MST_OK;
    ok = ok && page.nano > 0 && mst_quantity_milli(&page) % 1000 == 0 &&
         mst_quantity_value(&resource->quantity) % mst_quantity_value(&page) == 0;
    if (ok)
        return;
    struct mst_str shown = text_of(v, &resource->quantity);
    struct mst_str detail =
        mst_arena_printf(v->api->arena, "%.*s is not positive integer multiple of %.*s",
                         MST_ARG(shown), MST_ARG(name));
    mst_v_invalid_str(v, path, shown, detail.p);
}

static const struct mst_quantity *find(const mst_resources *list, mst_sym name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i].name == name)
            return &list->v[i].quantity;
    return NULL;
}

/* A request against the limit of the same resource. */
static void validate_request(struct mst_validator *v, const struct mst_path *path,
                             const struct mst_resource *request, const mst_resources *limits)
{
    struct mst_str name = mst_v_sym(v, request->name);
    const struct mst_quantity *limit = find(limits, request->name);
    bool overcommit = is_overcommit_allowed(name);
    const struct mst_path requests = MST_AT(path, "requests");
    if (!limit) {
        if (!overcommit)
            mst_v_required(v, &MST_AT(path, "limits"),
                           "Limit must be set for non overcommitable resources");
        return;
    }
    int order = mst_quantity_cmp(&request->quantity, limit);
    if (order == 0 || (order < 0 && overcommit))
        return;
    struct mst_str detail = mst_arena_printf(v->api->arena, "must be %s %.*s limit of %.*s",
                                             overcommit ? "less than or equal to" : "equal to",
                                             MST_ARG(name), MST_ARG(text_of(v, limit)));
    mst_v_invalid_str(v, &requests, text_of(v, &request->quantity), detail.p);
}

typedef void name_rule(struct mst_validator *v, const struct mst_path *path, struct mst_str name);

static void validate_requirements(struct mst_validator *v, const struct mst_path *path,
                                  const struct mst_requirements_resources *resources,
                                  name_rule *rule)
{
    const struct mst_path limits = MST_AT(path, "limits"), requests = MST_AT(path, "requests");
    bool compute = false, pages = false;
    for (int k = 0; k < 2; k++) {
        const mst_resources *list = k ? &resources->requests : &resources->limits;
        for (uint32_t i = 0; i < list->n; i++) {
            const struct mst_resource *resource = &list->v[i];
            struct mst_str name = mst_v_sym(v, resource->name);
            const struct mst_path at = MST_AT_KEY(k ? &requests : &limits, name);
            rule(v, &at, name);
            mst_validate_quantity(v, &at, resource);
            if (k)
                validate_request(v, path, resource, &resources->limits);
            validate_hugepages(v, &at, resource);
            pages |= is_hugepages(name);
            compute |= mst_str_is(name, "cpu") || mst_str_is(name, "memory");
        }
    }
    if (pages && !compute)
        mst_v_forbidden(v, path, "HugePages require cpu or memory");
}

static bool names_claim(const struct mst_pod_spec *spec, struct mst_str name)
{
    for (uint32_t i = 0; i < spec->claims.n; i++)
        if (mst_str_eq(spec->claims.v[i].name, name))
            return true;
    return false;
}

static int compare_names(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(*(const struct mst_str *)a, *(const struct mst_str *)b);
}

/* What a container's claim could have named. */
static struct mst_str known_claims(const struct mst_validator *v, const struct mst_pod_spec *spec)
{
    struct mst_str *names = MST_NEW_N(v->api->arena, struct mst_str, spec->claims.n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < spec->claims.n; i++)
        if (spec->claims.v[i].name.n > 0)
            names[n++] = spec->claims.v[i].name;
    mst_sort(names, n, sizeof(*names), compare_names, NULL);
    MST_AUTO(mst_buf) buf = { 0 };
    mst_buf_text(&buf, "must be one of the names in pod.spec.resourceClaims");
    mst_buf_text(&buf, n ? ": " : " which is empty");
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || !mst_str_eq(names[i], names[i - 1]))
            mst_buf_printf(&buf, "%s%.*s", i ? ", " : "", MST_ARG(names[i]));
    return mst_arena_str(v->api->arena, mst_buf_span(&buf));
}

static void validate_claims(struct mst_validator *v, const struct mst_path *path,
                            const struct mst_requirements_resources *resources,
                            const struct mst_pod_spec *spec)
{
    for (uint32_t i = 0; i < resources->claims.n; i++) {
        struct mst_str name = resources->claims.v[i];
        const struct mst_path at = MST_AT_I(path, i);
        if (name.n == 0) {
            mst_v_required(v, &at, NULL);
            continue;
        }
        if (!names_claim(spec, name))
            mst_v_not_found(v, &at, name, known_claims(v, spec).p);
    }
}

void mst_validate_container_resources(struct mst_validator *v, const struct mst_path *path,
                                      const struct mst_requirements_resources *resources,
                                      const struct mst_pod_spec *spec)
{
    validate_requirements(v, path, resources, validate_container_name);
    validate_claims(v, &MST_AT(path, "claims"), resources, spec);
}

/* Pod-level amounts against what the containers add up to. */
static void validate_consistency(struct mst_validator *v, const struct mst_path *path,
                                 const struct mst_pod *pod)
{
    const struct mst_requirements_resources *level = &pod->spec.resources;
    for (int k = 0; k < 2; k++) {
        mst_resources sums = mst_pod_aggregate(v->api->syms, pod, k == 1, v->api->arena);
        const struct mst_path list = MST_AT(path, k ? "limits" : "requests");
        for (uint32_t i = 0; i < sums.n; i++) {
            struct mst_str name = mst_v_sym(v, sums.v[i].name);
            const struct mst_quantity *own =
                find(k ? &level->limits : &level->requests, sums.v[i].name);
            if (!own || (k && !is_hugepages(name)) ||
                mst_quantity_cmp(&sums.v[i].quantity, own) <= 0)
                continue;
            struct mst_str detail =
                mst_arena_printf(v->api->arena,
                                 "must be greater than or equal to aggregate container %s of %.*s",
                                 k ? "limits" : "requests",
                                 MST_ARG(text_of(v, &sums.v[i].quantity)));
            mst_v_invalid_str(v, &MST_AT_KEY(&list, name), text_of(v, own), detail.p);
        }
    }
    const struct mst_path containers = MST_AT(path, "containers");
    for (uint32_t i = 0; i < pod->spec.containers.n; i++) {
        const mst_resources *limits = &pod->spec.containers.v[i].resources.limits;
        for (uint32_t k = 0; k < limits->n; k++) {
            const struct mst_quantity *own = find(&level->limits, limits->v[k].name);
            if (!own || mst_quantity_cmp(&limits->v[k].quantity, own) <= 0)
                continue;
            const struct mst_path at = MST_AT_I(&containers, i);
            const struct mst_path key = MST_AT_KEY(&at, mst_v_sym(v, limits->v[k].name));
            struct mst_str detail =
                mst_arena_printf(v->api->arena, "must be less than or equal to pod limits of %.*s",
                                 MST_ARG(text_of(v, own)));
            mst_v_invalid_str(v, &MST_AT(&key, "limits"), text_of(v, &limits->v[k].quantity),
                              detail.p);
        }
    }
}

void mst_validate_pod_resources(struct mst_validator *v, const struct mst_path *path,
                                const struct mst_pod *pod)
{
    const struct mst_requirements_resources *resources = &pod->spec.resources;
    if (!resources->set)
        return;
    if (resources->claims.v)
        mst_v_forbidden(v, &MST_AT(path, "claims"),
                        "claims may not be set for Resources at pod-level");
    validate_requirements(v, path, resources, validate_pod_name);
    validate_claims(v, &MST_AT(path, "claims"), resources, &pod->spec);
    validate_consistency(v, path, pod);
}

/*
 * gates.c - feature gates: defaults, the --feature-gates list, dependencies.
 *
 * Owns:       nothing but the constant tables.
 * Invariants: a locked gate always has its default.
 * Source:     spec/scheduling.md 5.2, spec/plugins.md 7; kubernetes v1.37 component-base
 *             featuregate.
 */
#include "framework/gates.h"

typedef enum { STAGE_ALPHA, STAGE_BETA, STAGE_GA } gate_stage;

struct gate_info {
    const char *name;
    bool upstream, muster, locked;
};

static const struct gate_info infos[] = {
#define X(name, upstream, muster, locked) { #name, upstream, muster, locked },
    MST_GATES(X)
#undef X
};
_Static_assert(MST_COUNT(infos) == MST_GATE_COUNT, "a row for every gate");

static gate_stage stage_of(mst_gate gate)
{
    if (infos[gate].locked)
        return STAGE_GA;
    /* These are beta and off; the others follow the rule that beta is on and alpha off. */
    const bool beta_off = gate == MST_GATE_GenericWorkload ||
                          gate == MST_GATE_DRAWorkloadResourceClaims ||
                          gate == MST_GATE_SchedulerAsyncAPICalls;
    return beta_off || infos[gate].upstream ? STAGE_BETA : STAGE_ALPHA;
}

static const struct {
    mst_gate gate;
    mst_gate needs[2];
    uint32_t need_count;
} dependencies[] = {
    { MST_GATE_TopologyAwareWorkloadScheduling, { MST_GATE_GenericWorkload }, 1 },
    { MST_GATE_CompositePodGroup,
      { MST_GATE_GenericWorkload, MST_GATE_TopologyAwareWorkloadScheduling },
      2 },
    { MST_GATE_PodGroupPreemptionPolicy, { MST_GATE_GenericWorkload }, 1 },
    { MST_GATE_DRAWorkloadResourceClaims,
      { MST_GATE_GenericWorkload, MST_GATE_DynamicResourceAllocation },
      2 },
    { MST_GATE_WorkloadWithJob, { MST_GATE_GenericWorkload }, 1 },
};

/* Up to 1.`last`, from the row before on, the gate could be set and had this default. */
static const struct {
    mst_gate gate;
    uint32_t last;
    bool on;
} earlier[] = {
    { MST_GATE_DynamicResourceAllocation, 34, true },
    { MST_GATE_NodeDeclaredFeatures, 35, false },
    { MST_GATE_NodeDeclaredFeatures, 36, true },
    { MST_GATE_OpportunisticBatching, 34, false },
    { MST_GATE_NominatedNodeNameForExpectation, 34, false },
    { MST_GATE_ClearingNominatedNodeNameAfterBinding, 34, false },
    { MST_GATE_StorageCapacityScoring, 36, false },
    { MST_GATE_VolumeLimitScaling, 36, false },
    { MST_GATE_InPlacePodVerticalScaling, 34, true },
    { MST_GATE_InPlacePodLevelResourcesVerticalScaling, 35, false },
    { MST_GATE_DRAExtendedResource, 35, false },
    { MST_GATE_DRAExtendedResource, 36, true },
    { MST_GATE_WatchListClient, 34, false },
};

/* The row that was right for the gate in the emulated version, or NULL: it was as it is now. */
static const bool *earlier_default(const struct mst_gates *gates, mst_gate gate)
{
    for (size_t i = 0; gates->minor && i < MST_COUNT(earlier); i++)
        if (earlier[i].gate == gate && gates->minor <= earlier[i].last)
            return &earlier[i].on;
    return NULL;
}

const char *mst_gate_name(mst_gate gate)
{
    mst_assert((unsigned)gate < MST_GATE_COUNT);
    return infos[gate].name;
}

/* The stage up to 1.`last`, from the row before on. */
static const struct {
    mst_gate gate;
    uint32_t last;
    gate_stage stage;
} earlier_stages[] = {
    { MST_GATE_GenericWorkload, 36, STAGE_ALPHA },
    { MST_GATE_DRAWorkloadResourceClaims, 36, STAGE_ALPHA },
    { MST_GATE_NodeDeclaredFeatures, 35, STAGE_ALPHA },
    { MST_GATE_NodeDeclaredFeatures, 36, STAGE_BETA },
    { MST_GATE_NominatedNodeNameForExpectation, 34, STAGE_ALPHA },
    { MST_GATE_ClearingNominatedNodeNameAfterBinding, 34, STAGE_ALPHA },
    { MST_GATE_StorageCapacityScoring, 36, STAGE_ALPHA },
    { MST_GATE_VolumeLimitScaling, 36, STAGE_ALPHA },
    { MST_GATE_InPlacePodVerticalScaling, 34, STAGE_BETA },
    { MST_GATE_InPlacePodLevelResourcesVerticalScaling, 35, STAGE_ALPHA },
    { MST_GATE_DRAExtendedResource, 35, STAGE_ALPHA },
    { MST_GATE_DRAExtendedResource, 36, STAGE_BETA },
};

const char *mst_gate_stage(const struct mst_gates *gates, mst_gate gate)
{
    static const char *const names[] = {
        [STAGE_ALPHA] = "ALPHA", [STAGE_BETA] = "BETA", [STAGE_GA] = ""
    };
    mst_assert((unsigned)gate < MST_GATE_COUNT);
    for (size_t i = 0; gates->minor && i < MST_COUNT(earlier_stages); i++)
        if (earlier_stages[i].gate == gate && gates->minor <= earlier_stages[i].last)
            return names[earlier_stages[i].stage];
    return names[stage_of(gate)];
}

void mst_gates_default(struct mst_gates *gates, bool upstream)
{
    for (uint32_t i = 0; i < MST_GATE_COUNT; i++)
        gates->on[i] = upstream ? infos[i].upstream : infos[i].muster;
    gates->minor = 0;
}

void mst_gates_emulate(struct mst_gates *gates, bool upstream, uint32_t minor)
{
    mst_assert(minor >= MST_GATES_OLDEST_MINOR && minor <= MST_GATES_MINOR);
    mst_gates_default(gates, upstream);
    gates->minor = minor == MST_GATES_MINOR ? 0 : minor;
    for (uint32_t i = 0; i < MST_GATE_COUNT; i++) {
        const bool *then = earlier_default(gates, (mst_gate)i);
        if (then)
            gates->on[i] = *then;
    }
}

static struct mst_str trim(struct mst_str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = (struct mst_str){ s.p + 1, s.n - 1 };
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
        s.n--;
    return s;
}

/* The spellings of Go's strconv.ParseBool. */
static bool parse_bool(struct mst_str s, bool *out)
{
    static const char *const yes[] = { "1", "t", "T", "TRUE", "true", "True" };
    static const char *const no[] = { "0", "f", "F", "FALSE", "false", "False" };
    for (size_t i = 0; i < MST_COUNT(yes); i++) {
        if (mst_str_is(s, yes[i]) || mst_str_is(s, no[i])) {
            *out = mst_str_is(s, yes[i]);
            return true;
        }
    }
    return false;
}

/* "AllAlpha" and "AllBeta" set every gate of the stage that is not locked. */
static bool set_stage(struct mst_gates *gates, struct mst_str name, bool value)
{
    if (!mst_str_is(name, "AllAlpha") && !mst_str_is(name, "AllBeta"))
        return false;
    const gate_stage stage = mst_str_is(name, "AllAlpha") ? STAGE_ALPHA : STAGE_BETA;
    for (uint32_t i = 0; i < MST_GATE_COUNT; i++)
        if (stage_of((mst_gate)i) == stage)
            gates->on[i] = value;
    return true;
}

static bool set_one(struct mst_gates *gates, struct mst_str name, bool value, bool upstream,
                    struct mst_buf *errors, struct mst_buf *warnings)
{
    for (uint32_t i = 0; i < MST_GATE_COUNT; i++) {
        if (!mst_str_is(name, infos[i].name))
            continue;
        const bool fixed = infos[i].upstream;
        if (infos[i].locked && value != fixed && !earlier_default(gates, (mst_gate)i)) {
            mst_buf_printf(errors, "cannot set feature gate %s to %s, feature is locked to %s\n",
                           infos[i].name, value ? "true" : "false", fixed ? "true" : "false");
            return false;
        }
        gates->on[i] = value;
        return true;
    }
    if (mst_gate_is_of_others(name))
        return true;
    mst_buf_printf(upstream ? errors : warnings, "unrecognized feature gate: %.*s\n",
                   MST_ARG(name));
    return !upstream;
}

struct gate_setting {
    struct mst_str name;
    bool value;
};

/* The next "NAME=BOOL" of the list; false at the end. A bad item is reported and gives no name. */
static bool next_setting(struct mst_str *rest, struct gate_setting *out, struct mst_buf *errors)
{
    *out = (struct gate_setting){ 0 };
    if (rest->n == 0)
        return false;
    const char *comma = memchr(rest->p, ',', rest->n);
    const size_t n = comma ? (size_t)(comma - rest->p) : rest->n;
    const struct mst_str item = trim((struct mst_str){ rest->p, n });
    const size_t used = comma ? n + 1 : n;
    *rest = (struct mst_str){ rest->p + used, rest->n - used };
    if (item.n == 0)
        return true;
    const char *eq = memchr(item.p, '=', item.n);
    if (!eq) {
        mst_buf_printf(errors, "missing bool value for %.*s\n", MST_ARG(item));
        return true;
    }
    const struct mst_str name = trim((struct mst_str){ item.p, (size_t)(eq - item.p) });
    const struct mst_str text =
        trim((struct mst_str){ eq + 1, item.n - (size_t)(eq - item.p) - 1 });
    if (!parse_bool(text, &out->value)) {
        mst_buf_printf(errors,
                       "invalid value of %.*s=%.*s, err: strconv.ParseBool: parsing "
                       "\"%.*s\": invalid syntax\n",
                       MST_ARG(name), MST_ARG(text), MST_ARG(text));
        return true;
    }
    out->name = name;
    return true;
}

bool mst_gates_set(struct mst_gates *gates, struct mst_str list, bool upstream,
                   struct mst_buf *errors, struct mst_buf *warnings)
{
    struct mst_gates next = *gates;
    const size_t errors_before = errors->n;
    struct gate_setting setting;
    /* Stages first, whatever the order: a gate that is named overrides its stage. */
    struct mst_buf dropped = { 0 };
    for (struct mst_str rest = list; next_setting(&rest, &setting, &dropped);)
        if (setting.name.p)
            (void)set_stage(&next, setting.name, setting.value);
    mst_buf_done(&dropped);
    for (struct mst_str rest = list; next_setting(&rest, &setting, errors);) {
        if (!setting.name.p || mst_str_is(setting.name, "AllAlpha") ||
            mst_str_is(setting.name, "AllBeta"))
            continue;
        (void)set_one(&next, setting.name, setting.value, upstream, errors, warnings);
    }
    if (errors->n != errors_before)
        return false;
    *gates = next;
    return true;
}

bool mst_gates_check(const struct mst_gates *gates, struct mst_buf *errors)
{
    bool ok = true;
    for (size_t i = 0; i < MST_COUNT(dependencies); i++) {
        if (!gates->on[dependencies[i].gate])
            continue;
        bool first = true;
        for (uint32_t k = 0; k < dependencies[i].need_count; k++) {
            const mst_gate need = dependencies[i].needs[k];
            if (gates->on[need])
                continue;
            if (first)
                mst_buf_printf(errors,
                               "%s is enabled, but depends on features that are disabled: [%s",
                               mst_gate_name(dependencies[i].gate), mst_gate_name(need));
            else
                mst_buf_printf(errors, " %s", mst_gate_name(need));
            first = false;
        }
        if (!first)
            mst_buf_text(errors, "]\n");
        ok &= first;
    }
    return ok;
}

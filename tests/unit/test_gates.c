/* Feature gates: defaults of both profiles, the list of the command line, dependencies. */
#include "framework/gates.h"
#include "tap.h"

static struct mst_str span(struct mst_buf *buf)
{
    return mst_buf_span(buf);
}

static void test_gates_defaults(struct mst_test *t)
{
    struct mst_gates upstream, muster;
    mst_gates_default(&upstream, true);
    mst_gates_default(&muster, false);
    t_bool(t, upstream.on[MST_GATE_GenericWorkload], false);
    t_bool(t, muster.on[MST_GATE_GenericWorkload], true);
    t_bool(t, upstream.on[MST_GATE_CompositePodGroup], false);
    t_bool(t, muster.on[MST_GATE_CompositePodGroup], true);
    t_bool(t, upstream.on[MST_GATE_NodeDeclaredFeatures], true);
    t_bool(t, muster.on[MST_GATE_SchedulerAsyncAPICalls], false);
    t_text(t, mst_gate_name(MST_GATE_GenericWorkload), "GenericWorkload");
    MST_AUTO(mst_buf) errors = { 0 };
    t_bool(t, mst_gates_check(&upstream, &errors), true);
    t_bool(t, mst_gates_check(&muster, &errors), true);
    t_int(t, errors.n, 0);
}

/* Defaults and locks of the versions that v1.37 can emulate. */
static void test_gates_emulated(struct mst_test *t)
{
    static const struct {
        mst_gate gate;
        bool on[4]; /* in 1.34, 1.35, 1.36, 1.37 */
        uint32_t locked_since;
    } cases[] = {
        { MST_GATE_NodeDeclaredFeatures, { false, false, true, true }, 37 },
        { MST_GATE_OpportunisticBatching, { false, true, true, true }, 99 },
        { MST_GATE_StorageCapacityScoring, { false, false, false, true }, 99 },
        { MST_GATE_DynamicResourceAllocation, { true, true, true, true }, 35 },
        { MST_GATE_DRAExtendedResource, { false, false, true, true }, 37 },
        { MST_GATE_SchedulerAsyncPreemption, { true, true, true, true }, 99 },
        { MST_GATE_GenericWorkload, { false, false, false, false }, 99 },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        for (uint32_t minor = MST_GATES_OLDEST_MINOR; minor <= MST_GATES_MINOR; minor++) {
            struct mst_gates gates;
            MST_AUTO(mst_buf) errors = { 0 };
            MST_AUTO(mst_buf) list = { 0 };
            const bool on = cases[i].on[minor - MST_GATES_OLDEST_MINOR];
            t_case(t, mst_gate_name(cases[i].gate));
            mst_gates_emulate(&gates, true, minor);
            t_bool(t, gates.on[cases[i].gate], on);
            mst_buf_printf(&list, "%s=%s", mst_gate_name(cases[i].gate), on ? "false" : "true");
            t_bool(t, mst_gates_set(&gates, mst_buf_span(&list), true, &errors, &errors),
                   minor < cases[i].locked_since);
            t_bool(t, gates.on[cases[i].gate], minor < cases[i].locked_since ? !on : on);
        }
    }
}

static const struct {
    const char *name, *list;
    bool upstream, ok;
    const char *errors, *warnings;
} lists[] = {
    { "empty", "", true, true, "", "" },
    { "spaces and a comma too many", " GenericWorkload = true , ", true, true, "", "" },
    { "spellings of Go", "GenericWorkload=T,OpportunisticBatching=0", true, true, "", "" },
    { "unknown upstream", "Nope=true,GenericWorkload=true", true, false,
      "unrecognized feature gate: Nope\n", "" },
    { "unknown here", "Nope=true", false, true, "", "unrecognized feature gate: Nope\n" },
    { "of other components", "WatchList=false,APIServerIdentity=false", true, true, "", "" },
    { "of libraries",
      "AtomicFIFO=false,ClientsAllowCBOR=true,ContextualLogging=true,LoggingBetaOptions=false,"
      "ReloadKubeletClientCAFile=true",
      true, true, "", "" },
    { "locked to its own value", "NodeDeclaredFeatures=true", true, true, "", "" },
    { "locked", "NodeDeclaredFeatures=false", false, false,
      "cannot set feature gate NodeDeclaredFeatures to false, feature is locked to true\n", "" },
    { "no value", "GenericWorkload", false, false, "missing bool value for GenericWorkload\n", "" },
    { "no boolean", "GenericWorkload=yes", false, false,
      "invalid value of GenericWorkload=yes, err: strconv.ParseBool: parsing \"yes\": invalid "
      "syntax\n",
      "" },
    { "all at once", "A=1,GenericWorkload=,DynamicResourceAllocation=0", true, false,
      "unrecognized feature gate: A\n"
      "invalid value of GenericWorkload=, err: strconv.ParseBool: parsing \"\": invalid syntax\n"
      "cannot set feature gate DynamicResourceAllocation to false, feature is locked to true\n",
      "" },
};

static void test_gates_lists(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(lists); i++) {
        struct mst_gates gates;
        MST_AUTO(mst_buf) errors = { 0 };
        MST_AUTO(mst_buf) warnings = { 0 };
        mst_gates_default(&gates, lists[i].upstream);
        const struct mst_gates before = gates;
        t_case(t, lists[i].name);
        t_bool(t,
               mst_gates_set(&gates, mst_str_of(lists[i].list), lists[i].upstream, &errors,
                             &warnings),
               lists[i].ok);
        t_str(t, span(&errors), lists[i].errors);
        t_str(t, span(&warnings), lists[i].warnings);
        if (!lists[i].ok) /* a failure changes nothing */
            t_int(t, memcmp(&gates, &before, sizeof(gates)), 0);
    }
}

static void test_gates_stages(struct mst_test *t)
{
    struct mst_gates gates;
    MST_AUTO(mst_buf) text = { 0 };
    mst_gates_default(&gates, true);
    /* a gate by name wins over its stage, whatever the order */
    t_bool(t,
           mst_gates_set(&gates, MST_STR("CompositePodGroup=false,AllAlpha=true,AllBeta=false"),
                         true, &text, &text),
           true);
    t_bool(t, gates.on[MST_GATE_TopologyAwareWorkloadScheduling], true);
    t_bool(t, gates.on[MST_GATE_CompositePodGroup], false);
    t_bool(t, gates.on[MST_GATE_SchedulerAsyncPreemption], false);
    t_bool(t, gates.on[MST_GATE_GenericWorkload], false);
    t_bool(t, gates.on[MST_GATE_DynamicResourceAllocation], true);
    t_bool(t, mst_gates_set(&gates, MST_STR("AllBeta=true"), true, &text, &text), true);
    t_bool(t, gates.on[MST_GATE_GenericWorkload], true);
    t_int(t, text.n, 0);
}

static void test_gates_dependencies(struct mst_test *t)
{
    struct mst_gates gates;
    MST_AUTO(mst_buf) text = { 0 };
    mst_gates_default(&gates, true);
    gates.on[MST_GATE_CompositePodGroup] = true;
    gates.on[MST_GATE_DRAWorkloadResourceClaims] = true;
    t_bool(t, mst_gates_check(&gates, &text), false);
    t_str(t, span(&text),
          "CompositePodGroup is enabled, but depends on features that are disabled: "
          "[GenericWorkload TopologyAwareWorkloadScheduling]\n"
          "DRAWorkloadResourceClaims is enabled, but depends on features that are disabled: "
          "[GenericWorkload]\n");
    gates.on[MST_GATE_GenericWorkload] = gates.on[MST_GATE_TopologyAwareWorkloadScheduling] = true;
    t_bool(t, mst_gates_check(&gates, &text), true);
}

/* What kube-scheduler v1.37.2 prints with --emulated-version, and without. */
static void test_stages(struct mst_test *t)
{
    static const struct {
        mst_gate gate;
        const char *stages; /* of 1.34 to 1.37; '-': not there yet, 'G': finished */
    } cases[] = {
        { MST_GATE_GenericWorkload, "-AAB" },
        { MST_GATE_TopologyAwareWorkloadScheduling, "--AA" },
        { MST_GATE_CompositePodGroup, "---A" },
        { MST_GATE_PodGroupPreemptionPolicy, "---A" },
        { MST_GATE_DRAWorkloadResourceClaims, "--AB" },
        { MST_GATE_WorkloadWithJob, "--AA" },
        { MST_GATE_DynamicResourceAllocation, "GGGG" },
        { MST_GATE_NodeDeclaredFeatures, "-ABG" },
        { MST_GATE_OpportunisticBatching, "-BBB" },
        { MST_GATE_NominatedNodeNameForExpectation, "ABBB" },
        { MST_GATE_ClearingNominatedNodeNameAfterBinding, "ABBB" },
        { MST_GATE_SchedulerAsyncPreemption, "BBBB" },
        { MST_GATE_SchedulerPopFromBackoffQ, "BBBB" },
        { MST_GATE_SchedulerAsyncAPICalls, "BBBB" },
        { MST_GATE_StorageCapacityScoring, "AAAB" },
        { MST_GATE_VolumeLimitScaling, "-AAB" },
        { MST_GATE_PodLevelResources, "BBBB" },
        { MST_GATE_InPlacePodVerticalScaling, "BGGG" },
        { MST_GATE_InPlacePodLevelResourcesVerticalScaling, "-ABB" },
        { MST_GATE_SchedulerPreQueueingHints, "---A" },
        { MST_GATE_InterPodAffinityHostnameFastPath, "---A" },
        { MST_GATE_InPlacePodVerticalScalingSchedulerPreemption, "---A" },
        { MST_GATE_TaintTolerationComparisonOperators, "-AAA" },
        { MST_GATE_DRAExtendedResource, "AABG" },
        { MST_GATE_DRANodeAllocatableResources, "--AA" },
        { MST_GATE_WatchListClient, "BBBB" },
    };
    t_int(t, MST_COUNT(cases), MST_GATE_COUNT);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        for (uint32_t minor = MST_GATES_OLDEST_MINOR; minor <= MST_GATES_MINOR; minor++) {
            const char want = cases[i].stages[minor - MST_GATES_OLDEST_MINOR];
            struct mst_gates gates;
            mst_gates_emulate(&gates, true, minor);
            t_case(t, mst_gate_name(cases[i].gate));
            if (want == '-')
                continue;
            t_text(t, mst_gate_stage(&gates, cases[i].gate),
                   want == 'A'   ? "ALPHA"
                   : want == 'B' ? "BETA"
                                 : "");
        }
    }
}

MST_TEST_MAIN(T(test_stages), T(test_gates_defaults), T(test_gates_emulated), T(test_gates_lists),
              T(test_gates_stages), T(test_gates_dependencies))

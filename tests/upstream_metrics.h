/*
 * upstream_metrics.h - the families of metrics that kube-scheduler v1.37.2 serves, and which of
 * them `muster scheduler` has.
 *
 * Facts, written down from the pages of a kube-scheduler that led, bound pods, failed to, and
 * preempted, with GenericWorkload on; go_* are left out. Families whose series come only with
 * something that did not happen then are not in it.
 */
#ifndef MST_UPSTREAM_METRICS_H
#define MST_UPSTREAM_METRICS_H

/* Why a family is not there, or that it is. */
typedef enum {
    HAVE,
    LIBRARY, /* counts what a library does that kube-scheduler happens to be linked with */
    GO,      /* counts the innards of client-go and component-base */
    PLUGIN,  /* of certificates from exec plug-ins, which a scheduler in a cluster has none of */
    SHAPE,   /* the engine does not do it that way */
} upstream_why;

struct upstream_family {
    const char *page, *name, *type;
    const char *stability; /* NULL: not said */
    const char *labels;    /* sorted */
    const char *bounds;    /* of a histogram, where muster has it */
    upstream_why why;
};

/* clang-format off */
static const struct upstream_family upstream_families[] = {
    { "/metrics", "aggregator_discovery_aggregation_count_total", "counter", "ALPHA", "", NULL,
      LIBRARY },
    { "/metrics", "apiserver_audit_event_total", "counter", "ALPHA", "", NULL, LIBRARY },
    { "/metrics", "apiserver_audit_requests_rejected_total", "counter", "ALPHA", "", NULL,
      LIBRARY },
    { "/metrics", "apiserver_client_certificate_expiration_seconds", "histogram", "ALPHA", "", NULL,
      LIBRARY },
    { "/metrics", "apiserver_delegated_authn_request_duration_seconds", "histogram", "ALPHA",
      "code", NULL, LIBRARY },
    { "/metrics", "apiserver_delegated_authn_request_total", "counter", "ALPHA", "code", NULL,
      LIBRARY },
    { "/metrics", "apiserver_envelope_encryption_dek_cache_fill_percent", "gauge", "ALPHA", "",
      NULL, LIBRARY },
    { "/metrics", "apiserver_storage_data_key_generation_duration_seconds", "histogram", "ALPHA",
      "", NULL, LIBRARY },
    { "/metrics", "apiserver_storage_data_key_generation_failures_total", "counter", "ALPHA", "",
      NULL, LIBRARY },
    { "/metrics", "apiserver_storage_envelope_transformation_cache_misses_total", "counter",
      "ALPHA", "", NULL, LIBRARY },
    { "/metrics", "apiserver_validation_declarative_validation_mismatch_total", "counter", "BETA",
      "", NULL, LIBRARY },
    { "/metrics", "apiserver_validation_declarative_validation_panic_total", "counter", "BETA", "",
      NULL, LIBRARY },
    { "/metrics", "apiserver_validation_duplicate_validation_error_total", "counter", "INTERNAL",
      "", NULL, LIBRARY },
    { "/metrics", "apiserver_webhooks_x509_insecure_sha1_total", "counter", "BETA", "", NULL,
      LIBRARY },
    { "/metrics", "apiserver_webhooks_x509_missing_san_total", "counter", "BETA", "", NULL,
      LIBRARY },
    { "/metrics", "authenticated_user_requests", "counter", "ALPHA", "username", NULL, LIBRARY },
    { "/metrics", "authentication_attempts", "counter", "ALPHA", "result", NULL, LIBRARY },
    { "/metrics", "authentication_duration_seconds", "histogram", "ALPHA", "result", NULL,
      LIBRARY },
    { "/metrics", "authentication_token_cache_active_fetch_count", "gauge", "ALPHA", "status", NULL,
      LIBRARY },
    { "/metrics", "authentication_token_cache_fetch_total", "counter", "ALPHA", "status", NULL,
      LIBRARY },
    { "/metrics", "authentication_token_cache_request_duration_seconds", "histogram", "ALPHA",
      "status", NULL, LIBRARY },
    { "/metrics", "authentication_token_cache_request_total", "counter", "ALPHA", "status", NULL,
      LIBRARY },
    { "/metrics", "authorization_attempts_total", "counter", "ALPHA", "result", NULL, LIBRARY },
    { "/metrics", "authorization_duration_seconds", "histogram", "ALPHA", "result", NULL, LIBRARY },
    { "/metrics", "cardinality_enforcement_unexpected_categorizations_total", "counter", "ALPHA",
      "", NULL, GO },
    { "/metrics", "disabled_metrics_total", "counter", "BETA", "", NULL, GO },
    { "/metrics", "hidden_metrics_total", "counter", "BETA", "", NULL, GO },
    { "/metrics", "informer_processing_latency_seconds", "histogram", "ALPHA",
      "group,name,resource,version", NULL, GO },
    { "/metrics", "informer_queued_items", "gauge", "ALPHA", "group,name,resource,version", NULL,
      GO },
    { "/metrics", "informer_store_resource_version", "gauge", "ALPHA",
      "group,name,resource,version", NULL, GO },
    { "/metrics", "kubernetes_build_info", "gauge", "BETA",
      "build_date,compiler,git_commit,git_tree_state,git_version,go_version,major,minor,platform",
      NULL, HAVE },
    { "/metrics", "kubernetes_feature_enabled", "gauge", "BETA", "name,stage", NULL, HAVE },
    { "/metrics", "leader_election_master_status", "gauge", "ALPHA", "name", NULL, HAVE },
    { "/metrics", "process_cpu_seconds_total", "counter", NULL, "", NULL, HAVE },
    { "/metrics", "process_max_fds", "gauge", NULL, "", NULL, HAVE },
    { "/metrics", "process_network_receive_bytes_total", "counter", NULL, "", NULL, HAVE },
    { "/metrics", "process_network_transmit_bytes_total", "counter", NULL, "", NULL, HAVE },
    { "/metrics", "process_open_fds", "gauge", NULL, "", NULL, HAVE },
    { "/metrics", "process_resident_memory_bytes", "gauge", NULL, "", NULL, HAVE },
    { "/metrics", "process_start_time_seconds", "gauge", NULL, "", NULL, HAVE },
    { "/metrics", "process_virtual_memory_bytes", "gauge", NULL, "", NULL, HAVE },
    { "/metrics", "process_virtual_memory_max_bytes", "gauge", NULL, "", NULL, HAVE },
    { "/metrics", "registered_metrics_total", "counter", "BETA",
      "deprecated_version,stability_level", NULL, GO },
    { "/metrics", "rest_client_exec_plugin_certificate_rotation_age", "histogram", "ALPHA", "",
      NULL, PLUGIN },
    { "/metrics", "rest_client_exec_plugin_ttl_seconds", "gauge", "ALPHA", "", NULL, PLUGIN },
    { "/metrics", "rest_client_rate_limiter_duration_seconds", "histogram", "ALPHA", "host,verb",
      "0.005 0.025 0.1 0.25 0.5 1 2 4 8 15 30 60", HAVE },
    { "/metrics", "rest_client_request_duration_seconds", "histogram", "ALPHA", "host,verb",
      "0.005 0.025 0.1 0.25 0.5 1 2 4 8 15 30 60", HAVE },
    { "/metrics", "rest_client_request_size_bytes", "histogram", "ALPHA", "host,verb",
      "64 256 512 1024 4096 16384 65536 262144 1.048576e+06 4.194304e+06 " "1.6777216e+07", HAVE },
    { "/metrics", "rest_client_requests_total", "counter", "ALPHA", "code,host,method", NULL,
      HAVE },
    { "/metrics", "rest_client_response_size_bytes", "histogram", "ALPHA", "host,verb",
      "64 256 512 1024 4096 16384 65536 262144 1.048576e+06 4.194304e+06 " "1.6777216e+07", HAVE },
    { "/metrics", "rest_client_transport_cache_entries", "gauge", "ALPHA", "", NULL, GO },
    { "/metrics", "rest_client_transport_cert_rotation_gc_calls_total", "counter", "ALPHA", "",
      NULL, GO },
    { "/metrics", "rest_client_transport_create_calls_total", "counter", "ALPHA", "result", NULL,
      GO },
    { "/metrics", "scheduler_batch_attempts_total", "counter", "ALPHA", "profile,result", NULL,
      HAVE },
    { "/metrics", "scheduler_batch_cache_flushed_total", "counter", "ALPHA", "profile,reason", NULL,
      HAVE },
    { "/metrics", "scheduler_cache_size", "gauge", "ALPHA", "type", NULL, HAVE },
    { "/metrics", "scheduler_event_handling_duration_seconds", "histogram", "ALPHA", "event",
      "0.0001 0.0002 0.0004 0.0008 0.0016 0.0032 0.0064 0.0128 0.0256 0.0512 0.1024 "
      "0.2048", HAVE },
    { "/metrics", "scheduler_framework_extension_point_duration_seconds", "histogram", "STABLE",
      "extension_point,profile,status",
      "0.0001 0.0002 0.0004 0.0008 0.0016 0.0032 0.0064 0.0128 0.0256 0.0512 0.1024 "
      "0.2048", HAVE },
    { "/metrics", "scheduler_get_node_hint_duration_seconds", "histogram", "ALPHA",
      "hinted,profile",
      "1e-05 2e-05 4e-05 8e-05 0.00016 0.00032 0.00064 0.00128 0.00256 0.00512 0.01024 "
      "0.02048", HAVE },
    { "/metrics", "scheduler_goroutines", "gauge", "BETA", "operation", NULL, HAVE },
    { "/metrics", "scheduler_inflight_events", "gauge", "ALPHA", "event", NULL, SHAPE },
    { "/metrics", "scheduler_pending_pods", "gauge", "STABLE", "queue", NULL, HAVE },
    { "/metrics", "scheduler_plugin_evaluation_total", "counter", "BETA",
      "extension_point,plugin,profile", NULL, SHAPE },
    { "/metrics", "scheduler_plugin_execution_duration_seconds", "histogram", "BETA",
      "extension_point,plugin,status",
      "1e-05 1.5000000000000002e-05 2.2500000000000005e-05 3.375000000000001e-05 "
      "5.062500000000001e-05 7.593750000000002e-05 0.00011390625000000003 "
      "0.00017085937500000006 0.0002562890625000001 0.00038443359375000017 "
      "0.0005766503906250003 0.0008649755859375004 0.0012974633789062506 "
      "0.0019461950683593758 0.0029192926025390638 0.004378938903808595 "
      "0.006568408355712893 0.009852612533569338 0.014778918800354007 "
      "0.02216837820053101", HAVE },
    { "/metrics", "scheduler_pod_scheduled_after_flush_total", "counter", "ALPHA", "", NULL, HAVE },
    { "/metrics", "scheduler_pod_scheduling_attempts", "histogram", "STABLE", "", "1 2 4 8 16",
      HAVE },
    { "/metrics", "scheduler_pod_scheduling_sli_duration_seconds", "histogram", "BETA", "attempts",
      "0.01 0.02 0.04 0.08 0.16 0.32 0.64 1.28 2.56 5.12 10.24 20.48 40.96 81.92 "
      "163.84 327.68 655.36 1310.72 2621.44 5242.88", HAVE },
    { "/metrics", "scheduler_podgroup_scheduling_algorithm_duration_seconds", "histogram", "ALPHA",
      "", "0.001 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048 "
      "4.096 8.192 16.384", HAVE },
    { "/metrics", "scheduler_preemption_attempts_total", "counter", "STABLE", "", NULL, HAVE },
    { "/metrics", "scheduler_preemption_evaluation_duration_seconds", "histogram", "ALPHA",
      "preemptor,result",
      "0.001 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048 4.096 "
      "8.192 16.384 32.768", HAVE },
    { "/metrics", "scheduler_preemption_execution_duration_seconds", "histogram", "ALPHA",
      "preemptor,result", "0.001 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048 "
      "4.096 8.192 16.384 32.768", HAVE },
    { "/metrics", "scheduler_preemption_goroutines_execution_total", "counter", "ALPHA", "result",
      NULL, HAVE },
    { "/metrics", "scheduler_preemption_victims", "histogram", "STABLE", "", "1 2 4 8 16 32 64",
      HAVE },
    { "/metrics", "scheduler_queue_incoming_entities_total", "counter", "ALPHA", "event,queue,type",
      NULL, HAVE },
    { "/metrics", "scheduler_queue_incoming_pods_total", "counter", "STABLE", "event,queue", NULL,
      HAVE },
    { "/metrics", "scheduler_queued_entities", "gauge", "ALPHA", "queue,type", NULL, HAVE },
    { "/metrics", "scheduler_schedule_attempts_total", "counter", "STABLE", "profile,result", NULL,
      HAVE },
    { "/metrics", "scheduler_scheduling_algorithm_duration_seconds", "histogram", "BETA", "",
      "0.001 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048 "
      "4.096 8.192 16.384", HAVE },
    { "/metrics", "scheduler_scheduling_attempt_duration_seconds", "histogram", "STABLE",
      "profile,result", "0.001 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048 "
      "4.096 8.192 16.384", HAVE },
    { "/metrics", "scheduler_store_schedule_results_duration_seconds", "histogram", "ALPHA",
      "profile",
      "1e-05 2e-05 4e-05 8e-05 0.00016 0.00032 0.00064 0.00128 0.00256 0.00512 0.01024 "
      "0.02048", HAVE },
    { "/metrics", "scheduler_unschedulable_pods", "gauge", "BETA", "plugin,profile", NULL, HAVE },
    { "/metrics", "scheduler_workload_preemption_victims", "histogram", "ALPHA", "",
      "1 2 4 8 16 32 64 128 256 512 1024", HAVE },
    { "/metrics", "version_info", "gauge", "ALPHA", "binary,component,emulation,min_compat", NULL,
      HAVE },
    { "/metrics", "workqueue_adds_total", "counter", "BETA", "name", NULL, GO },
    { "/metrics", "workqueue_depth", "gauge", "BETA", "name", NULL, GO },
    { "/metrics", "workqueue_longest_running_processor_seconds", "gauge", "BETA", "name", NULL,
      GO },
    { "/metrics", "workqueue_queue_duration_seconds", "histogram", "BETA", "name", NULL, GO },
    { "/metrics", "workqueue_retries_total", "counter", "BETA", "name", NULL, GO },
    { "/metrics", "workqueue_unfinished_work_seconds", "gauge", "BETA", "name", NULL, GO },
    { "/metrics", "workqueue_work_duration_seconds", "histogram", "BETA", "name", NULL, GO },
    { "/metrics/resources", "kube_pod_resource_limit", "gauge", "STABLE",
      "namespace,node,pod,priority,resource,scheduler,unit", NULL, HAVE },
    { "/metrics/resources", "kube_pod_resource_request", "gauge", "STABLE",
      "namespace,node,pod,priority,resource,scheduler,unit", NULL, HAVE },
    { "/metrics/slis", "kubernetes_healthcheck", "gauge", "STABLE", "name,type", NULL, HAVE },
    { "/metrics/slis", "kubernetes_healthchecks_total", "counter", "STABLE", "name,status,type",
      NULL, HAVE },
    { "/metrics/slis", "process_start_time_seconds", "gauge", "ALPHA", "", NULL, HAVE },
};
/* clang-format on */

#endif

// Command kube-scheduler is Kubernetes' own, built from its Go module for tests/e2e: its imports are
// those of kubernetes cmd/kube-scheduler/scheduler.go, or rest_client_* and kubernetes_build_info
// would be missing from its metrics.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() { os.Exit(cli.Run(app.NewSchedulerCommand())) }

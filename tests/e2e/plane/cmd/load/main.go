// Command load measures a scheduler end to end against a real API server.
//
//	load -kubeconfig F -shape SHAPE [-while] [FLAGS] -- SCHEDULER ARGS...
//	load -kubeconfig F -shape SHAPE [-while] [FLAGS] -ceiling
//
// It creates nodes (once), the pods of a shape, starts the scheduler that follows "--" and prints one
// JSON line when every pod was bound or -limit passed. Then it deletes what it created.
//
//	singles   pods without a group
//	gangs     PodGroups of -size pods each
//	evict     a gang of -size pods, each of which needs a node whole on which ten others run
//
// With -ceiling there is no scheduler: the same pods (not those of evict) are bound round robin, as fast as
// the API server can; with -while each as soon as it is created.
//
// Without -while all pods are there before the scheduler starts, and time counts from its start; so it
// includes its start-up. With -while the scheduler runs and is idle, and time counts from the
// first creation.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

type options struct {
	kubeconfig, shape, scheduler, label string
	nodes, pods, size, workers          int
	while, ceiling                      bool
	limit, settle                       time.Duration
}

func parse() options {
	var o options
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "of an administrator")
	flag.StringVar(&o.shape, "shape", "singles", "singles, gangs or evict")
	flag.StringVar(&o.scheduler, "scheduler-name", "default-scheduler", "of the pods")
	flag.StringVar(&o.label, "label", "", "repeated in the result as \"scheduler\"")
	flag.IntVar(&o.nodes, "nodes", 5000, "made if the cluster has none")
	flag.IntVar(&o.pods, "pods", 9000, "in all; evict: ten for each of the gang's")
	flag.IntVar(&o.size, "size", 3, "pods of a gang")
	flag.IntVar(&o.workers, "workers", 64, "requests at a time")
	flag.BoolVar(&o.while, "while", false, "create while the scheduler runs")
	flag.BoolVar(&o.ceiling, "ceiling", false, "bind without a scheduler")
	flag.DurationVar(&o.limit, "limit", 20*time.Minute, "stop waiting")
	flag.DurationVar(&o.settle, "settle", 5*time.Second, "with -while: time for the scheduler's start")
	flag.Parse()
	switch o.shape {
	case "singles":
		o.size = 1
	case "gangs":
		o.pods -= o.pods % o.size
	case "evict":
		o.pods, o.while = o.size, true
	default:
		fail(fmt.Errorf("-shape %s: want singles, gangs or evict", o.shape))
	}
	if o.ceiling == (flag.NArg() > 0) {
		fail(fmt.Errorf("want a scheduler after --, or -ceiling"))
	}
	if o.ceiling && o.shape == "evict" {
		fail(fmt.Errorf("-ceiling: nobody would evict; not with -shape evict"))
	}
	if o.ceiling {
		o.scheduler = "nobody"
	}
	return o
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func main() {
	o := parse()
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	fail(err)
	config.QPS, config.ContentType = -1, "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	fail(err)
	ctx, cancel := context.WithTimeout(context.Background(), o.limit)
	defer cancel()
	w := &world{options: o, client: client, ctx: ctx,
		ns: fmt.Sprintf("load-%d-%d", time.Now().Unix(), os.Getpid())}
	fail(w.prepare())
	result := map[string]any{"bench": "compare", "shape": o.shape, "scheduler": o.label,
		"nodes": o.nodes, "pods": o.pods, "size": o.size, "while": o.while, "ceiling": o.ceiling,
		"workers": o.workers, "cpus": runtime.NumCPU()}
	if o.ceiling {
		err = ceiling(w, result)
	} else {
		err = schedule(w, result)
	}
	fail(err)
	line, err := json.Marshal(result)
	fail(err)
	fmt.Println(string(line))
	fail(w.clean())
}

// ceiling binds without scheduling: what no scheduler can surpass on this machine. The run's pods are
// watched as in the other measurements, so that what the watch costs is in all of them; but time counts to
// the last answer, for the watch lags behind when nobody leaves it a processor.
func ceiling(w *world, result map[string]any) error {
	go newSeen(w).follow()
	if err := w.collect(); err != nil {
		return err
	}
	begin := time.Now()
	bind := func(i int) error { return w.bind(podName(i), nodeName(i%w.options.nodes)) }
	if w.options.while {
		if err := w.create(bind); err != nil {
			return err
		}
	} else {
		if err := w.create(nil); err != nil {
			return err
		}
		result["create_per_s"] = rate(w.options.pods, time.Since(begin))
		if err := w.collect(); err != nil {
			return err
		}
		begin = time.Now()
		if err := w.each(w.options.pods, bind); err != nil {
			return err
		}
	}
	took := time.Since(begin)
	result["makespan_s"], result["pods_per_s"] = took.Seconds(), rate(w.options.pods, took)
	return nil
}

func schedule(w *world, result map[string]any) error {
	seen := newSeen(w)
	go seen.follow()
	if !w.options.while {
		if err := w.create(nil); err != nil {
			return err
		}
	}
	if err := w.collect(); err != nil {
		return err
	}
	begin := time.Now()
	command := exec.Command(flag.Arg(0), flag.Args()[1:]...)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	// The scheduler must not outlive us, however we end.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	var failed error
	if w.options.while {
		time.Sleep(w.options.settle)
		begin = time.Now()
		failed = w.create(nil)
	}
	if failed == nil {
		select {
		case <-seen.all:
		case <-w.ctx.Done():
			result["timeout"] = true
		case err := <-ended:
			failed = fmt.Errorf("the scheduler ended: %v", err)
			ended <- err
		}
	}
	_ = command.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-ended:
		ended <- err
	case <-time.After(30 * time.Second):
		_ = command.Process.Kill()
	}
	<-ended
	if failed != nil {
		return failed
	}
	seen.report(begin, result)
	if use, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		result["cpu_s"] = time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds()
		result["rss_max_mib"] = float64(use.Maxrss) / 1024
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	priority "k8s.io/api/scheduling/v1"
	scheduling "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const (
	lowClass, highClass = "load-low", "load-high"
	victimsPerNode      = 10
	nodeCPU             = "4"
	evictLabel          = "load.muster/evict"
)

// world is the cluster as this run needs it: nodes that stay, and a namespace of its own.
type world struct {
	options options
	client  kubernetes.Interface
	ctx     context.Context
	ns      string
	mu      sync.Mutex
	made    []time.Time // by pod, when the API server said that it is created
}

// each calls f(0..n-1) with so many workers and gives back the first error.
func (w *world) each(n int, f func(i int) error) error {
	next, failures := make(chan int, n), make(chan error, w.options.workers)
	for i := range n {
		next <- i
	}
	close(next)
	var all sync.WaitGroup
	for range w.options.workers {
		all.Go(func() {
			for i := range next {
				if err := f(i); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	all.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

func podName(i int) string                { return fmt.Sprintf("pod-%d", i) }
func nodeName(i int) string               { return fmt.Sprintf("node-%d", i) }
func gangName(i int) string               { return fmt.Sprintf("gang-%d", i) }
func rate(n int, d time.Duration) float64 { return float64(n) / d.Seconds() }

// prepare makes nodes if there are none, the namespace, and for `evict` the pods that must go.
func (w *world) prepare() error {
	have, err := w.client.CoreV1().Nodes().List(w.ctx, meta.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	if len(have.Items) == 0 {
		if err := w.each(w.options.nodes, w.createNode); err != nil {
			return err
		}
	}
	namespace := &v1.Namespace{ObjectMeta: meta.ObjectMeta{Name: w.ns}}
	if _, err := w.client.CoreV1().Namespaces().Create(w.ctx, namespace, meta.CreateOptions{}); err != nil {
		return err
	}
	w.made = make([]time.Time, w.options.pods)
	if w.options.shape != "evict" {
		return nil
	}
	for name, value := range map[string]int32{lowClass: 10, highClass: 1000} {
		class := &priority.PriorityClass{ObjectMeta: meta.ObjectMeta{Name: name}, Value: value}
		_, err := w.client.SchedulingV1().PriorityClasses().Create(w.ctx, class, meta.CreateOptions{})
		if err != nil && !errors.IsAlreadyExists(err) {
			return err
		}
	}
	return w.each(w.options.size*victimsPerNode, w.createVictim)
}

func (w *world) createNode(i int) error {
	room := v1.ResourceList{v1.ResourceCPU: resource.MustParse(nodeCPU),
		v1.ResourceMemory: resource.MustParse("32Gi"), v1.ResourcePods: resource.MustParse("110")}
	node := &v1.Node{ObjectMeta: meta.ObjectMeta{Name: nodeName(i), Labels: map[string]string{
		v1.LabelHostname: nodeName(i), v1.LabelTopologyZone: fmt.Sprintf("zone-%d", i/1000),
		evictLabel: fmt.Sprint(i < 100)}}}
	node.Status = v1.NodeStatus{Capacity: room, Allocatable: room,
		Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}}
	_, err := w.client.CoreV1().Nodes().Create(w.ctx, node, meta.CreateOptions{})
	return err
}

func pod(name, cpu string) *v1.Pod {
	grace := int64(0)
	return &v1.Pod{ObjectMeta: meta.ObjectMeta{Name: name}, Spec: v1.PodSpec{
		TerminationGracePeriodSeconds: &grace,
		Containers: []v1.Container{{Name: "c", Image: "pause", Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu),
				v1.ResourceMemory: resource.MustParse("100Mi")}}}}}}
}

// createVictim makes a pod of low priority and puts it on one of the first nodes.
func (w *world) createVictim(i int) error {
	p := pod(fmt.Sprintf("victim-%d", i), "400m")
	p.Spec.SchedulerName, p.Spec.PriorityClassName = "nobody", lowClass
	if _, err := w.client.CoreV1().Pods(w.ns).Create(w.ctx, p, meta.CreateOptions{}); err != nil {
		return err
	}
	return w.bind(p.Name, nodeName(i/victimsPerNode))
}

func (w *world) bind(pod, node string) error {
	return w.client.CoreV1().Pods(w.ns).Bind(w.ctx, &v1.Binding{
		ObjectMeta: meta.ObjectMeta{Name: pod, Namespace: w.ns},
		Target:     v1.ObjectReference{Kind: "Node", Name: node}}, meta.CreateOptions{})
}

// create makes the groups, then the pods, all of one gang near each other in time; `then` follows the
// creation of each, if it is given.
func (w *world) create(then func(i int) error) error {
	if w.options.shape == "gangs" || w.options.shape == "evict" {
		if err := w.each(w.options.pods/w.options.size, w.createGroup); err != nil {
			return err
		}
	}
	return w.each(w.options.pods, func(i int) error {
		if err := w.createPod(i); err != nil || then == nil {
			return err
		}
		return then(i)
	})
}

func (w *world) createGroup(i int) error {
	group := &scheduling.PodGroup{ObjectMeta: meta.ObjectMeta{Name: gangName(i)}}
	group.Spec.SchedulingPolicy.Gang = &scheduling.GangSchedulingPolicy{MinCount: int32(w.options.size)}
	if w.options.shape == "evict" {
		group.Spec.PriorityClassName = highClass
	}
	_, err := w.client.SchedulingV1beta1().PodGroups(w.ns).Create(w.ctx, group, meta.CreateOptions{})
	return err
}

func (w *world) createPod(i int) error {
	cpu := "100m"
	if w.options.shape == "evict" {
		cpu = nodeCPU
	}
	p := pod(podName(i), cpu)
	p.Spec.SchedulerName = w.options.scheduler
	switch w.options.shape {
	case "evict":
		p.Spec.PriorityClassName = highClass
		p.Spec.NodeSelector = map[string]string{evictLabel: "true"}
		fallthrough
	case "gangs":
		name := gangName(i / w.options.size)
		p.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &name}
	}
	_, err := w.client.CoreV1().Pods(w.ns).Create(w.ctx, p, meta.CreateOptions{})
	w.mu.Lock()
	w.made[i] = time.Now()
	w.mu.Unlock()
	return err
}

// collect has the API server collect its garbage now, so that no measurement pays for what was done
// before it: a collection in mid-run takes a quarter of the server's rate for seconds.
func (w *world) collect() error {
	return w.client.Discovery().RESTClient().Get().AbsPath("/debug/pprof/heap").Param("gc", "1").Do(w.ctx).Error()
}

// clean deletes the run's objects, so that the next one meets an empty cluster. There is no
// controller here that would take the finalizers of groups away.
func (w *world) clean() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	now := int64(0)
	at := meta.DeleteOptions{GracePeriodSeconds: &now}
	list, err := w.client.CoreV1().Pods(w.ns).List(ctx, meta.ListOptions{})
	if err != nil {
		return err
	}
	err = w.each(len(list.Items), func(i int) error {
		err := w.client.CoreV1().Pods(w.ns).Delete(ctx, list.Items[i].Name, at)
		if errors.IsNotFound(err) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	groups, err := w.client.SchedulingV1beta1().PodGroups(w.ns).List(ctx, meta.ListOptions{})
	if err != nil {
		return err
	}
	none := []byte(`{"metadata":{"finalizers":null}}`)
	return w.each(len(groups.Items), func(i int) error {
		api, name := w.client.SchedulingV1beta1().PodGroups(w.ns), groups.Items[i].Name
		if len(groups.Items[i].Finalizers) > 0 {
			if _, err := api.Patch(ctx, name, types.MergePatchType, none, meta.PatchOptions{}); err != nil {
				return err
			}
		}
		return api.Delete(ctx, name, at)
	})
}

package main

import (
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// seen is what a watch told about the run's pods: when each was bound first.
type seen struct {
	world *world
	mu    sync.Mutex
	bound []time.Time
	left  int
	all   chan struct{} // closed when every pod is bound
}

func newSeen(w *world) *seen {
	return &seen{world: w, bound: make([]time.Time, w.options.pods), left: w.options.pods,
		all: make(chan struct{})}
}

// follow lists and watches until the run's time is over.
func (s *seen) follow() {
	pods := s.world.client.CoreV1().Pods(s.world.ns)
	for s.world.ctx.Err() == nil {
		list, err := pods.List(s.world.ctx, meta.ListOptions{ResourceVersion: "0"})
		if err != nil {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		for i := range list.Items {
			s.note(&list.Items[i])
		}
		w, err := pods.Watch(s.world.ctx, meta.ListOptions{ResourceVersion: list.ResourceVersion})
		if err != nil {
			continue
		}
		for event := range w.ResultChan() {
			if p, ok := event.Object.(*v1.Pod); ok && event.Type != watch.Deleted {
				s.note(p)
			}
		}
	}
}

func (s *seen) note(p *v1.Pod) {
	number, ours := strings.CutPrefix(p.Name, "pod-")
	i, err := strconv.Atoi(number)
	if !ours || err != nil || p.Spec.NodeName == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound[i].IsZero() {
		s.bound[i] = time.Now()
		if s.left--; s.left == 0 {
			close(s.all)
		}
	}
}

// report adds rates and latencies. The latency of a group counts from its last pod's creation, or from
// `begin` if that was later, to its last bind; split groups have some but not all pods bound.
func (s *seen) report(begin time.Time, result map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.world.options.size
	latencies, split, last := []float64{}, 0, begin
	for first := 0; first < len(s.bound); first += size {
		from, to, count := begin, time.Time{}, 0
		for i := first; i < first+size; i++ {
			if s.world.made[i].After(from) {
				from = s.world.made[i]
			}
			if s.bound[i].IsZero() {
				continue
			}
			count++
			if s.bound[i].After(to) {
				to = s.bound[i]
			}
		}
		if count > 0 && count < size {
			split++
		}
		if count == size {
			latencies = append(latencies, to.Sub(from).Seconds())
		}
		if to.After(last) {
			last = to
		}
	}
	sort.Float64s(latencies)
	done := len(s.bound) - s.left
	result["bound"], result["split_groups"] = done, split
	if done > 0 {
		result["makespan_s"] = last.Sub(begin).Seconds()
		result["pods_per_s"] = rate(done, last.Sub(begin))
	}
	perSecond := make([]int, int(last.Sub(begin).Seconds())+1)
	for _, at := range s.bound {
		if second := int(at.Sub(begin).Seconds()); !at.IsZero() && second >= 0 {
			perSecond[second]++
		}
	}
	result["bound_per_second"] = perSecond
	if n := len(latencies); n > 0 {
		result["latency_p50_s"] = latencies[min(n-1, n/2)]
		result["latency_p99_s"] = latencies[min(n-1, n*99/100)]
	}
}

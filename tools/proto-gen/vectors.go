package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// filler sets the fields of an object: all of them, or some by chance.
type filler struct {
	random *rand.Rand
	full   bool
	source int // which source the next volume has
}

var (
	texts = []string{"a", "In", "Exists", "NotIn", "Always", "zone-1", "true", "Ünïcödé ✓ 日本 🚀",
		"a \"quoted\" \\ <text> & more\n\ttab \u2028 \x01", "example.com/thing", "Never", "",
		"RestartAllContainers", "WaitForFirstConsumer"}
	numbers32  = []int64{1, 0, -1, 7, 42, 300, 65536, math.MaxInt32, math.MinInt32, -128}
	numbers64  = []int64{1, 0, -1, 10, 99, 1 << 40, math.MaxInt64, math.MinInt64, -1 << 40}
	quantities = []string{"100m", "1", "0", "1500m", "2Gi", "1.5Gi", "1e3", "12Ei", "-1", "3n", "0.5",
		"9223372036854775807", "100k", "1E"}
	times = []time.Time{time.Unix(1700000000, 123456789), time.Unix(0, 0), time.Unix(-1, 0),
		time.Date(2024, 2, 29, 23, 59, 59, 0, time.UTC), time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(2000, 3, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1900, 2, 28, 12, 30, 0, 0, time.UTC), time.Date(0, 3, 1, 0, 0, 0, 0, time.UTC)}
)

func (f *filler) chance(depth int) bool {
	return f.full || f.random.Float64() < 0.62-0.03*float64(depth)
}

func (f *filler) text() string {
	if f.full {
		return texts[f.random.Intn(11)]
	}
	return texts[f.random.Intn(len(texts))]
}

func (f *filler) number(from []int64) int64 {
	if f.full {
		return 1 + f.random.Int63n(100)
	}
	return from[f.random.Intn(len(from))]
}

// special sets the types that marshal themselves; false for all others.
func (f *filler) special(v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		*p = metav1.NewTime(times[f.random.Intn(len(times))])
	case *metav1.MicroTime:
		*p = metav1.NewMicroTime(times[0])
	case *metav1.FieldsV1:
		p.Raw = []byte(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`)
	case *resource.Quantity:
		*p = resource.MustParse(quantities[f.random.Intn(len(quantities))])
	case *intstr.IntOrString:
		if f.random.Intn(2) == 0 {
			*p = intstr.FromInt32(int32(f.number(numbers32)))
		} else {
			*p = intstr.FromString([]string{"50%", "http", ""}[f.random.Intn(3)])
		}
	case *runtime.RawExtension:
	case *corev1.PodTemplateSpec:
		p.Labels = map[string]string{"app": f.text()} // not read, and large
	case *corev1.VolumeSource, *corev1.PersistentVolumeSource:
		f.source++ // a volume has one
		one := v.Field(f.source % v.NumField())
		one.Set(reflect.New(one.Type().Elem()))
		f.fill(one.Elem(), 4)
	default:
		return false
	}
	return true
}

// nesting cuts the types that hold themselves.
const nesting = 14

func (f *filler) fill(v reflect.Value, depth int) {
	if depth > nesting || f.special(v) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(f.full || f.random.Intn(2) == 0)
	case reflect.Int32:
		v.SetInt(f.number(numbers32))
	case reflect.Int64:
		v.SetInt(f.number(numbers64))
	case reflect.Uint8:
		v.SetUint(uint64(f.random.Intn(256)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth+1)
	case reflect.Struct:
		f.fillStruct(v, depth)
	case reflect.Slice:
		n := 1
		if !f.full {
			n = f.random.Intn(4)
		}
		if f.full && v.Type() == reflect.TypeOf([]corev1.Volume{}) {
			n = reflect.TypeOf(corev1.VolumeSource{}).NumField()
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := 0; i < n; i++ {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		f.fillMap(v, depth)
	default:
		fail("cannot fill %s", v.Type())
	}
}

func (f *filler) fillStruct(v reflect.Value, depth int) {
	t := v.Type()
	for i := 0; i < t.NumField(); i++ {
		if t.Field(i).Type == reflect.TypeOf(metav1.TypeMeta{}) || t.Field(i).PkgPath != "" {
			continue
		}
		// What is not read is there, but seldom: it makes the vectors large.
		json, _, _ := bytes.Cut([]byte(t.Field(i).Tag.Get("json")), []byte(","))
		if string(json) == "managedFields" && depth > 3 {
			continue // the template of a claim cannot have them
		}
		if !kept(t, string(json)) && depth > 1 && f.random.Intn(4) != 0 {
			continue
		}
		if holdsItself(t.Field(i).Type, t) && f.random.Intn(3) != 0 {
			continue
		}
		if f.chance(depth) {
			f.fill(v.Field(i), depth+1)
		}
	}
}

func holdsItself(field, owner reflect.Type) bool {
	return field.Kind() == reflect.Slice && field.Elem() == owner
}

func (f *filler) fillMap(v reflect.Value, depth int) {
	n := 2
	if !f.full {
		n = f.random.Intn(4)
	}
	keys := []string{"cpu", "memory", "example.com/gpu", "", "app"}
	v.Set(reflect.MakeMap(v.Type()))
	for i := 0; i < n; i++ {
		value := reflect.New(v.Type().Elem()).Elem()
		f.fill(value, depth+1)
		key := reflect.ValueOf(keys[(i+n)%len(keys)]).Convert(v.Type().Key())
		v.SetMapIndex(key, value)
	}
}

// envelope is what an API server sends for one document.
func envelope(apiVersion, kind string, raw []byte) []byte {
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: raw}
	out, err := unknown.Marshal()
	if err != nil {
		fail("%v", err)
	}
	return append([]byte("k8s\x00"), out...)
}

func setType(object any, apiVersion, kind string) {
	meta := reflect.ValueOf(object).Elem().FieldByName("TypeMeta")
	meta.Set(reflect.ValueOf(metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}))
}

func marshal(object interface{ Marshal() ([]byte, error) }) []byte {
	out, err := object.Marshal()
	if err != nil {
		fail("%v", err)
	}
	return out
}

func jsonOf(object any) []byte {
	out, err := json.Marshal(object)
	if err != nil {
		fail("%v", err)
	}
	return out
}

func emit(name string, text, proto []byte) {
	fmt.Printf("%s\n%s\n%s\n", name, text, base64.StdEncoding.EncodeToString(proto))
}

func emitObject(name string, r root, extra []byte) {
	raw := append(marshal(r.object), extra...)
	setType(r.object, r.apiVersion, r.kind)
	emit(name, jsonOf(r.object), envelope(r.apiVersion, r.kind, raw))
}

func fresh(r root) root {
	r.object = reflect.New(reflect.TypeOf(r.object).Elem()).Interface().(interface {
		Marshal() ([]byte, error)
	})
	return r
}

// unknownFields are of every wire type, with numbers that nobody uses.
var unknownFields = []byte{0x98, 0x06, 0x96, 0x01, 0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8,
	0xaa, 0x06, 3, 'x', 'y', 'z', 0xb5, 0x06, 1, 2, 3, 4}

func writeObjects() {
	for i, r := range roots {
		if r.kind == "Status" {
			continue
		}
		emitObject("zero/"+r.kind, fresh(r), nil)
		full, some := fresh(r), 3
		(&filler{rand.New(rand.NewSource(int64(i))), true, 0}).fill(reflect.ValueOf(full.object).Elem(), 0)
		emitObject("full/"+r.kind, full, unknownFields)
		switch r.kind {
		case "Pod":
			some = 10
		case "PersistentVolume":
			some = reflect.TypeOf(corev1.PersistentVolumeSource{}).NumField()
		}
		for k := 0; k < some; k++ {
			object := fresh(r)
			f := &filler{rand.New(rand.NewSource(int64(1000*i + k))), false, k}
			f.fill(reflect.ValueOf(object.object).Elem(), 0)
			emitObject(fmt.Sprintf("some/%s-%d", r.kind, k), object, nil)
		}
	}
	// Text that is no UTF-8: JSON has U+FFFD for each wrong byte.
	bad := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a\xffb\xc3", Labels: map[string]string{
		"\xe2\x82": "x\xed\xa0\x80y"}}}
	emitObject("utf8/Pod", root{"v1", "Pod", bad}, nil)
}

// typicalPod is what a small Deployment makes, seen after its start.
func typicalPod(i int) *corev1.Pod {
	pod := &corev1.Pod{}
	text := fmt.Sprintf(typical, i, i%7, i%40, i, i*7919, i%24, i%60, i%250, i%200)
	if err := json.Unmarshal([]byte(text), pod); err != nil {
		fail("typical pod: %v", err)
	}
	return pod
}

func emitList(name string, list *corev1.PodList) {
	raw := marshal(list)
	list.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}
	emit(name, jsonOf(list), envelope("v1", "PodList", raw))
}

func writeLists() {
	remaining := int64(4711)
	list := &corev1.PodList{}
	emitList("list/empty", list)
	list.ListMeta = metav1.ListMeta{ResourceVersion: "90210", Continue: "to=ken", RemainingItemCount: &remaining}
	for i := 0; i < 16; i++ {
		list.Items = append(list.Items, *typicalPod(i))
	}
	emitList("list/typical", list)
}

func writeWatch() {
	bookmark := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "90300",
		Annotations: map[string]string{"k8s.io/initial-events-end": "true"}}}
	gone := &metav1.Status{Status: "Failure", Reason: "Expired", Code: 410,
		Message: "too old resource version: 1 (2)", Details: &metav1.StatusDetails{RetryAfterSeconds: 3}}
	events := []struct {
		name string
		root
	}{
		{"ADDED", root{"v1", "Pod", typicalPod(1)}}, {"MODIFIED", root{"v1", "Pod", typicalPod(2)}},
		{"BOOKMARK", root{"v1", "Pod", bookmark}}, {"DELETED", root{"v1", "Pod", typicalPod(1)}},
		{"ERROR", root{"v1", "Status", gone}},
	}
	var text, proto []byte
	for _, e := range events {
		object := envelope(e.apiVersion, e.kind, marshal(e.object))
		frame := marshal(&metav1.WatchEvent{Type: e.name, Object: runtime.RawExtension{Raw: object}})
		proto = binary.BigEndian.AppendUint32(proto, uint32(len(frame)))
		proto = append(proto, frame...)
		setType(e.object, e.apiVersion, e.kind)
		text = append(text, jsonOf(metav1.WatchEvent{Type: e.name,
			Object: runtime.RawExtension{Raw: jsonOf(e.object)}})...)
		text = append(text, ' ')
	}
	emit("watch/pods", text, proto)
}

func writeVectors() {
	writeObjects()
	writeLists()
	writeWatch()
}

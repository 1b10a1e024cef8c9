package main

import (
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var (
	timeType     = reflect.TypeOf(metav1.Time{})
	quantityType = reflect.TypeOf(resource.Quantity{})
	intOrStrType = reflect.TypeOf(intstr.IntOrString{})
)

// field is one row of a message's table.
type field struct {
	number int
	json   string
	shape  string
	many   string // ONE, LIST, MAP
	omit   bool
	sub    reflect.Type
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

// scalar is the shape of a single value, and the type of the message if it is one.
func scalar(t reflect.Type, at string) (string, reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case timeType:
		return "TIME", nil
	case quantityType:
		return "AMOUNT", nil
	case intOrStrType:
		return "INT_OR_STR", nil
	}
	switch t.Kind() {
	case reflect.String:
		return "STRING", nil
	case reflect.Bool:
		return "BOOL", nil
	case reflect.Int32:
		return "INT32", nil
	case reflect.Int64:
		return "INT64", nil
	case reflect.Struct:
		return "MESSAGE", t
	}
	fail("%s: no shape for %s", at, t)
	return "", nil
}

func kept(t reflect.Type, json string) bool {
	names, listed := keep[t]
	if !listed || names == nil {
		return true
	}
	for _, name := range names {
		if name == json {
			return true
		}
	}
	return false
}

func readField(owner reflect.Type, f reflect.StructField) (field, bool) {
	at := owner.String() + "." + f.Name
	tag := strings.Split(f.Tag.Get("protobuf"), ",")
	json := strings.Split(f.Tag.Get("json"), ",")
	if len(tag) < 3 || !kept(owner, json[0]) {
		return field{}, false
	}
	number, err := strconv.Atoi(tag[1])
	if err != nil {
		fail("%s: %v", at, err)
	}
	row := field{number: number, json: json[0], many: "ONE"}
	t := f.Type
	omitEmpty := strings.Contains(f.Tag.Get("json"), ",omitempty") ||
		strings.Contains(f.Tag.Get("json"), ",omitzero")
	switch t.Kind() {
	case reflect.Slice:
		row.many, t = "LIST", t.Elem()
	case reflect.Map:
		row.many, t = "MAP", t.Elem()
	case reflect.Pointer, reflect.Struct:
	default:
		row.omit = omitEmpty
	}
	row.shape, row.sub = scalar(t, at)
	if row.shape == "TIME" && row.many == "ONE" {
		row.omit = true // null and absent are the same to all who read it
	}
	if json[0] == "" {
		if row.shape != "MESSAGE" || row.many != "ONE" || f.Type.Kind() == reflect.Pointer {
			fail("%s: inline, but no message", at)
		}
		row.shape = "INLINE"
	}
	return row, true
}

func fieldsOf(t reflect.Type) []field {
	var rows []field
	names := map[string]bool{}
	for i := 0; i < t.NumField(); i++ {
		if row, ok := readField(t, t.Field(i)); ok {
			rows = append(rows, row)
			names[row.json] = true
		}
	}
	for _, name := range keep[t] {
		if !names[name] {
			fail("%s has no field %q", t, name)
		}
	}
	sort.Slice(rows, func(a, b int) bool { return rows[a].number < rows[b].number })
	if len(rows) > 0 && rows[len(rows)-1].number >= 64 {
		fail("%s keeps a field with a number above 63", t)
	}
	return rows
}

func snake(name string) string {
	var out strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		low := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || low) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// shared are the messages that both files of tables use.
var shared = map[reflect.Type]bool{}

// ident is the C name of a message: only the groups come in two versions.
func ident(t reflect.Type) string {
	name := snake(t.Name())
	if strings.Contains(t.PkgPath(), "/scheduling/v1alpha3") {
		name = "alpha_" + name
	}
	if shared[t] {
		return "mst_message_" + name
	}
	return "m_" + name
}

// visit lists a message behind those that it holds; `open` cuts the loops.
func visit(t reflect.Type, seen, open map[reflect.Type]bool, order *[]reflect.Type,
	ahead map[reflect.Type]bool) {
	if open[t] {
		ahead[t] = true
		return
	}
	if seen[t] {
		return
	}
	seen[t], open[t] = true, true
	for _, row := range fieldsOf(t) {
		if row.sub != nil {
			visit(row.sub, seen, open, order, ahead)
		}
	}
	open[t] = false
	*order = append(*order, t)
}

const written = ` *
 * Written by tools/proto-gen from the Go types of k8s.io/api v0.37.2; change that, not this.
`

const volumesHead = `/*
 * proto_volumes.c - the messages of the sources of volumes, and those that they share with others.
` + written + ` * Not here:   all other messages (proto_tables.c).
 */
#include "api/proto_tables.h"

/* clang-format off */
`

const tablesHead = `/*
 * proto_tables.c - the messages of the API's protobuf, as far as muster reads them.
` + written + ` * Not here:   the sources of volumes (proto_volumes.c).
 */
#include "api/proto_tables.h"

/* clang-format off */
`

const headerText = `/*
 * proto_tables.h - the words in which the tables of messages are written: for each field its
 * number, the shape of its value and its name in JSON.
` + written + ` * Invariants: a row's place is its number. What has no row is skipped on the wire: managed fields
 *             above all, and whatever the schemas (schema*.c) do not read.
 */
#ifndef MST_PROTO_TABLES_H
#define MST_PROTO_TABLES_H

#include "codec/proto.h"

/* clang-format off */
#define ROW(number_, shape_, many_, omit_, name_, sub_)                                            \
    [number_] = { .name = (name_), .name_n = sizeof(name_) - 1,                                    \
      .shape = MST_PROTO_##shape_, .many = MST_PROTO_##many_, .omit_zero = (omit_), .sub = (sub_) }
#define ONE(number, shape, name) ROW(number, shape, ONE, false, name, NULL)
/* JSON leaves it out or says null when it is zero or empty; on the wire it is there. */
#define OMIT(number, shape, name) ROW(number, shape, ONE, true, name, NULL)
#define LIST(number, shape, name) ROW(number, shape, LIST, false, name, NULL)
#define MAP(number, shape, name) ROW(number, shape, MAP, false, name, NULL)
#define SUB(number, sub, name) ROW(number, MESSAGE, ONE, false, name, &(sub))
#define SUBS(number, sub, name) ROW(number, MESSAGE, LIST, false, name, &(sub))
/* A message whose fields JSON has in the object around it. */
#define INLINE(number, sub) ROW(number, INLINE, ONE, false, "", &(sub))
#define ROWS(name_, ...) static const struct mst_proto_field name_##_rows[] = { __VA_ARGS__ };
#define TABLE(name_, text)                                                                         \
    const struct mst_proto_message name_ = { (text), name_##_rows, MST_COUNT(name_##_rows) };
#define SHARED(name_, text, ...) ROWS(name_, __VA_ARGS__) TABLE(name_, text)
#define MESSAGE(name_, text, ...) ROWS(name_, __VA_ARGS__) static TABLE(name_, text)
/* One of which only its presence counts. */
#define BLANK(name_, text) static const struct mst_proto_message name_ = { (text), NULL, 0 };
/* clang-format on */

/* What is known of one kind in one version. */
struct mst_proto_root {
    const char *api_version, *kind;
    const struct mst_proto_message *message;
};
extern const struct mst_proto_root mst_proto_roots[];
extern const uint32_t mst_proto_root_count;

/* proto_volumes.c */
`

func rowText(row field) string {
	switch {
	case row.shape == "INLINE":
		return fmt.Sprintf("INLINE(%d, %s)", row.number, ident(row.sub))
	case row.shape == "MESSAGE" && row.many == "LIST":
		return fmt.Sprintf("SUBS(%d, %s, %q)", row.number, ident(row.sub), row.json)
	case row.shape == "MESSAGE" && row.many == "ONE":
		return fmt.Sprintf("SUB(%d, %s, %q)", row.number, ident(row.sub), row.json)
	case row.many == "ONE" && row.omit:
		return fmt.Sprintf("OMIT(%d, %s, %q)", row.number, row.shape, row.json)
	case row.shape == "MESSAGE":
		fail("%s: a map of messages", row.json)
	}
	return fmt.Sprintf("%s(%d, %s, %q)", row.many, row.number, row.shape, row.json)
}

func printMessage(out *strings.Builder, t reflect.Type) {
	name, rows := ident(t), fieldsOf(t)
	if len(rows) == 0 {
		fmt.Fprintf(out, "BLANK(%s, %q)\n", name, t.Name())
		return
	}
	macro := "MESSAGE"
	if shared[t] {
		macro = "SHARED"
	}
	line := fmt.Sprintf("%s(%s, %q,", macro, name, t.Name())
	if len(line) > 100 {
		fmt.Fprintf(out, "%s(%s,\n", macro, name)
		line = fmt.Sprintf("    %q,", t.Name())
	}
	for i, row := range rows {
		text := " " + rowText(row) + ","
		if i == len(rows)-1 {
			text = strings.TrimSuffix(text, ",") + ")"
		}
		if len(line)+len(text) > 100 {
			fmt.Fprintln(out, line)
			line = "   "
		}
		line += text
	}
	fmt.Fprintln(out, line)
}

func printMessages(out *strings.Builder, types []reflect.Type, ahead map[reflect.Type]bool) {
	for _, t := range types {
		if ahead[t] {
			fmt.Fprintf(out, "static const struct mst_proto_message %s; /* holds itself */\n", ident(t))
		}
	}
	for _, t := range types {
		printMessage(out, t)
	}
}

func write(name string, out *strings.Builder) {
	if err := os.WriteFile("../../src/api/"+name, []byte(out.String()), 0o644); err != nil {
		fail("%v", err)
	}
}

func writeTables() {
	var volumes, others []reflect.Type
	seen, open, ahead := map[reflect.Type]bool{}, map[reflect.Type]bool{}, map[reflect.Type]bool{}
	visit(reflect.TypeOf(corev1.VolumeSource{}), seen, open, &volumes, ahead)
	visit(reflect.TypeOf(corev1.PersistentVolumeSource{}), seen, open, &volumes, ahead)
	for _, r := range roots {
		visit(reflect.TypeOf(r.object).Elem(), seen, open, &others, ahead)
	}
	var header, first, second strings.Builder
	inVolumes := map[reflect.Type]bool{}
	for _, t := range volumes {
		inVolumes[t] = true
	}
	for _, t := range others {
		for _, row := range fieldsOf(t) {
			if row.sub != nil && inVolumes[row.sub] {
				shared[row.sub] = true
			}
		}
	}
	header.WriteString(headerText)
	for _, t := range volumes {
		if shared[t] {
			fmt.Fprintf(&header, "extern const struct mst_proto_message %s;\n", ident(t))
		}
	}
	header.WriteString("\n#endif\n")
	first.WriteString(volumesHead)
	printMessages(&first, volumes, ahead)
	first.WriteString("/* clang-format on */\n")
	second.WriteString(tablesHead)
	printMessages(&second, others, ahead)
	second.WriteString("\nconst struct mst_proto_root mst_proto_roots[] = {\n")
	for _, r := range roots {
		fmt.Fprintf(&second, "    { %q, %q, &%s },\n", r.apiVersion, r.kind,
			ident(reflect.TypeOf(r.object).Elem()))
	}
	second.WriteString("};\nconst uint32_t mst_proto_root_count = MST_COUNT(mst_proto_roots);\n" +
		"/* clang-format on */\n")
	write("proto_tables.h", &header)
	write("proto_volumes.c", &first)
	write("proto_tables.c", &second)
}

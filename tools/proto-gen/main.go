// Command proto-gen writes what muster knows of the API's protobuf: the tables of
// src/api/proto_{tables,volumes}.c, and the vectors that prove them, tests/golden/proto/vectors.txt.
//
//	cd tools/proto-gen
//	go run . tables
//	go run . vectors >../../tests/golden/proto/vectors.txt
//
// Only needed for a new version of the API: both outputs are in the tree, neither the build nor the
// tests run it. What is kept of each type is said in keep.go; all else comes from the struct tags.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "tables" {
		writeTables()
	} else if len(os.Args) == 2 && os.Args[1] == "vectors" {
		writeVectors()
	} else {
		fmt.Fprintln(os.Stderr, "usage: go run . tables|vectors")
		os.Exit(2)
	}
}

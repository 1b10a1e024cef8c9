// Command etcd is etcd's own server, built from its Go module for tests/e2e. It has a module of its
// own because the API server wants another version of etcd's libraries.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }

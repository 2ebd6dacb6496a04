package main

import (
	"bytes"
	"embed"

	"conformance/harness"
)

//go:embed fleet/*.yaml
var fleet embed.FS

// namespace is where the fleet lives.
const namespace = "team-a"

// cluster is the name of the fleet's Cluster.
const cluster = "c1"

// manifests are the objects of one file of the fleet, in its order, as the edition of Cluster API has them.
func (r *run) manifests(file string) ([]*object, error) {
	content, err := fleet.ReadFile("fleet/" + file)
	if err != nil {
		return nil, err
	}
	content = bytes.ReplaceAll(content, []byte(poolKind), []byte(r.options.clusterAPI.pools()))
	objects, err := harness.Decode(file, content)
	for _, o := range objects {
		o.SetNamespace(namespace)
	}
	return objects, err
}

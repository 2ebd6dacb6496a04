package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/yaml"
)

//go:embed fleet/*.yaml
var fleet embed.FS

// namespace is where the fleet lives.
const namespace = "team-a"

// cluster is the name of the fleet's Cluster.
const cluster = "c1"

// manifests are the objects of one file of the fleet, in its order.
func manifests(file string) ([]*object, error) {
	content, err := fleet.ReadFile("fleet/" + file)
	if err != nil {
		return nil, err
	}
	objects, err := decode(file, content)
	for _, o := range objects {
		o.SetNamespace(namespace)
	}
	return objects, err
}

// decode reads the objects of a YAML file, in its order.
func decode(file string, content []byte) ([]*object, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	var objects []*object
	for {
		o := &object{}
		err := decoder.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if o.Object != nil {
			objects = append(objects, o)
		}
	}
}

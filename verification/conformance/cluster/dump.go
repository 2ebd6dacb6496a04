package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"conformance/harness"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
)

// dump is every object of the fleet and every Node of its workload cluster, by kind and name.
func (r *run) dump(ctx context.Context) ([]*object, error) {
	objects := r.record.all()
	nodes, err := r.nodes(ctx)
	if err != nil {
		return nil, err
	}
	objects = append(objects, nodes...)
	sort.Slice(objects, func(i, j int) bool {
		return key(objects[i].GetKind(), objects[i].GetName()) < key(objects[j].GetKind(), objects[j].GetName())
	})
	return objects, nil
}

// nodes are those of the simulated workload cluster; none where there is no kubeconfig for it.
func (r *run) nodes(ctx context.Context) ([]*object, error) {
	secrets, err := r.API.Resource("v1", "Secret", namespace)
	if err != nil {
		return nil, err
	}
	secret, err := secrets.Get(ctx, cluster+"-kubeconfig", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	kubeconfig, err := base64.StdEncoding.DecodeString(harness.Text(secret, "data", "value"))
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig of the workload cluster: %w", err)
	}
	login, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig of the workload cluster: %w", err)
	}
	workload, err := harness.NewClient(login)
	if err != nil {
		return nil, err
	}
	listed, err := workload.Typed.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("the Nodes of the workload cluster: %w", err)
	}
	var nodes []*object
	for _, node := range listed.Items {
		fields, err := harness.Plain(map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": node.ObjectMeta})
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, &object{Object: fields})
	}
	return nodes, nil
}

// writeDump writes objects into a file, as `kubectl get --output json` prints them.
func writeDump(file string, objects []*object) error {
	items := make([]any, 0, len(objects))
	for _, o := range objects {
		items = append(items, o.Object)
	}
	text, err := json.MarshalIndent(map[string]any{"apiVersion": "v1", "kind": "List", "items": items}, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// readDump reads what writeDump wrote.
func readDump(file string) ([]*object, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []map[string]any `json:"items"`
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var objects []*object
	for _, item := range list.Items {
		objects = append(objects, &object{Object: item})
	}
	return objects, nil
}

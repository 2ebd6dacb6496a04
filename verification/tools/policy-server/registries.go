package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// registriesPolicy finds registries by the scope of a label's key.
	registriesPolicy = "kw.cap.registries"
	registryVersion  = "labels.plexsphere.com/v1alpha1"
	// manyRegistries is how many domains have a registry of their own.
	manyRegistries = 1000
	// composites is how many are created in a round, each of another domain.
	composites = 2000
)

// byRegistries measures the creation of composites whose label is defined in one of a thousand registries, beside the same with one
// registry, while registries change. Each answer has to have the tag.
func byRegistries(folder string) error {
	api, err := serveRegistries()
	if err != nil {
		return err
	}
	policies, err := registriesPolicies(folder)
	if err != nil {
		return err
	}
	server, err := startServer(folder, policies, api.address)
	if err != nil {
		return err
	}
	defer server.stop()
	changed, stop := changeRegistries(api)
	defer stop()
	of := map[int][]float64{}
	for range rounds {
		for _, registries := range []int{1, manyRegistries} {
			all, err := creations(registries)
			if err != nil {
				return err
			}
			begin := time.Now()
			if _, err := post(server, all, 8, hasTag); err != nil {
				return err
			}
			of[registries] = append(of[registries], float64(len(all))/time.Since(begin).Seconds())
		}
	}
	median := func(registries int) float64 {
		slices.Sort(of[registries])
		return of[registries][rounds/2]
	}
	one, many := median(1), median(manyRegistries)
	fmt.Printf("%d registries, %d changes of one: %.0f composites/s over 8 connections, %.2f of one registry (%.0f)\n",
		manyRegistries, changed.Load(), many, many/one, one)
	return nil
}

// serveRegistries serves a Kubernetes API that has the registries of all domains.
func serveRegistries() (*api, error) {
	resource := map[string]any{"name": "labelregistries", "singularName": "", "namespaced": false, "kind": "LabelRegistry", "verbs": []string{"get"}}
	answers := map[string]any{
		"/apis/" + registryVersion: map[string]any{
			"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": registryVersion, "resources": []any{resource},
		},
	}
	for number := range manyRegistries {
		answers[registryPath(number)] = registry(number, 0)
	}
	path := filepath.Join(os.TempDir(), fmt.Sprintf("registries-%d.json", os.Getpid()))
	content, err := json.Marshal(answers)
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return nil, err
	}
	return serveAPI(path)
}

func registryPath(number int) string {
	return fmt.Sprintf("/apis/%s/labelregistries/domain.d%d", registryVersion, number)
}

// registry defines one label of its domain. Each generation of it has one definition more.
func registry(number, generation int) map[string]any {
	definitions := map[string]any{}
	for _, key := range []string{"owner", fmt.Sprintf("g%d", generation)} {
		definitions[fmt.Sprintf("d%d/%s", number, key)] = map[string]any{"scope": "domain", "cloudTagPropagation": true}
	}
	return map[string]any{
		"apiVersion": registryVersion, "kind": "LabelRegistry", "metadata": map[string]any{"name": fmt.Sprintf("domain.d%d", number)},
		"spec": map[string]any{"scope": "domain", "domain": fmt.Sprintf("d%d", number), "definitions": definitions},
	}
}

// changeRegistries changes ten registries a second, until it is stopped.
func changeRegistries(api *api) (*atomic.Int64, func()) {
	changed, over := &atomic.Int64{}, make(chan struct{})
	go func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(100 * time.Millisecond):
			}
			number := int(changed.Add(1))
			if content, err := json.Marshal(registry(number%manyRegistries, number)); err == nil {
				api.replace(registryPath(number%manyRegistries), content)
			}
		}
	}()
	return changed, func() { close(over) }
}

// registriesPolicies is a file of policies with the one policy that is measured. The module is that of the other policies.
func registriesPolicies(folder string) (string, error) {
	content, err := os.ReadFile(filepath.Join(folder, "policies.yml"))
	if err != nil {
		return "", err
	}
	var deployed map[string]map[string]any
	if err := json.Unmarshal(content, &deployed); err != nil {
		return "", err
	}
	example := []any{map[string]any{"apiGroups": []string{"example.org"}, "provider": map[string]any{"fixed": "aws"}}}
	content, err = json.Marshal(map[string]any{registriesPolicy: map[string]any{
		"module": deployed[clusterPolicy]["module"], "policyMode": "protect", "allowedToMutate": true, "hostCapabilities": []string{"*"},
		"contextAwareResources": []any{map[string]any{"apiVersion": registryVersion, "kind": "LabelRegistry"}},
		"settings": map[string]any{"cloudTags": map[string]any{
			"composites": example,
			"registry":   map[string]any{"byScope": true},
			"belongsTo":  map[string]any{"domain": map[string]any{"label": "domain"}, "project": map[string]any{"label": "project"}},
		}},
	}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "registries.yml")
	return path, os.WriteFile(path, content, 0o600)
}

// creations returns reviews that create composites, spread evenly over a number of domains.
func creations(domains int) ([]exchange, error) {
	var all []exchange
	for number := range composites {
		domain := fmt.Sprintf("d%d", number%domains)
		kind := map[string]any{"group": "example.org", "version": "v1", "kind": "XDatabase"}
		review := map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": map[string]any{
			"uid": fmt.Sprintf("registries-%d", number), "kind": kind, "operation": "CREATE", "name": "db", "namespace": "shop",
			"resource": map[string]any{"group": "example.org", "version": "v1", "resource": "xdatabases"},
			"userInfo": map[string]any{"username": "alice"},
			"object": map[string]any{
				"apiVersion": "example.org/v1", "kind": "XDatabase", "spec": map[string]any{},
				"metadata": map[string]any{"name": "db", "namespace": "shop", "labels": map[string]any{"domain": domain, domain + "/owner": "al"}},
			},
		}}
		content, err := json.Marshal(review)
		if err != nil {
			return nil, err
		}
		all = append(all, exchange{Policy: registriesPolicy, Review: content})
	}
	return all, nil
}

// hasTag is an error unless an answer adds the tag of the label.
func hasTag(_ exchange, body []byte) error {
	var answer review
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if !strings.Contains(string(answer.Response.Patch), "/owner\":\"al\"") {
		return fmt.Errorf("no tag: %.400s", body)
	}
	return nil
}

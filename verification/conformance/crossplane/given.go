package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"conformance/harness"
)

// given is a definition or a Composition that is run.
type given struct {
	// name says where it comes from.
	name   string
	object *harness.Object
	// composite is the object to try it with; nil is one that is made for the purpose.
	composite *harness.Object
	// recorded is what Crossplane made of each resource when testdata/crossplane was recorded; nil where it was not.
	recorded map[string]string
}

// readGiven reads the blueprints, what testdata/crossplane recorded, and the cases of the policy's own tests, as far as
// they are of one kind.
func readGiven(root, kind string) ([]given, error) {
	blueprints, err := readBlueprints(root, kind)
	if err != nil {
		return nil, err
	}
	recorded, err := readRecorded(root, kind)
	if err != nil {
		return nil, err
	}
	corpus, err := readCorpus(root, kind)
	if err != nil {
		return nil, err
	}
	own, err := readOwn(kind)
	return slices.Concat(blueprints, recorded, corpus, own), err
}

// blueprintFiles are the names of their files by kind; a blueprint may have several Compositions.
var blueprintFiles = map[string]string{definitionKind: "xrd.yaml", compositionKind: "composition*.yaml"}

const (
	definitionKind  = "CompositeResourceDefinition"
	compositionKind = "Composition"
)

func readBlueprints(root, kind string) ([]given, error) {
	folders, err := filepath.Glob(filepath.Join(root, "examples", "blueprints", "*", blueprintFiles[kind]))
	if err != nil || len(folders) == 0 {
		return nil, fmt.Errorf("examples/blueprints: no %s: %v", blueprintFiles[kind], err)
	}
	var read []given
	for _, file := range folders {
		folder := filepath.Dir(file)
		object, err := readObject(file)
		if err != nil {
			return nil, err
		}
		composite, err := readObject(filepath.Join(folder, "composite.yaml"))
		if err != nil {
			return nil, err
		}
		composite.SetNamespace(namespace)
		name := "blueprint/" + filepath.Base(folder)
		if _, of, is := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".yaml"), "composition-"); is {
			name += "-" + of
		}
		read = append(read, given{name: name, object: withoutTagManager(object), composite: composite})
	}
	return read, nil
}

// tagManager is a function that does not run here: Go's registry does not have it.
const tagManager = "function-tag-manager"

// withoutTagManager leaves out the step of a blueprint in which the tag manager adds a tag of its own. What Crossplane makes
// of its steps is recorded in testdata/crossplane.
func withoutTagManager(o *harness.Object) *harness.Object {
	steps, is, err := unstructured.NestedSlice(o.Object, "spec", "pipeline")
	if !is || err != nil {
		return o
	}
	steps = slices.DeleteFunc(steps, func(step any) bool {
		fields, _ := step.(map[string]any)
		function, _, _ := unstructured.NestedString(fields, "functionRef", "name")
		return function == tagManager
	})
	o.Object["spec"].(map[string]any)["pipeline"] = steps
	return o
}

func readObject(file string) (*harness.Object, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return decodeObject(file, content)
}

// decodeObject is the only object of a text; name is where it is from.
func decodeObject(name string, content []byte) (*harness.Object, error) {
	objects, err := harness.Decode(name, content)
	if err == nil && len(objects) != 1 {
		err = fmt.Errorf("%s: %d objects", name, len(objects))
	}
	if err != nil {
		return nil, err
	}
	return objects[0], nil
}

func readRecorded(root, kind string) ([]given, error) {
	content, err := os.ReadFile(filepath.Join(root, "testdata", "crossplane", "cases.jsonl"))
	if err != nil {
		return nil, err
	}
	var read []given
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Name     string
			Object   map[string]any
			Composed []struct{ Resource, Verdict string }
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("cases.jsonl: %w", err)
		}
		if line.Object["kind"] != kind || strings.HasPrefix(line.Name, "blueprint/") {
			continue
		}
		one := given{name: line.Name, object: &harness.Object{Object: line.Object}, recorded: map[string]string{}}
		for _, composed := range line.Composed {
			one.recorded[composed.Resource] = composed.Verdict
		}
		read = append(read, one)
	}
	return read, lines.Err()
}

// corpusFolders are the policy's own test cases, by kind.
var corpusFolders = map[string][]string{
	definitionKind: {"tag-delivery-xrds"}, compositionKind: {"tag-delivery-compositions", "tag-delivery-types"},
}

func readCorpus(root, kind string) ([]given, error) {
	var files []string
	for _, folder := range corpusFolders[kind] {
		found, err := filepath.Glob(filepath.Join(root, "testdata", "cases", folder, "*.yaml"))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("testdata/cases/%s: no case: %v", folder, err)
		}
		files = append(files, found...)
	}
	var read []given
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		// Any composite stands for the one of a blueprint, which wants more parameters than the case gives it.
		text := strings.ReplaceAll(string(content), "kind: XGenericVM", "kind: XChild")
		for _, document := range strings.Split(text, "\n---\n") {
			var one struct {
				Case   string `json:"case"`
				Review struct {
					Object map[string]any `json:"object"`
				} `json:"review"`
			}
			if err := yaml.Unmarshal([]byte(document), &one); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			version, _ := one.Review.Object["apiVersion"].(string)
			if one.Review.Object["kind"] != kind || !strings.HasPrefix(version, "apiextensions.crossplane.io/") {
				continue
			}
			read = append(read, given{name: "case/" + one.Case, object: &harness.Object{Object: one.Review.Object}})
		}
	}
	slices.SortFunc(read, func(a, b given) int { return strings.Compare(a.name, b.name) })
	return read, nil
}

// readOwn reads the Compositions that no other set has.
func readOwn(kind string) ([]given, error) {
	objects, err := embedded(compositionFiles, "compositions/own.yaml")
	if err != nil || kind != compositionKind {
		return nil, err
	}
	var read []given
	for _, o := range objects {
		read = append(read, given{name: "own/" + o.GetName(), object: o})
	}
	return read, nil
}

// bare is an object with nothing of its metadata but the name and the annotations: a reviewed one may have more.
func bare(o *harness.Object, name string) *harness.Object {
	copied := o.DeepCopy()
	annotations := copied.GetAnnotations()
	delete(copied.Object, "metadata")
	delete(copied.Object, "status")
	copied.SetName(name)
	copied.SetAnnotations(annotations)
	return copied
}

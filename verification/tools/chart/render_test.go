package chart

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

const (
	chartFolder  = "../../../deploy/charts/metadata-propagation-policy"
	deployFolder = "../../../deploy"
)

// object is one object of a manifest.
type object = map[string]any

// decode reads the objects of a stream of YAML by kind and name.
func decode(t *testing.T, stream string) map[string]object {
	t.Helper()
	objects := map[string]object{}
	decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(stream), 4096)
	for {
		var found object
		switch err := decoder.Decode(&found); err {
		case nil:
		case io.EOF:
			return objects
		default:
			t.Fatal(err)
		}
		if len(found) == 0 {
			continue
		}
		name := fmt.Sprintf("%s %s", found["kind"], found["metadata"].(object)["name"])
		if _, twice := objects[name]; twice {
			t.Fatalf("%s is rendered twice", name)
		}
		objects[name] = found
	}
}

// render renders the chart with values over its own.
func render(t *testing.T, values string) (map[string]object, error) {
	t.Helper()
	chart, err := loader.Load(chartFolder)
	if err != nil {
		t.Fatal(err)
	}
	given, err := loader.LoadValues(strings.NewReader(values))
	if err != nil {
		t.Fatal(err)
	}
	release := common.ReleaseOptions{Name: "metadata-propagation", Namespace: "kubewarden"}
	all, err := util.ToRenderValues(chart, given, release, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return nil, err
	}
	var stream strings.Builder
	for name, content := range files {
		if strings.HasSuffix(name, ".yaml") {
			fmt.Fprintf(&stream, "---\n%s\n", content)
		}
	}
	for _, definition := range chart.CRDObjects() {
		fmt.Fprintf(&stream, "---\n%s\n", definition.File.Data)
	}
	return decode(t, stream.String()), nil
}

func mustRender(t *testing.T, values string) map[string]object {
	t.Helper()
	objects, err := render(t, values)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// deployed reads files of deploy/.
func deployed(t *testing.T, names ...string) map[string]object {
	t.Helper()
	var stream strings.Builder
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(deployFolder, name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&stream, "---\n%s\n", content)
	}
	return decode(t, stream.String())
}

// same compares two sets of objects, object by object.
func same(t *testing.T, rendered, expected map[string]object) {
	t.Helper()
	for name, object := range expected {
		if other, ok := rendered[name]; !ok {
			t.Errorf("%s is not rendered", name)
		} else if !reflect.DeepEqual(object, other) {
			t.Errorf("%s differs: rendered\n%s\nin deploy/\n%s", name, print(t, other), print(t, object))
		}
	}
	for name := range rendered {
		if _, ok := expected[name]; !ok {
			t.Errorf("%s is not in deploy/", name)
		}
	}
}

func print(t *testing.T, value any) string {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// at is the value at a path of fields.
func at(t *testing.T, value any, path ...string) any {
	t.Helper()
	for _, field := range path {
		fields, ok := value.(object)
		if !ok {
			t.Fatalf("no %s in %v", field, path)
		}
		value = fields[field]
	}
	return value
}

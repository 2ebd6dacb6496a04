package chart

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
)

// What docs/operating.md says of `helm uninstall`: Helm removes what it rendered, and keeps the definitions in crds/ and what asks it to.
func TestAfterAnUninstallOnlyTheDefinitionOfRegistriesStays(t *testing.T) {
	chart, err := loader.Load(chartFolder)
	if err != nil {
		t.Fatal(err)
	}
	kept := decode(t, string(chart.CRDObjects()[0].File.Data))
	if len(chart.CRDObjects()) != 1 || len(kept) != 1 || kept["CustomResourceDefinition labelregistries.labels.plexsphere.com"] == nil {
		t.Errorf("crds/ has %v", kept)
	}
	for name, rendered := range mustRender(t, composites+`
  enabled: true
nodes: { enabled: true }
reports: { clusterApi: true, kubeadm: true, cloudTags: true }
`) {
		annotations, _ := at(t, rendered, "metadata").(object)["annotations"].(object)
		if _, keeps := annotations["helm.sh/resource-policy"]; keeps || kept[name] == nil && strings.HasPrefix(name, "CustomResourceDefinition ") {
			t.Errorf("%s stays", name)
		}
		if _, hook := annotations["helm.sh/hook"]; hook {
			t.Errorf("%s is of a hook, which Helm does not remove", name)
		}
	}
}

// The values that docs/operating.md shows render.
func TestTheValuesOfThePageRender(t *testing.T) {
	page, err := os.ReadFile("../../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml values\n")[1:]
	for _, block := range blocks {
		values, _, _ := strings.Cut(block, "```")
		if rendered := mustRender(t, values); rendered["ClusterAdmissionPolicy metadata-propagation-policy"] == nil {
			t.Errorf("no policy with the values\n%s", values)
		}
	}
	if len(blocks) < 3 {
		t.Errorf("%d blocks of values", len(blocks))
	}
}

// The lines for helm in docs/operating.md: each chart is one of this repository or of a repository that was added before, and what is
// upgraded or uninstalled was installed by that name in that namespace.
func TestTheHelmCommandsOfThePageFitTogether(t *testing.T) {
	page, err := os.ReadFile("../../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	added, installed, count := map[string]bool{}, map[string]string{}, map[string]int{}
	for _, line := range strings.Split(strings.ReplaceAll(string(page), "\\\n", ""), "\n") {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "helm" {
			continue
		}
		namespace := ""
		for i, word := range words[:len(words)-1] {
			if word == "--namespace" || word == "-n" {
				namespace = words[i+1]
			}
		}
		count[words[1]]++
		switch name := words[2]; words[1] {
		case "repo":
			added[words[3]] = name == "add"
		case "install":
			installed[name] = namespace
			repository, _, _ := strings.Cut(words[3], "/")
			if _, err := os.Stat(filepath.Join("..", "..", "..", words[3], "Chart.yaml")); err != nil && !added[repository] {
				t.Errorf("%s: no such chart", line)
			}
		case "upgrade", "uninstall":
			if installed[name] != namespace || namespace == "" {
				t.Errorf("%s: it is installed in the namespace %q", line, installed[name])
			}
		case "list":
			if namespace != "kubewarden" {
				t.Errorf("%s: Kubewarden is not installed there", line)
			}
		default:
			t.Errorf("%s is not tested", line)
		}
	}
	expected := map[string]int{"repo": 1, "install": 2, "list": 1, "upgrade": 1, "uninstall": 1}
	if !reflect.DeepEqual(count, expected) {
		t.Errorf("%v", count)
	}
}

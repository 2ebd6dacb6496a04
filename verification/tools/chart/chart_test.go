// Package chart holds the Helm chart to the manifests of deploy/: what it renders are their objects, with what the values say.
package chart

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
)

// The composites of deploy/cloud-tags.yaml.
const composites = `
cloudTags:
  composites:
    - apiGroups: [blueprints.plexsphere.com]
      apiVersions: [v1alpha1]
      resources: [xawsec2instances]
      provider: { path: spec.parameters.provider }
      claimKinds: []
`

func TestTheDefaultIsThePolicyForClusterAPIWithItsServer(t *testing.T) {
	same(t, mustRender(t, ""), deployed(t, "policy-server", "rbac", "cluster-api", "label-registry-crd"))
}

func TestEverythingTurnedOnIsEveryManifest(t *testing.T) {
	rendered := mustRender(t, composites+`
  enabled: true
nodes: { enabled: true }
reports: { clusterApi: true, kubeadm: true, cloudTags: true }
thirdPartyTouch: { enabled: true }
`)
	same(t, rendered, deployed(t, "policy-server", "rbac", "cluster-api", "label-registry-crd", "nodes", "cloud-tags",
		"verify", "verify-kubeadm", "verify-cloud-tags", "verify-rbac", "third-party-touch"))
}

func TestWithoutAServerTheAccountOfAnotherIsBound(t *testing.T) {
	rendered := mustRender(t, `
kubewarden: { namespace: elsewhere }
policyServer: { create: false, name: default, serviceAccount: policy-server }
`)
	for name := range rendered {
		if strings.HasPrefix(name, "PolicyServer ") || strings.HasPrefix(name, "ServiceAccount ") {
			t.Errorf("%s is rendered", name)
		}
	}
	server := at(t, rendered["ClusterAdmissionPolicy metadata-propagation-policy"], "spec", "policyServer")
	if server != "default" {
		t.Errorf("policyServer: %v", server)
	}
	expected := []any{object{"kind": "ServiceAccount", "name": "policy-server", "namespace": "elsewhere"}}
	if subjects := rendered["ClusterRoleBinding metadata-propagation-policy"]["subjects"]; !reflect.DeepEqual(subjects, expected) {
		t.Errorf("subjects: %v", subjects)
	}
}

// Settings and match condition name the same controllers, in each policy that has them.
func TestControllersAreNamedTwiceAndAlike(t *testing.T) {
	controllers := []any{"system:serviceaccount:tenant:manager", "system:serviceaccounts:capi-system"}
	rendered := mustRender(t, `
clusterApi:
  version: v1.12
  controllers: ["system:serviceaccount:tenant:manager", "system:serviceaccounts:capi-system"]
nodes: { enabled: true }
reports: { clusterApi: true, kubeadm: true }
`)
	quoted := regexp.MustCompile(`'([^']*)'`)
	for _, name := range []string{"", "-nodes", "-verify", "-verify-kubeadm"} {
		policy := rendered["ClusterAdmissionPolicy metadata-propagation-policy"+name]
		if found := at(t, policy, "spec", "settings", "clusterApi", "controllers"); !reflect.DeepEqual(found, controllers) {
			t.Errorf("%s: %v", name, found)
		}
		if version := at(t, policy, "spec", "settings", "clusterApi", "version"); version != "v1.12" {
			t.Errorf("%s: %v", name, version)
		}
		conditions, _ := at(t, policy, "spec", "matchConditions").([]any)
		if (len(conditions) == 1) != (name == "") {
			t.Errorf("%s: %v", name, conditions)
		}
		for _, condition := range conditions {
			var named []any
			for _, match := range quoted.FindAllStringSubmatch(at(t, condition, "expression").(string), -1) {
				named = append(named, match[1])
			}
			if !reflect.DeepEqual(named, controllers) {
				t.Errorf("%s: %v", name, named)
			}
		}
	}
	rendered = mustRender(t, "clusterApi: { matchConditions: false, settings: { clusterApi: { selfCheck: true } } }")
	policy := rendered["ClusterAdmissionPolicy metadata-propagation-policy"]
	if at(t, policy, "spec", "matchConditions") != nil || at(t, policy, "spec", "settings", "clusterApi", "selfCheck") != true {
		t.Errorf("%s", print(t, policy))
	}
}

// A control plane of somebody else needs a grant, a permission and a setting, in the policies that write and that report.
func TestAnotherControlPlaneIsGrantedAllowedAndNamed(t *testing.T) {
	rendered := mustRender(t, `
clusterApi: { controlPlanes: [{ kind: FooControlPlane, resource: foocontrolplanes, version: v1beta1 }] }
nodes: { enabled: true }
reports: { clusterApi: true }
`)
	for _, name := range []string{"", "-verify"} {
		policy := rendered["ClusterAdmissionPolicy metadata-propagation-policy"+name]
		versions := at(t, policy, "spec", "settings", "lookup", "apiVersions")
		if !reflect.DeepEqual(versions, object{"FooControlPlane.controlplane.cluster.x-k8s.io": "v1beta1"}) {
			t.Errorf("%s: %v", name, versions)
		}
		grants := at(t, policy, "spec", "contextAwareResources").([]any)
		expected := object{"apiVersion": "controlplane.cluster.x-k8s.io/v1beta1", "kind": "FooControlPlane"}
		if !reflect.DeepEqual(grants[len(grants)-1], expected) {
			t.Errorf("%s: %v", name, grants[len(grants)-1])
		}
	}
	rules := rendered["ClusterRole metadata-propagation-policy"]["rules"].([]any)
	expected := object{
		"apiGroups": []any{"controlplane.cluster.x-k8s.io"}, "resources": []any{"foocontrolplanes"}, "verbs": []any{"get"},
	}
	if !reflect.DeepEqual(rules[len(rules)-1], expected) {
		t.Errorf("%v", rules[len(rules)-1])
	}
}

func TestCompositesAreInRulesSettingsAndRole(t *testing.T) {
	rendered := mustRender(t, `
cloudTags:
  enabled: true
  registries: [labels]
  composites:
    - { apiGroups: [a.example.com], apiVersions: [v1], resources: [xas], provider: { fixed: aws }, claimKinds: [A] }
    - { apiGroups: [b.example.com], apiVersions: [v1, v2], resources: [xbs, bs], provider: { path: spec.provider } }
reports: { cloudTags: true }
`)
	operations := []any{"CREATE", "UPDATE"}
	rules := []any{
		object{"apiGroups": []any{"a.example.com"}, "apiVersions": []any{"v1"}, "resources": []any{"xas"}, "operations": operations},
		object{"apiGroups": []any{"b.example.com"}, "apiVersions": []any{"v1", "v2"}, "resources": []any{"xbs", "bs"}, "operations": operations},
	}
	for _, name := range []string{"-cloud-tags", "-verify-cloud-tags"} {
		policy := rendered["ClusterAdmissionPolicy metadata-propagation-policy"+name]
		if found := at(t, policy, "spec", "rules").([]any); !reflect.DeepEqual(found[:2], rules) {
			t.Errorf("%s: %v", name, found)
		}
		settings := at(t, policy, "spec", "settings", "cloudTags").(object)
		expected := []any{
			object{"apiGroups": []any{"a.example.com"}, "provider": object{"fixed": "aws"}, "claimKinds": []any{"A"}},
			object{"apiGroups": []any{"b.example.com"}, "provider": object{"path": "spec.provider"}},
		}
		if !reflect.DeepEqual(settings["composites"], expected) || settings["definitions"] != nil {
			t.Errorf("%s: %v", name, settings)
		}
		if !reflect.DeepEqual(settings["registry"], object{"names": []any{"labels"}}) {
			t.Errorf("%s: %v", name, settings["registry"])
		}
	}
	listed := rendered["ClusterRole metadata-propagation-policy-verify"]["rules"].([]any)
	last := listed[len(listed)-2:]
	expected := []any{
		object{"apiGroups": []any{"a.example.com"}, "resources": []any{"xas"}, "verbs": []any{"get", "list"}},
		object{"apiGroups": []any{"b.example.com"}, "resources": []any{"xbs", "bs"}, "verbs": []any{"get", "list"}},
	}
	if !reflect.DeepEqual(last, expected) {
		t.Errorf("%v", listed)
	}
}

func TestValuesOfPolicyAndServerArrive(t *testing.T) {
	rendered := mustRender(t, `
module: registry://registry.example.com/policy:v1
policyServer: { spec: { replicas: 3, limits: { memory: 1Gi } } }
clusterApi:
  policyMode: monitor
  failurePolicy: Fail
  namespaceSelector: { matchExpressions: [{ key: kubernetes.io/metadata.name, operator: In, values: [fleet] }] }
  settings: { guards: { adoption: warn } }
  rules: [{ apiGroups: [infrastructure.cluster.x-k8s.io], apiVersions: [v1beta1], resources: [foomachines], operations: [CREATE] }]
`)
	spec := at(t, rendered["ClusterAdmissionPolicy metadata-propagation-policy"], "spec").(object)
	rules := spec["rules"].([]any)
	for field, expected := range map[string]any{
		"module": "registry://registry.example.com/policy:v1", "mode": "monitor", "failurePolicy": "Fail",
	} {
		if spec[field] != expected {
			t.Errorf("%s: %v", field, spec[field])
		}
	}
	if found := at(t, spec, "settings", "guards", "adoption"); found != "warn" {
		t.Errorf("adoption: %v", found)
	}
	if found := at(t, spec, "settings", "guards", "selectorLabels"); found != "reject" {
		t.Errorf("selectorLabels: %v", found)
	}
	if at(t, spec, "namespaceSelector", "matchExpressions") == nil {
		t.Error("no namespaceSelector")
	}
	if found := at(t, rules[len(rules)-1], "resources"); !reflect.DeepEqual(found, []any{"foomachines"}) {
		t.Errorf("rules: %v", found)
	}
	server := rendered["PolicyServer metadata-propagation"]
	if fmt.Sprint(at(t, server, "spec", "replicas")) != "3" || at(t, server, "spec", "limits", "memory") != "1Gi" {
		t.Errorf("%s", print(t, server))
	}
	if at(t, server, "spec", "minAvailable") == nil {
		t.Error("minAvailable is gone")
	}
}

func TestWrongValuesAreRefused(t *testing.T) {
	for values, words := range map[string]string{
		"clusterAPI: {}":                                         "clusterAPI",
		"clusterApi: { mode: monitor }":                          "mode",
		"clusterApi: { policyMode: mutate }":                     "policyMode",
		"clusterApi: { version: 1.14 }":                          "version",
		"clusterApi: { namespaceSelector: { matchLabels: {} } }": "matchLabels",
		"clusterApi: { controllers: [\"it's\"] }":                "controllers",
		"cloudTags: { enabled: true }":                           "cloudTags.composites",
		"reports: { cloudTags: true }":                           "cloudTags.composites",
		"clusterApi: { rules: [{ apiGroups: [infrastructure.cluster.x-k8s.io], apiVersions: [v1], resources: ['*'], operations: [CREATE] }] }": "resources",
	} {
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", values, err)
		}
	}
}

func TestLintFindsNothing(t *testing.T) {
	linter := lint.RunAll(chartFolder, nil, "kubewarden")
	messages := slices.DeleteFunc(linter.Messages, func(message support.Message) bool {
		// A chart of policies has no picture.
		return message.Severity <= support.InfoSev && strings.Contains(message.Error(), "icon")
	})
	if len(messages) > 0 {
		t.Error(messages)
	}
}

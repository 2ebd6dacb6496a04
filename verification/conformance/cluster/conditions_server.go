package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"conformance/harness"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// write is one way to write a Machine.
type write struct {
	name, user string
	// creates, changes and dry say what is sent.
	creates, changes, dry bool
}

const manager = "system:serviceaccount:capi-system:capi-manager"

// writes are what each condition is tried with.
var writes = []write{
	{name: "a controller's dry run that creates", user: manager, creates: true, dry: true},
	{name: "a controller's dry run", user: manager, changes: true, dry: true},
	{name: "a controller's idle update", user: manager},
	{name: "a controller's change", user: manager, changes: true},
	{name: "a person's dry run that creates", user: "alice", creates: true, dry: true},
	{name: "a person's dry run", user: "alice", changes: true, dry: true},
	{name: "a person's idle update", user: "alice"},
	{name: "a person's change", user: "alice", changes: true},
}

// sparedWrites are the writes of which each condition has to spare the policy.
var sparedWrites = map[string][]string{
	"no-controllers": {
		"a controller's dry run that creates", "a controller's dry run", "a controller's idle update", "a controller's change",
	},
	"no-dry-runs-of-controllers":     {"a controller's dry run"},
	"no-idle-updates-of-controllers": {"a controller's idle update"},
	"no-idle-updates":                {"a controller's idle update", "a person's idle update"},
}

// machines is a definition that takes every Machine.
const machines = `{
	"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
	"metadata": {
		"name": "machines.cluster.x-k8s.io",
		"annotations": {"api-approved.kubernetes.io": "unapproved, for a test"}
	},
	"spec": {
		"group": "cluster.x-k8s.io", "scope": "Namespaced",
		"names": {"kind": "Machine", "listKind": "MachineList", "plural": "machines", "singular": "machine"},
		"versions": [{
			"name": "v1beta2", "served": true, "storage": true, "subresources": {"status": {}},
			"schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
		}]
	}
}`

// conditionsOnServer lets an API server evaluate each condition, and all of them together, in a namespace of its own.
// Behind each stands a webhook that is never there: a write that is refused would have been the policy's, one that
// comes through was spared.
func conditionsOnServer(ctx context.Context, programs programs, root, directory string, to io.Writer) error {
	chosen, policyRules, err := readConditions(root)
	if err != nil {
		return err
	}
	r, err := startServer(ctx, programs, root, directory)
	if err != nil {
		return err
	}
	defer r.Stop()
	definition := &object{}
	if err := definition.UnmarshalJSON([]byte(machines)); err != nil {
		return err
	}
	if err := r.API.Ensure(ctx, definition); err != nil {
		return err
	}
	if err := r.AwaitDefinitions(ctx); err != nil {
		return err
	}
	fmt.Fprintln(to, "| condition | the API server spares the policy |\n|---|---|")
	differences, together := 0, []string{}
	try := func(name string, conditions []registrationv1.MatchCondition, wanted []string) error {
		found, err := r.tryConditions(ctx, name, conditions, policyRules)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, write := range writes {
			if slices.Contains(found, write.name) != slices.Contains(wanted, write.name) {
				differences++
				harness.Say("%s: %s: not as it should be", name, write.name)
			}
		}
		fmt.Fprintf(to, "| `%s` | %s |\n", name, strings.Join(found, ", "))
		return nil
	}
	for _, condition := range chosen {
		wanted, known := sparedWrites[condition.Name]
		if !known {
			return fmt.Errorf("deploy/match-conditions.yaml: no expectation is defined for %s", condition.Name)
		}
		together = append(together, wanted...)
		if err := try(condition.Name, []registrationv1.MatchCondition{condition}, wanted); err != nil {
			return err
		}
	}
	if err := try("all-of-them", chosen, together); err != nil {
		return err
	}
	if differences > 0 {
		return harness.Differences(differences)
	}
	return nil
}

// tryConditions returns the names of the writes that come through in a namespace with a webhook under conditions.
func (r *run) tryConditions(
	ctx context.Context, name string, conditions []registrationv1.MatchCondition, policyRules []registrationv1.RuleWithOperations,
) ([]string, error) {
	for _, o := range []*object{
		{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}},
		machine(name, "m"),
	} {
		if err := r.API.Ensure(ctx, o); err != nil {
			return nil, err
		}
	}
	// Nobody listens on this port, and none but root could.
	configuration, err := harness.Plain(map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
		"metadata": map[string]any{"name": name},
		"webhooks": []any{map[string]any{
			"name": name + ".kubewarden.admission", "clientConfig": map[string]any{"url": "https://127.0.0.1:1/validate"},
			"namespaceSelector": map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": name}},
			"rules":             policyRules, "matchConditions": conditions, "admissionReviewVersions": []any{"v1"},
			"failurePolicy": "Fail", "matchPolicy": "Equivalent", "sideEffects": "None", "timeoutSeconds": 5,
		}},
	})
	if err != nil {
		return nil, err
	}
	if err := r.API.Ensure(ctx, &object{Object: configuration}); err != nil {
		return nil, err
	}
	// A webhook counts a while after it was made. What people change no condition spares.
	asked := write{user: "alice", changes: true, dry: true}
	err = r.Await(ctx, "the webhook", time.Minute, func() error {
		through, err := r.comesThrough(ctx, name, asked)
		if err == nil && through {
			err = fmt.Errorf("not asked yet")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var found []string
	for _, write := range writes {
		through, err := r.comesThrough(ctx, name, write)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", write.name, err)
		}
		if through {
			found = append(found, write.name)
		}
	}
	return found, nil
}

// comesThrough writes, and says whether the webhook was not asked.
func (r *run) comesThrough(ctx context.Context, namespace string, w write) (bool, error) {
	config := rest.CopyConfig(r.API.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: w.user, Groups: []string{"system:masters"}}
	writer, err := harness.NewClient(config)
	if err != nil {
		return false, err
	}
	resource, err := writer.Of(machine(namespace, "m"))
	if err != nil {
		return false, err
	}
	var dry []string
	if w.dry {
		dry = []string{metav1.DryRunAll}
	}
	if w.creates {
		_, err = resource.Create(ctx, machine(namespace, "new"), metav1.CreateOptions{DryRun: dry})
	} else {
		stored, failed := resource.Get(ctx, "m", metav1.GetOptions{})
		if failed != nil {
			return false, failed
		}
		if w.changes {
			stored.SetLabels(map[string]string{"changed": fmt.Sprint(time.Now().UnixNano())})
		}
		_, err = resource.Update(ctx, stored, metav1.UpdateOptions{DryRun: dry})
	}
	if err != nil && strings.Contains(err.Error(), "failed calling webhook") {
		return false, nil
	}
	return err == nil, err
}

func machine(namespace, name string) *object {
	return &object{Object: map[string]any{
		"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Machine",
		"metadata": map[string]any{"name": name, "namespace": namespace},
		"spec":     map[string]any{"clusterName": "c"},
	}}
}

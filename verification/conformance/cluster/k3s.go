package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"conformance/harness"
)

// managersK3s is the folder with the go.mod file of the K3s provider.
var managersK3s = filepath.Join("..", "managers-k3s")

// k3sModule is the K3s provider: a control plane that other people make.
const k3sModule = "github.com/k3s-io/cluster-api-k3s"

// k3sProviders are its released managers. Both serve webhooks on one port that cannot be chosen, so only those of the
// control plane are installed; the others default one field and convert a version that nobody asks for here.
var k3sProviders = []provider{
	{
		name: "k3s-bootstrap", module: k3sModule, folder: "bootstrap", goFolder: managersK3s,
		namespace: "capi-k3s-bootstrap-system", account: "default", noWebhooks: true,
	},
	{
		name: "k3s-control-plane", module: k3sModule, folder: "controlplane", goFolder: managersK3s,
		namespace: "capi-k3s-control-plane-system", account: "default",
	},
}

// k3sWebhooks is the port of its webhooks.
const k3sWebhooks = 9443

// k3sKinds are its kinds.
var k3sKinds = map[string]string{"KThreesControlPlane": controlPlane, "KThreesConfig": bootstrap}

// k3sSteps are those of the scenario. What K3s needs its workload cluster for does not happen: it makes one Machine, and
// keeps its metadata as its control plane's template says.
var k3sSteps = []step{
	{name: "k3s-create", play: createK3s},
	{name: "k3s-add", play: addToK3s},
	{name: "k3s-change", play: changeK3s},
	{name: "k3s-remove", play: removeFromK3s},
	{name: "k3s-forced", play: forcedByK3s},
	{name: "k3s-edit", play: editK3s},
	{name: "k3s-dropped", play: droppedByK3s},
	{name: "idle", play: idle},
}

// shortK3s is what shows a policy that forgets who owns a field.
var shortK3s = []string{"k3s-create", "k3s-edit", "k3s-dropped"}

// startK3s installs the K3s provider and starts its managers, where the scenario says so.
func (r *run) startK3s(ctx context.Context) error {
	if !r.options.scenario.k3s {
		return nil
	}
	for _, p := range k3sProviders {
		if err := r.install(ctx, p, k3sWebhooks); err != nil {
			return err
		}
	}
	if err := r.AwaitDefinitions(ctx); err != nil {
		return err
	}
	for _, p := range k3sProviders {
		if err := r.startK3sManager(ctx, p); err != nil {
			return err
		}
	}
	return r.Await(ctx, "the webhooks of K3s", 2*time.Minute, func() error {
		return harness.Listening(k3sWebhooks)
	})
}

func (r *run) startK3sManager(ctx context.Context, p provider) error {
	account := &object{}
	account.SetAPIVersion("v1")
	account.SetKind("ServiceAccount")
	account.SetNamespace(p.namespace)
	account.SetName(p.account)
	if err := r.API.Ensure(ctx, account); err != nil {
		return err
	}
	_, login, err := r.Account(ctx, p.namespace, p.account)
	if err != nil {
		return err
	}
	kubeconfig := filepath.Join(r.Directory, p.name+".kubeconfig")
	if err := harness.WriteKubeconfig(kubeconfig, login); err != nil {
		return err
	}
	// The manager looks for the certificate of its webhooks in the folder of temporary files.
	if _, err := r.Authority.Serving(filepath.Join(p.name, "k8s-webhook-server", "serving-certs")); err != nil {
		return err
	}
	ports, err := harness.FreePorts(1)
	if err != nil {
		return err
	}
	env := []string{"TMPDIR=" + filepath.Join(r.Directory, p.name), fmt.Sprintf("ENABLE_WEBHOOKS=%t", !p.noWebhooks)}
	return r.Start(p.name, env, r.programs.managers[p.name],
		"--kubeconfig="+kubeconfig, fmt.Sprintf("--metrics-addr=127.0.0.1:%d", ports[0]))
}

// k3sParts are what K3s makes for its control plane's Machine, and the Machine.
func (r *run) k3sParts() ([]*object, error) {
	var parts []*object
	for _, kind := range []string{"Machine", "DevMachine", "KThreesConfig"} {
		o, err := r.first(kind, map[string]string{clusterName: "k3s"})
		if err != nil {
			return nil, err
		}
		parts = append(parts, o)
	}
	return parts, nil
}

// k3sHas waits until each part has a label with a value; empty is that it has none.
func (r *run) k3sHas(ctx context.Context, key, value string) error {
	for _, kind := range []string{"Machine", "DevMachine", "KThreesConfig"} {
		if err := r.propagated(ctx, kind, map[string]string{clusterName: "k3s"}, key, value); err != nil {
			return err
		}
	}
	return nil
}

// createK3s makes a Cluster with a control plane of K3s, whose template has labels, and so has that of the infrastructure.
func createK3s(ctx context.Context, r *run) error {
	objects, err := r.manifests("k3s.yaml")
	if err != nil {
		return err
	}
	for _, o := range objects {
		if _, err := r.people["alice"].Create(ctx, o); err != nil {
			return err
		}
	}
	if err := r.k3sHas(ctx, "owner", "k3s"); err != nil {
		return err
	}
	return r.until(ctx, "the Machine has its bootstrap data", func() error {
		machine, err := r.first("Machine", nil)
		if err == nil && harness.Text(machine, "spec", "bootstrap", "dataSecretName") == "" {
			err = errors.New("it has none")
		}
		return err
	})
}

// k3sTemplate lets Alice change the metadata of the control plane's template.
func (r *run) k3sTemplate(ctx context.Context, change func(*object)) error {
	_, err := r.edit(ctx, "alice", controlPlane, "KThreesControlPlane", "k3s", change)
	return err
}

const k3sMachines = "spec/machineTemplate"

func addToK3s(ctx context.Context, r *run) error {
	err := r.k3sTemplate(ctx, func(o *object) {
		put(o, k3sMachines+labels, "added", "a")
		put(o, k3sMachines+annotations, "added-note", "a")
		put(o, k3sMachines, "nodeDrainTimeout", "45s")
	})
	if err != nil {
		return err
	}
	return r.k3sHas(ctx, "added", "a")
}

func changeK3s(ctx context.Context, r *run) error {
	if err := r.touchK3s(ctx); err != nil {
		return err
	}
	err := r.k3sTemplate(ctx, func(o *object) {
		put(o, k3sMachines+labels, "added", "b")
		put(o, k3sMachines+annotations, "added-note", "b")
	})
	if err != nil {
		return err
	}
	return r.k3sHas(ctx, "added", "b")
}

func removeFromK3s(ctx context.Context, r *run) error {
	if err := r.touchK3s(ctx); err != nil {
		return err
	}
	err := r.k3sTemplate(ctx, func(o *object) {
		drop(o, k3sMachines+labels, "added")
		drop(o, k3sMachines+annotations, "added-note")
	})
	if err != nil {
		return err
	}
	return r.k3sHas(ctx, "added", "")
}

// forcedByK3s puts labels into the template that K3s sets itself: its own values stay, whoever writes.
func forcedByK3s(ctx context.Context, r *run) error {
	err := r.k3sTemplate(ctx, func(o *object) {
		put(o, k3sMachines+labels, controlPlaneOf, "true")
		put(o, k3sMachines+labels, controlPlaneName, "mine")
		put(o, k3sMachines+labels, "beside", "yes")
	})
	if err != nil {
		return err
	}
	if err := r.k3sHas(ctx, "beside", "yes"); err != nil {
		return err
	}
	if err := r.touchK3s(ctx); err != nil {
		return err
	}
	parts, err := r.k3sParts()
	if err != nil {
		return err
	}
	for _, o := range parts {
		for _, label := range []string{controlPlaneOf, controlPlaneName} {
			r.expect(fmt.Sprintf("label %s of a %s", label, o.GetKind()), "", "", o.GetLabels()[label])
		}
	}
	return r.k3sTemplate(ctx, func(o *object) {
		drop(o, k3sMachines+labels, controlPlaneOf)
		drop(o, k3sMachines+labels, controlPlaneName)
	})
}

// editK3s lets Alice change and remove what K3s propagates: the answer has its values already.
func editK3s(ctx context.Context, r *run) error {
	pause(ctx, cached)
	parts, err := r.k3sParts()
	if err != nil {
		return err
	}
	for _, o := range parts {
		patched, err := r.people["alice"].Patch(ctx, o, `{"metadata":{"labels":{"owner":"edited","tier":null}}}`)
		if err != nil {
			return err
		}
		r.expect("label owner of a "+o.GetKind()+" that Alice changes", "edited", "k3s", patched.GetLabels()["owner"])
		r.expect("label tier of a "+o.GetKind()+" that Alice removes", "", "control-plane", patched.GetLabels()["tier"])
	}
	// K3s sees changes of the Machine only, and then applies everything.
	if err := r.touchK3s(ctx); err != nil {
		return err
	}
	return errors.Join(r.k3sHas(ctx, "owner", "k3s"), r.k3sHas(ctx, "tier", "control-plane"))
}

// droppedByK3s adds a label to the template while K3s cannot write: the policy sets it. The template loses it before K3s
// has applied it once, and then K3s may write again.
func droppedByK3s(ctx context.Context, r *run) error {
	return r.dropped(ctx, k3sProviders[1:], func(present bool) error {
		return r.k3sTemplate(ctx, func(o *object) {
			if present {
				put(o, k3sMachines+labels, "dropped", "yes")
				put(o, k3sMachines+annotations, "dropped-note", "yes")
			} else {
				drop(o, k3sMachines+labels, "dropped")
				drop(o, k3sMachines+annotations, "dropped-note")
			}
		})
	}, func() error {
		parts, err := r.k3sParts()
		if err != nil {
			return err
		}
		for _, o := range parts {
			touched, err := r.people["alice"].Patch(ctx, o, `{"metadata":{"annotations":{"look":"again"}}}`)
			if err != nil {
				return err
			}
			r.expect("label dropped of a "+o.GetKind()+" that Alice writes meanwhile", "", "yes", touched.GetLabels()["dropped"])
			// What K3s has put on a KThreesConfig are labels only, until its template has annotations.
			r.expect("annotation dropped-note of a "+o.GetKind()+" that Alice writes meanwhile", "", "yes", touched.GetAnnotations()["dropped-note"])
		}
		return nil
	}, func() error {
		if err := r.touchK3s(ctx); err != nil {
			return err
		}
		return r.k3sHas(ctx, "dropped", "")
	})
}

// touchK3s lets Alice write the Machine and its parts, after what the host has read already is old.
func (r *run) touchK3s(ctx context.Context) error {
	for _, patch := range []string{`{"metadata":{"annotations":{"look":"again"}}}`, `{"metadata":{"annotations":{"look":null}}}`} {
		parts, err := r.k3sParts()
		if err != nil {
			return err
		}
		for _, o := range parts {
			if _, err := r.people["alice"].Patch(ctx, o, patch); err != nil {
				return err
			}
		}
	}
	r.people["alice"].Warnings.Take()
	return nil
}

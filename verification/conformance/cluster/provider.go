package main

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// providerUser is a control-plane provider that nobody lists.
const providerUser = "system:serviceaccount:rke2-control-plane-system:rke2-control-plane-controller-manager"

// otherProvider is the scenario of a control plane whose provider Cluster API does not know.
var otherProvider = []step{
	{name: "provider", play: startProvider},
	{name: "provider-removes", play: providerRemoves},
	{name: "provider-renames", play: providerRenames},
	{name: "provider-identity", play: providerIdentity},
	{name: "idle", play: idle},
}

var providerSteps = []string{"provider", "provider-removes", "provider-renames"}

// otherController is the provider's controller. It keeps one Machine's labels and annotations as its control plane's
// template says them, and takes away what it gave when that says so no more. What others add stays.
type otherController struct {
	client           *client
	planes, machines dynamic.ResourceInterface
	mutex            sync.Mutex
	// given is what it gave the Machine last, labels and annotations.
	given [2]map[string]string
	// identity are labels that it wants on its Machine besides.
	identity map[string]string
	// blocks is whether its ownerReference is to block the deletion of the control plane.
	blocks bool
	// writes is how often it wrote, and failed why it could not.
	writes int
	failed error
}

// reconcileEvery is how soon it sees a change.
const reconcileEvery = 100 * time.Millisecond

// startProvider installs the control plane's definition, and lets the controller make its Machine.
func startProvider(ctx context.Context, r *run) error {
	definitions, err := r.manifests("other-control-plane.yaml")
	if err != nil {
		return err
	}
	definition := definitions[0]
	definition.SetNamespace("")
	if err := r.API.Ensure(ctx, definition); err != nil {
		return err
	}
	if err := r.AwaitDefinitions(ctx); err != nil {
		return err
	}
	objects, err := r.manifests("unknown-provider.yaml")
	if err != nil {
		return err
	}
	if _, err := r.people["alice"].Create(ctx, objects[0]); err != nil {
		return err
	}
	plane, machine := objects[1], objects[2]
	if plane, err = r.people["alice"].Create(ctx, plane); err != nil {
		return err
	}
	c := &otherController{}
	if c.client, err = r.API.As(providerUser); err != nil {
		return err
	}
	if c.planes, err = c.client.Of(plane); err != nil {
		return err
	}
	if c.machines, err = c.client.Of(machine); err != nil {
		return err
	}
	own(machine, plane)
	if _, err := c.client.Create(ctx, machine); err != nil {
		return err
	}
	r.provider = c
	go func() {
		for ; ctx.Err() == nil; pause(ctx, reconcileEvery) {
			c.reconcile(ctx)
		}
	}()
	err = r.providerSays(ctx, map[string]string{"owner": "provider", "tier": "control-plane", "zone": "a"}, nil)
	if err != nil {
		return err
	}
	// The controller made its Machine without them, and the policy completed it.
	r.expectRecord(`"owner","tier","zone"`)
	return nil
}

// expectRecord notes what the policy remembers of the labels that it gave the provider's Machine.
func (r *run) expectRecord(labels string) {
	machine := r.record.get("Machine", "unknown-0")
	r.expect("the policy's record on the provider's Machine", "",
		fmt.Sprintf(`{"labels":[%s],"annotations":["note"],"fields":[]}`, labels), machine.GetAnnotations()[policyRecord])
}

// reconcile looks once, and writes when something is not as it should be.
func (c *otherController) reconcile(ctx context.Context) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	plane, err := c.planes.Get(ctx, "unknown", metav1.GetOptions{})
	if err != nil {
		c.failed = err
		return
	}
	machine, err := c.machines.Get(ctx, "unknown-0", metav1.GetOptions{})
	if err != nil {
		c.failed = err
		return
	}
	wanted := machine.DeepCopy()
	var now [2]map[string]string
	for i, name := range []string{"labels", "annotations"} {
		now[i], _, _ = unstructured.NestedStringMap(plane.Object, "spec", "machineTemplate", "metadata", name)
		entries, _, _ := unstructured.NestedStringMap(wanted.Object, "metadata", name)
		if entries == nil {
			entries = map[string]string{}
		}
		for key := range c.given[i] {
			delete(entries, key)
		}
		maps.Copy(entries, now[i])
		if name == "labels" {
			maps.Copy(entries, c.identity)
			wanted.SetLabels(entries)
		} else {
			wanted.SetAnnotations(entries)
		}
	}
	if c.blocks {
		owners := wanted.GetOwnerReferences()
		for i := range owners {
			owners[i].BlockOwnerDeletion = &c.blocks
		}
		wanted.SetOwnerReferences(owners)
	}
	if fmt.Sprint(wanted.Object["metadata"]) == fmt.Sprint(machine.Object["metadata"]) {
		// No matter who set it: the controller would have.
		c.given, c.failed = now, nil
		return
	}
	c.writes++
	_, err = c.machines.Update(ctx, wanted, metav1.UpdateOptions{})
	switch {
	case err == nil:
		// As most controllers it takes an accepted write for a done one.
		c.given, c.failed = now, nil
	case !apierrors.IsConflict(err):
		c.failed = err
	}
}

// counted are the controller's writes since this was last asked.
func (c *otherController) counted() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	writes := c.writes
	c.writes = 0
	return writes
}

// providerSays waits until the provider's Machine has some labels, and has others no more.
func (r *run) providerSays(ctx context.Context, has map[string]string, not []string) error {
	return r.until(ctx, "the provider's Machine is as it wants it", func() error {
		r.provider.mutex.Lock()
		failed := r.provider.failed
		r.provider.mutex.Unlock()
		if failed != nil {
			return failed
		}
		machine := r.record.get("Machine", "unknown-0")
		if machine == nil {
			return fmt.Errorf("there is none")
		}
		for key, value := range has {
			if err := equal("label "+key, value, machine.GetLabels()[key]); err != nil {
				return err
			}
		}
		for _, key := range not {
			if value, is := machine.GetLabels()[key]; is {
				return fmt.Errorf("label %s is %q still", key, value)
			}
		}
		return nil
	})
}

// sayTemplate lets Alice change the control plane's template right after a touch of the Machine, when a cache has
// the old one.
func (r *run) sayTemplate(ctx context.Context, patch string) error {
	pause(ctx, cached)
	alice := r.people["alice"]
	for _, value := range []string{`"now"`, "null"} {
		touched := r.record.get("Machine", "unknown-0")
		if _, err := alice.Patch(ctx, touched, fmt.Sprintf(`{"metadata":{"annotations":{"touched":%s}}}`, value)); err != nil {
			return err
		}
	}
	pause(ctx, 2*reconcileEvery)
	r.provider.counted()
	plane := &object{}
	plane.SetAPIVersion("controlplane.cluster.x-k8s.io/v1beta1")
	plane.SetKind("RKE2ControlPlane")
	plane.SetName("unknown")
	plane.SetNamespace(namespace)
	_, err := alice.Patch(ctx, plane, `{"spec":{"machineTemplate":{"metadata":{"labels":`+patch+`}}}}`)
	return err
}

// providerRemoves takes a label out of the template: the controller takes it off the Machine, once.
func providerRemoves(ctx context.Context, r *run) error {
	if err := r.sayTemplate(ctx, `{"tier":null}`); err != nil {
		return err
	}
	if err := r.providerSays(ctx, map[string]string{"owner": "provider"}, []string{"tier"}); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	r.expect("writes by which the provider removes a label", "1", "1", r.provider.counted())
	r.expectRecord(`"owner","zone"`)
	return nil
}

// providerRenames gives a label another name and one another value.
func providerRenames(ctx context.Context, r *run) error {
	if err := r.sayTemplate(ctx, `{"owner":null,"proprietor":"provider","zone":"b"}`); err != nil {
		return err
	}
	if err := r.providerSays(ctx, map[string]string{"proprietor": "provider", "zone": "b"}, []string{"owner"}); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	r.expect("writes by which the provider renames a label", "1", "1", r.provider.counted())
	r.expectRecord(`"zone"`)
	return nil
}

// providerIdentity lets the provider correct a label that says what the Machine is, and its ownerReference.
func providerIdentity(ctx context.Context, r *run) error {
	r.provider.counted()
	r.provider.mutex.Lock()
	r.provider.identity = map[string]string{controlPlaneOf: ""}
	r.provider.mutex.Unlock()
	if err := r.providerSays(ctx, r.provider.identity, nil); err != nil {
		return err
	}
	r.provider.mutex.Lock()
	r.provider.blocks = true
	r.provider.mutex.Unlock()
	err := r.until(ctx, "the ownerReference is as the provider wants it", func() error {
		owners := r.record.get("Machine", "unknown-0").GetOwnerReferences()
		if len(owners) != 1 || owners[0].BlockOwnerDeletion == nil || !*owners[0].BlockOwnerDeletion {
			return fmt.Errorf("the owners are %v", owners)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.expect("writes by which the provider corrects its Machine", "2", "2", r.provider.counted())
	return nil
}

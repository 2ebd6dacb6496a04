package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"conformance/harness"
)

// inPlace is the scenario of Machines that are updated without being replaced. An extension agrees to every change.
var inPlace = []step{
	{name: "create", play: create},
	{name: "extension", play: startExtension},
	{name: "in-place-workers", play: inPlaceWorkers},
	{name: "three-control-planes", play: threeControlPlanes},
	{name: "in-place-control-plane", play: inPlaceControlPlane},
	{name: "add-keys", play: addKeys},
	{name: "edit-moved", play: editMoved},
	{name: "remove-keys", play: removeKeys},
}

// hooks is the version of the hooks that the extension handles.
const hooks = "hooks.runtime.cluster.x-k8s.io/v1alpha1"

// startExtension starts the extension, and tells Cluster API of it.
func startExtension(ctx context.Context, r *run) error {
	serving, err := r.Authority.Serving("extension")
	if err != nil {
		return err
	}
	ports, err := harness.FreePorts(1)
	if err != nil {
		return err
	}
	server := &http.Server{
		Addr: fmt.Sprintf("127.0.0.1:%d", ports[0]), Handler: http.HandlerFunc(answerHook), ReadHeaderTimeout: time.Minute,
	}
	go func() { _ = server.ListenAndServeTLS(serving.Certificate, serving.Key) }()
	// It ends with the process; a run has one of its own.
	config := &object{Object: map[string]any{"spec": map[string]any{"clientConfig": map[string]any{
		"url": "https://" + server.Addr, "caBundle": base64.StdEncoding.EncodeToString(r.Authority.Bundle),
	}}}}
	config.SetAPIVersion("runtime.cluster.x-k8s.io/v1beta2")
	config.SetKind("ExtensionConfig")
	config.SetName("in-place")
	if config, err = r.API.Create(ctx, config); err != nil {
		return err
	}
	resource, err := r.API.Of(config)
	if err != nil {
		return err
	}
	return r.until(ctx, "the extension is known", func() error {
		now, err := resource.Get(ctx, config.GetName(), getOptions)
		if err == nil && harness.ConditionField(now, "Discovered", "status") != "True" {
			err = errors.New(harness.ConditionField(now, "Discovered", "message"))
		}
		return err
	})
}

// answerHook answers each hook of in-place updates: every change is possible, and done at once.
func answerHook(w http.ResponseWriter, request *http.Request) {
	var asked struct{ Current, Desired map[string]json.RawMessage }
	_ = json.NewDecoder(request.Body).Decode(&asked)
	hook := strings.Split(strings.Trim(request.URL.Path, "/"), "/")[2]
	answer := map[string]any{"apiVersion": hooks, "status": "Success"}
	replace := func(names map[string]string, path string) {
		for asks, answers := range names {
			if desired, is := asked.Desired[asks]; is {
				answer[answers] = map[string]any{"patchType": "JSONPatch", "patch": replacing(desired, path)}
			}
		}
	}
	switch hook {
	case "discovery":
		answer["kind"] = "DiscoveryResponse"
		var handlers []any
		for _, name := range []string{"CanUpdateMachineSet", "CanUpdateMachine", "UpdateMachine"} {
			handlers = append(handlers, map[string]any{
				"name": strings.ToLower(name), "requestHook": map[string]any{"apiVersion": hooks, "hook": name},
			})
		}
		answer["handlers"] = handlers
	case "canupdatemachineset":
		answer["kind"] = "CanUpdateMachineSetResponse"
		replace(map[string]string{
			"machineSet": "machineSetPatch", "infrastructureMachineTemplate": "infrastructureMachineTemplatePatch",
			"bootstrapConfigTemplate": "bootstrapConfigTemplatePatch",
		}, "/spec/template/spec")
	case "canupdatemachine":
		answer["kind"] = "CanUpdateMachineResponse"
		replace(map[string]string{
			"machine": "machinePatch", "infrastructureMachine": "infrastructureMachinePatch", "bootstrapConfig": "bootstrapConfigPatch",
		}, "/spec")
	case "updatemachine":
		answer["kind"], answer["retryAfterSeconds"] = "UpdateMachineResponse", 0
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// replacing is a JSON patch that makes what is at a path as in an object.
func replacing(desired json.RawMessage, path string) []byte {
	var value any
	_ = json.Unmarshal(desired, &value)
	for _, name := range strings.Split(strings.Trim(path, "/"), "/") {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	if value == nil {
		value = map[string]any{}
	}
	patch, _ := json.Marshal([]any{map[string]any{"op": "add", "path": path, "value": value}})
	return patch
}

// kept counts the Machines with these labels that are among earlier ones.
func (r *run) kept(before []*object, labels map[string]string) int {
	count := 0
	for _, machine := range r.record.list("Machine", labels) {
		for _, earlier := range before {
			if earlier.GetUID() == machine.GetUID() {
				count++
			}
		}
	}
	return count
}

// inPlaceWorkers changes what usually replaces the Machines of a MachineDeployment: one is created, because the strategy lets
// one more be there, and of the others one moves to the new MachineSet and is updated.
func inPlaceWorkers(ctx context.Context, r *run) error {
	before := r.record.list("Machine", of("md0"))
	sets := len(r.record.list("MachineSet", of("md0")))
	err := r.editCluster(ctx, func(o *object) { put(o, topologyMD0, "failureDomain", "a") })
	if err != nil {
		return err
	}
	err = r.until(ctx, "the Machines of md0 are in the failure domain", func() error {
		for _, machine := range r.record.list("Machine", of("md0")) {
			if domain := harness.Text(machine, "spec", "failureDomain"); domain != "a" {
				return fmt.Errorf("%s is in %q", machine.GetName(), domain)
			}
			if _, still := machine.GetAnnotations()[updateInProgress]; still {
				return fmt.Errorf("%s is being updated", machine.GetName())
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.expect("MachineSets of md0 before the update", "1", "1", sets)
	if err := r.machines(ctx, 4); err != nil {
		return err
	}
	r.expect("a Machine of md0 is kept", "true", "true", r.kept(before, of("md0")) > 0)
	return nil
}

// threeControlPlanes lets the control plane have three Machines: of one alone none is updated in place.
//
// Source: controlplane/kubeadm/reconcilers/kubeadmcontrolplane/update.go, rollingUpdate.
func threeControlPlanes(ctx context.Context, r *run) error {
	err := r.editCluster(ctx, func(o *object) { put(o, topologyControlPlane, "replicas", int64(3)) })
	if err != nil {
		return err
	}
	return r.machines(ctx, 6)
}

// updateInProgress is on a Machine while it is updated.
const updateInProgress = "in-place-updates.internal.cluster.x-k8s.io/update-in-progress"

// inPlaceControlPlane changes what usually replaces the Machines of a control plane: two of three are updated.
func inPlaceControlPlane(ctx context.Context, r *run) error {
	before := r.record.list("Machine", ofControlPlane)
	plane, err := r.first("KubeadmControlPlane", nil)
	if err != nil {
		return err
	}
	_, err = r.edit(ctx, "alice", controlPlane, plane.GetKind(), plane.GetName(), func(o *object) {
		put(o, "spec/kubeadmConfigSpec", "preKubeadmCommands", []any{"true"})
	})
	if err != nil {
		return err
	}
	err = r.until(ctx, "the bootstrap configurations of the control plane have the command", func() error {
		for _, config := range r.record.list("KubeadmConfig", ofControlPlane) {
			if commands := fmt.Sprint(mapAt(config, "spec")["preKubeadmCommands"]); commands != "[true]" {
				return fmt.Errorf("%s has %s", config.GetName(), commands)
			}
		}
		for _, machine := range r.record.list("Machine", ofControlPlane) {
			if _, still := machine.GetAnnotations()[updateInProgress]; still {
				return fmt.Errorf("%s is being updated", machine.GetName())
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.machines(ctx, 6); err != nil {
		return err
	}
	r.expect("Machines of the control plane are kept", "true", "true", r.kept(before, ofControlPlane) > 0)
	return nil
}

// editMoved lets Alice change what propagates to Machines that have changed their MachineSet.
func editMoved(ctx context.Context, r *run) error {
	pause(ctx, cached)
	for _, machine := range r.record.list("Machine", of("md0")) {
		patched, err := r.people["alice"].Patch(ctx, machine, `{"metadata":{"labels":{"owner":"edited"}}}`)
		if err != nil {
			return err
		}
		r.expect("label owner of a moved Machine when it is changed", "edited", "team", patched.GetLabels()["owner"])
		if err := r.restored(ctx, "Machine", machine.GetName(), "team"); err != nil {
			return err
		}
	}
	r.people["alice"].Warnings.Take()
	return nil
}

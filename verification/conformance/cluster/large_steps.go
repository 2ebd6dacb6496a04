package main

import (
	"context"
	"fmt"
	"time"

	"conformance/harness"
)

// patience is how long a step of a large fleet may take.
const patience = 20 * time.Minute

// largeStep is something that happens to every Cluster of a fleet.
type largeStep struct {
	name string
	// write is what people do.
	write func(context.Context, *run, size) error
	// machines is how many there are afterwards, and done what is wrong with one until the step is over.
	machines func(size) int
	done     func(machine *object) error
}

// The label that is added to the class, the version to which Clusters are upgraded, and how many workers are left in the end.
const (
	largeLabel    = "example.com/cost-centre"
	largeVersion  = "v1.35.0"
	largeReplicas = 1
)

func everyOne(of size) int { return of.Clusters * of.Machines }

var largeSteps = []largeStep{
	{
		name: "create", machines: everyOne,
		write: func(ctx context.Context, r *run, of size) error {
			class, err := r.manifests("class.yaml")
			if err != nil {
				return err
			}
			for _, o := range class {
				if o.GetKind() == "ClusterClass" {
					// The provider has no pools in memory.
					drop(o, "spec/workers", "machinePools")
				}
				if _, err := r.people["bob"].Create(ctx, o); err != nil {
					return err
				}
			}
			for number := range of.Clusters {
				o, err := r.largeCluster(number, of)
				if err != nil {
					return err
				}
				if _, err := r.people["alice"].Create(ctx, o); err != nil {
					return err
				}
			}
			return nil
		},
		done: func(machine *object) error {
			if harness.Text(machine, "status", "phase") != "Running" {
				return fmt.Errorf("%s is not running", machine.GetName())
			}
			return nil
		},
	},
	{
		name: "label", machines: everyOne,
		write: func(ctx context.Context, r *run, of size) error {
			return r.editClass(ctx, func(o *object) {
				for _, place := range []string{classControlPlane, classWorker} {
					put(o, place+labels, largeLabel, "4711")
				}
			})
		},
		done: func(machine *object) error {
			if machine.GetLabels()[largeLabel] == "" {
				return fmt.Errorf("%s has no label %s", machine.GetName(), largeLabel)
			}
			return nil
		},
	},
	{
		name: "upgrade", machines: everyOne,
		write: func(ctx context.Context, r *run, of size) error {
			return r.editClusters(ctx, of, func(o *object) { put(o, "spec/topology", "version", largeVersion) })
		},
		done: func(machine *object) error {
			if harness.Text(machine, "spec", "version") != largeVersion || harness.Text(machine, "status", "phase") != "Running" {
				return fmt.Errorf("%s does not run %s", machine.GetName(), largeVersion)
			}
			return nil
		},
	},
	{
		name: "scale down", machines: func(of size) int { return of.Clusters * (1 + largeReplicas) },
		write: func(ctx context.Context, r *run, of size) error {
			return r.editClusters(ctx, of, func(o *object) { put(o, topologyMD0, "replicas", int64(largeReplicas)) })
		},
		done: func(*object) error { return nil },
	},
}

// largeCluster is one Cluster of a fleet: a Machine of the control plane, and the others in one MachineDeployment.
func (r *run) largeCluster(number int, of size) (*object, error) {
	objects, err := r.manifests("cluster.yaml")
	if err != nil {
		return nil, err
	}
	o := objects[0]
	o.SetName(fmt.Sprintf("c%02d", number))
	deployment := mapAt(o, topologyMD0)
	deployment["replicas"] = int64(of.Machines - 1)
	// One Machine after the other would take hours.
	deployment["rollout"] = map[string]any{"strategy": map[string]any{
		"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxSurge": "50%", "maxUnavailable": int64(0)},
	}}
	workers := mapAt(o, "spec/topology/workers")
	workers["machineDeployments"] = []any{deployment}
	delete(workers, "machinePools")
	// The example holds back upgrades, and has a label that Cluster API sets itself.
	for _, place := range []string{topologyControlPlane, topologyMD0} {
		delete(mapAt(o, place+"/metadata"), "annotations")
		drop(o, place+labels, clusterName)
	}
	return o, nil
}

// editClusters edits every Cluster of a fleet.
func (r *run) editClusters(ctx context.Context, of size, change func(*object)) error {
	for number := range of.Clusters {
		if _, err := r.edit(ctx, "alice", core, "Cluster", fmt.Sprintf("c%02d", number), change); err != nil {
			return err
		}
	}
	return nil
}

// over waits until a step is over, and nothing changes any more.
func (s largeStep) over(ctx context.Context, r *run, of size) error {
	count := s.machines(of)
	err := r.Await(ctx, fmt.Sprintf("%d Machines", count), patience, func() error {
		if _, err := r.record.quiet(); err != nil {
			return err
		}
		machines := r.record.list("Machine", nil)
		if len(machines) != count {
			return fmt.Errorf("there are %d", len(machines))
		}
		for _, machine := range machines {
			if err := s.done(machine); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.settleWithin(ctx, patience)
}

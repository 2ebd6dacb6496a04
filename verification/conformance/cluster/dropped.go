package main

import (
	"context"
	"errors"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// dropped lets a source gain something and lose it again before the controllers that propagate it have applied it once.
// Meanwhile they may not write, and everything else that they do goes on, so that their caches are those of production.
// What the policy set while it was there must go as if the policy had not been there.
func (r *run) dropped(ctx context.Context, of []provider, source func(present bool) error, write, gone func() error) error {
	bindings, err := r.withdraw(ctx, of)
	if err != nil {
		return err
	}
	if err := source(true); err != nil {
		return err
	}
	// Until then the host may answer with the source as it was.
	pause(ctx, cached)
	if err := write(); err != nil {
		return err
	}
	if err := source(false); err != nil {
		return err
	}
	pause(ctx, cached)
	for _, binding := range bindings {
		binding.ResourceVersion = ""
		if _, err := r.API.Typed.RbacV1().ClusterRoleBindings().Create(ctx, &binding, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	if err := r.mayWrite(ctx, of, true); err != nil {
		return err
	}
	return gone()
}

// withdraw takes the permissions of managers away, and returns what gives them back.
func (r *run) withdraw(ctx context.Context, of []provider) ([]rbacv1.ClusterRoleBinding, error) {
	all, err := r.API.Typed.RbacV1().ClusterRoleBindings().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var withdrawn []rbacv1.ClusterRoleBinding
	for _, binding := range all.Items {
		for _, p := range of {
			if !binds(&binding, p) {
				continue
			}
			withdrawn = append(withdrawn, binding)
			err := r.API.Typed.RbacV1().ClusterRoleBindings().Delete(ctx, binding.Name, metav1.DeleteOptions{})
			if err != nil {
				return nil, err
			}
			break
		}
	}
	return withdrawn, r.mayWrite(ctx, of, false)
}

func binds(binding *rbacv1.ClusterRoleBinding, p provider) bool {
	for _, subject := range binding.Subjects {
		if subject.Kind == "ServiceAccount" && subject.Namespace == p.namespace && subject.Name == p.account {
			return true
		}
	}
	return false
}

// mayWrite waits until managers may write Machines, or may not.
func (r *run) mayWrite(ctx context.Context, of []provider, allowed bool) error {
	for _, p := range of {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "system:serviceaccount:" + p.namespace + ":" + p.account,
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: namespace, Verb: "patch", Group: "cluster.x-k8s.io", Resource: "machines",
			},
		}}
		err := r.until(ctx, fmt.Sprintf("%s may write: %t", p.name, allowed), func() error {
			answer, err := r.API.Typed.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
			if err == nil && answer.Status.Allowed != allowed {
				err = fmt.Errorf("it may: %t", answer.Status.Allowed)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// droppedLevels are the derived objects from the topmost down: what is set on one is propagated from there to the next.
var droppedLevels = [][]string{
	{"KubeadmControlPlane", "MachineDeployment", "MachinePool"}, {"MachineSet"}, {"Machine", "DevMachine", "KubeadmConfig"},
}

// droppedSeconds is a timeout that the topology has for a while.
const droppedSeconds = 33

// setAndDropped adds a label, an annotation, an item of each list and a field to the topology while Cluster API's
// managers cannot write, writes everything derived from it, and takes them out of the topology again.
func setAndDropped(ctx context.Context, r *run) error {
	return r.dropped(ctx, []provider{providers[0], providers[2]}, r.topologyDrops(ctx), func() error {
		for _, kinds := range droppedLevels {
			for _, d := range derived {
				for _, kind := range kinds {
					if d.kind != kind {
						continue
					}
					for _, o := range r.record.list(kind, d.labels) {
						if err := r.expectDropped(ctx, o, kind+" of "+place(d.labels)); err != nil {
							return err
						}
					}
				}
			}
			pause(ctx, cached)
		}
		return nil
	}, func() error {
		// The topology controller waits ever longer between two tries: an edit of the Cluster ends that. From there on each
		// controller sees what the one above it writes.
		if err := r.nudge(ctx, "Cluster"); err != nil {
			return err
		}
		return r.goes(ctx, func() error {
			for _, d := range derived {
				for _, o := range r.record.list(d.kind, d.labels) {
					if value, is := o.GetLabels()["dropped"]; is {
						return fmt.Errorf("%s %s has dropped: %s", d.kind, o.GetName(), value)
					}
				}
			}
			return nil
		})
	})
}

// topologyDrops puts what is dropped into the topology, or takes it out.
func (r *run) topologyDrops(ctx context.Context) func(bool) error {
	// What the steps before have left there.
	taints, gates := sourceTaints[len(sourceTaints)-1:], sourceGates[:1]
	return func(present bool) error {
		return r.editCluster(ctx, func(o *object) {
			for _, place := range []string{topologyControlPlane, topologyMD0, topologyMP0} {
				// A MachinePool has neither list.
				lists := place != topologyMP0
				if present {
					put(o, place+labels, "dropped", inSource)
					put(o, place+annotations, "dropped-note", inSource)
					put(o, place+"/deletion", "nodeDeletionTimeoutSeconds", int64(droppedSeconds))
				} else {
					drop(o, place+labels, "dropped")
					drop(o, place+annotations, "dropped-note")
					drop(o, place+"/deletion", "nodeDeletionTimeoutSeconds")
					if len(mapAt(o, place+"/deletion")) == 0 {
						drop(o, place, "deletion")
					}
				}
				switch {
				case lists && present:
					put(o, place, "taints", append([]any{taint("dropped", inSource)}, taints...))
					put(o, place, "readinessGates", append([]any{negative("NodeHealthy")}, gates...))
				case lists:
					put(o, place, "taints", taints)
					put(o, place, "readinessGates", gates)
				}
			}
		})
	}
}

// negative is a gate with a second field, whose owner is an item's own too.
func negative(condition string) map[string]any {
	return map[string]any{"conditionType": condition, "polarity": "Negative"}
}

// expectDropped lets Alice write an object, and notes what the policy has set.
func (r *run) expectDropped(ctx context.Context, o *object, what string) error {
	written, err := r.people["alice"].Patch(ctx, o, `{"metadata":{"annotations":{"look":"again"}}}`)
	if err != nil {
		return err
	}
	if _, err := r.people["alice"].Patch(ctx, o, `{"metadata":{"annotations":{"look":null}}}`); err != nil {
		return err
	}
	r.people["alice"].Warnings.Take()
	r.expect("label dropped of a "+what, "", inSource, written.GetLabels()["dropped"])
	r.expect("annotation dropped-note of a "+what, "", inSource, written.GetAnnotations()["dropped-note"])
	if o.GetKind() == "Machine" {
		spec, is := written.Object["spec"].(map[string]any)
		if !is {
			return errors.New("a Machine without spec")
		}
		r.expect("taint dropped of a "+what, "false", "true", hasItem(spec["taints"], "key", "example.com/dropped"))
		r.expect("readiness gate NodeHealthy of a "+what, "false", "true", hasItem(spec["readinessGates"], "conditionType", "NodeHealthy"))
		seconds := mapAt(written, "spec/deletion")["nodeDeletionTimeoutSeconds"]
		r.expect("nodeDeletionTimeoutSeconds of a "+what+" is the dropped one", "false", "true", seconds == int64(droppedSeconds))
	}
	return nil
}

// hasItem is whether a list has an item with a value in a field.
func hasItem(list any, field, value string) bool {
	items, _ := list.([]any)
	for _, item := range items {
		if fields, is := item.(map[string]any); is && fields[field] == value {
			return true
		}
	}
	return false
}

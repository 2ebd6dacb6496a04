// Package vectors asks Cluster API's own functions about generated fleets. It knows no rule of propagation: what an
// object must carry is what they return.
package vectors

import (
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"conformance/fleet"
)

// dice draws what is typed, over what every edition draws.
type dice struct{ fleet.Dice }

// topic gives the typed dice to a function.
func topic(name string, make func(dice) []any) fleet.Topic {
	return fleet.Topic{Name: name, Make: func(d fleet.Dice) []any { return make(dice{d}) }}
}

func pick[T any](d dice, from []T) T { return fleet.Pick(d.Dice, from) }

func some[T any](d dice, percent int, value func() T) *T { return fleet.Some(d.Dice, percent, value) }

// metadata is a block as a user may write it into any propagating place.
func (d dice) metadata() clusterv1.ObjectMeta {
	return clusterv1.ObjectMeta{Labels: d.Labels(), Annotations: d.Annotations()}
}

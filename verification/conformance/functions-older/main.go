// Command functions-older writes the vectors of older editions of Cluster API: v1.6 as it is, v1.9 with
// `-modfile v1.9.mod -tags v1.9`.
package main

import (
	"flag"
	"fmt"
	"log"

	utilrand "k8s.io/apimachinery/pkg/util/rand"

	"conformance/fleet"
)

func main() {
	folder := flag.String("out", "../../../testdata/conformance", "folder of the vectors")
	seed := flag.Uint64("seed", 14, "the fleets' seed")
	flag.Parse()
	topic := fleet.Topic{Name: "older-" + edition, Make: vectors}
	count, err := topic.Write(*folder, *seed, utilrand.Seed)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%5d %s\n", count, topic.Name)
}

func vectors(d fleet.Dice) []any {
	var all []fleet.Vector
	for range 40 {
		for _, make := range []func(dice) []fleet.Vector{
			machineSetVectors, machineVectors, controlPlaneMachineVectors, poolMachineVectors, partVectors, nodeVectors,
		} {
			all = append(all, make(dice{d})...)
		}
	}
	return append(fleet.Numbered(all), names(dice{d}, 40)...)
}

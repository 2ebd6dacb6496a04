package vectors

import (
	"hash/fnv"
	"math/rand/v2"

	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// dice makes every choice of a topic. The same seed and topic throw the same numbers, whatever the other topics do.
type dice struct{ *rand.Rand }

// newDice seeds our choices, and the random endings that Cluster API gives to generated names.
func newDice(seed uint64, topic string) dice {
	hash := fnv.New64a()
	hash.Write([]byte(topic))
	utilrand.Seed(int64(seed ^ hash.Sum64()))
	return dice{rand.New(rand.NewPCG(seed, hash.Sum64()))}
}

// in says yes that many times of a hundred.
func (d dice) in(percent int) bool { return d.IntN(100) < percent }

// between is inclusive.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

func pick[T any](d dice, from []T) T { return from[d.IntN(len(from))] }

// some returns a pointer to a value, or nothing.
func some[T any](d dice, percent int, value func() T) *T {
	if !d.in(percent) {
		return nil
	}
	chosen := value()
	return &chosen
}

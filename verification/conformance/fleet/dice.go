package fleet

import (
	"hash/fnv"
	"math/rand/v2"
)

// Dice makes every choice of a topic. The same seed and topic throw the same numbers, whatever the other topics do.
type Dice struct{ *rand.Rand }

// NewDice seeds our choices. seedNames seeds those of Cluster API: the random endings of generated names.
func NewDice(seed uint64, topic string, seedNames func(int64)) Dice {
	hash := fnv.New64a()
	hash.Write([]byte(topic))
	seedNames(int64(seed ^ hash.Sum64()))
	return Dice{rand.New(rand.NewPCG(seed, hash.Sum64()))}
}

// In says yes that many times of a hundred.
func (d Dice) In(percent int) bool { return d.IntN(100) < percent }

// Between is inclusive.
func (d Dice) Between(low, high int) int { return low + d.IntN(high-low+1) }

// Pick draws one.
func Pick[T any](d Dice, from []T) T { return from[d.IntN(len(from))] }

// Some returns a pointer to a value, or nothing.
func Some[T any](d Dice, percent int, value func() T) *T {
	if !d.In(percent) {
		return nil
	}
	chosen := value()
	return &chosen
}

package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// measured is what posting reviews took: how many were answered in a second, and milliseconds of one.
type measured struct{ throughput, median, p99 float64 }

// ofPolicy are the recorded reviews of the policy for Cluster API, to be posted to a policy.
func ofPolicy(exchanges []exchange, policy string) []exchange {
	var of []exchange
	for _, exchange := range exchanges {
		if exchange.Policy == clusterPolicy {
			exchange.Policy = policy
			of = append(of, exchange)
		}
	}
	return of
}

// load posts each review once.
func load(server *server, exchanges []exchange, connections int) (measured, error) {
	begin := time.Now()
	times, err := post(server, exchanges, connections, nil)
	if err != nil {
		return measured{}, err
	}
	at := func(share float64) float64 { return times[int(share*float64(len(times)-1))].Seconds() * 1000 }
	return measured{float64(len(times)) / time.Since(begin).Seconds(), at(0.5), at(0.99)}, nil
}

// throughput is what three policies cost, over a number of connections.
type throughput struct {
	connections             int
	nothing, ordinary, with measured
}

// share is the policy's throughput as a share of the no-op's.
func (t throughput) share() float64 { return t.with.throughput / t.nothing.throughput }

// rounds is how often each policy is measured, in turn with the others. The median counts.
const rounds = 5

func throughputs(server *server, exchanges []exchange) ([]throughput, error) {
	var all []throughput
	for _, connections := range []int{1, 8, 32} {
		policies := []string{noopPolicy, ordinaryPolicy, clusterPolicy}
		of := make([][]measured, len(policies))
		for range rounds {
			for number, policy := range policies {
				one, err := load(server, ofPolicy(exchanges, policy), connections)
				if err != nil {
					return nil, err
				}
				of[number] = append(of[number], one)
			}
		}
		row := throughput{connections, middle(of[0]), middle(of[1]), middle(of[2])}
		fmt.Printf("%d connections: %.0f reviews/s with the policy, %.2f of the no-op's\n", connections, row.with.throughput, row.share())
		all = append(all, row)
	}
	return all, nil
}

func middle(all []measured) measured {
	slices.SortFunc(all, func(a, b measured) int { return cmp.Compare(a.throughput, b.throughput) })
	return all[len(all)/2]
}

// memory is what a PolicyServer has resident after some time of load.
type memory struct {
	minute, megabytes, reviews int
}

// watch posts reviews for some minutes, and tells the memory after each.
func watch(server *server, exchanges []exchange, minutes int) ([]memory, error) {
	all := []memory{{0, server.resident(), 0}}
	reviews := ofPolicy(exchanges, clusterPolicy)
	posted, begin := 0, time.Now()
	for len(all) <= minutes {
		if _, err := post(server, reviews, 8, nil); err != nil {
			return nil, err
		}
		posted += len(reviews)
		if minute := int(time.Since(begin).Minutes()); minute >= len(all) {
			all = append(all, memory{minute, server.resident(), posted})
			fmt.Printf("%d reviews in %d minutes: %d MB\n", posted, minute, server.resident())
		}
	}
	return all, nil
}

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

// throughput is what policies cost, over a number of connections.
type throughput struct {
	connections int
	// of has each policy's, by its name.
	of map[string]measured
}

// share is the policy's throughput as a share of another's.
func (t throughput) share(policy string) float64 {
	return t.of[clusterPolicy].throughput / t.of[policy].throughput
}

// rounds is how often each policy is measured, in turn with the others. The median counts.
const rounds = 5

// throughputs measures the policy beside others, over each number of connections.
func throughputs(server *server, exchanges []exchange, others []string, connections []int) ([]throughput, error) {
	var all []throughput
	policies := append(slices.Clone(others), clusterPolicy)
	for _, connections := range connections {
		of := map[string][]measured{}
		for range rounds {
			for _, policy := range policies {
				one, err := load(server, ofPolicy(exchanges, policy), connections)
				if err != nil {
					return nil, err
				}
				of[policy] = append(of[policy], one)
			}
		}
		row := throughput{connections, map[string]measured{}}
		for policy, all := range of {
			row.of[policy] = middle(all)
		}
		fmt.Printf("%d connections: %.0f reviews/s with the policy", connections, row.of[clusterPolicy].throughput)
		for _, policy := range others {
			fmt.Printf(", %.2f of %s (%.0f)", row.share(policy), policy, row.of[policy].throughput)
		}
		fmt.Println()
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

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// burst is what became of reviews that came all at once.
type burst struct {
	// delay is how long the API server takes for a read.
	delay             time.Duration
	replicas, workers int
	reviews, answered int
	// last is the time of the last answer that came in time.
	last time.Duration
}

// created is how many Machines come at once, each with its infrastructure and its bootstrap configuration.
const created = 100

// bursts lets 100 Machines and their parts be created at once by somebody who is not listed in `clusterApi.controllers`: each review
// reads other objects, and reads them again past the cache before it is answered with a patch. `workers` is KUBEWARDEN_WORKERS.
func bursts(folder, policies string, api *api, exchanges []exchange) ([]burst, error) {
	creations, err := creationsOf(exchanges)
	if err != nil {
		return nil, err
	}
	defer api.suffer(none)
	var all []burst
	for _, delay := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond} {
		for _, workers := range []int{2, 8, 32} {
			for _, replicas := range []int{1, 2, 3} {
				one, err := burstOf(folder, policies, api, creations, burst{delay: delay, replicas: replicas, workers: workers})
				if err != nil {
					return nil, err
				}
				fmt.Printf("%v for a read, %d replicas of %d workers: %d of %d answered within %.0f s, the last after %.1f s\n",
					delay, replicas, workers, one.answered, one.reviews, patience.Seconds(), one.last.Seconds())
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// creationsOf are recorded reviews that create Machines and their parts and are answered with a patch, as often as it takes.
func creationsOf(exchanges []exchange) ([]exchange, error) {
	byKind := map[string][]exchange{}
	for _, exchange := range ofPolicy(exchanges, clusterPolicy) {
		var review struct {
			Request struct {
				Operation string
				Kind      struct{ Kind string }
			}
		}
		if err := json.Unmarshal(exchange.Review, &review); err != nil {
			return nil, err
		}
		if kind := review.Request.Kind.Kind; review.Request.Operation == "CREATE" && len(exchange.Expected.Patch) > 0 {
			byKind[kind] = append(byKind[kind], exchange)
		}
	}
	var all []exchange
	for number := range created {
		for _, kind := range []string{"Machine", "DevMachine", "KubeadmConfig"} {
			if of := byKind[kind]; len(of) > 0 {
				all = append(all, of[number%len(of)])
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no recorded review creates a Machine or its parts and gets a patch")
	}
	return all, nil
}

func burstOf(folder, policies string, api *api, reviews []exchange, found burst) (burst, error) {
	if err := os.Setenv("KUBEWARDEN_WORKERS", strconv.Itoa(found.workers)); err != nil {
		return found, err
	}
	defer os.Unsetenv("KUBEWARDEN_WORKERS")
	api.delay(0)
	var servers []*server
	for range found.replicas {
		server, err := startServer(folder, policies, api.address)
		if err != nil {
			return found, err
		}
		defer server.stop()
		servers = append(servers, server)
	}
	balancer, err := balance(servers...)
	if err != nil {
		return found, err
	}
	defer close(balancer.done)
	api.delay(found.delay)
	front := &server{address: balancer.address}
	client := &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: len(reviews)}}
	var lock sync.Mutex
	var posting sync.WaitGroup
	var wrong string
	begin := time.Now()
	for _, exchange := range reviews {
		posting.Go(func() {
			body, err := front.post(client, exchange.Policy, exchange.Review)
			took := time.Since(begin)
			lock.Lock()
			defer lock.Unlock()
			switch {
			case os.IsTimeout(err):
			case err != nil:
				wrong = err.Error()
			case differs(exchange, body) != "":
				wrong = differs(exchange, body)
			default:
				found.answered++
				found.last = max(found.last, took)
			}
		})
	}
	posting.Wait()
	found.reviews = len(reviews)
	if wrong != "" {
		return found, fmt.Errorf("an answer of a burst: %s", wrong)
	}
	return found, nil
}

// printBursts measures bursts alone.
func printBursts(folder string) error {
	api, exchanges, err := recorded(folder)
	if err != nil {
		return err
	}
	all, err := bursts(folder, filepath.Join(folder, "policies.yml"), api, exchanges)
	if err != nil {
		return err
	}
	burstsPage(all, func(format string, values ...any) { fmt.Printf(format+"\n", values...) })
	return nil
}

// burstsPage is the table of bursts.
func burstsPage(all []burst, line func(string, ...any)) {
	line("\n## A burst\n")
	line("%d Machines are created at once, each with its infrastructure and bootstrap configuration, by a controller that is not listed in", created)
	line("`clusterApi.controllers`. Every review reads other objects from the cache of the PolicyServer, and past the cache before it is answered")
	line("with a patch. The API server waits ten seconds for an answer. A worker evaluates one review at a time and waits for its reads, so")
	line("`KUBEWARDEN_WORKERS` (by default the number of cores) and replicas multiply what is read at the same time.\n")
	line("| ms of the API server for a read | workers | replicas | reviews | answered within 10 s | the last one after s |")
	line("| --: | --: | --: | --: | --: | --: |")
	for _, one := range all {
		line("| %d | %d | %d | %d | %d | %.1f |", one.delay.Milliseconds(), one.workers, one.replicas, one.reviews, one.answered, one.last.Seconds())
	}
}

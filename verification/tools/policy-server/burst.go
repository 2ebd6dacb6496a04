package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// burst is what became of reviews that came all at once.
type burst struct {
	what string
	// delay is how long the API server takes for a read.
	delay             time.Duration
	replicas, workers int
	reviews, answered int
	// last is the time of the last answer that came in time.
	last time.Duration
}

// burstMachines is how many Machines are created at once.
const burstMachines = 100

// kindsOfBursts are who writes, which recorded reviews that are, and how many of each kind there are for a Machine.
var kindsOfBursts = []struct {
	what, operation, by string
	kinds               []string
}{
	// As often as in a recorded life.
	{"its infrastructure provider updates", "UPDATE", ":capd-manager", []string{"DevMachine", "DevMachine", "DevMachine", "Machine", "Machine"}},
	{"a controller that is not listed creates", "CREATE", "", []string{"Machine", "DevMachine", "KubeadmConfig"}},
}

// bursts lets 100 Machines come at once. `workers` is KUBEWARDEN_WORKERS.
func bursts(folder, policies string, api *api, exchanges []exchange) ([]burst, error) {
	defer api.suffer(none)
	var all []burst
	for _, kind := range kindsOfBursts {
		reviews, err := reviewsOf(api, exchanges, kind.operation, kind.by, kind.kinds)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind.what, err)
		}
		for _, delay := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond} {
			for _, workers := range []int{2, 8} {
				for _, replicas := range []int{1, 2, 3} {
					one, err := burstOf(folder, policies, api, reviews, burst{what: kind.what, delay: delay, replicas: replicas, workers: workers})
					if err != nil {
						return nil, err
					}
					fmt.Printf("%s, %v for a read, %d replicas of %d workers: %d of %d answered within %.0f s, the last after %.1f s\n",
						kind.what, delay, replicas, workers, one.answered, one.reviews, patience.Seconds(), one.last.Seconds())
					all = append(all, one)
				}
			}
		}
	}
	return all, nil
}

// reviewsOf are recorded reviews, as often as it takes: those of each Machine have a name of their own, and the API has its Machine.
func reviewsOf(api *api, exchanges []exchange, operation, by string, kinds []string) ([]exchange, error) {
	byKind := map[string][]exchange{}
	for _, exchange := range ofPolicy(exchanges, clusterPolicy) {
		var review struct {
			Request struct {
				Operation string
				Kind      struct{ Kind string }
				UserInfo  struct{ Username string }
			}
		}
		if err := json.Unmarshal(exchange.Review, &review); err != nil {
			return nil, err
		}
		request := review.Request
		if request.Operation == operation && strings.HasSuffix(request.UserInfo.Username, by) {
			byKind[request.Kind.Kind] = append(byKind[request.Kind.Kind], exchange)
		}
	}
	var all []exchange
	for number := range burstMachines {
		for _, kind := range kinds {
			if of := byKind[kind]; len(of) > 0 {
				renamed, err := api.another(of[number%len(of)], fmt.Sprintf("-burst%d", number))
				if err != nil {
					return nil, err
				}
				all = append(all, renamed)
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("there is no such recorded review")
	}
	return all, nil
}

// another is an exchange about other Machines, which the API has from then on: their names end in a suffix.
func (a *api) another(of exchange, suffix string) (exchange, error) {
	a.lock.Lock()
	defer a.lock.Unlock()
	for path, answer := range maps.Clone(a.answers) {
		folder, name := filepath.Split(path)
		if !strings.HasSuffix(folder, "/machines/") || strings.Contains(name, "-burst") || !strings.Contains(string(of.Review), `"`+name+`"`) {
			continue
		}
		rename := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte(name), []byte(name+suffix)) }
		a.answers[path+suffix] = rename(answer)
		of.Review = rename(of.Review)
		answered, err := json.Marshal(of.Expected)
		if err != nil {
			return of, err
		}
		of.Expected = expected{}
		if err := json.Unmarshal(rename(answered), &of.Expected); err != nil {
			return of, err
		}
	}
	return of, nil
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
	line("\n## Bursts\n")
	line("%d Machines come at once. With the match conditions of `deploy/`, the reviews are those of the infrastructure provider, about five for", burstMachines)
	line("each Machine; a controller that creates Machines and is not listed in `clusterApi.controllers` sends three more. The API server waits ten")
	line("seconds for an answer. Before Kubewarden 1.38, a PolicyServer fills its cache with one read at a time, so only more replicas help there.")
	line("What is read past the cache, before an object is completed, is read by as many workers at a time as the PolicyServer has:")
	line("`KUBEWARDEN_WORKERS` in its `spec.env`, by default the number of cores.\n")
	line("| what happens | ms of the API server for a read | workers | replicas | reviews | answered within 10 s | the last one after s |")
	line("| --- | --: | --: | --: | --: | --: | --: |")
	for _, one := range all {
		line("| %s | %d | %d | %d | %d | %d | %.1f |", one.what, one.delay.Milliseconds(), one.workers, one.replicas, one.reviews, one.answered, one.last.Seconds())
	}
}

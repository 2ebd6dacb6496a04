package main

import (
	"context"
	"fmt"
	"time"

	"conformance/harness"
)

// cost is what the API server and the PolicyServer have done since they were started, or in one step.
type cost struct {
	Step string
	// Seconds until nothing changed any more; without the time for which that is watched.
	Seconds float64
	// Requests are all that the API server answered, but watches and leases. Writes are those that change objects, and Objects those
	// of them that change more than a status.
	Requests, Writes, Objects float64
	// Reviews are the calls of the policy, and Failed those that failed, after which the object was stored as it was.
	Reviews, Failed float64
	// Server and PolicyServer are seconds of processors.
	Server, PolicyServer float64
	at                   time.Time
}

func (c cost) since(before cost) cost {
	return cost{
		Seconds:  c.at.Sub(before.at).Seconds() - settled.Seconds(),
		Requests: c.Requests - before.Requests, Writes: c.Writes - before.Writes, Objects: c.Objects - before.Objects, Reviews: c.Reviews - before.Reviews,
		Failed: c.Failed - before.Failed,
		Server: c.Server - before.Server, PolicyServer: c.PolicyServer - before.PolicyServer,
	}
}

// costOf is what something costs.
func (r *run) costOf(ctx context.Context, name string, play func() error) (cost, error) {
	before, err := r.counted(ctx)
	if err != nil {
		return cost{}, err
	}
	if err := play(); err != nil {
		return cost{}, fmt.Errorf("%s: %w", name, err)
	}
	after, err := r.counted(ctx)
	if err != nil {
		return cost{}, err
	}
	of := after.since(before)
	of.Step = name
	harness.Say("%s: %-10s %5.0f s, %6.0f requests, %6.0f writes, %6.0f of objects, %5.0f reviews, %3.0f failed; CPU seconds: API server %.1f, PolicyServer %.1f",
		r.options.name(), name, of.Seconds, of.Requests, of.Writes, of.Objects, of.Reviews, of.Failed, of.Server, of.PolicyServer)
	return of, nil
}

// counted asks the API server for its metrics, and the kernel for the time of the processes.
func (r *run) counted(ctx context.Context) (cost, error) {
	now := cost{at: time.Now()}
	metrics, err := r.metrics(ctx)
	if err != nil {
		return now, err
	}
	webhook := (&harness.Webhook{Name: policyName}).Webhook()
	for _, sample := range metrics {
		verb := sample.labels["verb"]
		switch sample.name {
		case "apiserver_request_total":
			if verb == "WATCH" || sample.labels["resource"] == "leases" || sample.labels["resource"] == "" {
				continue
			}
			now.Requests += sample.value
			if verb != "GET" && verb != "LIST" && sample.labels["dry_run"] == "" {
				now.Writes += sample.value
				if sample.labels["subresource"] != "status" {
					now.Objects += sample.value
				}
			}
		case "apiserver_admission_webhook_fail_open_count":
			if sample.labels["name"] == webhook {
				now.Failed += sample.value
			}
		case "apiserver_admission_webhook_request_total":
			if sample.labels["name"] == webhook {
				now.Reviews += sample.value
			}
		}
	}
	if now.Server, err = r.Seconds("kube-apiserver"); err != nil {
		return now, err
	}
	for _, name := range r.hosts {
		seconds, err := r.Seconds(name)
		if err != nil {
			return now, err
		}
		now.PolicyServer += seconds
	}
	return now, nil
}

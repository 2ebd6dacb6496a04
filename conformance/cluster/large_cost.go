package main

import (
	"context"
	"time"

	"conformance/harness"
)

// cost is what the API server and the PolicyServer have done since they were started, or in one step.
type cost struct {
	Step string
	// Seconds until nothing changed any more; without the time for which that is watched.
	Seconds float64
	// Requests are all that the API server answered, but watches and leases. Writes are those that change objects.
	Requests, Writes float64
	// Reviews are the calls of the policy.
	Reviews float64
	// Server and PolicyServer are seconds of processors.
	Server, PolicyServer float64
	at                   time.Time
}

func (c cost) since(before cost) cost {
	return cost{
		Seconds:  c.at.Sub(before.at).Seconds() - settled.Seconds(),
		Requests: c.Requests - before.Requests, Writes: c.Writes - before.Writes, Reviews: c.Reviews - before.Reviews,
		Server: c.Server - before.Server, PolicyServer: c.PolicyServer - before.PolicyServer,
	}
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
	if r.options.policy != noPolicy {
		now.PolicyServer, err = r.Seconds(harness.PolicyServerProgram)
	}
	return now, err
}

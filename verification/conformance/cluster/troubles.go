package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"conformance/harness"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// trouble is something wrong with the policy's host for a while.
type trouble struct {
	begin, end func(context.Context, *run) error
	// felt is whether it reached the policy: a trouble that nobody feels shows nothing.
	felt func([]stepReviews) bool
}

// troubled is a scenario with steps in which reads of the policy fail. What is done in them must not wait, and in the end
// all is as if nothing had happened.
var troubled = []step{
	{name: "create", play: create},
	{name: "fields", play: fields, troubled: true},
	{name: "edit-derived", play: editDerived, troubled: true},
	{name: "deleting-machine", play: deletingMachine, troubled: true},
	{name: "healed", play: func(ctx context.Context, r *run) error { return r.lookAgain(ctx) }},
	{name: "delete", play: deleteCluster, troubled: true},
}

var shortTroubled = []string{"create", "fields", "deleting-machine"}

// permissionsWithdrawn takes the PolicyServer's permissions away: every read is forbidden.
var permissionsWithdrawn = trouble{
	begin: func(ctx context.Context, r *run) error {
		for _, o := range r.grants {
			if o.GetKind() == "ClusterRoleBinding" {
				if err := r.API.Delete(ctx, o, metav1.DeletePropagationBackground); err != nil {
					return err
				}
			}
		}
		// What the host has read already answers for a while yet.
		pause(ctx, cached)
		return nil
	},
	end: func(ctx context.Context, r *run) error {
		for _, o := range r.grants {
			if err := r.API.Ensure(ctx, o.DeepCopy()); err != nil {
				return err
			}
		}
		return nil
	},
	felt: func(counted []stepReviews) bool { return totalOthers(counted).Failed > 0 },
}

// readDelay is how long a slow API server takes for a read, and for the discovery of a kind. In these steps a write waits
// for up to five answers: they have to fit into timeoutEvalSeconds of deploy/, because a longer evaluation is refused.
const readDelay = 700 * time.Millisecond

// slowServer lets the API server take its time with each read of the policy, and answer in the end.
var slowServer = trouble{
	begin: func(ctx context.Context, r *run) error {
		return r.order(ctx, map[string]any{"readDelayMilliseconds": readDelay.Milliseconds()})
	},
	end: func(ctx context.Context, r *run) error { return r.order(ctx, map[string]any{}) },
	felt: func(counted []stepReviews) bool {
		others := totalOthers(counted)
		return others.quantile(1) >= float64(readDelay.Milliseconds())
	},
}

// How often the host restarts, and how long it is away.
const (
	restartEvery = 6 * time.Second
	away         = 2 * time.Second
)

// restartedHost restarts the host again and again: it is away for a moment, and comes back knowing nothing.
var restartedHost = trouble{
	begin: func(ctx context.Context, r *run) error {
		if err := r.restart(ctx); err != nil {
			return err
		}
		ctx, r.calm = context.WithCancel(ctx)
		go func() {
			for pause(ctx, restartEvery); ctx.Err() == nil; pause(ctx, restartEvery) {
				if err := r.restart(ctx); err != nil {
					harness.Say("%v", err)
				}
			}
		}()
		return nil
	},
	end: func(ctx context.Context, r *run) error {
		r.calm()
		pause(ctx, away)
		return nil
	},
	// The first restart of each step has to be seen, or the step does not begin.
	felt: func([]stepReviews) bool { return true },
}

// underTrouble does something while the scenario's trouble lasts, where the step says so and there is a policy.
func (r *run) underTrouble(ctx context.Context, s step, do func() error) error {
	trouble := r.options.scenario.trouble
	if trouble == nil || !s.troubled || !r.withPolicy() {
		return do()
	}
	if err := trouble.begin(ctx, r); err != nil {
		return err
	}
	r.troubled = true
	done := do()
	r.troubled = false
	return errors.Join(done, trouble.end(ctx, r))
}

// restart lets the host be away for a moment, and makes sure that it is.
func (r *run) restart(ctx context.Context) error {
	if err := r.order(ctx, map[string]any{"downMilliseconds": away.Milliseconds()}); err != nil {
		return err
	}
	code, err := r.ask(ctx, http.MethodPost, "/validate", nil)
	if err == nil && code != http.StatusServiceUnavailable {
		err = fmt.Errorf("the host answers %d while it is away", code)
	}
	return err
}

// order tells the policy's host what is wrong with it.
func (r *run) order(ctx context.Context, troubles map[string]any) error {
	body, err := json.Marshal(troubles)
	if err != nil {
		return err
	}
	code, err := r.ask(ctx, http.MethodPut, "/faults", body)
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("the host answers %d to its troubles", code)
	}
	return err
}

// ask sends something to the policy's host and returns the status of its answer.
func (r *run) ask(ctx context.Context, method, path string, body []byte) (int, error) {
	request, err := http.NewRequestWithContext(ctx, method, r.webhook+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(r.Authority.Bundle)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	return response.StatusCode, nil
}

func totalOthers(counted []stepReviews) *reviews {
	sum := total(counted, func(s *stepReviews) *reviews { return &s.Others })
	return &sum
}

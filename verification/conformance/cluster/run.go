package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"conformance/harness"
)

// The policies that a run can have.
const (
	observe           = "observe"
	module            = "module"
	stampTime         = "stamp-time"
	rollMachines      = "roll-machines"
	cachedWrites      = "cached-writes"
	refuseFailedReads = "refuse-failed-reads"
	forgetOwners      = "forget-owners"
)

// policies are all of them, and whether the compiled module answers.
var policies = map[string]bool{
	observe: false, module: true, stampTime: false, rollMachines: false, cachedWrites: true, refuseFailedReads: true,
	forgetOwners: true,
}

// options say what one run is.
type options struct {
	scenario *scenario
	// policy is one of the webhook's.
	policy string
	// module is the compiled policy.
	module string
	// steps names the steps to run; empty is all of them.
	steps []string
	// clusterAPI is the edition of the managers.
	clusterAPI *clusterAPI
}

// name is the run's, in messages and as a folder.
func (o *options) name() string {
	if o.clusterAPI != nil && o.clusterAPI.older {
		return o.scenario.name + "-" + o.policy + "-" + o.clusterAPI.name
	}
	return o.scenario.name + "-" + o.policy
}

// run is one API server with its controllers, and what happened there.
type run struct {
	*harness.Server
	options  options
	programs programs
	root     string
	people   map[string]*client
	record   record
	result   result
	// standing is a mark in the record: what was before belongs to earlier steps.
	standing int
	// webhook is the address of the policy's host, and hosts the names of PolicyServers whose processor time is counted.
	webhook string
	hosts   []string
	// troubled is whether something is wrong with it now, and calm ends what goes on meanwhile.
	troubled bool
	calm     context.CancelFunc
	// grants are the PolicyServer's permissions.
	grants []*object
	// provider is the controller of a control plane that Cluster API does not know, where there is one.
	provider *otherController
}

// play starts everything, runs the scenario, and ends everything.
func play(ctx context.Context, options options, programs programs, root, directory string) (*result, error) {
	r, err := newRun(options, programs, root, directory)
	if err != nil {
		return nil, err
	}
	// Ended by the context or by return, nothing is left behind.
	defer r.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	begin := time.Now()
	for _, start := range []func(context.Context) error{r.StartControlPlane, r.startManagers, r.startK3s, r.startPolicy, r.meetPeople} {
		if err := start(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.record.watchAll(ctx, r.API, namespace, options.clusterAPI.pools()); err != nil {
		return nil, err
	}
	if options.scenario.k3s {
		if err := r.record.watch(ctx, r.API, namespace, k3sKinds); err != nil {
			return nil, err
		}
	}
	harness.Say("%s: the API server and Cluster API's managers are up after %.0f s", options.name(), time.Since(begin).Seconds())
	for _, step := range options.scenario.steps {
		if len(options.steps) > 0 && !contains(options.steps, step.name) {
			continue
		}
		stuck := r.take(ctx, step)
		if err := errors.Join(ctx.Err(), r.Alive()); err != nil {
			return nil, err
		}
		if stuck == nil {
			continue
		}
		stuck = fmt.Errorf("%s: step %s: %w", options.name(), step.name, stuck)
		if options.policy == observe {
			return nil, stuck
		}
		// What goes on without the policy and not with it is what the comparison looks for.
		r.result.Stuck = stuck.Error()
		harness.Say("%v", stuck)
		break
	}
	if r.result.Reviews, err = readJournal(r.Journal(), r.result.Steps, options.scenario.anybody); err != nil {
		return nil, err
	}
	if options.scenario.trouble != nil && r.withPolicy() {
		r.result.Unfelt = !options.scenario.trouble.felt(r.result.Reviews)
	}
	r.result.Seconds = time.Since(begin).Seconds()
	return &r.result, nil
}

// newRun makes the folder of a run anew, with a certificate authority.
func newRun(options options, programs programs, root, directory string) (*run, error) {
	server, err := harness.NewServer(programs.controlPlane, directory)
	return &run{
		Server: server, options: options, programs: programs, root: root,
		result: result{Run: options.name(), Policy: options.policy},
	}, err
}

// startServer starts an API server with nothing installed; the caller stops it.
func startServer(ctx context.Context, programs programs, root, directory string) (*run, error) {
	r, err := newRun(options{scenario: &scenario{}}, programs, root, directory)
	if err != nil {
		return nil, err
	}
	if err := r.StartControlPlane(ctx); err != nil {
		r.Stop()
		return nil, err
	}
	return r, nil
}

// take runs one step, waits until nothing changes any more, and keeps what is there then.
func (r *run) take(ctx context.Context, s step) error {
	begin := time.Now()
	r.standing = r.record.length()
	r.result.Steps = append(r.result.Steps, stepResult{Name: s.name})
	stuck := r.underTrouble(ctx, s, func() error {
		if err := s.play(ctx, r); err != nil {
			return err
		}
		return r.settle(ctx)
	})
	reviews, err := countLines(r.Journal())
	if err != nil {
		return err
	}
	state, err := r.snapshot()
	if err != nil {
		return err
	}
	done := &r.result.Steps[len(r.result.Steps)-1]
	done.finish(r.record.since(r.standing), state, reviews, time.Since(begin))
	harness.Say("%s: %-22s %5.1f s, %4d versions of objects", r.options.name(), s.name, done.Seconds, done.Versions)
	return stuck
}

// settled is how long nothing may change before a fleet counts as settled.
const settled = 3 * time.Second

// settleWithin waits until the fleet has not changed for a while, on a machine whose load is measured.
func (r *run) settleWithin(ctx context.Context, patience time.Duration) error {
	begin := time.Now()
	return r.Await(ctx, "the fleet does not settle", patience, func() error {
		quiet, err := r.record.quiet()
		quiet = min(quiet, time.Since(begin))
		if err == nil && quiet < settled {
			err = fmt.Errorf("an object changed %v ago", quiet)
		}
		return err
	})
}

// meetPeople makes the namespace, and lets people do everything.
func (r *run) meetPeople(ctx context.Context) error {
	if err := r.LetPeople(ctx, namespace); err != nil {
		return err
	}
	r.people = map[string]*client{}
	for _, name := range []string{"alice", "bob"} {
		person, err := r.API.As(name)
		if err != nil {
			return err
		}
		r.people[name] = person
	}
	return nil
}

// withPolicy is whether the compiled module answers in this run.
func (r *run) withPolicy() bool { return policies[r.options.policy] }

func contains(list []string, wanted string) bool {
	for _, entry := range list {
		if entry == wanted {
			return true
		}
	}
	return false
}

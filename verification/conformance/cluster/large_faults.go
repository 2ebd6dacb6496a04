package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"conformance/harness"
)

// faults are what happened to the PolicyServers of a fleet.
type faults struct {
	Size  size
	Steps []fault
}

// fault is one step of the scenario: what happens to its PolicyServers meanwhile, and what `propagate check` says of the fleet
// afterwards.
type fault struct {
	About, Found string
	cost
}

// fragile is a fleet with two PolicyServers behind a balancer.
type fragile struct {
	*run
	servers  *harness.PolicyServers
	balancer *harness.Balancer
	// ports are those of the replicas, by name.
	ports map[string]int
}

// breaks are what happens in each step: before people write, and afterwards.
var breaks = map[string]struct {
	about         string
	before, after func(context.Context, *fragile) error
}{
	"create": {
		about: "the one of two that the API server is connected to is killed; it starts again",
		after: func(ctx context.Context, f *fragile) error {
			pause(ctx, 15*time.Second)
			name, err := f.killBusiest(ctx)
			if err != nil {
				return err
			}
			pause(ctx, 10*time.Second)
			return f.begin(ctx, name)
		},
	},
	"label": {
		about:  "both are away while the class is edited",
		before: func(ctx context.Context, f *fragile) error { return f.kill(ctx, "one", "two") },
		after: func(ctx context.Context, f *fragile) error {
			pause(ctx, 5*time.Second)
			return f.begin(ctx, "one", "two")
		},
	},
	"upgrade": {
		about: "the connected one is replaced by a new one, which is ready before; then the certificates change",
		after: func(ctx context.Context, f *fragile) error {
			pause(ctx, 5*time.Second)
			if err := f.begin(ctx, "three"); err != nil {
				return err
			}
			if _, err := f.killBusiest(ctx); err != nil {
				return err
			}
			pause(ctx, 5*time.Second)
			return f.renewCertificate(ctx)
		},
	},
	"scale down": {about: "nothing"},
}

// broken runs a fleet whose PolicyServers break. Every write is reviewed.
func (b *bench) broken(ctx context.Context) (*faults, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &fragile{ports: map[string]int{}}
	of := samples[1]
	var err error
	f.run, err = b.start(ctx, of, everyWrite, "broken", func(r *run, ctx context.Context) error {
		f.run = r
		return f.prepare(ctx)
	})
	if err != nil {
		return nil, err
	}
	defer f.Stop()
	defer f.balancer.Close()
	found := &faults{Size: of}
	for _, step := range largeSteps {
		happens, is := breaks[step.name]
		if !is {
			return nil, fmt.Errorf("nothing is said of step %s", step.name)
		}
		cost, err := f.costOf(ctx, step.name, func() error {
			if happens.before != nil {
				if err := happens.before(ctx, f); err != nil {
					return err
				}
			}
			if err := step.write(ctx, f.run, of); err != nil {
				return err
			}
			if happens.after != nil {
				if err := happens.after(ctx, f); err != nil {
					return err
				}
			}
			return step.over(ctx, f.run, of)
		})
		if err != nil {
			return nil, err
		}
		checked, err := f.checkAll(ctx, step.name)
		if err != nil {
			return nil, err
		}
		found.Steps = append(found.Steps, fault{happens.about, checked, cost})
	}
	return found, nil
}

// checkAll is the last line of `propagate check` about every object of the fleet: what it found.
func (r *run) checkAll(ctx context.Context, name string) (string, error) {
	dump := filepath.Join(r.Directory, name+".json")
	if err := writeDump(dump, r.record.all()); err != nil {
		return "", err
	}
	checked, err := r.programs.askPropagate(ctx, r.root, "check", dump)
	if err != nil {
		return "", err
	}
	if checked.code > 1 {
		return "", fmt.Errorf("%s: propagate check exits with %d: %s%s", name, checked.code, checked.out, checked.err)
	}
	lines := strings.Split(strings.TrimSpace(checked.out), "\n")
	last := lines[len(lines)-1]
	harness.Say("%s: %-10s %s", r.options.name(), name, last)
	return last, nil
}

// prepare starts two replicas behind a balancer.
func (f *fragile) prepare(ctx context.Context) error {
	var err error
	if f.servers, err = f.policyServers(ctx); err != nil {
		return err
	}
	if f.balancer, err = harness.NewBalancer(); err != nil {
		return err
	}
	if err := f.begin(ctx, "one", "two"); err != nil {
		return err
	}
	return f.servers.Register(ctx, f.balancer.Port)
}

// begin starts replicas, and hands connections to them when they are ready.
func (f *fragile) begin(ctx context.Context, names ...string) error {
	for _, name := range names {
		port, err := f.servers.Start(ctx, name)
		if err != nil {
			return err
		}
		f.ports[name] = port
	}
	f.use()
	return nil
}

// kill ends replicas. A second later they get no connections any more, as the endpoints of a Service.
func (f *fragile) kill(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := f.Kill(name); err != nil {
			return err
		}
		delete(f.ports, name)
	}
	pause(ctx, time.Second)
	f.use()
	return nil
}

// killBusiest kills the replica with the most connections, and returns its name.
func (f *fragile) killBusiest(ctx context.Context) (string, error) {
	for name, port := range f.ports {
		if port == f.balancer.Busiest() {
			return name, f.kill(ctx, name)
		}
	}
	return "", errors.New("the API server is connected to no PolicyServer")
}

// renewCertificate writes another certificate, and waits until every replica shows it.
func (f *fragile) renewCertificate(ctx context.Context) error {
	if err := f.servers.RenewCertificate(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, port := range f.ports {
		if err := f.servers.AwaitCertificate(ctx, port); err != nil {
			return err
		}
	}
	return nil
}

func (f *fragile) use() {
	var ports []int
	for _, port := range f.ports {
		ports = append(ports, port)
	}
	f.balancer.Use(ports...)
}

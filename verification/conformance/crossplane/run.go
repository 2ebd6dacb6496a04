package main

import (
	"context"
	"time"

	"conformance/harness"
)

// stage is what all runs of one command have in common.
type stage struct {
	programs programs
	// root is the repository's, directory the one of logs and results.
	root, directory string
	// propagate is the command line.
	propagate string
	// module is the compiled policy.
	module string
	// compared is how many objects and verdicts were compared so far.
	compared int
	// steps and roots are those of the scenario of composites that are run; empty are all of them.
	steps, roots []string
}

// run is one API server with Crossplane.
type run struct {
	*harness.Server
	programs programs
	root     string
	module   string
	name     string
	// token is the file of the PolicyServer's login, once there is one.
	token string
	// managed are the kinds of managed resources.
	managed []*kind
	// definitions are those of the composites of cases.
	definitions []*harness.Object
	// alice is a person who may do everything; what stops her is admission.
	alice *harness.Client
}

// namespace is where namespaced composites live.
const namespace = "team-a"

// start starts everything but the policy. The caller stops it, also after an error.
func (s *stage) start(ctx context.Context, name string) (*run, error) {
	begin := time.Now()
	server, err := harness.NewServer(s.programs.controlPlane, s.directory+"/"+name)
	r := &run{Server: server, programs: s.programs, root: s.root, module: s.module, name: name}
	if err != nil {
		return r, err
	}
	for _, start := range []func(context.Context) error{
		r.StartControlPlane, r.installManaged, r.startCrossplane, r.startFunctions, r.meetAlice,
	} {
		if err := start(ctx); err != nil {
			return r, err
		}
	}
	harness.Say("%s: the API server, Crossplane and its functions are up after %.0f s", name, time.Since(begin).Seconds())
	return r, nil
}

// meetAlice makes the namespaces, and lets people do everything.
func (r *run) meetAlice(ctx context.Context) error {
	if err := r.LetPeople(ctx, namespace); err != nil {
		return err
	}
	var err error
	r.alice, err = r.API.As("alice")
	return err
}

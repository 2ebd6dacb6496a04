package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"conformance/harness"
)

// life is a scenario that is played without the policy and with it.
type life struct {
	name string
	// steps are played in order. Policies that are wrong on purpose are tried with some of them only.
	steps []step
	// anybody takes the list of Cluster API's controllers away: they are users like all others.
	anybody bool
	// trouble is what is wrong with the policy's host in the steps that say so.
	trouble *trouble
	// beside names the life whose run without the policy this one is compared with; empty is its own.
	beside string
	// wrong are policies that are wrong on purpose. A comparison that does not notice them proves nothing.
	wrong []wrongPolicy
}

// wrongPolicy is one of the webhook's, and the steps that show what is wrong with it.
type wrongPolicy struct {
	policy string
	steps  []string
}

// lives are all of them.
var lives = []life{
	{name: "whole", steps: scenario, wrong: []wrongPolicy{{stampTime, short}, {rollMachines, short}}},
	{name: "anybody", steps: scenario, anybody: true, beside: "whole", wrong: []wrongPolicy{{cachedWrites, removals}}},
	{name: "forbidden", steps: troubled, trouble: &permissionsWithdrawn, wrong: []wrongPolicy{{refuseFailedReads, shortTroubled}}},
	{name: "slow", steps: troubled, trouble: &slowServer, beside: "forbidden"},
	{name: "restarted", steps: troubled, trouble: &restartedHost, beside: "forbidden"},
	{name: "maintenance", steps: maintenance},
	{name: "provider", steps: otherProvider, wrong: []wrongPolicy{{cachedWrites, providerSteps}}},
}

// removals are the steps in which keys go and values change.
var removals = []string{"create", "add-keys", "change-values", "remove-keys"}

// lifeNamed is one of lives.
func lifeNamed(name string) (*life, error) {
	var names []string
	for i := range lives {
		if lives[i].name == name {
			return &lives[i], nil
		}
		names = append(names, lives[i].name)
	}
	return nil, fmt.Errorf("there is no life %q; there are %s", name, strings.Join(names, ", "))
}

// chosen are the lives of a list of names with commas; an empty list is all of them.
func chosen(names string) ([]*life, error) {
	var found []*life
	if names == "" {
		for i := range lives {
			found = append(found, &lives[i])
		}
		return found, nil
	}
	for _, name := range strings.Split(names, ",") {
		l, err := lifeNamed(name)
		if err != nil {
			return nil, err
		}
		found = append(found, l)
	}
	return found, nil
}

// stage is what all runs of one command have in common.
type stage struct {
	programs        programs
	root, directory string
	// module is the compiled policy.
	module string
	// reuse takes the result of an earlier run without the policy instead of playing it again.
	reuse bool
	// played are the runs without the policy so far, by life.
	played map[string]*result
}

// compareLives plays lives without the policy and with it, compares, and tries the policies that are wrong on purpose.
func (s *stage) compareLives(ctx context.Context, chosen []*life, to io.Writer) error {
	differences := 0
	for _, l := range chosen {
		plain := l
		if l.beside != "" {
			var err error
			if plain, err = lifeNamed(l.beside); err != nil {
				return err
			}
		}
		without, err := s.plain(ctx, plain)
		if err != nil {
			return err
		}
		with, err := s.play(ctx, l, module, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(to, "\n%s\n\n", l.name)
		report(to, without, with)
		for _, difference := range compare(without, with) {
			fmt.Fprintln(to, difference)
			differences++
		}
		for _, wrong := range l.wrong {
			with, err := s.play(ctx, l, wrong.policy, wrong.steps)
			if err != nil {
				return err
			}
			noticed := compare(without, with)
			if len(noticed) == 0 {
				differences++
				fmt.Fprintf(to, "%s: the wrong policy %s is not noticed\n", l.name, wrong.policy)
				continue
			}
			fmt.Fprintf(to, "%s: the wrong policy %s is noticed, %d differences:\n", l.name, wrong.policy, len(noticed))
			for _, line := range some("  ", noticed) {
				fmt.Fprintln(to, line)
			}
		}
	}
	if differences > 0 {
		return harness.Differences(differences)
	}
	return nil
}

// plain is a life without the policy. Lives that are compared with the same one share it.
func (s *stage) plain(ctx context.Context, l *life) (*result, error) {
	if played, is := s.played[l.name]; is {
		return played, nil
	}
	played, err := s.play(ctx, l, observe, nil)
	if err != nil {
		return nil, err
	}
	if s.played == nil {
		s.played = map[string]*result{}
	}
	s.played[l.name] = played
	return played, nil
}

// play is one run, whose result is kept in a file beside its logs.
func (s *stage) play(ctx context.Context, l *life, policy string, steps []string) (*result, error) {
	options := options{life: l, policy: policy, module: s.module, steps: steps}
	directory := filepath.Join(s.directory, options.name())
	file := directory + ".json"
	if s.reuse && policy == observe {
		if _, err := os.Stat(file); err == nil {
			return readResult(file)
		}
	}
	played, err := play(ctx, options, s.programs, s.root, directory)
	if err != nil {
		return nil, err
	}
	return played, played.write(file)
}

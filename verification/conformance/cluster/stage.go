package main

import (
	"context"
	"fmt"
	"io"

	"conformance/harness"
)

// stage is what all runs of one command have in common.
type stage struct {
	programs        programs
	root, directory string
	// module is the compiled policy.
	module string
	// reuse takes the results of earlier runs without the policy instead of playing them again.
	reuse bool
	// parallel is how many runs run at a time.
	parallel int
	// steps are those to run, of each scenario; empty is all of them.
	steps []string
	// results is the folder that receives how much was compared; empty is none.
	results string
	// writes is whether the page receives the results of all scenarios.
	writes bool
	// releases are those of Cluster API's modules.
	releases releases
}

// comparison is a scenario with its runs: without the policy, with it, and with policies that are wrong on purpose.
type comparison struct {
	scenario      *scenario
	without, with *job
	wrong         []*job
	reported      bool
	differences   int
}

// compareScenarios runs scenarios without the policy and with it, compares, and tries the policies that are wrong on purpose.
func (s *stage) compareScenarios(ctx context.Context, chosen []*scenario, to io.Writer) error {
	comparisons, jobs, err := s.comparisons(chosen)
	if err != nil {
		return err
	}
	if s.releases, err = s.programs.clusterAPI.releases(ctx); err != nil {
		return err
	}
	progress, err := s.playAll(ctx, jobs, func() error {
		for _, c := range comparisons {
			if !c.reported && c.played() {
				c.report(to)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.writePage(comparisons, progress); err != nil {
		return err
	}
	if err := s.writeResults(ctx, comparisons); err != nil {
		return err
	}
	differences := 0
	for _, c := range comparisons {
		differences += c.differences
	}
	if differences > 0 {
		return harness.Differences(differences)
	}
	return nil
}

// comparisons are those of some scenarios, and their runs, in the order in which they are run. Scenarios that are compared
// with the same run without the policy share it.
func (s *stage) comparisons(chosen []*scenario) ([]*comparison, []*job, error) {
	var all []*comparison
	var jobs []*job
	plain := map[string]*job{}
	for _, l := range chosen {
		name := l.beside
		if name == "" {
			name = l.name
		}
		if plain[name] == nil {
			other, err := scenarioNamed(name)
			if err != nil {
				return nil, nil, err
			}
			plain[name] = s.job(other, observe, s.steps)
			jobs = append(jobs, plain[name])
		}
		c := &comparison{scenario: l, without: plain[name], with: s.job(l, module, s.steps)}
		jobs = append(jobs, c.with)
		for _, wrong := range l.wrong {
			if steps := shared(wrong.steps, s.steps); len(steps) > 0 {
				c.wrong = append(c.wrong, s.job(l, wrong.policy, steps))
			}
		}
		jobs = append(jobs, c.wrong...)
		all = append(all, c)
	}
	return all, jobs, nil
}

// shared are those of a wrong policy's steps that are run.
func shared(steps, chosen []string) []string {
	if len(chosen) == 0 {
		return steps
	}
	var both []string
	for _, name := range steps {
		if contains(chosen, name) {
			both = append(both, name)
		}
	}
	return both
}

// played is whether all of its runs are there.
func (c *comparison) played() bool {
	for _, j := range append([]*job{c.without, c.with}, c.wrong...) {
		if j.played == nil {
			return false
		}
	}
	return true
}

// report prints the differences, and whether the wrong policies are noticed.
func (c *comparison) report(to io.Writer) {
	c.reported = true
	fmt.Fprintf(to, "\n%s\n\n", c.scenario.name)
	report(to, c.without.played, c.with.played)
	found := compare(c.without.played, c.with.played)
	for _, difference := range brief(found) {
		fmt.Fprintln(to, difference)
	}
	c.differences = len(found)
	for _, j := range c.wrong {
		noticed := compare(c.without.played, j.played)
		if len(noticed) == 0 {
			c.differences++
			fmt.Fprintf(to, "%s: the wrong policy %s is not noticed\n", c.scenario.name, j.policy)
			continue
		}
		fmt.Fprintf(to, "%s: the wrong policy %s is noticed, %d differences:\n", c.scenario.name, j.policy, len(noticed))
		for _, line := range noticed[:min(5, len(noticed))] {
			fmt.Fprintln(to, "  "+line)
		}
	}
}

// playOne is one run in this process, whose result is kept in a file beside its logs.
func (s *stage) playOne(ctx context.Context, l *scenario, policy string) error {
	j := s.job(l, policy, s.steps)
	played, err := play(ctx, j.options, s.programs, s.root, j.directory())
	if err != nil {
		return err
	}
	return played.write(j.file())
}

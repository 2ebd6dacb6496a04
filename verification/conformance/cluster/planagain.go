package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"conformance/harness"
)

// planAgain asks `plan` again about the steps of a run, whose folder holds the objects before, after and then, and
// compares again.
func planAgain(ctx context.Context, programs programs, root, folder string, to io.Writer) error {
	differences := 0
	for _, step := range planning {
		plans := filepath.Join(folder, "plans", step.name)
		// A run of some steps has those only.
		then, err := readDump(filepath.Join(plans, "then.json"))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		before, err := readDump(filepath.Join(plans, "before.json"))
		if err != nil {
			return err
		}
		said, err := programs.plan(ctx, root, plans)
		if err != nil {
			return err
		}
		p := comparePlan(step.name, said, before, then)
		fmt.Fprintf(to, "%s\n  predicted: %s\n  happened:  %s\n", step.name, p.Verdict, p.Happened)
		for _, reason := range p.CannotTell {
			fmt.Fprintf(to, "  cannot tell: %s\n", reason)
		}
		for _, d := range p.Deviations {
			fmt.Fprintf(to, "  deviation: %s: %s\n", d.Line, d.Reason)
		}
		for _, line := range p.Differences {
			fmt.Fprintf(to, "  DIFFERENCE %s\n", line)
		}
		differences += len(p.Differences)
	}
	if differences > 0 {
		return harness.Differences(differences)
	}
	return nil
}

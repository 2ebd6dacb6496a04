package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"conformance/harness"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// completed is what `propagate backfill` did to stored objects that lack something.
type completed struct {
	// Means is the command.
	Means string
	// Lacking and Patched are objects: in which `propagate check` finds drift, and for which `backfill` prints something.
	Lacking, Patched int
	// Released is how many of them the field manager of `backfill` gives up afterwards.
	Released int
	// Left is everything that `propagate check` still finds when it is done.
	Left []string
}

// completeStored has stored objects that lack what propagates to them completed by `propagate backfill`: with the policy by
// its empty patches, and without the policy by its configurations for server-side apply, which it releases when Cluster API's
// managers own the same.
func completeStored(ctx context.Context, r *run) error {
	others, err := r.loseKeys(ctx)
	if err != nil {
		return err
	}
	lacking, err := r.check(ctx, "before.json", others)
	if err != nil {
		return err
	}
	done, means := &completed{Means: "propagate backfill --server-side"}, []string{"--server-side"}
	if r.withPolicy() {
		done.Means, means = "propagate backfill", nil
	}
	r.result.Steps[len(r.result.Steps)-1].Completed = done
	objects := map[string]bool{}
	for _, f := range lacking {
		if f.Check == "drift" {
			objects[key(f.Object.Kind, f.Object.Name)] = true
		}
	}
	done.Lacking = len(objects)
	if done.Patched, err = r.backfill(ctx, "before.json", means...); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	left, err := r.check(ctx, "then.json", others)
	if err != nil {
		return err
	}
	done.leaves(left)
	for _, o := range others {
		if err := r.release(ctx, o); err != nil {
			return err
		}
	}
	if err := r.steady(ctx); err != nil || r.withPolicy() {
		return err
	}
	// What the third-party control plane has is gone, and what is left has another manager.
	if _, err := r.check(ctx, "steady.json", nil); err != nil {
		return err
	}
	if done.Released, err = r.backfill(ctx, "steady.json", "--release"); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	left, err = r.check(ctx, "released.json", nil)
	done.leaves(left)
	return err
}

// leaves notes what `propagate check` still finds.
func (c *completed) leaves(left []finding) {
	for _, f := range left {
		c.Left = append(c.Left, fmt.Sprintf("%s: %s %s: %s", f.Check, f.Object.Kind, f.Object.Name, f.Message))
	}
}

// loseKeys lets parts of Machines lose keys while the policy is absent, and gives a Machine to a control plane that Cluster
// API does not know: nobody adds what they lack. The objects of that control plane are returned, the owned one first.
func (r *run) loseKeys(ctx context.Context) ([]*object, error) {
	// What the topology says of a key that Cluster API sets itself is a finding that no patch mends.
	err := r.editCluster(ctx, func(o *object) {
		drop(o, topologyControlPlane+labels, clusterName)
		drop(o, topologyMD0+labels, clusterName)
	})
	if err != nil {
		return nil, err
	}
	if err := r.absent(ctx, true); err != nil {
		return nil, err
	}
	alice := r.people["alice"]
	for _, d := range derived {
		if d.reverted {
			continue
		}
		for _, o := range r.record.list(d.kind, d.labels) {
			lost := `{"metadata":{"labels":{"tier":null,"owner":null},"annotations":{"note":null}}}`
			if _, err := alice.Patch(ctx, o, lost); err != nil {
				return nil, err
			}
		}
	}
	others, err := r.otherPlane(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.absent(ctx, false); err != nil {
		return nil, err
	}
	return others, r.settle(ctx)
}

// finding is one of `propagate check`.
type finding struct {
	Check   string   `json:"check"`
	Message string   `json:"message"`
	Object  planName `json:"object"`
}

// check dumps the fleet and the given objects, as they are now, into a file, and returns what `propagate check` finds.
func (r *run) check(ctx context.Context, name string, others []*object) ([]finding, error) {
	objects, err := r.dump(ctx)
	if err != nil {
		return nil, err
	}
	known := index(objects)
	for _, o := range others {
		if known[key(o.GetKind(), o.GetName())] == nil {
			objects = append(objects, o)
		}
	}
	file := r.stored(name)
	if err := writeDump(file, objects); err != nil {
		return nil, err
	}
	answer, err := r.programs.askPropagate(ctx, r.root, "check", "--output", "json", file)
	if err != nil {
		return nil, err
	}
	var said struct {
		Findings []finding `json:"findings"`
	}
	if err := json.Unmarshal([]byte(answer.out), &said); err != nil || answer.code > 1 || (answer.code == 1) != (len(said.Findings) > 0) {
		return nil, fmt.Errorf("propagate check exits with %d: %s", answer.code, strings.TrimSpace(answer.err))
	}
	return said.Findings, nil
}

func (r *run) stored(name string) string { return filepath.Join(r.Directory, "backfill", name) }

// emptyPatch is a command of `propagate backfill`: kind, group, name, namespace.
var emptyPatch = regexp.MustCompile(`^kubectl patch ([^ .]+)\.([^ ]+) ([^ ]+) -n ([^ ]+) --type=merge -p '\{\}'$`)

// backfill does what `propagate backfill` prints about a dump, and returns for how many objects.
func (r *run) backfill(ctx context.Context, name string, means ...string) (int, error) {
	file := r.stored(name)
	answer, err := r.programs.askPropagate(ctx, r.root, "backfill", append(means, "--filename", file)...)
	if err != nil {
		return 0, err
	}
	if answer.code != 0 {
		return 0, fmt.Errorf("propagate backfill exits with %d: %s", answer.code, strings.TrimSpace(answer.err))
	}
	if len(means) > 0 {
		return r.applyConfigurations(ctx, answer.out)
	}
	stored, err := readDump(file)
	if err != nil {
		return 0, err
	}
	known := index(stored)
	patched := 0
	for _, line := range strings.Split(strings.TrimSpace(answer.out), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := emptyPatch.FindStringSubmatch(line)
		if words == nil || known[key(words[1], words[3])] == nil {
			return 0, fmt.Errorf("propagate backfill prints %q, which is no patch of a stored object", line)
		}
		if _, err := r.people["alice"].Patch(ctx, known[key(words[1], words[3])], "{}"); err != nil {
			return 0, err
		}
		patched++
	}
	return patched, nil
}

// applyConfigurations applies configurations as the comments above them say.
func (r *run) applyConfigurations(ctx context.Context, configurations string) (int, error) {
	objects, err := harness.Decode("propagate backfill --server-side", []byte(configurations))
	if err != nil {
		return 0, err
	}
	options := metav1.ApplyOptions{FieldManager: backfillManager, Force: strings.Contains(configurations, "--force-conflicts")}
	for _, o := range objects {
		if _, err := r.people["alice"].ApplyWith(ctx, o, options); err != nil {
			return 0, err
		}
	}
	return len(objects), nil
}

// wrong is what does not hold of it.
func (c *completed) wrong() []string {
	var wrong []string
	if c.Lacking == 0 {
		wrong = append(wrong, c.Means+": no object lacks anything, so that nothing is shown")
	}
	for _, line := range c.Left {
		wrong = append(wrong, c.Means+" leaves "+line)
	}
	return wrong
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"conformance/harness"
)

// lifeResult is what happened in one run.
type lifeResult struct {
	Run   string
	Steps []stepResult
}

// stepResult is what happened in one step.
type stepResult struct {
	Name    string
	Seconds float64
	// State is every object at the end, without tags and without what no two runs have in common.
	State map[string][]string
	// Wrong is what should not be.
	Wrong   []string
	Reviews reviews
}

// finish writes down what is there at the end of a step.
func (f *fleet) finish(ctx context.Context, done *stepResult, before int) error {
	all, err := f.objects(ctx)
	if err != nil {
		return err
	}
	done.State = map[string][]string{}
	for _, o := range all {
		name := alike(called(o))
		done.State[name] = append(done.State[name], f.state(o))
	}
	for _, texts := range done.State {
		slices.Sort(texts)
	}
	if f.answers == compiled {
		done.Wrong = append(done.Wrong, f.wrongTags(all)...)
	}
	done.Reviews, err = readReviews(f.Journal(), before)
	done.Wrong = append(done.Wrong, done.Reviews.Wrong...)
	return err
}

// state is an object without tags, as text.
func (f *fleet) state(o *harness.Object) string {
	o = o.DeepCopy()
	if path := f.tagsPath(o); path != nil {
		unstructured.RemoveNestedField(o.Object, path...)
	}
	var conditions, owners []string
	for _, condition := range []string{"Synced", "Ready", "Responsive"} {
		conditions = append(conditions, condition+" "+harness.ConditionField(o, condition, "status")+" "+harness.ConditionField(o, condition, "reason"))
	}
	for _, owner := range o.GetOwnerReferences() {
		owners = append(owners, owner.Kind+" "+owner.Name)
	}
	text, err := json.MarshalIndent(map[string]any{
		"labels": o.GetLabels(), "annotations": o.GetAnnotations(), "finalizers": o.GetFinalizers(), "owners": owners,
		"spec": o.Object["spec"], "conditions": conditions,
	}, "", "  ")
	if err != nil {
		// What came as JSON is JSON.
		panic(err)
	}
	return alike(string(text))
}

// random are the parts of names that Kubernetes and Crossplane draw.
var random = regexp.MustCompile(`-([0-9a-f]{12}|[bcdfghjklmnpqrstvwxz2456789]{5})\b`)

// alike replaces what is random in names.
func alike(text string) string { return random.ReplaceAllString(text, "-~") }

// compareLives tells where a run with a policy differs from one without it, in a way that it should not.
func compareLives(without, with *lifeResult) []string {
	var differences []string
	for _, step := range without.Steps {
		differences = append(differences, some(without.Run+": "+step.Name+": ", step.Wrong)...)
	}
	for i, step := range with.Steps {
		here := with.Run + ": " + step.Name + ": "
		differences = append(differences, some(here, step.Wrong)...)
		if i < len(without.Steps) {
			differences = append(differences, some(here, compareStates(without.Steps[i].State, step.State))...)
		}
	}
	if len(with.Steps) < len(without.Steps) {
		differences = append(differences, fmt.Sprintf("%s: %d steps were run, without the policy %d", with.Run, len(with.Steps), len(without.Steps)))
	}
	return differences
}

func compareStates(without, with map[string][]string) []string {
	var differences []string
	names := sortedKeys(without)
	for _, name := range sortedKeys(with) {
		if _, is := without[name]; !is {
			names = append(names, name)
		}
	}
	for _, name := range names {
		before, after := without[name], with[name]
		if len(before) != len(after) {
			differences = append(differences, fmt.Sprintf("%s: %d objects, without the policy %d", name, len(after), len(before)))
			continue
		}
		for i := range before {
			if before[i] != after[i] {
				differences = append(differences, name+": "+strings.Join(differentLines(before[i], after[i]), "; "))
			}
		}
	}
	return differences
}

// differentLines are the lines that only one of two texts has.
func differentLines(before, after string) []string {
	old, new := strings.Split(before, "\n"), strings.Split(after, "\n")
	var lines []string
	for _, line := range old {
		if !slices.Contains(new, line) {
			lines = append(lines, "- "+strings.TrimSpace(line))
		}
	}
	for _, line := range new {
		if !slices.Contains(old, line) {
			lines = append(lines, "+ "+strings.TrimSpace(line))
		}
	}
	return lines
}

// some are the first of many lines.
func some(before string, lines []string) []string {
	const most = 12
	var shown []string
	for i, line := range lines {
		if i == most {
			shown = append(shown, fmt.Sprintf("%sand %d more", before, len(lines)-most))
			break
		}
		shown = append(shown, before+line)
	}
	return shown
}

// reportLives prints two runs side by side.
func reportLives(to io.Writer, without, with *lifeResult) {
	fmt.Fprintf(to, "\n| step | objects | reviews, without and with | Crossplane's | patched | Crossplane's | refused | seconds |\n|---|---|---|---|---|---|---|---|\n")
	for i, step := range with.Steps {
		var other stepResult
		if i < len(without.Steps) {
			other = without.Steps[i]
		}
		objects := 0
		for _, texts := range step.State {
			objects += len(texts)
		}
		fmt.Fprintf(to, "| %s | %d | %d, %d | %d, %d | %d | %d | %d | %.0f, %.0f |\n", step.Name, objects, other.Reviews.Count, step.Reviews.Count,
			other.Reviews.Crossplane, step.Reviews.Crossplane, step.Reviews.Patched, step.Reviews.CrossplanePatched, step.Reviews.Refused,
			other.Seconds, step.Seconds)
	}
	fmt.Fprintln(to)
}

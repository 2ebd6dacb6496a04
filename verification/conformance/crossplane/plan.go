package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"conformance/harness"
)

// thingGroup is the API group of the composites of propagate/tests/plan-tags that are of no blueprint.
const thingGroup = "example.org"

// leastPlanned is how many changes at least have to change tags as predicted.
const leastPlanned = 20

// playPlan asks `propagate plan` what changes of files do to tags, lets Alice make these changes, and compares. The answer
// to the opposite change has to be noticed as wrong.
func (s *stage) playPlan(ctx context.Context, to io.Writer) (int, error) {
	r, err := s.start(ctx, planning)
	defer r.Stop()
	if err != nil {
		return 0, err
	}
	p := &planRun{fleet: &fleet{run: r}, propagate: s.propagate, kept: map[string]*harness.Object{}, unplayed: map[string]int{}}
	cases, err := p.prepare(ctx)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(to, "| change | tags | that differ | seconds |\n|---|---:|---:|---:|\n")
	for _, one := range cases {
		if len(s.steps) > 0 && !slices.Contains(s.steps, one.name) {
			continue
		}
		if err := p.play(ctx, to, one); err != nil {
			return 0, fmt.Errorf("%s: %w", one.name, err)
		}
	}
	s.compared += p.compared
	fmt.Fprintf(to, "\n%d changes, %d of which change tags; %d tags compared\n", p.played, p.changing, p.compared)
	for _, why := range sortedKeys(p.unplayed) {
		fmt.Fprintf(to, "not run: %d: %s\n", p.unplayed[why], why)
	}
	if len(s.steps) == 0 && p.changing < leastPlanned {
		p.wrong = append(p.wrong, fmt.Sprintf("only %d changes change tags", p.changing))
	}
	for _, wrong := range p.wrong {
		fmt.Fprintln(to, wrong)
	}
	return len(p.wrong), nil
}

// planRun is a run of changes.
type planRun struct {
	*fleet
	propagate string
	// settings are those of the policy that runs.
	settings map[string]any
	// kept are the definitions and the registry, as they are between changes.
	kept map[string]*harness.Object
	// unplayed counts reasons.
	unplayed map[string]int
	// played and changing are numbers of changes: all, and those that change tags.
	played, changing, compared int
	wrong                      []string
}

// prepare makes what all changes have in common, and returns them: those with the same settings after one another.
func (p *planRun) prepare(ctx context.Context) ([]*fileChange, error) {
	if err := errors.Join(p.deploy(ctx, registryDefinition), p.defineCases(ctx, p.root)); err != nil {
		return nil, err
	}
	text, err := readBase(p.root, []string{"thing-definition"})
	if err != nil {
		return nil, err
	}
	definition, err := decodeObject(planCases, []byte(text))
	if err != nil {
		return nil, err
	}
	cases, err := readPlanCases(p.root)
	for _, c := range cases {
		for _, root := range slices.Concat(c.roots(0), c.roots(1)) {
			if err := p.API.Ensure(ctx, named("v1", "Namespace", "", cmp.Or(root.GetNamespace(), namespace))); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(cases, func(a, b *fileChange) int { return strings.Compare(fmt.Sprint(a.settings), fmt.Sprint(b.settings)) })
	return cases, errors.Join(err, p.write(ctx, definition, nil))
}

// play is one change: what it is made to is made and read, then the change is made, and its effect compared.
func (p *planRun) play(ctx context.Context, to io.Writer, c *fileChange) error {
	said, why, err := p.plannable(ctx, c)
	if err != nil || why != "" {
		p.unplayed[why]++
		return err
	}
	opposite, err := p.ask(ctx, c, 1, 0)
	if err != nil {
		return err
	}
	begin, wanted := time.Now(), said.differences()
	before, err := p.make(ctx, c)
	if err != nil {
		return err
	}
	after, err := p.change(ctx, c, before, wanted)
	if err != nil {
		return err
	}
	found := differences(before, after)
	for _, line := range compareDifferences(found, wanted) {
		harness.Say("%s: %s", c.name, line)
		p.wrong = append(p.wrong, c.name+": "+line)
	}
	p.played++
	p.compared += max(len(after), len(before))
	if len(found) > 0 {
		p.changing++
		if len(compareDifferences(found, opposite.differences())) == 0 {
			p.wrong = append(p.wrong, c.name+": the answer to the opposite change is not noticed as wrong")
		}
	}
	fmt.Fprintf(to, "| %s | %d | %d | %.0f |\n", c.name, len(after), len(found), time.Since(begin).Seconds())
	return p.clear(ctx, c)
}

// plannable is what is predicted of a change, or why it cannot be run here.
func (p *planRun) plannable(ctx context.Context, c *fileChange) (*prediction, string, error) {
	if c.isOfOutput {
		return nil, "about how the answer is printed", nil
	}
	if len(c.roots(0))+len(c.roots(1)) == 0 {
		return nil, "without a composite", nil
	}
	for _, o := range slices.Concat(c.objects[0], c.objects[1]) {
		switch o.GetKind() {
		case compositionKind:
			if why := p.unplayable(given{object: o}, composites, thingGroup); why != "" {
				return nil, why, nil
			}
		case "CustomResourceDefinition":
			return nil, "with a definition of managed resources", nil
		}
	}
	said, err := p.ask(ctx, c, 0, 1)
	if err == nil && !said.isTold() {
		return nil, "of which something is not predicted", nil
	}
	return said, "", err
}

// make lets Alice create what is there before a change, and returns the tags when nothing is written any more.
func (p *planRun) make(ctx context.Context, c *fileChange) (map[string]string, error) {
	if err := p.use(ctx, c.settings[0]); err != nil {
		return nil, err
	}
	for _, o := range c.objects[0] {
		if err := p.write(ctx, o, nil); err != nil {
			return nil, err
		}
	}
	return p.settled(ctx, c.roots(0), func(map[string]string) bool { return true })
}

// change lets Alice make it, and returns the tags when nothing is written any more. Composites that are made from something
// that changes are touched, as deploy/ does.
func (p *planRun) change(ctx context.Context, c *fileChange, before map[string]string, wanted map[string]tagValues) (map[string]string, error) {
	if err := p.use(ctx, c.settings[1]); err != nil {
		return nil, err
	}
	touch := fmt.Sprint(c.settings[0]) != fmt.Sprint(c.settings[1])
	for _, o := range c.objects[1] {
		was := c.find(0, o)
		if was != nil && fmt.Sprint(was.Object) == fmt.Sprint(o.Object) {
			continue
		}
		touch = touch || !isComposite(o) && o.GetKind() != compositionKind
		if err := p.write(ctx, o, was); err != nil {
			return nil, err
		}
	}
	for _, o := range c.objects[0] {
		if c.find(1, o) == nil {
			if err := p.alice.Delete(ctx, o, metav1.DeletePropagationBackground); err != nil {
				return nil, err
			}
		}
	}
	if touch {
		if err := awaitCache(ctx, nil, nil); err != nil {
			return nil, err
		}
		for _, root := range c.roots(1) {
			if err := p.patch(ctx, root, map[string]any{}); err != nil {
				return nil, err
			}
		}
	}
	return p.settled(ctx, c.roots(1), func(tags map[string]string) bool {
		return len(compareDifferences(differences(before, tags), wanted)) == 0
	})
}

// settled waits until nothing is written any more, and returns the tags. For those that are wanted it waits a while.
func (p *planRun) settled(ctx context.Context, roots []*harness.Object, isWanted func(map[string]string) bool) (map[string]string, error) {
	const slow = 30 * time.Second
	now, last, begin := &reading{}, map[string]string(nil), time.Now()
	since := begin
	err := p.Await(ctx, "the composites do not settle", 2*time.Minute, func() error {
		var err error
		if now, err = p.read(ctx, roots); err != nil {
			return err
		}
		if !maps.Equal(now.versions, last) {
			last, since = now.versions, time.Now()
		}
		if time.Since(since) < settled || !isWanted(now.tags) && time.Since(begin) < slow {
			return fmt.Errorf("an object was written %v ago", time.Since(since))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return now.tags, nil
}

// write creates an object, or changes it as its file has changed.
func (p *planRun) write(ctx context.Context, o, was *harness.Object) error {
	isDefinition := o.GetKind() == definitionKind
	isKept := isDefinition || o.GetKind() == "LabelRegistry"
	if isKept && was == nil {
		was = p.kept[called(o)]
	}
	if was == nil {
		_, err := p.alice.Create(ctx, o)
		if isKept {
			p.kept[called(o)] = o
		}
		if apierrors.IsAlreadyExists(unwrapped(err)) {
			// The definition of a blueprint, or the Namespace.
			was, err = named(o.GetAPIVersion(), o.GetKind(), o.GetNamespace(), o.GetName()), nil
		}
		if err != nil {
			return err
		}
	}
	if was != nil {
		patch := mergePatch(was.Object, o.Object)
		if len(patch) == 0 {
			return nil
		}
		if err := p.patch(ctx, o, patch); err != nil {
			return err
		}
		if isKept && !isDefinition {
			// What is created next is completed by the registry as it is now.
			return awaitCache(ctx, nil, nil)
		}
	}
	if !isDefinition {
		return nil
	}
	_, err := p.establish(ctx)
	return errors.Join(err, p.AwaitDefinitions(ctx))
}

// use starts the policy with settings, unless it runs with them.
func (p *planRun) use(ctx context.Context, settings map[string]any) error {
	if fmt.Sprint(p.settings) == fmt.Sprint(settings) {
		return nil
	}
	if p.settings != nil {
		configuration := named("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "", policyName)
		if err := errors.Join(p.Kill("webhook"), p.API.Delete(ctx, configuration, metav1.DeletePropagationBackground)); err != nil {
			return err
		}
	}
	p.settings = settings
	if err := p.startPolicy(ctx, policy{answers: compiled, settings: settings}); err != nil {
		return err
	}
	// The API server takes a moment to hear of it.
	return awaitCache(ctx, nil, nil)
}

// clear deletes what was made, and makes the rest what it was.
func (p *planRun) clear(ctx context.Context, c *fileChange) error {
	for _, o := range slices.Backward(c.objects[1]) {
		was := p.kept[called(o)]
		if o.GetKind() == "Namespace" {
			was = named("v1", "Namespace", "", o.GetName())
		}
		if was == nil {
			if err := p.alice.Delete(ctx, o, metav1.DeletePropagationBackground); err != nil {
				return err
			}
		} else if err := p.write(ctx, was, o); err != nil {
			return err
		}
	}
	return p.Await(ctx, "the deletion", time.Minute, func() error {
		composed, err := p.composed(ctx)
		if err == nil && len(composed) > 0 {
			return fmt.Errorf("%d composites have resources", len(composed))
		}
		for _, root := range slices.Concat(c.roots(0), c.roots(1)) {
			if _, err := p.alice.Get(ctx, root); !apierrors.IsNotFound(unwrapped(err)) {
				return fmt.Errorf("%s is still there", called(root))
			}
		}
		return err
	})
}

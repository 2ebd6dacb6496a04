package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"conformance/harness"
	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"
	"k8s.io/apiserver/pkg/cel/environment"
)

// healing is the one condition that gives something up: a touch that would have completed a stale object.
const healing = "no-idle-updates"

// meant says in Go of which requests each condition should spare the policy.
var meant = map[string]func(*asked) bool{
	"no-controllers":                 func(a *asked) bool { return a.controller },
	"no-dry-runs-of-controllers":     func(a *asked) bool { return a.controller && a.update && a.dry },
	"no-idle-updates-of-controllers": func(a *asked) bool { return a.controller && a.idle },
	healing:                          func(a *asked) bool { return a.idle },
}

// asked is what conditions ask of a request. Idle updates change nothing but bookkeeping.
type asked struct{ controller, update, dry, idle bool }

// set is some files of recorded reviews.
type set struct {
	name, files string
	// listed is whether there is a list of what the policy has to say to each of its reviews.
	listed bool
}

// sets are those of testdata/recorded.
func sets(root string) []set {
	folder := filepath.Join(root, "testdata", "recorded")
	return []set{
		{"a cluster's life", filepath.Join(folder, "0*.jsonl.gz"), true},
		{"people at work", filepath.Join(folder, "[12]*.jsonl.gz"), true},
		{"one of each sort", filepath.Join(folder, "sample.jsonl.gz"), false},
	}
}

// tally is what the conditions do to one set.
type tally struct {
	set set
	// reviews are those that the rules send to the policy.
	reviews int
	// spared are the reviews that each condition keeps back.
	spared []int
	// answered are those of them to which the policy would have had something to say.
	answered [][]string
	// wrong are reviews that a condition takes for what it does not mean.
	wrong []string
}

// conditions evaluates deploy/match-conditions.yaml over recorded reviews, by the code with which the API server does,
// and prints what share each one spares. Only the one that says so may keep back what the policy would have answered.
func conditions(root string, files []string, to io.Writer) error {
	chosen, policyRules, err := readConditions(root)
	if err != nil {
		return err
	}
	answered, err := readAnswered(root)
	if err != nil {
		return err
	}
	compiler := cel.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	matchers := make([]matchconditions.Matcher, len(chosen))
	for i, condition := range chosen {
		if meant[condition.Name] == nil {
			return fmt.Errorf("deploy/match-conditions.yaml: no meaning is defined for %s", condition.Name)
		}
		hook := &registrationv1.MutatingWebhook{Name: condition.Name, MatchConditions: []registrationv1.MatchCondition{condition}}
		matchers[i] = webhook.NewMutatingWebhookAccessor(condition.Name, policyName, hook).GetCompiledMatcher(compiler)
	}
	all := sets(root)
	for _, file := range files {
		all = append(all, set{name: filepath.Base(file), files: file})
	}
	var tallies []*tally
	for _, set := range all {
		counted := &tally{set: set, spared: make([]int, len(chosen)), answered: make([][]string, len(chosen))}
		tallies = append(tallies, counted)
		found, err := filepath.Glob(set.files)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("no files %s", set.files)
		}
		for _, file := range found {
			base, _, _ := strings.Cut(filepath.Base(file), ".")
			err := eachReview(file, func(number int, request *admissionv1.AdmissionRequest) error {
				name := fmt.Sprintf("%s %d %s %s", base, number, request.Operation, request.Kind.Kind)
				return counted.add(name, request, chosen, matchers, policyRules, answered)
			})
			if err != nil {
				return err
			}
		}
	}
	return tell(to, chosen, tallies)
}

// add counts one review.
func (t *tally) add(
	name string, request *admissionv1.AdmissionRequest, chosen []registrationv1.MatchCondition,
	matchers []matchconditions.Matcher, policyRules []registrationv1.RuleWithOperations, answered map[string]string,
) error {
	attributes, err := attributesOf(request)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	sent := slices.ContainsFunc(policyRules, func(rule registrationv1.RuleWithOperations) bool {
		matcher := rules.Matcher{Rule: rule, Attr: attributes}
		return matcher.Matches()
	})
	if !sent {
		return nil
	}
	t.reviews++
	update := request.Operation == admissionv1.Update
	read := asked{
		controller: controllers[request.UserInfo.Username], update: update, dry: attributes.IsDryRun(),
		idle: update && sameButBookkeeping(attributes.VersionedObject, attributes.VersionedOldObject),
	}
	for i, matcher := range matchers {
		result := matcher.Match(context.Background(), attributes, nil, nil)
		if result.Error != nil {
			return fmt.Errorf("%s: %s: %w", name, chosen[i].Name, result.Error)
		}
		if !result.Matches != meant[chosen[i].Name](&read) {
			t.wrong = append(t.wrong, fmt.Sprintf("`%s` is not what it means at %s", chosen[i].Name, name))
		}
		if result.Matches {
			continue
		}
		t.spared[i]++
		if line, ok := answered[name]; ok && t.set.listed {
			t.answered[i] = append(t.answered[i], line)
		}
	}
	return nil
}

// sameButBookkeeping is whether an update changes nothing that anybody decides by.
func sameButBookkeeping(a, b runtime.Object) bool {
	without := func(o runtime.Object) map[string]any {
		copied := o.(*object).DeepCopy()
		copied.SetManagedFields(nil)
		copied.SetResourceVersion("")
		return copied.Object
	}
	return reflect.DeepEqual(without(a), without(b))
}

// tell prints the table and what is given up. It is an error when a condition that should cost nothing does, spares
// nothing, or spares other reviews than it means to.
func tell(to io.Writer, chosen []registrationv1.MatchCondition, tallies []*tally) error {
	listed, wrong, lines := 0, []string{}, []string{}
	fmt.Fprint(to, "| condition |")
	for _, t := range tallies {
		fmt.Fprintf(to, " %s, %d reviews |", t.set.name, t.reviews)
		wrong = append(wrong, t.wrong...)
		if t.set.listed {
			listed += t.reviews
		}
	}
	fmt.Fprintf(to, " of %d known answers given up |\n|---|%s---|\n", listed, strings.Repeat("---|", len(tallies)))
	for i, condition := range chosen {
		fmt.Fprintf(to, "| `%s` |", condition.Name)
		sum, lost := 0, []string{}
		for _, t := range tallies {
			fmt.Fprintf(to, " %d, %.0f %% |", t.spared[i], 100*float64(t.spared[i])/float64(t.reviews))
			sum += t.spared[i]
			lost = append(lost, t.answered[i]...)
		}
		fmt.Fprintf(to, " %d |\n", len(lost))
		for _, line := range lost {
			told := fmt.Sprintf("`%s` gives up: %s", condition.Name, line)
			if lines = append(lines, told); condition.Name != healing {
				wrong = append(wrong, told)
			}
		}
		if sum == 0 {
			wrong = append(wrong, fmt.Sprintf("`%s` spares nothing", condition.Name))
		}
	}
	for _, line := range lines {
		fmt.Fprintln(to, line)
	}
	for _, line := range wrong {
		harness.Say("%s", line)
	}
	if len(wrong) > 0 {
		return harness.Differences(len(wrong))
	}
	return nil
}

// Command templates asks a function-go-templating, which listens at an address without TLS, about the templates of
// testdata/crossplane/templates.txt, and writes its answers into the file.
//
// Each template is asked with two sets of tags in `spec.cloudTags`. A tag arrives where both of its values are.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"

	fnv1 "github.com/crossplane/crossplane/apis/apiextensions/fn/proto/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"
)

const (
	section = "=== "
	answer  = "=> "
	// cannotTell is what `propagate` says instead, written by hand.
	cannotTell = answer + "cannot tell: "
)

type object = map[string]any

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: templates ADDRESS FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address, file string) error {
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	function := fnv1.NewFunctionRunnerServiceClient(connection)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	sections := strings.Split("\n"+string(text), "\n"+section)
	_, composite, _ := strings.Cut(sections[1], "\n")
	for i, one := range sections[2:] {
		var template, said []string
		for _, line := range strings.Split(strings.TrimSuffix(one, "\n"), "\n") {
			switch {
			case strings.HasPrefix(line, cannotTell):
				said = append(said, line)
			case !strings.HasPrefix(line, answer):
				template = append(template, line)
			}
		}
		answers, err := answersTo(function, composite, strings.Join(template[1:], "\n")+"\n")
		if err != nil {
			return fmt.Errorf("%s: %w", template[0], err)
		}
		for i := range answers {
			answers[i] = answer + answers[i]
		}
		sections[i+2] = strings.Join(append(append(template, answers...), said...), "\n")
	}
	all := strings.TrimPrefix(strings.Join(sections, "\n"+section), "\n")
	return os.WriteFile(file, []byte(strings.TrimSuffix(all, "\n")+"\n"), 0o644)
}

// answersTo returns what the function composes, a line for each resource: name, kind, and where all tags are.
func answersTo(function fnv1.FunctionRunnerServiceClient, composite, template string) ([]string, error) {
	input := object{"source": "Inline", "inline": object{"template": template}}
	if strings.HasPrefix(template, "source:") {
		input = object{}
		if err := yaml.Unmarshal([]byte(template), &input); err != nil {
			return nil, err
		}
	}
	input["apiVersion"], input["kind"] = "gotemplating.fn.crossplane.io/v1beta1", "GoTemplate"
	var sets, composed [2]object
	for i := range sets {
		owner := object{}
		if err := yaml.Unmarshal([]byte(composite), &owner); err != nil {
			return nil, err
		}
		spec := owner["spec"].(object)
		sets[i] = spec["cloudTags"].([]any)[i].(object)
		spec["cloudTags"] = sets[i]
		var refusal string
		var err error
		if composed[i], refusal, err = ask(function, owner, input); err != nil {
			return nil, err
		}
		if refusal != "" {
			return []string{"refused: " + strings.Join(strings.Fields(refusal), " ")}, nil
		}
	}
	if len(composed[0]) == 0 {
		return []string{"nothing is composed"}, nil
	}
	var lines []string
	for _, name := range keys(composed[0]) {
		first, second := composed[0][name], composed[1][name]
		places := arrivals(sets, first, second, "")
		if len(places) == 0 {
			places = []string{"nowhere"}
		}
		lines = append(lines, fmt.Sprintf("%s %v: %s", name, first.(object)["kind"], strings.Join(places, ", ")))
	}
	return lines, nil
}

func ask(function fnv1.FunctionRunnerServiceClient, owner, input object) (object, string, error) {
	var packed [2]*structpb.Struct
	for i, value := range []object{owner, input} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, "", err
		}
		packed[i] = &structpb.Struct{}
		if err := packed[i].UnmarshalJSON(text); err != nil {
			return nil, "", err
		}
	}
	answer, err := function.RunFunction(context.Background(), &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "first"},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: packed[0]}},
		Desired:  &fnv1.State{},
		Input:    packed[1],
		Context:  &structpb.Struct{},
	})
	if err != nil {
		return nil, "", err
	}
	for _, result := range answer.GetResults() {
		if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return nil, result.GetMessage(), nil
		}
	}
	composed := object{}
	for name, resource := range answer.GetDesired().GetResources() {
		composed[name] = resource.GetResource().AsMap()
	}
	return composed, "", nil
}

// arrivals are the paths of the maps and lists that have all tags of the first set in the first value, and all of the
// second in the second.
func arrivals(sets [2]object, first, second any, at string) []string {
	var found []string
	switch a := first.(type) {
	case object:
		b, is := second.(object)
		if !is {
			return nil
		}
		all := true
		for tag := range sets[0] {
			all = all && a[tag] == sets[0][tag] && b[tag] == sets[1][tag]
		}
		if all {
			found = append(found, at)
		}
		for _, name := range keys(a) {
			found = append(found, arrivals(sets, a[name], b[name], at+step(name, at == ""))...)
		}
	case []any:
		b, is := second.([]any)
		if !is || len(a) != len(b) {
			return nil
		}
		all := true
		for tag := range sets[0] {
			has := false
			for i := range a {
				has = has || pairs(a[i], tag, sets[0][tag]) && pairs(b[i], tag, sets[1][tag])
			}
			all = all && has
		}
		if all {
			found = append(found, at)
		}
		for i := range a {
			found = append(found, arrivals(sets, a[i], b[i], fmt.Sprintf("%s[%d]", at, i))...)
		}
	}
	return found
}

// pairs says whether an object has a tag's key and its value, each as a field.
func pairs(element any, key string, value any) bool {
	fields, _ := element.(object)
	hasKey, hasValue := false, false
	for _, field := range fields {
		hasKey, hasValue = hasKey || field == key, hasValue || field == value
	}
	return hasKey && hasValue
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func step(name string, first bool) string {
	switch {
	case !plain.MatchString(name):
		return "[" + name + "]"
	case first:
		return name
	}
	return "." + name
}

func keys(of object) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

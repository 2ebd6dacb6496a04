package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"conformance/harness"
)

// planCases is the folder of changes of files of which `propagate plan` says what they do to tags.
const planCases = "propagate/tests/plan-tags"

// fileChange is one of them: propagate/tests/plan_tags.rs says how they are written.
type fileChange struct {
	name string
	// isOfOutput is whether it is about how the answer is printed.
	isOfOutput bool
	// objects and settings are those before and after the change.
	objects  [2][]*harness.Object
	settings [2]map[string]any
}

// readPlanCases reads all of them.
func readPlanCases(root string) ([]*fileChange, error) {
	files, err := filepath.Glob(filepath.Join(root, planCases, "*.txt"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s: no case: %v", planCases, err)
	}
	var cases []*fileChange
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, text := range strings.Split("\n"+string(content), "\n=== ")[1:] {
			head, _, _ := strings.Cut(text, "\n---\n")
			one := &fileChange{}
			if err := one.read(root, strings.Split(head, "\n")); err != nil {
				return nil, fmt.Errorf("%s: %w", one.name, err)
			}
			cases = append(cases, one)
		}
	}
	return cases, nil
}

func (c *fileChange) read(root string, lines []string) error {
	c.name = lines[0]
	var texts [2][]string
	// The edit that is being read: whether it is of the settings, the lines that it replaces, and those that it replaces them by.
	var ofSettings int
	var from, to []string
	finish := func() {
		all, old, new := texts[ofSettings], strings.Join(from, "\n"), strings.Join(to, "\n")
		switch {
		case len(from) > 0:
			all[1] = strings.ReplaceAll(all[1], old, new)
		case len(to) > 0:
			all[1] += "---\n" + new + "\n"
		}
		from, to = nil, nil
	}
	for _, line := range lines[1:] {
		of, rest, _ := strings.Cut(line, ": ")
		switch of {
		case "base", "settings":
			text, err := readBase(root, strings.Fields(rest))
			if err != nil {
				return err
			}
			texts[len(of)/len("settings")] = []string{text, text}
			continue
		case "flags":
			c.isOfOutput = true
			continue
		}
		line, isOfSettings := strings.CutPrefix(line, "s")
		now := map[bool]int{true: 1}[isOfSettings]
		content, isFrom := strings.CutPrefix(line, "<")
		if now != ofSettings || isFrom && len(to) > 0 {
			finish()
			ofSettings = now
		}
		content = strings.TrimPrefix(strings.TrimPrefix(content, ">"), " ")
		if isFrom {
			from = append(from, content)
		} else {
			to = append(to, content)
		}
	}
	finish()
	for side := range c.objects {
		objects, err := harness.Decode(c.name, []byte(texts[0][side]))
		if err != nil {
			return err
		}
		// What composites are made from comes first.
		slices.SortStableFunc(objects, func(a, b *harness.Object) int {
			return map[bool]int{true: 1}[isComposite(a)] - map[bool]int{true: 1}[isComposite(b)]
		})
		for _, o := range objects {
			if harness.Text(o, "spec", "compositeTypeRef", "apiVersion") == composites+"/v1alpha1" {
				o = withoutTagManager(o)
			}
			c.objects[side] = append(c.objects[side], o)
		}
		if err := yaml.Unmarshal([]byte(texts[1][side]), &c.settings[side]); err != nil {
			return err
		}
	}
	return nil
}

// readBase reads files of the archive `base.txtar`, or of the blueprints.
func readBase(root string, names []string) (string, error) {
	base, err := os.ReadFile(filepath.Join(root, planCases, "base.txtar"))
	if err != nil {
		return "", err
	}
	var texts []string
	for _, name := range names {
		// A file begins after a line with its name, and ends before the line of the next one.
		_, text, isInBase := strings.Cut(string(base), "\n-- "+name+".yaml --\n")
		if isInBase {
			text, _, _ = strings.Cut(text, "\n-- ")
			texts = append(texts, strings.TrimSuffix(text, "\n")+"\n")
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, "examples", "blueprints", name+".yaml"))
		if err != nil {
			return "", err
		}
		texts = append(texts, string(content))
	}
	return strings.Join(texts, "---\n"), nil
}

// isComposite is whether an object of a case is a composite or a claim.
func isComposite(o *harness.Object) bool {
	group := o.GroupVersionKind().Group
	return group == composites || group == thingGroup
}

// roots are the composites and claims of one side.
func (c *fileChange) roots(side int) []*harness.Object {
	return slices.DeleteFunc(slices.Clone(c.objects[side]), func(o *harness.Object) bool { return !isComposite(o) })
}

// find is an object of one side; nil if it is not there.
func (c *fileChange) find(side int, o *harness.Object) *harness.Object {
	of := slices.IndexFunc(c.objects[side], func(other *harness.Object) bool {
		return other.GroupVersionKind() == o.GroupVersionKind() && other.GetNamespace() == o.GetNamespace() && other.GetName() == o.GetName()
	})
	if of < 0 {
		return nil
	}
	return c.objects[side][of]
}

// mergePatch is the JSON merge patch from one object to another.
func mergePatch(from, to map[string]any) map[string]any {
	patch := map[string]any{}
	for field := range from {
		if _, is := to[field]; !is {
			patch[field] = nil
		}
	}
	for field, value := range to {
		was, isMap := from[field].(map[string]any)
		is, isMapNow := value.(map[string]any)
		switch {
		case isMap && isMapNow:
			if below := mergePatch(was, is); len(below) > 0 {
				patch[field] = below
			}
		case fmt.Sprint(from[field]) != fmt.Sprint(value):
			patch[field] = value
		}
	}
	return patch
}

package main

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"conformance/harness"
)

// prediction is what `propagate plan --output json` says of tags: docs/plan.schema.json describes it.
type prediction struct {
	Tags []struct {
		Object     struct{ Kind, Name string }
		At         string
		CannotTell []string
		Changes    []predictedTag
		Resources  []struct {
			Kind, Name, Field, Effect, Reason string
			Changes                           []predictedTag
		}
	}
}

type predictedTag struct {
	Key      string
	From, To *string
}

// ask asks what the change from one side of a case to another does.
func (p *planRun) ask(ctx context.Context, c *fileChange, sides ...int) (*prediction, error) {
	program := commandLine{p.propagate, p.Directory}
	for i, side := range sides {
		for file, content := range map[string]any{"objects": listOf(c.objects[side]), "settings": c.settings[side]} {
			if err := program.write(fmt.Sprintf("%s-%d.json", file, i), content); err != nil {
				return nil, err
			}
		}
	}
	answer := &prediction{}
	return answer, program.run(ctx, answer, "plan", "objects-0.json", "objects-1.json", "--old-settings", "settings-0.json", "--settings", "settings-1.json")
}

// isTold is whether everything is predicted.
func (p *prediction) isTold() bool {
	for _, object := range p.Tags {
		if len(object.CannotTell) > 0 {
			return false
		}
		for _, resource := range object.Resources {
			if resource.Effect == "cannot tell" {
				return false
			}
		}
	}
	return true
}

// refusedByProvider is what a provider refuses: the managed resource changes.
const refusedByProvider = "its provider cannot change its tags"

// tagValues are the values of a tag before and after.
type tagValues [2]string

// none is the value of a tag that is not there.
const none = "(none)"

// differences are the tags that are predicted to differ, by object, field and key.
func (p *prediction) differences() map[string]tagValues {
	found := map[string]tagValues{}
	value := func(text *string) string {
		if text == nil {
			return none
		}
		return *text
	}
	for _, object := range p.Tags {
		root := object.Object.Kind + " " + object.Object.Name
		for _, tag := range object.Changes {
			found[root+" "+object.At+" "+tag.Key] = tagValues{value(tag.From), value(tag.To)}
		}
		for _, resource := range object.Resources {
			isPaused := resource.Effect == "no effect" && strings.HasPrefix(resource.Reason, "the composite has")
			if isPaused || resource.Effect == "refused" && resource.Reason != refusedByProvider {
				// The resource stays as it is.
				continue
			}
			for _, tag := range resource.Changes {
				found[placeOf(root, resource.Kind, resource.Name, resource.Field)+tag.Key] = tagValues{value(tag.From), value(tag.To)}
			}
		}
	}
	return found
}

// placeOf is a field of a resource that is composed for a composite.
func placeOf(root, kind, name, field string) string {
	return fmt.Sprintf("%s: %s `%s` %s ", root, kind, name, field)
}

// differences are the tags that differ between two readings.
func differences(before, after map[string]string) map[string]tagValues {
	found := map[string]tagValues{}
	for place, was := range before {
		found[place] = tagValues{was, none}
	}
	for place, is := range after {
		was, there := before[place]
		if !there {
			was = none
		}
		found[place] = tagValues{was, is}
		if was == is {
			delete(found, place)
		}
	}
	return found
}

// compareDifferences says what happened otherwise than predicted.
func compareDifferences(found, wanted map[string]tagValues) []string {
	var wrong []string
	for _, place := range sortedKeys(found) {
		if predicted, is := wanted[place]; !is {
			wrong = append(wrong, fmt.Sprintf("%s: %q, and nothing was predicted", place, found[place]))
		} else if predicted != found[place] {
			wrong = append(wrong, fmt.Sprintf("%s: %q, predicted %q", place, found[place], predicted))
		}
	}
	for _, place := range sortedKeys(wanted) {
		if _, is := found[place]; !is {
			wrong = append(wrong, fmt.Sprintf("%s: nothing, predicted %q", place, wanted[place]))
		}
	}
	return wrong
}

// reading are the tags of composites and of everything that is composed for them, and the versions of all these objects.
type reading struct {
	composed       map[types.UID]map[string]*harness.Object
	tags, versions map[string]string
}

// read reads the tags of composites.
func (p *planRun) read(ctx context.Context, roots []*harness.Object) (*reading, error) {
	// Some resources wait for a field that a provider reports.
	if err := p.provide(ctx); err != nil {
		return nil, err
	}
	composed, err := p.composed(ctx)
	if err != nil {
		return nil, err
	}
	now := &reading{composed, map[string]string{}, map[string]string{}}
	for _, root := range roots {
		composite, err := p.API.Get(ctx, root)
		if err != nil {
			return nil, err
		}
		if reference, is, _ := unstructured.NestedStringMap(composite.Object, "spec", "resourceRef"); is {
			// Of a claim, the composite has the tags.
			if composite, err = p.API.Get(ctx, named(reference["apiVersion"], reference["kind"], "", reference["name"])); err != nil {
				return nil, err
			}
		}
		if harness.ConditionField(composite, "Synced", "status") == "" {
			return nil, fmt.Errorf("%s: Crossplane has said nothing yet", called(root))
		}
		now.versions[called(root)] = composite.GetResourceVersion()
		own, _, _ := unstructured.NestedStringMap(composite.Object, "spec", "cloudTags")
		for key, value := range own {
			now.tags[called(root)+" spec.cloudTags "+key] = value
		}
		p.addComposed(now, composite.GetUID(), called(root), "")
	}
	return now, nil
}

// addComposed adds what is composed for one composite.
func (p *planRun) addComposed(now *reading, owner types.UID, root, prefix string) {
	for key, o := range now.composed[owner] {
		now.versions[root+prefix+key] = o.GetResourceVersion()
		name := o.GetAnnotations()[resourceName]
		if isComposite(o) {
			p.addComposed(now, o.GetUID(), root, prefix+name+"/")
			continue
		}
		k := p.kindOf(o.GetAPIVersion(), o.GetKind())
		fields := k.Carriers
		for field, of := range k.Fields {
			if of == "texts" || of == "list" {
				fields = append(fields, field)
			}
		}
		for _, field := range fields {
			value, _, _ := unstructured.NestedFieldNoCopy(o.Object, append([]string{"spec", "forProvider"}, strings.Split(field, ".")...)...)
			for key, value := range tagsIn(value) {
				now.tags[placeOf(root, o.GetKind(), prefix+name, "spec.forProvider."+field)+key] = value
			}
		}
	}
}

// tagsIn are the tags of a field. In a list of texts, each is a key.
func tagsIn(field any) map[string]string {
	found := map[string]string{}
	switch field := field.(type) {
	case map[string]any:
		for key, value := range field {
			found[key] = fmt.Sprint(value)
		}
	case []any:
		for _, entry := range field {
			switch entry := entry.(type) {
			case string:
				found[entry] = ""
			case map[string]any:
				if key, is := entry["key"].(string); is {
					found[key], _ = entry["value"].(string)
				}
			}
		}
	}
	return found
}

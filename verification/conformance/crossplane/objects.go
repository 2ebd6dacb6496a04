package main

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"conformance/harness"
)

// named is an object with nothing but a name.
func named(apiVersion, kind, namespace, name string) *harness.Object {
	o := &harness.Object{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// called is how messages and tables name an object.
func called(o *harness.Object) string { return o.GetKind() + " " + o.GetName() }

func sortedKeys[K cmp.Ordered, V any](of map[K]V) []K { return slices.Sorted(maps.Keys(of)) }

// cut is what is before and after the first space.
func cut(text string) (string, string) {
	before, after, _ := strings.Cut(text, " ")
	return before, after
}

// unwrapped is what the API server said, without the name of the object.
func unwrapped(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

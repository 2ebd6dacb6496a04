package main

import (
	_ "unsafe" // for go:linkname

	v1 "github.com/crossplane/crossplane/apis/apiextensions/v1"
	_ "github.com/crossplane/crossplane/pkg/validation/apiextensions/v1/composition" // links what is linked below

	"github.com/crossplane/crossplane-runtime/pkg/resource"
)

// Crossplane keeps these to itself. The linker reaches them all the same, so that no copy can go stale.

//go:linkname composedTemplates github.com/crossplane/crossplane/internal/controller/apiextensions/composite.ComposedTemplates
func composedTemplates(sets []v1.PatchSet, templates []v1.ComposedTemplate) ([]v1.ComposedTemplate, error)

//go:linkname renderFromJSON github.com/crossplane/crossplane/internal/controller/apiextensions/composite.RenderFromJSON
func renderFromJSON(o resource.Object, data []byte) error

//go:linkname applyPatch github.com/crossplane/crossplane/internal/controller/apiextensions/composite.Apply
func applyPatch(p v1.Patch, composite resource.Composite, composed resource.Composed, only ...v1.PatchType) error

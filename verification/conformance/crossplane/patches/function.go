package main

import (
	"context"
	"fmt"
	"time"

	"github.com/crossplane/crossplane-runtime/pkg/fieldpath"
	"github.com/crossplane/crossplane-runtime/pkg/resource/unstructured/composed"
	"github.com/crossplane/crossplane-runtime/pkg/resource/unstructured/composite"
	fnv1 "github.com/crossplane/crossplane/apis/apiextensions/fn/proto/v1"
	v1 "github.com/crossplane/crossplane/apis/apiextensions/v1"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/utils/ptr"
)

// function answers Crossplane.
type function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

// RunFunction composes and patches the resources of one step. A step that cannot be done is a fatal result: nothing is
// composed then.
func (*function) RunFunction(_ context.Context, request *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	answer := &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: request.GetMeta().GetTag(), Ttl: durationpb.New(time.Minute)},
		Desired: request.GetDesired(),
		Context: request.GetContext(),
	}
	if answer.GetDesired() == nil {
		answer.Desired = &fnv1.State{}
	}
	if answer.Desired.Resources == nil {
		answer.Desired.Resources = map[string]*fnv1.Resource{}
	}
	skipped, err := compose(request, answer.GetDesired())
	for _, why := range skipped {
		answer.Results = append(answer.Results, &fnv1.Result{Severity: fnv1.Severity_SEVERITY_WARNING, Message: why})
	}
	if err != nil {
		answer.Results = append(answer.Results, &fnv1.Result{Severity: fnv1.Severity_SEVERITY_FATAL, Message: err.Error()})
	}
	return answer, nil
}

// compose changes the desired state as the input of the step says, and returns why resources are not added.
func compose(request *fnv1.RunFunctionRequest, desired *fnv1.State) ([]string, error) {
	input, err := read(request.GetInput().AsMap())
	if err != nil {
		return nil, fmt.Errorf("cannot get the input: %w", err)
	}
	owner := composite.New()
	owner.Object = request.GetObserved().GetComposite().GetResource().AsMap()
	status := composite.New()
	status.Object = desired.GetComposite().GetResource().AsMap()
	status.SetGroupVersionKind(owner.GroupVersionKind())

	var skipped []string
	for _, template := range input.Resources {
		name := ptr.Deref(template.Name, "")
		if name == "" {
			return skipped, fmt.Errorf("a resource has no name")
		}
		observed, exists := request.GetObserved().GetResources()[name]
		made, err := base(template, desired.GetResources()[name])
		if err != nil {
			return skipped, fmt.Errorf("%s: %w", name, err)
		}
		skip := false
		for i, patch := range template.Patches {
			var err error
			switch patch.Type {
			case v1.PatchTypeToCompositeFieldPath, v1.PatchTypeCombineToComposite:
				if exists {
					from := composed.New()
					from.Object = observed.GetResource().AsMap()
					err = applyPatch(patch, status, from)
				}
			default:
				err = applyPatch(patch, owner, made)
			}
			// What is required and missing keeps a resource from being created, and does not remove one.
			if fieldpath.IsNotFound(err) && required(patch) {
				if !exists {
					skip = true
					skipped = append(skipped, fmt.Sprintf("%s is not added: patch %d: %v", name, i, err))
				}
				continue
			}
			if err != nil {
				return skipped, fmt.Errorf("%s: patch %d: %w", name, i, err)
			}
		}
		if skip {
			continue
		}
		packed, err := structpb.NewStruct(made.Object)
		if err != nil {
			return skipped, fmt.Errorf("%s: %w", name, err)
		}
		desired.Resources[name] = &fnv1.Resource{Resource: packed, Ready: desired.GetResources()[name].GetReady()}
	}
	packed, err := structpb.NewStruct(status.Object)
	if err != nil {
		return skipped, err
	}
	if desired.Composite == nil {
		desired.Composite = &fnv1.Resource{}
	}
	desired.Composite.Resource = packed
	return skipped, nil
}

// base is what the patches start from: the template's base, and without one what an earlier step has made.
func base(template v1.ComposedTemplate, earlier *fnv1.Resource) (*composed.Unstructured, error) {
	made := composed.New()
	if len(template.Base.Raw) > 0 {
		return made, renderFromJSON(made, template.Base.Raw)
	}
	if earlier == nil {
		return nil, fmt.Errorf("no base, and no earlier step makes it")
	}
	made.Object = earlier.GetResource().AsMap()
	return made, nil
}

func required(patch v1.Patch) bool {
	return patch.Policy != nil && ptr.Deref(patch.Policy.FromFieldPath, "") == v1.FromFieldPathPolicyRequired
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/spec3"
	"sigs.k8s.io/yaml"
)

// servers serve kinds: Cluster API's own by their definitions, all others without a schema.
type servers struct {
	kinds map[schema.GroupVersionKind]*served
	// admission are Cluster API's webhooks.
	admission *webhooks
}

// served is one version of one kind.
type served struct {
	schema    *structuralschema.Structural
	validator validation.SchemaValidator
	converter managedfields.TypeConverter
}

// definitions are where Cluster API's module keeps its definitions.
var definitions = []string{"core/config/crd/bases", "bootstrap/kubeadm/config/crd/bases", "controlplane/kubeadm/config/crd/bases"}

func newServers() (*servers, error) {
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/cluster-api").Output()
	if err != nil {
		return nil, fmt.Errorf("the folder of Cluster API's module: %w", err)
	}
	all := &servers{kinds: map[schema.GroupVersionKind]*served{}}
	for _, place := range definitions {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(folder)), place, "*.yaml"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("no definitions in %s", place)
		}
		for _, file := range files {
			if err := all.read(file); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return all, nil
}

func (s *servers) read(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &definition); err != nil {
		return err
	}
	var specs []*spec3.OpenAPI
	for _, version := range definition.Spec.Versions {
		made, err := builder.BuildOpenAPIV3(&definition, version.Name, builder.Options{})
		if err != nil {
			return err
		}
		specs = append(specs, made)
	}
	merged, err := builder.MergeSpecsV3(specs...)
	if err != nil {
		return err
	}
	converter, err := managedfields.NewTypeConverter(merged.Components.Schemas, false)
	if err != nil {
		return err
	}
	for _, version := range definition.Spec.Versions {
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, &internal, nil); err != nil {
			return err
		}
		structural, err := structuralschema.NewStructural(&internal)
		if err != nil {
			return err
		}
		validator, _, err := validation.NewSchemaValidator(&internal)
		if err != nil {
			return err
		}
		kind := schema.GroupVersionKind{Group: definition.Spec.Group, Version: version.Name, Kind: definition.Spec.Names.Kind}
		s.kinds[kind] = &served{schema: structural, validator: validator, converter: converter}
	}
	return nil
}

func (s *servers) manager(kind schema.GroupVersionKind) (*managedfields.FieldManager, error) {
	converter := managedfields.NewDeducedTypeConverter()
	if known, ok := s.kinds[kind]; ok {
		converter = known.converter
	}
	return managedfields.NewDefaultCRDFieldManager(converter, asWritten{}, asWritten{}, asWritten{}, kind, kind.GroupVersion(), "", nil)
}

// apply is the object after a server-side apply.
func (s *servers) apply(ctx context.Context, live, applied *unstructured.Unstructured, manager string, force bool) (*unstructured.Unstructured, error) {
	kind := applied.GroupVersionKind()
	fields, err := s.manager(kind)
	if err != nil {
		return nil, err
	}
	base := &unstructured.Unstructured{Object: map[string]any{}}
	base.SetGroupVersionKind(kind)
	base.SetName(applied.GetName())
	base.SetNamespace(applied.GetNamespace())
	if live != nil {
		base = live.DeepCopy()
	}
	result, err := fields.Apply(base, applied, manager, force)
	if err != nil {
		return nil, err
	}
	merged := result.(*unstructured.Unstructured)
	withoutNulls(merged.Object, applied.Object)
	return s.admit(ctx, live, merged)
}

// withoutNulls replaces what is null and was not applied so by what was applied: maps and lists whose last field or element
// an applier no longer has.
func withoutNulls(merged, applied any) {
	switch merged := merged.(type) {
	case map[string]any:
		fields, _ := applied.(map[string]any)
		for name, value := range merged {
			was, isApplied := fields[name]
			_, isMap := was.(map[string]any)
			_, isList := was.([]any)
			switch {
			case value == nil && isMap:
				merged[name] = map[string]any{}
			case value == nil && isList:
				merged[name] = []any{}
			case value == nil && !isApplied:
				delete(merged, name)
			}
			withoutNulls(value, was)
		}
	case []any:
		elements, _ := applied.([]any)
		for _, element := range merged {
			var same any
			for _, other := range elements {
				if stringAt(other, "name") == stringAt(element, "name") {
					same = other
				}
			}
			withoutNulls(element, same)
		}
	}
}

// update is the object after an update.
func (s *servers) update(live, updated *unstructured.Unstructured, manager string) (*unstructured.Unstructured, error) {
	fields, err := s.manager(updated.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	result := fields.UpdateNoErrors(live.DeepCopy(), updated, manager)
	return result.(*unstructured.Unstructured), nil
}

// prune removes what the definition of a kind does not have.
func (s *servers) prune(object *unstructured.Unstructured) {
	if known, ok := s.kinds[object.GroupVersionKind()]; ok {
		pruning.Prune(object.Object, known.schema, true)
	}
}

// pruneNulls removes nulls that the definition of a kind does not allow, as a server does when it decodes what a user
// creates or updates.
func (s *servers) pruneNulls(object *unstructured.Unstructured) {
	if known, ok := s.kinds[object.GroupVersionKind()]; ok {
		defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, known.schema)
	}
}

// admit is the object with defaults, without unknown fields, and as webhooks admit it.
func (s *servers) admit(ctx context.Context, live, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	known, ok := s.kinds[object.GroupVersionKind()]
	if !ok {
		return object, ofTexts(object)
	}
	s.prune(object)
	defaulting.Default(object.Object, known.schema)
	if _, ok := conversions[object.GetKind()]; ok && object.GroupVersionKind().Version == "v1beta1" {
		// What another version stores is not what is validated.
		if err := known.validate(object); err != nil {
			return nil, err
		}
	}
	admitted, err := s.admission.admit(ctx, live, object)
	if err != nil {
		return nil, err
	}
	return admitted, known.validate(admitted)
}

func (s *served) validate(object *unstructured.Unstructured) error {
	if errs := validation.ValidateCustomResource(nil, object.Object, s.validator); len(errs) > 0 {
		return apierrors.NewInvalid(object.GroupVersionKind().GroupKind(), object.GetName(), errs)
	}
	return nil
}

// ofTexts says which labels or annotations of an object without a definition are no map of texts. Every provider's template
// has such maps below `spec.template`, where no value may be null.
func ofTexts(object *unstructured.Unstructured) error {
	for _, holder := range [][]string{{"metadata"}, {"spec", "template", "metadata"}} {
		for _, field := range []string{"labels", "annotations"} {
			value, isSet, err := unstructured.NestedFieldNoCopy(object.Object, append(slices.Clone(holder), field)...)
			if !isSet || err != nil {
				continue
			}
			entries, isMap := value.(map[string]any)
			for _, entry := range entries {
				_, isText := entry.(string)
				isMap = isMap && (isText || entry == nil && holder[0] == "metadata")
			}
			if !isMap {
				return apierrors.NewBadRequest(fmt.Sprintf("%s %s: %s.%s: expected a map of texts", object.GetKind(), object.GetName(), strings.Join(holder, "."), field))
			}
		}
	}
	return nil
}

// written validates a Cluster or ClusterClass of v1beta1, which is stored in v1beta2.
func (s *servers) written(object *unstructured.Unstructured) error {
	known, ok := s.kinds[object.GroupVersionKind()]
	if !ok || object.GroupVersionKind().Version != "v1beta1" {
		return nil
	}
	decoded := object.DeepCopy()
	s.pruneNulls(decoded)
	return known.validate(decoded)
}

// unknown says which field of an object its definition does not have: server-side apply refuses it.
func (s *servers) unknown(object *unstructured.Unstructured) error {
	known, ok := s.kinds[object.GroupVersionKind()]
	if !ok {
		return nil
	}
	options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	if fields := pruning.PruneWithOptions(object.DeepCopy().Object, known.schema, true, options); len(fields) > 0 {
		return fmt.Errorf("%s %s: %s: field not declared in schema", object.GetKind(), object.GetName(), strings.Join(fields, ", "))
	}
	return nil
}

// asWritten converts, defaults and creates nothing: every object is read in the version it is written in.
type asWritten struct{}

func (asWritten) Convert(any, any, any) error {
	return fmt.Errorf("objects are read as they are written")
}

func (asWritten) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (asWritten) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", fmt.Errorf("no field labels")
}

func (asWritten) Default(runtime.Object) {}

func (asWritten) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object, nil
}

package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Decode reads the objects of a YAML file, in its order.
func Decode(file string, content []byte) ([]*Object, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	var objects []*Object
	for {
		o := &Object{}
		err := decoder.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if o.Object != nil {
			objects = append(objects, o)
		}
	}
}

// Plain turns Go's own types into those of JSON, which unstructured objects are made of.
func Plain(fields map[string]any) (map[string]any, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{}
	err = o.UnmarshalJSON(text)
	return o.Object, err
}

// Text is a string field, empty where there is none.
func Text(o *Object, path ...string) string {
	value, _, _ := unstructured.NestedString(o.Object, path...)
	return value
}

// ConditionField is a field of one of an object's conditions, empty where there is none.
func ConditionField(o *Object, condition, field string) string {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, entry := range conditions {
		if entry, is := entry.(map[string]any); is && entry["type"] == condition {
			value, _ := entry[field].(string)
			return value
		}
	}
	return ""
}

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"sigs.k8s.io/yaml"
)

// readConditions reads the conditions of deploy/match-conditions.yaml, and the rules of the policy.
func readConditions(root string) ([]registrationv1.MatchCondition, []registrationv1.RuleWithOperations, error) {
	var conditions, policy struct {
		Spec struct {
			MatchConditions []registrationv1.MatchCondition     `json:"matchConditions"`
			Rules           []registrationv1.RuleWithOperations `json:"rules"`
		} `json:"spec"`
	}
	for name, into := range map[string]any{"match-conditions.yaml": &conditions, policyFile: &policy} {
		content, err := os.ReadFile(filepath.Join(root, "deploy", name))
		if err != nil {
			return nil, nil, err
		}
		if err := yaml.Unmarshal(content, into); err != nil {
			return nil, nil, fmt.Errorf("deploy/%s: %w", name, err)
		}
	}
	if len(conditions.Spec.MatchConditions) == 0 || len(policy.Spec.Rules) == 0 {
		return nil, nil, fmt.Errorf("deploy/ has no matchConditions or no rules")
	}
	return conditions.Spec.MatchConditions, policy.Spec.Rules, nil
}

// readAnswered reads what the policy has to say to recorded reviews, by file, number, operation and kind. Of the writes
// on an older read of the parent those of controllers are left out: the policy would complete them only if controllers
// counted as anybody.
func readAnswered(root string) (map[string]string, error) {
	answered := map[string]string{}
	for _, name := range []string{"people.txt", "exceptions.txt"} {
		content, err := os.ReadFile(filepath.Join(root, "testdata", "recorded", name))
		if err != nil {
			return nil, err
		}
		for _, line := range strings.Split(string(content), "\n") {
			// 12-edit-derived 0 UPDATE MachineSet team-a/c1 by alice: restored …
			words := strings.Fields(line)
			if strings.HasPrefix(line, "#") || len(words) < 7 {
				continue
			}
			if name == "exceptions.txt" && strings.HasPrefix(words[6], "capi-") {
				continue
			}
			answered[strings.Join(words[:4], " ")] = line
		}
	}
	return answered, nil
}

// eachReview tells the requests of one file of recorded reviews, packed or not, with their numbers.
func eachReview(file string, tell func(int, *admissionv1.AdmissionRequest) error) error {
	opened, err := os.Open(file)
	if err != nil {
		return err
	}
	defer opened.Close()
	lines := bufio.NewReader(opened)
	if strings.HasSuffix(file, ".gz") {
		unpacked, err := gzip.NewReader(opened)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		lines = bufio.NewReader(unpacked)
	}
	for number := 0; ; number++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var review admissionv1.AdmissionReview
			if err := json.Unmarshal(line, &review); err != nil {
				return fmt.Errorf("%s: review %d: %w", file, number, err)
			}
			if review.Request == nil {
				return fmt.Errorf("%s: review %d has no request", file, number)
			}
			if err := tell(number, review.Request); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}

// attributesOf is a recorded request as the API server had it when it decided whom to ask.
func attributesOf(request *admissionv1.AdmissionRequest) (*admission.VersionedAttributes, error) {
	object, err := objectOf(request.Object)
	if err != nil {
		return nil, err
	}
	old, err := objectOf(request.OldObject)
	if err != nil {
		return nil, err
	}
	extra := map[string][]string{}
	for key, values := range request.UserInfo.Extra {
		extra[key] = values
	}
	kind := schema.GroupVersionKind(request.Kind)
	return &admission.VersionedAttributes{
		Attributes: admission.NewAttributesRecord(
			object, old, kind, request.Namespace, request.Name, schema.GroupVersionResource(request.Resource),
			request.SubResource, admission.Operation(request.Operation), nil, request.DryRun != nil && *request.DryRun,
			&user.DefaultInfo{
				Name: request.UserInfo.Username, UID: request.UserInfo.UID, Groups: request.UserInfo.Groups, Extra: extra,
			}),
		VersionedObject: object, VersionedOldObject: old, VersionedKind: kind,
	}, nil
}

// objectOf is an object of a request, or nothing where it has none.
func objectOf(raw runtime.RawExtension) (runtime.Object, error) {
	if len(raw.Raw) == 0 || string(raw.Raw) == "null" {
		return nil, nil
	}
	read := &object{}
	return read, read.UnmarshalJSON(raw.Raw)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sort"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	coreadmission "sigs.k8s.io/cluster-api/core/webhooks/admission"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// violations are definitions and patches of a class and values of a Cluster, and what the webhooks say about them.
type violations struct {
	Variables json.RawMessage `json:"variables"`
	Patches   json.RawMessage `json:"patches,omitempty"`
	Values    json.RawMessage `json:"values,omitempty"`
	// OfClass and OfCluster are fields and messages.
	OfClass   []string `json:"ofClass"`
	OfCluster []string `json:"ofCluster"`
}

// writeViolations asks the webhooks about the rows of a file, and writes what they say.
func writeViolations(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var rows []violations
	if err := json.Unmarshal(text, &rows); err != nil {
		return err
	}
	if err := prepare(nil); err != nil {
		return err
	}
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		if err := row.ask(); err != nil {
			return err
		}
		lines = append(lines, string(raw(row)))
	}
	return os.WriteFile(file, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644)
}

func (v *violations) ask() error {
	class := &clusterv1.ClusterClass{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default"}}
	reference := func(group, kind string) clusterv1.ClusterClassTemplateReference {
		return clusterv1.ClusterClassTemplateReference{APIVersion: group + ".cluster.x-k8s.io/v1beta2", Kind: kind, Name: "t"}
	}
	class.Spec.Infrastructure.TemplateRef = reference("infrastructure", "InfraClusterTemplate")
	class.Spec.ControlPlane.TemplateRef = reference("controlplane", "ControlPlaneTemplate")
	if err := json.Unmarshal(v.Variables, &class.Spec.Variables); err != nil {
		return err
	}
	if v.Patches != nil {
		if err := json.Unmarshal(v.Patches, &class.Spec.Patches); err != nil {
			return err
		}
	}
	ctx := admission.NewContextWithRequest(context.Background(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Operation: admissionv1.Create}})
	_, err := (&coreadmission.ClusterClass{}).ValidateCreate(ctx, class)
	v.OfClass = []string{}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		for _, cause := range status.Status().Details.Causes {
			v.OfClass = append(v.OfClass, cause.Field+": "+cause.Message)
		}
	}
	sort.Strings(v.OfClass)
	v.OfCluster = []string{}
	if v.Values == nil || len(v.OfClass) > 0 {
		return nil
	}
	if err := classStatus(ctx, nil, class); err != nil {
		return err
	}
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default"}}
	if err := json.Unmarshal(v.Values, &cluster.Spec.Topology.Variables); err != nil {
		return err
	}
	for _, found := range (&coreadmission.Cluster{}).DefaultAndValidateVariables(ctx, cluster, nil, class) {
		v.OfCluster = append(v.OfCluster, found.Field+": "+found.ErrorBody())
	}
	sort.Strings(v.OfCluster)
	return nil
}

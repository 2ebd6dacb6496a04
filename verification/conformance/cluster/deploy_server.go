package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"conformance/harness"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// applied are the kinds of deploy/ that an API server knows by itself.
var applied = map[string]bool{
	"CustomResourceDefinition": true, "ServiceAccount": true,
	"ClusterRole": true, "ClusterRoleBinding": true, "Role": true, "RoleBinding": true,
}

// webhookParts are the fields of a policy that Kubewarden hands on to its webhook configuration, and that the API server
// judges.
var webhookParts = []string{
	"rules", "matchConditions", "namespaceSelector", "objectSelector", "failurePolicy", "matchPolicy", "timeoutSeconds",
}

// deployOnServer applies deploy/ to an API server: what it knows by itself as it is, of each policy what becomes its
// webhook configuration. The server has to accept all of it, to keep all of it, and to grant what the policies read, and
// nothing else.
func deployOnServer(ctx context.Context, programs programs, root, directory string, to io.Writer) error {
	objects, err := deployObjects(root)
	if err != nil {
		return err
	}
	r, err := startServer(ctx, programs, root, directory)
	if err != nil {
		return err
	}
	defer r.Stop()
	var differences []string
	policies, sent := 0, 0
	for _, o := range objects {
		switch {
		case o.GetKind() == "ClusterAdmissionPolicy" || o.GetKind() == "AdmissionPolicy":
			policies++
			if o, err = webhookOf(o); err != nil {
				return err
			}
		case !applied[o.GetKind()]:
			fmt.Fprintf(to, "%s %s: the API server has no definition of it\n", o.GetKind(), o.GetName())
			continue
		}
		sent++
		lost, err := r.applyWhole(ctx, o)
		switch {
		case err != nil:
			differences = append(differences, fmt.Sprint(err))
		case lost != "":
			differences = append(differences, fmt.Sprintf("%s %s: the API server keeps something else: %s", o.GetKind(), o.GetName(), lost))
		default:
			fmt.Fprintf(to, "%s %s\n", o.GetKind(), o.GetName())
		}
	}
	if err := r.AwaitDefinitions(ctx); err != nil {
		differences = append(differences, fmt.Sprint(err))
	}
	if policies == 0 {
		return fmt.Errorf("deploy/ has no policy")
	}
	asked, refused, err := r.grantsOf(ctx, objects)
	if err != nil {
		return err
	}
	differences = append(differences, refused...)
	fmt.Fprintf(to, "%d objects, %d policies among them; %d permissions asked for\n", sent, policies, asked)
	for _, difference := range differences {
		fmt.Fprintln(to, difference)
	}
	if len(differences) > 0 {
		return harness.Differences(len(differences))
	}
	return nil
}

// deployObjects are all objects of deploy/. Values of charts and lists of conditions are none.
func deployObjects(root string) ([]*object, error) {
	files, err := filepath.Glob(filepath.Join(root, "deploy", "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []*object
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		objects, err := harness.Decode(file, content)
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			if o.GetKind() != "" {
				all = append(all, o)
			}
		}
	}
	return all, nil
}

// webhookOf is the webhook configuration of a policy, as far as the policy decides it.
func webhookOf(policy *object) (*object, error) {
	kind := "ValidatingWebhookConfiguration"
	if mutating, _, _ := unstructured.NestedBool(policy.Object, "spec", "mutating"); mutating {
		kind = "MutatingWebhookConfiguration"
	}
	name := "kw.cap." + policy.GetName()
	hook := map[string]any{
		"name": name + ".kubewarden.admission", "clientConfig": map[string]any{"url": "https://127.0.0.1:1/validate"},
		"admissionReviewVersions": []any{"v1"}, "sideEffects": "None",
	}
	for _, part := range webhookParts {
		if value, is := mapAt(policy, "spec")[part]; is {
			hook[part] = value
		}
	}
	made, err := harness.Plain(map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": map[string]any{"name": name},
		"webhooks": []any{hook},
	})
	return &object{Object: made}, err
}

// applyWhole creates an object, and returns what of it is not as it was sent. What the server adds does not count.
func (r *run) applyWhole(ctx context.Context, o *object) (string, error) {
	if namespace := o.GetNamespace(); namespace != "" {
		made := &object{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}}}
		if err := r.API.Ensure(ctx, made); err != nil {
			return "", err
		}
	}
	kept, err := r.API.Create(ctx, o.DeepCopy())
	if err != nil {
		return "", err
	}
	return lostOf("", o.Object, kept.Object), nil
}

// lostOf is the first path at which something that was sent is not kept.
func lostOf(path string, sent, kept any) string {
	switch sent := sent.(type) {
	case map[string]any:
		kept, _ := kept.(map[string]any)
		for name, value := range sent {
			if lost := lostOf(path+"/"+name, value, kept[name]); lost != "" {
				return lost
			}
		}
		return ""
	case []any:
		kept, _ := kept.([]any)
		if len(kept) != len(sent) {
			return path
		}
		for i := range sent {
			if lost := lostOf(fmt.Sprintf("%s/%d", path, i), sent[i], kept[i]); lost != "" {
				return lost
			}
		}
		return ""
	default:
		// A whole number is an integer to one decoder and a float to another.
		if fmt.Sprint(sent) == fmt.Sprint(kept) {
			return ""
		}
		return path
	}
}

// grantsOf asks the API server whether the PolicyServer may get what the policies read, and may not do more.
func (r *run) grantsOf(ctx context.Context, objects []*object) (int, []string, error) {
	var wrong []string
	content, err := os.ReadFile(filepath.Join(r.root, "deploy", "rbac.yaml"))
	if err != nil {
		return 0, nil, err
	}
	grants, err := harness.Decode("deploy/rbac.yaml", content)
	if err != nil {
		return 0, nil, err
	}
	name, namespace, err := harness.GrantedTo(grants)
	if err != nil {
		return 0, nil, err
	}
	user := "system:serviceaccount:" + namespace + ":" + name
	reviews := r.API.Typed.AuthorizationV1().SubjectAccessReviews()
	asked := 0
	for _, policy := range objects {
		read, _, _ := unstructured.NestedSlice(policy.Object, "spec", "contextAwareResources")
		for _, entry := range read {
			var kind metav1.TypeMeta
			if text, err := json.Marshal(entry); err != nil {
				return 0, nil, err
			} else if err := json.Unmarshal(text, &kind); err != nil {
				return 0, nil, err
			}
			resource, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind))
			for verb, wanted := range map[string]bool{"get": true, "list": false, "watch": false, "update": false} {
				asked++
				review, err := reviews.Create(ctx, &authorizationv1.SubjectAccessReview{
					Spec: authorizationv1.SubjectAccessReviewSpec{
						User: user, Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
						ResourceAttributes: &authorizationv1.ResourceAttributes{
							Namespace: "anywhere", Verb: verb, Group: resource.Group, Version: resource.Version, Resource: resource.Resource,
						},
					},
				}, metav1.CreateOptions{})
				if err != nil {
					return 0, nil, err
				}
				if review.Status.Allowed != wanted {
					wrong = append(wrong, fmt.Sprintf("%s: %s: %s of %s: allowed is %t", policy.GetName(), user, verb, resource.GroupResource(),
						review.Status.Allowed))
				}
			}
		}
	}
	return asked, wrong, nil
}

package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"conformance/harness"
)

// nodeWriter is the user of the kubeconfig with which the Machine controller writes Nodes.
const nodeWriter = "kubernetes-admin"

// nodeKey is a label and an annotation that the Machine gains after its Node has been synced.
const nodeKey = "node.cluster.x-k8s.io/late"

// recordedFirst lets the policy give a Node what its Machine has gained before the Machine controller does, which may not
// write it for a moment. Then the controller may write again, and the Machine loses it: the controller has to take it from
// the Node, although it never wrote it there.
func recordedFirst(ctx context.Context, r *run) error {
	node, err := r.selfHosted(ctx)
	if err != nil {
		return err
	}
	machine := r.record.get("Machine", "led")
	alice := r.people["alice"]
	if err := r.letWriteNodes(ctx, false); err != nil {
		return err
	}
	gained := fmt.Sprintf(`{"metadata":{"labels":{%q:"1"},"annotations":{%q:"1"}}}`, nodeKey, nodeKey)
	if _, err := alice.Patch(ctx, machine, gained); err != nil {
		return err
	}
	pause(ctx, cached)
	touched, err := r.API.Patch(ctx, node, `{"metadata":{"annotations":{"touched":"now"}}}`)
	if err != nil {
		return err
	}
	const pool = "node.cluster.x-k8s.io/pool"
	r.expect("the Node's label that the controller has not set", "", "1", touched.GetLabels()[nodeKey])
	r.expect("the record of labels", pool, nodeKey+","+pool, touched.GetAnnotations()[labelsFromMachine])
	r.expect("the record of annotations", "", nodeKey, touched.GetAnnotations()[annotationsFromMachine])
	if err := r.letWriteNodes(ctx, true); err != nil {
		return err
	}
	if _, err := alice.Patch(ctx, machine, `{"metadata":{"annotations":{"look":"again"}}}`); err != nil {
		return err
	}
	synced, err := r.nodeBecomes(ctx, node, func(o *object) bool {
		return o.GetLabels()[nodeKey] == "1" && strings.Contains(o.GetAnnotations()[labelsFromMachine], nodeKey)
	})
	if err != nil {
		return err
	}
	r.expect("the record of labels, synced", nodeKey+","+pool, nodeKey+","+pool, synced.GetAnnotations()[labelsFromMachine])
	// The controller has seen the Node, and had nothing to write with the policy.
	if err := r.settle(ctx); err != nil {
		return err
	}
	lost := fmt.Sprintf(`{"metadata":{"labels":{%q:null},"annotations":{%q:null}}}`, nodeKey, nodeKey)
	if _, err := alice.Patch(ctx, machine, lost); err != nil {
		return err
	}
	is := func(o *object) bool {
		_, label := o.GetLabels()[nodeKey]
		_, annotation := o.GetAnnotations()[nodeKey]
		return !label && !annotation
	}
	left, err := r.nodeBecomes(ctx, node, is)
	if err != nil {
		return err
	}
	r.expect("the Node has lost what its Machine lost", "true", "true", is(left))
	r.expect("the record of labels in the end", pool, pool, left.GetAnnotations()[labelsFromMachine])
	r.expect("the record of annotations in the end", "", "", left.GetAnnotations()[annotationsFromMachine])
	return nil
}

const (
	labelsFromMachine      = "cluster.x-k8s.io/labels-from-machine"
	annotationsFromMachine = "cluster.x-k8s.io/annotations-from-machine"
)

// selfHosted makes a Machine whose Node is one of the API server's own, and waits until the controller has synced it.
func (r *run) selfHosted(ctx context.Context) (*object, error) {
	if err := r.letWriteNodes(ctx, true); err != nil {
		return nil, err
	}
	kubeconfig, err := r.nodeKubeconfig()
	if err != nil {
		return nil, err
	}
	if err := r.API.Ensure(ctx, kubeconfig); err != nil {
		return nil, err
	}
	objects, err := r.manifests("self-hosted.yaml")
	if err != nil {
		return nil, err
	}
	owner, infrastructure, parts, machine, node := objects[0], objects[1], objects[2], objects[3], objects[4]
	node.SetNamespace("")
	if owner, err = r.API.Create(ctx, owner); err != nil {
		return nil, err
	}
	for _, o := range []*object{infrastructure, parts} {
		if o, err = r.API.Create(ctx, o); err != nil {
			return nil, err
		}
		resource, err := r.API.Of(o)
		if err != nil {
			return nil, err
		}
		provisioned := []byte(`{"status":{"initialization":{"provisioned":true}}}`)
		if _, err := resource.Patch(ctx, o.GetName(), types.MergePatchType, provisioned, metav1.PatchOptions{}, "status"); err != nil {
			return nil, harness.Told("patch the status of", o, err)
		}
	}
	if _, err := r.API.Create(ctx, node); err != nil {
		return nil, err
	}
	own(machine, owner)
	if _, err := r.people["alice"].Create(ctx, machine); err != nil {
		return nil, err
	}
	_, err = r.nodeBecomes(ctx, node, func(o *object) bool { return o.GetLabels()["node.cluster.x-k8s.io/pool"] == "blue" })
	if err != nil {
		return nil, err
	}
	return node, r.until(ctx, "the Machine has its Node", func() error {
		if name := harness.Text(r.record.get("Machine", "led"), "status", "nodeRef", "name"); name != node.GetName() {
			return fmt.Errorf("it has %q", name)
		}
		return nil
	})
}

// nodeBecomes waits until a Node is as it should be. With the policy it waits for a while only: the facts say more.
func (r *run) nodeBecomes(ctx context.Context, node *object, is func(*object) bool) (*object, error) {
	resource, err := r.API.Of(node)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(90 * time.Second); ; pause(ctx, 250*time.Millisecond) {
		now, err := resource.Get(ctx, node.GetName(), metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if is(now) || r.withPolicy() && time.Now().After(deadline) {
			return now, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s has labels %v, annotations %v", now.GetName(), now.GetLabels(), now.GetAnnotations())
		}
	}
}

// letWriteNodes gives the user of the kubeconfig its permissions, or leaves it only those to read.
func (r *run) letWriteNodes(ctx context.Context, write bool) error {
	// So that its watches go on.
	readOnly := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "nodes-read-only"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}}},
	}
	_, err := r.API.Typed.RbacV1().ClusterRoles().Create(ctx, readOnly, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	bindings := r.API.Typed.RbacV1().ClusterRoleBindings()
	subjects := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: nodeWriter}}
	for _, role := range []struct {
		name string
		has  bool
	}{{"cluster-admin", write}, {"nodes-read-only", !write}} {
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: nodeWriter + "-" + role.name}, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.name},
		}
		var err error
		if role.has {
			_, err = bindings.Create(ctx, binding, metav1.CreateOptions{})
		} else {
			err = bindings.Delete(ctx, binding.Name, metav1.DeleteOptions{})
		}
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	// The API server learns of it a moment later.
	pause(ctx, 2*time.Second)
	return nil
}

// nodeKubeconfig is the Secret with which Cluster API connects to the cluster that c3 stands for: this one.
func (r *run) nodeKubeconfig() (*object, error) {
	pair, err := r.Authority.Client(nodeWriter)
	if err != nil {
		return nil, err
	}
	certificate, err := os.ReadFile(pair.Certificate)
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(pair.Key)
	if err != nil {
		return nil, err
	}
	text, err := clientcmd.Write(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{
			"c": {Server: r.API.Config.Host, CertificateAuthorityData: r.Authority.Bundle},
		},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {ClientCertificateData: certificate, ClientKeyData: key}},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u"}},
		CurrentContext: "x",
	})
	if err != nil {
		return nil, err
	}
	secret := &object{Object: map[string]any{
		"type": "cluster.x-k8s.io/secret", "data": map[string]any{"value": base64.StdEncoding.EncodeToString(text)},
	}}
	secret.SetAPIVersion("v1")
	secret.SetKind("Secret")
	secret.SetNamespace(namespace)
	secret.SetName("c3-kubeconfig")
	secret.SetLabels(map[string]string{clusterName: "c3"})
	return secret, nil
}

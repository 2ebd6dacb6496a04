package main

import (
	"context"
	"path"
	"path/filepath"

	"conformance/harness"
)

// provider is one of Cluster API's released managers.
type provider struct {
	// name is the folder of its program, and of its certificate.
	name string
	// module and folder say where its program and its manifests are.
	module, folder string
	// namespace, deployment prefix and account are those of the release's manifests.
	namespace, account, service string
	// gates are its feature gates.
	gates string
	// goFolder is that of the go.mod file that names the module; empty is that of the edition of Cluster API.
	goFolder string
	// noWebhooks is whether its webhooks are not installed.
	noWebhooks bool
}

var providers = []provider{
	{
		name: "core", module: "sigs.k8s.io/cluster-api", folder: "core",
		namespace: "capi-system", account: "capi-manager", service: "capi-webhook-service",
		gates: "ClusterTopology=true,MachinePool=true,MachineTaintPropagation=true",
	},
	{
		name: "kubeadm-bootstrap", module: "sigs.k8s.io/cluster-api", folder: "bootstrap/kubeadm",
		namespace: "capi-kubeadm-bootstrap-system", account: "capi-kubeadm-bootstrap-manager",
		service: "capi-kubeadm-bootstrap-webhook-service",
		gates:   "MachinePool=true",
	},
	{
		name: "kubeadm-control-plane", module: "sigs.k8s.io/cluster-api", folder: "controlplane/kubeadm",
		namespace: "capi-kubeadm-control-plane-system", account: "capi-kubeadm-control-plane-manager",
		service: "capi-kubeadm-control-plane-webhook-service",
		gates:   "ClusterTopology=true,MachinePool=true,MachineTaintPropagation=true",
	},
	{
		name: "dev-infrastructure", module: "sigs.k8s.io/cluster-api/test", folder: "infrastructure/docker",
		namespace: "capd-system", account: "capd-manager", service: "capd-webhook-service",
		gates: "ClusterTopology=true,MachinePool=true",
	},
}

// programs are the built executables.
type programs struct {
	controlPlane string
	// managers by provider. Each is called `manager`, as in the released images: the name is the field manager of every
	// write that names none.
	managers map[string]string
	// webhook and propagate are built by Cargo.
	webhook, propagate string
	// clusterAPI is the edition of the managers.
	clusterAPI *clusterAPI
}

// programsIn are the executables in a folder.
func programsIn(directory, webhook, propagate string, edition *clusterAPI) programs {
	built := programs{
		controlPlane: filepath.Join(directory, "controlplane"),
		managers:     map[string]string{},
		webhook:      webhook,
		propagate:    propagate,
		clusterAPI:   edition,
	}
	for _, provider := range providers {
		built.managers[provider.name] = filepath.Join(directory, edition.name, provider.name, "manager")
	}
	for _, provider := range k3sProviders {
		built.managers[provider.name] = filepath.Join(directory, "k3s", provider.name, "manager")
	}
	return built
}

// build builds the Go programs into a folder, and those of K3s where they are run. What is built already takes seconds.
func build(ctx context.Context, directory, webhook, propagate string, edition *clusterAPI, k3s bool) (programs, error) {
	built := programsIn(directory, webhook, propagate, edition)
	if _, _, err := harness.ControlPlane(ctx, directory); err != nil {
		return built, err
	}
	for _, provider := range providers {
		args := append([]string{"build"}, edition.flags()...)
		args = append(args, "-o", built.managers[provider.name], path.Join(provider.module, edition.programOf(provider)))
		if err := harness.Go(ctx, edition.folder, args...); err != nil {
			return built, err
		}
	}
	if !k3s {
		return built, nil
	}
	for _, provider := range k3sProviders {
		program := path.Join(provider.module, provider.folder)
		if err := harness.Go(ctx, provider.goFolder, "build", "-o", built.managers[provider.name], program); err != nil {
			return built, err
		}
	}
	return built, nil
}

// manifests is the folder of a provider's manifests in the module cache.
func (p provider) manifests(ctx context.Context, edition *clusterAPI) (string, error) {
	folder, flags := edition.folder, edition.flags()
	if p.goFolder != "" {
		folder, flags = p.goFolder, nil
	}
	directory, err := harness.ModuleField(ctx, folder, p.module, "{{.Dir}}", flags...)
	return filepath.Join(directory, filepath.FromSlash(edition.programOf(p)), "config", "default"), err
}

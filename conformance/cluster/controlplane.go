package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// startControlPlane starts etcd, the API server, and of the controller manager what Cluster API cannot do without:
// objects whose owner is gone are collected, namespaces end, aggregated ClusterRoles are filled.
func (r *run) startControlPlane(ctx context.Context) error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	program := r.programs.controlPlane
	etcd := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	peer := fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	if err := r.start("etcd", nil, program, "etcd", filepath.Join(r.directory, "etcd"), etcd, peer); err != nil {
		return err
	}

	serving, err := r.authority.serving("kube-apiserver")
	if err != nil {
		return err
	}
	accounts := filepath.Join(r.directory, "service-accounts.key")
	if _, err := writeKey(accounts); err != nil {
		return err
	}
	err = r.start("kube-apiserver", nil, program, "kube-apiserver",
		"--etcd-servers="+etcd,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[2]),
		"--tls-cert-file="+serving.certificate, "--tls-private-key-file="+serving.key,
		"--client-ca-file="+r.authority.file(),
		"--service-account-key-file="+accounts, "--service-account-signing-key-file="+accounts,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--authorization-mode=RBAC",
		// Pods are made only to bind tokens to them: nothing has to be mounted into them.
		"--disable-admission-plugins=ServiceAccount",
		"--endpoint-reconciler-type=none",
		"--profiling=false",
	)
	if err != nil {
		return err
	}
	server := fmt.Sprintf("https://127.0.0.1:%d", ports[2])
	admin, err := r.login(server, "admin", "system:masters")
	if err != nil {
		return err
	}
	// The programs have clients with limits of their own; this one only looks on.
	admin.QPS, admin.Burst = 500, 1000
	if r.api, err = newClient(admin); err != nil {
		return err
	}
	if err := r.await(ctx, "kube-apiserver", time.Minute, func() error { return r.api.ready(ctx) }); err != nil {
		return err
	}

	manager, err := r.login(server, "system:kube-controller-manager")
	if err != nil {
		return err
	}
	kubeconfig := filepath.Join(r.directory, "kube-controller-manager.kubeconfig")
	if err := writeKubeconfig(kubeconfig, manager); err != nil {
		return err
	}
	return r.start("kube-controller-manager", nil, program, "kube-controller-manager",
		"--kubeconfig="+kubeconfig, "--secure-port=0", "--leader-elect=false",
		"--use-service-account-credentials",
		"--controllers=garbage-collector-controller,namespace-controller,clusterrole-aggregation-controller",
	)
}

// login is how a user reaches the API server by certificate.
func (r *run) login(server, user string, groups ...string) (*rest.Config, error) {
	files, err := r.authority.client(user, groups...)
	if err != nil {
		return nil, err
	}
	return &rest.Config{Host: server, TLSClientConfig: rest.TLSClientConfig{
		CAFile: r.authority.file(), CertFile: files.certificate, KeyFile: files.key,
	}}, nil
}

// writeKubeconfig writes a login as programs want to be told.
func writeKubeconfig(file string, login *rest.Config) error {
	return clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{
			"c": {Server: login.Host, CertificateAuthority: login.CAFile},
		},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{
			"u": {ClientCertificate: login.CertFile, ClientKey: login.KeyFile, TokenFile: login.BearerTokenFile},
		},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u"}},
		CurrentContext: "x",
	}, file)
}

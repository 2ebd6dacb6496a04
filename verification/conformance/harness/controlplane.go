package harness

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// StartControlPlane starts etcd, the API server, and of the controller manager what controllers cannot do without:
// objects whose owner is gone are collected, namespaces end, aggregated ClusterRoles are filled.
//
// The caller stops it, also after an error.
func (s *Server) StartControlPlane(ctx context.Context) error {
	ports, err := FreePorts(3)
	if err != nil {
		return err
	}
	program := s.program
	etcd := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	peer := fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	if err := s.Start("etcd", nil, program, "etcd", filepath.Join(s.Directory, "etcd"), etcd, peer); err != nil {
		return err
	}

	serving, err := s.Authority.Serving("kube-apiserver")
	if err != nil {
		return err
	}
	accounts := filepath.Join(s.Directory, "service-accounts.key")
	if _, err := WriteKey(accounts); err != nil {
		return err
	}
	err = s.Start("kube-apiserver", nil, program, append([]string{"kube-apiserver",
		"--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[2]),
		"--tls-cert-file=" + serving.Certificate, "--tls-private-key-file=" + serving.Key,
		"--client-ca-file=" + s.Authority.File(),
		"--service-account-key-file=" + accounts, "--service-account-signing-key-file=" + accounts,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-cluster-ip-range=10.0.0.0/24",
		// As kubeadm sets them: a kubelet may write its own Node, and not give itself every label.
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
		// Pods are made only to bind tokens to them: nothing has to be mounted into them.
		"--disable-admission-plugins=ServiceAccount",
		"--endpoint-reconciler-type=none",
		"--profiling=false",
	}, s.Flags...)...)
	if err != nil {
		return err
	}
	server := fmt.Sprintf("https://127.0.0.1:%d", ports[2])
	admin, err := s.Login(server, "admin", "system:masters")
	if err != nil {
		return err
	}
	// The programs have clients with limits of their own; this one only looks on.
	admin.QPS, admin.Burst = 500, 1000
	if s.API, err = NewClient(admin); err != nil {
		return err
	}
	if err := s.Await(ctx, "kube-apiserver", time.Minute, func() error { return s.API.Ready(ctx) }); err != nil {
		return err
	}

	manager, err := s.Login(server, "system:kube-controller-manager")
	if err != nil {
		return err
	}
	kubeconfig := filepath.Join(s.Directory, "kube-controller-manager.kubeconfig")
	if err := WriteKubeconfig(kubeconfig, manager); err != nil {
		return err
	}
	return s.Start("kube-controller-manager", nil, program, "kube-controller-manager",
		"--kubeconfig="+kubeconfig, "--secure-port=0", "--leader-elect=false",
		"--use-service-account-credentials",
		"--controllers=garbage-collector-controller,namespace-controller,clusterrole-aggregation-controller",
	)
}

// Login is how a user reaches the API server by certificate.
func (s *Server) Login(server, user string, groups ...string) (*rest.Config, error) {
	files, err := s.Authority.Client(user, groups...)
	if err != nil {
		return nil, err
	}
	return &rest.Config{Host: server, TLSClientConfig: rest.TLSClientConfig{
		CAFile: s.Authority.File(), CertFile: files.Certificate, KeyFile: files.Key,
	}}, nil
}

// WriteKubeconfig writes a login in the format that programs read.
func WriteKubeconfig(file string, login *rest.Config) error {
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

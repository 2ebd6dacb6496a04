package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// startManagers installs and starts Cluster API's released managers, each as the ServiceAccount of its release.
func (r *run) startManagers(ctx context.Context) error {
	ports, err := freePorts(3 * len(providers))
	if err != nil {
		return err
	}
	for i, provider := range providers {
		if err := r.install(ctx, provider, ports[3*i]); err != nil {
			return err
		}
	}
	if err := r.awaitDefinitions(ctx); err != nil {
		return err
	}
	for i, provider := range providers {
		if err := r.startManager(ctx, provider, ports[3*i], ports[3*i+1], ports[3*i+2]); err != nil {
			return err
		}
	}
	for i, provider := range providers {
		err := r.await(ctx, provider.name, 2*time.Minute, func() error {
			return healthy(ctx, fmt.Sprintf("http://127.0.0.1:%d/readyz", ports[3*i+1]))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) startManager(ctx context.Context, p provider, webhook, health, diagnostics int) error {
	serving, err := r.authority.serving(p.name)
	if err != nil {
		return err
	}
	pod, login, err := r.account(ctx, p.namespace, p.account)
	if err != nil {
		return err
	}
	kubeconfig := filepath.Join(r.directory, p.name+".kubeconfig")
	if err := writeKubeconfig(kubeconfig, login); err != nil {
		return err
	}
	env := []string{
		"POD_NAMESPACE=" + p.namespace, "POD_NAME=" + pod.Name, "POD_UID=" + string(pod.UID),
		// The address of the simulated workload clusters.
		"POD_IP=127.0.0.1",
	}
	return r.start(p.name, env, r.programs.managers[p.name],
		"--kubeconfig="+kubeconfig,
		"--feature-gates="+p.gates,
		"--webhook-cert-dir="+filepath.Dir(serving.certificate), fmt.Sprintf("--webhook-port=%d", webhook),
		fmt.Sprintf("--health-addr=127.0.0.1:%d", health),
		fmt.Sprintf("--diagnostics-address=127.0.0.1:%d", diagnostics), "--insecure-diagnostics=true",
	)
}

// account is the login of a ServiceAccount, with a token bound to a Pod, as a program in a cluster has it: admission
// sees the user of production.
func (r *run) account(ctx context.Context, namespace, name string) (*corev1.Pod, *rest.Config, error) {
	pod, err := r.api.typed.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name + "-0"},
		Spec: corev1.PodSpec{
			ServiceAccountName: name,
			Containers:         []corev1.Container{{Name: "manager", Image: "manager"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, nil, err
	}
	lifetime := int64((12 * time.Hour).Seconds())
	answer, err := r.api.typed.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{
			ExpirationSeconds: &lifetime,
			BoundObjectRef: &authenticationv1.BoundObjectReference{
				APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID,
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(r.directory, name+".token")
	if err := os.WriteFile(file, []byte(answer.Status.Token), 0o600); err != nil {
		return nil, nil, err
	}
	return pod, &rest.Config{
		Host: r.api.config.Host, BearerTokenFile: file,
		TLSClientConfig: rest.TLSClientConfig{CAFile: r.authority.file()},
	}, nil
}

func healthy(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return nil
}

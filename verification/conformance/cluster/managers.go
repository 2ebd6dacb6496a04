package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"conformance/harness"
)

// startManagers installs and starts Cluster API's released managers, each as the ServiceAccount of its release.
func (r *run) startManagers(ctx context.Context) error {
	ports, err := harness.FreePorts(3 * len(providers))
	if err != nil {
		return err
	}
	for i, provider := range providers {
		if err := r.install(ctx, provider, ports[3*i]); err != nil {
			return err
		}
	}
	if err := r.AwaitDefinitions(ctx); err != nil {
		return err
	}
	for i, provider := range providers {
		if err := r.startManager(ctx, provider, ports[3*i], ports[3*i+1], ports[3*i+2]); err != nil {
			return err
		}
	}
	for i, provider := range providers {
		err := r.Await(ctx, provider.name, 2*time.Minute, func() error {
			return harness.Healthy(ctx, fmt.Sprintf("http://127.0.0.1:%d/readyz", ports[3*i+1]))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) startManager(ctx context.Context, p provider, webhook, health, diagnostics int) error {
	serving, err := r.Authority.Serving(p.name)
	if err != nil {
		return err
	}
	pod, login, err := r.Account(ctx, p.namespace, p.account)
	if err != nil {
		return err
	}
	kubeconfig := filepath.Join(r.Directory, p.name+".kubeconfig")
	if err := harness.WriteKubeconfig(kubeconfig, login); err != nil {
		return err
	}
	env := []string{
		"POD_NAMESPACE=" + p.namespace, "POD_NAME=" + pod.Name, "POD_UID=" + string(pod.UID),
		// The address of the simulated workload clusters.
		"POD_IP=127.0.0.1",
	}
	return r.Start(p.name, env, r.programs.managers[p.name],
		"--kubeconfig="+kubeconfig,
		"--feature-gates="+r.programs.clusterAPI.gatesOf(p)+r.gatesOf(p),
		"--webhook-cert-dir="+filepath.Dir(serving.Certificate), fmt.Sprintf("--webhook-port=%d", webhook),
		fmt.Sprintf("--health-addr=127.0.0.1:%d", health),
		fmt.Sprintf("--diagnostics-address=127.0.0.1:%d", diagnostics), "--insecure-diagnostics=true",
	)
}

// gatesOf are the scenario's feature gates, for managers of Cluster API itself.
func (r *run) gatesOf(p provider) string {
	if p.module == providers[0].module {
		return r.options.scenario.gates
	}
	return ""
}

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"conformance/harness"
)

// run is one API server with the policy in front.
type run struct {
	*harness.Server
	webhook, policy, module, root string
	users                         map[string]*harness.Client
	// host is the address of the policy's host.
	host string
}

// never is longer than a replay: the host's cache forgets when a trace says so.
const never = 24 * time.Hour

// start starts the API server and the policy.
func (r *run) start(ctx context.Context, settings map[string]any) error {
	if err := r.StartControlPlane(ctx); err != nil {
		return err
	}
	// Early: the API server learns of permissions a little later.
	if err := r.LetPeople(ctx, "default"); err != nil {
		return err
	}
	if err := r.define(ctx); err != nil {
		return err
	}
	token, _, err := r.PolicyServer(ctx, filepath.Join(r.root, "deploy", "rbac.yaml"))
	if err != nil {
		return err
	}
	content, err := os.ReadFile(filepath.Join(r.root, "deploy", "cluster-api.yaml"))
	if err != nil {
		return err
	}
	var deployed struct {
		Spec struct {
			ContextAwareResources []map[string]any `json:"contextAwareResources"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(content, &deployed); err != nil {
		return fmt.Errorf("deploy/cluster-api.yaml: %w", err)
	}
	var resources []any
	for _, plural := range kinds {
		resources = append(resources, plural)
	}
	r.host, err = r.StartWebhook(ctx, harness.Webhook{
		Program: r.webhook, Policy: r.policy, Module: r.module,
		Settings: settings, Granted: deployed.Spec.ContextAwareResources,
		EvaluationSeconds: 30, CacheSeconds: int(never.Seconds()), Token: token,
		Name: "kw.cap.metadata-propagation-policy",
		Rules: []map[string]any{{
			"apiGroups": []any{apiGroup}, "apiVersions": []any{apiVersion}, "resources": resources,
			"operations": []any{"CREATE", "UPDATE"},
		}},
		FailurePolicy: "Fail", TimeoutSeconds: 30,
	})
	return err
}

// expire lets the host's cache forget: it does when the host was away.
func (r *run) expire(ctx context.Context) error {
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(r.Authority.Bundle)
	c := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}, DisableKeepAlives: true}}
	body := bytes.NewBufferString(`{"downMilliseconds":1}`)
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, r.host+"/faults", body)
	if err != nil {
		return err
	}
	response, err := c.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s/faults: %s", r.host, response.Status)
	}
	time.Sleep(10 * time.Millisecond)
	return nil
}

// as is the client of a user, with a user agent of its own unless that is empty.
func (r *run) as(user, userAgent string) (*harness.Client, error) {
	if known, is := r.users[user]; is {
		return known, nil
	}
	client, err := r.API.As(user)
	if err != nil {
		return nil, err
	}
	if userAgent != "" {
		client.Config.UserAgent = userAgent
		if client.Dynamic, err = dynamic.NewForConfig(client.Config); err != nil {
			return nil, err
		}
	}
	if r.users == nil {
		r.users = map[string]*harness.Client{}
	}
	r.users[user] = client
	return client, nil
}

package harness

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"k8s.io/client-go/rest"
)

// PolicyServerProgram is Kubewarden's PolicyServer, on the PATH.
const PolicyServerProgram = "policy-server"

// PolicyServers are replicas of Kubewarden's PolicyServer with one policy.
type PolicyServers struct {
	server  *Server
	webhook Webhook
	folder  string
}

// NewPolicyServers writes what PolicyServers read. The module needs its metadata, as `kwctl annotate` adds them.
func (s *Server) NewPolicyServers(w Webhook) (*PolicyServers, error) {
	servers := &PolicyServers{server: s, webhook: w, folder: filepath.Join(s.Directory, PolicyServerProgram)}
	if err := servers.RenewCertificate(); err != nil {
		return nil, err
	}
	policies, err := json.Marshal(map[string]any{w.Name: map[string]any{
		"module": "file://" + w.Module, "policyMode": "protect", "allowedToMutate": true, "settings": w.Settings,
		"contextAwareResources": w.Granted, "timeoutEvalSeconds": w.EvaluationSeconds, "hostCapabilities": []string{"*"},
	}})
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{"policies.yml": policies, "trust.json": nil} {
		if err := os.WriteFile(servers.file(name), content, 0o600); err != nil {
			return nil, err
		}
	}
	return servers, WriteKubeconfig(servers.file("kubeconfig"), &rest.Config{
		Host: s.API.Config.Host, BearerTokenFile: w.Token, TLSClientConfig: rest.TLSClientConfig{CAFile: s.Authority.File()},
	})
}

func (p *PolicyServers) file(name string) string { return filepath.Join(p.folder, name) }

// RenewCertificate writes another certificate into the files that the replicas read.
func (p *PolicyServers) RenewCertificate() error {
	_, err := p.server.Authority.Serving(PolicyServerProgram)
	return err
}

// AwaitCertificate waits until the replica on a port shows new connections the certificate that was written last.
func (p *PolicyServers) AwaitCertificate(ctx context.Context, port int) error {
	written, err := os.ReadFile(p.file("tls.crt"))
	if err != nil {
		return err
	}
	newest, _ := pem.Decode(written)
	if newest == nil {
		return fmt.Errorf("%s has no certificate", p.file("tls.crt"))
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(p.server.Authority.Bundle)
	dialer := &tls.Dialer{Config: &tls.Config{RootCAs: trusted}}
	for {
		shown, err := certificateOf(ctx, dialer, port)
		if err == nil && bytes.Equal(shown, newest.Bytes) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("the PolicyServer on port %d does not show its new certificate", port), err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// certificateOf is the certificate that a server on loopback shows, in DER.
func certificateOf(ctx context.Context, dialer *tls.Dialer, port int) ([]byte, error) {
	connection, err := dialer.DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	encrypted, is := connection.(*tls.Conn)
	if !is {
		return nil, fmt.Errorf("port %d does not use TLS", port)
	}
	return encrypted.ConnectionState().PeerCertificates[0].Raw, nil
}

// Start starts a replica, waits until it is ready, and returns its port.
func (p *PolicyServers) Start(ctx context.Context, name string) (int, error) {
	ports, err := FreePorts(2)
	if err != nil {
		return 0, err
	}
	err = p.server.Start(name, []string{"KUBECONFIG=" + p.file("kubeconfig"), "RUST_BACKTRACE=0"}, PolicyServerProgram,
		"--addr", "127.0.0.1", "--port", strconv.Itoa(ports[0]), "--readiness-probe-port", strconv.Itoa(ports[1]),
		"--cert-file", p.file("tls.crt"), "--key-file", p.file("tls.key"), "--policies", p.file("policies.yml"),
		"--policies-download-dir", p.folder, "--sigstore-trust-config", p.file("trust.json"), "--sigstore-cache-dir", p.folder,
		"--log-level", "warn", "--log-no-color")
	if err != nil {
		return 0, err
	}
	return ports[0], p.server.Await(ctx, name, 3*time.Minute, func() error {
		return Healthy(ctx, fmt.Sprintf("http://127.0.0.1:%d/readiness", ports[1]))
	})
}

// Register tells the API server of a port on which replicas answer.
func (p *PolicyServers) Register(ctx context.Context, port int) error {
	return p.server.register(ctx, p.webhook, fmt.Sprintf("https://127.0.0.1:%d/validate/%s", port, p.webhook.Name))
}

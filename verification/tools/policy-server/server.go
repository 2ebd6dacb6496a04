package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The names of policies in a PolicyServer.
const (
	clusterPolicy = "kw.cap.metadata-propagation-policy"
	// noopPolicy accepts everything.
	noopPolicy = "kw.cap.noop"
	// ordinaryPolicy is written as the examples of Kubewarden's SDK are.
	ordinaryPolicy = "kw.cap.ordinary"
	// cannedPolicy makes the policy's host calls and returns its answers, without deciding anything.
	cannedPolicy = "kw.cap.canned"
)

// server is a running PolicyServer.
type server struct {
	command *exec.Cmd
	output  *buffer
	address string
	// readiness answers whether it is ready.
	readiness string
	ended     chan struct{}
	once      sync.Once
}

// endedError is a PolicyServer that ended instead of becoming ready.
type endedError struct{ output []byte }

func (e *endedError) Error() string { return fmt.Sprintf("the server ended: %s", e.output) }

// buffer is what a process prints.
type buffer struct {
	lock sync.Mutex
	all  bytes.Buffer
}

func (b *buffer) Write(text []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.all.Write(text)
}

func (b *buffer) Bytes() []byte {
	b.lock.Lock()
	defer b.lock.Unlock()
	return bytes.Clone(b.all.Bytes())
}

// startServer starts a PolicyServer and waits until it is ready. Further arguments are those of its certificate; without one it
// speaks HTTP.
func startServer(folder, policies, api string, certificate ...string) (*server, error) {
	port, readiness, err := freePorts()
	if err != nil {
		return nil, err
	}
	trust := filepath.Join(folder, "trust.json")
	if err := os.WriteFile(trust, nil, 0o600); err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(folder, "kubeconfig")
	content := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"test",
		"clusters":[{"name":"test","cluster":{"server":%q}}],"users":[{"name":"test","user":{}}],
		"contexts":[{"name":"test","context":{"cluster":"test","user":"test"}}]}`, api)
	if err := os.WriteFile(kubeconfig, []byte(content), 0o600); err != nil {
		return nil, err
	}
	command := exec.Command("policy-server", append(certificate, "--addr", "127.0.0.1", "--port", strconv.Itoa(port),
		"--readiness-probe-port", strconv.Itoa(readiness), "--policies", policies, "--policies-download-dir", folder,
		"--sigstore-trust-config", trust, "--sigstore-cache-dir", folder, "--log-level", "warn", "--log-no-color")...)
	// As in its image, and not as a developer may have it: a backtrace of each read that fails takes time.
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "RUST_BACKTRACE=0")
	running := &server{command: command, output: &buffer{}, ended: make(chan struct{})}
	command.Stdout, command.Stderr = running.output, running.output
	scheme := "http"
	if len(certificate) > 0 {
		scheme = "https"
	}
	running.address = fmt.Sprintf("%s://127.0.0.1:%d", scheme, port)
	running.readiness = fmt.Sprintf("http://127.0.0.1:%d/readiness", readiness)
	if err := command.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = command.Wait()
		close(running.ended)
	}()
	for range 1200 {
		select {
		case <-running.ended:
			return nil, &endedError{running.output.Bytes()}
		case <-time.After(100 * time.Millisecond):
		}
		if running.isReady() {
			return running, nil
		}
	}
	running.stop()
	return nil, fmt.Errorf("not ready after two minutes: %s", running.output.Bytes())
}

func (s *server) isReady() bool {
	answer, err := http.Get(s.readiness)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// freePorts are two ports of loopback that nothing listens on.
func freePorts() (int, int, error) {
	var ports [2]int
	for number := range ports {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, 0, err
		}
		defer listener.Close()
		ports[number] = listener.Addr().(*net.TCPAddr).Port
	}
	return ports[0], ports[1], nil
}

// post posts a review to a policy and returns the answer.
func (s *server) post(client *http.Client, policy string, review []byte) ([]byte, error) {
	answer, err := client.Post(s.address+"/validate/"+policy, "application/json", bytes.NewReader(review))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %.300s for %.300s", policy, answer.Status, body, review)
	}
	return body, err
}

// resident is the memory of the process, in MB.
func (s *server) resident() int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kilobytes, _ := strconv.Atoi(fields[1])
			return kilobytes / 1000
		}
	}
	return 0
}

// stop ends the process, once.
func (s *server) stop() {
	s.once.Do(func() {
		_ = s.command.Process.Kill()
		<-s.ended
	})
}

// withModules is a file of policies with more of them: other modules, by the names of their policies.
func withModules(policies string, modules map[string]string) (string, error) {
	content, err := os.ReadFile(policies)
	if err != nil {
		return "", err
	}
	var all map[string]any
	if err := json.Unmarshal(content, &all); err != nil {
		return "", err
	}
	deployed, _ := all[clusterPolicy].(map[string]any)
	for name, module := range modules {
		if module, err = filepath.Abs(module); err != nil {
			return "", err
		}
		// What a policy of the whole cluster may do, whatever it does with it.
		all[name] = map[string]any{
			"module": "file://" + module, "policyMode": "protect", "hostCapabilities": []string{"*"}, "allowedToMutate": true,
			"contextAwareResources": deployed["contextAwareResources"],
		}
	}
	content, err = json.Marshal(all)
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(policies), "with-modules.yml")
	return path, os.WriteFile(path, content, 0o600)
}

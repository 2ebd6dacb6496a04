package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"conformance/harness"
)

// most is how long the answer about 2,000 objects may take.
const most = 2 * time.Second

// answer is how one call of the program ended.
type answer struct {
	code     int
	out, err string
	took     time.Duration
}

// call runs the program as a user of the API server.
func (r *run) call(user string, args ...string) answer {
	command := exec.Command(r.propagate, append(args, "--kubeconfig="+r.kubeconfig(user))...)
	var out, err bytes.Buffer
	command.Stdout, command.Stderr, command.Dir = &out, &err, r.Directory
	begin := time.Now()
	failure := command.Run()
	answer := answer{out: out.String(), err: err.String(), took: time.Since(begin)}
	var exit *exec.ExitError
	if errors.As(failure, &exit) {
		answer.code = exit.ExitCode()
	} else if failure != nil {
		answer.code, answer.err = -1, failure.Error()
	}
	return answer
}

// expect notes an answer that is another than it should be.
func (r *run) expect(name string, got answer, code int, said string) {
	r.compared++
	fmt.Printf("  %-34s exit code %d, %4d ms\n", name, got.code, got.took.Milliseconds())
	if got.code != code || !strings.Contains(got.err, said) || said == "" && got.err != "" {
		r.differences++
		harness.Say("%s: expected exit code %d and %q on standard error, got %d and %q", name, code, said, got.code, got.err)
	}
}

// ask calls every verb.
func (r *run) ask(ctx context.Context) error {
	fmt.Printf("%d objects\n", r.objects)
	dump, err := r.dump(ctx)
	if err != nil {
		return err
	}
	changed, err := r.changed(dump)
	if err != nil {
		return err
	}
	for _, of := range []struct {
		args []string
		code int
	}{
		{[]string{"explain", "Cluster", "-L", "team", "-n", "fleet"}, 0},
		{[]string{"explain", "Cluster", "-L", "team", "-A"}, 0},
		{[]string{"graph", "team", "--format", "dot", "-n", "fleet"}, 0},
		{[]string{"backfill", "-n", "fleet"}, 0},
		{[]string{"plan", changed, "-n", "fleet"}, 1},
		{[]string{"check", "--output", "json", "-n", "fleet"}, 1},
	} {
		name := strings.Join(of.args[:1], " ")
		if of.args[len(of.args)-1] == "-A" {
			name += ", all namespaces"
		}
		live := r.call("reader", of.args...)
		r.expect(name, live, of.code, "")
		if live.took > most {
			r.differences++
			harness.Say("%s takes %s, more than %s", name, live.took, most)
		}
		// Files that hold the same objects have the same answers, except for positions.
		if of.args[0] == "explain" {
			filed := r.files(append(of.args[:4:4], "-f", dump)...)
			if filed != live.out {
				r.differences++
				harness.Say("%s differs from what is said of files:\n%s\n%s", name, live.out, filed)
			}
		}
	}
	// Kubewarden is not there, and no node group is scaled.
	r.expect("doctor", r.call("reader", "doctor"), 1, "")
	r.expect("autoscaler", r.call("reader", "autoscaler", "-n", "fleet"), 3, "no node group that can be scaled from zero")
	forbidden := "denied the request (403): "
	r.expect("a namespace's user", r.call("tenant", "explain", "Cluster", "-n", "fleet"), 2, "cannot read `nodes`")
	r.expect("the same, all namespaces", r.call("tenant", "explain", "Cluster", "-A"), 2, "use `--namespace` to read a single namespace")
	r.expect("the same, another namespace", r.call("tenant", "explain", "Cluster", "-n", "tools"), 2, forbidden)
	r.expect("without permissions", r.call("nobody", "check", "-A"), 2, forbidden)
	r.expect("doctor without permissions", r.call("nobody", "doctor"), 2, forbidden)
	r.expect("expired credentials", r.call("expired", "check", "-A"), 2, "does not accept the credentials (401)")
	return nil
}

// away asks the server when it is gone.
func (r *run) away() {
	r.expect("the server is away", r.call("reader", "check", "-A"), 2, "cannot reach ")
}

// files is what is said of files.
func (r *run) files(args ...string) string {
	command := exec.Command(r.propagate, args...)
	command.Dir = r.Directory
	out, _ := command.Output()
	return string(out)
}

// dump writes the stored objects into a file, as `kubectl get` prints them.
func (r *run) dump(ctx context.Context) (string, error) {
	var items []any
	for _, kind := range []string{"Cluster", "ClusterClass", "Machine", "MachineDeployment", "MachineSet"} {
		if err := r.items(ctx, "cluster.x-k8s.io/v1beta2", kind, &items); err != nil {
			return "", err
		}
	}
	for _, kind := range [][2]string{
		{"bootstrap.cluster.x-k8s.io/v1beta2", "KubeadmConfig"},
		{"infrastructure.cluster.x-k8s.io/v1beta2", "DevMachine"},
		{"controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlane"},
	} {
		// Not every fleet has all of them.
		_ = r.items(ctx, kind[0], kind[1], &items)
	}
	content, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		return "", err
	}
	file := filepath.Join(r.Directory, "dump.json")
	return file, os.WriteFile(file, content, 0o600)
}

func (r *run) items(ctx context.Context, apiVersion, kind string, items *[]any) error {
	resource, err := r.API.Resource(apiVersion, kind, "fleet")
	if err != nil {
		return err
	}
	list, err := resource.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, item := range list.Items {
		*items = append(*items, item.Object)
	}
	return nil
}

// changed writes a manifest of the first Cluster with another label.
func (r *run) changed(dump string) (string, error) {
	content, err := os.ReadFile(dump)
	if err != nil {
		return "", err
	}
	objects, err := harness.Decode(dump, content)
	if err != nil {
		return "", err
	}
	items, _ := objects[0].Object["items"].([]any)
	cluster, _ := items[0].(map[string]any)
	first := &harness.Object{Object: cluster}
	manifest := object(first.GetAPIVersion(), first.GetKind(), "fleet", first.GetName(), nil)
	manifest.SetLabels(map[string]string{"changed": "yes"})
	text, err := json.Marshal(manifest.Object)
	if err != nil {
		return "", err
	}
	file := filepath.Join(r.Directory, "changed.json")
	return file, os.WriteFile(file, text, 0o600)
}

// verbs counts what the audit log says of the program's users: nothing but reading.
func (r *run) verbs() error {
	file, err := os.Open(r.auditLog())
	if err != nil {
		return err
	}
	defer file.Close()
	counts := map[string]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			Verb string `json:"verb"`
			User struct {
				Username string `json:"username"`
			} `json:"user"`
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return fmt.Errorf("%s: %w", r.auditLog(), err)
		}
		if strings.HasPrefix(event.User.Username, "system:serviceaccount:tools:") {
			counts[event.Verb]++
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	fmt.Printf("  the audit log has %d get and %d list of the program\n", counts["get"], counts["list"])
	if counts["list"] == 0 || counts["get"] == 0 {
		r.differences++
		harness.Say("the audit log has no requests of the program")
	}
	for verb, count := range counts {
		if verb != "get" && verb != "list" {
			r.differences++
			harness.Say("the audit log has %d %s of the program", count, verb)
		}
	}
	return nil
}

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// target is the least share of the canned policy's throughput that the policy is to have. A tenth less is an error.
const target = 0.95

// results are what was measured.
type results struct {
	machine     string
	throughputs []throughput
	memories    []memory
	events      []event
	faults      []fault
	bursts      []burst
	unloadable  string
	capacity    *capacity
}

// scale measures what the policy costs a PolicyServer under load, and what those see that post reviews when something breaks, and
// writes a page about it.
func scale(folder, page, fleets string, modules map[string]string, minutes int) error {
	found := results{machine: machine()}
	var err error
	if found.capacity, err = readFleets(fleets); err != nil {
		return err
	}
	api, exchanges, err := recorded(folder)
	if err != nil {
		return err
	}
	deployed := filepath.Join(folder, "policies.yml")
	policies, err := withModules(deployed, modules)
	if err != nil {
		return err
	}
	if err := oneServer(folder, policies, api, exchanges, minutes, &found); err != nil {
		return err
	}
	changed, err := renewed(folder, deployed, api.address, ofPolicy(exchanges, clusterPolicy))
	if err != nil {
		return err
	}
	found.events = append(found.events, changed)
	for _, count := range []int{2, 3} {
		events, err := replicas(folder, deployed, api.address, ofPolicy(exchanges, clusterPolicy), count)
		if err != nil {
			return err
		}
		found.events = append(found.events, events...)
	}
	if found.bursts, err = bursts(folder, deployed, api, exchanges); err != nil {
		return err
	}
	if found.unloadable, err = unloadable(folder, deployed, api.address); err != nil {
		return err
	}
	if err := os.WriteFile(page, []byte(found.page()), 0o644); err != nil {
		return err
	}
	return found.missed()
}

// oneServer is what is measured at one PolicyServer.
func oneServer(folder, policies string, api *api, exchanges []exchange, minutes int, found *results) error {
	server, err := startServer(folder, policies, api.address)
	if err != nil {
		return err
	}
	defer server.stop()
	if err := compare(server, exchanges, 8); err != nil {
		return err
	}
	if found.throughputs, err = throughputs(server, exchanges, []string{noopPolicy, ordinaryPolicy, cannedPolicy}, []int{1, 2, 8, 32}); err != nil {
		return err
	}
	if found.faults, err = faults(server, api, exchanges); err != nil {
		return err
	}
	found.memories, err = watch(server, exchanges, minutes)
	return err
}

func machine() string {
	printed, err := exec.Command("policy-server", "--version").Output()
	if err != nil {
		printed = []byte("policy-server")
	}
	version, _, _ := strings.Cut(string(printed), "\n")
	model := "an unknown processor"
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(cpuinfo)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%s on %d cores of %s", version, runtime.NumCPU(), model)
}

// missed is an error where a target is missed by more than a tenth, or an answer was not the engine's.
func (r *results) missed() error {
	for _, row := range r.throughputs {
		if share := row.share(cannedPolicy); share < target*0.9 {
			return fmt.Errorf("over %d connections the policy has %.2f of the canned one's throughput, and not %.2f", row.connections, share, target)
		}
	}
	for _, event := range r.events {
		if event.wrong > 0 {
			return fmt.Errorf("%d replicas, %s: %d answers are not the engine's", event.replicas, event.name, event.wrong)
		}
	}
	return r.capacity.missed()
}

// page is README.md.
func (r *results) page() string {
	var page strings.Builder
	line := func(format string, values ...any) { fmt.Fprintf(&page, format+"\n", values...) }
	line("# At scale, and under fault\n")
	line("<!-- Written by `make scale`: edit verification/tools/policy-server/scale.go. -->\n")
	line("Measured with %s, which the client, the PolicyServer and the API that it reads from share:", r.machine)
	line("compare the columns, and not the figures with those of another machine. The reviews are the")
	line("[recorded ones](../../../testdata/recorded/README.md) that the rules of the policy send it, once each.\n")
	line("## Throughput\n")
	line("Each policy in turn, %d rounds, the median. The no-op accepts everything. The ordinary way is written like the examples of the SDK, and", rounds)
	line("propagates labels over one hop ([verification/ordinary-policy](../../ordinary-policy)). The canned policy makes the same host calls as")
	line("the policy and returns the same answers, without deciding anything ([verification/canned-policy](../../canned-policy)): the difference")
	line("to it is the policy's own cost.\n")
	line("| connections | | no-op | ordinary way | canned | policy | share of the canned one's |")
	line("| --: | --- | --: | --: | --: | --: | --: |")
	for _, row := range r.throughputs {
		of := []measured{row.of[noopPolicy], row.of[ordinaryPolicy], row.of[cannedPolicy], row.of[clusterPolicy]}
		throughputs, times := "", ""
		for _, one := range of {
			throughputs += fmt.Sprintf(" %.0f |", one.throughput)
			times += fmt.Sprintf(" %.1f, %.1f |", one.median, one.p99)
		}
		line("| %d | reviews in a second |%s %.2f |", row.connections, throughputs, row.share(cannedPolicy))
		line("| | median, 99 %% in ms |%s |", times)
	}
	r.capacity.page(line)
	line("\n## Memory\n")
	line("The PolicyServer with all these policies and those of `deploy/`, and reviews over eight connections.\n")
	line("| minute | reviews | MB resident |")
	line("| --: | --: | --: |")
	for _, at := range r.memories {
		if at.minute < 2 || at.minute%5 == 0 || at.minute == len(r.memories)-1 {
			line("| %d | %d | %d |", at.minute, at.reviews, at.megabytes)
		}
	}
	line("\n## Several replicas\n")
	line("PolicyServers behind a balancer that checks every second which of them are ready, as a Service does, and reviews over eight connections for")
	line("%.0f seconds. A refused review is sent again after a tenth of a second, as a controller does with `failurePolicy: Fail`.\n", lasting.Seconds())
	line("| replicas | what happens | reviews | refused before the answer | answers that are not the engine's | longest wait in s |")
	line("| --: | --- | --: | --: | --: | --: |")
	for _, event := range r.events {
		line("| %d | %s | %d | %d | %d | %.1f |", event.replicas, event.name, event.reviews, event.refused, event.wrong, event.longest.Seconds())
	}
	r.capacity.faults(line)
	burstsPage(r.bursts, line)
	line("\n## Faults\n")
	line("One review after the other, of those that need a read. The policy of `deploy/` admits what it cannot compare, and its report names the")
	line("read that failed. A read that the API server does not answer keeps its review waiting until the connection breaks: the time limit of an")
	line("evaluation does not end it.\n")
	line("A PolicyServer reads single objects without a resourceVersion, so the API server answers from etcd, and not from a watch cache that may be")
	line("behind. [lookups.md](../../../docs/lookups.md#past-the-cache) says when the PolicyServer's own cache is used.\n")
	line("| fault | answers | slowest in s | what the answer says | afterwards |")
	line("| --- | --- | --: | --- | --- |")
	for _, fault := range r.faults {
		var answers []string
		for kind, count := range fault.seen {
			answers = append(answers, fmt.Sprintf("%d %s", count, kind))
		}
		slices.Sort(answers)
		line("| %s | %s | %.1f | %s | %s |", fault.name, strings.Join(answers, ", "), fault.longest.Seconds(), cell(fault.message), fault.after)
	}
	line("| a module that cannot be loaded | %s | | | |", r.unloadable)
	line("\nSettings that are not valid: `make policy-server-test`.")
	return page.String()
}

// cell is a text in a cell of a table.
func cell(text string) string {
	if runes := []rune(text); len(runes) > 160 {
		text = string(runes[:160]) + "…"
	}
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(text)
}

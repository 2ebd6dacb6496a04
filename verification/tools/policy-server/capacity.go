package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
)

// fleet is what each step of a fleet's life cost. `cluster large` of conformance/cluster writes them.
type fleet struct {
	Size   struct{ Clusters, Machines int }
	Policy string
	Steps  []cost
	// Found is what `propagate check` printed about all objects, where the policy was there.
	Found string
}

// cost is one step's: seconds until nothing changed any more, what the API server answered, reviews that failed, and seconds of processors.
type cost struct {
	Step                                                                      string
	Seconds, Requests, Writes, Objects, Reviews, Failed, Server, PolicyServer float64
}

// figures are those that are measured again in each round.
func (c *cost) figures() []*float64 {
	return []*float64{&c.Seconds, &c.Requests, &c.Writes, &c.Objects, &c.Reviews, &c.Failed, &c.Server, &c.PolicyServer}
}

// breakdown is what happened to the PolicyServers of a fleet in each step, what it cost, and what `propagate check` printed afterwards.
type breakdown struct {
	Size  struct{ Clusters, Machines int }
	Steps []struct {
		About, Found string
		cost
	}
}

// ways is how reviews reach the policy, as `cluster large` names it, and as the page does.
var ways = []struct{ policy, about string }{
	{"without", "no policy"},
	{"deployed", "as in `deploy/`"},
	{everyWrite, "every write"},
}

const everyWrite = "every-write"

// more is by how much the API server may have more requests with the policy than without it.
const more = 0.05

// precision is how far the model may be from what was measured.
const precision = 0.25

// plan is what a fleet is made for: its size, and how often a label of its class changes and how often it is upgraded.
type plan struct {
	clusters, machines int
	labels, upgrades   float64 // an hour
}

var plans = []plan{
	{100, 10, 1, 0.1},
	{500, 20, 2, 0.5},
	{2000, 50, 4, 2},
}

// capacity is what the fleets say: the small ones make the model, the large one tries it.
type capacity struct {
	// large is the large fleet, by policy, the median of all rounds; small are the others, of which every write is reviewed.
	large  map[string]fleet
	small  []fleet
	rounds int
	// broken is the fleet whose PolicyServers break.
	broken breakdown
}

// readFleets reads what `cluster large` wrote.
func readFleets(path string) (*capacity, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var written struct {
		Fleets []fleet
		Faults breakdown
	}
	if err := json.Unmarshal(content, &written); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	of := &capacity{large: map[string]fleet{}, broken: written.Faults}
	byPolicy := map[string][]fleet{}
	for _, played := range written.Fleets {
		// The large one is the last one.
		if played.Size == written.Fleets[len(written.Fleets)-1].Size {
			byPolicy[played.Policy] = append(byPolicy[played.Policy], played)
		} else {
			of.small = append(of.small, played)
		}
	}
	for policy, played := range byPolicy {
		of.large[policy], of.rounds = median(played), len(played)
	}
	for _, way := range ways {
		if len(of.large[way.policy].Steps) == 0 {
			return nil, fmt.Errorf("%s: the fleet %q is not there", path, way.policy)
		}
	}
	if len(of.small) != 2 {
		return nil, fmt.Errorf("%s: there are %d small fleets, and not 2", path, len(of.small))
	}
	return of, nil
}

// median is a fleet with the median of each figure.
func median(rounds []fleet) fleet {
	of := fleet{Size: rounds[0].Size, Policy: rounds[0].Policy, Found: rounds[len(rounds)-1].Found}
	for step, first := range rounds[0].Steps {
		middle := cost{Step: first.Step}
		for number, figure := range middle.figures() {
			var all []float64
			for _, round := range rounds {
				all = append(all, *round.Steps[step].figures()[number])
			}
			slices.Sort(all)
			*figure = all[len(all)/2]
		}
		of.Steps = append(of.Steps, middle)
	}
	return of
}

// sum is a fleet's whole life.
func (f fleet) sum() cost {
	total := cost{Step: "all"}
	for _, step := range f.Steps {
		for number, figure := range step.figures() {
			*total.figures()[number] += *figure
		}
	}
	return total
}

// reviews are those of a step in a fleet of another size. In the small fleets a Cluster has a constant number, and each of its
// Machines another.
func (c *capacity) reviews(step, clusters, machines int) float64 {
	a, b := c.small[0], c.small[1]
	of := func(f fleet) float64 { return f.Steps[step].Reviews / float64(f.Size.Clusters) }
	machine := (of(b) - of(a)) / float64(b.Size.Machines-a.Size.Machines)
	cluster := of(a) - machine*float64(a.Size.Machines)
	return math.Max(0, float64(clusters)*(cluster+machine*float64(machines)))
}

// lifetime is the prediction for all steps.
func (c *capacity) lifetime(clusters, machines int) float64 {
	total := 0.0
	for step := range c.small[0].Steps {
		total += c.reviews(step, clusters, machines)
	}
	return total
}

// seconds of processors are what a review costs the PolicyServer in the small fleets.
func (c *capacity) seconds() float64 {
	a, b := c.small[0].sum(), c.small[1].sum()
	return (a.PolicyServer + b.PolicyServer) / math.Max(1, a.Reviews+b.Reviews)
}

// missed is an error where the API server had many more requests, or the model is wrong.
func (c *capacity) missed() error {
	plain := c.large["without"].sum()
	for _, way := range ways[1:] {
		with := c.large[way.policy].sum()
		if with.Requests > plain.Requests*(1+more*1.1) {
			return fmt.Errorf("%s: %.0f requests, and %.0f without the policy", way.about, with.Requests, plain.Requests)
		}
		if with.Objects > plain.Objects*(1+more*1.1) {
			return fmt.Errorf("%s: %.0f writes of objects, and %.0f without the policy", way.about, with.Objects, plain.Objects)
		}
	}
	for _, way := range ways[1:] {
		if found := c.large[way.policy].Found; found != "" && !strings.HasSuffix(found, "nothing found") {
			return fmt.Errorf("%s: propagate check: %s", way.about, found)
		}
	}
	with := c.large[everyWrite]
	predicted, reviews := c.lifetime(with.Size.Clusters, with.Size.Machines), with.sum().Reviews
	if math.Abs(predicted-reviews) > precision*reviews {
		return fmt.Errorf("%.0f reviews are predicted, and there were %.0f", predicted, reviews)
	}
	return nil
}

// about is how the figures came about.
func (c *capacity) about() string {
	if c.rounds == 1 {
		return "One run of each."
	}
	return fmt.Sprintf("The median of %d runs of each.", c.rounds)
}

// page is what README.md says of it.
func (c *capacity) page(line func(string, ...any)) {
	size := c.large["without"].Size
	line("\n## A large fleet\n")
	line("%d Clusters of %d Machines with Cluster API's released managers and its infrastructure provider in memory, a real API server and a real", size.Clusters, size.Machines)
	line("PolicyServer: created, a label added to the class, upgraded to another version of Kubernetes, scaled down. `as in deploy/` has the match")
	line("conditions, by which Cluster API's own controllers are not reviewed; `every write` has none. Requests are all but watches and leases.")
	line("Writes of objects change more than a status. The policy may cost %.0f %% more of either. %s\n", 100*more, c.about())
	line("| step | policy | seconds | requests | writes | of objects | reviews | CPU s of the API server | of the PolicyServer |")
	line("| --- | --- | --: | --: | --: | --: | --: | --: | --: |")
	row := func(of cost, about string) {
		line("| %s | %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f | %.1f |", of.Step, about, of.Seconds, of.Requests, of.Writes, of.Objects, of.Reviews, of.Server, of.PolicyServer)
	}
	for step := range c.large["without"].Steps {
		for _, way := range ways {
			row(c.large[way.policy].Steps[step], way.about)
		}
	}
	for _, way := range ways {
		row(c.large[way.policy].sum(), way.about)
	}
	for _, way := range ways {
		if found := c.large[way.policy].Found; found != "" {
			line("\n`propagate check` over all objects after the upgrade, %s: %s.", way.about, found)
		}
	}

	line("\n## Capacity\n")
	line("Two small fleets, of %d Clusters with %d and with %d Machines, give the reviews for each Cluster and for each Machine. The prediction for the", c.small[0].Size.Clusters, c.small[0].Size.Machines, c.small[1].Size.Machines)
	line("large fleet has to be within %.0f %% of what was measured above.\n", 100*precision)
	line("| step | predicted reviews | measured |")
	line("| --- | --: | --: |")
	large := c.large[everyWrite]
	for step, of := range large.Steps {
		line("| %s | %.0f | %.0f |", of.Step, c.reviews(step, size.Clusters, size.Machines), of.Reviews)
	}
	predicted, with := c.lifetime(size.Clusters, size.Machines), large.sum()
	line("| all | %.0f | %.0f |", predicted, with.Reviews)
	line("| CPU s of the PolicyServer | %.1f | %.1f |", predicted*c.seconds(), with.PolicyServer)
	line("\nWhat other fleets cost on cores like these, with every write reviewed. A label change is one of a class that all Clusters have; an")
	line("upgrade is one of all Clusters. With the match conditions of `deploy/`, it is %.0f %% of the reviews.\n", 100*c.large["deployed"].sum().Reviews/with.Reviews)
	line("| Clusters x Machines | label changes, upgrades an hour | reviews an hour | cores of PolicyServers |")
	line("| --- | --- | --: | --: |")
	for _, plan := range plans {
		hour := plan.labels*c.named("label", plan) + plan.upgrades*c.named("upgrade", plan)
		line("| %d x %d | %.4g, %.4g | %.0f | %.2f |", plan.clusters, plan.machines, plan.labels, plan.upgrades, hour, hour*c.seconds()/3600)
	}
	server, policy := with.Server, with.PolicyServer
	line("\nRun two replicas for availability, and more where the last column says so. The API server uses %.0f times the processor time of the", server/math.Max(policy, 0.1))
	line("PolicyServer, so it is the first limit. If PolicyServers are short of cores, keep the [match")
	line("conditions](../../../docs/operating.md#fewer-calls); then leave out namespaces with a `namespaceSelector`; then divide the namespaces among")
	line("several ClusterAdmissionPolicies, each on a separate PolicyServer. If the API server is short of cores, reads")
	line("are slow, and before Kubewarden 1.38 each PolicyServer does [one at a time](../../../docs/operating.md#sizing): add replicas.")
}

// faults is what README.md says of the fleet whose PolicyServers break.
func (c *capacity) faults(line func(string, ...any)) {
	size := c.broken.Size
	line("\n### While Cluster API works\n")
	line("A fleet of %d Clusters with %d Machines each, two PolicyServers behind a balancer, and every write reviewed. With `failurePolicy: Ignore`, an", size.Clusters, size.Machines)
	line("object whose review fails is stored as it is.\n")
	line("| step | what happens | reviews | failed | seconds | `propagate check` over all objects afterwards |")
	line("| --- | --- | --: | --: | --: | --- |")
	for _, step := range c.broken.Steps {
		line("| %s | %s | %.0f | %.0f | %.0f | %s |", step.Step, step.About, step.Reviews, step.Failed, step.Seconds, step.Found)
	}
}

// named are the reviews of a step by its name.
func (c *capacity) named(name string, plan plan) float64 {
	for step, of := range c.small[0].Steps {
		if of.Step == name {
			return c.reviews(step, plan.clusters, plan.machines)
		}
	}
	return 0
}

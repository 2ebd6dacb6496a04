package main

import (
	"fmt"
	"strings"
)

// scenario is a sequence of steps that is run without the policy and with it.
type scenario struct {
	name string
	// about is what is different from the first one, for the page.
	about string
	// steps run in order. Policies that are wrong on purpose are tried with some of them only.
	steps []step
	// anybody takes the list of Cluster API's controllers away: they are users like all others.
	anybody bool
	// deploy is the policy's manifest in deploy/; empty is that for Cluster API's objects.
	deploy string
	// settings are `clusterApi` settings beside those of the manifest; null takes one away.
	settings map[string]any
	// gates are feature gates of Cluster API's managers beside those of every run.
	gates string
	// k3s is whether the K3s provider is installed and its managers run.
	k3s bool
	// plans is whether the command line is asked too, which is a check of its own: the others do not depend on it.
	plans bool
	// older is whether it is run with older editions of Cluster API, and not with the newest.
	older bool
	// trouble is what is wrong with the policy's host in the steps that say so.
	trouble *trouble
	// beside names the scenario whose run without the policy this one is compared with; empty is its own.
	beside string
	// wrong are policies that are wrong on purpose. A comparison that does not notice them proves nothing.
	wrong []wrongPolicy
}

// wrongPolicy is one of the webhook's, and the steps that show what is wrong with it.
type wrongPolicy struct {
	policy string
	steps  []string
}

// scenarios are all of them.
var scenarios = []scenario{
	{
		name: "whole", about: "nothing: the policy is deployed as in `deploy/`",
		steps: wholeSteps, wrong: []wrongPolicy{{stampTime, short}, {rollMachines, short}},
	},
	{
		name: "ownership", about: "`clusterApi.taints` is on; everybody edits, then the sources lose what was edited",
		steps: ownership, settings: map[string]any{"taints": true}, wrong: []wrongPolicy{{forgetOwners, shortOwnership}},
	},
	{
		name: "unapplied", about: "objects to which no controller has applied anything, because it may not write meanwhile",
		steps: unapplied,
	},
	{
		name: "anybody", about: "`clusterApi.controllers` is empty and there are no `matchConditions`: Cluster API's managers are treated like all other users",
		steps: wholeSteps, anybody: true, beside: "whole", wrong: []wrongPolicy{{cachedWrites, removals}},
	},
	{
		name: "forbidden", about: "in four steps the PolicyServer has no permissions: its ClusterRoleBinding is deleted, and every read is forbidden",
		steps: troubled, trouble: &permissionsWithdrawn, wrong: []wrongPolicy{{refuseFailedReads, shortTroubled}},
	},
	{
		name: "slow", about: "in the same steps the API server takes 0.7 s longer for each of the policy's reads, and for the discovery of a kind",
		steps: troubled, trouble: &slowServer, beside: "forbidden",
	},
	{
		name: "restarted", about: "in the same steps the PolicyServer is away for two of every six seconds, and comes back with an empty cache",
		steps: troubled, trouble: &restartedHost, beside: "forbidden",
	},
	{name: "maintenance", about: "operators and the programs they run at work", steps: maintenance},
	{
		name: "provider", about: "a control-plane provider that Cluster API does not know",
		steps: otherProvider, wrong: []wrongPolicy{{cachedWrites, providerSteps}},
	},
	{
		name: "k3s", about: "the K3s provider's own released managers, with one control-plane Machine",
		steps: k3sSteps, k3s: true, wrong: []wrongPolicy{{forgetOwners, shortK3s}},
	},
	{
		name: "inplace", about: "the feature gate `InPlaceUpdates` is on, and an extension agrees to every update",
		steps: inPlace, gates: ",InPlaceUpdates=true,RuntimeSDK=true",
	},
	{
		name: "taints", about: "`clusterApi.taints` is on: taints down to the Nodes of the simulated cluster",
		steps: tainted, settings: map[string]any{"taints": true},
	},
	{name: "kubelet", about: "the policy for Nodes, `deploy/nodes.yaml`, and kubelets", steps: kubelets, deploy: nodesFile},
	{name: "plan", about: "before each step `propagate plan` is asked what it does", steps: planning, plans: true},
	{
		name: "older", about: "an older edition of Cluster API, the steps of `whole`, and `clusterApi.version` says so",
		steps: wholeSteps, older: true, settings: map[string]any{"version": installedEdition},
	},
	{
		name: "older-default", about: "the same, and `clusterApi.version` is not set",
		steps: wholeSteps, older: true, settings: map[string]any{"version": nil}, beside: "older",
	},
}

// installedEdition is in the settings for the edition of Cluster API that is run with.
const installedEdition = "installed"

// removals are the steps in which keys go and values change.
var removals = []string{"create", "add-keys", "change-values", "remove-keys"}

// scenarioNamed is the scenario of a name.
func scenarioNamed(name string) (*scenario, error) {
	var names []string
	for i := range scenarios {
		if scenarios[i].name == name {
			return &scenarios[i], nil
		}
		names = append(names, scenarios[i].name)
	}
	return nil, fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(names, ", "))
}

// chosen are the scenarios of a list of names with commas; an empty list is all that an edition of Cluster API has.
func chosen(names string, edition *clusterAPI) ([]*scenario, error) {
	var found []*scenario
	if names == "" {
		for i := range scenarios {
			if scenarios[i].older == edition.older {
				found = append(found, &scenarios[i])
			}
		}
		return found, nil
	}
	for _, name := range strings.Split(names, ",") {
		l, err := scenarioNamed(name)
		if err != nil {
			return nil, err
		}
		found = append(found, l)
	}
	return found, nil
}

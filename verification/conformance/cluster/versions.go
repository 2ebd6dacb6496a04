package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// clusterAPI is an edition of Cluster API whose released managers are run with.
type clusterAPI struct {
	// name is what `clusterApi.version` calls it.
	name string
	// folder is that of the go.mod file that names its modules, and modfile another file there.
	folder, modfile string
	// older is whether its core is the module's root, as before v1.14.
	older bool
	// dockerPools is whether the development infrastructure has no pools but Docker's, as before v1.13.
	dockerPools bool
	// noTaints is whether Machines have no taints, as before v1.12.
	noTaints bool
}

// clusterAPIs are all of them, the newest first. The older ones are the newest that the Go module proxy and the checksum
// database have; where the module with the development infrastructure provider is not there in the same release, the
// newest before it.
var clusterAPIs = []clusterAPI{
	{name: "v1.14"},
	{name: "v1.13", folder: managersOlder, older: true},
	{name: "v1.12", folder: managersOlder, modfile: "v1.12.mod", older: true, dockerPools: true},
	{name: "v1.11", folder: managersOlder, modfile: "v1.11.mod", older: true, dockerPools: true, noTaints: true},
}

// managersOlder is the folder with the go.mod files of older editions.
var managersOlder = filepath.Join("..", "managers-older")

// clusterAPINamed is one of clusterAPIs; empty is the newest.
func clusterAPINamed(name string) (*clusterAPI, error) {
	var names []string
	for i := range clusterAPIs {
		if name == "" || clusterAPIs[i].name == name {
			return &clusterAPIs[i], nil
		}
		names = append(names, clusterAPIs[i].name)
	}
	return nil, fmt.Errorf("there is no Cluster API %q; there are %s", name, strings.Join(names, ", "))
}

// flags are those of the go command.
func (c *clusterAPI) flags() []string {
	if c.modfile == "" {
		return nil
	}
	return []string{"-modfile=" + c.modfile}
}

// programOf is the folder of a provider's program and manifests in its module.
func (c *clusterAPI) programOf(p provider) string {
	if c.older && p.name == "core" {
		return ""
	}
	return p.folder
}

// poolKind is the kind of a pool's infrastructure.
const poolKind = "DevMachinePool"

// pools is that kind in the edition.
func (c *clusterAPI) pools() string {
	if c.dockerPools {
		return "DockerMachinePool"
	}
	return poolKind
}

// gatesOf are the feature gates of a provider.
func (c *clusterAPI) gatesOf(p provider) string {
	if c.noTaints {
		return strings.TrimSuffix(p.gates, ",MachineTaintPropagation=true")
	}
	return p.gates
}

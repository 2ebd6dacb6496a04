package fleet

// fieldPaths lists where an object of a kind has in-place mutable fields. Which of them Cluster API sets, and to
// what, only its functions say.
func fieldPaths(kind, version string) []string {
	timeouts := func(parent string) []string {
		if version == "v1beta1" {
			return []string{parent + ".nodeDrainTimeout", parent + ".nodeVolumeDetachTimeout", parent + ".nodeDeletionTimeout"}
		}
		parent += ".deletion"
		return []string{parent + ".nodeDrainTimeoutSeconds", parent + ".nodeVolumeDetachTimeoutSeconds", parent + ".nodeDeletionTimeoutSeconds"}
	}
	pick := func(v1beta1, v1beta2 string) string {
		if version == "v1beta1" {
			return v1beta1
		}
		return v1beta2
	}
	template := "spec.template.spec"
	minReady := pick("spec.minReadySeconds", template+".minReadySeconds")
	switch kind {
	case "KubeadmControlPlane":
		parent := pick("spec.machineTemplate", "spec.machineTemplate.spec")
		return append(timeouts(parent), parent+".readinessGates", parent+".taints")
	case "MachineDeployment":
		order := pick("spec.strategy.rollingUpdate.deletePolicy", "spec.deletion.order")
		return append(timeouts(template), minReady, template+".readinessGates", template+".taints", order)
	case "MachineSet":
		order, naming := pick("spec.deletePolicy", "spec.deletion.order"), pick("spec.machineNamingStrategy", "spec.machineNaming")
		return append(timeouts(template), minReady, template+".readinessGates", template+".taints", order, naming)
	case "MachinePool":
		return append(timeouts(template), minReady, template+".taints")
	case "Machine":
		paths := append(timeouts("spec"), "spec.readinessGates", "spec.taints")
		if version == "v1beta2" {
			paths = append(paths, "spec.minReadySeconds")
		}
		return paths
	}
	return nil
}

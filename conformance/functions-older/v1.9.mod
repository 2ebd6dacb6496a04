module conformance/functions-older

go 1.26.0

require (
	conformance/fleet v0.0.0
	sigs.k8s.io/cluster-api v1.9.6
)

replace conformance/fleet => ../fleet

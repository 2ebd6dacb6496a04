module conformance/fleet

go 1.26.0

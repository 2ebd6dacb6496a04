package main

import "conformance/harness"

// object is any object of the API, client a user of the API server.
type (
	object = harness.Object
	client = harness.Client
)

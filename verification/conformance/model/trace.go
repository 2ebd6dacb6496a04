package main

import "conformance/harness"

// group is the traces with the same settings of the policy.
type group struct {
	Settings map[string]any `json:"settings"`
	Traces   []trace        `json:"traces"`
}

// trace is events in a row.
type trace []event

// event is something that happens, and what is stored then.
type event struct {
	// Description is what happens, as a sentence.
	Description string `json:"description"`
	// Expires is whether the host's cache forgets what it has.
	Expires bool    `json:"expires"`
	Writes  []write `json:"writes"`
	// After is what is stored afterwards, by kind; null is that there is none.
	After map[string][]entry `json:"after"`
}

// write is one request.
type write struct {
	// Verb is apply, patch, update, create or delete.
	Verb string `json:"verb"`
	User string `json:"user"`
	// UserAgent is the name of a client whose requests name no field manager; empty for the others.
	UserAgent string `json:"userAgent"`
	// Manager is empty in requests that name no field manager.
	Manager string         `json:"manager"`
	Force   bool           `json:"force"`
	DryRun  bool           `json:"dryRun"`
	Object  map[string]any `json:"object"`
	// Answer is stored, conflict, impossible or refused.
	Answer string `json:"answer"`
	// Answered is the object in the answer.
	Answered []entry `json:"answered"`
}

// entry is one value of an object, and the field managers that own it, sorted. An empty value is that there is none.
type entry struct {
	Path   []string `json:"path"`
	Value  string   `json:"value"`
	Owners []string `json:"owners"`
}

type object = harness.Object

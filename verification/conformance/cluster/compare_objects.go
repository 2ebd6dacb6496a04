package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	withIt = ", with it "
	absent = "nothing"
)

// compareObjects are the paths at which two objects of a snapshot differ, with both values.
func compareObjects(without, with string) []string {
	before, after := leaves(without), leaves(with)
	paths := slices.Sorted(maps.Keys(before))
	for path := range after {
		if _, is := before[path]; !is {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	var lines []string
	for _, path := range paths {
		if before[path] != after[path] {
			lines = append(lines, fmt.Sprintf("%s: without the policy %s%s%s", path, orAbsent(before[path]), withIt, orAbsent(after[path])))
		}
	}
	return lines
}

func orAbsent(value string) string {
	if value == "" {
		return absent
	}
	return value
}

// leaves are the values of an object by path. What is no JSON is one value.
func leaves(text string) map[string]string {
	found := map[string]string{}
	var object any
	if json.Unmarshal([]byte(text), &object) != nil {
		found["object"] = text
		return found
	}
	addLeaves(found, "", object)
	return found
}

func addLeaves(found map[string]string, path string, value any) {
	switch of := value.(type) {
	case map[string]any:
		for name, below := range of {
			addLeaves(found, joined(path, name), below)
		}
		if len(of) > 0 {
			return
		}
	case []any:
		for index, below := range of {
			addLeaves(found, path+"["+strconv.Itoa(index)+"]", below)
		}
		if len(of) > 0 {
			return
		}
	}
	// What was decoded can be encoded.
	encoded, _ := json.Marshal(value)
	found[path] = string(encoded)
}

// joined is a path with a name below it. The managers of a path have names that say so.
func joined(path, name string) string {
	if path == "" || path == "managers" {
		return name
	}
	if strings.ContainsAny(name, "./") {
		return path + "[" + name + "]"
	}
	return path + "." + name
}

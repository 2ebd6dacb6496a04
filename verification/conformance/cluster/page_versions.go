package main

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"conformance/harness"
)

// releases are those of the modules of an edition of Cluster API.
type releases struct{ managers, infrastructure string }

// releases asks the go command.
func (c *clusterAPI) releases(ctx context.Context) (releases, error) {
	var found releases
	for module, into := range map[string]*string{
		"sigs.k8s.io/cluster-api": &found.managers, "sigs.k8s.io/cluster-api/test": &found.infrastructure,
	} {
		var err error
		if *into, err = harness.ModuleField(ctx, c.folder, module, "{{.Version}}", c.flags()...); err != nil {
			return found, err
		}
	}
	return found, nil
}

// versionRow is the row of an edition of Cluster API: its releases, and of each comparison the steps and the differences.
func versionRow(edition *clusterAPI, found releases, comparisons []*comparison) []string {
	row := []string{edition.name, found.managers, found.infrastructure}
	for _, c := range comparisons {
		row = append(row, fmt.Sprintf("%d steps, %d reviews, %d differences", len(c.with.played.Steps),
			total(c.with.played.Reviews, func(s *stepReviews) *reviews { return &s.Others }).Count, c.differences))
	}
	for len(row) < len(versionsHead) {
		row = append(row, "the same setting")
	}
	return row
}

var versionsHead = []string{
	"Cluster API", "managers", "development infrastructure", "`clusterApi.version` says so", "`clusterApi.version` is not set",
}

// withRow is the table of versions with one row replaced or added, the newest first.
func withRow(old string, row []string) string {
	rows := [][]string{row}
	for _, line := range strings.Split(old, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) == len(versionsHead) && strings.HasPrefix(cells[0], "v") && cells[0] != row[0] {
			rows = append(rows, cells)
		}
	}
	place := func(name string) int {
		return slices.IndexFunc(clusterAPIs, func(c clusterAPI) bool { return c.name == name })
	}
	sort.Slice(rows, func(i, j int) bool { return place(rows[i][0]) < place(rows[j][0]) })
	return table(versionsHead, rows)
}

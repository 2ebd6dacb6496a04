package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// pageFile is the page with the results.
var pageFile = filepath.Join("verification", "conformance", "cluster", "README.md")

// writePage writes what was measured into the page: the rows of the scenarios that were run, or the row of an older edition.
// What `propagate` predicted and completed is written whenever that scenario is run.
func (s *stage) writePage(comparisons []*comparison, progress *progress) error {
	if len(s.steps) > 0 {
		// The tables are about whole scenarios.
		return nil
	}
	file := filepath.Join(s.root, pageFile)
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	page := string(content)
	sections := map[string]string{"scenarios": scenariosTable(), "steps": stepsTable()}
	for _, c := range comparisons {
		if c.scenario.plans && c.with.played.Stuck == "" {
			sections["plan"] = planTable(c.without.played)
			sections["backfill"] = completedTable(c.without.played, c.with.played)
		}
	}
	switch {
	case s.programs.clusterAPI.older && !s.writes:
	case s.programs.clusterAPI.older:
		sections["versions"] = withRow(section(page, "versions"), versionRow(s.programs.clusterAPI, s.releases, comparisons))
	case !s.writes:
		sections["measured"] = withRows(section(page, "measured"), measuredTable(comparisons))
		sections["wrong-policies"] = withRows(section(page, "wrong-policies"), wrongTable(comparisons))
	default:
		sections["measured"] = measuredTable(comparisons) + fmt.Sprintf("\nAll %d runs took %.0f minutes on %d cores, up to %d at a time.\n",
			len(progress.jobs), progress.took().Minutes(), runtime.NumCPU(), progress.parallel)
		sections["wrong-policies"] = wrongTable(comparisons)
		sections["versions"] = withRow(section(page, "versions"), versionRow(s.programs.clusterAPI, s.releases, comparisons[:1]))
	}
	for name, text := range sections {
		begin, end := marks(name)
		before, rest, found := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			return fmt.Errorf("%s has no %s", pageFile, begin)
		}
		page = before + begin + "\n\n" + strings.TrimSpace(text) + "\n\n" + end + after
	}
	return os.WriteFile(file, []byte(page), 0o644)
}

// marks are around a generated section of a page.
func marks(name string) (string, string) {
	return fmt.Sprintf("<!-- %s: generated -->", name), fmt.Sprintf("<!-- %s: end -->", name)
}

// section is what a page has between its marks.
func section(page, name string) string {
	begin, end := marks(name)
	_, rest, _ := strings.Cut(page, begin)
	text, _, _ := strings.Cut(rest, end)
	return strings.TrimSpace(text)
}

// withRows is a section with the rows of another table instead of those of the same scenarios. A row that names none
// belongs to the one above it.
func withRows(old, table string) string {
	named := func(line string) string {
		if name, _, is := strings.Cut(strings.TrimPrefix(line, "| `"), "` |"); is && strings.HasPrefix(line, "| `") {
			return name
		}
		return ""
	}
	byScenario, of := map[string][]string{}, ""
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[2:] {
		if name := named(line); name != "" {
			of = name
		}
		byScenario[of] = append(byScenario[of], line)
	}
	var lines []string
	replaces := false
	for _, line := range strings.Split(old, "\n") {
		if name := named(line); name != "" {
			var rows []string
			if rows, replaces = byScenario[name]; replaces {
				lines = append(lines, rows...)
				// The first one of several.
				byScenario[name] = nil
			}
		} else if !strings.HasPrefix(line, "| …") {
			replaces = false
		}
		if !replaces {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// table is a table of Markdown.
func table(head []string, rows [][]string) string {
	var text strings.Builder
	line := func(cells []string) { fmt.Fprintf(&text, "| %s |\n", strings.Join(cells, " | ")) }
	line(head)
	fmt.Fprintf(&text, "|%s\n", strings.Repeat("---|", len(head)))
	for _, row := range rows {
		line(row)
	}
	return text.String()
}

func scenariosTable() string {
	var rows [][]string
	for i := range scenarios {
		l := &scenarios[i]
		beside := "itself without the policy"
		if l.beside != "" {
			beside = fmt.Sprintf("`%s` without the policy", l.beside)
		}
		rows = append(rows, []string{code(l.name), l.about, beside})
	}
	return table([]string{"scenario", "what is different", "compared with"}, rows)
}

// stepsTable says of each step what happens, and in which scenarios. Older editions run those of the first one.
func stepsTable() string {
	in := map[string][]string{}
	var names []string
	for i := range scenarios {
		if scenarios[i].older {
			continue
		}
		for _, s := range scenarios[i].steps {
			// They have a table of their own.
			if s.predicts != nil {
				continue
			}
			if !slices.Contains(names, s.name) {
				names = append(names, s.name)
			}
			in[s.name] = append(in[s.name], code(scenarios[i].name))
		}
	}
	var rows [][]string
	for _, name := range names {
		rows = append(rows, []string{name, stepAbout[name], strings.Join(in[name], ", ")})
	}
	return table([]string{"step", "what happens", "scenarios"}, rows)
}

// measuredTable has a row for each scenario, and one for Cluster API's controllers where they are treated like others.
func measuredTable(comparisons []*comparison) string {
	var rows [][]string
	for _, c := range comparisons {
		without, with := c.without.played, c.with.played
		counted := func(step string) string { return fmt.Sprintf("%d, %d", versions(without), versions(with)) + step }
		row := []string{
			code(c.scenario.name), fmt.Sprint(len(with.Steps)), fmt.Sprintf("%.0f, %.0f", without.Seconds, with.Seconds), counted(""),
			fmt.Sprintf("%d, %d", created(with, "MachineSet"), created(with, "Machine")),
		}
		others := total(with.Reviews, func(s *stepReviews) *reviews { return &s.Others })
		rows = append(rows, append(row, others.cells()...))
		rows[len(rows)-1] = append(rows[len(rows)-1], fmt.Sprint(c.differences))
		if c.scenario.anybody {
			controllers := total(with.Reviews, func(s *stepReviews) *reviews { return &s.Controllers })
			row := append([]string{"… Cluster API's controllers", "", "", "", ""}, controllers.cells()...)
			rows = append(rows, append(row, ""))
		}
	}
	head := []string{
		"scenario", "steps", "seconds, without and with", "versions of objects", "MachineSets, Machines created", "reviews", "patched",
		"undone", "refused", "reads", "fresh", "failed", "median, p99 in ms", "differences",
	}
	return table(head, rows)
}

// cells are the counts of some reviews.
func (r *reviews) cells() []string {
	var cells []string
	for _, count := range []int{r.Count, r.Patched, r.Reverted, r.Denied, r.Gets, r.Fresh, r.Failed} {
		cells = append(cells, fmt.Sprint(count))
	}
	return append(cells, fmt.Sprintf("%.2f, %.2f", r.quantile(0.5), r.quantile(0.99)))
}

func versions(played *result) int {
	count := 0
	for _, step := range played.Steps {
		count += step.Versions
	}
	return count
}

func created(played *result, kind string) int {
	count := 0
	for _, step := range played.Steps {
		count += step.Created[kind]
	}
	return count
}

// wrongTable has a row for each policy that is wrong on purpose.
func wrongTable(comparisons []*comparison) string {
	var rows [][]string
	for _, c := range comparisons {
		for _, j := range c.wrong {
			noticed := compare(c.without.played, j.played)
			first := "nothing"
			if len(noticed) > 0 {
				first = "`" + shortened(noticed[0]) + "`"
			}
			rows = append(rows, []string{code(c.scenario.name), wrongAbout[j.policy], fmt.Sprint(len(noticed)), first})
		}
	}
	return table([]string{"scenario", "wrong policy", "differences", "the first one"}, rows)
}

// wrongAbout is what is wrong with each of them.
var wrongAbout = map[string]string{
	stampTime:         "writes the time",
	rollMachines:      "changes a field that rolls out",
	cachedWrites:      "writes on cached reads",
	refuseFailedReads: "refuses when a read fails",
	forgetOwners:      "forgets `managedFields`: the last writer of a field owns it, also where the policy restored it",
}

// shortened is a line that fits into a table.
func shortened(line string) string {
	const width = 240
	line = strings.NewReplacer("|", "\\|", "`", "'", "\n", " ").Replace(line)
	if runes := []rune(line); len(runes) > width {
		return string(runes[:width]) + "…"
	}
	return line
}

func code(text string) string { return "`" + text + "`" }

package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

//go:embed deviations.txt
var listedDeviations string

// comparison is what Crossplane did beside what the policy says, case by case.
type comparison struct {
	// file receives lines, a case each.
	file  string
	lines []string
	// counts by what happened, by what the policy says.
	counts map[string]map[string]int
	// recorded are resources that were compared with what was recorded of them.
	recorded int
	// checked counts the resources by what `propagate check` says of them.
	checked map[string]int
	// cases, agreements and noticed are numbers; noticed are losses that the policy refuses.
	cases, agreements, noticed int
	// deviations by name: what happened, and what the policy says.
	deviations map[string]string
	// unplayed counts reasons.
	unplayed map[string]int
	// wrong is everything else that should not be.
	wrong []string
}

// newComparison writes every case to cases.txt in a folder.
func newComparison(directory string) *comparison {
	return &comparison{file: filepath.Join(directory, "cases.txt"), counts: map[string]map[string]int{}, deviations: map[string]string{}, checked: map[string]int{}, unplayed: map[string]int{}}
}

// add counts one case.
func (c *comparison) add(name, happened, why string, says answer, agrees bool) {
	c.lines = append(c.lines, fmt.Sprintf("%s | %s | %s | %s | %s", name, happened, why, says.word(), says.said))
	if c.counts[happened] == nil {
		c.counts[happened] = map[string]int{}
	}
	c.counts[happened][says.word()]++
	c.cases++
	if agrees {
		c.agreements++
		if says.refused {
			c.noticed++
		}
		return
	}
	c.deviations[name] = happened + ", " + says.word() + ": " + says.said
}

// minimum is how many losses at least both have to notice: a comparison of right ones only would prove nothing.
const minimum = 5

// report prints the comparison, and returns how many differences there are: deviations that deviations.txt does not
// give a reason for, and reasons for which there is no deviation any more.
func (c *comparison) report(to io.Writer, of string) (int, error) {
	if err := os.WriteFile(c.file, []byte(strings.Join(c.lines, "\n")+"\n"), 0o600); err != nil {
		return 0, err
	}
	fmt.Fprintln(to, "| Crossplane | accepted | warned about | refused |\n|---|---:|---:|---:|")
	for _, happened := range sortedKeys(c.counts) {
		counts := c.counts[happened]
		fmt.Fprintf(to, "| %s | %d | %d | %d |\n", happened, counts["accepted"], counts["warned about"], counts["refused"])
	}
	fmt.Fprintf(to, "\n%d cases, %d agreements, %d deviations; %d losses are noticed by both\n", c.cases, c.agreements, len(c.deviations), c.noticed)
	if c.recorded > 0 {
		fmt.Fprintf(to, "%d resources are as they were recorded with function-patch-and-transform, but for %d\n", c.recorded, len(c.wrong))
	}
	if len(c.checked) > 0 {
		fmt.Fprintf(to, "resources by what check says of them: %v\n", c.checked)
	}
	for _, why := range sortedKeys(c.unplayed) {
		fmt.Fprintf(to, "not run: %d: %s\n", c.unplayed[why], why)
	}
	differences := append([]string{}, c.wrong...)
	if c.noticed < minimum {
		differences = append(differences, fmt.Sprintf("only %d losses are noticed by both", c.noticed))
	}
	reasons := readDeviations(of)
	for _, name := range sortedKeys(c.deviations) {
		reason, listed := reasons[name]
		if !listed {
			differences = append(differences, "not listed: "+name+": "+c.deviations[name])
			continue
		}
		fmt.Fprintf(to, "deviates: %s: %s\n", name, reason)
	}
	for _, name := range sortedKeys(reasons) {
		if _, is := c.deviations[name]; !is {
			differences = append(differences, "listed and does not deviate: "+name)
		}
	}
	for _, difference := range differences {
		fmt.Fprintln(to, difference)
	}
	fmt.Fprintf(to, "every case is in %s\n", c.file)
	return len(differences), nil
}

// readDeviations are the reasons for deviations in one scenario, by case.
func readDeviations(of string) map[string]string {
	reasons := map[string]string{}
	for _, line := range strings.Split(listedDeviations, "\n") {
		scenario, rest, _ := strings.Cut(line, " ")
		name, reason, is := strings.Cut(rest, ": ")
		if is && scenario == of {
			reasons[name] = reason
		}
	}
	return reasons
}

package vectors

import (
	"strings"

	"sigs.k8s.io/cluster-api/util/labels/format"

	"conformance/fleet"
)

func names(d dice, count int) []any {
	all := []string{"a", strings.Repeat("machineSetName", 12), strings.Repeat("a", 62), strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 253)}
	for len(all) < count {
		all = append(all, d.objectName())
	}
	var lines []any
	for _, name := range all {
		lines = append(lines, fleet.Formatted{Function: "format.MustFormatValue", Name: name, Value: format.MustFormatValue(name)})
	}
	return lines
}

// objectName is a legal object name: lower-case words, joined by dots and dashes, up to 253 characters.
func (d dice) objectName() string {
	var name strings.Builder
	for length := pick(d, []int{8, 40, 60, 64, 70, 120, 253}); name.Len() < length; {
		if name.Len() > 0 {
			name.WriteString(pick(d, []string{"-", ".", "--", "-"}))
		}
		for range d.Between(1, 12) {
			name.WriteByte("abcdefghijklmnopqrstuvwxyz0123456789"[d.IntN(36)])
		}
	}
	text := name.String()
	return text[:min(len(text), 253)]
}

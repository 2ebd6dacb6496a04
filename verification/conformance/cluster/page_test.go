package main

import "testing"

func TestRowsOfOtherScenariosStay(t *testing.T) {
	old := "| scenario | n |\n|---|---|\n| `whole` | 1 |\n| `whole` | 2 |\n| `anybody` | 3 |\n| … controllers | 4 |\n| `slow` | 5 |\n\nAll 3 runs."
	some := "| scenario | n |\n|---|---|\n| `whole` | 6 |\n| `anybody` | 7 |\n| … controllers | 8 |\n"
	want := "| scenario | n |\n|---|---|\n| `whole` | 6 |\n| `anybody` | 7 |\n| … controllers | 8 |\n| `slow` | 5 |\n\nAll 3 runs."
	if found := withRows(old, some); found != want {
		t.Errorf("found:\n%s\nwant:\n%s", found, want)
	}
}

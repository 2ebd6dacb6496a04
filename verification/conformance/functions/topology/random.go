package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"sigs.k8s.io/yaml"
)

// aClass is how many edits one variation of a class gets.
const aClass = 25

// generate varies classes of files, edits each variation, and writes the ones with their answers.
func generate(files []string, count int, seed uint64, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var given []vector
	var texts []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var one vector
		if err := yaml.Unmarshal(text, &one); err != nil {
			return err
		}
		one.Edits = nil
		written, _, _ := strings.Cut(string(text), "\nedits:")
		given, texts = append(given, one), append(texts, strings.TrimRight(written, "\n")+"\n")
	}
	random := rand.New(rand.NewPCG(seed, 40))
	made := 0
	for number := 0; made < count; number++ {
		base := varied(random, given[number%len(given)], number/len(given))
		d := &dice{Rand: random, vector: base}
		for len(base.Edits) < aClass {
			operations := d.operations()
			for d.IntN(5) == 0 {
				operations = append(operations, d.operations()...)
			}
			if _, ok := d.with(operations); ok {
				base.Edits = append(base.Edits, edit{Title: titleOf(operations), Patch: raw(operations)})
			}
		}
		answers, err := base.answers()
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(files[number%len(files)]), ".yaml")
		if number >= len(given) {
			name = fmt.Sprintf("%s-%d", name, number/len(given))
		}
		name = filepath.Join(out, name)
		text := texts[number%len(files)] + "edits:\n"
		for _, edit := range base.Edits {
			text += fmt.Sprintf("  - %s\n", raw(edit))
		}
		if number >= len(given) {
			varied, err := yaml.Marshal(base)
			if err != nil {
				return err
			}
			text = string(varied)
		}
		if err := write(name+".yaml", text, answers); err != nil {
			return err
		}
		made += len(answers)
	}
	fmt.Printf("%5d %s\n", made, out)
	return nil
}

// varied is a class with some edits made, as far as Cluster API accepts them; the first one is as written.
func varied(random *rand.Rand, base vector, number int) vector {
	if number == 0 {
		return base
	}
	for range 2 + random.IntN(6) {
		d := &dice{Rand: random, vector: base}
		edited, ok := d.with(d.operations())
		if !ok {
			continue
		}
		if _, err := edited.answers(); err == nil {
			base = edited
		}
	}
	return base
}

func raw(value any) json.RawMessage {
	text, err := json.Marshal(value)
	must(err)
	return text
}

func titleOf(operations []operation) string {
	var titles []string
	for _, one := range operations {
		titles = append(titles, one.title())
	}
	return strings.Join(titles, "; ")
}

func (o operation) title() string {
	if o.Op == "remove" {
		return "remove " + o.Path
	}
	text := string(raw(o.Value))
	if len(text) > 80 {
		text = text[:80]
	}
	return strings.ToValidUTF8(fmt.Sprintf("%s %s %s", o.Op, o.Path, text), "")
}

// with is the vector after operations; false if they do not apply, change nothing, or define a template twice.
func (d *dice) with(operations []operation) (vector, bool) {
	if len(operations) == 0 {
		return vector{}, false
	}
	before := raw(d.vector)
	patch, err := jsonpatch.DecodePatch(raw(operations))
	if err != nil {
		return vector{}, false
	}
	patched, err := patch.Apply(before)
	if err != nil || jsonpatch.Equal(before, patched) {
		return vector{}, false
	}
	var edited vector
	must(json.Unmarshal(patched, &edited))
	known := map[string]bool{}
	for _, template := range edited.Templates {
		if known[idOf(template)] {
			return vector{}, false
		}
		known[idOf(template)] = true
	}
	return edited, true
}

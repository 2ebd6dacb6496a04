// Command topology asks Cluster API's own topology reconciler what edits of a Cluster, a ClusterClass or its templates
// do: it creates the objects of a topology in memory, makes the edit, reconciles until nothing changes, and compares.
//
//	topology FILE…                               writes the answers to the edits of FILE, as its last field
//	topology -random 2000 -seed 1 -out OUT FILE… writes variations of the classes, with edits and answers, into OUT
//	topology -schemas -out OUT                   writes the schemas of Cluster API's kinds into OUT
//	topology -functions FILE                     writes what the templates of FILE print
//	topology -violations FILE                    writes what webhooks say about the variables of FILE
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/yaml"

	"github.com/go-logr/logr"
)

func main() {
	random := flag.Int("random", 0, "the number of generated edits")
	seed := flag.Uint64("seed", 1, "the seed of generated classes")
	out := flag.String("out", ".", "folder of generated classes and answers")
	schemas := flag.Bool("schemas", false, "write schemas")
	functions := flag.String("functions", "", "a file of templates")
	violations := flag.String("violations", "", "a file of variables")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	if *functions != "" {
		must(writeOutputs(*functions))
		return
	}
	if *violations != "" {
		must(writeViolations(*violations))
		return
	}
	if *schemas {
		must(writeSchemas(*out))
		return
	}
	if *random > 0 {
		must(generate(flag.Args(), *random, *seed, *out))
		return
	}
	for _, file := range flag.Args() {
		text, err := os.ReadFile(file)
		must(err)
		question, _, _ := strings.Cut(string(text), "\nanswers:\n")
		var asked vector
		must(yaml.UnmarshalStrict([]byte(question), &asked))
		answers, err := asked.answers()
		must(err)
		must(write(file, question, answers))
		fmt.Printf("%5d %s\n", len(answers), file)
	}
}

// write writes a question and one answer a line.
func write(file, question string, answers []answer) error {
	var text strings.Builder
	text.WriteString(strings.TrimRight(question, "\n") + "\nanswers:\n")
	for _, answer := range answers {
		line, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "  - %s\n", line)
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

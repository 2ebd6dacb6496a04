// Command functions writes the vectors of testdata/conformance: what Cluster API's own functions say of generated fleets.
package main

import (
	"flag"
	"fmt"
	"log"

	"conformance/functions/vectors"

	"github.com/go-logr/logr"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	folder := flag.String("out", "../../../testdata/conformance", "folder of the vectors")
	conversions := flag.String("conversions", "../../../testdata/conversions", "folder of the conversions")
	seed := flag.Uint64("seed", 14, "the fleets' seed")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	for _, topic := range vectors.Topics {
		count, err := topic.Write(*folder, *seed, utilrand.Seed)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%5d %s\n", count, topic.Name)
	}
	count, err := vectors.Conversions.Write(*conversions, *seed, utilrand.Seed)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%5d %s\n", count, vectors.Conversions.Name)
}

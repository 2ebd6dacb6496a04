// Policy-server starts a real PolicyServer with the policies of deploy/ and a Kubernetes API that answers their reads, posts
// reviews to it from many connections, and compares each answer with the engine's. `reviews` of verification/tasks writes what it
// reads. Everything listens on loopback, and ends with the program.
//
//	policy-server [-connections N] [-rounds N] [-noop NOOP.wasm -canned CANNED.wasm] FOLDER
//	policy-server -bursts FOLDER
//	policy-server -scale PAGE.md -noop NOOP.wasm -ordinary ORDINARY.wasm -canned CANNED.wasm -fleets FLEETS.json [-minutes N] FOLDER
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// exchange is one review, and the answer that the engine gives to it.
type exchange struct {
	Policy   string
	Review   json.RawMessage
	Expected expected
}

type expected struct {
	Accepted bool
	Message  *string
	Patch    []operation
	Warnings []string
	Report   any
}

// operation is one of a JSON patch.
type operation = map[string]any

// review is what a PolicyServer answers, as far as it is read.
type review struct {
	Response struct {
		Allowed          bool
		Patch            []byte
		Warnings         []string
		AuditAnnotations map[string]string
		Status           *struct{ Message string }
	}
}

func main() {
	log.SetFlags(0)
	connections := flag.Int("connections", 16, "how many connections post reviews")
	rounds := flag.Int("rounds", 1, "how often each review is posted")
	noop := flag.String("noop", "", "a module that accepts everything, to compare times with")
	canned := flag.String("canned", "", "a module with the policy's host calls and answers, to compare times with")
	ordinary := flag.String("ordinary", "", "a module that is written the ordinary way, for -scale")
	page := flag.String("scale", "", "measure load, replicas and faults instead, and write this page")
	onlyBursts := flag.Bool("bursts", false, "measure bursts instead, and print the table")
	fleets := flag.String("fleets", "", "what `cluster large` of conformance/cluster wrote, for -scale")
	minutes := flag.Int("minutes", 10, "how long the memory is watched, for -scale")
	result := flag.String("result", "", "file of how much was compared, for `results` of verification/tasks")
	flag.Parse()
	if flag.NArg() != 1 || (*page != "" && (*noop == "" || *ordinary == "" || *canned == "" || *fleets == "")) {
		log.Fatal("usage: policy-server [-connections N] [-rounds N] [-noop NOOP.wasm -canned CANNED.wasm] FOLDER\n" +
			"       policy-server -bursts FOLDER\n" +
			"       policy-server -scale PAGE.md -noop NOOP.wasm -ordinary ORDINARY.wasm -canned CANNED.wasm -fleets FLEETS.json [-minutes N] FOLDER")
	}
	err := error(nil)
	switch {
	case *onlyBursts:
		err = printBursts(flag.Arg(0))
	case *page != "":
		err = scale(flag.Arg(0), *page, *fleets, map[string]string{noopPolicy: *noop, ordinaryPolicy: *ordinary, cannedPolicy: *canned}, *minutes)
	default:
		err = run(flag.Arg(0), *connections, *rounds, *noop, *canned, *result)
	}
	if err != nil {
		log.Fatal("policy-server: ", err)
	}
}

func run(folder string, connections, rounds int, noop, canned, result string) error {
	api, exchanges, err := recorded(folder)
	if err != nil {
		return err
	}
	policies := filepath.Join(folder, "policies.yml")
	if noop != "" {
		if policies, err = withModules(policies, map[string]string{noopPolicy: noop, cannedPolicy: canned}); err != nil {
			return err
		}
	}

	begin := time.Now()
	server, err := startServer(folder, policies, api.address)
	if err != nil {
		return err
	}
	defer server.stop()
	fmt.Printf("ready after %.1f s, %d MB resident\n", time.Since(begin).Seconds(), server.resident())
	if err := compare(server, exchanges, connections); err != nil {
		return err
	}
	fmt.Printf("%d answers are the engine's, over %d connections; %d MB resident\n", len(exchanges), connections, server.resident())
	for round := range rounds - 1 {
		if _, err := post(server, exchanges, connections, nil); err != nil {
			return err
		}
		fmt.Printf("round %d: %d MB resident\n", round+2, server.resident())
	}
	if noop != "" {
		if err := sameAnswers(server, exchanges); err != nil {
			return err
		}
		if _, err := throughputs(server, exchanges, []string{noopPolicy, cannedPolicy}, []int{1, 2, 8}); err != nil {
			return err
		}
	}
	server.stop()
	if noop != "" {
		if err := byRegistries(folder); err != nil {
			return err
		}
	}
	if err := badSettings(folder, api.address, exchanges); err != nil {
		return err
	}
	return writeResult(result, len(exchanges))
}

// writeResult writes how many answers were compared; if one differs, the program has ended before. No name is no file.
func writeResult(file string, answers int) error {
	if file == "" {
		return nil
	}
	version, err := exec.Command("policy-server", "--version").Output()
	if err != nil {
		return err
	}
	// What follows are lists of builtins.
	first, _, _ := strings.Cut(string(version), "\n")
	text, err := json.Marshal(map[string]any{
		"versions": map[string]string{"policy-server": strings.TrimSpace(strings.TrimPrefix(first, "policy-server"))},
		"parts":    map[string]any{"answers": map[string]int{"comparisons": answers, "differences": 0}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// compare posts every review once and holds each answer to the engine's.
func compare(server *server, exchanges []exchange, connections int) error {
	var differing atomic.Int64
	_, err := post(server, exchanges, connections, func(exchange exchange, body []byte) error {
		if reason := differs(exchange, body); reason != "" && differing.Add(1) <= 5 {
			log.Printf("%s: %s\n%.400s", exchange.Policy, reason, exchange.Review)
		}
		return nil
	})
	if err == nil && differing.Load() > 0 {
		err = fmt.Errorf("%d of %d answers are not the engine's", differing.Load(), len(exchanges))
	}
	return err
}

// differs says how an answer differs from the engine's, or nothing.
func differs(exchange exchange, body []byte) string {
	var answer review
	if err := json.Unmarshal(body, &answer); err != nil {
		return err.Error()
	}
	found, expected := answer.Response, exchange.Expected
	var message *string
	if found.Status != nil && !found.Allowed {
		message = &found.Status.Message
	}
	var patch []operation
	if len(found.Patch) > 0 {
		if err := json.Unmarshal(found.Patch, &patch); err != nil {
			return err.Error()
		}
	}
	var report any
	if text, ok := found.AuditAnnotations["report"]; ok {
		if err := json.Unmarshal([]byte(text), &report); err != nil {
			return err.Error()
		}
	}
	if found.Allowed != expected.Accepted {
		return fmt.Sprintf("allowed: %t", found.Allowed)
	}
	if !reflect.DeepEqual(message, expected.Message) {
		return fmt.Sprintf("message: %s, not %s", text(message), text(expected.Message))
	}
	if !reflect.DeepEqual(sorted(patch), sorted(expected.Patch)) {
		return fmt.Sprintf("patch: %v, not %v", sorted(patch), sorted(expected.Patch))
	}
	if !slices.Equal(found.Warnings, expected.Warnings) {
		return fmt.Sprintf("warnings: %q, not %q", found.Warnings, expected.Warnings)
	}
	if !reflect.DeepEqual(report, expected.Report) {
		return fmt.Sprintf("report: %v, not %v", report, expected.Report)
	}
	return ""
}

func text(message *string) string {
	if message == nil {
		return "none"
	}
	return *message
}

// sorted is a patch by its paths: of operations on different paths, the order says nothing.
func sorted(patch []operation) []operation {
	return slices.SortedStableFunc(slices.Values(patch), func(a, b operation) int {
		return cmp.Compare(fmt.Sprint(a["path"]), fmt.Sprint(b["path"]))
	})
}

// post posts reviews over a number of connections and returns the time of each, sorted. An answer other than 200 is an error.
func post(server *server, exchanges []exchange, connections int, look func(exchange, []byte) error) ([]time.Duration, error) {
	client := &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections},
		Timeout:   time.Minute,
	}
	queue := make(chan exchange)
	times := make([][]time.Duration, connections)
	failed := make([]error, connections)
	var posting sync.WaitGroup
	for number := range connections {
		posting.Go(func() {
			for exchange := range queue {
				if failed[number] != nil {
					continue
				}
				begin := time.Now()
				body, err := server.post(client, exchange.Policy, exchange.Review)
				times[number] = append(times[number], time.Since(begin))
				if err == nil && look != nil {
					err = look(exchange, body)
				}
				failed[number] = err
			}
		})
	}
	for _, exchange := range exchanges {
		queue <- exchange
	}
	close(queue)
	posting.Wait()
	all := slices.Concat(times...)
	slices.Sort(all)
	return all, errors.Join(failed...)
}

// sameAnswers posts every review to the canned policy once: what it measures is worth nothing unless it answers the same.
func sameAnswers(server *server, exchanges []exchange) error {
	return compare(server, ofPolicy(exchanges, cannedPolicy), 4)
}

// badSettings starts a PolicyServer of which one policy has settings that are not valid. It has to say so and either not
// become ready, or answer for the others as before.
func badSettings(folder, api string, exchanges []exchange) error {
	server, err := startServer(folder, filepath.Join(folder, "bad-settings.yml"), api)
	var ended *endedError
	if errors.As(err, &ended) {
		if !bytes.Contains(ended.output, []byte("clusterApi.version")) {
			return fmt.Errorf("bad settings end the server without a message: %s", ended.output)
		}
		fmt.Println("bad settings: the server does not start and names the setting; the Pods before it answer on")
		return nil
	}
	if err != nil {
		return err
	}
	defer server.stop()
	if !bytes.Contains(server.output.Bytes(), []byte("clusterApi.version")) {
		return fmt.Errorf("bad settings are not named: %s", server.output.Bytes())
	}
	if err := compare(server, exchanges[:min(len(exchanges), 200)], 4); err != nil {
		return fmt.Errorf("beside bad settings: %w", err)
	}
	fmt.Println("bad settings: the server names the setting, and the other policies answer as before")
	return nil
}

// recorded serves the API that a folder has, and reads its reviews.
func recorded(folder string) (*api, []exchange, error) {
	exchanges, err := readExchanges(filepath.Join(folder, "reviews.jsonl"))
	if err != nil {
		return nil, nil, err
	}
	api, err := serveAPI(filepath.Join(folder, "api.json"))
	return api, exchanges, err
}

func readExchanges(path string) ([]exchange, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var exchanges []exchange
	decoder := json.NewDecoder(file)
	for {
		var next exchange
		switch err := decoder.Decode(&next); err {
		case nil:
			exchanges = append(exchanges, next)
		case io.EOF:
			if len(exchanges) == 0 {
				return nil, fmt.Errorf("%s has no reviews", path)
			}
			return exchanges, nil
		default:
			return nil, err
		}
	}
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// fault is something that breaks, what those saw that posted reviews meanwhile, and what came afterwards.
type fault struct {
	name string
	// seen is how often each kind of answer came.
	seen map[string]int
	// longest is the time of the slowest answer.
	longest time.Duration
	// message is what a refusal says, or a warning.
	message string
	after   string
}

// forgotten is how long a PolicyServer keeps what it has read, and a second more.
const forgotten = 6 * time.Second

// faults lets the Kubernetes API fail, and posts reviews that are larger than usual.
func faults(server *server, api *api, exchanges []exchange) ([]fault, error) {
	readers, err := reading(server, api, exchanges)
	if err != nil {
		return nil, err
	}
	var all []fault
	for _, breaks := range []struct {
		name    string
		trouble trouble
		reviews int
	}{
		{"the API server answers each read with an error", refusing, 100},
		{"the API server takes half a second for each read", slow, 100},
		{"the API server does not answer reads, and breaks the connections at last", hanging, 4},
	} {
		reviews := readers[:min(len(readers), breaks.reviews)]
		time.Sleep(forgotten)
		api.suffer(breaks.trouble)
		one := seen(server, breaks.name, reviews)
		api.suffer(none)
		time.Sleep(forgotten)
		one.after = "each answer is the engine's again"
		if err := compare(server, reviews, 8); err != nil {
			one.after = err.Error()
		}
		all = append(all, one)
	}
	larger, err := large(server, api, exchanges)
	return append(all, larger...), err
}

// reading are the reviews whose answer is another one where nothing can be read.
func reading(server *server, api *api, exchanges []exchange) ([]exchange, error) {
	time.Sleep(forgotten)
	api.suffer(refusing)
	defer api.suffer(none)
	var readers []exchange
	_, err := post(server, ofPolicy(exchanges, clusterPolicy), 1, func(exchange exchange, body []byte) error {
		if differs(exchange, body) != "" {
			readers = append(readers, exchange)
		}
		return nil
	})
	if err == nil && len(readers) == 0 {
		err = errors.New("no review needs a read")
	}
	return readers, err
}

// patience is how long the API server waits for a webhook, unless its configuration says otherwise.
const patience = 10 * time.Second

// seen posts reviews and sorts the answers.
func seen(server *server, name string, reviews []exchange) fault {
	found := fault{name: name, seen: map[string]int{}}
	client := &http.Client{Timeout: patience}
	for _, exchange := range reviews {
		begin := time.Now()
		body, err := server.post(client, exchange.Policy, exchange.Review)
		found.longest = max(found.longest, time.Since(begin))
		kind, message := kindOf(body, err)
		if err == nil && differs(exchange, body) == "" {
			kind, message = "as usual", ""
		}
		found.seen[kind]++
		if message != "" {
			found.message = message
		}
	}
	fmt.Printf("%s: %v, longest %.1f s: %.200s\n", name, found.seen, found.longest.Seconds(), found.message)
	return found
}

// kindOf is what kind of answer came, and what it says.
func kindOf(body []byte, err error) (kind, message string) {
	var answer review
	switch {
	case os.IsTimeout(err):
		return fmt.Sprintf("not answered in %.0f s", patience.Seconds()), ""
	case err != nil:
		message, _, _ = strings.Cut(err.Error(), " for {")
		return "not taken", message
	case json.Unmarshal(body, &answer) != nil:
		return "not a review", ""
	}
	of := answer.Response
	if len(of.Warnings) > 0 {
		message = of.Warnings[0]
	}
	switch {
	case !of.Allowed && of.Status != nil:
		return "refused", of.Status.Message
	case !of.Allowed:
		return "refused", message
	case len(of.Patch) > 0:
		return "admitted and completed", message
	case message != "":
		return "admitted with a warning", message
	}
	return "admitted as it is", ""
}

// large posts a review of a new Machine with many labels, one below a large MachineSet, and one that is over the limit of the
// PolicyServer.
func large(server *server, api *api, exchanges []exchange) ([]fault, error) {
	var all []fault
	labels := map[string]any{}
	for number := range 10_000 {
		labels[fmt.Sprintf("example.com/label-%05d", number)] = "value"
	}
	for _, made := range []struct {
		name   string
		change func(machine, set map[string]any)
	}{
		{"a new Machine with 10,000 labels", func(machine, _ map[string]any) { metadata(machine)["labels"] = labels }},
		{"a new Machine below a MachineSet of 1.5 MB", func(_, set map[string]any) {
			metadata(set)["annotations"] = map[string]any{"example.com/large": strings.Repeat("x", 1_500_000)}
		}},
		{"a review of 2.1 MB", func(machine, _ map[string]any) {
			metadata(machine)["annotations"] = map[string]any{"example.com/large": strings.Repeat("x", 2_100_000)}
		}},
	} {
		one, err := posted(server, api, exchanges, made.change)
		if err != nil {
			return nil, err
		}
		one.name = made.name
		fmt.Printf("%s: %v, %.1f s: %.200s\n", one.name, one.seen, one.longest.Seconds(), one.message)
		all = append(all, one)
	}
	return all, nil
}

func metadata(object map[string]any) map[string]any {
	of, _ := object["metadata"].(map[string]any)
	return of
}

// posted is the answer to the first recorded creation of a Machine of a MachineSet, with some change of both.
func posted(server *server, api *api, exchanges []exchange, change func(machine, set map[string]any)) (fault, error) {
	for _, exchange := range ofPolicy(exchanges, clusterPolicy) {
		var body map[string]any
		if err := json.Unmarshal(exchange.Review, &body); err != nil {
			return fault{}, err
		}
		request, _ := body["request"].(map[string]any)
		machine, _ := request["object"].(map[string]any)
		path, set := setOf(api, request, machine)
		if set == nil {
			continue
		}
		// Of Cluster API's own controllers the policy writes nothing.
		request["userInfo"] = map[string]any{"username": "alice"}
		before, _ := api.answer(path)
		change(machine, set)
		inflated, err := json.Marshal(set)
		if err != nil {
			return fault{}, err
		}
		api.replace(path, inflated)
		defer api.replace(path, before)
		time.Sleep(forgotten)
		text, err := json.Marshal(body)
		if err != nil {
			return fault{}, err
		}
		begin := time.Now()
		kind, message := kindOf(server.post(&http.Client{Timeout: patience}, clusterPolicy, text))
		return fault{seen: map[string]int{kind: 1}, longest: time.Since(begin), message: message, after: "—"}, nil
	}
	return fault{}, errors.New("no review creates a Machine of a MachineSet")
}

// setOf is the MachineSet of a Machine that is created, and its path in the API.
func setOf(api *api, request, machine map[string]any) (string, map[string]any) {
	owners, _ := metadata(machine)["ownerReferences"].([]any)
	if machine["kind"] != "Machine" || request["operation"] != "CREATE" || len(owners) == 0 {
		return "", nil
	}
	owner, _ := owners[0].(map[string]any)
	path := fmt.Sprintf("/apis/%s/namespaces/%s/machinesets/%s", owner["apiVersion"], metadata(machine)["namespace"], owner["name"])
	var set map[string]any
	if answer, ok := api.answer(path); !ok || json.Unmarshal(answer, &set) != nil {
		return "", nil
	}
	return path, set
}

// unloadable starts a PolicyServer one of whose policies has a module that is none.
func unloadable(folder, policies, api string) (string, error) {
	broken := filepath.Join(folder, "broken.wasm")
	if err := os.WriteFile(broken, []byte("no module"), 0o600); err != nil {
		return "", err
	}
	path, err := withModules(policies, map[string]string{"kw.cap.broken": broken})
	if err != nil {
		return "", err
	}
	server, err := startServer(folder, path, api)
	var ended *endedError
	if errors.As(err, &ended) {
		return "the PolicyServer does not start: the one before it answers on", nil
	}
	if err == nil {
		server.stop()
		return "the PolicyServer starts, and answers for its other policies", nil
	}
	return "", err
}

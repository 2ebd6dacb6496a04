package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// trouble is what is wrong with the Kubernetes API.
type trouble int32

const (
	// none: it answers at once.
	none trouble = iota
	// refusing: it answers every read with an error.
	refusing
	// hanging: it takes a read and does not answer; in the end the connection breaks.
	hanging
	// slow: it answers after a while.
	slow
)

// usualDelay is how long a slow API takes, unless something else is said.
const usualDelay = 500 * time.Millisecond

// api serves the answers of a Kubernetes API: a file of paths and bodies. What is not there does not exist.
type api struct {
	lock    sync.RWMutex
	answers map[string]json.RawMessage
	trouble trouble
	// delayed is how long it takes while it is slow.
	delayed time.Duration
	// over is closed when the trouble is.
	over    chan struct{}
	address string
}

func serveAPI(path string) (*api, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	serving := &api{over: make(chan struct{})}
	if err := json.Unmarshal(content, &serving.answers); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	serving.address = "http://" + listener.Addr().String()
	go func() { _ = http.Serve(listener, serving) }()
	return serving, nil
}

// suffer begins a trouble, and ends the one before.
func (a *api) suffer(trouble trouble) {
	a.lock.Lock()
	defer a.lock.Unlock()
	close(a.over)
	a.trouble, a.over, a.delayed = trouble, make(chan struct{}), usualDelay
}

// delay makes it slow, so that each read takes this long.
func (a *api) delay(by time.Duration) {
	a.suffer(slow)
	a.lock.Lock()
	defer a.lock.Unlock()
	a.delayed = by
}

func (a *api) answer(path string) (json.RawMessage, bool) {
	a.lock.RLock()
	defer a.lock.RUnlock()
	answer, ok := a.answers[path]
	return answer, ok
}

// replace lets it answer something else for a path.
func (a *api) replace(path string, answer json.RawMessage) {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.answers[path] = answer
}

func (a *api) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	response.Header().Set("Content-Type", "application/json")
	status := func(code int, reason string) {
		response.WriteHeader(code)
		body := map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": reason, "reason": reason, "code": code}
		_ = json.NewEncoder(response).Encode(body)
	}
	a.lock.RLock()
	trouble, over, delayed := a.trouble, a.over, a.delayed
	a.lock.RUnlock()
	switch trouble {
	case refusing:
		status(http.StatusServiceUnavailable, "ServiceUnavailable")
		return
	case hanging:
		<-over
		panic(http.ErrAbortHandler)
	case slow:
		time.Sleep(delayed)
	case none:
	}
	if request.URL.Path == "/version" {
		_, _ = io.WriteString(response, `{"major":"1","minor":"36","gitVersion":"v1.36.0","gitCommit":"","gitTreeState":"",
			"buildDate":"","goVersion":"","compiler":"","platform":""}`)
		return
	}
	if answer, ok := a.answer(request.URL.Path); ok {
		_, _ = response.Write(answer)
		return
	}
	status(http.StatusNotFound, "NotFound")
}

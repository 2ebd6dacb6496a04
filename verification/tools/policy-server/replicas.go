package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// balancer hands requests to PolicyServers in turn, as a Service of Kubernetes does: to those that were ready when they were
// asked last. A request to one that is gone fails; nothing is sent twice.
type balancer struct {
	lock    sync.Mutex
	servers []*server
	ready   []*server
	next    atomic.Int64
	address string
	client  *http.Client
	done    chan struct{}
}

// probed is how often a PolicyServer is asked whether it is ready.
const probed = time.Second

func balance(servers ...*server) (*balancer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &balancer{servers: servers, ready: servers, address: "http://" + listener.Addr().String(), done: make(chan struct{})}
	b.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}, Timeout: time.Minute}
	go func() { _ = http.Serve(listener, b) }()
	go func() {
		for {
			select {
			case <-b.done:
				_ = listener.Close()
				return
			case <-time.After(probed):
				b.probe()
			}
		}
	}()
	return b, nil
}

func (b *balancer) probe() {
	b.lock.Lock()
	servers := b.servers
	b.lock.Unlock()
	var ready []*server
	for _, server := range servers {
		if server.isReady() {
			ready = append(ready, server)
		}
	}
	b.lock.Lock()
	b.ready = ready
	b.lock.Unlock()
}

// use hands requests to other servers from the next probe on.
func (b *balancer) use(servers ...*server) {
	b.lock.Lock()
	b.servers = servers
	b.lock.Unlock()
}

func (b *balancer) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	b.lock.Lock()
	ready := b.ready
	b.lock.Unlock()
	if len(ready) == 0 {
		http.Error(response, "no PolicyServer is ready", http.StatusServiceUnavailable)
		return
	}
	server := ready[int(b.next.Add(1))%len(ready)]
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadGateway)
		return
	}
	answer, err := b.client.Post(server.address+request.URL.Path, "application/json", bytes.NewReader(body))
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	response.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(response, answer.Body)
}

// event is something that happens to one of several PolicyServers, and what those saw that post reviews.
type event struct {
	replicas int
	name     string
	reviews  int
	// refused got an error once or more often, before the answer.
	refused int
	// wrong got another answer than the engine's.
	wrong int
	// longest is the time until the last answer to a review, errors included.
	longest time.Duration
}

// lasting is how long reviews are posted around each event.
const lasting = 15 * time.Second

// replicas posts reviews to several PolicyServers while one of them is killed, started again, and replaced.
func replicas(folder, policies, api string, exchanges []exchange, count int) ([]event, error) {
	var servers []*server
	defer func() {
		for _, server := range servers {
			server.stop()
		}
	}()
	start := func() (*server, error) {
		started, err := startServer(folder, policies, api)
		if err == nil {
			servers = append(servers, started)
		}
		return started, err
	}
	var used []*server
	for range count {
		started, err := start()
		if err != nil {
			return nil, err
		}
		used = append(used, started)
	}
	b, err := balance(used...)
	if err != nil {
		return nil, err
	}
	defer close(b.done)
	steps := []struct {
		name string
		play func() error
	}{
		{"nothing happens", func() error { return nil }},
		{"one is killed", func() error { used[0].stop(); return nil }},
		{"it starts again", func() error {
			started, err := start()
			used[0] = started
			b.use(used...)
			return err
		}},
		{"one is replaced: the new one is ready before the old one is stopped", func() error {
			started, err := start()
			if err != nil {
				return err
			}
			old := used[count-1]
			used[count-1] = started
			b.use(used...)
			// Kubernetes takes a Pod out of the Service first, and stops it then.
			time.Sleep(2 * probed)
			old.stop()
			return nil
		}},
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: posting}, Timeout: time.Minute}
	var events []event
	for _, step := range steps {
		played := make(chan error, 1)
		go func() {
			time.Sleep(lasting / 5)
			played <- step.play()
		}()
		happened := event{replicas: count, name: step.name}
		if err := persist(b.address, client, exchanges, &happened); err != nil {
			return nil, err
		}
		if err := <-played; err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
		happened.print()
		events = append(events, happened)
	}
	return events, nil
}

func (e *event) print() {
	fmt.Printf("%d replicas, %s: %d reviews, %d refused, %d wrong, longest %.1f s\n", e.replicas, e.name, e.reviews, e.refused,
		e.wrong, e.longest.Seconds())
}

// posting is how many connections post reviews.
const posting = 8

// persist posts reviews for a while. Each is posted until it is answered, as a controller tries again.
func persist(address string, client *http.Client, exchanges []exchange, happened *event) error {
	to := &server{address: address}
	var lock sync.Mutex
	var failed error
	var posts sync.WaitGroup
	end := time.Now().Add(lasting)
	next := atomic.Int64{}
	for range posting {
		posts.Go(func() {
			for time.Now().Before(end) {
				exchange := exchanges[int(next.Add(1))%len(exchanges)]
				begin := time.Now()
				var body []byte
				err := fmt.Errorf("not posted")
				tries := 0
				for ; err != nil && time.Since(begin) < time.Minute; tries++ {
					if tries > 0 {
						time.Sleep(100 * time.Millisecond)
					}
					body, err = to.post(client, exchange.Policy, exchange.Review)
				}
				lock.Lock()
				if err != nil {
					failed = fmt.Errorf("no answer in a minute: %w", err)
				}
				happened.reviews++
				happened.longest = max(happened.longest, time.Since(begin))
				if tries > 1 {
					happened.refused++
				}
				if err == nil && differs(exchange, body) != "" {
					happened.wrong++
				}
				lock.Unlock()
			}
		})
	}
	posts.Wait()
	return failed
}

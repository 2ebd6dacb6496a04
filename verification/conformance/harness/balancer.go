package harness

import (
	"fmt"
	"io"
	"net"
	"sync"
)

// Balancer hands connections to ports of the loopback interface in turn, as a Service of Kubernetes does.
type Balancer struct {
	// Port is the one that it listens on.
	Port     int
	listener net.Listener
	lock     sync.Mutex
	ports    []int
	next     int
	// open are the connections of each port.
	open map[int]int
}

// NewBalancer listens until it is closed.
func NewBalancer() (*Balancer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &Balancer{Port: listener.Addr().(*net.TCPAddr).Port, listener: listener, open: map[int]int{}}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go b.serve(connection)
		}
	}()
	return b, nil
}

// Use hands new connections to these ports.
func (b *Balancer) Use(ports ...int) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.ports = ports
}

// Busiest is the port with the most connections: an API server keeps one open for many reviews.
func (b *Balancer) Busiest() int {
	b.lock.Lock()
	defer b.lock.Unlock()
	busiest := 0
	for port, open := range b.open {
		if open > b.open[busiest] {
			busiest = port
		}
	}
	return busiest
}

func (b *Balancer) count(port, connections int) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.open[port] += connections
}

// Close ends it; connections go on.
func (b *Balancer) Close() error { return b.listener.Close() }

func (b *Balancer) serve(client net.Conn) {
	defer client.Close()
	b.lock.Lock()
	if len(b.ports) == 0 {
		b.lock.Unlock()
		return
	}
	b.next++
	port := b.ports[b.next%len(b.ports)]
	b.lock.Unlock()
	// A replica that is gone is a connection that breaks: nothing is tried twice.
	server, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return
	}
	defer server.Close()
	b.count(port, 1)
	defer b.count(port, -1)
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
}

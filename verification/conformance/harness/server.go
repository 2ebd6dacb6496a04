// Package harness runs an API server with released controllers and the compiled policy, as processes of this machine.
//
// It needs no container and no privilege, and leaves nothing running.
package harness

import (
	"os"
	"path/filepath"
)

// Server is one API server, and the programs that were started beside it.
type Server struct {
	Processes
	// Directory holds everything that a run writes.
	Directory string
	Authority *Authority
	// API is an administrator.
	API *Client
	// Flags are further ones of the API server.
	Flags []string
	// program is etcd, the API server and the controller manager.
	program string
}

// NewServer makes the folder of a server anew, with a certificate authority. `controlPlane` is the program of
// `verification/conformance/cluster/controlplane`.
func NewServer(controlPlane, directory string) (*Server, error) {
	if err := os.RemoveAll(directory); err != nil {
		return nil, err
	}
	logs := filepath.Join(directory, "logs")
	if err := os.MkdirAll(logs, 0o700); err != nil {
		return nil, err
	}
	authority, err := NewAuthority(directory)
	return &Server{Processes: Processes{Logs: logs}, Directory: directory, Authority: authority, program: controlPlane}, err
}

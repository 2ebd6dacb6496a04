// Command patches is a composition function that patches as Crossplane 1 did by itself: with the code of Crossplane 1,
// for Compositions that are written for function-patch-and-transform.
//
// It takes the place of function-patch-and-transform, which no package registry has. That function started as a copy of
// the same code.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"

	fnv1 "github.com/crossplane/crossplane/apis/apiextensions/fn/proto/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

func main() {
	address := flag.String("address", "127.0.0.1:9443", "where to listen")
	flag.Parse()
	if err := serve(*address, os.Getenv("TLS_SERVER_CERTS_DIR")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers Crossplane, which shows a certificate as the function does.
func serve(address, certificates string) error {
	own, err := tls.LoadX509KeyPair(filepath.Join(certificates, "tls.crt"), filepath.Join(certificates, "tls.key"))
	if err != nil {
		return err
	}
	authority, err := os.ReadFile(filepath.Join(certificates, "ca.crt"))
	if err != nil {
		return err
	}
	clients := x509.NewCertPool()
	if !clients.AppendCertsFromPEM(authority) {
		return fmt.Errorf("%s: no certificate in ca.crt", certificates)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{own}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12,
	})))
	fnv1.RegisterFunctionRunnerServiceServer(server, &function{})
	return server.Serve(listener)
}

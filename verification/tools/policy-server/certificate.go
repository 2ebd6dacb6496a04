package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// certificate is what a PolicyServer shows to those that connect: two files, which may be written anew.
type certificate struct {
	file, key string
	// trusted has the authority, which signs each of them.
	trusted   *x509.CertPool
	authority *x509.Certificate
	signer    crypto.Signer
	serial    int64
}

func newCertificate(folder string) (*certificate, error) {
	c := &certificate{file: filepath.Join(folder, "tls.crt"), key: filepath.Join(folder, "tls.key"), trusted: x509.NewCertPool()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, signer.Public(), signer)
	if err != nil {
		return nil, err
	}
	if c.authority, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	c.signer = signer
	c.trusted.AddCert(c.authority)
	return c, c.renew()
}

// renew writes another certificate with another key into the same files.
func (c *certificate) renew() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	c.serial++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(c.serial), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: c.authority.NotBefore, NotAfter: c.authority.NotAfter, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, c.authority, key.Public(), c.signer)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		return err
	}
	return os.WriteFile(c.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600)
}

// isShown is whether a server shows the newest certificate to a new connection.
func (c *certificate) isShown(server *server) error {
	connection, err := tls.Dial("tcp", strings.TrimPrefix(server.address, "https://"), &tls.Config{RootCAs: c.trusted})
	if err != nil {
		return err
	}
	defer connection.Close()
	if serial := connection.ConnectionState().PeerCertificates[0].SerialNumber.Int64(); serial != c.serial {
		return fmt.Errorf("the PolicyServer shows certificate %d, and %d is the newest", serial, c.serial)
	}
	return nil
}

// renewed posts reviews to a PolicyServer while its certificate changes.
func renewed(folder, policies, api string, exchanges []exchange) (event, error) {
	happened := event{replicas: 1, name: "its certificate changes"}
	certificate, err := newCertificate(folder)
	if err != nil {
		return happened, err
	}
	server, err := startServer(folder, policies, api, "--cert-file", certificate.file, "--key-file", certificate.key)
	if err != nil {
		return happened, err
	}
	defer server.stop()
	if err := certificate.isShown(server); err != nil {
		return happened, err
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: certificate.trusted}}}
	// Connections that are kept would not see another certificate.
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Second):
				client.CloseIdleConnections()
			}
		}
	}()
	changed := make(chan error, 1)
	go func() {
		time.Sleep(lasting / 5)
		changed <- certificate.renew()
	}()
	if err := persist(server.address, client, exchanges, &happened); err != nil {
		return happened, err
	}
	if err := <-changed; err != nil {
		return happened, err
	}
	happened.print()
	return happened, certificate.isShown(server)
}

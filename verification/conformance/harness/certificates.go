package harness

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority is a throw-away certificate authority. Its files live as long as the run's folder.
type Authority struct {
	directory   string
	certificate *x509.Certificate
	key         crypto.Signer
	serial      int64
	// Bundle is the authority's certificate, PEM.
	Bundle []byte
}

// Pair is a certificate with its key, as files.
type Pair struct{ Certificate, Key string }

// NewAuthority makes an authority, and writes its certificate to a folder.
func NewAuthority(directory string) (*Authority, error) {
	a := &Authority{directory: directory, serial: 1}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(a.serial),
		Subject:               pkix.Name{CommonName: "conformance"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	a.key = key
	a.Bundle = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return a, os.WriteFile(a.File(), a.Bundle, 0o600)
}

// ReadAuthority takes over the authority of a program, whose key is an RSA one, as PEM.
func ReadAuthority(directory string, certificate, key []byte) (*Authority, error) {
	a := &Authority{directory: directory, serial: 1, Bundle: certificate}
	der, _ := pem.Decode(certificate)
	rsa, _ := pem.Decode(key)
	if der == nil || rsa == nil {
		return nil, errors.New("no certificate or no key in PEM")
	}
	var err error
	if a.certificate, err = x509.ParseCertificate(der.Bytes); err != nil {
		return nil, err
	}
	if a.key, err = x509.ParsePKCS1PrivateKey(rsa.Bytes); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, err
	}
	return a, os.WriteFile(a.File(), a.Bundle, 0o600)
}

// File holds the authority's certificate.
func (a *Authority) File() string { return filepath.Join(a.directory, "ca.crt") }

// Copy writes the authority's certificate to another file.
func (a *Authority) Copy(file string) error { return os.WriteFile(file, a.Bundle, 0o600) }

// Serving is a certificate for servers on the loopback interface, in a folder of its own: tls.crt and tls.key.
func (a *Authority) Serving(name string) (Pair, error) {
	return a.issue(name, &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

// Client is a certificate by which a user of these groups logs in.
func (a *Authority) Client(user string, groups ...string) (Pair, error) {
	return a.issue(user, &x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (a *Authority) issue(name string, template *x509.Certificate) (Pair, error) {
	directory := filepath.Join(a.directory, name)
	files := Pair{filepath.Join(directory, "tls.crt"), filepath.Join(directory, "tls.key")}
	a.serial++
	template.SerialNumber = big.NewInt(a.serial)
	template.NotBefore, template.NotAfter = a.certificate.NotBefore, a.certificate.NotAfter
	template.KeyUsage = x509.KeyUsageDigitalSignature
	key, err := WriteKey(files.Key)
	if err != nil {
		return files, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return files, err
	}
	return files, os.WriteFile(files.Certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
}

// WriteKey makes a key and writes it to a file.
func WriteKey(file string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	return key, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

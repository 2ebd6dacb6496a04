// Registry serves an OCI registry with the referrers API on loopback, for scripts/registry-test.sh. Blobs are files of the
// folder that is its first argument. It prints its address and ends with its standard input.
//
// Into the file that is its second argument it writes the certificate of an authority that nobody has: kwctl verifies
// nothing without a trust root that has one, although a signature by a key needs none.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: registry FOLDER CERTIFICATE")
	}
	if err := writeAuthority(os.Args[2]); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	handler := registry.New(
		registry.WithBlobHandler(registry.NewDiskBlobHandler(os.Args[1])),
		registry.WithReferrersSupport(true),
		registry.Logger(log.New(io.Discard, "", 0)),
	)
	server := &http.Server{Handler: withReplacements(os.Args[1], withLocation(handler)), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	fmt.Printf("localhost:%d\n", listener.Addr().(*net.TCPAddr).Port)
	if err := server.Serve(listener); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}

// withLocation says where a blob is that was uploaded. The distribution specification demands it and kwctl refuses an answer
// without it; the package's handler leaves it out.
func withLocation(next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		repository, _, isUpload := strings.Cut(request.URL.Path, "/blobs/uploads/")
		if digest := request.URL.Query().Get("digest"); isUpload && digest != "" {
			response.Header().Set("Location", repository+"/blobs/"+digest)
		}
		next.ServeHTTP(response, request)
	})
}

// withReplacements serves the file FOLDER/replaced/DIGEST in place of the blob of that digest, as a registry would that was
// broken into: the package's own handler does not serve bytes of another digest.
func withReplacements(folder string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		file := filepath.Join(folder, "replaced", path.Base(request.URL.Path))
		content, err := os.ReadFile(file)
		if request.Method != http.MethodGet || err != nil {
			next.ServeHTTP(response, request)
			return
		}
		_, _ = response.Write(content)
	})
}

// writeAuthority writes the certificate of a new authority, whose key is thrown away.
func writeAuthority(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "nobody"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		KeyUsage:              x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), 0o644)
}

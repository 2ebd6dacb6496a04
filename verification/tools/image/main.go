// Command image writes the container image of `propagate` as an OCI layout: one image from nothing for each architecture, and their
// index. The same files and version give the same digest.
//
//	image -version v0.1.0 -certificates /etc/ssl/certs/ca-certificates.crt FOLDER linux/amd64=PROGRAM linux/arm64=PROGRAM
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Where rustls looks for the certificates of public authorities.
const certificates = "etc/ssl/certs/ca-certificates.crt"

func main() {
	version := flag.String("version", "", "version of the programs")
	roots := flag.String("certificates", "/"+certificates, "file with the certificates of public authorities")
	flag.Parse()
	if err := write(*version, *roots, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func write(version, roots string, args []string) error {
	if version == "" || len(args) < 2 {
		return errors.New("usage: image -version VERSION FOLDER PLATFORM=PROGRAM...")
	}
	var index v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arg := range args[1:] {
		name, program, found := strings.Cut(arg, "=")
		if !found {
			return fmt.Errorf("%q is not PLATFORM=PROGRAM", arg)
		}
		platform, err := v1.ParsePlatform(name)
		if err != nil {
			return err
		}
		image, err := one(*platform, version, []file{{program, "propagate", 0o755}, {roots, certificates, 0o644}})
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform}})
	}
	folder, err := layout.Write(args[0], empty.Index)
	if err != nil {
		return err
	}
	// One entry without a name: tools that copy a layout take it for what is meant.
	if err := folder.AppendIndex(index); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Println(digest)
	return nil
}

// one is the image for a platform: one layer, and how the program is started.
func one(platform v1.Platform, version string, files []file) (v1.Image, error) {
	content, err := archive(files)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), layer)
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant = platform.OS, platform.Architecture, platform.Variant
	config.Config = v1.Config{
		Entrypoint: []string{"/propagate"},
		// A user of no host: the program needs no rights.
		User: "65532:65532",
		Labels: map[string]string{
			"org.opencontainers.image.title":    "propagate",
			"org.opencontainers.image.version":  version,
			"org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.source":   "https://github.com/plexsphere/metadata-propagation-policy",
		},
	}
	return mutate.ConfigFile(image, config)
}

// file is a file of the machine, and its path and mode in the image.
type file struct {
	source, path string
	mode         int64
}

// archive has these files and nothing that differs between two builds: no times, no owners.
func archive(files []file) ([]byte, error) {
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for _, file := range files {
		content, err := os.ReadFile(file.source)
		if err != nil {
			return nil, err
		}
		if err := writer.WriteHeader(&tar.Header{Name: file.path, Mode: file.mode, Size: int64(len(content))}); err != nil {
			return nil, err
		}
		if _, err := writer.Write(content); err != nil {
			return nil, err
		}
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}

// Command controlplane is what a Kubernetes control plane consists of, as far as Cluster API's controllers need one:
// etcd, the API server, and the controller manager with the flags it is given.
package main

import (
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

const usage = "usage: controlplane etcd DIRECTORY CLIENT-URL PEER-URL | kube-apiserver FLAGS | kube-controller-manager FLAGS"

func main() {
	if len(os.Args) < 2 {
		fail(usage)
	}
	role, args := os.Args[1], os.Args[2:]
	switch role {
	case "etcd":
		if len(args) != 3 {
			fail(usage)
		}
		fail(etcd(args[0], args[1], args[2]))
	case "kube-apiserver":
		os.Exit(run(apiserver.NewAPIServerCommand(), args))
	case "kube-controller-manager":
		os.Exit(run(controllermanager.NewControllerManagerCommand(), args))
	default:
		fail(usage)
	}
}

func run(command *cobra.Command, args []string) int {
	command.SetArgs(args)
	return cli.Run(command)
}

// etcd returns when the server stopped.
func etcd(directory, client, peer string) error {
	config := embed.NewConfig()
	config.Dir = directory
	config.LogLevel = "warn"
	// Nothing has to survive the machine.
	config.UnsafeNoFsync = true
	clients, err := url.Parse(client)
	if err != nil {
		return err
	}
	peers, err := url.Parse(peer)
	if err != nil {
		return err
	}
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*clients}, []url.URL{*clients}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*peers}, []url.URL{*peers}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	return <-server.Err()
}

func fail(reason any) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(1)
}

//go:build !v1.9

package main

import (
	"context"
	_ "unsafe" // for go:linkname

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/v1beta1"
	_ "sigs.k8s.io/cluster-api/controllers" // linked below
	controlplanev1 "sigs.k8s.io/cluster-api/controlplane/kubeadm/api/v1beta1"
	_ "sigs.k8s.io/cluster-api/controlplane/kubeadm/controllers" // linked below
	expv1 "sigs.k8s.io/cluster-api/exp/api/v1beta1"
	_ "sigs.k8s.io/cluster-api/exp/controllers" // linked below
)

const edition = "v1.6"

type reconciler struct{}

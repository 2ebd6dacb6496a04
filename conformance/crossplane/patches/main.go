package main

import (
	"context"

	fnv1 "github.com/crossplane/crossplane/apis/apiextensions/fn/proto/v1"
	_ "github.com/crossplane/crossplane/pkg/validation/apiextensions/v1/composition"
)

func main() { _ = fnv1.RunFunctionRequest{}; _ = context.Background }

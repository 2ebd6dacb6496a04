package harness

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Listening asks whether somebody listens on a port of the loopback interface.
func Listening(port int) error {
	connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err == nil {
		connection.Close()
	}
	return err
}

// Healthy asks a program for its health.
func Healthy(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return nil
}

// AwaitDefinitions waits until every CustomResourceDefinition is served.
func (s *Server) AwaitDefinitions(ctx context.Context) error {
	resource, err := s.API.Resource("apiextensions.k8s.io/v1", "CustomResourceDefinition", "")
	if err != nil {
		return err
	}
	return s.Await(ctx, "CustomResourceDefinitions", time.Minute, func() error {
		list, err := resource.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, definition := range list.Items {
			if ConditionField(&definition, "Established", "status") != "True" {
				return fmt.Errorf("%s is not established", definition.GetName())
			}
		}
		return nil
	})
}

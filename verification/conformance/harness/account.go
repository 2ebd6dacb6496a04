package harness

import (
	"context"
	"os"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Account is the login of a ServiceAccount, with a token bound to a Pod, as a program in a cluster has it: admission
// sees the user of production.
func (s *Server) Account(ctx context.Context, namespace, name string) (*corev1.Pod, *rest.Config, error) {
	pod, err := s.API.Typed.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name + "-0"},
		Spec: corev1.PodSpec{
			ServiceAccountName: name,
			Containers:         []corev1.Container{{Name: "manager", Image: "manager"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, nil, err
	}
	lifetime := int64((12 * time.Hour).Seconds())
	answer, err := s.API.Typed.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{
			ExpirationSeconds: &lifetime,
			BoundObjectRef: &authenticationv1.BoundObjectReference{
				APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID,
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(s.Directory, namespace+"-"+name+".token")
	if err := os.WriteFile(file, []byte(answer.Status.Token), 0o600); err != nil {
		return nil, nil, err
	}
	return pod, &rest.Config{
		Host: s.API.Config.Host, BearerTokenFile: file,
		TLSClientConfig: rest.TLSClientConfig{CAFile: s.Authority.File()},
	}, nil
}

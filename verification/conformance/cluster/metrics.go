package main

import (
	"bytes"
	"context"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// sample is one value of a counter.
type sample struct {
	name   string
	labels map[string]string
	value  float64
}

// metrics are the counters of the API server.
func (r *run) metrics(ctx context.Context) ([]sample, error) {
	text, err := r.API.Typed.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var all []sample
	for name, family := range families {
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			all = append(all, sample{name, labels, metric.GetCounter().GetValue()})
		}
	}
	return all, nil
}

package vectors

import clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

// metadata is a block as a user may write it into any propagating place.
func (d dice) metadata() clusterv1.ObjectMeta {
	return clusterv1.ObjectMeta{Labels: d.labels(), Annotations: d.annotations()}
}

func (d dice) labels() map[string]string {
	return d.entries([]source{{55, userLabels}, {25, nodeKeys}, {20, controllerLabels}}, labelValues)
}

func (d dice) annotations() map[string]string {
	return d.entries([]source{{77, userAnnotations}, {17, nodeKeys}, {6, controllerAnnotations}}, annotationValues)
}

type source struct {
	percent int
	keys    []string
}

// entries draws up to five keys; one time in six there is no map at all.
func (d dice) entries(sources []source, values []string) map[string]string {
	if d.in(16) {
		return nil
	}
	entries := map[string]string{}
	for range d.between(1, 5) {
		at := d.IntN(100)
		for _, source := range sources {
			if at -= source.percent; at < 0 {
				entries[pick(d, source.keys)] = pick(d, values)
				break
			}
		}
	}
	return entries
}

// without returns the entries but those keys.
func without(entries map[string]string, keys ...string) map[string]string {
	for _, key := range keys {
		delete(entries, key)
	}
	return entries
}

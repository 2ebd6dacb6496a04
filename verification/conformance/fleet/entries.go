package fleet

// Labels are what a user may write into any propagating place.
func (d Dice) Labels() map[string]string {
	return d.entries([]source{{55, userLabels}, {25, nodeKeys}, {20, controllerLabels}}, labelValues)
}

// Annotations are the same.
func (d Dice) Annotations() map[string]string {
	return d.entries([]source{{73, userAnnotations}, {16, nodeKeys}, {5, upgradeHolds}, {6, controllerAnnotations}}, annotationValues)
}

// NodeLabels are labels of a Machine, most of them such as may be meant for its Node.
func (d Dice) NodeLabels() map[string]string {
	return d.entries([]source{{35, userLabels}, {55, nodeKeys}, {10, controllerLabels}}, labelValues)
}

// NodeAnnotations are the same of annotations.
func (d Dice) NodeAnnotations() map[string]string {
	return d.entries([]source{{40, userAnnotations}, {52, nodeKeys}, {8, controllerAnnotations}}, annotationValues)
}

type source struct {
	percent int
	keys    []string
}

// entries draws up to five keys; one time in six there is no map at all.
func (d Dice) entries(sources []source, values []string) map[string]string {
	if d.In(16) {
		return nil
	}
	entries := map[string]string{}
	for range d.Between(1, 5) {
		at := d.IntN(100)
		for _, source := range sources {
			if at -= source.percent; at < 0 {
				entries[Pick(d, source.keys)] = Pick(d, values)
				break
			}
		}
	}
	return entries
}

// Without returns the entries but those keys.
func Without(entries map[string]string, keys ...string) map[string]string {
	for _, key := range keys {
		delete(entries, key)
	}
	return entries
}

package harness

import "path/filepath"

// Absolute makes paths absolute: programs are started in other folders.
func Absolute(paths ...*string) error {
	for _, path := range paths {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	return nil
}

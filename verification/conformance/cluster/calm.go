package main

import (
	"context"
	"fmt"
	"time"

	"conformance/harness"
)

// settledAnyway is how long nothing may change before a fleet counts as settled on a machine that is busy all the time.
const settledAnyway = 10 * time.Second

// settle waits until the fleet has not changed for a while, counted from now: what was just written may not be known to
// everybody yet. The time in which a program waits for a processor does not count.
func (r *run) settle(ctx context.Context) error {
	load := harness.NewLoad()
	begin, changes, calm := time.Now(), r.record.length(), time.Duration(0)
	return r.Await(ctx, "the fleet does not settle", 2*time.Minute, func() error {
		if _, err := r.record.quiet(); err != nil {
			return err
		}
		free := load.Free()
		if now := r.record.length(); now != changes {
			begin, changes, calm = time.Now(), now, 0
		} else {
			calm += free
		}
		if quiet := time.Since(begin); calm < settled && quiet < settledAnyway {
			return fmt.Errorf("an object changed %v ago", quiet)
		}
		return nil
	})
}

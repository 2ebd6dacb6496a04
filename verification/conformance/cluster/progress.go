package main

import (
	"fmt"
	"sync"
	"time"

	"conformance/harness"
)

// progress says how far a command is.
type progress struct {
	mutex sync.Mutex
	begun time.Time
	last  time.Time
	jobs  []*job
	// parallel is how many runs go on at a time, at most.
	parallel int
}

// say prints a line after how many runs are done, how long that took, and how long the rest will take.
func (p *progress) say(format string, args ...any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	done, left := p.left()
	harness.Say("[%d of %d runs, %s, about %s left] %s", done, len(p.jobs), clock(time.Since(p.begun)), clock(left),
		fmt.Sprintf(format, args...))
}

// began notes that a run begins, and ended that it is over.
func (p *progress) began(j *job) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	j.begun = time.Now()
}

func (p *progress) ended(j *job, played *result) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	j.played, p.last = played, time.Now()
	if !j.begun.IsZero() {
		j.took = time.Since(j.begun)
	}
}

// took is how long it took until the last run was over.
func (p *progress) took() time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.last.Sub(p.begun)
}

// left is how many runs are done, and how long the others will take: as long as they took last, on a machine that is as
// fast or as slow as it was for those that are done.
func (p *progress) left() (int, time.Duration) {
	done, took, usual, left, longest, busy := 0, time.Duration(0), time.Duration(0), time.Duration(0), time.Duration(0), time.Duration(0)
	for _, j := range p.jobs {
		remains := j.usual
		switch {
		case j.played != nil:
			done++
			remains = 0
			if j.took > 0 {
				took += j.took
				usual += j.usual
			}
			busy += j.took
		case !j.begun.IsZero():
			remains = max(0, j.usual-time.Since(j.begun))
			busy += time.Since(j.begun)
		}
		left += remains
		longest = max(longest, remains)
	}
	slower := 1.0
	if usual > 0 {
		slower = float64(took) / float64(usual)
	}
	// As many at a time as on average so far; but the longest one does not become shorter by that.
	parallel := max(1, float64(busy)/float64(max(1, time.Since(p.begun))))
	return done, time.Duration(slower * max(float64(left)/parallel, float64(longest)))
}

// clock is a duration in minutes and seconds.
func clock(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

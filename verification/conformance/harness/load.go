package harness

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Load is what the kernel says of the machine's processors, since it was last asked. Where it says nothing, they are free.
type Load struct {
	at             time.Time
	waiting, spare time.Duration
}

// NewLoad begins to watch.
func NewLoad() *Load {
	return &Load{at: time.Now(), waiting: waiting(), spare: spare()}
}

// Free is the time in which no program waited for a processor.
func (l *Load) Free() time.Duration {
	now, total := time.Now(), waiting()
	free := max(0, now.Sub(l.at)-(total-l.waiting))
	l.at, l.waiting = now, total
	return free
}

// Spare is how many processors had nothing to do, on average.
func (l *Load) Spare() float64 {
	now, total := time.Now(), spare()
	idle := float64(total-l.spare) / float64(max(1, now.Sub(l.at)))
	l.at, l.spare = now, total
	return idle
}

var waited = regexp.MustCompile(`^some .*total=(\d+)`)

// waiting is for how long a program has waited for a processor, since the machine was started.
func waiting() time.Duration {
	text, err := os.ReadFile("/proc/pressure/cpu")
	found := waited.FindSubmatch(text)
	if err != nil || found == nil {
		return 0
	}
	total, _ := strconv.ParseInt(string(found[1]), 10, 64)
	return time.Duration(total) * time.Microsecond
}

// spare is the time in which processors had nothing to do: the 4th and 5th number of the first line, in hundredths of a second.
func spare() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 6 {
		return 0
	}
	idle, _ := strconv.ParseInt(fields[4], 10, 64)
	forDisk, _ := strconv.ParseInt(fields[5], 10, 64)
	return time.Duration(idle+forDisk) * 10 * time.Millisecond
}

package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"conformance/harness"
)

// job is one run, which a process of its own runs.
type job struct {
	options
	// under is the folder of all runs.
	under string
	// usual is how long it takes, as far as anybody knows.
	usual   time.Duration
	begun   time.Time
	took    time.Duration
	played  *result
	process *exec.Cmd
}

// outcome is that of a job whose process has ended.
type outcome struct {
	job *job
	err error
}

// playAll runs jobs side by side, each in a network of its own, the longest first, and reports each that is done. Two run
// at least, and more where processors have nothing to do: most of a run waits for controllers. Where the kernel gives
// nobody a network of his own they run one after another: the simulated workload clusters listen on fixed ports.
func (s *stage) playAll(ctx context.Context, jobs []*job, report func() error) (*progress, error) {
	at := 1
	if harness.OwnNetworks() {
		at = s.parallel
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	progress := &progress{begun: time.Now(), jobs: jobs, parallel: at}
	done := make(chan outcome)
	var failed error
	running := 0
	order := slices.Clone(jobs)
	slices.SortStableFunc(order, func(a, b *job) int { return cmp.Compare(b.usual, a.usual) })
	for _, next := range order {
		if s.reuse && next.policy == observe {
			if _, err := os.Stat(next.file()); err == nil {
				played, err := readResult(next.file())
				if err != nil {
					return nil, err
				}
				progress.ended(next, played)
				continue
			}
		}
		for running > 0 && failed == nil {
			over, ended := waitForRoom(done, running, at)
			if !ended {
				// There is room.
				break
			}
			running--
			failed = s.end(over, progress, report)
		}
		if failed != nil {
			break
		}
		// Processes are started here, because they end with the thread that started them.
		if failed = s.begin(ctx, next, at > 1, progress, done); failed != nil {
			break
		}
		running++
	}
	for ; running > 0; running-- {
		if failed != nil {
			cancel()
		}
		if err := s.end(<-done, progress, report); failed == nil {
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	return progress, report()
}

// atLeast is how many runs run at a time on a busy machine.
const atLeast = 2

// spared is how many processors have nothing to do, for a while, when one more run is begun.
const (
	spared    = 0.7
	sparedFor = 5 * time.Second
)

// waitForRoom waits until another run can begin, or one has ended.
func waitForRoom(done <-chan outcome, running, most int) (over outcome, ended bool) {
	for load := harness.NewLoad(); running < most; {
		if running < atLeast {
			return outcome{}, false
		}
		select {
		case over := <-done:
			return over, true
		case <-time.After(sparedFor):
			if load.Spare() >= spared {
				return outcome{}, false
			}
		}
	}
	return <-done, true
}

// end takes the result of a run, and reports what can be compared now.
func (s *stage) end(over outcome, progress *progress, report func() error) error {
	if over.err != nil {
		return fmt.Errorf("%s: %w", over.job.name(), over.err)
	}
	played, err := readResult(over.job.file())
	if err != nil {
		return err
	}
	progress.ended(over.job, played)
	progress.say("%s is done after %s", over.job.name(), clock(over.job.took))
	return report()
}

// begin starts a job's process.
func (s *stage) begin(ctx context.Context, j *job, ownNetwork bool, progress *progress, done chan<- outcome) error {
	if err := os.RemoveAll(j.file()); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{
		"run", "-built", "-directory", s.directory, "-webhook", s.programs.webhook, "-module", s.module,
		"-propagate", s.programs.propagate,
		"-scenario", j.scenario.name, "-policy", j.policy, "-steps", strings.Join(j.steps, ","), "-capi", s.programs.clusterAPI.name,
	}
	j.process = exec.CommandContext(ctx, program, args...)
	j.process.Cancel = func() error { return j.process.Process.Signal(syscall.SIGTERM) }
	j.process.WaitDelay = time.Minute
	j.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if ownNetwork {
		harness.OwnNetwork(j.process)
	}
	lines, err := j.process.StderrPipe()
	if err != nil {
		return err
	}
	progress.began(j)
	if err := j.process.Start(); err != nil {
		return err
	}
	go func() {
		for read := bufio.NewScanner(lines); read.Scan(); {
			progress.say("%s", read.Text())
		}
		// What is no line is not waited for.
		_, _ = io.Copy(io.Discard, lines)
		done <- outcome{j, j.process.Wait()}
	}()
	return nil
}

// job is a run of a scenario.
func (s *stage) job(l *scenario, policy string, steps []string) *job {
	j := &job{
		options: options{scenario: l, policy: policy, module: s.module, steps: steps, clusterAPI: s.programs.clusterAPI}, under: s.directory,
	}
	j.usual = time.Duration(len(l.steps)) * 15 * time.Second
	if len(steps) > 0 {
		j.usual = time.Duration(len(steps)) * 25 * time.Second
	}
	if last, err := readResult(j.file()); err == nil {
		j.usual = time.Duration(last.Seconds) * time.Second
	}
	return j
}

// directory receives what the run writes, and file its result.
func (j *job) directory() string { return filepath.Join(j.under, j.name()) }
func (j *job) file() string      { return j.directory() + ".json" }

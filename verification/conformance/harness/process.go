package harness

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Processes are the programs that one run has started. They end with it.
type Processes struct {
	// Logs is the folder that receives what the programs say.
	Logs    string
	started []*process
}

type process struct {
	name    string
	command *exec.Cmd
	ended   chan error
}

// Start starts a program. It must be called from the thread of main: the kernel ends the programs with that thread.
func (p *Processes) Start(name string, env []string, path string, args ...string) error {
	log, err := os.Create(filepath.Join(p.Logs, name+".log"))
	if err != nil {
		return err
	}
	command := exec.Command(path, args...)
	command.Stdout, command.Stderr = log, log
	command.Env = append(os.Environ(), env...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	started := &process{name: name, command: command, ended: make(chan error, 1)}
	go func() {
		started.ended <- command.Wait()
		log.Close()
	}()
	p.started = append(p.started, started)
	return nil
}

// Finish runs a program to its end.
func (p *Processes) Finish(ctx context.Context, name string, env []string, path string, args ...string) error {
	log, err := os.Create(filepath.Join(p.Logs, name+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.CommandContext(ctx, path, args...)
	command.Stdout, command.Stderr = log, log
	command.Env = append(os.Environ(), env...)
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w; see %s", name, err, log.Name())
	}
	return nil
}

// Alive names the first program that has ended.
func (p *Processes) Alive() error {
	for _, started := range p.started {
		select {
		case err := <-started.ended:
			started.ended <- err
			return fmt.Errorf("%s ended: %v; see %s", started.name, err, filepath.Join(p.Logs, started.name+".log"))
		default:
		}
	}
	return nil
}

// Seconds is how long a program has used processors so far.
func (p *Processes) Seconds(name string) (float64, error) {
	for _, started := range p.started {
		if started.name != name {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", started.command.Process.Pid))
		if err != nil {
			return 0, err
		}
		// The name of the program may have spaces; utime and stime are the 12th and 13th field behind it, in hundredths.
		_, fields, _ := strings.Cut(string(stat), ") ")
		var user, system float64
		if words := strings.Fields(fields); len(words) > 12 {
			user, _ = strconv.ParseFloat(words[11], 64)
			system, _ = strconv.ParseFloat(words[12], 64)
		}
		return (user + system) / 100, nil
	}
	return 0, fmt.Errorf("%s was not started", name)
}

// Kill ends a program at once.
func (p *Processes) Kill(name string) error {
	for number, started := range p.started {
		if started.name == name {
			err := started.command.Process.Kill()
			<-started.ended
			p.started = slices.Delete(p.started, number, number+1)
			return err
		}
	}
	return fmt.Errorf("%s was not started", name)
}

// Stop ends every program, the last one first.
func (p *Processes) Stop() {
	for i := len(p.started) - 1; i >= 0; i-- {
		started := p.started[i]
		_ = started.command.Process.Signal(syscall.SIGTERM)
		select {
		case <-started.ended:
		case <-time.After(3 * time.Second):
			_ = started.command.Process.Kill()
			<-started.ended
		}
	}
	p.started = nil
}

// Await asks again until the answer is yes, a program has ended, or the time is over.
func (p *Processes) Await(ctx context.Context, what string, patience time.Duration, ask func() error) error {
	deadline := time.Now().Add(patience)
	for {
		err := ask()
		if err == nil {
			return nil
		}
		if dead := p.Alive(); dead != nil {
			return fmt.Errorf("%s: %w", what, dead)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: after %v: %w", what, patience, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// FreePorts are ports of the loopback interface that nobody listens on.
func FreePorts(count int) ([]int, error) {
	var ports []int
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		// Closed only when all are found, or the same one would be found again.
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// Differences are how many there are: what was asked for could be done, and the answer is no.
type Differences int

func (d Differences) Error() string { return fmt.Sprintf("%d differences", int(d)) }

// Main runs a command, and ends with 1 where it finds differences, with 2 where it fails.
func Main(command func(context.Context, []string) error) {
	// The programs that are started end with the thread that started them.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command(ctx, os.Args[1:])
	stop()
	if err == nil {
		return
	}
	Say("%v", err)
	var differences Differences
	if errors.As(err, &differences) {
		os.Exit(1)
	}
	os.Exit(2)
}

// enough is how much of a line is of use: an API server repeats whole objects in its errors.
const enough = 2000

// Say tells the person at the terminal.
func Say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if len(line) > enough {
		line = line[:enough/2] + " … " + line[len(line)-enough/2:]
	}
	fmt.Fprintln(os.Stderr, line)
}

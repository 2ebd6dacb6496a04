package harness

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// inOwnNetwork tells a process that it is in a network of its own.
const inOwnNetwork = "CONFORMANCE_OWN_NETWORK"

// OwnNetwork lets a program start in a network of its own, as `unshare -rn` does. The program has to call
// [EnterNetwork].
func OwnNetwork(command *exec.Cmd) {
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
	command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	command.Env = append(os.Environ(), inOwnNetwork+"=1")
}

// OwnNetworks is whether the kernel lets a program have a network of its own.
func OwnNetworks() bool {
	command := exec.Command("true")
	OwnNetwork(command)
	return command.Run() == nil
}

// EnterNetwork starts the loopback interface where the process is in a network of its own.
func EnterNetwork() error {
	if os.Getenv(inOwnNetwork) == "" {
		return nil
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, loopback); err != nil {
		return fmt.Errorf("start lo: %w", err)
	}
	return nil
}

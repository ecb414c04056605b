package activation

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// firstFD is the number of the first descriptor that is handed over.
const firstFD = 3

// maxFDs limits the descriptors that Sockets reads; the service itself has two sockets.
const maxFDs = 64

// Socket is a socket that was handed over.
type Socket struct {
	Name string // from its unit (FileDescriptorName=), or the path that it is bound to
	File *os.File
}

// Sockets returns the sockets that LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES hand to this process; none if they name
// another process.
func Sockets(getenv func(string) string) ([]Socket, error) {
	pid, err := strconv.Atoi(getenv("LISTEN_PID"))
	if err != nil || pid != os.Getpid() {
		return nil, nil
	}
	count, err := strconv.Atoi(getenv("LISTEN_FDS"))
	if err != nil || count < 0 || count > maxFDs {
		return nil, fmt.Errorf("LISTEN_FDS=%q is no number of sockets", getenv("LISTEN_FDS"))
	}
	names := strings.Split(getenv("LISTEN_FDNAMES"), ":")
	var sockets []Socket
	for i := range count {
		fd := firstFD + i
		unix.CloseOnExec(fd)
		address, err := unix.Getsockname(fd)
		if err != nil {
			return nil, fmt.Errorf("descriptor %d of LISTEN_FDS: %w", fd, err)
		}
		name := ""
		if bound, ok := address.(*unix.SockaddrUnix); ok {
			name = bound.Name
		}
		if i < len(names) && names[i] != "" && names[i] != "unknown" {
			name = names[i]
		}
		sockets = append(sockets, Socket{name, os.NewFile(uintptr(fd), name)})
	}
	return sockets, nil
}

// Tell sends a state such as READY=1 to the service manager. Without NOTIFY_SOCKET it does nothing.
func Tell(getenv func(string) string, word string) error {
	name := getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	socket, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer socket.Close()
	_, err = socket.Write([]byte(word))
	return err
}

package client

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/descriptor"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/trust"
	"vkloader/internal/machines"
)

// The limits of the library.
const (
	patience = time.Second
	maxIndex = 1 << 20
)

// Ask asks the service that a program with these variables finds. Like the library, it ignores a service of another
// user, and asks none in an elevated process or without /proc (PRO-008).
func Ask(variable func(name string, secure bool) facts.Var) facts.Service {
	if trust.Differs() {
		return facts.Service{State: facts.ServiceNone}
	}
	read := func(v variables.ID) string { return variable(v.Name(), v.Secure()).Value }
	if told := read(variables.ServiceDirectory); told != "" {
		return askIn(told)
	}
	said := askIn("/run/vkloaderd")
	if said.State != facts.ServiceNone && said.State != facts.ServiceForeign {
		return said
	}
	if own := read(variables.RuntimeDirectory); own != "" {
		if instead := askIn(own + "/vkloaderd"); instead.State != facts.ServiceNone {
			return instead
		}
	}
	return said
}

func askIn(directory string) facts.Service {
	s := facts.Service{Place: directory + "/loader.sock", State: facts.ServiceNone}
	if !filepath.IsAbs(directory) {
		return s
	}
	// The checked path is also the one to connect to, so that a changed link cannot separate the two.
	real, err := filepath.EvalSymlinks(s.Place)
	var socket *net.UnixConn
	if err == nil {
		socket, err = net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: real, Net: "unixpacket"})
	}
	switch {
	case errors.Is(err, unix.EAGAIN):
		s.State = facts.ServiceLate
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		s.State = facts.ServiceForbidden
	case errors.Is(err, unix.EPROTOTYPE):
		s.State = facts.ServiceBreach
	}
	if err != nil {
		return s
	}
	defer socket.Close()
	if s.State = judge(real); s.State != facts.ServiceAnswered {
		return s
	}
	if err := socket.SetReadDeadline(time.Now().Add(patience)); err != nil {
		s.State = facts.ServiceEnded
		return s
	}
	s.State = exchange(protocol.On(socket), &s)
	return s
}

// judge reports whether a service counts, by the path of its socket, and whether its files can be opened.
func judge(path string) facts.ServiceState {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		return facts.ServiceNoProc
	}
	if machine.Fixed(path) != nil {
		return facts.ServiceForeign
	}
	return facts.ServiceAnswered
}

// exchange asks on a connection.
func exchange(conn *protocol.Conn, s *facts.Service) facts.ServiceState {
	id := uint64(1)
	own, _ := machines.Own()
	request, err := json.Marshal(protocol.Request{ID: &id, Method: protocol.MachineDrivers, Machine: &own.Name})
	if err == nil {
		err = conn.Send(request, patience)
	}
	if err != nil {
		return facts.ServiceEnded
	}
	answer, files, err := conn.Receive()
	defer protocol.Discard(files)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return facts.ServiceLate
	case err != nil:
		return facts.ServiceEnded
	case len(files) > 1:
		return facts.ServiceBreach
	case len(files) == 1:
		text, ok := readSealed(files[0])
		if !ok {
			return facts.ServiceBreach
		}
		s.Index = text
	}
	s.Answer = string(answer)
	return facts.ServiceAnswered
}

// readSealed reads a memory file whose seals forbid every change, and returns false for any other file.
func readSealed(f *os.File) (text string, ok bool) {
	const wanted = unix.F_SEAL_SHRINK | unix.F_SEAL_WRITE
	seals := 0
	err := descriptor.Use(f, func(fd int) (err error) {
		seals, err = unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
		return err
	})
	info, wrong := f.Stat()
	if errors.Join(err, wrong) != nil || seals&wanted != wanted || info.Size() > maxIndex {
		return "", false
	}
	data := make([]byte, info.Size())
	if _, err := f.ReadAt(data, 0); err != nil {
		return "", false
	}
	return string(data), true
}

package devices

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"

	"vkloader/internal/containers/state"
	"vkloader/internal/containers/table"
)

// Script is a source for tests: each connection to its socket is a device (PRO-029). Its lines are commands: "add NAME"
// adds the device, "icds [...]" lists its drivers, "emulated" marks it as an emulator's, "fail-query" makes its query
// fail, and "close", like the end of the connection, removes it. The reply to each line is "ok".
type Script struct{ listener *net.UnixListener }

// Player receives the events of a script's devices.
type Player interface {
	Play(node string) (answer func(state.Kind, table.DeviceEntry, error))
	Remove(node string)
}

// NewScript listens on a socket at a path.
func NewScript(path string) (*Script, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	return &Script{listener: l}, nil
}

// Run serves until the context ends.
func (s *Script) Run(ctx context.Context, player Player) {
	stop := context.AfterFunc(ctx, func() { s.listener.Close() })
	defer stop()
	for {
		c, err := s.listener.AcceptUnix()
		if err != nil {
			return
		}
		go play(ctx, c, player)
	}
}

func play(ctx context.Context, c net.Conn, player Player) {
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	defer c.Close()
	node, kind := "", state.Hardware
	var answer func(state.Kind, table.DeviceEntry, error)
	defer func() {
		if node != "" {
			player.Remove(node)
		}
	}()
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "add":
			node = rest
			answer = player.Play(node)
		case "emulated":
			kind = state.Emulated
		case "icds":
			var list []json.RawMessage
			err := json.Unmarshal([]byte(rest), &list)
			if answer != nil {
				answer(kind, table.Entries(list, ""), err)
			}
		case "fail-query":
			if answer != nil {
				answer(kind, table.DeviceEntry{}, io.ErrUnexpectedEOF)
			}
		case "close":
			return
		}
		fmt.Fprintln(c, "ok")
	}
}

// Package display asks an X server for its extensions.
package display

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// longest bounds the time for an answer: an X server answers in a millisecond, a forwarded one in the time of the
// network.
const longest = 2 * time.Second

// Offers reports whether the X server of a display, a value of DISPLAY, offers an extension. authority is the content
// of the Xauthority file. An error says that the server could not be asked.
func Offers(ctx context.Context, display string, authority []byte, extension string) (bool, error) {
	host, number, _ := strings.Cut(display, ":")
	number, _, _ = strings.Cut(number, ".")
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil || n > 65535-6000 || strings.Contains(host, "/") {
		return false, fmt.Errorf("unknown form of DISPLAY: %q", display)
	}
	network, address := "tcp", net.JoinHostPort(host, strconv.Itoa(6000+int(n)))
	if host == "" || host == "unix" {
		network, address = "unix", "/tmp/.X11-unix/X"+number
	}
	ctx, end := context.WithTimeout(ctx, longest)
	defer end()
	server, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil && network == "unix" { // a container may share the network alone, with the socket that has no file
		server, err = new(net.Dialer).DialContext(ctx, network, "@"+address)
	}
	if err != nil {
		return false, err
	}
	defer server.Close()
	until, _ := ctx.Deadline()
	_ = server.SetDeadline(until) // a connection that is closed fails at the next line
	return ask(server, cookie(authority, number), extension)
}

// ask sets a connection up and asks for an extension: QueryExtension of the X protocol, version 11.
func ask(server io.ReadWriter, cookie []byte, extension string) (bool, error) {
	name := "MIT-MAGIC-COOKIE-1"
	if cookie == nil {
		name = ""
	}
	request := []byte{'l', 0, 11, 0, 0, 0, byte(len(name)), 0, byte(len(cookie)), 0, 0, 0}
	request = append(append(request, pad(name)...), pad(string(cookie))...)
	var answer [32]byte
	if _, err := server.Write(request); err != nil {
		return false, err
	}
	if _, err := io.ReadFull(server, answer[:8]); err != nil {
		return false, err
	}
	if answer[0] != 1 {
		return false, errors.New("the X server refuses the connection")
	}
	if _, err := io.CopyN(io.Discard, server, 4*int64(binary.LittleEndian.Uint16(answer[6:]))); err != nil {
		return false, err
	}
	const queryExtension, reply = 98, 1
	request = append([]byte{queryExtension, 0, byte(2 + len(pad(extension))/4), 0, byte(len(extension)), 0, 0, 0},
		pad(extension)...)
	if _, err := server.Write(request); err != nil {
		return false, err
	}
	if _, err := io.ReadFull(server, answer[:]); err != nil {
		return false, err
	}
	if answer[0] != reply {
		return false, errors.New("the X server does not answer")
	}
	return answer[8] == 1, nil
}

// pad returns a text with zeros up to a multiple of four bytes.
func pad(text string) []byte { return append([]byte(text), make([]byte, (4-len(text)%4)%4)...) }

// cookie returns the first cookie of an Xauthority file for a display's number; nil: it has none.
func cookie(authority []byte, number string) []byte {
	for rest := authority; len(rest) > 2; {
		rest = rest[2:] // the family of the address
		var fields [4][]byte
		for i := range fields {
			if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
				return nil
			}
			end := 2 + int(binary.BigEndian.Uint16(rest))
			fields[i], rest = rest[2:end], rest[end:]
		}
		_, of, name, data := fields[0], fields[1], fields[2], fields[3]
		if (len(of) == 0 || string(of) == number) && bytes.Equal(name, []byte("MIT-MAGIC-COOKIE-1")) &&
			len(data) <= 64 {
			return data
		}
	}
	return nil
}

package client

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/offer"
	"vkloader/internal/containers/sealed"
	"vkloader/test/lib/world"
)

// service is a scripted service. The test says how it answers a request.
type service struct {
	t         *testing.T
	directory string
	index     offer.Document
	paths     []string // of the files

	mu     sync.Mutex
	asked  []string // methods
	frames []string // the datagrams
	closed bool
	open   []*net.UnixConn

	stop    func()                // ends the service; may be called again
	onIndex func(c *net.UnixConn) // sends another answer than the index
	onFile  func(c *net.UnixConn, id uint64, number int)
	devices string // the directory of devices; empty: there are none
}

// serve starts a scripted service for a world's programs.
func serve(t *testing.T, w *world.World) *service {
	t.Helper()
	directory, err := os.MkdirTemp("", "vkc") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, directory: directory,
		index: offer.Document{Format: 1, Machine: "x86_64", Drivers: []offer.Driver{}, Files: []offer.File{}}}
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: s.socket(), Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	w.Env["VKLOADERD_DIR"] = directory
	s.stop = func() {
		l.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.closed = true
		for _, c := range s.open {
			c.Close()
		}
	}
	t.Cleanup(func() {
		s.stop()
		os.RemoveAll(directory)
	})
	go func() {
		for {
			c, err := l.AcceptUnix()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.open = append(s.open, c)
			if s.closed {
				c.Close()
			}
			s.mu.Unlock()
			go s.answer(c)
		}
	}()
	return s
}

func (s *service) socket() string { return filepath.Join(s.directory, "loader.sock") }

// methods returns the requested methods.
func (s *service) methods() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// offers adds a driver with its files, the library last.
func (s *service) offers(name, manifest string, paths ...string) *service {
	s.t.Helper()
	d := offer.Driver{Name: name, Manifest: manifest}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			s.t.Fatal(err)
		}
		d.Library = len(s.index.Files)
		d.Files = append(d.Files, d.Library)
		s.index.Files = append(s.index.Files, offer.File{Name: filepath.Base(path), Soname: soname(path), Size: info.Size()})
		s.paths = append(s.paths, path)
	}
	s.index.Drivers = append(s.index.Drivers, d)
	return s
}

// changes replaces the offer.
func (s *service) changes(index offer.Document, paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index, s.paths = index, paths
}

func soname(path string) string {
	if base := filepath.Base(path); strings.HasPrefix(base, "libneeded") {
		return "libvkc-needed.so.1"
	}
	return ""
}

// fake offers a fake driver of a world.
func (s *service) fake(w *world.World, name string, lines ...string) *world.Fake {
	s.t.Helper()
	f := w.DirectDriver(name, append([]string{"device name=" + name + " type=discrete"}, lines...)...)
	s.offers(name+".json", world.DriverManifest("wherever/"+name+".so", "1.3.0"), f.Library)
	return f
}

// answer answers one connection.
func (s *service) answer(c *net.UnixConn) {
	defer c.Close()
	frame := make([]byte, 4096)
	for {
		n, err := c.Read(frame)
		if err != nil || n == 0 {
			return
		}
		var request struct {
			ID     uint64
			Method string
			File   int
			Path   string
		}
		if err := json.Unmarshal(frame[:n], &request); err != nil {
			s.t.Errorf("a request that is none: %q", frame[:n])
			return
		}
		s.mu.Lock()
		s.asked, s.frames = append(s.asked, request.Method), append(s.frames, string(frame[:n]))
		paths := s.paths
		s.mu.Unlock()
		switch {
		case request.Method == "machine_drivers" && s.onIndex != nil:
			s.onIndex(c)
		case request.Method == "machine_drivers":
			s.sendIndex(c)
		case request.Method == "connect_device_fs" || request.Method == "open_device":
			s.sendDevice(c, request.ID, request.Path)
		case s.onFile != nil:
			s.onFile(c, request.ID, request.File)
		case request.File < len(paths):
			f, err := os.Open(paths[request.File])
			if err != nil {
				return
			}
			send(c, fmt.Sprintf(`{"id":%d,"ok":{"size":1},"fds":["file"]}`, request.ID), f)
		}
	}
}

// sendDevice answers with the directory of devices, or with the file at a path.
func (s *service) sendDevice(c *net.UnixConn, id uint64, path string) {
	f, err := os.Open(filepath.Join(s.devices, path))
	if s.devices == "" || err != nil {
		send(c, fmt.Sprintf(`{"id":%d,"error":{"code":4,"name":"NOT_FOUND"}}`, id))
		return
	}
	send(c, fmt.Sprintf(`{"id":%d,"ok":{},"fds":["device"]}`, id), f)
}

func (s *service) sendIndex(c *net.UnixConn) {
	s.mu.Lock()
	text, err := json.Marshal(s.index)
	s.mu.Unlock()
	if err != nil {
		s.t.Error(err)
	}
	sendText(c, string(text))
}

// sendText answers with a document as the index.
func sendText(c *net.UnixConn, text string) {
	if f, err := sealed.Data("index", []byte(text)); err == nil {
		send(c, fmt.Sprintf(`{"id":1,"ok":{"index":{"size":%d}},"fds":["index"]}`, len(text)), f)
	}
}

// send sends a datagram with descriptors, which it closes.
func send(c *net.UnixConn, text string, files ...*os.File) {
	var fds []int
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	_, _, _ = c.WriteMsgUnix([]byte(text), unix.UnixRights(fds...), nil)
	for _, f := range files {
		f.Close()
	}
}

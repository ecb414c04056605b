package server

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/internal/containers/component"
)

// staged is a service for scripted devices, with a directory of packages.
type staged struct {
	t         *testing.T
	directory string
	packages  string
	socket    string
}

// stage starts a service of scripted devices.
func stage(t *testing.T, change ...func(*Options)) *staged {
	t.Helper()
	s := &staged{t: t, packages: t.TempDir(), socket: filepath.Join(t.TempDir(), "test.sock")}
	s.directory = service(t, nil, append([]func(*Options){func(o *Options) {
		o.TestSource = s.socket
		o.Resolver = &component.Resolver{Roots: []string{s.packages}, Step: time.Minute, Log: o.Log}
	}}, change...)...)
	return s
}

// pack creates the package pkg://test/NAME, whose library lib.so has this content, and returns its URL. Without content there is no
// library.
func (s *staged) pack(name, content string) string {
	s.t.Helper()
	directory := filepath.Join(s.packages, "test", name)
	for file, text := range map[string]string{
		"meta/metadata/metadata.json": `{"version":1,"file_path":"lib.so","manifest_path":"icd.json"}`,
		"icd.json":                    `{"file_format_version":"1.0.0","ICD":{"library_path":"lib` + name + `.so","api_version":"1.3.0"}}`,
		"lib.so":                      content,
	} {
		if text == "" {
			continue
		}
		path := filepath.Join(directory, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	return "pkg://test/" + name
}

// device is a scripted device.
type device struct {
	t     *testing.T
	conn  net.Conn
	lines *bufio.Scanner
}

func (s *staged) device(node string) *device {
	s.t.Helper()
	conn, err := net.Dial("unix", s.socket)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	d := &device{s.t, conn, bufio.NewScanner(conn)}
	d.say("add " + node)
	return d
}

// say sends a line and waits for the service's answer.
func (d *device) say(line string) {
	d.t.Helper()
	fmt.Fprintln(d.conn, line)
	if !d.lines.Scan() {
		d.t.Fatalf("%s: no answer: %v", line, d.lines.Err())
	}
}

// lists sends the list of the device's drivers.
func (d *device) lists(urls ...string) {
	d.t.Helper()
	var entries []string
	for _, url := range urls {
		entries = append(entries, fmt.Sprintf(`{"component_url":%q,"flags":1}`, url))
	}
	d.say("icds [" + strings.Join(entries, ",") + "]")
}

// close removes the device, and waits until the service has noticed.
func (d *device) close() {
	fmt.Fprintln(d.conn, "close")
	for d.lines.Scan() {
	}
}

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/containers/border"
	"vkloader/internal/containers/offer"
	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/state"
	"vkloader/internal/decide/machine"
	"vkloader/test/lib/binary"
)

// borderWord is the argument with which this test program is a service's border helper.
const borderWord = "service-border"

// testBorder opens files for clients as the tool's border does, also without privileges.
var testBorder = border.Border{Helper: []string{"/proc/self/exe", borderWord}}

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == borderWord {
		os.Exit(border.Help())
	}
	os.Exit(m.Run())
}

// service starts a service on a machine with these files (words for an ELF file, or "text ..."), and returns its directory.
func service(t *testing.T, files map[string]string, change ...func(*Options)) string {
	t.Helper()
	root, directory := t.TempDir(), t.TempDir()
	for name, words := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		data, isText := strings.CutPrefix(words, "text ")
		if !isText {
			library, err := binary.Parse(strings.Fields(words))
			if err != nil {
				t.Fatal(err)
			}
			data = string(library.Bytes())
		}
		if err := os.WriteFile(path, []byte(data), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	options := Options{Log: slog.New(slog.NewTextHandler(testLog{t}, nil)), Directory: directory, OpenDevice: true, Border: testBorder,
		Source: &machine.Source{Machine: machine.Machine{Root: root}}, State: state.Options{AllowHardware: true, AllowEmulated: true}}
	for _, f := range change {
		f(&options)
	}
	ready := make(chan struct{})
	options.Sockets.Ready = func() { close(ready) }
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, options) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	return directory
}

type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

func dial(t *testing.T, directory string) *protocol.Client {
	t.Helper()
	return dialTo(t, directory, Socket)
}

func dialTo(t *testing.T, directory, socket string) *protocol.Client {
	t.Helper()
	if socket == TrustedSocket {
		directory = PrivateDirectory(directory)
	}
	c, err := protocol.Dial(filepath.Join(directory, socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ask sends a request, fails the test on any error, and returns the content of the first descriptor.
func ask(t *testing.T, c *protocol.Client, r protocol.Request, ok any) string {
	t.Helper()
	files, err := c.Ask(r, ok)
	if err != nil {
		t.Fatalf("%s: %v", r.Method, err)
	}
	defer protocol.Discard(files)
	if len(files) == 0 {
		return ""
	}
	data, err := io.ReadAll(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func pointer[T any](value T) *T { return &value }

// twoDrivers returns the files of a machine with a driver that needs two libraries, and one that cannot be offered.
func twoDrivers() map[string]string {
	return map[string]string{
		"usr/share/vulkan/icd.d/a.json": `text {"file_format_version":"1.0.0","ICD":{"library_path":"liba.so","api_version":"1.3.0"}}`,
		"usr/share/vulkan/icd.d/b.json": `text {"file_format_version":"1.0.0","ICD":{"library_path":"libb.so","api_version":"1.3.0"}}`,
		"usr/lib/liba.so":               "soname=liba.so needed=libx.so.1,libc.so.6,libm.so.6 imports=f@GLIBC_2.36@libc.so.6 exports=vk_icdGetInstanceProcAddr",
		"usr/lib/libx.so.1":             "soname=libx.so.1 needed=liby.so.2,libc.so.6",
		"usr/lib/liby.so.2":             "soname=liby.so.2",
		"usr/lib/libc.so.6":             "soname=libc.so.6 defines=GLIBC_2.36",
		"usr/lib/libm.so.6":             "soname=libm.so.6 needed=libc.so.6",
		"usr/lib/libb.so":               "soname=libb.so needed=libgone.so.1 exports=vk_icdGetInstanceProcAddr",
	}
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	directory := service(t, nil)
	for _, socket := range []string{Socket, TrustedSocket} {
		var got struct{ Features uint64 }
		ask(t, dialTo(t, directory, socket), protocol.Request{Method: protocol.Features}, &got)
		if got.Features != 7|1<<16|1<<17|1<<18 {
			t.Errorf("%s: %#x", socket, got.Features)
		}
	}
}

// The service answers several requests for files in their order.
//
// holds: PRO-005
func TestFilesInOrder(t *testing.T) {
	t.Parallel()
	conn := protocol.On(raw(t, service(t, twoDrivers())))
	say := func(text string) {
		if err := conn.Send([]byte(text), 0); err != nil {
			t.Fatal(err)
		}
	}
	hear := func(id uint64) {
		frame, files, err := conn.Receive()
		if err != nil {
			t.Fatal(err)
		}
		protocol.Discard(files)
		var r protocol.Reply
		if err := json.Unmarshal(frame, &r); err != nil || r.ID != id || len(files) != 1 {
			t.Fatalf("%s, want the answer to %d", frame, id)
		}
	}
	say(`{"id":0,"method":"machine_drivers","machine":"x86_64"}`)
	hear(0)
	for id := uint64(1); id <= 100; id++ {
		say(fmt.Sprintf(`{"id":%d,"method":"open_file","file":%d}`, id, id%3))
	}
	for id := uint64(1); id <= 100; id++ {
		hear(id)
	}
}

// The offer has the machine's selected drivers, with their dependencies in the order of opening, but not the C library.
func TestMachineDrivers(t *testing.T) {
	t.Parallel()
	files := twoDrivers()
	c := dial(t, service(t, files))
	if _, err := c.Ask(protocol.Request{Method: protocol.OpenFile, File: pointer(0)}, nil); err == nil {
		t.Error("a file without an index")
	}
	var ok struct{ Index struct{ Size int } }
	text := ask(t, c, protocol.Request{Method: protocol.MachineDrivers, Machine: pointer("x86_64")}, &ok)
	var d offer.Document
	if err := json.Unmarshal([]byte(text), &d); err != nil || ok.Index.Size != len(text) {
		t.Fatalf("%v, %d bytes: %s", err, ok.Index.Size, text)
	}
	if len(d.Drivers) != 1 || d.Drivers[0].Name != "a.json" || "text "+d.Drivers[0].Manifest != files["usr/share/vulkan/icd.d/a.json"] {
		t.Fatal(text)
	}
	var names []string
	for _, at := range d.Drivers[0].Files {
		names = append(names, d.Files[at].Name)
	}
	if got := strings.Join(names, " "); got != "liby.so.2 libx.so.1 liba.so" || d.Files[d.Drivers[0].Library].Name != "liba.so" {
		t.Errorf("files: %s", got)
	}
	driver := d.Files[d.Drivers[0].Library]
	if strings.Join(driver.Needs, " ") != "libx.so.1 libc.so.6 libm.so.6" || len(driver.Requires) != 1 ||
		driver.Requires[0] != (offer.SymbolVersion{Library: "libc.so.6", Version: "GLIBC_2.36"}) {
		t.Errorf("%+v", driver)
	}
	for i, f := range d.Files {
		var opened struct {
			Size    int64
			Backing string
		}
		data := ask(t, c, protocol.Request{Method: protocol.OpenFile, File: pointer(i)}, &opened)
		if opened.Size != int64(len(data)) || f.Size != opened.Size || opened.Backing != "file" || !strings.HasPrefix(data, "\x7fELF") {
			t.Errorf("%s: %+v, %d bytes", f.Name, opened, len(data))
		}
	}
	for _, wrong := range []int{-1, len(d.Files)} {
		if _, err := c.Ask(protocol.Request{Method: protocol.OpenFile, File: &wrong}, nil); err == nil {
			t.Errorf("file %d", wrong)
		}
	}
	if _, err := c.Ask(protocol.Request{Method: protocol.MachineDrivers, Machine: pointer("vax")}, nil); err == nil {
		t.Error("drivers for another machine")
	}
}

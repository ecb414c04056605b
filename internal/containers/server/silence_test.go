package server

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
)

// kept collects a log for a test.
type kept struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (k *kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.Write(p)
}

func (k *kept) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.String()
}

// The log has a driver's problems. A client gets only the answer that there is no driver, or the number and name of an error.
//
// holds: FLS-109
func TestErrorsAreForTheLog(t *testing.T) {
	t.Parallel()
	log := &kept{}
	s := stage(t, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(log, nil))
		o.Resolver.Log = o.Log
	})
	s.device("renderD128").lists(s.pack("bad", ""))
	until(t, dial(t, s.directory), "nothing pending", func(root map[string]any) bool { return len(root["pending"].([]any)) == 0 })
	c := protocol.On(raw(t, s.directory))
	for request, want := range map[string]string{
		`{"id":1,"method":"get","name":"0-libbad.so"}`:                         `{"id":1,"ok":{"lib":null}}`,
		`{"id":1,"method":"open_device","path":"class/drm/renderD128"}`:        `{"id":1,"error":{"code":4,"name":"NOT_FOUND"}}`,
		`{"id":1,"method":"machine_drivers","machine":"a machine of no kind"}`: `{"id":1,"error":{"code":2,"name":"INVALID_ARGUMENTS"}}`,
	} {
		if err := c.Send([]byte(request), 0); err != nil {
			t.Fatal(err)
		}
		got, files, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		protocol.Discard(files)
		var one, other any
		if json.Unmarshal(got, &one) != nil || json.Unmarshal([]byte(want), &other) != nil || !equal(one, other) {
			t.Errorf("%s: %s, want %s", request, got, want)
		}
	}
	for _, part := range []string{"lib.so", "pkg://test/bad", "a device cannot be opened"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log has no %q: %s", part, log)
		}
	}
}

func equal(a, b any) bool {
	one, _ := json.Marshal(a)
	other, _ := json.Marshal(b)
	return bytes.Equal(one, other)
}

// If no new descriptor of a library can be made, the client gets the answer for a missing library, until one can be made again.
//
// The test is not parallel: its limit on open files is for the whole process.
//
// holds: FLS-025
func TestNoMoreDescriptors(t *testing.T) {
	s := stage(t)
	s.device("renderD128").lists(s.pack("fake", "x"))
	c := dial(t, s.directory)
	if ok, _ := get(t, c, "0-libfake.so"); ok.Lib == nil {
		t.Fatalf("%+v", ok)
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	ok, _ := get(t, c, "0-libfake.so")
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if ok.Lib != nil {
		t.Errorf("%+v", ok)
	}
	if ok, _ := get(t, c, "0-libfake.so"); ok.Lib == nil {
		t.Errorf("%+v", ok)
	}
}

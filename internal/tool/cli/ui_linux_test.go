package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/tool/ui"
)

// A hook at the only place that starts processes sees none while every page and part is read, and sees the child of a
// button. The test is not parallel, because the hook affects the whole process.
func TestPagesStartNoProcess(t *testing.T) {
	var started []string
	defer spawn.Judge(func(program string, args []string) error {
		if err := ui.OnlyAsked(program, args); err != nil { // the page's own rule
			return err
		}
		started = append(started, strings.Join(args, " "))
		return os.ErrPermission
	})()
	s := &invocation{out: io.Discard, errOut: io.Discard, environ: []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}, self: "/proc/self/exe",
		executable: filepath.Join("../../../build/vkloader"), in: strings.NewReader(""), still: true}
	page := ui.NewServer(&commandLines{s, machine.Machine{Environ: s.environ}}, ui.Options{Messages: io.Discard})
	server := httptest.NewServer(page.Handler())
	defer server.Close()
	secret := ""
	ask := func(method, path string) (status int, text string) {
		r, err := http.NewRequest(method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Vkloader-Secret", secret)
		r.Header.Set("Vkloader-Token", page.Token())
		r.Header.Set("Origin", server.URL)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		all, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(all)
	}
	status, text := ask(http.MethodPost, "/session")
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	secret = text
	for _, path := range []string{"/", "/page/", "/page/overview?notes", "/page/programs", "/page/program", "/page/program/bin/sh?env=A=1", "/page/layers", "/page/files", "/page/report",
		"/part/picture", "/part/picture/bin/sh?elevated=1", "/part/export", "/part/item?item=x"} {
		if status, text := ask(http.MethodGet, path); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if started != nil {
		t.Errorf("processes were started: %q", started)
	}
	for _, path := range []string{"/start/overview", "/start/picture", "/start/try", "/start/report", "/change/fix"} {
		started = nil
		if ask(http.MethodPost, path); path != "/change/fix" && (len(started) != 1 || !strings.Contains(started[0], ui.ChildOption)) {
			t.Errorf("%s starts %q", path, started)
		}
	}
}

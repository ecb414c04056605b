package ui

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vkloader/test/lib/machine"
)

// evil makes a library that writes a line to a file when it is loaded, with the manifests of a driver and a layer.
func (s *site) evil() (library, manifest, mark string) {
	s.t.Helper()
	machine.Need(s.t, "gcc")
	mark = s.path("tmp/mark") // the site's user writes it
	s.write("evil/evil.c", `#include <stdio.h>
__attribute__((constructor)) static void run(void) { FILE *f = fopen("`+mark+`", "a"); if (f) { fputs("loaded\n", f); fclose(f); } }
`)
	library = s.path("evil/libevil.so")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", library, s.path("evil/evil.c")).CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	s.write("evil/evil.json", manifestOf("ICD", map[string]any{"library_path": library, "api_version": "1.3.0"}))
	return library, s.path("evil/evil.json"), mark
}

// trace makes the page's server run under strace.
func (s *site) trace() (started func() []string) {
	s.t.Helper()
	machine.Need(s.t, "strace")
	file := s.path("tmp/trace")
	s.tracer = []string{"strace", "-f", "--seccomp-bpf", "-qq", "-o", file, "-e", "trace=execve,execveat,fork,vfork,clone,clone3"}
	return func() (list []string) {
		for line := range strings.Lines(s.read("tmp/trace")) {
			if !strings.Contains(line, "CLONE_THREAD") && !strings.Contains(line, "resumed>") && !strings.Contains(line, "ENOENT") &&
				strings.Contains(line, "(") && !strings.Contains(line, "+++") && !strings.Contains(line, "---") {
				list = append(list, strings.TrimSpace(line))
			}
		}
		return list
	}
}

// attacker is a page of another origin that records the headers of its requests.
type attacker struct {
	*httptest.Server
	lock sync.Mutex
	seen []http.Header
}

// attack serves a page at an address, with a script.
func attack(t *testing.T, address, script string) *attacker {
	t.Helper()
	a := &attacker{}
	a.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.lock.Lock()
		a.seen = append(a.seen, r.Header)
		a.lock.Unlock()
		if r.URL.Path == "/a.js" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, script)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!DOCTYPE html><html lang="en"><head><title>x</title><link rel="icon" href="data:,"></head><body><p id="result"></p><script src="/a.js"></script></body></html>`)
	}))
	a.Start()
	a.URL = strings.Replace(a.URL, "127.0.0.1", address, 1)
	t.Cleanup(a.Close)
	return a
}

// A link of another page, a page of another origin and one of another user's port make nothing run: neither an address with any
// variables, nor requests of every kind. No cookie is sent anywhere. Variables of an address have no effect; the page uses those that a
// person enters.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	library, manifest, mark := s.evil()
	started := s.trace()
	s.serve()
	before := len(started())
	if before == 0 {
		t.Fatal("strace has not seen the start of the page itself")
	}
	u, err := url.Parse(s.address)
	if err != nil {
		t.Fatal(err)
	}
	origin := "http://" + u.Host
	b := browse(t)
	b.foreign = true
	b.open(s.address)
	b.wait(`document.querySelector("main > [data-title]") && !document.querySelector("main[aria-busy]")`)
	if cookies := eval[string](b, `document.cookie`); cookies != "" {
		t.Errorf("the page has the cookies %q", cookies)
	}
	// The same tab is led to other pages, which lead back to the page with an address.
	hostile := []string{"LD_PRELOAD=" + library, "LD_AUDIT=" + library, "GCONV_PATH=" + filepath.Dir(library), "VK_DRIVER_FILES=" + manifest,
		"VK_ADD_DRIVER_FILES=" + manifest, "VK_ADD_IMPLICIT_LAYER_PATH=" + filepath.Dir(library), "LIBGL_DRIVERS_PATH=" + filepath.Dir(library)}
	var addresses []string
	pages := []string{"program/bin/sh", "program", "program" + library}
	for i, pair := range hostile {
		for n, page := range pages {
			if n != i%len(pages) && os.Getenv("VKLOADER_TEST_ALL") == "" { // each variable with one page, each page with several
				continue
			}
			addresses = append(addresses, page+"?"+url.Values{"env": {pair}, "layer": {"VK_LAYER_TEST_first=off", "others"}}.Encode())
		}
	}
	addresses = append(addresses, "overview", "report?collect=1", "report?collect=1&still=1&app="+library, "program"+library)
	for _, host := range []string{"127.0.0.1", "localhost"} { // another port of the same host, and another host
		for _, address := range addresses {
			a := attack(t, host, "location.href = "+fill("%s", []any{origin + "/#/" + address}))
			b.do(chromedp.Navigate(a.URL))
			b.wait(`location.origin === %s && document.querySelector("main > [data-title], main > .problem") && !document.querySelector("main[aria-busy], main [aria-busy]")`, origin)
			if strings.Contains(address, "env=") && eval[string](b, `document.getElementById("env")?.value || ""`) != "" {
				t.Errorf("%s:\n%s", address, b.shown())
			}
			for _, head := range a.seen {
				if head.Get("Cookie") != "" || strings.Contains(fmt.Sprint(head), eval[string](b, `sessionStorage.getItem("vkloader")`)) {
					t.Errorf("another page gets %v", head)
				}
			}
		}
	}
	// Requests, forms, frames and scripts of such pages.
	const script = `
const origin = ORIGIN;
const paths = ["/start/overview", "/start/try", "/start/picture", "/start/report", "/session", "/undo", "/change/layers", "/change/clear", "/page/overview", "/part/picture", "/live/programs"];
const body = () => new URLSearchParams({ env: "LD_PRELOAD=LIBRARY", layer: "VK_LAYER_TEST_first=off" });
let read = 0;
async function all() {
  for (const path of paths) {
    for (const mode of ["cors", "no-cors"]) {
      for (const method of ["GET", "POST"]) {
        try {
          const r = await fetch(origin + path, { method, mode, credentials: "include", body: method === "POST" ? body() : undefined });
          if (r.type !== "opaque") read++;
        } catch {}
      }
    }
    try {
      await fetch(origin + path, { method: "POST", headers: { "Vkloader-Secret": "x" }, body: body() });
      read++;
    } catch {}
    navigator.sendBeacon(origin + path, body());
    const frame = document.createElement("iframe");
    frame.name = "f" + path;
    document.body.append(frame);
    const form = document.createElement("form");
    form.method = "POST";
    form.action = origin + path;
    form.target = frame.name;
    form.innerHTML = '<input name="env" value="LD_PRELOAD=LIBRARY">';
    document.body.append(form);
    form.submit();
  }
  for (const src of ["/", "/assets/ui.js", "/page/overview"]) {
    const e = document.createElement("script");
    e.src = origin + src;
    document.body.append(e);
    const frame = document.createElement("iframe");
    frame.src = origin + src + "#/program?env=LD_PRELOAD=LIBRARY";
    document.body.append(frame);
    await new Promise((done) => { frame.onload = done; setTimeout(done, 3000); });
    try {
      if (frame.contentDocument && frame.contentDocument.getElementById("main")) read++;
    } catch {}
  }
  document.getElementById("result").textContent = "read " + read + " " + typeof window.ask;
}
all();`
	for _, host := range []string{"127.0.0.1", "localhost"} {
		a := attack(t, host, strings.NewReplacer("ORIGIN", fill("%s", []any{origin}), "LIBRARY", library).Replace(script))
		b.do(chromedp.Navigate(a.URL))
		b.wait(`document.getElementById("result")?.textContent.startsWith("read")`)
		if got := b.text("#result"); got != "read 0 undefined" {
			t.Errorf("from %s: %s", host, got)
		}
	}
	if now := started(); len(now) != before {
		t.Errorf("processes were started:\n%s", strings.Join(now[before:], "\n"))
	}
	if s.read("tmp/mark") != "" || s.read(settingsFile) != "" {
		t.Errorf("the library was loaded, or a file is written: %s %s", s.read("tmp/mark"), s.read(settingsFile))
	}
	// The user presses the buttons.
	b.do(chromedp.Navigate(origin + "/#/program"))
	b.enter("#env", "VK_DRIVER_FILES="+manifest)
	b.then(func() { b.press("#decide", kb.Enter) })
	b.wait(`document.getElementById("ask") && document.querySelector(".picture svg")`)
	if s.read("tmp/mark") != "" || len(started()) != before {
		t.Error("the decision has started a process")
	}
	if got := b.text("form[data-start^=picture]"); !strings.Contains(got, "VK_DRIVER_FILES="+manifest) {
		t.Errorf("the button does not show what will run: %s", got)
	}
	b.click("#ask")
	for until := time.Now().Add(limit); s.read("tmp/mark") == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("the button has loaded nothing (%s)\n%s", mark, b.shown())
		}
	}
}

// A used address says how to get another one; the one from the terminal works, and a tab keeps its session when it is loaded again.
func TestUsedAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t).serve()
	b := s.page("overview")
	b.do(chromedp.Reload())
	b.wait(`document.getElementById("try-all")`)
	other := browse(t)
	other.foreign = true
	other.open(s.address)
	other.sees("used already: run `vkloader ui` again, or press Enter in the terminal where it runs, for a new address")
	if _, err := io.WriteString(s.stdin, "\n"); err != nil {
		t.Fatal(err)
	}
	other.open(s.told())
	other.do(chromedp.Reload()) // an address that differs in its fragment alone loads nothing by itself
	other.wait(`document.getElementById("try-all") || document.querySelector(".problem")`)
	if !other.has("#try-all") {
		t.Errorf("the new address:\n%s", other.shown())
	}
	b.to("programs")
}

// The overview names a driver that hangs within two seconds, and goes on; what takes longer shows its progress and can be stopped.
// The page of a process says when it has ended.
func TestProgress(t *testing.T) {
	t.Parallel()
	machine.Need(t, "gcc")
	s := newSite(t)
	p, other := s.start("game"), s.start("other")
	s.write("evil/hangs.c", "#include <unistd.h>\n__attribute__((constructor)) static void run(void) { for (;;) pause(); }\n")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", s.path("evil/libhangs.so"), s.path("evil/hangs.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.write("share/vulkan/icd.d/hangs.json", manifestOf("ICD", map[string]any{"library_path": s.path("evil/libhangs.so"), "api_version": "1.3.0"}))
	b := s.serve().page("overview")
	b.click("#try-all")
	b.wait(`/hangs\.json[^]*(hung|not ended)/.test(document.querySelector("main table")?.innerText)`)
	b.to("program")
	b.click("#ask")
	b.wait(`/Asking layers and devices … [1-9][0-9]* s/.test(document.querySelector(".waits")?.innerText)`)
	b.click(".waits button")
	b.sees("Stopped.")
	b.to(fmt.Sprintf("program%s?pid=%d", s.path("bin/game"), p.pid))
	b.wait(`document.querySelector(".picture svg")`)
	if b.has("#ask") {
		t.Error("the page offers to load drivers with a process's variables")
	}
	p.end()
	b.sees(fmt.Sprintf("Process %d has ended.", p.pid))
	b.to(fmt.Sprintf("program%s?pid=%d", s.path("bin/game"), p.pid))
	b.sees(fmt.Sprintf("process %d has ended", p.pid))
	b.to(fmt.Sprintf("program%s?pid=%d", s.path("bin/game"), other.pid))
	b.sees(fmt.Sprintf("process %d is now %s", other.pid, s.path("bin/other")))
}

// The picture of a process has what its variables decide, and not those of the page.
func TestPictureOfAProcess(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	environ := slices.Clone(s.environ)
	s.environ = append(s.environ, "DISABLE_FIRST=1")
	p := s.start("game")
	s.environ = environ
	b := s.serve().page("program")
	b.wait(`document.querySelector(".picture svg")?.textContent.includes("VK_LAYER_TEST_first")`)
	b.to(fmt.Sprintf("program%s?pid=%d", s.path("bin/game"), p.pid))
	b.wait(`document.querySelector(".picture svg")?.textContent.includes("VK_LAYER_TEST_second")`)
	drawn := eval[string](b, `Array.from(document.querySelectorAll(".picture svg text"), (e) => e.textContent).join("\n")`)
	if before, _, _ := strings.Cut(drawn, "Not used"); strings.Contains(before, "VK_LAYER_TEST_first") {
		t.Errorf("the picture:\n%s", drawn)
	}
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", p.pid)); err != nil {
		t.Fatal(err)
	}
}

package commands

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The server listens on 127.0.0.1 and nowhere else.
func TestUIListensOnLoopback(t *testing.T) {
	t.Parallel()
	s := newUI(t).serve()
	if !regexp.MustCompile(`^http://127\.0\.0\.1:\d+$`).MatchString(s.address) {
		t.Errorf("address %s", s.address)
	}
	var port int
	if _, err := fmt.Sscanf(s.address, "http://127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile("/proc/net/" + table)
		if err != nil {
			continue // a kernel without it
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) > 3 && fields[3] == "0A" && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", port)) {
				count++
				if fields[1] != fmt.Sprintf("0100007F:%04X", port) {
					t.Errorf("it listens at %s", fields[1])
				}
			}
		}
	}
	if count != 1 {
		t.Errorf("%d sockets listen at port %d", count, port)
	}
}

// The token works once, in exchange for the secret. No cookie contains the secret, and the page shows nothing without it. A line on standard
// input gives a new address.
func TestUIToken(t *testing.T) {
	t.Parallel()
	s := newUI(t).start()
	if status, text, _ := s.ask(http.MethodGet, "/page/overview", nil); status != http.StatusUnauthorized || !strings.Contains(text, "run `vkloader ui` again, or press Enter") {
		t.Errorf("without a session: %d %s", status, text)
	}
	if status, _ := s.session("WRONG"); status != http.StatusForbidden {
		t.Errorf("a wrong token is worth %d", status)
	}
	if status, _ := s.session(""); status != http.StatusForbidden {
		t.Errorf("no token is worth %d", status)
	}
	if status, text := s.session(s.token); status != http.StatusOK || text == s.token || len(text) < 20 {
		t.Fatalf("%d %s", status, text)
	}
	s.page("/page/program")
	right := s.secret
	if status, text := s.session(s.token); status != http.StatusForbidden || !strings.HasPrefix(text, "used already: run `vkloader ui` again, or press Enter") {
		t.Errorf("the token is worth %d %s the second time", status, text)
	}
	for _, secret := range []string{"", s.token, strings.Repeat("A", len(right)), strings.ToLower(right), right + "A"} {
		s.secret = secret
		if status, _, _ := s.ask(http.MethodGet, "/page/program", nil); status != http.StatusUnauthorized {
			t.Errorf("the secret %q: %d", secret, status)
		}
	}
	s.secret = ""
	if status, _, _ := s.ask(http.MethodGet, "/page/program", nil, func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "vkloader", Value: right}) }); status != http.StatusUnauthorized {
		t.Errorf("the secret in a cookie: %d", status)
	}
	old := s.token
	if _, err := io.WriteString(s.stdin, "\n"); err != nil {
		t.Fatal(err)
	}
	_, s.token, _ = strings.Cut(<-s.more, "/#token=")
	if s.token == "" || s.token == old {
		t.Fatalf("the new token is %q, the old one was %q", s.token, old)
	}
	if status, text := s.session(s.token); status != http.StatusOK {
		t.Errorf("the new token is worth %d %s", status, text)
	}
	s.page("/page/program")
}

// The server refuses requests with another name of this machine (DNS rebinding), and requests that another page sends.
func TestUIHostAndOrigin(t *testing.T) {
	t.Parallel()
	s := newUI(t).serve()
	port := s.address[strings.LastIndexByte(s.address, ':'):]
	for host, want := range map[string]int{"127.0.0.1" + port: 200, "localhost" + port: 200, "localhost:9": 200, "[::1]" + port: 200,
		"evil.example": 403, "evil.example" + port: 403, "127.0.0.1.evil.example" + port: 403, "localhost.evil.example": 403, "10.0.0.1" + port: 403,
		"0.0.0.0" + port: 403, "": 400} {
		for _, path := range []string{"/", "/page/program"} {
			status, _, _ := s.ask(http.MethodGet, path, nil, func(r *http.Request) { r.Host = host })
			if host == "" { // net/http's client then uses the host of the address
				continue
			}
			if status != want {
				t.Errorf("Host %q, %s: %d, want %d", host, path, status, want)
			}
		}
	}
	for origin, want := range map[string]int{"": 403, "null": 403, "http://evil.example": 403, "https://127.0.0.1" + port: 403, "http://127.0.0.1:9": 403, s.address: 200} {
		status, _, _ := s.ask(http.MethodPost, "/undo", url.Values{}, func(r *http.Request) {
			r.Header.Del("Origin")
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
		})
		if status != want {
			t.Errorf("a change with Origin %q: %d, want %d", origin, status, want)
		}
		status, _, _ = s.ask(http.MethodGet, "/page/program", nil, func(r *http.Request) {
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
		})
		if reads := max(want, 200); origin != "" && status != reads || origin == "" && status != 200 {
			t.Errorf("a page with Origin %q: %d", origin, status)
		}
	}
	for site, want := range map[string]int{"same-origin": 200, "none": 403, "cross-site": 403, "same-site": 403} {
		if status, _, _ := s.ask(http.MethodGet, "/page/program", nil, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", site) }); status != want {
			t.Errorf("Sec-Fetch-Site %s: %d, want %d", site, status, want)
		}
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodOptions} {
		if status, _, _ := s.ask(method, "/page/program", nil); status != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, status)
		}
	}
}

// Each change needs the secret. With --read-only every change is refused, and nothing is written.
func TestUIChangesNeedTheSecret(t *testing.T) {
	t.Parallel()
	s := newUI(t, "VK_LAYER_a").serve()
	s.page("/page/program")
	form := url.Values{"layer": {"VK_LAYER_a=off", "others"}}
	for _, secret := range []string{"", "WRONG", s.token} {
		for _, path := range []string{"/change/layers", "/change/clear", "/undo"} {
			status, _, _ := s.ask(http.MethodPost, path, form, func(r *http.Request) { r.Header.Set("Vkloader-Secret", secret) })
			if status != http.StatusUnauthorized {
				t.Errorf("%s with the secret %q: %d", path, secret, status)
			}
		}
	}
	s.apply("layers", form)
	if !strings.Contains(s.read(s.settings()), "VK_LAYER_a") {
		t.Errorf("not written: %s", s.read(s.settings()))
	}

	other := newUI(t, "VK_LAYER_a")
	other.tool("settings", "set", "--layer", "VK_LAYER_a=off", "--expires", "1s")
	expired := strings.Replace(other.read(other.settings()), `"expires": "2`, `"expires": "1`, 1)
	if err := os.WriteFile(other.settings(), []byte(expired), 0o644); err != nil {
		t.Fatal(err)
	}
	other.serve("--read-only")
	text := other.page("/page/program")
	if !strings.Contains(text, "Read only") || strings.Contains(text, "data-change") {
		t.Errorf("a page that changes nothing:\n%s", text)
	}
	for _, path := range []string{"/change/layers", "/change/clear", "/change/fix", "/change/none", "/undo"} {
		if status, _, _ := other.ask(http.MethodPost, path, form); status != http.StatusForbidden {
			t.Errorf("--read-only: %s: %d", path, status)
		}
	}
	if other.read(other.settings()) != expired {
		t.Error("--read-only has removed settings whose time is over")
	}
}

// Every answer forbids inline code and style and those from elsewhere, and no page has any.
func TestUIContentSecurityPolicy(t *testing.T) {
	t.Parallel()
	s := newUI(t, "VK_LAYER_a", "!VK_LAYER_b").serve()
	s.tool("settings", "set", "--layer", "VK_LAYER_a=off")
	inline := regexp.MustCompile(`(?i)<script[^>]*>[^<]|<style|\sstyle=|\son[a-z]+=|javascript:|@import|https?://`)
	for _, path := range []string{"/", "/assets/ui.css", "/page/", "/page/overview", "/page/programs", "/page/program",
		"/page/program?layer=VK_LAYER_a%253Doff&layer=VK_LAYER_b%253Don&layer=others", "/part/picture?layer=VK_LAYER_b%253Don&layer=others",
		"/part/export?layer=VK_LAYER_b%253Don&layer=others", "/page/none", "/none", "/part/none", "/assets/none"} {
		_, text, head := s.ask(http.MethodGet, path, nil)
		policy := head.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'", "base-uri 'none'",
			"form-action 'none'", "frame-ancestors 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: no %s in %q", path, want, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") || head.Get("X-Content-Type-Options") != "nosniff" || head.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, head)
		}
		text = strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")
		if found := inline.FindString(text); found != "" {
			t.Errorf("%s has %q", path, found)
		}
	}
}

// The page shows texts of manifests as text, and replaces characters that control a terminal or hide text.
func TestUIEscapes(t *testing.T) {
	t.Parallel()
	hostile := "VK_LAYER_\"><script>alert(1)</script><img src=x onerror=alert(2)>'\x1b[31m\u202e\u200b\x07{{.}}"
	s := newUI(t, "VK_LAYER_plain")
	s.layer(hostile, hostile)
	s.write("share/vulkan/implicit_layer.d/bad.json", "{\"layer\": \"</pre><script>alert(3)</script>\x1b[2J\u202e")
	s.serve()
	off := url.QueryEscape(url.QueryEscape(hostile + "=off"))
	for _, path := range []string{"/page/overview?notes", "/page/program", "/page/program?layer=" + off + "&layer=others", "/page/program?find=%3Cscript%3E&env=%22%3E%3Cscript%3E",
		"/part/picture", "/part/export?layer=" + off + "&layer=others", "/page/program/%3Cscript%3Ealert(4)%3C/script%3E"} {
		_, text, _ := s.ask(http.MethodGet, path, nil)
		bare := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(text, "") // a quoted text is a value
		if regexp.MustCompile(`(?i)<script|<img|<[^>]*onerror`).MatchString(bare) || strings.Contains(text, "<script") {
			t.Errorf("%s: a tag of a file is one of the page", path)
		}
		if strings.ContainsAny(text, "\x1b\x07\u202e\u200b") {
			t.Errorf("%s: characters that control or hide", path)
		}
	}
	if text := s.page("/page/program"); !strings.Contains(text, "&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Errorf("the layer is not there:\n%s", text)
	}
	// The layer with this name is switched off all the same.
	s.apply("layers", url.Values{"layer": {url.QueryEscape(hostile + "=off"), "others"}})
	in, _, _ := strings.Cut(s.tool("explain"), "Not used")
	if strings.Contains(in, "alert(1)") || !strings.Contains(in, "VK_LAYER_plain") {
		t.Errorf("after the change:\n%s", in)
	}
}

// The server ends with its terminal, with the process that holds its standard input, with SIGHUP, and after a time without requests. It does
// not end because standard input is empty.
func TestUIEnds(t *testing.T) {
	t.Parallel()
	t.Run("input", func(t *testing.T) {
		t.Parallel()
		s := newUI(t).serve()
		s.stdin.Close()
		if code := s.end(); code != 0 {
			t.Errorf("exit code %d\n%s", code, s.said)
		}
	})
	t.Run("hangup", func(t *testing.T) {
		t.Parallel()
		s := newUI(t).serve()
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if code := s.end(); code != 0 {
			t.Errorf("exit code %d\n%s", code, s.said)
		}
	})
	t.Run("idle", func(t *testing.T) {
		t.Parallel()
		s := newUI(t).start("--idle", "300ms") // on a busy machine it ends before a request
		if code := s.end(); code != 0 || !strings.Contains(s.said.String(), "no request for 300ms") {
			t.Errorf("exit code %d\n%s", code, s.said)
		}
	})
	t.Run("terminal", func(t *testing.T) {
		t.Parallel()
		s := newUI(t)
		master, slave := terminal(t)
		// In a separate session without a controlling terminal, no SIGHUP arrives, as for a server in the background.
		cmd := s.command(t.Context(), "ui")
		cmd.Stdin = slave
		cmd.SysProcAttr.Setsid = true
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		slave.Close()
		lines := bufio.NewScanner(out)
		if !lines.Scan() || !strings.Contains(lines.Text(), "#token=") {
			t.Fatalf("%q", lines.Text())
		}
		ended := make(chan error, 1)
		go func() { _, _ = io.Copy(io.Discard, out); ended <- cmd.Wait() }()
		master.Close()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(5 * time.Minute):
			t.Error("it goes on without its terminal")
		}
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		s := newUI(t)
		cmd := s.command(t.Context(), "ui", "--idle", "1s") // standard input is /dev/null
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "no request for 1s") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// A server that sends events is not idle.
func TestUIWatchedIsNotIdle(t *testing.T) {
	t.Parallel()
	const idle = 10 * time.Second // long enough for a busy machine to ask for the events
	s := newUI(t).serve("--idle", idle.String())
	events := s.events()
	began := time.Now()
	for longer := idle + 2*time.Second; time.Since(began) < longer; { // the server sends only changes
		select {
		case <-s.ended:
			t.Fatalf("it has ended after %s\n%s", time.Since(began), s.said)
		case <-events:
		case <-time.After(longer - time.Since(began)):
		}
	}
	s.page("/page/program")
}

// Over SSH, the command prints the line that forwards the port.
func TestUIOverSSH(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"192.0.2.7 40000 192.0.2.1 22", "ssh -N -L PORT:127.0.0.1:PORT ann@192.0.2.1\n"},
		{"192.0.2.7 40000 2001:db8::1 2222", "ssh -N -L PORT:127.0.0.1:PORT -p 2222 ann@2001:db8::1\n"}} {
		s := newUI(t)
		s.env = append(s.env, "SSH_CONNECTION="+c[0], "USER=ann")
		s.serve()
		port := s.address[strings.LastIndexByte(s.address, ':')+1:]
		want := strings.ReplaceAll(c[1], "PORT", port)
		for until := time.Now().Add(5 * time.Minute); !strings.Contains(s.said.String(), want); time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%q is not said:\n%s", want, s.said)
			}
		}
	}
	if s := newUI(t).serve(); strings.Contains(s.said.String(), "ssh") {
		t.Errorf("without SSH:\n%s", s.said)
	}
}

// With --open, the browser gets the address through a file that no other user can read. The server removes the file after the address was used.
func TestUIOpensABrowser(t *testing.T) {
	t.Parallel()
	s := newUI(t)
	seen := filepath.Join(s.home, "seen")
	bin := filepath.Join(filepath.Dir(s.home), "bin")
	if err := put(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\n{ echo \"$1\"; stat -c %a \"$1\"; cat \"$1\"; } > "+seen+".part && mv "+seen+".part "+seen+"\n")); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "PATH="+bin+":"+os.Getenv("PATH"), "TMPDIR="+s.home)
	s.start("--open")
	text := ""
	for began := time.Now(); text == "" && time.Since(began) < time.Minute; {
		s.openly("/")
		text = s.read(seen)
	}
	file, rest, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(rest, "600\n") || !strings.Contains(rest, s.address+"/#token="+s.token) || !strings.HasPrefix(file, s.home) {
		t.Errorf("the browser gets %s", text)
	}
	if status, _ := s.session(s.token); status != http.StatusOK {
		t.Error(status)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", file, err)
	}
}

// openly requests a path that needs no secret.
func (s *uiSite) openly(path string) {
	if status, text, _ := s.ask(http.MethodGet, path, nil); status != http.StatusOK {
		s.t.Fatalf("%d %s", status, text)
	}
}

// Root's page says that it changes files of the system only, and refuses a change of any other.
func TestUIOfRoot(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can serve root's page")
	}
	s := newUI(t, "VK_LAYER_a")
	s.tool("settings", "set", "--layer", "VK_LAYER_a=off") // the user's own file; the home directory may be root's
	before := s.read(s.settings())
	if err := filepath.WalkDir(filepath.Dir(s.home), func(path string, _ os.DirEntry, err error) error { // root uses only a home directory of its own
		return errors.Join(err, os.Lchown(path, 0, 0))
	}); err != nil {
		t.Fatal(err)
	}
	s.root = true
	s.serve()
	if text := s.page("/page/program"); !strings.Contains(text, "This page is root") || !strings.Contains(s.said.String(), "as root, the page changes files of the system only") {
		t.Errorf("it does not say so:\n%s\n%s", text, s.said)
	}
	if text := s.plan("clear", url.Values{}); !strings.Contains(text, "files of the system only, not "+s.settings()) {
		t.Errorf("a plan:\n%s", text)
	}
	if text := s.plan("layers", url.Values{"layer": {"VK_LAYER_a=auto", "others"}}); !strings.Contains(text, "would be ignored") {
		t.Errorf("a plan:\n%s", text)
	}
	if s.read(s.settings()) != before {
		t.Error("root's page has written the user's file")
	}
}

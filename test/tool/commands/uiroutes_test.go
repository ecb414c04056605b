package commands

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vkloader/internal/tool/ui"
	"vkloader/test/lib/machine"
)

// hostileLibrary is a library that writes the ID of its process to a file, and then waits if the test wants that.
const hostileLibrary = `
#include <stdio.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void run(void) {
	FILE *f = fopen(MARK, "a");
	if (f) {
		fprintf(f, "%d\n", (int)getpid());
		fclose(f);
	}
	if (HANGS) {
		int child = fork();
		f = fopen(MARK, "a");
		if (f && child) {
			fprintf(f, "%d\n", child);
		}
		if (f) {
			fclose(f);
		}
		for (;;) {
			pause();
		}
	}
}
`

// hostile creates this library and a driver's manifest for it. mark is the file that it writes.
func (s *uiSite) hostile(name string, hangs bool) (library, manifest, mark string) {
	s.t.Helper()
	machine.Need(s.t, "gcc")
	source := s.write("evil/"+name+".c", hostileLibrary)
	directory := filepath.Dir(source)
	library, mark = filepath.Join(directory, "lib"+name+".so"), filepath.Join(directory, name+".mark")
	if err := os.Chmod(directory, 0o777); err != nil { // the page's user is another one
		s.t.Fatal(err)
	}
	cmd := exec.Command("gcc", "-shared", "-fPIC", "-o", library, source, fmt.Sprintf("-DMARK=%q", mark), fmt.Sprintf("-DHANGS=%d", map[bool]int{true: 1}[hangs]))
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	manifest = s.write("evil/"+name+".json", fmt.Sprintf(`{"file_format_version":"1.0.1","ICD":{"library_path":%q,"api_version":"1.3.0"}}`, library))
	return library, manifest, mark
}

// traced makes strace run the page's server, and write every new process to a file.
func (s *uiSite) traced() (file string) {
	s.t.Helper()
	machine.Need(s.t, "strace")
	file = filepath.Join(s.home, "trace")
	s.tracer = []string{"strace", "-f", "--seccomp-bpf", "-qq", "-o", file, "-e", "trace=execve,execveat,fork,vfork,clone,clone3"}
	return file
}

// startsIn returns the lines of a trace about new processes, without threads.
func startsIn(t *testing.T, file string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "CLONE_THREAD") || strings.Contains(line, "resumed>") || strings.Contains(line, "ENOENT") {
			continue
		}
		if regexp.MustCompile(`^\d+ +(execve|execveat|fork|vfork|clone|clone3)\(`).MatchString(line) {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// example has a request for each route. The test fails for a route without one.
var example = map[string][]string{
	"/{$}": {"/"}, "/assets/{name}": {"/assets/ui.js"},
	"/page/{address...}": {"/page/", "/page/overview", "/page/overview?notes", "/page/programs", "/page/program", "/page/program/bin/sh?elevated=1", "/page/layers", "/page/configurations", "/page/configurations/none",
		"/page/files", "/page/report", "/page/report?collect=1", "/page/report?collect=1&still=1&app=/bin/sh", "/page/program?layer=VK_LAYER_a%253Doff&layer=others&do=up:VK_LAYER_a"},
	"/part/{address...}": {"/part/picture", "/part/picture/bin/sh", "/part/export?layer=VK_LAYER_a%253Doff&layer=others", "/part/item?item=VK_LAYER_a",
		"/part/try?layer=VK_LAYER_a%253Doff&layer=others", "/part/overview", "/part/banner"},
	"/live/programs": {"/live/programs"}, "/live/process/{pid}": {"/live/process/1"},
	"/configuration/{file}":          {"/configuration/none.json", "/configuration/..%2fx.json"},
	"/report/vkloader-bundle.tar.gz": {"/report/vkloader-bundle.tar.gz?id=x"},
	"/session":                       {"/session"},
	"/start/{address...}":            {"/start/overview", "/start/picture", "/start/try", "/start/report", "/start/devices"}, "/launch": {"/launch"},
	"/change/{name}": {"/change/layers", "/change/devices", "/change/clear", "/change/fix", "/change/use", "/change/save", "/change/forget", "/change/everything", "/change/none"}, "/undo": {"/undo"},
}

// Every route of the table has the effect of its kind. Routes that read are GET, and start no process, as strace shows. All others are POST with
// the secret, from the page itself. With GET, without the secret, with the secret in a cookie, from another origin or port, or with
// another name of the machine, they do nothing.
func TestUIRoutes(t *testing.T) {
	t.Parallel()
	s := newUI(t, "VK_LAYER_a")
	trace := s.traced()
	s.serve()
	before := len(startsIn(t, trace))
	if before == 0 {
		t.Fatal("strace has not seen the start of the page itself")
	}
	port := s.address[strings.LastIndexByte(s.address, ':'):]
	for _, route := range ui.Routes {
		if example[route.Pattern] == nil {
			t.Errorf("no request for %s", route.Pattern)
		}
		if reads := route.Kind == ui.Reads; reads != (route.Method == http.MethodGet) {
			t.Errorf("%s %s %s", route.Kind, route.Method, route.Pattern)
		}
		for _, path := range example[route.Pattern] {
			if route.Kind == ui.Reads {
				if strings.HasPrefix(path, "/live/") {
					s.reads(path)
				} else if status, text, _ := s.ask(http.MethodGet, path, nil); status >= 500 {
					t.Errorf("%s: %d %s", path, status, text)
				}
				if !route.Open {
					if status, _, _ := s.ask(http.MethodGet, path, nil, func(r *http.Request) { r.Header.Del("Vkloader-Secret") }); status != http.StatusUnauthorized {
						t.Errorf("%s without the secret: %d", path, status)
					}
				}
				continue
			}
			if status, _, _ := s.ask(http.MethodGet, path, nil); status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
				t.Errorf("GET %s: %d", path, status)
			}
			for name, change := range map[string]func(r *http.Request){
				"without the secret": func(r *http.Request) { r.Header.Del("Vkloader-Secret") },
				"the secret in a cookie": func(r *http.Request) {
					r.AddCookie(&http.Cookie{Name: "vkloader-secret", Value: r.Header.Get("Vkloader-Secret")})
					r.Header.Del("Vkloader-Secret")
				},
				"the secret in the address":     func(r *http.Request) { r.URL.RawQuery = "Vkloader-Secret=" + s.secret; r.Header.Del("Vkloader-Secret") },
				"another origin":                func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
				"another port":                  func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
				"no origin":                     func(r *http.Request) { r.Header.Del("Origin") },
				"the null origin":               func(r *http.Request) { r.Header.Set("Origin", "null") },
				"https":                         func(r *http.Request) { r.Header.Set("Origin", "https://127.0.0.1"+port) },
				"another host":                  func(r *http.Request) { r.Host = "evil.example" + port; r.Header.Set("Origin", "http://"+r.Host) },
				"another host that points here": func(r *http.Request) { r.Host = "127.0.0.1.evil.example"; r.Header.Set("Origin", "http://"+r.Host) },
				"a page of another site":        func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
				"a page of another port":        func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
				"a page of another port, navigating": func(r *http.Request) {
					r.Header.Set("Sec-Fetch-Site", "same-site")
					r.Header.Set("Sec-Fetch-Mode", "navigate")
				},
				"a person's own address": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") },
			} {
				if route.Open && strings.Contains(name, "secret") { // the session needs the token instead
					continue
				}
				if status, text, _ := s.ask(http.MethodPost, path, url.Values{"env": {"A=1"}}, change); status != http.StatusForbidden && status != http.StatusUnauthorized {
					t.Errorf("POST %s, %s: %d %s", path, name, status, text)
				}
			}
		}
	}
	if now := startsIn(t, trace); len(now) != before {
		t.Errorf("processes were started:\n%s", strings.Join(now[before:], "\n"))
	}
	if s.read(s.settings()) != "" {
		t.Error("something is written")
	}
	// A route that starts processes does so with the secret. This shows that strace and the hook would see a process.
	if status, text, _ := s.ask(http.MethodPost, "/start/overview", url.Values{}); status != http.StatusOK || !strings.Contains(text, "Tried in child processes") {
		t.Errorf("%d %s", status, text)
	}
	if now := startsIn(t, trace); len(now) == before {
		t.Error("strace has seen no child")
	}
}

// reads requests an answer without an end, and reads its beginning.
func (s *uiSite) reads(path string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.address+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Vkloader-Secret", s.secret)
	answer, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		s.t.Errorf("%s: %d", path, answer.StatusCode)
	}
	if strings.HasSuffix(path, "programs") {
		if _, err := answer.Body.Read(make([]byte, 10)); err != nil {
			s.t.Error(err)
		}
	}
}

// An address with any variables, program or settings starts nothing, also with --read-only. The server always refuses variables of the
// dynamic linker and of runtimes. Variables in an address have no effect, and neither have those of a form.
func TestUIAddressRunsNothing(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--read-only"}} {
		s := newUI(t, "VK_LAYER_a")
		library, manifest, mark := s.hostile("evil", false)
		directory := filepath.Dir(manifest)
		trace := s.traced()
		s.serve(args...)
		before := len(startsIn(t, trace))
		refused := []string{"LD_PRELOAD=" + library, "LD_AUDIT=" + library, "LD_LIBRARY_PATH=" + directory, "ld_preload=x", "LD_DEBUG_OUTPUT=/x", "GCONV_PATH=" + directory,
			"LOCPATH=" + directory, "NLSPATH=x", "GLIBC_TUNABLES=x", "PATH=" + directory, "PYTHONPATH=x", "PYTHONSTARTUP=x", "NODE_OPTIONS=--require=x", "BASH_ENV=x", "ENV=x",
			"PERL5OPT=x", "RUBYOPT=x", "JAVA_TOOL_OPTIONS=x", "DOTNET_STARTUP_HOOKS=x", "MALLOC_TRACE=x", "OPENSSL_CONF=x", "GIO_EXTRA_MODULES=x", "QT_PLUGIN_PATH=x", "GTK_MODULES=x", "DBUS_SESSION_BUS_ADDRESS=unixexec:path=sh", "HEAPPROFILE=x", "=x"}
		files := []string{"VK_DRIVER_FILES=" + manifest, "VK_ICD_FILENAMES=" + manifest, "VK_ADD_DRIVER_FILES=" + manifest, "VK_LAYER_PATH=" + directory,
			"VK_ADD_LAYER_PATH=" + directory, "VK_IMPLICIT_LAYER_PATH=" + directory, "VK_ADD_IMPLICIT_LAYER_PATH=" + directory, "VK_LAYER_SETTINGS_PATH=" + directory,
			"VK_DRIVER_FILES=evil.json", "VK_DRIVER_FILES=/usr/share/vulkan/icd.d/../../../.." + manifest, "VK_DRIVER_FILES=/usr/share/vulkan/icd.d/x.json:" + manifest,
			"XDG_DATA_HOME=" + directory, "XDG_CONFIG_DIRS=" + directory, "HOME=" + directory, "LIBGL_DRIVERS_PATH=" + directory, "LIBGL_DRIVERS_PATH=/etc/vulkan/icd.d," + directory, "GBM_BACKENDS_PATH=" + directory,
			"GBM_BACKEND=../evil", "__EGL_VENDOR_LIBRARY_FILENAMES=" + manifest, "MESA_LOADER_DRIVER_OVERRIDE=evil", "VKLOADERD_DIR=" + directory, "ANYTHING=" + library, "DISPLAY=evil.example:0",
			"VK_APIDUMP_LOG_FILENAME=x", "MANGOHUD_CONFIGFILE=x"}
		for _, pair := range append(append([]string{}, refused...), files...) {
			for _, page := range []string{"/page/program", "/page/program/bin/sh", "/page/program" + library, "/part/picture", "/part/export", "/part/item", "/part/try"} {
				_, text, _ := s.ask(http.MethodGet, page+"?"+url.Values{"env": {pair}, "layer": {"VK_LAYER_a=off", "others"}}.Encode(), nil)
				if strings.HasPrefix(page, "/page/program") && !strings.Contains(page, ".so") && (!strings.Contains(text, `id="decide"`) || strings.Contains(text, "evil.json")) {
					t.Errorf("%s with %s:\n%s", page, pair, text)
				}
			}
		}
		if now := startsIn(t, trace); len(now) != before {
			t.Errorf("processes were started:\n%s", strings.Join(now[before:], "\n"))
		}
		// Variables that the user enters have an effect, unless the page refuses them.
		for _, pair := range refused {
			if text := s.page("/page/program", variables(pair)); !strings.Contains(text, "the page refuses the variable") {
				t.Errorf("%s, entered:\n%s", pair, text)
			}
			for _, page := range []string{"/start/picture", "/start/try"} {
				if _, text, _ := s.ask(http.MethodPost, page, url.Values{"layer": {"VK_LAYER_a=off", "others"}}, variables(pair)); !strings.Contains(text, "problem") || strings.Contains(text, "<svg") {
					t.Errorf("%s with %s:\n%s", page, pair, text)
				}
			}
		}
		if now := startsIn(t, trace); len(now) != before {
			t.Errorf("processes were started:\n%s", strings.Join(now[before:], "\n"))
		}
		entered := variables(files[0])
		if text := s.page("/page/program", entered); !strings.Contains(text, "evil.json") || !strings.Contains(text, `id="decide"`) {
			t.Errorf("a variable that was entered:\n%s", text)
		}
		if s.read(mark) != "" {
			t.Errorf("the library was loaded: %s", s.read(mark))
		}
		s.ask(http.MethodPost, "/start/picture", url.Values{"env": {files[0]}})
		if s.read(mark) != "" {
			t.Errorf("a form's variable has loaded the library: %s", s.read(mark))
		}
		s.ask(http.MethodPost, "/start/picture", url.Values{}, entered)
		if s.read(mark) == "" {
			t.Error("the control: a person's own button has not loaded the library")
		}
	}
}

// The overview names a driver that hangs within two seconds. Longer work shows progress. The child process and the processes of the driver end
// with the request.
func TestUIChildrenEnd(t *testing.T) {
	t.Parallel()
	s := newUI(t)
	_, manifest, mark := s.hostile("hangs", true)
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	s.write("share/vulkan/icd.d/hangs.json", string(text))
	s.serve()
	began := time.Now()
	if text := s.page("/page/overview"); s.read(mark) != "" || !strings.Contains(text, "hangs.json") {
		t.Errorf("the overview:\n%s", text)
	}
	_, shown, _ := s.ask(http.MethodPost, "/start/overview", url.Values{})
	if took := time.Since(began); !regexp.MustCompile(`(?s)hangs\.json</th><td>[^<]*</td><td>[^<]*(hung|not ended)`).MatchString(shown) {
		t.Errorf("after %s:\n%s", took, shown)
	} else {
		t.Logf("named after %s", took)
	}
	gone := func() bool {
		for _, pid := range strings.Fields(s.read(mark)) {
			if status, err := os.ReadFile("/proc/" + pid + "/status"); err == nil && !bytes.Contains(status, []byte("State:\tZ")) {
				return false
			}
		}
		return true
	}
	for until := time.Now().Add(5 * time.Minute); !gone(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("processes are left: %s", s.read(mark))
		}
	}
	// A picture and a report wait for the driver, with progress. The reader disconnects.
	for _, path := range []string{"/start/picture", "/start/report"} {
		if err := os.Truncate(mark, 0); err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+path, strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Vkloader-Secret", s.secret)
		r.Header.Set("Origin", s.address)
		answer, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var heard bytes.Buffer
		for part := make([]byte, 1000); len(strings.Fields(s.read(mark))) < 2 || strings.Count(heard.String(), "progress") < 3; {
			n, err := answer.Body.Read(part)
			if heard.Write(part[:n]); err != nil {
				t.Fatalf("%s: %v after %s, processes %s", path, err, heard.String(), s.read(mark))
			}
		}
		if gone() {
			t.Fatalf("%s: the driver has ended by itself", path)
		}
		answer.Body.Close()
		for until := time.Now().Add(5 * time.Minute); !gone(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%s: processes are left: %s", path, s.read(mark))
			}
		}
	}
}

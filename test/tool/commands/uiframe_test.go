package commands

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vkloader/test/lib/binary"
	"vkloader/test/lib/world"
)

// pageUser is the ID of the page's user when root runs the tests, because root's own page changes only files of the system.
const pageUser = 65534

// uiSite is a home directory with layers, and the page of its user.
type uiSite struct {
	t    *testing.T
	home string
	env  []string
	root bool // the page is root's

	address, token string // without the token, and the token
	client         *http.Client
	cmd            *exec.Cmd
	stdin          io.WriteCloser
	said           *written
	ended          chan error
	more           chan string // lines after the first address
	secret         string
	tracer         []string // the command line that runs the page, for example under strace
}

// written is the output of a process.
type written struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (o *written) Write(data []byte) (int, error) {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.text.Write(data)
}

func (o *written) String() string {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.text.String()
}

// newUI creates a home directory with these layers; a name that begins with "!" is that of an explicit layer.
func newUI(t *testing.T, layers ...string) *uiSite {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &uiSite{t: t, home: filepath.Join(top, "home")}
	s.env = []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "XDG_DATA_DIRS=" + filepath.Join(top, "share"),
		"XDG_CONFIG_DIRS=" + filepath.Join(top, "etc"), "VKLOADERD_DIR=" + filepath.Join(top, "service"),
		"LD_LIBRARY_PATH=" + readable(t)} // programs get this project's loader
	s.write("share/vulkan/icd.d/acme.json", fmt.Sprintf(`{"file_format_version":"1.0.1","ICD":{"library_path":%q,"api_version":"1.3.0"}}`,
		filepath.Join(readable(t), "drivers/libvk_null.so")))
	for _, name := range layers {
		s.layer(name, name)
	}
	if err := os.MkdirAll(s.home, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // the page's user must be able to enter the directory
		for directory := top; directory != os.TempDir() && directory != "/"; directory = filepath.Dir(directory) {
			if err := os.Chmod(directory, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// layer installs a layer in the home directory.
func (s *uiSite) layer(name, description string) {
	s.t.Helper()
	directory, rest := "implicit_layer.d", `,"disable_environment":{"NO_LAYER":"1"}`
	if explicit, is := strings.CutPrefix(name, "!"); is {
		directory, rest, name = "explicit_layer.d", "", explicit
	}
	file := regexp.MustCompile(`[^A-Za-z0-9_]`).ReplaceAllString(name, "_")
	s.write("share/vulkan/"+directory+"/"+file+".json", fmt.Sprintf(
		`{"file_format_version":"1.2.0","layer":{"name":%s,"type":"GLOBAL","library_path":"/none/lib.so","api_version":"1.3.0","implementation_version":"1","description":%s%s}}`,
		quoted(name), quoted(description), rest))
}

// quoted returns a text as a JSON string.
func quoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		if r < ' ' || r == '"' || r == '\\' || r > '~' {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String() + `"`
}

// write writes a file to the home directory's parent, and returns its path.
func (s *uiSite) write(name, text string) string {
	s.t.Helper()
	path := filepath.Join(filepath.Dir(s.home), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// readable returns a directory with copies of the built programs, which every user may read.
func readable(t *testing.T) string {
	t.Helper()
	directory, err := copies()
	if err != nil {
		t.Fatal(err)
	}
	return directory
}

// copies creates the directory, once; TestMain removes it.
var copies = sync.OnceValues(func() (string, error) {
	directory, err := os.MkdirTemp("", "vkloader-tool-")
	if err != nil {
		return "", err
	}
	copied = directory
	library, err := os.Readlink(filepath.Join(built, "libvulkan.so.1"))
	if err == nil {
		err = errors.Join(os.Chmod(directory, 0o755), os.Symlink(library, filepath.Join(directory, "libvulkan.so.1")))
	}
	for _, name := range []string{"vkloader", library, "libexec/vkloader/probe", "drivers/libvk_null.so"} {
		if err == nil {
			err = copyFile(filepath.Join(built, name), filepath.Join(directory, name))
		}
	}
	return directory, err
})

var copied string

func TestMain(m *testing.M) {
	if file := os.Getenv(memoryFile); file != "" {
		os.Exit(measure(file))
	}
	world.FilesInMemory()
	code := m.Run()
	if copied != "" {
		os.RemoveAll(copied)
	}
	os.Exit(code)
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = binary.WriteProgram(to, content)
	}
	return err
}

// command returns a command line of the tool, for the site's user, who owns the home directory.
func (s *uiSite) command(ctx context.Context, args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.CommandContext(ctx, filepath.Join(readable(s.t), "vkloader"), args...)
	cmd.Env = s.env
	cmd.Dir = s.home
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if os.Getuid() == 0 && !s.root {
		err := filepath.WalkDir(s.home, func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, pageUser, pageUser)
		})
		if err != nil {
			s.t.Fatal(err)
		}
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: pageUser, Gid: pageUser}
	}
	return cmd
}

// tool runs a command line as the site's user, and returns its output.
func (s *uiSite) tool(args ...string) string {
	s.t.Helper()
	out, err := s.command(s.t.Context(), args...).CombinedOutput()
	if err != nil {
		s.t.Logf("%v: %v", args, err)
	}
	return string(out)
}

// serve starts the page and opens its address.
func (s *uiSite) serve(args ...string) *uiSite {
	s.t.Helper()
	s.start(args...)
	if status, text := s.session(s.token); status != http.StatusOK {
		s.t.Fatalf("the token is worth %d %s", status, text)
	}
	return s
}

// start starts the page.
func (s *uiSite) start(args ...string) *uiSite {
	s.t.Helper()
	s.cmd = s.command(context.Background(), append([]string{"ui"}, args...)...)
	if s.tracer != nil {
		path, err := exec.LookPath(s.tracer[0])
		if err != nil {
			s.t.Fatal(err)
		}
		s.cmd.Path, s.cmd.Args = path, append(append([]string{}, s.tracer...), append([]string{s.cmd.Path}, s.cmd.Args[1:]...)...)
	}
	s.said = &written{}
	s.cmd.Stderr = s.said
	out, err := s.cmd.StdoutPipe()
	if err == nil && s.cmd.Stdin == nil {
		s.stdin, err = s.cmd.StdinPipe()
	}
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.ended = make(chan error, 1)
	lines := bufio.NewScanner(out)
	for lines.Scan() && s.token == "" {
		if address, token, is := strings.Cut(lines.Text(), "/#token="); is {
			s.address, s.token = address, token
			break
		}
	}
	s.more = make(chan string, 10)
	go func() {
		for lines.Scan() {
			s.more <- lines.Text()
		}
		close(s.more)
		s.ended <- s.cmd.Wait()
	}()
	s.t.Cleanup(func() {
		if s.tracer != nil { // the end of the tracer would leave the page running
			s.stdin.Close()
			for range s.more {
			}
		}
		_ = s.cmd.Process.Kill()
	})
	if s.token == "" {
		s.t.Fatalf("no address:\n%s", s.said)
	}
	s.client = &http.Client{Timeout: 5 * time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return s
}

// end waits until the server has ended, and returns its exit code.
func (s *uiSite) end() int {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(5 * time.Minute):
		s.t.Fatalf("it goes on\n%s", s.said)
	}
	return s.cmd.ProcessState.ExitCode()
}

// ask sends a request as the page does; change may alter the request.
func (s *uiSite) ask(method, path string, form url.Values, change ...func(*http.Request)) (status int, text string, head http.Header) {
	s.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequest(method, s.address+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if method != http.MethodGet {
		r.Header.Set("Origin", s.address)
	}
	r.Header.Set("Vkloader-Secret", s.secret)
	for _, c := range change {
		c(r)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, s.said)
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(answer.Cookies()) > 0 {
		s.t.Errorf("%s sets the cookies %v", path, answer.Cookies())
	}
	text = string(all)
	if answer.Header.Get("Content-Type") == "application/x-ndjson" {
		text = ""
		for line := range strings.Lines(string(all)) {
			var part struct{ HTML string }
			if err := json.Unmarshal([]byte(line), &part); err != nil {
				s.t.Fatalf("%s: %v in %s", path, err, line)
			}
			text += part.HTML
		}
	}
	return answer.StatusCode, unwrapped(text), answer.Header
}

// unwrapped returns HTML without the breaks of the templates' long lines, which are followed by two spaces. The text of
// a <pre> stays.
func unwrapped(text string) string {
	var out strings.Builder
	for i, part := range strings.Split(text, "<pre") {
		inside := ""
		if i > 0 {
			tag, rest, _ := strings.Cut("<pre"+part, ">")
			out.WriteString(strings.ReplaceAll(tag, "\n  ", " ") + ">")
			inside, part, _ = strings.Cut(rest, "</pre>")
			out.WriteString(inside + "</pre>")
		}
		out.WriteString(strings.ReplaceAll(part, "\n  ", " "))
	}
	return out.String()
}

// session exchanges a token for the secret.
func (s *uiSite) session(token string) (status int, text string) {
	s.t.Helper()
	status, text, _ = s.ask(http.MethodPost, "/session", url.Values{}, func(r *http.Request) { r.Header.Set("Vkloader-Token", token) })
	if status == http.StatusOK {
		s.secret = text
	}
	return status, text
}

// page returns the text at an address.
func (s *uiSite) page(address string, change ...func(*http.Request)) string {
	s.t.Helper()
	status, text, _ := s.ask(http.MethodGet, address, nil, change...)
	if status != http.StatusOK {
		s.t.Fatalf("%s: %d %s\n%s", address, status, text, s.said)
	}
	return text
}

// variables are variables that the user has entered on the page.
func variables(pairs ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Vkloader-Variables", url.QueryEscape(strings.Join(pairs, " "))) }
}

// plan returns the page's text about the effect of a change.
func (s *uiSite) plan(name string, form url.Values) string {
	s.t.Helper()
	status, text, _ := s.ask(http.MethodPost, "/change/"+name, form)
	if status != http.StatusOK {
		s.t.Fatalf("%s: %d %s\n%s", name, status, text, s.said)
	}
	return text
}

// apply makes a change with the values of its plan, and returns the plan's text.
func (s *uiSite) apply(name string, form url.Values) string {
	s.t.Helper()
	plan := s.plan(name, form)
	fields := url.Values{}
	for _, field := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(plan, -1) {
		fields.Add(field[1], html.UnescapeString(field[2]))
	}
	if fields.Get("digest") == "" {
		s.t.Fatalf("no plan of %s:\n%s", name, plan)
	}
	if done := s.plan(name, fields); !strings.Contains(done, "data-done") {
		s.t.Fatalf("%s is not done:\n%s\nas planned:\n%s", name, done, plan)
	}
	return plan
}

// undo undoes the last change.
func (s *uiSite) undo() string {
	s.t.Helper()
	_, text, _ := s.ask(http.MethodPost, "/undo", url.Values{})
	return text
}

// settings returns the path of the user's settings file.
func (s *uiSite) settings() string {
	return filepath.Join(s.home, ".config/vulkan/loader_settings.d/vk_loader_settings.json")
}

// read returns a file's content; "" without the file.
func (s *uiSite) read(path string) string {
	s.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return string(text)
}

// events returns the events about running programs that the server sends to the page.
func (s *uiSite) events() <-chan string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.address+"/live/programs", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Vkloader-Secret", s.secret)
	answer, err := (&http.Client{}).Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || kind != "application/x-ndjson" {
		s.t.Fatalf("%d %s", answer.StatusCode, kind)
	}
	s.t.Cleanup(func() { answer.Body.Close() })
	events := make(chan string, 100)
	go func() {
		defer close(events)
		for lines := json.NewDecoder(answer.Body); ; {
			var part struct{ HTML string }
			if lines.Decode(&part) != nil {
				return
			}
			events <- part.HTML
		}
	}()
	return events
}

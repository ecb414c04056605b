package world

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Patience is the time limit of one command of the host.
var Patience = 3 * time.Minute

// Host is the host program, running in a world.
type Host struct {
	w      *World
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan string
	stderr errorFile
	done   chan error
	ended  bool
	end    Exit

	scripts int // the world's variables, as the host sees them
}

// Exit describes the end of a process.
type Exit struct {
	Code   int            // -1: ended by a signal
	Signal syscall.Signal // 0: not ended by a signal
	Stderr string
}

// Messages returns the loader's lines on standard error without their header, e.g. "vkCreateInstance: Found no drivers!".
func (e Exit) Messages() []string { return messages(e.Stderr) }

type buffer struct {
	mutex sync.Mutex
	data  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.data.Write(p)
}

func (b *buffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.data.String()
}

// errorFile receives the host's standard error: text written before an answer is there when the answer comes,
// which a pipe does not promise.
type errorFile struct {
	w    *World
	path string
}

// fromEmulator matches an emulator's own message about a program that a signal ends.
var fromEmulator = regexp.MustCompile(`(?m)^qemu: uncaught target signal .*\n`)

func (f errorFile) String() string {
	text, err := os.ReadFile(f.path)
	if err != nil {
		return err.Error()
	}
	if bytes.Contains(text, []byte("qemu: ")) { // quicker: some read a long text again and again
		text = fromEmulator.ReplaceAll(text, nil)
	}
	if Windows() || MacOS() {
		return strings.ReplaceAll(f.w.fromTarget(string(text)), "\r", "")
	}
	return string(text)
}

// Start runs the host on the world's loader.
func (w *World) Start() *Host {
	w.T.Helper()
	program, err := tool("host")
	w.check(err)
	h := w.StartProgram(program, w.Loader)
	if Windows() { // the library reads at the first call the variables that it reads elsewhere when it is loaded
		h.Try("gipa", "name", "vkFirst")
	}
	return h
}

// StartIdle runs the host without opening a loader; the command "open" does.
func (w *World) StartIdle() *Host {
	w.T.Helper()
	program, err := tool("host")
	w.check(err)
	return w.StartProgram(program)
}

// CopyHost copies the host program to a path below the root, for StartProgram, and returns its path.
func (w *World) CopyHost(path string) string {
	w.T.Helper()
	program, err := tool("host")
	w.check(err)
	content, err := os.ReadFile(program)
	w.check(err)
	syscall.ForkLock.RLock() // a child of another test would keep the file open for writing, and it could not be started
	defer syscall.ForkLock.RUnlock()
	path = w.Write(path, string(content))
	w.check(os.Chmod(path, 0o755))
	return path
}

// CopyLoader copies the library into the world, for hosts of users without access to the directory of the sources.
func (w *World) CopyLoader(path string) {
	w.T.Helper()
	content, err := os.ReadFile(w.Loader)
	w.check(err)
	w.Loader = w.Write(path, string(content))
	w.check(os.Chmod(w.Loader, 0o755))
}

// StartProgram runs a program with the host's protocol in the world's environment.
func (w *World) StartProgram(program string, args ...string) *Host {
	w.T.Helper()
	h := &Host{w: w, cmd: Command(context.Background(), program, args...), lines: make(chan string, 64), done: make(chan error, 1), scripts: w.scripts}
	h.cmd.Env = w.Environment()
	h.cmd.Dir = w.Path("work")
	errors, err := os.CreateTemp(w.Root, "stderr")
	w.check(err)
	w.check(errors.Close())
	errors, err = os.OpenFile(errors.Name(), os.O_WRONLY|os.O_APPEND, 0) // so that ForgetStderr leaves no hole
	w.check(err)
	defer errors.Close()
	h.cmd.Stderr = errors
	h.stderr = errorFile{w, errors.Name()}
	stdin, err := h.cmd.StdinPipe()
	w.check(err)
	stdout, err := h.cmd.StdoutPipe()
	w.check(err)
	h.stdin = stdin
	if Windows() {
		w.windowsCommand(h.cmd)
	}
	w.check(h.cmd.Start())
	go func() {
		scanner := bufio.NewScanner(stdout)
		scanner.Buffer(make([]byte, 1<<16), 1<<26)
		for scanner.Scan() {
			h.lines <- scanner.Text()
		}
		close(h.lines)
		h.done <- h.cmd.Wait()
	}()
	w.T.Cleanup(func() {
		if !h.ended {
			h.cmd.Process.Kill()
			<-h.done
		}
		if w.T.Failed() && h.stderr.String() != "" {
			w.T.Logf("standard error of the host:\n%s", h.stderr.String())
		}
	})
	return h
}

// Line returns a command line: a verb, and pairs of key and value. A key may occur several times.
func Line(verb string, words ...string) string {
	if len(words)%2 != 0 {
		panic("world: words come in pairs")
	}
	line := verb
	for i := 0; i < len(words); i += 2 {
		line += " " + words[i] + "=" + Encode(words[i+1])
	}
	return line
}

// Try performs a command and returns its answer; ok is false if the process ended without an answer.
func (h *Host) Try(verb string, words ...string) (answer Answer, ok bool) {
	h.w.T.Helper()
	if Windows() && h.scripts != h.w.scripts { // fakes there look for changes when they are told to
		h.scripts = h.w.scripts
		if answer, ok := h.Try("scripts_changed"); !ok {
			return answer, ok
		}
	}
	line := Line(verb, h.w.wordsOut(words)...)
	if _, err := io.WriteString(h.stdin, line+"\n"); err != nil {
		return nil, false
	}
	return h.answer(line)
}

// Next waits for one more answer: a host whose child has ended says how, after the child's own last one.
func (h *Host) Next() Answer {
	h.w.T.Helper()
	answer, ok := h.answer("the end of a child")
	if !ok {
		h.w.T.Fatalf("the host ended with its child\n%s", h.stderr.String())
	}
	return answer
}

func (h *Host) answer(line string) (answer Answer, ok bool) {
	h.w.T.Helper()
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	select {
	case text, open := <-h.lines:
		if !open {
			return nil, false
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&answer); err != nil {
			h.w.T.Fatalf("%s: answer is no JSON: %v\n%s", line, err, text)
		}
		if Windows() || MacOS() {
			h.w.answerHere(map[string]any(answer))
		}
		return answer, true
	case <-timer.C:
		h.cmd.Process.Signal(syscall.SIGQUIT)
		h.w.T.Fatalf("%s: no answer after %v\n%s", line, Patience, h.stderr.String())
		return nil, false
	}
}

// Do performs a command and returns its answer. An error of the host itself fails the case.
func (h *Host) Do(verb string, words ...string) Answer {
	h.w.T.Helper()
	answer, ok := h.Try(verb, words...)
	if !ok {
		exit := h.Wait()
		h.w.T.Fatalf("%s: the host ended (code %d, signal %v)\n%s", Line(verb, words...), exit.Code, exit.Signal, exit.Stderr)
	}
	if text := answer.Text("error"); text != "" {
		h.w.T.Fatalf("%s: %s", Line(verb, words...), text)
	}
	return answer
}

// OK performs a command and returns its answer. A result other than VK_SUCCESS fails the case.
func (h *Host) OK(verb string, words ...string) Answer {
	h.w.T.Helper()
	answer := h.Do(verb, words...)
	if answer.Result() != 0 {
		h.w.T.Fatalf("%s: result %d, want VK_SUCCESS\n%s", Line(verb, words...), answer.Result(), h.stderr.String())
	}
	return answer
}

// EnumerateInside records the script "inside" for a fake to perform: a thread enumerates physical devices in the
// background until it waits for a lock or ends; then come more lines. Joined waits for the thread.
func (h *Host) EnumerateInside(more ...string) {
	h.w.T.Helper()
	h.Do("script", "as", "enumerate", "line", "physical_devices")
	h.Do("script", append([]string{"as", "inside", "line", "spawn script=enumerate", "line", "settle"}, more...)...)
}

// Joined waits for the thread in the background that was begun first, which must have done all that it was told to.
func (h *Host) Joined() {
	h.w.T.Helper()
	if answer := h.Do("join"); answer.Int("bad") != 0 {
		h.w.T.Errorf("the thread in the background: %v", answer)
	}
}

// Dies performs a command that must end the process, and returns the end.
func (h *Host) Dies(verb string, words ...string) Exit {
	h.w.T.Helper()
	if answer, ok := h.Try(verb, words...); ok {
		h.w.T.Fatalf("%s: answered %v, want the process to end", Line(verb, words...), answer)
	}
	return h.Wait()
}

// Stderr returns the text on standard error so far.
func (h *Host) Stderr() string { return h.stderr.String() }

// ForgetStderr removes the text so far.
func (h *Host) ForgetStderr() {
	h.w.T.Helper()
	h.w.check(os.Truncate(h.stderr.path, 0))
}

// Messages returns the loader's lines so far without their header.
func (h *Host) Messages() []string { return messages(h.stderr.String()) }

// Exit closes the host's input and returns the host's end.
func (h *Host) Exit() Exit {
	h.w.T.Helper()
	h.stdin.Close()
	return h.Wait()
}

// Quit ends the host. An exit code other than 0 fails the case.
func (h *Host) Quit() Exit {
	h.w.T.Helper()
	exit := h.Exit()
	if exit.Code != 0 {
		h.w.T.Fatalf("the host ended with code %d, signal %v\n%s", exit.Code, exit.Signal, exit.Stderr)
	}
	return exit
}

// Wait waits for the end of the process.
func (h *Host) Wait() Exit {
	h.w.T.Helper()
	if h.ended {
		return h.end
	}
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	go func() {
		for range h.lines { // unread answers
		}
	}()
	select {
	case <-h.done:
	case <-timer.C:
		h.cmd.Process.Kill()
		<-h.done
		h.ended = true
		h.w.T.Fatalf("the host did not end after %v\n%s", Patience, h.stderr.String())
	}
	h.ended = true
	status := h.cmd.ProcessState.Sys().(syscall.WaitStatus)
	h.end = Exit{Code: h.cmd.ProcessState.ExitCode(), Stderr: h.stderr.String()}
	if status.Signaled() {
		h.end.Signal = status.Signal()
		if Windows() && h.end.Signal == syscall.SIGKILL && h.w.aborted(h.cmd) {
			h.end.Signal = syscall.SIGABRT
		}
	} else if signal, known := windowsSignals[h.end.Code]; known && Windows() {
		h.end.Code, h.end.Signal = -1, signal
	}
	return h.end
}

// Pid returns the process ID, which is also the host's name for its first thread.
func (h *Host) Pid() int {
	if Windows() {
		return int(h.Do("state").Int("pid"))
	}
	return h.cmd.Process.Pid
}

// Program returns the path of the running program, as other processes see it.
func (h *Host) Program() string {
	h.w.T.Helper()
	if Windows() {
		return h.w.fromTarget(h.cmd.Args[1])
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", h.Pid()))
	h.w.check(err)
	return path
}

// Run runs any program to its end in the world's environment and returns its output. LD_LIBRARY_PATH leads to the
// loader under test.
func (w *World) Run(limit time.Duration, program string, args ...string) (string, Exit) {
	w.T.Helper()
	var out bytes.Buffer
	errors := &buffer{}
	cmd := exec.Command(program, args...)
	cmd.Env = w.Environment()
	if !w.System {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+strings.TrimSuffix(w.Loader, "/libvulkan.so.1"))
	}
	cmd.Dir = w.Path("work")
	cmd.Stdout = &out
	cmd.Stderr = errors
	w.check(cmd.Start())
	timer := time.AfterFunc(limit, func() { cmd.Process.Kill() })
	defer timer.Stop()
	cmd.Wait()
	exit := Exit{Code: cmd.ProcessState.ExitCode(), Stderr: errors.String()}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		exit.Signal = status.Signal()
	}
	return out.String(), exit
}

func messages(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "[Vulkan Loader]") {
			continue
		}
		if len(line) > 32 {
			out = append(out, line[headerEnd(line):])
		}
	}
	return out
}

// headerEnd returns the start of the text in a line: after ": " and padding to 32 columns.
func headerEnd(line string) int {
	colon := strings.Index(line, ":")
	if colon < 0 {
		return 0
	}
	if colon+1 < 32 && len(line) >= 32 {
		return 32
	}
	return colon + 2
}

// Log returns the records of the world's fakes so far, in order.
func (w *World) Log() Log {
	w.T.Helper()
	log, _ := w.LogFrom(0)
	return log
}

// LogFrom returns the records after an offset in the log, in bytes, and the log's present size.
func (w *World) LogFrom(bytes int) (Log, int) {
	w.T.Helper()
	text, err := os.ReadFile(w.Path("log"))
	if os.IsNotExist(err) {
		return nil, 0
	}
	w.check(err)
	var log Log
	for _, line := range strings.Split(strings.TrimSpace(string(text[bytes:])), "\n") {
		if line == "" {
			continue
		}
		var event Answer
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&event); err != nil {
			w.T.Fatalf("log of the fakes: %v\n%s", err, line)
		}
		if Windows() || MacOS() {
			w.answerHere(map[string]any(event))
		}
		log = append(log, event)
	}
	return log, len(text)
}

// ForgetLog empties the log.
func (w *World) ForgetLog() {
	if Windows() { // where fakes have it open
		os.Truncate(w.Path("log"), 0)
		return
	}
	os.Remove(w.Path("log"))
}

// Log is a list of the fakes' records.
type Log []Answer

// By returns the lines of one fake.
func (l Log) By(name string) Log { return l.keep(func(e Answer) bool { return e.Text("who") == name }) }

// Fn returns the calls of the named functions.
func (l Log) Fn(names ...string) Log {
	return l.keep(func(e Answer) bool {
		for _, name := range names {
			if e.Text("fn") == name {
				return true
			}
		}
		return false
	})
}

func (l Log) keep(yes func(Answer) bool) Log {
	var out Log
	for _, event := range l {
		if yes(event) {
			out = append(out, event)
		}
	}
	return out
}

// Names returns "FAKE FUNCTION" of each line, in order.
func (l Log) Names() []string {
	out := make([]string, 0, len(l))
	for _, event := range l {
		out = append(out, event.Text("who")+" "+event.Text("fn"))
	}
	return out
}

// Who returns the fakes of the lines, in order.
func (l Log) Who() []string {
	out := make([]string, 0, len(l))
	for _, event := range l {
		out = append(out, event.Text("who"))
	}
	return out
}

// String returns the log as text for a failure message.
func (l Log) String() string {
	var out strings.Builder
	for _, event := range l {
		text, _ := json.Marshal(event)
		fmt.Fprintf(&out, "%s\n", text)
	}
	return out.String()
}

package probe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/trust"
	"vkloader/internal/decide/vk"
	"vkloader/internal/decide/wording"
)

// event is a line of the probe.
type event struct {
	Event   string    `json:"event"`
	Phase   string    `json:"phase"`
	Round   int       `json:"round"`
	Micros  float64   `json:"us"`
	Result  vk.Result `json:"result"`
	Path    string    `json:"path"`
	Error   string    `json:"error"`
	Command string    `json:"command"`
	Version uint32    `json:"version"`
	Layer   int       `json:"layer"`
	Trouble string    `json:"problem"`

	Platform string `json:"platform"`
	Step     string `json:"step"`
}

// maxLog and maxEvents are the numbers of bytes that are kept of the child's standard error and of its events. A faulty
// driver may write without end.
const (
	maxLog    = 4 << 20
	maxEvents = 4 << 20
)

// notYet is the problem of a child that was ended by its context.
const notYet = "it has not ended yet"

// Unusable is the error of a child that could not be started, or that ended before it did anything: nothing is known
// about the library.
type Unusable struct {
	Child string
	Err   error
}

func (u *Unusable) Error() string { return fmt.Sprintf("the probe %s cannot run: %v", u.Child, u.Err) }
func (u *Unusable) Unwrap() error { return u.Err }

// unusable returns the error of a child that could not be started, without its path.
func unusable(child string, err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		err = of.Err
	}
	// the kernel's answer for a program whose dynamic linker is missing
	if linker := linkerOf(child); errors.Is(err, fs.ErrNotExist) && linker != "" {
		err = fmt.Errorf("its dynamic linker %s is missing", linker)
	}
	return &Unusable{child, err}
}

// Way names the work of the child beyond that of a short program. input is its standard input.
type Way struct{ mode, input string }

// Ways.
var (
	Short  = Way{}
	Twice  = Way{mode: "again"}  // repeats each phase in the same process, to measure times with warm caches
	Submit = Way{mode: "submit"} // submits an empty command buffer to each device, which needs no display
	// submits, and presents frames: on a headless surface, and in a window on an X display
	Present = Way{mode: "present"}
)

// Ask is the way in which the child asks the layers of the chain which commands they intercept.
func Ask(question string) Way { return Way{"intercepts", question} }

// Run runs the child, which loads the library and uses it as a short program does, for at most limit. An error means
// that the child could not be started; a failure of the child is the result's Problem. If the context ends first, the
// result is Cut. Where the dynamic linker that the child names is missing, or is none, as on NixOS, the linker of the
// system's shell starts the child.
func Run(whole context.Context, way Way, at Companions, environ []string, limit time.Duration) (*Result, error) {
	if shell := shellLinker.Load(); at.Linker == "" && shell != nil {
		at.Linker = *shell
	}
	result, err := runOnce(whole, way, at, environ, limit)
	if broken := (*Unusable)(nil); at.Linker == "" && errors.As(err, &broken) {
		if at.Linker = linkerOf("/bin/sh"); at.Linker != "" && at.Linker != linkerOf(at.Child) {
			if second, failed := runOnce(whole, way, at, environ, limit); failed == nil {
				shellLinker.Store(&at.Linker)
				return second, nil
			}
		}
	}
	return result, err
}

// shellLinker is the shell's dynamic linker, after it has started a child that its own did not start; nil: it has not.
var shellLinker atomic.Pointer[string]

// linkerOf returns the dynamic linker that a program names; "": none.
func linkerOf(program string) string {
	file, err := os.Open(program)
	if err != nil {
		return ""
	}
	defer file.Close()
	elf, err := binary.ReadELF(file)
	if err != nil {
		return ""
	}
	return elf.Interp
}

func runOnce(whole context.Context, way Way, at Companions, environ []string, limit time.Duration) (*Result, error) {
	if !at.Guest {
		ctx, done := Interruptible(whole)
		defer done()
		whole = ctx
	}
	ctx, cancel := context.WithTimeout(whole, limit)
	defer cancel()
	args := []string{at.Library}
	if way.mode != "" {
		args = append(args, way.mode)
	}
	cmd := spawn.New(ctx, spawn.Trial, at.Child, args...)
	if at.Linker != "" {
		cmd = spawn.New(ctx, spawn.Trial, at.Linker, append([]string{at.Child}, args...)...)
		cmd.Linked = at.Child
	}
	cmd.Library, cmd.Names, cmd.Guest = at.Library, explain.NamesOfLayers(environ), at.Guest
	if way.input != "" {
		cmd.Stdin = strings.NewReader(way.input)
	}
	cmd.Env = environ
	log := &firstBytes{limit: maxLog}
	cmd.Stderr = log // standard output is discarded
	events, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	defer events.Close()
	cmd.WaitDelay = 2 * time.Second
	ended, err := start(cmd, theirs, at)
	theirs.Close()
	if whole.Err() != nil && err != nil { // the context ended before the child's start
		return &Result{Problem: notYet, Outcome: Cut}, nil
	}
	if errors.Is(err, context.DeadlineExceeded) { // on a busy machine, the limit may end before the child's start
		return &Result{Problem: fmt.Sprintf("hung for %s", limit), Outcome: Hung}, nil
	}
	if trust.Refusal("tried", err) != "" {
		return nil, err
	}
	if err != nil {
		return nil, unusable(at.Child, err)
	}
	out := &firstBytes{limit: maxEvents}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(out, events)
	}()
	err = cmd.Wait()
	ended()
	_ = events.SetReadDeadline(time.Now().Add(cmd.WaitDelay))
	<-read
	result := &Result{Log: strings.ReplaceAll(log.String(), "\r\n", "\n")}
	unfinished := result.read(strings.NewReader(out.String()))
	result.Unfinished = unfinished
	var exit *exec.ExitError
	switch {
	case !result.began && ctx.Err() == nil:
		return nil, unusable(at.Child, fmt.Errorf("it ended before it did anything: %s", cmd.ProcessState))
	case whole.Err() != nil:
		result.Problem, result.Outcome = notYet+result.during(unfinished), Cut
	case ctx.Err() != nil:
		result.Problem, result.Outcome = fmt.Sprintf("hung for %s%s", limit, result.during(unfinished)), Hung
	case errors.As(err, &exit):
		if by := killedBy(exit.ProcessState); by != "" {
			result.Problem = fmt.Sprintf("killed by %s%s", by, result.during(unfinished))
			result.Signal = by
			result.Outcome = Crashed
			break
		}
		result.Outcome = Failed
		if result.Problem == "" && !result.ended {
			result.setExitProblem(exit.ExitCode(), unfinished)
		} else if result.Problem == "" {
			result.Problem = result.failedPhase()
		}
	case err == nil && !result.ended:
		result.setExitProblem(0, unfinished)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, fmt.Errorf("probe %s: %w", at.Child, err)
	}
	return result, nil
}

// setExitProblem sets the problem of a child that loaded code has ended.
func (r *Result) setExitProblem(code int, phase string) {
	r.Problem, r.Outcome = fmt.Sprintf("ended by exit(%d)%s", code, r.during(phase)), Exited
}

// during names the phase in which the child ended. If none was running, it names the last finished one, after "after".
func (r *Result) during(phase string) string {
	switch name, command := phaseWords(phase); {
	case phase != "" && command:
		return " in " + name
	case phase != "":
		return " while " + name
	case len(r.Phases) > 0:
		name, _ = phaseWords(r.Phases[len(r.Phases)-1].Name)
		return " after " + name
	}
	return ""
}

// Phases that are one command each, with the command, and the gerunds of the other phases, which follow "while".
var (
	commandOf = [...][2]string{{"create instance", "vkCreateInstance"}, {"list devices", "vkEnumeratePhysicalDevices"},
		{"destroy instance", "vkDestroyInstance"}}
	doing = [...][2]string{{"load", "loading"}, {"enumerate", "enumerating"}, {"ask", "asking"},
		{"use", "using"}, {"submit", "submitting"}, {"create", "creating"}, {"present", "presenting"},
		{"destroy", "destroying"}}
)

// phaseWords returns a phase in words for a sentence. If command is true, name is the name of a command, and otherwise
// a gerund.
func phaseWords(phase string) (name string, command bool) {
	for _, c := range commandOf {
		if c[0] == phase {
			return c[1], true
		}
	}
	for _, d := range doing {
		if rest, is := strings.CutPrefix(phase, d[0]); is && (rest == "" || rest[0] == ' ') {
			return d[1] + rest, false
		}
	}
	return phase, false
}

// read reads the probe's lines into the result, and returns the unfinished phase; "": there is none.
func (r *Result) read(out io.Reader) (unfinished string) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if line := lines.Bytes(); len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &e) != nil {
			continue // not a line of the probe
		}
		r.began = true
		switch e.Event {
		case "begin":
			unfinished = e.Phase
		case "done":
			unfinished = ""
			r.Phases = append(r.Phases, Phase{e.Phase, e.Round, e.Micros, e.Result})
		case "end":
			r.ended = true
		case "library":
			r.Library = e.Path
		case "mapped":
			r.Mapped = append(r.Mapped, e.Path)
		case "version":
			r.Version = e.Version
		case "missing":
			r.Problem = "the library has no " + e.Command
		case "unloadable":
			r.Problem = OpenError(e.Error)
		case "extension":
			r.Extensions = appendDecoded(r.Extensions, lines.Bytes())
		case "device":
			r.Devices = appendDecoded(r.Devices, lines.Bytes())
			for i := range r.Devices {
				d := &r.Devices[i]
				d.TypeText, d.APIText = wording.DeviceType(uint32(d.Type)), d.APIVersion.String()
				d.DriverText = wording.DriverVersion(wording.Maker{Driver: d.DriverName, Device: d.Name,
					Vendor: d.VendorID}, d.DriverVersion)
			}
		case "device_extensions":
			var of struct {
				Index int      `json:"index"`
				Names []string `json:"names"`
			}
			if json.Unmarshal(lines.Bytes(), &of) == nil && of.Index >= 0 && of.Index < len(r.Devices) {
				r.Devices[of.Index].Extensions = of.Names
			}
		case "present":
			r.Unshown = append(r.Unshown, fmt.Sprintf("%s: %s gives %s", e.Platform, e.Step, e.Result))
		case "intercepts":
			r.interception(e.Layer).Commands = append(r.interception(e.Layer).Commands, e.Command)
		case "asked":
			r.interception(e.Layer).Answered, r.interception(e.Layer).Problem = true, e.Trouble
		}
	}
	return unfinished
}

func appendDecoded[T any](list []T, line []byte) []T {
	var value T
	if json.Unmarshal(line, &value) != nil {
		return list
	}
	return append(list, value)
}

// failedPhase returns the phase that failed in a run that ended by itself.
func (r *Result) failedPhase() string {
	for _, p := range r.Phases {
		if p.Result < 0 {
			name := p.Name
			if gerund, command := phaseWords(name); !command {
				name = gerund
			}
			return fmt.Sprintf("%s failed with %s", name, p.Result)
		}
	}
	if len(r.Devices) == 0 {
		return "no device is listed"
	}
	return "the probe ended early"
}

// NoDriver reports whether the loader found no usable driver at all.
func (r *Result) NoDriver() bool {
	return slices.ContainsFunc(r.Phases,
		func(p Phase) bool { return p.Name == CreateInstance && p.Result == vk.ErrorIncompatibleDriver })
}

// firstBytes is a writer that keeps the first bytes up to limit.
type firstBytes struct {
	strings.Builder
	limit int
}

func (f *firstBytes) Write(p []byte) (int, error) {
	f.Builder.Write(p[:min(len(p), f.limit-f.Len())])
	return len(p), nil
}

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// life is what the probe reported of one program life on the library.
type life struct {
	Library    string      // real path of the library that was opened
	Version    uint32      // of the instance level
	Extensions []extension // of the instance level
	Layers     []layerFound
	Devices    []device
	Phases     []phase // finished ones, in order
	Usage      map[string]usage
	Asked      []interception // by layer, in the order of the question
	Log        string         // what was written to standard error
	Problem    string         // why it did not end well; empty when it did
	Fate       fate
}

// fate is how a life ended.
type fate uint8

const (
	fine    fate = iota
	failed       // it ended by itself, and something did not work
	crashed      // by a signal
	hung         // it was ended at its limit
)

type extension struct {
	Name     string `json:"name"`
	Revision uint32 `json:"revision"`
}

type layerFound struct {
	Name                  string `json:"name"`
	Description           string `json:"description"`
	APIVersion            uint32 `json:"api_version"`
	ImplementationVersion uint32 `json:"implementation_version"`
}

type device struct {
	Index         uint32 `json:"index"`
	Name          string `json:"name"`
	Type          uint32 `json:"type"`
	APIVersion    uint32 `json:"api_version"`
	DriverVersion uint32 `json:"driver_version"`
	VendorID      uint32 `json:"vendor_id"`
	DeviceID      uint32 `json:"device_id"`
	DriverName    string `json:"driver_name"`
	DriverInfo    string `json:"driver_info"`
	DeviceUUID    string `json:"device_uuid,omitempty"` // 32 hexadecimal digits; of devices from version 1.1 on
	DriverUUID    string `json:"driver_uuid,omitempty"`
	Library       string `json:"library,omitempty"` // of its driver, from the loader's log
}

// interception is what a layer takes for itself, as far as it answered.
type interception struct {
	Answered bool
	Commands []string
	Problem  string
}

func (l *life) asked(layer int) *interception {
	for len(l.Asked) <= layer {
		l.Asked = append(l.Asked, interception{})
	}
	return &l.Asked[layer]
}

type phase struct {
	Name   string
	Round  int
	Micros float64
	Result int
}

type usage struct {
	ResidentKB int64 `json:"resident_kb"`
	Threads    int   `json:"threads"`
}

// event is any line of the probe.
type event struct {
	Event   string  `json:"event"`
	Phase   string  `json:"phase"`
	Round   int     `json:"round"`
	Micros  float64 `json:"us"`
	Result  int     `json:"result"`
	Path    string  `json:"path"`
	Error   string  `json:"error"`
	Command string  `json:"command"`
	Version uint32  `json:"version"`
	After   string  `json:"after"`
	Layer   int     `json:"layer"`
	Trouble string  `json:"problem"`
}

// logMost is how much of the child's standard error is kept: a driver in trouble may write without end.
const logMost = 4 << 20

// live runs the probe on the library and waits for it, at most for limit. An error means that the probe could not be
// run at all; whatever happens inside it is the life's Problem.
func live(l layout, environ []string, again bool, limit time.Duration) (*life, error) {
	if again {
		return liveAs("again", "", l, environ, limit)
	}
	return liveAs("", "", l, environ, limit)
}

// liveAs is live in one of the probe's ways, with standard input for it.
func liveAs(way, input string, l layout, environ []string, limit time.Duration) (*life, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	args := []string{l.library}
	if way != "" {
		args = append(args, way)
	}
	cmd := exec.CommandContext(ctx, l.probe, args...)
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	cmd.Env = environ
	var out bytes.Buffer
	log := &firstBytes{most: logMost}
	cmd.Stdout, cmd.Stderr = &out, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// What a driver has started goes with it.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("probe %s: %w", l.probe, err)
	}
	err := cmd.Wait()
	// What is left of its group has been started by a driver or layer and stays behind otherwise.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	result := &life{Usage: map[string]usage{}, Log: log.String()}
	unfinished := result.read(&out)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		result.Problem, result.Fate = fmt.Sprintf("no end within %s%s", limit, result.during(unfinished)), hung
	case errors.As(err, &exit):
		status, ok := exit.Sys().(syscall.WaitStatus)
		if ok && status.Signaled() {
			result.Problem = fmt.Sprintf("killed by %s%s", signalName(status.Signal()), result.during(unfinished))
			result.Fate = crashed
			break
		}
		if result.Problem == "" {
			result.Problem = result.failedPhase()
		}
		result.Fate = failed
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, fmt.Errorf("probe %s: %w", l.probe, err)
	}
	return result, nil
}

// during says in which phase it ended, or after which, when none was going on.
func (l *life) during(phase string) string {
	switch {
	case phase != "":
		return " during: " + phase
	case len(l.Phases) > 0:
		return " after: " + l.Phases[len(l.Phases)-1].Name
	}
	return ""
}

// read takes the probe's lines and gives the phase that was begun and not finished.
func (l *life) read(out *bytes.Buffer) (unfinished string) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // a driver or layer that prints
		}
		switch e.Event {
		case "begin":
			unfinished = e.Phase
		case "done":
			unfinished = ""
			l.Phases = append(l.Phases, phase{e.Phase, e.Round, e.Micros, e.Result})
		case "library":
			l.Library = e.Path
		case "version":
			l.Version = e.Version
		case "missing":
			l.Problem = "the library has no " + e.Command
		case "unloadable":
			l.Problem = e.Error
		case "extension":
			l.Extensions = appendDecoded(l.Extensions, lines.Bytes())
		case "layer":
			l.Layers = appendDecoded(l.Layers, lines.Bytes())
		case "device":
			l.Devices = appendDecoded(l.Devices, lines.Bytes())
		case "intercepts":
			l.asked(e.Layer).Commands = append(l.asked(e.Layer).Commands, e.Command)
		case "asked":
			l.asked(e.Layer).Answered, l.asked(e.Layer).Problem = true, e.Trouble
		case "usage":
			var u usage
			if json.Unmarshal(lines.Bytes(), &u) == nil {
				l.Usage[e.After] = u
			}
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

// failedPhase says which phase failed, in a life that ended by itself.
func (l *life) failedPhase() string {
	for _, p := range l.Phases {
		if p.Result < 0 {
			return fmt.Sprintf("%s failed with %s", p.Name, resultName(p.Result))
		}
	}
	if len(l.Devices) == 0 {
		return "there is no device"
	}
	return "the probe ended early"
}

// noDriver tells whether the loader found no usable driver at all.
func (l *life) noDriver() bool {
	for _, p := range l.Phases {
		if p.Name == "create instance" && resultName(p.Result) == "VK_ERROR_INCOMPATIBLE_DRIVER" {
			return true
		}
	}
	return false
}

func resultName(code int) string {
	names := map[int]string{
		0: "VK_SUCCESS", 5: "VK_INCOMPLETE", -1: "VK_ERROR_OUT_OF_HOST_MEMORY", -2: "VK_ERROR_OUT_OF_DEVICE_MEMORY",
		-3: "VK_ERROR_INITIALIZATION_FAILED", -4: "VK_ERROR_DEVICE_LOST", -6: "VK_ERROR_LAYER_NOT_PRESENT",
		-7: "VK_ERROR_EXTENSION_NOT_PRESENT", -8: "VK_ERROR_FEATURE_NOT_PRESENT", -9: "VK_ERROR_INCOMPATIBLE_DRIVER",
		-10: "VK_ERROR_TOO_MANY_OBJECTS",
	}
	if name, ok := names[code]; ok {
		return name
	}
	return fmt.Sprintf("VkResult %d", code)
}

func signalName(s syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGSEGV: "SIGSEGV", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGILL: "SIGILL",
		syscall.SIGFPE: "SIGFPE", syscall.SIGKILL: "SIGKILL", syscall.SIGTERM: "SIGTERM", syscall.SIGTRAP: "SIGTRAP",
		syscall.SIGSYS: "SIGSYS",
	}
	if name, ok := names[s]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}

// firstBytes keeps the beginning of what is written to it.
type firstBytes struct {
	strings.Builder
	most int
}

func (f *firstBytes) Write(p []byte) (int, error) {
	f.Builder.Write(p[:min(len(p), f.most-f.Len())])
	return len(p), nil
}

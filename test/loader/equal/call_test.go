package equal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vkloader/internal/core/search"
	"vkloader/internal/core/wire"
)

const top = "../../.."

// message is one message of a call. Kind 'A': answered before; 'D': to be answered.
type message struct {
	kind byte
	text string
}

// call has the messages of one call of the program.
type call []message

// The results for a message.
const (
	answered = iota
	panicked
	noMemory
	malformed
)

// answer is the core's reply to a message.
type answer struct {
	status uint32
	text   string
}

// platform is the platform for which build/core.c was compiled.
var platform = sync.OnceValue(func() search.Platform {
	p := search.Linux()
	if text, err := os.ReadFile(filepath.Join(top, "build/directories")); err == nil {
		var rest string
		p.SysConfDir, rest, _ = strings.Cut(strings.TrimSuffix(string(text), "\n"), ":")
		p.ExtraSysConfDir, p.DataDirs, _ = strings.Cut(rest, ":")
	}
	return p
})

// inGo answers a call's messages with the core in Go.
func inGo(c call) []answer { return inGoBy(wire.NewCall(platform()), c) }

// inGoBy answers them with a core that has just begun a call.
func inGoBy(core *wire.Call, c call) (out []answer) {
	failed := false
	for _, m := range c {
		a := answer{status: panicked}
		if !failed {
			failed = true
			func() {
				defer func() { _ = recover() }()
				if m.kind == 'A' {
					core.Add(m.text)
				} else if text, ok := core.Decide(m.text); ok {
					a = answer{answered, string(text)}
				} else {
					a = answer{status: malformed}
				}
				failed = false
			}()
		}
		if m.kind == 'D' {
			out = append(out, a)
		}
	}
	return out
}

// pack writes calls as answer.c reads them.
func pack(calls []call) []byte {
	var b []byte
	for _, c := range calls {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(c)))
		for _, m := range c {
			b = binary.LittleEndian.AppendUint32(b, uint32(m.kind))
			b = binary.LittleEndian.AppendUint32(b, uint32(len(m.text)))
			b = append(b, m.text...)
		}
	}
	return b
}

// unpack reads what pack wrote.
func unpack(b []byte) (calls []call) {
	number := func() uint32 {
		v := binary.LittleEndian.Uint32(b)
		b = b[4:]
		return v
	}
	for len(b) > 0 {
		c := make(call, number())
		for i := range c {
			c[i].kind = byte(number())
			size := number()
			c[i].text, b = string(b[:size]), b[size:]
		}
		calls = append(calls, c)
	}
	return calls
}

// answerer is a program that answers like the library.
type answerer struct {
	command []string // the program, after the emulator that runs it
}

// inC answers the messages of all calls with the core in C.
func (a answerer) inC(t *testing.T, calls []call) (out []answer) {
	t.Helper()
	text := a.run(t, calls)
	for len(text) >= 8 {
		size := binary.LittleEndian.Uint32(text[4:])
		out = append(out, answer{binary.LittleEndian.Uint32(text), string(text[8 : 8+size])})
		text = text[8+size:]
	}
	return out
}

// run returns the output of the program.
func (a answerer) run(t *testing.T, calls []call, arguments ...string) []byte {
	t.Helper()
	c := exec.Command(a.command[0], append(append([]string{}, a.command[1:]...), arguments...)...)
	c.Env = append(os.Environ(), "ASAN_OPTIONS=detect_stack_use_after_return=0", "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1")
	c.Stdin = bytes.NewReader(pack(calls))
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v\n%.4000s", a.command, err, problems.Bytes())
	}
	return out.Bytes()
}

// equal compares the answers to calls.
func equal(t *testing.T, what string, calls []call, want [][]answer, got []answer) {
	t.Helper()
	for i, list := range want {
		for k, w := range list {
			if len(got) == 0 {
				t.Fatalf("%s: call %d has no answer", what, i)
			}
			if got[0] != w {
				t.Fatalf("%s: call %d, answer %d:\n  Go: %d %s\n  C:  %d %s\n%q", what, i, k, w.status, excerpt(w.text, got[0].text), got[0].status,
					excerpt(got[0].text, w.text), calls[i])
			}
			got = got[1:]
		}
	}
	if len(got) > 0 {
		t.Fatalf("%s: %d answers too many", what, len(got))
	}
}

// excerpt returns a text from the place where it differs from another.
func excerpt(a, b string) string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	return fmt.Sprintf("%d bytes, from %d on %.80q", len(a), at, a[at:])
}

func inGoAll(calls []call) [][]answer {
	out := make([][]answer, len(calls))
	for i, c := range calls {
		out[i] = inGo(c)
	}
	return out
}

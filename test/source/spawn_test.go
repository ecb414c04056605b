package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// starters are the functions and types with which a Go program starts a process, becomes another program or becomes
// another user.
var starters = map[string][]string{
	"os": {"StartProcess", "ProcAttr"},
	"syscall": {"ForkExec", "StartProcess", "Exec", "Credential", "Setuid", "Setgid", "Setgroups", "Setreuid", "Setregid",
		"Setresuid", "Setresgid", "SYS_EXECVE", "SYS_CLONE", "SYS_FORK", "SYS_VFORK"},
	"os/exec": {"Command", "CommandContext", "Cmd"},
	"golang.org/x/sys/unix": {"Exec", "Setuid", "Setgid", "Setgroups", "Setreuid", "Setregid", "Setresuid", "Setresgid",
		"SYS_EXECVE", "SYS_EXECVEAT", "SYS_CLONE", "SYS_CLONE3"},
	"golang.org/x/sys/windows": {"CreateProcess", "CreateProcessAsUser", "ShellExecute"},
}

// typeOnly lists the places that name a type of os/exec, and start nothing with it: what they change of a child, which
// package spawn starts.
var typeOnly = map[string]string{
	"internal/decide/probe/lowered_windows.go: exec.Cmd": "sets the token of a child that is about to start",
}

// startsIn returns the places of a file that start a process or become another user, as "exec.Command". The methods
// that package spawn hides are among them.
func startsIn(t *testing.T, path, text string) (found []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	imported := map[string]string{}
	for _, i := range file.Imports {
		pack, _ := strconv.Unquote(i.Path.Value)
		name := pack[strings.LastIndex(pack, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		imported[name] = pack
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, is := n.(*ast.SelectorExpr)
		if !is {
			return true
		}
		switch x := s.X.(type) {
		case *ast.Ident:
			if slices.Contains(starters[imported[x.Name]], s.Sel.Name) {
				found = append(found, imported[x.Name][strings.LastIndex(imported[x.Name], "/")+1:]+"."+s.Sel.Name)
			}
		case *ast.SelectorExpr:
			if x.Sel.Name == "Cmd" && slices.Contains([]string{"Start", "Run", "Output", "CombinedOutput"}, s.Sel.Name) {
				found = append(found, "Cmd."+s.Sel.Name)
			}
		}
		return true
	})
	return found
}

// One package starts processes and becomes users, so that no command can forget to ask whether files may be trusted, or
// hands a child what is this process's. Programs of the tests and generators are no part of the tool.
func TestProcessesStartInOnePlace(t *testing.T) {
	t.Parallel()
	places, read := 0, 0
	for _, f := range sources(t) {
		tool := strings.HasPrefix(f.pack, "internal/") || strings.HasPrefix(f.pack, "cmd/") || f.pack == "discover"
		if f.test || !tool {
			continue
		}
		read++
		for _, found := range startsIn(t, f.path, f.text) {
			switch place := fmt.Sprintf("%s: %s", f.path, found); {
			case f.pack == "internal/decide/spawn":
				places++
			case typeOnly[place] == "":
				t.Errorf("%s goes around package spawn", place)
			}
		}
	}
	if places == 0 || read < 300 {
		t.Errorf("%d places in package spawn, %d files read", places, read)
	}
}

// The search finds each way.
func TestStartsAreFound(t *testing.T) {
	t.Parallel()
	for _, line := range []string{`import e "os/exec"; func f() { e.Command("x").Run() }`,
		`import "os/exec"; var c = &exec.Cmd{Path: "x"}`,
		`import "syscall"; func f() { syscall.ForkExec("x", nil, nil) }`, `import "os"; var f = os.StartProcess`,
		`import "golang.org/x/sys/unix"; func f() { unix.Setresuid(1, 1, 1) }`,
		`import "syscall"; var c = syscall.Credential{Uid: 1}`,
		`func f(c *spawn.Child) { c.Cmd.Start() }`} {
		if found := startsIn(t, "x.go", "package x; "+line); len(found) == 0 {
			t.Errorf("%s: nothing found", line)
		}
	}
}

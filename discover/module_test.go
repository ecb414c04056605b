package discover_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// command runs the go command in a directory and returns its output.
func command(t *testing.T, directory string, environ []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = directory, append(os.Environ(), environ...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// modules are the other modules that the package needs: the kernel's interface, the reader of scripts that start a program, and that of
// compressed kernel modules.
var modules = []string{"golang.org/x/sys", "mvdan.cc/sh/v3", "github.com/pierrec/lz4/v4"}

// On every supported system, the package depends only on the standard library, these modules and this one.
func TestDependencies(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"GOOS=linux", "GOOS=windows"} {
		list := command(t, ".", []string{system, "CGO_ENABLED=0"}, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
		for _, path := range strings.Fields(list) {
			known := slices.ContainsFunc(modules, func(m string) bool { return strings.HasPrefix(path+"/", m+"/") })
			if !known && !strings.HasPrefix(path, "vkloader/internal/") && path != "vkloader/discover" {
				t.Errorf("%s: the package needs %s", system, path)
			}
		}
	}
}

// A reader of "go doc" sees each type with its fields: none is an alias, and each field and method has a comment.
func TestTypesAreDocumented(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	types := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch d := n.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil {
					t.Errorf("%s: %s has no comment", name, d.Name)
				}
				return false
			case *ast.TypeSpec:
				if !d.Name.IsExported() {
					return false
				}
				if types++; d.Assign.IsValid() {
					t.Errorf("%s: %s is an alias", name, d.Name)
				}
				return true
			case *ast.Field:
				if len(d.Names) > 0 && d.Names[0].IsExported() && d.Doc == nil && d.Comment == nil {
					t.Errorf("%s: the field %s has no comment", name, d.Names[0])
				}
			case *ast.BlockStmt:
				return false
			}
			return true
		})
	}
	if types < 30 {
		t.Errorf("%d types", types)
	}
}

// consumer is a program of another module.
const consumer = `package main

import (
	"context"
	"errors"
	"fmt"
	"testing/fstest"

	"vkloader/discover"
)

func main() {
	_, err := discover.Decide(context.Background(), discover.Files(fstest.MapFS{}), discover.Program{})
	fmt.Println(errors.Is(err, discover.ErrNoDriver))
}
`

// The example of a device plugin has less than 80 lines, and prints the nodes and files for a GPU.
func TestExamplePlugin(t *testing.T) {
	t.Parallel()
	const source = "../examples/device-plugin"
	code, err := os.ReadFile(source + "/main.go")
	if err != nil || strings.Count(string(code), "\n") >= 80 {
		t.Errorf("%d lines, %v", strings.Count(string(code), "\n"), err)
	}
	var got struct{ Devices, Mounts []string }
	out := command(t, ".", nil, "run", source, "--root", below(t, ubuntu()), "0000:02:00.0")
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !slices.Equal(got.Devices, []string{"/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia1", "/dev/nvidiactl"}) || !slices.Contains(got.Mounts, "/usr/share/vulkan/icd.d/nvidia_icd.json") ||
		!slices.Contains(got.Mounts, "/usr/lib/x86_64-linux-gnu/libnvidia-glvkspirv.so.550.54.14") ||
		slices.Contains(got.Mounts, "/usr/lib/x86_64-linux-gnu/libc.so.6") {
		t.Errorf("%+v", got)
	}
}

// Another module can be built with this one through a replace directive, without the tool's dependencies and without cgo.
// Importing the package runs no code of this module.
func TestOtherModule(t *testing.T) {
	t.Parallel()
	top, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(top, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var requires, sum string
	for _, line := range strings.Split(string(module), "\n") {
		line = strings.TrimSuffix(strings.TrimSpace(line), " // indirect")
		if !slices.ContainsFunc(modules, func(m string) bool { return strings.HasPrefix(line, m+" ") }) {
			continue
		}
		requires += "require " + line + " // indirect\n"
		for _, one := range strings.Split(string(sums), "\n") {
			if strings.HasPrefix(one, line) {
				sum += one + "\n"
			}
		}
	}
	other := t.TempDir()
	for name, content := range map[string]string{
		"main.go": consumer,
		"go.mod": "module example.org/plugin\n\ngo 1.24.0\n\nrequire vkloader v0.0.0\n\n" + requires + "\nreplace vkloader => " +
			top + "\n",
		"go.sum": sum,
	} {
		if err := os.WriteFile(filepath.Join(other, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command(t, other, []string{"CGO_ENABLED=0", "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off"}, "build", "-o", "plugin", ".")
	cmd := exec.Command(filepath.Join(other, "plugin"))
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "true\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range strings.Split(string(out), "\n") {
		if strings.HasPrefix(line, "init vkloader/") && !strings.HasSuffix(line, ", 0 bytes, 0 allocs") { // copies of errors are the only initialization
			t.Errorf("at import: %s", line)
		}
	}
}

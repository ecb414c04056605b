package commands

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"vkloader/test/lib/machine"
)

// update is the flag -update: the test writes the tool's output into the golden texts. Read the difference.
var update = flag.Bool("update", false, "write what the tool prints into the golden texts")

// built returns the repository's build directory.
var built = func() string {
	directory, err := filepath.Abs("../../../build")
	if err != nil {
		panic(err)
	}
	return directory
}()

func TestScripts(t *testing.T) {
	t.Parallel()
	tool := filepath.Join(built, "vkloader")
	if _, err := os.Stat(tool); err != nil {
		t.Fatalf("the tool is not built, run make: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Values[stage{}] = &stage{}
			env.Setenv("HOME", filepath.Join(env.WorkDir, "no-home")) // the default, /no-home, belongs to whoever makes it first
			env.Setenv("BUILD", built)
			env.Setenv("LAVAPIPE", machine.Lavapipe(t))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"machine": chooseMachine, "vkloader": runTool},
	})
}

// stage is the state that the commands of a script have chosen.
type stage struct {
	root string // of the machine; "": the running one
	fake *fake
}

// chooseMachine is the script command "machine NAME": the commands after it examine this machine, whose root is $ROOT. "machine none"
// is the running machine.
func chooseMachine(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: machine NAME")
	}
	if args[0] == "none" {
		*ts.Value(stage{}).(*stage) = stage{}
		return
	}
	archive, err := filepath.Abs(filepath.Join("testdata/machines", args[0]+".txtar"))
	ts.Check(err)
	now := ts.Value(stage{}).(*stage)
	now.root = ts.MkAbs("machine-" + args[0])
	now.fake, err = build(archive, now.root)
	ts.Check(err)
	ts.Setenv("ROOT", now.root)
}

// runTool is the script command "vkloader [CODE] ARGUMENTS...": it runs the tool on the chosen machine with the machine's environment,
// and requires this exit code (0). "cmp stdout FILE" then compares the output.
func runTool(ts *testscript.TestScript, negated bool, args []string) {
	if negated {
		ts.Fatalf("say the exit code: vkloader 1 ...")
	}
	want := 0
	if len(args) > 0 {
		if code, err := strconv.Atoi(args[0]); err == nil {
			want, args = code, args[1:]
		}
	}
	if now := ts.Value(stage{}).(*stage); now.fake != nil {
		options := []string{"--root", now.root}
		for _, variable := range now.fake.env {
			options = append(options, "--env", variable)
		}
		args = append(options, args...)
	}
	err := ts.Exec(filepath.Join(built, "vkloader"), args...)
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

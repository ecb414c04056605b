package equal

import (
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/core/search"
	"vkloader/internal/core/wire"
	"vkloader/test/lib/world"
)

func newMacOSCall() *wire.Call { return wire.NewMacOSCall(search.MacOS()) }

// TestMacOS checks the core of libvulkan.1.dylib, which has another entry package, with the suites' questions and with random
// questions, for which it asks for the bundle of the program.
func TestMacOS(t *testing.T) {
	t.Parallel()
	object := translatedFrom(t, "BeginMacOS")
	alikeOnMacOS(t, link(t, []string{"gcc"}, []string{"-O1", object}))
}

// TestMacOSObject checks the object in libvulkan.1.dylib, for the slice under test, with the runner of test/lib/macos.
func TestMacOSObject(t *testing.T) {
	t.Parallel()
	if !world.MacOS() {
		t.Skip("make test TARGET=macos runs it")
	}
	object := filepath.Join(world.Top(), "build/macos", world.Slice(), "obj/core.o")
	program := link(t, append(world.MacOSCompiler(), "-fno-sanitize=all"), []string{"-O1", object})
	alikeOnMacOS(t, answerer{world.New(t).RunMacOS(program.command[0], program.command[1:]...).Args})
}

// alikeOnMacOS compares a program's answers with those in Go, for the suites' questions and for random ones.
func alikeOnMacOS(t *testing.T, inC answerer) {
	t.Helper()
	calls := questions(t)
	var want [][]answer
	for _, c := range calls {
		want = append(want, inGoBy(newMacOSCall(), c))
	}
	equal(t, "macOS, recorded", calls, want, inC.inC(t, calls))
	recordedCalls := len(calls)
	calls, want = nil, nil
	bundles := 0
	for seed := range int64(2000) {
		c, answers := randomBy(newMacOSCall(), seed)
		calls, want = append(calls, c), append(want, answers)
		for _, m := range c {
			if strings.Contains(m.text, "/Applications/X.app/Contents/Resources") {
				bundles++
				break
			}
		}
	}
	if bundles < 200 {
		t.Errorf("only %d of %d calls have a bundle", bundles, len(calls))
	}
	equal(t, "macOS, random", calls, want, inC.inC(t, calls))
	t.Logf("%d recorded calls, %d random ones, of which %d have a bundle", recordedCalls, len(calls), bundles)
}

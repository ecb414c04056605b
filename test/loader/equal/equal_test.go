package equal

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"vkloader/internal/core/wire"
	"vkloader/test/lib/world"
)

var (
	full     = flag.Bool("full", false, "50,000 random and 200,000 damaged messages, by every compiler and machine, with and without optimization")
	recorded = flag.String("recorded", "", "also answer what the suites have recorded in this file (VKLOADER_RECORD), once more")
	keep     = flag.Bool("keep", false, "make testdata/questions.gz of a part of what was recorded")
)

// corpus has a part of the questions that the suites have asked.
var corpus = sync.OnceValues(func() ([]call, error) {
	file, err := os.Open("testdata/questions.gz")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	return unpack(text), err
})

func questions(t *testing.T) []call {
	t.Helper()
	calls, err := corpus()
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

var inGoCorpus = sync.OnceValue(func() [][]answer {
	calls, _ := corpus()
	return inGoAll(calls)
})

// object links the core that make has compiled.
func object(t *testing.T, directory string) answerer {
	t.Helper()
	path := filepath.Join("build", directory, "obj/core.o")
	current(t, path, strings.TrimSpace("make "+directory))
	flags := []string{"-O1"}
	if directory == "asan" {
		flags = append(flags, "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
	}
	return link(t, []string{"gcc"}, append(flags, filepath.Join(top, path)))
}

// link links a program from answer.c and the given objects.
func link(t *testing.T, compiler, flags []string, run ...string) answerer {
	t.Helper()
	out := filepath.Join(t.TempDir(), "answer")
	arguments := append(append([]string{}, compiler[1:]...), "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-I"+top+"/internal/core/runtime/c", "-o", out, "c/answer.c")
	arguments = append(append(arguments, flags...), "-lm", "-pthread")
	if text, err := exec.Command(compiler[0], arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%.4000s", compiler, err, text)
	}
	return answerer{append(run, out)}
}

// source compiles the core like the Makefile and links it.
func source(t *testing.T, compiler []string, flags []string, run ...string) answerer {
	t.Helper()
	current(t, "build/core.c", "make")
	return compiled(t, top+"/build/core.c", compiler, flags, run...)
}

// compiled compiles and links the given core in C.
func compiled(t *testing.T, core string, compiler []string, flags []string, run ...string) answerer {
	t.Helper()
	p := platform()
	object := filepath.Join(t.TempDir(), "core.o")
	arguments := append(append([]string{}, compiler[1:]...), "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off",
		"-DVKL_SYSCONFDIR="+strconv.Quote(p.SysConfDir), "-DVKL_EXTRASYSCONFDIR="+strconv.Quote(p.ExtraSysConfDir), `-DVKL_LOADER_BITS="64"`, "-I"+top+"/internal/core/runtime/c")
	arguments = append(append(arguments, flags...), "-c", "-o", object, core)
	if text, err := exec.Command(compiler[0], arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%.4000s", compiler, err, text)
	}
	return link(t, compiler, append(append([]string{}, flags...), object), run...)
}

// TestCorpus checks that C and Go give the same answers to the suites' questions, byte for byte.
func TestCorpus(t *testing.T) {
	t.Parallel()
	calls := questions(t)
	want := inGoCorpus()
	good, decided := 0, 0
	for _, list := range want {
		for _, a := range list {
			decided++
			if a.status == answered {
				good++
			}
		}
	}
	if decided < 1000 || good < decided*9/10 {
		t.Errorf("only %d of %d questions are still understood: record them again (see TestRecorded)", good, decided)
	}
	for _, directory := range []string{"", "asan"} {
		equal(t, "build/"+directory, calls, want, object(t, directory).inC(t, calls))
	}
}

// TestCompilers checks the same with other compilers, and on other machines.
func TestCompilers(t *testing.T) {
	t.Parallel()
	calls := questions(t)
	for _, c := range []struct {
		name     string
		compiler string
		flags    string
		target   string
		full     bool
	}{
		{"gcc -O0", "gcc", "-O0", "", false},
		{"gcc -O2", "gcc", "-O2", "", true}, // also build/obj
		// room for the larger frames of other machines
		{"gcc -O2, three quarters of the stack", "gcc", "-O2 -DGOC_STACK=4608", "", false},
		{"clang -O0", "clang", "-O0", "", true},
		{"clang -O2", "clang", "-O2", "", false},
		{"i386 -O0", "gcc", "-m32 -O0 -msse2 -mfpmath=sse -static", "i386", false},
		{"i386 -O2", "gcc", "-m32 -O2 -msse2 -mfpmath=sse -static", "i386", true},
		{"musl -O1", "musl-gcc", "-O1 -static", "", false},
		{"s390x -O2", "s390x-linux-gnu-gcc", "-O2 -static", "s390x", false}, // big-endian
		{"arm64 -O0", "aarch64-linux-gnu-gcc", "-O0 -static", "arm64", false},
		{"arm64 -O2", "aarch64-linux-gnu-gcc", "-O2 -static", "arm64", true},
	} {
		if c.full && !*full {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			compiler, err := exec.LookPath(c.compiler)
			if err != nil {
				compiler, err = exec.LookPath(filepath.Join(world.Top(), "build/cross/bin", c.compiler)) // by tools/cross.sh
			}
			if err != nil {
				t.Skip(err)
			}
			if c.target == "i386" {
				try := exec.Command(compiler, "-m32", "-x", "c", "-static", "-o", os.DevNull, "-")
				try.Stdin = strings.NewReader("#include <stdio.h>\nint main(void) { return 0; }\n")
				if text, err := try.CombinedOutput(); err != nil {
					t.Skipf("no programs of i386 (Debian: gcc-multilib): %v\n%s", err, text)
				}
			}
			emulator, err := world.Emulator(c.target)
			if err != nil && c.target != "i386" {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			a := source(t, []string{compiler}, strings.Fields(c.flags), emulator...)
			equal(t, c.name, calls, inGoCorpus(), a.inC(t, calls))
			if *full {
				equalRandom(t, a)
				equalDamaged(t, a)
			}
		})
	}
}

// TestRandom checks the same for random questions, and for the suites' questions with changed bytes, with sanitizers.
func TestRandom(t *testing.T) {
	t.Parallel()
	equalRandom(t, object(t, "asan"))
}

func equalRandom(t *testing.T, a answerer) {
	t.Helper()
	left := 2500
	if *full {
		left = 50000
	}
	var calls []call
	var want [][]answer
	decided := 0
	for seed := int64(1); left > 0; seed++ {
		c, answers := random(seed)
		calls, want = append(calls, c), append(want, answers)
		left -= len(c)
		decided += len(answers)
	}
	t.Logf("%d calls, %d messages", len(calls), decided)
	equal(t, "random", calls, want, a.inC(t, calls))
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	equalDamaged(t, object(t, "asan"))
}

func equalDamaged(t *testing.T, a answerer) {
	t.Helper()
	from := questions(t)
	count := 10000
	if *full {
		count = 200000
	}
	good := 0
	for at := 0; at < count; at += 5000 {
		var calls []call
		for i := at; i < at+5000; i++ {
			calls = append(calls, damage(from[i%len(from)], int64(i)))
		}
		want := inGoAll(calls)
		for _, list := range want {
			if list[len(list)-1].status == answered {
				good++
			}
		}
		equal(t, "damaged", calls, want, a.inC(t, calls))
	}
	t.Logf("%d of %d are still understood", good, count)
	if good < count/10 || good > count*19/20 {
		t.Errorf("%d of %d are still understood: the damage says little", good, count)
	}
}

// TestStack measures the stack that the core uses below the function that the library calls: programs call on stacks
// of 16 kB (G-12).
func TestStack(t *testing.T) {
	t.Parallel()
	out := object(t, "").run(t, questions(t), "stack")
	used, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || used > 8192 || used < 500 {
		t.Errorf("%d bytes of stack (%v), want at most 8192", used, err)
	}
	t.Logf("%d bytes of stack", used)
}

// TestRecorded checks that Go gives the same answers as C to the questions of the suites, recorded with the library
// with the address sanitizer.
//
//	VKLOADER_RECORD=/tmp/questions VKLOADER_TEST_BUILD=asan go test -count 1 ./test/loader/discovery ./test/loader/layers
//	go test ./test/loader/equal -run Recorded -args -recorded /tmp/questions      (-keep: writes testdata again)
func TestRecorded(t *testing.T) {
	if *recorded == "" {
		t.Skip("nothing was recorded: see the flag -recorded")
	}
	calls, got := read(t, *recorded)
	want := inGoAll(calls)
	for i := range want {
		equal(t, "recorded", calls[i:i+1], want[i:i+1], got[i])
	}
	t.Logf("%d calls", len(calls))
	if *keep {
		write(t, calls)
	}
}

// read parses a file of record.c. Each distinct call with its answers is returned once.
func read(t *testing.T, path string) (calls []call, answers [][]answer) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type key [3]uint32 // process and memory
	type open struct {
		c call
		a []answer
	}
	current := map[key]*open{}
	seen := map[[32]byte]bool{}
	finish := func(o *open) {
		if o == nil || len(o.a) == 0 {
			return
		}
		if sum := sha256.Sum256(pack([]call{o.c})); !seen[sum] {
			seen[sum] = true
			calls, answers = append(calls, o.c), append(answers, o.a)
		}
	}
	var order []key
	for len(text) >= 28 {
		var head [7]uint32
		for i := range head {
			head[i] = binary.LittleEndian.Uint32(text[4*i:])
		}
		status, end := head[4], 28+head[5]
		asked, said := string(text[28:end]), string(text[end:end+head[6]])
		text = text[end+head[6]:]
		k := key(head[1:4])
		switch head[0] {
		case 'B':
			finish(current[k])
			if current[k] == nil {
				order = append(order, k)
			}
			current[k] = &open{}
			if status != 0 {
				current[k] = nil
			}
		default:
			o := current[k]
			if o == nil { // a mutated core, or a child wrote to the file without the beginning of its call
				continue
			}
			if status == noMemory { // a test makes allocations fail
				current[k] = nil
				continue
			}
			o.c = append(o.c, message{byte(head[0]), asked})
			if head[0] == 'D' {
				o.a = append(o.a, answer{status, said})
			}
		}
	}
	for _, k := range order {
		finish(current[k])
	}
	return calls, answers
}

// write stores a part of the recorded calls, of many shapes, without directories of this machine.
func write(t *testing.T, calls []call) {
	t.Helper()
	root, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	away := strings.NewReplacer(root, "/"+strings.Repeat("b", len(root)-1))
	seen := map[string]int{}
	var kept []call
	size := 0
	for _, c := range calls {
		for i := range c {
			c[i].text = away.Replace(c[i].text)
		}
		length := len(pack([]call{c}))
		var lines strings.Builder // which log lines an answer has, without their names and numbers
		for _, a := range inGo(c) {
			lines.WriteString(shape(a.text))
		}
		if seen[lines.String()]++; seen[lines.String()] > 1 || length > 200000 {
			continue
		}
		kept, size = append(kept, c), size+length
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(pack(kept))
	}
	if err == nil {
		err = z.Close()
	}
	if err == nil {
		err = os.WriteFile("testdata/questions.gz", out.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d calls, %d bytes, %d packed", len(kept), len(calls), size, out.Len())
}

// shape returns an answer without the parts that differ between machines.
func shape(text string) string {
	var out strings.Builder
	r, _ := wire.Open(text)
	for {
		rec, ok := r.Next()
		if !ok {
			return out.String()
		}
		line := ""
		if l, ok := rec.Log(); rec.ID == wire.IDLog && ok {
			line, _, _ = strings.Cut(l.Text.Text, "/")
		}
		out.WriteString(strconv.Itoa(int(rec.ID)) + line + "\n")
	}
}

// translatedFrom translates the core of another system from its first function, and returns its object for this one.
func translatedFrom(t *testing.T, begin string) (object string) {
	t.Helper()
	directory := t.TempDir()
	text := filepath.Join(directory, "core.c")
	object = filepath.Join(directory, "core.o")
	run := func(name string, arguments ...string) {
		t.Helper()
		c := exec.Command(name, arguments...)
		c.Dir = top
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%.4000s", name, err, out)
		}
	}
	run("go", "run", "./tools/goc", "-o", text, "-macro", "vkloader/internal/core/manifest.loaderBits=VKL_LOADER_BITS", "./internal/core/entry",
		begin+"=core_go_begin", "Add=core_go_add", "Decide=core_go_decide")
	run("gcc", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overread", "-O1", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off",
		`-DVKL_LOADER_BITS="64"`, "-Iinternal/core/runtime/c", "-c", "-o", object, text)
	return object
}

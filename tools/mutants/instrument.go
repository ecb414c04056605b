package main

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// Executing processes mark executed places in a file that they map shared, a byte for each place, so the marks
// survive when a process is killed. The first half is for the library, by address; the second half is for Go
// programs, by number. The core is in both: translated in the library, and as Go in the tool and in tests of its
// packages.
const (
	marksHalf = 1 << 21
	marksSize = 2 * marksHalf
)

// place is a piece of code that is executed as a whole: some lines of a file.
type place struct {
	file  string
	lines []int
}

// marks is the file of marks, and the meaning of its bytes.
type marks struct {
	path   string
	places map[int][]place
}

// clear makes the file empty, and extends it to its full size.
func (m *marks) clear() error {
	file, err := os.OpenFile(m.path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	return errors.Join(file.Truncate(marksSize), file.Chmod(0o666)) // a test may run as another user
}

// executedLines returns the lines that were executed since the last clear.
func (m *marks) executedLines() (map[string][]int, error) {
	data, err := os.ReadFile(m.path)
	if err != nil {
		return nil, err
	}
	out := map[string][]int{}
	for at, places := range m.places {
		if at < len(data) && data[at] != 0 {
			for _, p := range places {
				out[p.file] = append(out[p.file], p.lines...)
			}
		}
	}
	for file, lines := range out {
		slices.Sort(lines)
		out[file] = slices.Compact(lines)
	}
	return out, nil
}

// libraryMarks is linked into a library that is compiled with -fsanitize-coverage=trace-pc: the compiler then calls the
// function at the start of every basic block. It makes system calls itself, so that no interposer sees it.
const libraryMarks = `#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
static unsigned char *marks;
static int tried; /* where there is no room for the marks, once is enough */
static long call(long n, long a, long b, long c, long d, long e) {
    long r;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = 0;
    __asm__ volatile("syscall" : "=a"(r) : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return r;
}
__attribute__((no_caller_saved_registers)) void __sanitizer_cov_trace_pc(void);
__attribute__((no_caller_saved_registers)) void __sanitizer_cov_trace_pc(void) {
    if (!marks) {
        if (tried) return;
        long fd = call(SYS_openat, AT_FDCWD, (long)MARKS, O_RDWR | O_CLOEXEC, 0, 0);
        long at = fd < 0 ? -1 : call(SYS_mmap, 0, MARKS_HALF, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
        if (fd >= 0) call(SYS_close, fd, 0, 0, 0, 0);
        if (at < 0 && at > -4096) {
            tried = 1;
            return;
        }
        marks = (unsigned char *)at;
    }
    size_t pc = (const char *)__builtin_return_address(0) - __ehdr_start;
    if (pc < MARKS_HALF) marks[pc] = 1;
}
`

// goMarks is the package that instrumented Go code calls. goc reads noMarks instead.
const goMarks = `//go:build !purego

// Package zmarks notes which places are executed.
package zmarks

import "syscall"

var marks []byte

func init() {
	fd, err := syscall.Open(%q, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	marks, _ = syscall.Mmap(fd, %d, %d, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	syscall.Close(fd)
}

// At notes one place.
func At(place int) {
	if place < len(marks) {
		marks[place] = 1
	}
}
`

// noMarks replaces the marks where a test of the translator translates a package of the core.
const noMarks = `//go:build purego

package zmarks

// At notes nothing.
func At(int) {}
`

// sourceName returns the path within the repository of a file name in the debug information.
func sourceName(name string) string {
	for _, directory := range []string{"spine/", "internal/core/", runtimeSupport} {
		if i := strings.LastIndex(name, directory); i == 0 || i > 0 && name[i-1] == '/' {
			return name[i:]
		}
	}
	return ""
}

var label = regexp.MustCompile(`^b[0-9]+:`)

// lineByLine adds a line directive to each line of the translated core. goc writes one for several lines, and the compiler
// would count on, even into the next function.
func lineByLine(core, support string) (string, error) {
	head, tail, ok := strings.Cut(core, support)
	if !ok {
		return "", errors.New("build/core.c does not contain " + runtimeSupport + "goc.c")
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s#line 1 \"%sgoc.c\"\n%s", head, runtimeSupport, support)
	const nowhere = "#line 1 \"build/core.c\"\n"
	at, continued := nowhere, false
	for line := range strings.Lines(tail) {
		switch {
		case continued || line == "\n":
		case strings.HasPrefix(line, "#line "):
			at = line
			continue
		case line[0] == '#':
		default:
			if line[0] != ' ' && line[0] != '}' && !label.MatchString(line) {
				at = nowhere
			}
			out.WriteString(at)
		}
		continued = strings.HasSuffix(line, "\\\n")
		out.WriteString(line)
	}
	return out.String(), nil
}

// libraryPlaces maps the calls of the marking function in an instrumented library to source lines.
func libraryPlaces(library string, places map[int][]place) error {
	file, err := elf.Open(library)
	if err != nil {
		return err
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		return err
	}
	var target uint64
	type span struct{ from, to uint64 }
	var functions []span
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			functions = append(functions, span{s.Value, s.Value + s.Size})
		}
		if s.Name == "__sanitizer_cov_trace_pc" {
			target = s.Value
		}
	}
	slices.SortFunc(functions, func(a, b span) int { return int(a.from) - int(b.from) })
	text := file.Section(".text")
	if target == 0 || text == nil {
		return errors.New("the library is not instrumented")
	}
	code, err := text.Data()
	if err != nil {
		return err
	}
	var calls []uint64 // the addresses behind the calls
	for i := 0; i+5 <= len(code); i++ {
		after := text.Addr + uint64(i) + 5
		if code[i] == 0xe8 && after+uint64(int64(int32(binary.LittleEndian.Uint32(code[i+1:])))) == target {
			if after >= marksHalf {
				return errors.New("the instrumented library is too large for the marks")
			}
			calls = append(calls, after)
		}
	}
	type key struct {
		call uint64
		file string
	}
	lines := map[key][]int{}
	add := func(from, to uint64, name string, line int) {
		f := sort.Search(len(functions), func(i int) bool { return functions[i].to > from })
		if f == len(functions) || functions[f].from > from {
			return
		}
		i := sort.Search(len(calls), func(i int) bool { return calls[i] > from }) // the first call behind from
		if i > 0 && calls[i-1] > functions[f].from {
			i--
		}
		for first := true; i < len(calls) && calls[i] < functions[f].to && (first || calls[i] < to); i++ {
			k := key{calls[i], name}
			lines[k] = append(lines[k], line)
			first = false
		}
	}
	if err := eachLine(file, add); err != nil {
		return err
	}
	for k, list := range lines {
		slices.Sort(list)
		places[int(k.call)] = append(places[int(k.call)], place{file: k.file, lines: slices.Compact(list)})
	}
	return nil
}

// eachLine calls add for the code of each source line of a library, from its debug information.
func eachLine(library *elf.File, add func(from, to uint64, name string, line int)) error {
	data, err := library.DWARF()
	if err != nil {
		return err
	}
	for reader := data.Reader(); ; {
		entry, err := reader.Next()
		if err != nil || entry == nil {
			return nil
		}
		reader.SkipChildren()
		rows, err := data.LineReader(entry)
		if err != nil || rows == nil {
			continue
		}
		var row, last dwarf.LineEntry
		for known := false; ; {
			if err := rows.Next(&row); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
			if known && row.Address > last.Address && last.File != nil && last.Line > 0 {
				if name := sourceName(last.File.Name); name != "" {
					add(last.Address, row.Address, name, last.Line)
				}
			}
			last, known = row, !row.EndSequence
		}
	}
}

// instrumentGo puts a mark at the start of every block of statements of a file; the numbers go on from first.
func instrumentGo(file string, text []byte, first int, places map[int][]place) ([]byte, int, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	type insertion struct{ at, number int }
	var marks []insertion
	owner := make([]int, bytes.Count(text, []byte("\n"))+2) // the innermost block of a line
	block := func(behind, last token.Pos) {                 // from behind the brace or the colon to the last line
		marks = append(marks, insertion{files.Position(behind).Offset, first})
		top, bottom := files.Position(behind).Line, files.Position(last).Line
		for line := top; line <= bottom; line++ {
			if line > top || top == bottom || owner[line] == 0 { // the line of a condition is the outer block's
				owner[line] = first
			}
		}
		first++
	}
	ast.Inspect(parsed, func(node ast.Node) bool { // outer blocks come before those inside
		switch x := node.(type) {
		case *ast.BlockStmt:
			if len(x.List) > 0 {
				switch x.List[0].(type) {
				case *ast.CaseClause, *ast.CommClause: // the body of a switch has no statements of its own
					return true
				}
			}
			block(x.Lbrace+1, x.Rbrace)
		case *ast.CaseClause:
			block(x.Colon+1, x.End())
		case *ast.CommClause:
			block(x.Colon+1, x.End())
		}
		return true
	})
	for line, number := range owner {
		if number > 0 {
			if len(places[number]) == 0 {
				places[number] = []place{{file: file}}
			}
			places[number][0].lines = append(places[number][0].lines, line)
		}
	}
	slices.SortFunc(marks, func(a, b insertion) int { return b.at - a.at })
	out := string(text)
	for _, m := range marks {
		out = out[:m.at] + fmt.Sprintf(" zmarks.At(%d);", m.number-marksHalf) + out[m.at:]
	}
	at := files.Position(parsed.Name.End()).Offset
	out = out[:at] + "; import \"vkloader/internal/zmarks\"" + out[at:]
	if len(marks) == 0 {
		out = string(text)
	}
	return []byte(out), first, nil
}

// instrument builds, in the copy, a library and Go programs that mark the places they execute. The copy cannot be used for
// faults afterwards.
func (t *tree) instrument() (*marks, error) {
	m := &marks{path: filepath.Join(t.directory, "marks"), places: map[int][]place{}}
	if err := m.clear(); err != nil {
		return nil, err
	}
	source := filepath.Join(t.directory, "build", "marks.c")
	if err := os.WriteFile(source, []byte(libraryMarks), 0o644); err != nil {
		return nil, err
	}
	object := "build/marks.o"
	define := fmt.Sprintf(`gcc -O2 -fPIC -fvisibility=hidden -mgeneral-regs-only '-DMARKS="%s"' `+
		`-DMARKS_HALF=%d -c -o %s build/marks.c`,
		m.path, marksHalf, object)
	if text, err := t.shell(define); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", define, err, text)
	}
	core, err := os.ReadFile(t.coreText())
	if err != nil {
		return nil, err
	}
	support, err := os.ReadFile(t.path(runtimeSupport, "goc.c"))
	if err != nil {
		return nil, err
	}
	marked, err := lineByLine(string(core), string(support))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(t.coreText(), []byte(marked), 0o644); err != nil {
		return nil, err
	}
	for file, command := range t.spine[""].compile {
		text, err := t.shell(strings.Replace(command, " -c -o ", " -O1 -fno-inline -Wno-frame-larger-than "+
			"-fsanitize-coverage=trace-pc -c -o ", 1))
		if err != nil {
			return nil, fmt.Errorf("instrumenting %s: %w\n%s", file, err, text)
		}
	}
	if text, err := t.shell(t.spine[""].link + " " + object); err != nil {
		return nil, fmt.Errorf("linking: %w\n%s", err, text)
	}
	if err := libraryPlaces(filepath.Join(t.directory, "build", "libvulkan.so.1"), m.places); err != nil {
		return nil, err
	}
	number := marksHalf
	names, err := sources(t.directory)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		text, err := os.ReadFile(t.path(name))
		if err != nil {
			return nil, err
		}
		if text, number, err = instrumentGo(name, text, number, m.places); err != nil {
			return nil, err
		}
		if err := os.WriteFile(t.path(name), text, 0o644); err != nil {
			return nil, err
		}
	}
	directory := filepath.Join(t.directory, "internal", "zmarks")
	text := fmt.Sprintf(goMarks, m.path, marksHalf, marksHalf)
	if err := errors.Join(os.MkdirAll(directory, 0o755), os.WriteFile(filepath.Join(directory, "zmarks.go"), []byte(text),
		0o644),
		os.WriteFile(filepath.Join(directory, "none.go"), []byte(noMarks), 0o644)); err != nil {
		return nil, err
	}
	return m, t.buildTool()
}

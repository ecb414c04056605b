package facts

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/internal/core/wire"
	"vkloader/test/lib/binary"
	"vkloader/test/lib/world"
)

// fact is a question to a reader and its answer, as text.
type fact struct{ question, answer string }

// factsOf returns the facts in a message.
func factsOf(t testing.TB, message string) (all []fact) {
	t.Helper()
	in, ok := wire.Open(message)
	for ok {
		r, more := in.Next()
		if !more {
			break
		}
		if v, is := r.Var(); is {
			all = append(all, fact{variable(v.Name.Text, v.Secure), text(v.Value)})
		} else if v, is := r.Directory(); is {
			all = append(all, fact{"directory " + text(v.Path), fmt.Sprintf("status %d, names %s", v.Status, texts(v.Names))})
		} else if v, is := r.File(); is {
			all = append(all, fact{"file " + text(v.Path), fmt.Sprintf("status %d, content %s", v.Status, text(v.Content))})
		} else if v, is := r.Exe(); is {
			all = append(all, fact{"executable", text(v.Path)})
		} else if v, is := r.Exists(); is {
			all = append(all, fact{"exists " + text(v.Path), fmt.Sprint(v.Yes)})
		} else if v, is := r.Foreign(); is {
			all = append(all, fact{"foreign " + text(v.Path), fmt.Sprint(v.Yes)})
		} else if v, is := r.Graphics(); is {
			all = append(all, fact{"graphics devices", fmt.Sprintf("status %d, devices %s, power %s", v.Status, texts(v.Devices), texts(v.Power))})
		}
	}
	if !ok || in.Bad() {
		t.Fatalf("a malformed message of %d bytes", len(message))
	}
	return all
}

// questionsOf returns the questions in an answer of the core.
func questionsOf(answer string) (all []string) {
	in, _ := wire.Open(answer)
	for {
		r, more := in.Next()
		if !more {
			return all
		}
		if v, is := r.NeedVar(); is {
			all = append(all, variable(v.Name.Text, v.Secure))
		} else if v, is := r.NeedDirectory(); is {
			all = append(all, "directory "+text(v.Path))
		} else if v, is := r.NeedFile(); is {
			all = append(all, "file "+text(v.Path))
		} else if v, is := r.NeedExists(); is {
			all = append(all, "exists "+text(v.Path))
		} else if v, is := r.NeedForeign(); is {
			all = append(all, "foreign "+text(v.Path))
		} else if r.ID == wire.IDNeedExe {
			all = append(all, "executable")
		} else if r.ID == wire.IDNeedGraphics {
			all = append(all, "graphics devices")
		}
	}
}

func variable(name string, secure uint32) string {
	if secure != 0 {
		return fmt.Sprintf("secure variable %q", name)
	}
	return fmt.Sprintf("variable %q", name)
}

func text(s wire.Str) string {
	if !s.Set {
		return "none"
	}
	if len(s.Text) > 5000 {
		return fmt.Sprintf("%q... of %d bytes, %x", s.Text[:1000], len(s.Text), sha256.Sum256([]byte(s.Text)))
	}
	return fmt.Sprintf("%q", s.Text)
}

func texts(list []wire.Str) string {
	all := make([]string, len(list))
	for i, one := range list {
		all[i] = text(one)
	}
	return "[" + strings.Join(all, " ") + "]"
}

// scene is a world, and the question in it.
type scene struct {
	*world.World
	path     string       // the path by which the program is started; "": the world's bin/program
	file     string       // the file behind that path; "": path
	place    func(string) // changes the program's file before it is started
	elevated bool         // place gives the program more rights than its user has
	cwd      string
	calls    string   // a letter for each API call
	environ  []string // in place of Env
	asked    []facts.Need
}

func newScene(t *testing.T) *scene {
	t.Helper()
	if world.Target() != "" || world.Variant() != "" || os.Getenv("VKLOADER_TEST_LIBRARY") != "" {
		t.Skip("the plain build for this machine: the tool has one reader for all")
	}
	w := world.New(t)
	w.Env["WORLD"] = "1"
	if err := os.Chmod(filepath.Dir(w.Root), 0o755); err != nil { // made for this test alone
		t.Fatal(err)
	}
	if err := os.Chmod(w.Root, 0o777); err != nil {
		t.Fatal(err)
	}
	return &scene{World: w, cwd: w.Path("work"), calls: everyCall}
}

// files, directories, variables and libraries make the test ask for more facts than the core does.
func (s *scene) files(paths ...string) {
	for _, path := range paths {
		s.asked = append(s.asked, facts.Need{Kind: facts.KindFile, Name: path}, facts.Need{Kind: facts.KindExists, Name: path})
	}
}

func (s *scene) directories(paths ...string) {
	for _, path := range paths {
		s.asked = append(s.asked, facts.Need{Kind: facts.KindDirectory, Name: path})
	}
}

func (s *scene) variables(names ...string) {
	for _, name := range names {
		s.asked = append(s.asked, facts.Need{Kind: facts.KindVar, Name: name}, facts.Need{Kind: facts.KindVar, Name: name, Secure: true})
	}
}

func (s *scene) libraries(paths ...string) {
	for _, path := range paths {
		s.asked = append(s.asked, facts.Need{Kind: facts.KindForeign, Name: path})
	}
}

// put writes a file with the given name.
func (s *scene) put(path, content string, mode fs.FileMode) string {
	s.T.Helper()
	path = s.Path(path)
	s.must(os.MkdirAll(filepath.Dir(path), 0o755))
	s.must(os.WriteFile(path, []byte(content), 0o644))
	s.must(os.Chmod(path, mode))
	return path
}

// restrict sets a directory's mode until the end of the test, which removes its contents.
func (s *scene) restrict(path string, mode fs.FileMode) {
	s.T.Helper()
	s.must(os.Chmod(s.Path(path), mode))
	s.T.Cleanup(func() { s.must(os.Chmod(s.Path(path), 0o755)) })
}

func (s *scene) link(path, target string) string {
	s.T.Helper()
	path = s.Path(path)
	s.must(os.MkdirAll(filepath.Dir(path), 0o755))
	s.must(os.Symlink(target, path))
	return path
}

func (s *scene) must(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

// program links c/program.c with the spine, once for all tests.
var program = sync.OnceValues(func() (string, error) {
	directory, err := os.MkdirTemp("", "facts")
	if err != nil {
		return "", err
	}
	objects := filepath.Join(world.Build(), "obj")
	out := filepath.Join(directory, "program")
	args := []string{"-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I" + filepath.Join(world.Top(), "spine"), "-o", out, "c/program.c",
		"-Wl,--wrap=core_go_begin,--wrap=core_go_add,--wrap=core_go_decide", filepath.Join(objects, "core.o")}
	err = filepath.WalkDir(filepath.Join(objects, "spine"), func(path string, _ fs.DirEntry, err error) error {
		if source, ours := strings.CutSuffix(path, ".o"); err == nil && ours {
			// otherwise its source was renamed since
			if _, gone := os.Stat(filepath.Join(world.Top(), strings.TrimPrefix(source, objects))); gone == nil {
				args = append(args, path)
			}
		}
		return err
	})
	if err == nil {
		err = world.Compile(append(args, "-ldl", "-lpthread")...)
	}
	if err != nil {
		os.RemoveAll(directory)
		return "", err
	}
	defer os.RemoveAll(directory)
	content, err := os.ReadFile(out)
	return string(content), err
})

// ordinary returns a user other than root for both readers, if the test runs as root and the user can reach the
// world.
func (s *scene) ordinary() (c *syscall.Credential) {
	if os.Getuid() != 0 {
		return nil
	}
	for directory := s.Root; ; directory = filepath.Dir(directory) {
		if info, err := os.Stat(directory); err != nil || info.Mode()&1 == 0 {
			return nil
		}
		if directory == "/" {
			return &syscall.Credential{Uid: 65534, Gid: 65534}
		}
	}
}

// running is a process with the pipes to it.
type running struct {
	*os.Process
	to           *os.File
	from, stderr *os.File
	out, in      *os.File // of the program: to its core, and from it
}

// start starts a program of the scene by a path, with exactly the scene's variables.
func (s *scene) start(path string, arguments ...string) *running {
	s.T.Helper()
	environ := s.environ
	if environ == nil {
		for name, value := range s.Env {
			environ = append(environ, name+"="+value)
		}
		slices.Sort(environ)
	}
	var p running
	var theirs []*os.File
	pipe := func(mine **os.File, reads bool) {
		r, w, err := os.Pipe()
		s.must(err)
		if reads {
			theirs, *mine = append(theirs, w), r
		} else {
			theirs, *mine = append(theirs, r), w
		}
	}
	pipe(&p.to, false)
	pipe(&p.from, true)
	p.stderr = s.temporary()
	theirs = append(theirs, p.stderr)
	pipe(&p.out, true)
	pipe(&p.in, false)
	process, err := os.StartProcess(path, append([]string{path}, arguments...), &os.ProcAttr{Dir: s.cwd, Env: environ, Files: theirs,
		Sys: &syscall.SysProcAttr{Credential: s.ordinary()}})
	for _, f := range theirs {
		if f != p.stderr {
			f.Close()
		}
	}
	s.must(err)
	p.Process = process
	s.T.Cleanup(func() {
		for _, f := range []*os.File{p.to, p.from, p.stderr, p.out, p.in} {
			f.Close()
		}
	})
	return &p
}

func (s *scene) temporary() *os.File {
	s.T.Helper()
	f, err := os.CreateTemp(s.T.TempDir(), "stderr")
	s.must(err)
	return f
}

// end waits for the process to end.
func (s *scene) end(p *running) {
	s.T.Helper()
	p.to.Close()
	state, err := p.Wait()
	s.must(err)
	if !state.Success() {
		said, _ := os.ReadFile(p.stderr.Name())
		s.T.Fatalf("%v\n%s", state, said)
	}
}

// everyCall makes API calls with all kinds of questions, one of them twice.
const everyCall = "vlecc"

// library runs the program with the core of this process. It returns the messages of the library's reader, with an
// empty message at the beginning of each call of the core.
func (s *scene) library(path string) (messages []string) {
	s.T.Helper()
	p := s.start(path)
	var core *wire.Call
	var asked []string
	extra := false
	for _, what := range []byte(s.calls) {
		if _, err := p.to.Write([]byte{what}); err != nil {
			s.T.Fatal(err)
		}
		for kind := byte(0); kind != 'E'; {
			var message string
			kind, message = s.frame(p)
			switch kind {
			case 'B':
				core, asked, extra = wire.NewCall(platform()), nil, false
				messages = append(messages, "")
			case 'A', 'D':
				messages = append(messages, message)
				s.answered(asked, factsOf(s.T, message))
				if kind == 'A' {
					if !core.Add(message) {
						s.T.Fatal("the core cannot read a message")
					}
					asked = nil
					continue
				}
				answer, ok := core.Decide(message)
				if !ok {
					s.T.Fatal("the core cannot read a message")
				}
				if missing := uint32(answer[16]) == wire.AnswerMissing; missing && !extra {
					answer, extra = s.more(answer), true
				}
				asked = questionsOf(string(answer))
				s.must(give(bufio.NewWriter(p.in), answer))
			}
		}
	}
	s.end(p)
	return messages
}

// answered checks that the library answers the questions.
func (s *scene) answered(asked []string, told []fact) {
	s.T.Helper()
	for _, question := range asked {
		if !slices.ContainsFunc(told, func(f fact) bool { return f.question == question }) {
			s.T.Errorf("%s: the library did not answer", question)
		}
	}
}

// frame reads one message of the program.
func (s *scene) frame(p *running) (kind byte, message string) {
	s.T.Helper()
	var head [4]byte
	_, err := io.ReadFull(p.out, head[:])
	if err == nil {
		message, err = take(p.out)
	}
	if errors.Is(err, io.EOF) {
		s.end(p)
	}
	s.must(err)
	return head[0], message
}

// more adds the scene's own questions before those of an answer of the core.
func (s *scene) more(answer []byte) []byte {
	const head, first = 8, 16 // bytes of a message, and of the record that begins every answer
	var w wire.Writer
	w.PutAnswer(wire.Answer{Status: wire.AnswerMissing})
	for _, n := range s.asked {
		switch n.Kind {
		case facts.KindVar:
			v := wire.NeedVar{Name: wire.S(n.Name)}
			if n.Secure {
				v.Secure = 1
			}
			w.PutNeedVar(v)
		case facts.KindDirectory:
			w.PutNeedDirectory(wire.NeedDirectory{Path: wire.S(n.Name)})
		case facts.KindFile:
			w.PutNeedFile(wire.NeedFile{Path: wire.S(n.Name)})
		case facts.KindExists:
			w.PutNeedExists(wire.NeedExists{Path: wire.S(n.Name)})
		case facts.KindForeign:
			w.PutNeedForeign(wire.NeedForeign{Path: wire.S(n.Name)})
		}
	}
	w.PutNeedExe(wire.NeedExe{})
	w.PutNeedGraphics(wire.NeedGraphics{})
	return sized(append(bytes.Clone(w.Bytes()), answer[head+first:]...))
}

// tool runs the tool's reader from a file, for a program, on the library's messages, and returns the reader's
// messages.
func (s *scene) tool(file, program string, messages []string) (theirs []string) {
	s.T.Helper()
	p := s.start(file, asReader, program)
	to := bufio.NewWriter(p.to)
	for _, message := range messages {
		s.must(give(to, []byte(message)))
		if message == "" {
			theirs = append(theirs, "")
			continue
		}
		told, err := take(p.from)
		if err != nil {
			s.end(p)
		}
		s.must(err)
		theirs = append(theirs, told)
	}
	s.end(p)
	return theirs
}

// same compares the facts of both readers.
func (s *scene) same(how string, library, tool []string) (compared map[string]string) {
	s.T.Helper()
	compared = map[string]string{}
	reported := map[string]bool{}
	for i, message := range library {
		if message == "" {
			continue
		}
		ours, theirs := factsOf(s.T, message), factsOf(s.T, tool[i])
		if len(ours) != len(theirs) {
			s.T.Fatalf("%s: %d facts of the library, %d of the tool", how, len(ours), len(theirs))
		}
		for k, f := range ours {
			compared[f.question] = f.answer
			if f != theirs[k] && !reported[f.question] {
				reported[f.question] = true
				s.T.Errorf("%s: %s\n  library: %s\n  tool:    %s", how, f.question, f.answer, theirs[k].answer)
			}
		}
	}
	return compared
}

// check runs both readers, compares them, and returns the facts by their questions.
func (s *scene) check() map[string]string {
	s.T.Helper()
	content, err := program()
	s.must(err)
	own, err := os.Executable()
	s.must(err)
	reader, err := os.ReadFile(own)
	s.must(err)
	tool := s.Path("tool")
	s.must(binary.WriteProgram(tool, reader))
	if s.path == "" {
		s.path = s.Path("bin/program")
	}
	if s.file == "" {
		s.file = s.path
	}
	s.must(os.MkdirAll(filepath.Dir(s.file), 0o755))
	s.must(binary.WriteProgram(s.file, []byte(content)))
	if s.place != nil {
		s.place(s.file)
	}
	library := s.library(s.path)
	compared := s.same("for a program", library, s.tool(tool, s.path, library))
	if !s.elevated { // once more with the reader as the program itself
		s.must(os.Remove(s.file))
		s.must(os.Link(tool, s.file))
		s.same("for itself", library, s.tool(s.path, "-", library))
	}
	return compared
}

// holds checks a question and its answer, to ensure that the case tests its subject.
func (s *scene) holds(compared map[string]string, question, answer string) {
	s.T.Helper()
	if got, asked := compared[question]; !asked || got != answer {
		s.T.Errorf("%s: %s, want %s", question, got, answer)
	}
}

// platform is the platform for which the library was built.
var platform = sync.OnceValue(func() search.Platform {
	p := search.Linux()
	if text, err := os.ReadFile(filepath.Join(world.Build(), "directories")); err == nil {
		p.SysConfDir, p.ExtraSysConfDir, _ = strings.Cut(strings.TrimSuffix(string(text), "\n"), ":")
	}
	return p
})

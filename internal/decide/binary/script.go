package binary

import (
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"vkloader/internal/decide/machine"
)

// maxScript is the greatest length of a script that is read.
const maxScript = 64 << 10

// Assignment is a line of a script that sets or unsets a variable of the program that the script starts.
type Assignment struct {
	Name, Value string
	Unset       bool
	File        string
	Line        int
}

// script reads a launcher script: its assignments outside conditions, and the program that it starts. A value is known
// if it depends only on the script's path, on the environment and on other known values. It executes nothing.
type script struct {
	machine   *machine.Machine
	file      string
	values    map[string]string     // the known variables
	lines     map[string]int        // where they were set
	exported  map[string]Assignment // for programs; without a line: not set yet
	directory string                // the current one; "": unknown
	program   string                // the program beside the script that it starts; "": unknown
	paths     string                // LD_LIBRARY_PATH of the program
	last      start                 // the last command, which ends the script if it is exec
}

// start is a command that may be the program that a script starts.
type start struct {
	program   string // its file; "": unknown, such as that of "$@"
	variables []Assignment
	ends      bool // exec: no line after it counts
}

func newScript(m *machine.Machine, file string) *script {
	return &script{machine: m, file: file, values: map[string]string{"0": file, "BASH_SOURCE": file},
		lines: map[string]int{}, exported: map[string]Assignment{}}
}

// root returns the directory that the script's program must be below: the script's own, or the parent of its bin
// directory.
func (s *script) root() string {
	directory := path.Dir(s.file)
	if path.Base(directory) == "bin" {
		return path.Dir(directory)
	}
	return directory
}

// read reads the script up to the first start of a program. After it, there may be data.
func (s *script) read(text string) {
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	_ = parser.Stmts(strings.NewReader(strings.ReplaceAll(text, "\r\n", "\n")), func(statement *syntax.Stmt) bool {
		s.statement(statement)
		return !s.hasEnded()
	}) // an error ends the script
}

// hasEnded reports whether the script has started its program.
func (s *script) hasEnded() bool { return s.program != "" || s.last.ends }

// statement reads a statement. It skips conditions, loops and functions.
func (s *script) statement(statement *syntax.Stmt) {
	switch command := statement.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(command)
	case *syntax.DeclClause:
		exports := command.Variant.Value == "export"
		for _, a := range command.Args {
			name, is := assignmentName(a.Value)
			if a.Name != nil {
				name, is = a.Name.Value, !a.Naked
			} else if a.Value != nil && a.Value.Lit() == "-x" {
				exports = true
			}
			if is {
				s.assign(name, a.Value, true)
				s.lines[name] = int(a.Pos().Line())
			}
			if exports && name != "" {
				s.export(name)
			}
		}
	case *syntax.BinaryCmd:
		s.statement(command.X)
		if !s.hasEnded() {
			s.statement(command.Y)
		}
	}
}

// export makes the known value of a variable one of the programs that the script starts.
func (s *script) export(name string) {
	value, known := s.values[name]
	if known && s.lines[name] > 0 {
		s.exported[name] = Assignment{Name: name, Value: value, File: s.file, Line: s.lines[name]}
	} else {
		s.exported[name] = Assignment{}
	}
}

// unset removes a variable.
func (s *script) unset(name string, line int) {
	delete(s.values, name)
	delete(s.exported, name)
	if _, set := s.machine.Lookup(name); set {
		s.exported[name] = Assignment{Name: name, Unset: true, File: s.file, Line: line}
	}
}

// assign reads an assignment, and returns the value; false: it is unknown. The word may be the value or the whole
// assignment.
func (s *script) assign(name string, word *syntax.Word, keep bool) (value string, ok bool) {
	value, ok = s.expandValue(word)
	if _, whole := assignmentName(word); whole {
		_, value, _ = strings.Cut(value, "=")
	}
	if !ok {
		delete(s.values, name)
		return "", false
	}
	if keep {
		s.values[name] = value
	}
	return value, true
}

// assignmentName returns the variable of a word that is an assignment, as env takes it.
func assignmentName(word *syntax.Word) (name string, is bool) {
	var text strings.Builder
	if word == nil || syntax.NewPrinter().Print(&text, word) != nil {
		return "", false
	}
	name, _, is = strings.Cut(strings.TrimLeft(text.String(), `"'`), "=")
	return name, is && syntax.ValidName(name)
}

// notStarted are commands of the shell, and usual helpers of scripts: none is the program that a script starts.
var notStarted = []string{
	"[", "[[", ":", ".", "alias", "break", "cat", "chmod", "cp", "declare", "dirname", "echo", "eval", "exit",
	"export", "false", "kill", "ln", "local", "mkdir", "printf", "pwd", "read", "readlink", "realpath",
	"return", "rm", "set", "shift", "sleep", "source", "test", "touch", "trap", "true", "type", "ulimit",
	"umask", "wait", "which",
}

// call reads a simple command.
func (s *script) call(command *syntax.CallExpr) {
	line := int(command.Pos().Line())
	temporary := map[string]Assignment{}
	add := func(name string, word *syntax.Word, keep bool) {
		temporary[name] = Assignment{} // unknown
		if value, known := s.assign(name, word, keep); known {
			temporary[name] = Assignment{Name: name, Value: value, File: s.file, Line: line}
		}
	}
	for _, a := range command.Assigns {
		add(a.Name.Value, a.Value, len(command.Args) == 0)
		if _, environment := s.machine.Lookup(a.Name.Value); len(command.Args) == 0 {
			s.lines[a.Name.Value] = line
			if _, is := s.exported[a.Name.Value]; is || environment {
				s.export(a.Name.Value)
			}
		}
	}
	ends := false
	for i := 0; i < len(command.Args); i++ {
		word := command.Args[i]
		name, is := assignmentName(word)
		switch text, known := s.expand(word); {
		case is:
			add(name, word, false)
		case text == "exec" || text == "env" || text == "command" || text == "nohup":
			ends = ends || text == "exec"
		case text == "-a":
			i++
		case text == "-u" && i+1 < len(command.Args):
			i++
			name := command.Args[i].Lit()
			temporary[name] = Assignment{Name: name, Unset: true, File: s.file, Line: line}
		case strings.HasPrefix(text, "-"):
		case text == "unset":
			for _, word := range command.Args[i+1:] {
				s.unset(word.Lit(), line)
			}
			return
		case text == "cd" && i+1 < len(command.Args):
			s.directory, _ = s.expand(command.Args[i+1])
			s.directory = s.absolute(s.directory)
			s.values["PWD"] = s.directory
			return
		case slices.Contains(notStarted, text):
			return
		default:
			s.start(text, known, temporary, ends)
			return
		}
	}
}

// start notes a command, with the variables that it gets. A file beside the script is its program.
func (s *script) start(name string, known bool, temporary map[string]Assignment, ends bool) {
	all := maps.Clone(s.exported)
	maps.Copy(all, temporary)
	s.last = start{ends: ends}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if a := all[name]; a.Line > 0 && name != libraryPath && name != "PATH" {
			s.last.variables = append(s.last.variables, a)
		}
	}
	if !known || name == "" {
		return
	}
	if !strings.Contains(name, "/") {
		s.last.program, _ = s.machine.FindProgram(name)
		return
	}
	name = s.absolute(name)
	if info, err := s.machine.Stat(name); err != nil || !info.Mode().IsRegular() || name == s.file {
		s.last.ends = ends && name != s.file
		return
	}
	s.last.program = name
	if !strings.HasPrefix(name, s.root()+"/") {
		return
	}
	value := s.values[libraryPath]
	if a, set := temporary[libraryPath]; set {
		value = a.Value
	}
	var list []string
	for _, directory := range strings.Split(value, ":") {
		if directory != "" {
			list = append(list, s.absolute(directory))
		}
	}
	s.program, s.paths = name, strings.Join(list, ":")
}

// libraryPath is the variable of the dynamic linker.
const libraryPath = "LD_LIBRARY_PATH"

// absolute returns a path from the current directory, or from the script's if the current one is unknown.
func (s *script) absolute(name string) string {
	if name == "" || path.IsAbs(name) {
		return path.Clean("/" + name)
	}
	directory := s.directory
	if directory == "" {
		directory = path.Dir(s.file)
	}
	return path.Join(directory, name)
}

// expand returns the value of a word; false: it is unknown, or a pattern of files.
func (s *script) expand(word *syntax.Word) (value string, ok bool) {
	for _, part := range word.Parts {
		if text, is := part.(*syntax.Lit); is && strings.ContainsAny(text.Value, "*?~") {
			return "", false
		}
	}
	return s.expandValue(word)
}

// expandValue returns the value of an assignment, in which patterns of files are plain text; false: it is unknown.
func (s *script) expandValue(word *syntax.Word) (value string, ok bool) {
	if word == nil { // an empty value
		return "", true
	}
	plain := &syntax.Word{} // Literal leaves backslashes outside quotes
	for _, part := range word.Parts {
		if text, is := part.(*syntax.Lit); is {
			part = &syntax.Lit{Value: unescape(text.Value)}
		}
		plain.Parts = append(plain.Parts, part)
	}
	value, err := expand.Literal(&expand.Config{Env: s, NoUnset: true, CmdSubst: s.substitute}, plain)
	return value, err == nil
}

// unescape returns a text without the backslashes that quote the character after them.
func unescape(text string) string {
	var plain strings.Builder
	quotes := false
	for _, r := range text {
		if quotes = r == '\\' && !quotes; !quotes {
			plain.WriteRune(r)
		}
	}
	return plain.String()
}

// Get returns a known variable, or one from the environment that starts the script: the caller adds that of paths.
func (s *script) Get(name string) expand.Variable {
	value, known := s.values[name]
	if name == "APPDIR" && !known {
		value, known = path.Dir(s.file), true
	}
	caller := name == libraryPath || name == "PATH"
	if !known && !caller {
		value, known = s.machine.Lookup(name)
	}
	return expand.Variable{Set: known || caller || strings.HasPrefix(name, "VK_"), Kind: expand.String, Str: value}
}

// Each is a part of expand.Environ. No expansion lists the variables.
func (s *script) Each(func(string, expand.Variable) bool) {}

var errUnknown = errors.New("the command does more than name a place")

// substitute writes the output of a command's substitution.
func (s *script) substitute(to io.Writer, from *syntax.CmdSubst) error {
	before := s.directory
	defer func() { s.directory = before }()
	var output string
	for _, statement := range from.Stmts {
		var known bool
		if output, known = s.output(statement); !known {
			return errUnknown
		}
	}
	_, err := io.WriteString(to, output)
	return err
}

// output returns the output of a command that names a place: the ways of scripts to find their own directory.
func (s *script) output(statement *syntax.Stmt) (text string, ok bool) {
	if list, is := statement.Cmd.(*syntax.BinaryCmd); is {
		if first, ok := s.output(list.X); !ok || first != "" {
			return "", false
		}
		return s.output(list.Y)
	}
	command, is := statement.Cmd.(*syntax.CallExpr)
	if !is || len(command.Args) == 0 {
		return "", false
	}
	var names []string
	for _, word := range command.Args[1:] {
		name, ok := s.expand(word)
		if !ok {
			return "", false
		}
		if !strings.HasPrefix(name, "-") {
			names = append(names, name)
		}
	}
	switch name := command.Args[0].Lit(); {
	case name == "cd" && len(names) == 1:
		s.directory = s.absolute(names[0])
		return "", true
	case name == "pwd":
		return s.absolute("."), true
	case (name == "readlink" || name == "realpath") && len(names) == 1:
		place := s.absolute(names[0])
		if real, err := s.machine.Real(place); err == nil {
			place = real
		}
		return place, true
	case name == "dirname" && len(names) == 1:
		return path.Dir(s.absolute(names[0])), true
	case name == "echo" && len(names) == 1:
		return names[0], true
	}
	return "", false
}

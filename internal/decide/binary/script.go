package binary

import (
	"errors"
	"io"
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"vkloader/internal/decide/machine"
)

// maxScript is the greatest length of a script that is read.
const maxScript = 64 << 10

// script reads a launcher script: its assignments outside conditions, and the program that it starts. A value is known if it
// depends only on the script's path and on other known values. It executes nothing.
type script struct {
	machine   *machine.Machine
	file      string
	values    map[string]string // the known variables
	directory string            // the current one; "": unknown
	program   string            // the program that it starts; "": unknown
	paths     string            // LD_LIBRARY_PATH of the program
}

func newScript(m *machine.Machine, file string) *script {
	return &script{machine: m, file: file, values: map[string]string{"0": file, "BASH_SOURCE": file}}
}

// root returns the directory that the script's program must be below: the script's own, or the parent of its bin directory.
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
		return s.program == ""
	}) // an error ends the script
}

// statement reads a statement. It skips conditions, loops and functions.
func (s *script) statement(statement *syntax.Stmt) {
	switch command := statement.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(command)
	case *syntax.DeclClause:
		for _, a := range command.Args {
			if a.Name != nil && !a.Naked {
				s.assign(a.Name.Value, a.Value, true)
			} else if name, is := assignmentName(a.Value); is {
				s.assign(name, a.Value, true)
			}
		}
	case *syntax.BinaryCmd:
		s.statement(command.X)
		if s.program == "" {
			s.statement(command.Y)
		}
	}
}

// assign reads an assignment, and returns the value; "": it is unknown. The word may be the value or the whole assignment.
func (s *script) assign(name string, word *syntax.Word, keep bool) string {
	value, ok := s.expand(word)
	if _, whole := assignmentName(word); whole {
		_, value, _ = strings.Cut(value, "=")
	}
	if !ok {
		delete(s.values, name)
		return ""
	}
	if keep {
		s.values[name] = value
	}
	return value
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

// call reads a simple command.
func (s *script) call(command *syntax.CallExpr) {
	temporary := map[string]string{}
	for _, a := range command.Assigns {
		temporary[a.Name.Value] = s.assign(a.Name.Value, a.Value, len(command.Args) == 0)
	}
	for i := 0; i < len(command.Args); i++ {
		word := command.Args[i]
		name, is := assignmentName(word)
		switch text, _ := s.expand(word); {
		case is:
			temporary[name] = s.assign(name, word, false)
		case text == "exec" || text == "env" || text == "command" || text == "nohup":
		case text == "-a":
			i++
		case strings.HasPrefix(text, "-"):
		case text == "cd" && i+1 < len(command.Args):
			s.directory, _ = s.expand(command.Args[i+1])
			s.directory = s.absolute(s.directory)
			s.values["PWD"] = s.directory
			return
		default:
			s.start(text, temporary)
			return
		}
	}
}

// start notes the program, if it is a file beside the script.
func (s *script) start(name string, temporary map[string]string) {
	if !strings.Contains(name, "/") {
		return
	}
	if name = s.absolute(name); name == s.file || !strings.HasPrefix(name, s.root()+"/") {
		return
	}
	if info, err := s.machine.Stat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	const variable = "LD_LIBRARY_PATH"
	value, set := temporary[variable]
	if !set {
		value = s.values[variable]
	}
	var list []string
	for _, directory := range strings.Split(value, ":") {
		if directory != "" {
			list = append(list, s.absolute(directory))
		}
	}
	s.program, s.paths = name, strings.Join(list, ":")
}

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
	if word == nil { // an empty value
		return "", true
	}
	plain := &syntax.Word{} // Literal leaves backslashes outside quotes
	for _, part := range word.Parts {
		if text, is := part.(*syntax.Lit); is {
			if strings.ContainsAny(text.Value, "*?~") {
				return "", false
			}
			part = &syntax.Lit{Value: backslash.ReplaceAllString(text.Value, "$1")}
		}
		plain.Parts = append(plain.Parts, part)
	}
	value, err := expand.Literal(&expand.Config{Env: s, NoUnset: true, CmdSubst: s.substitute}, plain)
	return value, err == nil
}

var backslash = regexp.MustCompile(`\\(.)`)

// Get returns a known variable, or one from the environment that starts the script: the caller adds that value.
func (s *script) Get(name string) expand.Variable {
	value, known := s.values[name]
	if name == "APPDIR" && !known {
		value, known = path.Dir(s.file), true
	}
	return expand.Variable{Set: known || name == "LD_LIBRARY_PATH" || name == "PATH", Kind: expand.String, Str: value}
}

// Each is a part of expand.Environ. No expansion lists the variables.
func (s *script) Each(func(string, expand.Variable) bool) {}

var errUnknown = errors.New("the command does more than name a place")

// substitute writes the output of a command's substitution.
func (s *script) substitute(to io.Writer, from *syntax.CmdSubst) error {
	before := s.directory
	defer func() { s.directory = before }()
	output, known := "", len(from.Stmts) > 0
	for _, statement := range from.Stmts {
		output, known = s.output(statement)
		if !known {
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

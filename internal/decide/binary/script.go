package binary

import (
	"path"
	"strings"

	"vkloader/internal/decide/machine"
)

// maxScript is the greatest length of a script that is read.
const maxScript = 64 << 10

// script reads a launcher script: its assignments outside conditions, and the program that it starts. A value is known if it
// depends only on the script's path and on other known values.
type script struct {
	machine   *machine.Machine
	file      string
	values    map[string]string // the known variables
	directory string            // the current one; "": unknown
	depth     int               // of conditions, loops and functions
	program   string            // the program that it starts; "": unknown
	paths     string            // LD_LIBRARY_PATH of the program
}

func newScript(m *machine.Machine, file string) *script {
	return &script{machine: m, file: file, values: map[string]string{"0": file, "BASH_SOURCE": file, "BASH_SOURCE[0]": file, "BASH_SOURCE[@]": file}}
}

// root returns the directory that the script's program must be below: the script's own, or the parent of its bin directory.
func (s *script) root() string {
	directory := path.Dir(s.file)
	if path.Base(directory) == "bin" {
		return path.Dir(directory)
	}
	return directory
}

// read reads the lines of the script up to the first start of a program.
func (s *script) read(text string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, line := range strings.Split(text, "\n") {
		for _, command := range commandsIn(line) {
			s.command(command)
			if s.program != "" {
				return
			}
		}
	}
}

// opening returns 1 for a word that begins a compound command, -1 for a word that ends one, and otherwise 0.
func opening(word string) int {
	switch word {
	case "if", "for", "while", "until", "case", "{":
		return 1
	case "fi", "done", "esac", "}":
		return -1
	}
	return 0
}

// command reads a simple command, given by its words.
func (s *script) command(words []string) {
	if change := opening(words[0]); change != 0 || strings.HasSuffix(words[0], "()") || len(words) > 1 && words[1] == "()" {
		s.depth = max(0, s.depth+change)
		if change == 0 && words[len(words)-1] == "{" {
			s.depth++
		}
		return
	}
	if s.depth > 0 {
		return
	}
	temporary := map[string]string{}
	exported := false
	for len(words) > 0 {
		words[0] = assignment(words[0])
		switch name, value, is := strings.Cut(words[0], "="); {
		case words[0] == "export" || words[0] == "readonly" || words[0] == "local" || words[0] == "declare":
			exported = true
		case is && isVariable(name):
			known, ok := s.expand(value)
			if !ok {
				known = ""
				delete(s.values, name)
			}
			if temporary[name] = known; exported || len(words) == 1 || assignments(words) {
				if ok {
					s.values[name] = known
				}
			}
		case exported:
		case words[0] == "exec" || words[0] == "env" || words[0] == "command" || words[0] == "nohup":
		case words[0] == "-a" && len(words) > 1:
			words = words[1:]
		case strings.HasPrefix(words[0], "-"):
		case words[0] == "cd" && len(words) > 1:
			s.directory, _ = s.expand(words[1])
			s.directory = s.absolute(s.directory)
			s.values["PWD"] = s.directory
			return
		default:
			s.start(words[0], temporary)
			return
		}
		words = words[1:]
	}
}

// start notes the program that a word names, if it is a file beside the script.
func (s *script) start(word string, temporary map[string]string) {
	name, ok := s.expand(word)
	if !ok || !strings.Contains(name, "/") {
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

// assignment moves a quote before an assignment to the start of its value: "A=b" becomes A="b". Other words are unchanged.
func assignment(word string) string {
	for _, quote := range []string{`"`, "'"} {
		name, value, is := strings.Cut(strings.TrimPrefix(word, quote), "=")
		if is && strings.HasPrefix(word, quote) && isVariable(name) {
			return name + "=" + quote + value
		}
	}
	return word
}

// assignments reports whether words are assignments without a command.
func assignments(words []string) bool {
	for _, word := range words {
		if name, _, is := strings.Cut(word, "="); !is || !isVariable(name) {
			return false
		}
	}
	return true
}

// isVariable reports whether a word is a variable's name.
func isVariable(name string) bool {
	return name != "" && strings.Trim(strings.ToUpper(name), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && (name[0] < '0' || name[0] > '9')
}

// commandsIn splits a line into commands, and each into words with their quotes. A comment ends the line.
func commandsIn(line string) (commands [][]string) {
	var words []string
	word, quote, depth := "", byte(0), 0
	end := func() {
		if word != "" {
			words = append(words, word)
		}
		word = ""
	}
	finish := func() {
		end()
		for len(words) > 0 && (words[0] == "then" || words[0] == "else" || words[0] == "do" || words[0] == "!") {
			words = words[1:]
		}
		if len(words) > 0 {
			commands = append(commands, words)
		}
		words = nil
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line):
			word += line[i : i+2]
			i++
			continue
		case quote == 0 && depth == 0 && c == '#' && word == "":
			finish()
			return commands
		case (c == '"' || c == '\'' || c == '`') && (quote == 0 || quote == c) && depth == 0:
			if quote = c; word != "" && strings.Count(unescaped(word), string(c))%2 == 1 {
				quote = 0
			}
		case c == '$' && i+1 < len(line) && (line[i+1] == '(' || line[i+1] == '{') && quote != '\'':
			depth++
			word += line[i : i+2]
			i++
			continue
		case depth > 0 && (c == '(' || c == '{'):
			depth++
		case depth > 0 && (c == ')' || c == '}'):
			depth--
		}
		switch {
		case quote == 0 && depth == 0 && (c == ';' || c == '|' || c == '&' && !strings.HasSuffix(word, ">")):
			finish()
		case quote == 0 && depth == 0 && (c == ' ' || c == '\t' || c == '\r'):
			end()
		default:
			word += string(c)
		}
	}
	finish()
	return commands
}

// unescaped returns a word without its substitutions. Quotes inside a substitution do not count for the word.
func unescaped(word string) string {
	for {
		start := strings.Index(word, "$(")
		if start < 0 {
			return word
		}
		stop := closing(word, start+1, '(', ')')
		if stop < 0 {
			return word[:start]
		}
		word = word[:start] + word[stop+1:]
	}
}

// closing returns the place of the bracket that closes the one at a place; -1: there is none.
func closing(text string, at int, open, close byte) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case open:
			depth++
		case close:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// expand returns the value of a word: with its quotes removed, and with known variables and the known ways to a script's own
// directory. It returns false for a value that is unknown.
func (s *script) expand(word string) (value string, ok bool) {
	for i := 0; i < len(word); i++ {
		switch c := word[i]; c {
		case '"':
		case '\'':
			end := strings.IndexByte(word[i+1:], '\'')
			if end < 0 {
				return "", false
			}
			value, i = value+word[i+1:i+1+end], i+1+end
		case '\\':
			if i++; i < len(word) {
				value += word[i : i+1]
			}
		case '`':
			end := strings.IndexByte(word[i+1:], '`')
			if end < 0 {
				return "", false
			}
			text, is := s.output(word[i+1 : i+1+end])
			if !is {
				return "", false
			}
			value, i = value+text, i+1+end
		case '$':
			text, length, is := s.substitution(word[i:])
			if !is {
				return "", false
			}
			value, i = value+text, i+length-1
		case '*', '?', '~':
			return "", false
		default:
			value += string(c)
		}
	}
	return value, true
}

// inherited reports whether a variable may have a value from the environment that starts the script. The caller adds that
// value.
func inherited(name string) bool { return name == "LD_LIBRARY_PATH" || name == "PATH" }

// substitution returns the value of the substitution at the start of a text, and its length.
func (s *script) substitution(text string) (value string, length int, ok bool) {
	switch {
	case strings.HasPrefix(text, "$("):
		end := closing(text, 1, '(', ')')
		if end < 0 {
			return "", 0, false
		}
		value, ok = s.output(text[2:end])
		return value, end + 1, ok
	case strings.HasPrefix(text, "${"):
		end := closing(text, 1, '{', '}')
		if end < 0 {
			return "", 0, false
		}
		value, ok = s.parameter(text[2:end])
		return value, end + 1, ok
	}
	end := 1
	for end < len(text) && isVariable("_"+text[1:end+1]) {
		end++
	}
	if end > 2 && text[1] == '0' { // $0, followed by a digit
		end = 2
	}
	value, ok = s.parameter(text[1:end])
	return value, end, ok
}

// parameter returns the value of a parameter's expansion, as between "${" and "}".
func (s *script) parameter(text string) (string, bool) {
	if name, is := strings.CutSuffix(text, "%/*"); is {
		value, known := s.values[name]
		return path.Dir(s.absolute(value)), known
	}
	name, otherwise := text, ""
	for _, operator := range []string{":+", "+", ":-", "-"} {
		at := strings.Index(text, operator)
		if at <= 0 || !isVariable(text[:at]) {
			continue
		}
		if name, otherwise = text[:at], text[at+len(operator):]; strings.Contains(operator, "+") {
			if value := s.values[name]; value == "" {
				return "", true
			}
			return s.expand(otherwise)
		}
		if value, known := s.values[name]; known && value != "" {
			return value, true
		}
		return s.expand(otherwise)
	}
	value, known := s.values[name]
	switch {
	case known || inherited(name):
		return value, true
	case name == "APPDIR":
		return path.Dir(s.file), true
	}
	return "", false
}

// output returns the output of a command in a substitution; false: the command does more than name a place.
func (s *script) output(text string) (string, bool) {
	commands := commandsIn(text)
	directory, before := s.directory, s.directory
	defer func() { s.directory = before }()
	for at, words := range commands {
		var names []string
		for _, word := range words[1:] {
			if strings.HasPrefix(word, "-") || strings.HasPrefix(word, ">") || strings.HasPrefix(word, "2>") || word == "/dev/null" {
				continue
			}
			name, ok := s.expand(word)
			if !ok {
				return "", false
			}
			names = append(names, name)
		}
		last := at == len(commands)-1
		switch {
		case words[0] == "cd" && len(names) == 1:
			directory = s.absolute(names[0])
			s.directory = directory
		case words[0] == "pwd" && last:
			if directory == "" {
				directory = path.Dir(s.file)
			}
			return directory, true
		case (words[0] == "readlink" || words[0] == "realpath") && len(names) == 1 && last:
			name := s.absolute(names[0])
			if real, err := s.machine.Real(name); err == nil {
				name = real
			}
			return name, true
		case words[0] == "dirname" && len(names) == 1 && last:
			return path.Dir(s.absolute(names[0])), true
		case words[0] == "echo" && len(names) == 1 && last:
			return names[0], true
		default:
			return "", false
		}
	}
	return "", false
}

package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// listed reads tools/test-packages.txt: the package of each program.
func listed(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, "tools/test-packages.txt"))
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		words := strings.Fields(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		known := []string{"all", "optional", "target", "unpacked"}
		if len(words) < 2 || len(words) > 3 || len(words) == 3 && !slices.Contains(known, words[2]) || list[words[0]] != "" {
			t.Errorf("tools/test-packages.txt:%d: %q", i+1, line)
			continue
		}
		list[words[0]] = words[1]
	}
	return list
}

// The programs that tests start are in the list of packages, from which "make test" installs: an unlisted program is one
// that was installed by hand.
func TestProgramsAreListed(t *testing.T) {
	t.Parallel()
	list := listed(t)
	found := startedByTests(t)
	for _, program := range []string{"clang", "objdump", "systemd-socket-activate", "Xvfb", "zsh", "node", "timeout", "diff", "mkfifo", "clang-format"} {
		if len(found[program]) == 0 {
			t.Errorf("%s is started by a test, and not found here", program)
		}
	}
	// Texts of fields whose name a field with programs has, too.
	others := []string{"a", "b", "is", "testdata"}
	for program, where := range found {
		if slices.Contains(others, program) {
			continue
		}
		if list[program] == "" {
			t.Errorf("%s starts %s, which is not in tools/test-packages.txt", where[0], program)
		}
	}
}

// A list without a program that is started is noticed, however the program's name gets there.
func TestProgramsAreSeen(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a name":      `func f() { exec.Command("acme", "x") }`,
		"a look":      `func f() { exec.LookPath("acme") }`,
		"a context":   `func f() { exec.CommandContext(ctx, "acme") }`,
		"a variable":  `func f() { name := "acme"; exec.Command(name) }`,
		"a parameter": `func g(t T, name string) { exec.Command(name) }; func f() { g(t, "acme") }`,
		"a method":    `func (s S) Run(l int, name string) { exec.Command(name) }; func f() { s.Run(1, "acme") }`,
		"words":       `func g(words ...string) { exec.Command(words[0], words[1:]...) }; func f() { g("acme", "-x") }`,
		"a table":     `func f() { for _, c := range []struct{ a, compiler string }{{"b", "acme"}} { exec.Command(c.compiler) } }`,
		"keys":        `var r = []R{{program: "acme"}}; func f() { exec.Command(r[0].program) }`,
		"a list":      `var r = [][]string{{"b"}, {"acme", "x"}}; func f() { for _, w := range r { exec.Command(w[0], w[1:]...) } }`,
		"fields":      `func f() { for _, p := range strings.Fields("acme -x") { exec.LookPath(p) } }`,
		"a shell":     `func f() { exec.Command("sh", "-c", "cd x && acme y") }`,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x_test.go", "package x\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := newStarts()
		s.read("x", []*ast.File{file})
		if !slices.Contains(s.names(), "acme") {
			t.Errorf("%s: %v", name, s.names())
		}
	}
	for _, script := range []string{"acme x", "if acme; then :; fi", "x=$(acme y)", "a=b acme", "true | acme", "f() {\n  acme\n}"} {
		if !slices.Contains(inShell(script), "acme") {
			t.Errorf("%q: %v", script, inShell(script))
		}
	}
}

// The package's build has each program that the tests of debian/rules start: as a build dependency, or as a part of every build.
func TestDebianBuildsWithItsPrograms(t *testing.T) {
	t.Parallel()
	_, command, found := strings.Cut(readFile(t, "debian/rules"), "go test ")
	command, _, ends := strings.Cut(command, "\nendif")
	if !found || !ends {
		t.Fatal("debian/rules has no line that tests")
	}
	tested := regexp.MustCompile(`\./(internal/[\w/]+)`).FindAllStringSubmatch(command, -1)
	depends, _, _ := strings.Cut(readFile(t, "debian/control"), "Standards-Version")
	list := listed(t)
	every := strings.Fields("- bash binutils coreutils dash dpkg dpkg-dev diffutils findutils gcc grep gzip make mawk sed tar util-linux")
	programs := startedIn(t, func(pack string) bool {
		return slices.ContainsFunc(tested, func(m []string) bool { return strings.HasPrefix(pack+"/", strings.TrimSuffix(m[1], "/")+"/") })
	})
	if len(tested) < 4 || programs["zsh"] == "" {
		t.Errorf("packages %v, programs %v", tested, programs)
	}
	for program, pack := range programs {
		if of := list[program]; of != "" && !slices.Contains(every, of) && !regexp.MustCompile(`(?m)^ `+regexp.QuoteMeta(of)+`\b`).MatchString(depends) {
			t.Errorf("%s starts %s, but debian/control has no build dependency on %s", pack, program, of)
		}
	}
}

// startedIn gives the programs that the tests of the wanted packages start, each with a package.
func startedIn(t *testing.T, wanted func(pack string) bool) map[string]string {
	t.Helper()
	packs := map[string][]*ast.File{}
	for _, f := range sources(t) {
		if pack := filepath.Dir(f.path); (f.test || strings.HasPrefix(f.path, "test/")) && wanted(pack) {
			file, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, 0)
			if err != nil {
				t.Fatal(err)
			}
			packs[pack] = append(packs[pack], file)
		}
	}
	s := newStarts()
	for range 3 { // a function that starts its argument may be called by another one
		for pack, files := range packs {
			s.read(pack, files)
		}
	}
	return s.found
}

// startedByTests gives the programs with the files that start them.
func startedByTests(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	add := func(path string, names []string) {
		for _, name := range names {
			found[name] = append(found[name], path)
		}
	}
	for name, pack := range startedIn(t, func(string) bool { return true }) {
		add(pack, []string{name})
	}
	err := filepath.WalkDir(filepath.Join(top, "test"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !slices.Contains([]string{".txtar", ".c", ".sh"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		switch filepath.Ext(path) {
		case ".txtar":
			for _, m := range regexp.MustCompile(`(?m)^(?:! )?exec ([\w-]+)`).FindAllStringSubmatch(string(text), -1) {
				add(path, m[1:])
			}
		case ".c":
			for _, m := range regexp.MustCompile(`\b(?:system|popen|execlp?|execvp?)\("([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
				add(path, inShell(m[1]))
			}
		case ".sh":
			add(path, inShell(string(text)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// The scripts of "make test".
	for _, script := range []string{"test", "packages", "check", "install", "uninstall", "dist", "emulator", "cross"} {
		text, err := os.ReadFile(filepath.Join(top, "tools", script+".sh"))
		if err != nil {
			t.Fatal(err)
		}
		add("tools/"+script+".sh", inShell(string(text)))
	}
	return found
}

var (
	comment  = regexp.MustCompile(`(?m)(^|\s)#.*$`)
	heredoc  = regexp.MustCompile(`(?s)<< *'?(?:END|EOF|PC|CMAKE)'?\n.*?\n(?:END|EOF|PC|CMAKE)\n`)
	single   = regexp.MustCompile(`'[^']*'`)
	double   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	inside   = regexp.MustCompile(`\$\([^()]*\)`)
	pattern  = regexp.MustCompile(`(?m)^[^()\n]*[^()\n$]\)(\s|$)`)
	function = regexp.MustCompile(`([a-z_]+)\(\) *[{(]`)
	cut      = regexp.MustCompile("[;|&\n(){}!`]+")
	variable = regexp.MustCompile(`^[A-Za-z_]+=`)
	prefixes = strings.Fields("if then else elif while until do exec command")
	builtin  = strings.Fields("fi for done case esac in set cd echo exit trap shift eval export local return read test true false wait kill " +
		"unset printf alias source ulimit umask type break continue")
)

// inShell returns the programs that a script starts, without its own functions and the shell's built-in commands.
func inShell(script string) []string {
	var own []string
	for _, m := range function.FindAllStringSubmatch(script, -1) {
		own = append(own, m[1])
	}
	script = strings.ReplaceAll(comment.ReplaceAllString(script, "$1"), "\\\n", " ")
	script = single.ReplaceAllString(heredoc.ReplaceAllString(script, "\n"), "''")
	var within []string
	script = double.ReplaceAllStringFunc(script, func(text string) string {
		within = append(within, inside.FindAllString(text, -1)...)
		return `""`
	})
	script += "\n" + strings.Join(within, "\n")
	script = pattern.ReplaceAllString(script, "\n")
	var names []string
	for _, part := range cut.Split(script, -1) {
		words := strings.Fields(part)
		for len(words) > 0 && (slices.Contains(prefixes, words[0]) || variable.MatchString(words[0])) {
			words = words[1:]
		}
		if len(words) == 0 || slices.Contains(builtin, words[0]) || slices.Contains(own, words[0]) || !programName.MatchString(words[0]) {
			continue
		}
		names = append(names, words[0])
		if words[0] == "xargs" {
			for _, word := range words[1:] {
				if strings.HasPrefix(word, "-") {
					continue
				}
				if programName.MatchString(word) {
					names = append(names, word)
				}
				break
			}
		}
	}
	return names
}

// starts follows, by names alone, which texts come to where programs are started.
type starts struct {
	runners map[string]int      // functions that start a program, by the place of its name among their arguments
	fields  map[string][]string // texts that fields of a name have in a package
	found   map[string]string   // programs, and the package that starts them

	variables map[string][]ast.Expr // lists of command lines
}

func newStarts() *starts {
	return &starts{runners: map[string]int{"exec.Command": 0, "exec.LookPath": 0, "exec.CommandContext": 1},
		fields: map[string][]string{}, found: map[string]string{}, variables: map[string][]ast.Expr{}}
}

func (s *starts) names() []string {
	var names []string
	for name := range s.found {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s *starts) read(pack string, files []*ast.File) {
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				s.table(pack, n)
			case *ast.ValueSpec:
				if c, is := slices.Concat(n.Values, []ast.Expr{nil})[0].(*ast.CompositeLit); is && isListOfLists(c) {
					s.variables[pack+"."+n.Names[0].Name] = []ast.Expr{c}
				}
			}
			return true
		})
	}
	for _, file := range files {
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Body != nil {
				s.function(pack, f)
			}
		}
	}
}

// table notes the texts of a composite literal by the names of their fields.
func (s *starts) table(pack string, c *ast.CompositeLit) {
	var fields []string
	if a, is := c.Type.(*ast.ArrayType); is {
		if st, is := a.Elt.(*ast.StructType); is {
			for _, f := range st.Fields.List {
				for _, name := range f.Names {
					fields = append(fields, name.Name)
				}
			}
		}
	}
	note := func(field string, e ast.Expr) {
		for _, text := range literals(e) {
			if key := pack + "." + field; !slices.Contains(s.fields[key], text) {
				s.fields[key] = append(s.fields[key], text)
			}
		}
	}
	for _, e := range c.Elts {
		if row, is := e.(*ast.CompositeLit); is && fields != nil {
			for i, cell := range row.Elts {
				if _, keyed := cell.(*ast.KeyValueExpr); !keyed && i < len(fields) {
					note(fields[i], cell)
				}
			}
		}
		if kv, is := e.(*ast.KeyValueExpr); is {
			if key, is := kv.Key.(*ast.Ident); is {
				note(key.Name, kv.Value)
			}
		}
	}
}

// literals are the words that an expression of texts begins with: of a list, the first.
func literals(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return []string{text}
		}
	case *ast.CompositeLit:
		if len(e.Elts) > 0 {
			return literals(e.Elts[0])
		}
	}
	return nil
}

func isListOfLists(c *ast.CompositeLit) bool {
	outer, is := c.Type.(*ast.ArrayType)
	if !is {
		return false
	}
	_, is = outer.Elt.(*ast.ArrayType)
	return is
}

func (s *starts) function(pack string, f *ast.FuncDecl) {
	parameters := map[string]int{}
	n := 0
	for _, field := range f.Type.Params.List {
		for _, name := range field.Names {
			parameters[name.Name] = n
			n++
		}
		n += max(0, 1-len(field.Names))
	}
	name := pack + "." + f.Name.Name
	if f.Recv != nil && f.Name.IsExported() {
		name = "." + f.Name.Name // found by its name alone
	} else if f.Name.IsExported() {
		name = filepath.Base(pack) + "." + f.Name.Name
	}
	assigned := map[string][]ast.Expr{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, is := left.(*ast.Ident); is {
					assigned[id.Name] = append(assigned[id.Name], n.Rhs[min(i, len(n.Rhs)-1)])
				}
			}
		case *ast.RangeStmt:
			if id, is := n.Value.(*ast.Ident); is {
				assigned[id.Name] = append(assigned[id.Name], n.X)
			}
		}
		return true
	})
	// origin follows an expression to texts, and to parameters of this function.
	var origin func(e ast.Expr, depth int)
	origin = func(e ast.Expr, depth int) {
		if depth > 6 {
			return
		}
		switch e := e.(type) {
		case *ast.BasicLit, *ast.CompositeLit:
			for _, text := range literals(e) {
				s.program(pack, text)
			}
			if c, is := e.(*ast.CompositeLit); is {
				for _, element := range c.Elts {
					if kv, is := element.(*ast.KeyValueExpr); is { // of a table, each entry
						origin(kv.Value, depth+1)
					} else if _, list := element.(*ast.CompositeLit); (!list || isListOfLists(c)) && c.Type != nil && depth > 0 {
						origin(element, depth+1)
					}
				}
			}
		case *ast.Ident:
			if at, is := parameters[e.Name]; is {
				if _, known := s.runners[name]; !known {
					s.runners[name] = at
				}
			}
			for _, from := range append(assigned[e.Name], s.variables[pack+"."+e.Name]...) {
				origin(from, depth+1)
			}
		case *ast.SelectorExpr:
			for _, text := range s.fields[pack+"."+e.Sel.Name] {
				s.program(pack, text)
			}
		case *ast.BinaryExpr:
			origin(e.X, depth+1)
			origin(e.Y, depth+1)
		case *ast.IndexExpr:
			origin(e.X, depth+1)
		case *ast.SliceExpr:
			origin(e.X, depth+1)
		case *ast.CallExpr:
			if called := calledName(pack, e); called == "strings.Fields" || called == "append" || called == "exec.LookPath" {
				origin(e.Args[0], depth+1)
			}
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		called := calledName(pack, call)
		at, is := s.runners[called]
		if selector, method := call.Fun.(*ast.SelectorExpr); !is && method {
			at, is = s.runners["."+selector.Sel.Name]
		}
		if !is || at >= len(call.Args) {
			return true
		}
		origin(call.Args[at], 0)
		for i, argument := range call.Args[:len(call.Args)-1] { // a shell's script
			if text := literals(argument); len(text) == 1 && text[0] == "-c" {
				for _, script := range literals(call.Args[i+1]) {
					for _, program := range inShell(script) {
						s.program(pack, program)
					}
				}
			}
		}
		return true
	})
}

// calledName is how a function is known: by its package, the own one's whole path.
func calledName(pack string, call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		if f.Name == "append" {
			return f.Name
		}
		if ast.IsExported(f.Name) {
			return filepath.Base(pack) + "." + f.Name
		}
		return pack + "." + f.Name
	case *ast.SelectorExpr:
		if x, is := f.X.(*ast.Ident); is {
			return x.Name + "." + f.Sel.Name
		}
	}
	return ""
}

var programName = regexp.MustCompile(`^[A-Za-z][\w.+-]*$`)

// program notes a program; a path is that of something that was built, but for the shell's.
func (s *starts) program(pack, text string) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return
	}
	name := strings.TrimPrefix(words[0], "/bin/")
	if programName.MatchString(name) && s.found[name] == "" {
		s.found[name] = pack
	}
}

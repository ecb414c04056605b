package source

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rawOutput matches a line of the tool that may write to a standard file without term.Cleaner, which replaces control characters.
var rawOutput = regexp.MustCompile(`\bos\.(Stdout|Stderr)\b|\berrOut\b|\bfmt\.Print(f|ln)?\(|^\s*println\(|\bsyscall\.Write\(`)

// rawLines lists these lines, each with the reason. The test also fails for a line that is no longer there.
var rawLines = map[string]string{
	"os.Exit(cli.Main(os.Args, os.Environ(), os.Stdout, os.Stderr))": "the start: run puts the cleaners around both",
	"out, errOut io.Writer": "the field",
	"func Main(args, environ []string, out, errOut io.Writer) int {":                                 "likewise",
	"return runLine(&invocation{out: out, errOut: errOut, environ: environ, executable: executable,": "likewise",
	"func (s *invocation) messages() io.Writer { return term.Cleaner{To: s.errOut, Plain: true} }":   "the cleaner of messages",
	"messages := term.Cleaner{To: term.NewWrapper(s.errOut, s.getenv), Plain: true}":                 "the cleaner of errors",
	"if term.IsTerminal(s.errOut) {":                                                 "a question about the file",
	"coloured := term.StyleFor(s.errOut, s.getenv).Coloured":                         "a question about the file",
	"return term.Cleaner{To: term.NewWrapper(s.errOut, s.getenv), Plain: !coloured}": "the cleaner of tables and verdicts",
	"style := term.StyleFor(s.errOut, s.getenv)":                                     "a question about the file",
	"root.SetErr(s.errOut)":                                                          "texts of cobra, whose error messages the tool prints itself",
	"s.errOut = io.MultiWriter(s.errOut, its)":                                       "the file behind messages()",
	"quiet.errOut = io.Discard":                                                      "nothing is printed",
	"s.errOut = io.Discard":                                                          "dropped, for the page",
	"s.out, s.errOut = &out, &messages":                                              "memory, for the page",
	"h.out = os.Stderr // standard output is for the verdict":                        "the program's own output",
	"said := &listener{to: h.s.errOut, heard: texts}":                                "likewise",
	"end, err := watchProgram(s, program, &run.Splitter{Rest: s.errOut, Line: func(line string, at time.Time) {": "likewise",
	"&run.Splitter{Rest: s.errOut, Line: func(line string, _ time.Time) {":                                       "likewise",
	"cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, write":                                             "likewise",
	"cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr":                                         "likewise",
	"findsCulprit: *r, out: os.Stdout, talk: s.talk(), used: used, other: other, bare: bare}":                    "likewise",
	"cmd.Stderr = os.Stderr":                                                           "the tool as a child, which cleans its own output",
	"child.Stdout, child.Stderr = s.plain, s.errOut":                                   "likewise",
	"log, err := logging.New(s.errOut, o.Level, s.getenv(\"JOURNAL_STREAM\") != \"\")": "package logging quotes every value",
	"own, wrong := os.Stderr.Stat()":                                                   "a question about the file",
	"read, write, err = channel(os.Stderr)":                                            "likewise",
	"read, write, err := channel(os.Stderr)":                                           "likewise",
}

// Every text of the tool reaches a standard file through term.Cleaner, also tables on standard error.
func TestOutputIsCleaned(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, f := range sources(t) {
		if f.test || !slices.ContainsFunc([]string{"internal/tool/", "cmd/vkloader/"}, func(in string) bool { return strings.HasPrefix(f.path, in) }) {
			continue
		}
		for line := range strings.Lines(f.text) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "//") || !rawOutput.MatchString(line) {
				continue
			}
			if used[line] = true; rawLines[line] == "" {
				t.Errorf("%s writes past the cleaner, or is not listed with a reason: %s", f.path, line)
			}
		}
	}
	for line := range rawLines {
		if !used[line] {
			t.Errorf("no file has this line any more: %s", line)
		}
	}
}

package doctor

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/term"
)

// Remedy is one way to fix a finding: words for a person, with the shell lines within them, and its effect. A finding
// has its remedies in order of preference. The report prints the first one that helps, and its JSON and "doctor --fix"
// have the same one.
type Remedy struct {
	text    string
	lines   []shell.Line
	root    bool            // the lines must run as root
	because obstacle        // why it cannot be tried
	effect  *effect         // on a copy of the facts; nil: unknown, or none
	change  *explain.Change // the change of variables and files; nil: none
	aim     aim
	fixes   bool    // "doctor --fix" may make the change
	lasting *Remedy // a fix that lasts, and needs another right or a package; nil: none
}

// newAdvice returns advice that needs no root rights.
func newAdvice(text string, lines ...shell.Line) *Remedy { return &Remedy{text: text, lines: lines} }

// advice returns advice from a row of systems.txt that is the same on every system: names and words by turns.
func advice(verb string, pairs ...string) *Remedy { return (&distribution{}).by(verb, with(pairs...)) }

// Advice without values.
var (
	doNothing       = newAdvice("Nothing; it does no harm.")
	doNothingChosen = newAdvice("Nothing, if this is intended.")
	onlyCPU         = newAdvice("To compute on the CPU, install a software renderer.")
)

// shellAdvice returns advice that introduces a shell line with words.
func shellAdvice(before string, line shell.Line) *Remedy { return newAdvice(before+string(line), line) }

// aim is the purpose of a change.
type aim uint8

const (
	fixing aim = iota
	forTime
	forSpace // and time
	forPower
	forDevice
	otherName
	forUnasked
	byHand // it fixes the fault, and only the user may make the change
)

// placement is a change of variables or files, worded for the place where the user makes it.
type placement struct {
	explain.Change
	aim    aim
	kind   string   // the sandbox of the program, when it changes the wording
	detail string   // the sandbox's detail, such as the Flatpak's name
	at     FileLine // the line that sets the variable now; without a file: unknown
	unit   unit     // of a service; the zero value: none
	script bool     // at is in a script that starts the program
	sealed bool     // nobody changes the file of at
	sets   string   // the program that sets the variable for the programs that it starts; "": none
	ofHost bool     // it changes a file in the home directory of the host, whose programs read the file, too
	shared bool     // the user's files are the host's, too
	root   bool     // the user may not make it
	image  bool     // it changes a file of a container, which its image does not have
}

// remedy returns the change as a remedy that was tried.
func (t placement) remedy() *Remedy {
	text, lines := t.words()
	if t.root {
		text = introductions["root"] + text
	}
	if before := strings.Replace(purposes[t.aim], "VARIABLE", t.Variable, 1); before != "" {
		if isContainer(t.kind) { // a sentence instead of a shell line
			text = before + ", " + strings.ToLower(text[:1]) + text[1:]
		} else {
			text = before + ": " + text
		}
	}
	if t.script || t.sets != "" && t.File == "" && t.And == nil {
		args := with("variable", t.Variable, "set", term.Either(t.Set, string(t.Assignment()), ""),
			"program", term.Either(t.script, "", t.sets), "sealed", term.Either(t.sealed, "sealed", ""))
		text, lines = (&distribution{}).by("variable-there", args).text, nil
	}
	remark := ""
	switch set := t.at.File != "" && t.at != t.unit.files[t.Variable]; {
	case set:
		remark = t.at.String() + term.Either(t.ofHost, ", which the host's programs read, too", "")
	case t.ofHost:
		remark = "The host's programs read this file, too"
	}
	if remark != "" {
		before, rest := "", text
		if at := strings.Index(text, ". "); t.aim == forDevice && at >= 0 { // Nothing, if this is intended.
			before, rest = text[:at+2], text[at+2:]
		}
		begins := len(lines) > 0 && strings.HasPrefix(rest, string(lines[0]))
		between := term.Either(begins, ": ", ". ")
		switch {
		case t.at.File == "":
			text = before + remark + between + rest
		case begins && t.kind == "" && t.File == "":
			do := term.Either(t.Set, "Correct "+t.Variable+" in ", "Remove "+t.Variable+" from ")
			if !t.Set && t.And != nil && t.And.Set {
				do = "Write " + t.And.Variable + " in place of " + t.Variable + " in "
			}
			text = before + do + remark + ". Until then: " + rest
		default:
			text = before + t.Variable + " is set in " + remark + between + rest
		}
	}
	if t.image {
		text = "For this container, and after RUN in the image's Dockerfile for others: " + text
	}
	return &Remedy{text: text, lines: lines, root: t.root, change: &t.Change, aim: t.aim,
		fixes: t.kind == "" && !t.script && !t.ofHost && t.aim != byHand && t.aim != forUnasked && !t.isForProgram() &&
			!(t.changesVariables() && (t.shared || isNamed(t.Variable, "linker")))}
}

// purposes are the words that introduce a change, by its aim. VARIABLE is its variable.
var purposes = [...]string{forTime: "To start faster", forSpace: "To save address space and start faster",
	forPower:  "For a program that does not need the device",
	forDevice: "Nothing, if this is intended. For a program that needs the device",
	forUnasked: "Enable VK_KHR_portability_enumeration and its instance flag in the program. For programs that you cannot change, at the risk that " +
		"they use what the driver lacks", otherName: "Write VARIABLE instead", byHand: ""}

// words returns the change for the place where the user makes it, and its shell lines.
func (t placement) words() (string, []shell.Line) {
	switch {
	case t.kind == "service" && t.File == "":
		do := t.unit.setting(t.Change)
		return do.text, do.lines
	case t.kind == "" && t.isForProgram():
		return string(t.Starting("PROGRAM")), nil
	case isContainer(t.kind) && t.File == "" || (t.kind == "steam" || t.kind == "flatpak") && t.changesVariables():
		return t.sandboxText()
	}
	return string(t.Line()), t.Lines()
}

// sandboxText returns the change of variables in the words of the sandbox.
func (t placement) sandboxText() (string, []shell.Line) {
	var set, options, unset, pod []string
	var env []string
	for c := &t.Change; c != nil; c = c.And {
		if c.Set {
			set = append(set, c.Variable+"="+c.Value)
			options = append(options, "-e", c.Variable+"="+c.Value)
			pod = append(pod, "{name: "+c.Variable+", value: "+systemdQuote(c.Value)+"}")
		} else {
			unset, env = append(unset, c.Variable), append(env, "-u", c.Variable)
		}
	}
	args := arguments{"set": set, "options": options, "unset": unset, "assigned": {string(shell.Words(set...))},
		"pod": {strings.Join(pod, ", ")}, "names": {strings.Join(unset, ", ")},
		"words": {`"` + strings.Join(unset, `", "-u", "`) + `"`}}
	if args["env"] = nil; len(unset) > 0 {
		args["env"] = []string{"env " + string(shell.Words(env...))}
	}
	do := (&distribution{sandbox: t.kind, container: t.kind, detail: t.detail}).by("variables", args)
	return do.text, do.lines
}

// isForProgram reports whether the change is right for some programs and wrong for others. The user then makes it for
// one program.
func (t placement) isForProgram() bool {
	return t.File == "" && (t.aim == forPower || t.aim == forDevice)
}

// changesVariables reports whether the change and those joined with it change variables only.
func (t placement) changesVariables() bool {
	for c := &t.Change; c != nil; c = c.And {
		if c.File != "" {
			return false
		}
	}
	return true
}

// entryOf returns the advice from the table of the decision's codes.
func entryOf(code diag.Code) *Remedy { return newAdvice(code.Entry().Do) }

// obstacle is the reason why a fix cannot be tried on a copy of the facts, as in the last column of systems.txt.
type obstacle string

const (
	triable     obstacle = ""
	ofPackage   obstacle = "package"
	ofUsual     obstacle = "usual" // likewise, and no list of packages confirms the name
	ofKernel    obstacle = "kernel"
	outsideOnly obstacle = "outside"
	restarted   obstacle = "restarted"
	ofRelease   obstacle = "release"
	ofWriter    obstacle = "writer"
)

// text returns the obstacle as a clause.
func (o obstacle) text() string {
	return pairValue("untried", func(name string) bool { return name == string(o) })
}

// effect is the effect of advice on the facts.
type effect struct {
	name string
	// false: it cannot be tried here
	on func(source *machine.Source, options Options) (*machine.Source, Options, bool)

	change any // an explain.Change, windowsChange or macChange; nil: another one
}

// withObstacle returns the advice with the reason why it cannot be tried.
func (t Remedy) withObstacle(why obstacle) *Remedy {
	t.because = why
	return &t
}

// having returns the advice with its effect.
func (t Remedy) having(e *effect) *Remedy {
	t.because, t.effect = triable, e
	return &t
}

// joining returns the advice with its effect: another group of a user.
func (t Remedy) joining(id, group uint32) *Remedy {
	return t.having(&effect{name: fmt.Sprintf("group %d of user %d", group, id),
		on: func(source *machine.Source, with Options) (*machine.Source, Options, bool) {
			with.joined = append(slices.Clone(with.joined), joined{id, group})
			return source, with, true
		}})
}

// effectOf returns the effect of a change of a variable or a file.
func effectOf(c explain.Change) *effect {
	return &effect{name: string(c.Line()), change: c,
		on: func(source *machine.Source, with Options) (*machine.Source, Options, bool) {
			if c.File != "" { // the shared linker may have read the file
				with.share = nil
			}
			return c.On(source), with, c.Possible() && c.Obeyed(source)
		}}
}

package doctor

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// obstacle is the reason why a fix cannot be tried on a copy of the facts.
type obstacle uint8

const (
	triable     obstacle = iota
	ofPackage            // a package's contents
	ofUsual              // likewise, and no list of packages confirms the name
	ofKernel             // the kernel's answer
	outsideOnly          // another host, or the program's next start in its sandbox
	restarted            // a restart of the machine
	ofRelease            // the behaviour of another release of the program
	ofWriter             // the contents of a file that another program writes
	whileClosed          // the contents of a file that the user may not read
)

var obstacles = [...]string{ofPackage: "the package's contents are unknown until it is installed", ofKernel: "only the kernel can show the result",
	ofUsual:     "it is the package's usual name; the package's contents are unknown until it is installed",
	ofWriter:    "only the program that writes the file can show the result",
	outsideOnly: "it takes effect outside, at the next start", restarted: "it needs a restart of the machine", ofRelease: "the other release of the program is unknown until it runs", whileClosed: "the contents of the unreadable place are unknown"}

// effect is the effect of advice on the facts.
type effect interface {
	on(source *machine.Source, options *Options) (*machine.Source, Options, bool) // false: it cannot be tried here
	name() string
}

// untried returns the advice with the reason why it cannot be tried.
func (t told) untried(why obstacle) told {
	t.because = why
	return t
}

// giving returns the advice with its effect: another group of the user.
func (t told) giving(group uint32) told {
	t.because, t.effect = triable, membership(group)
	return t
}

// finding returns the advice with its effect: the dynamic linker searches a directory.
func (t told) finding(directory string) told {
	t.because, t.effect = triable, searchedBy(directory)
	return t
}

// membership is another group of the user.
type membership uint32

func (m membership) name() string { return "group " + strconv.Itoa(int(m)) }

func (m membership) on(source *machine.Source, options *Options) (*machine.Source, Options, bool) {
	with := *options
	u, err := (host{&source.Machine}).findUser(options.User, options.Groups)
	if err != nil {
		return nil, with, false
	}
	if u.current {
		u.id = uint32(os.Getuid())
		groups, err := os.Getgroups()
		if err != nil {
			return nil, with, false
		}
		u.groups = term.Words(append(groups, os.Getgid()), func(g int) uint32 { return uint32(g) })
	}
	with.User, with.Groups = strconv.Itoa(int(u.id)), append(slices.Clone(u.groups), uint32(m))
	return source, with, true
}

// reaching returns the advice with its effect: another group of a service's user.
func (t told) reaching(id, group uint32) told {
	t.because, t.effect = triable, joined{id, group}
	return t
}

func (j joined) name() string { return fmt.Sprintf("group %d of user %d", j.group, j.user) }

func (j joined) on(source *machine.Source, options *Options) (*machine.Source, Options, bool) {
	with := *options
	with.joined = append(slices.Clone(with.joined), j)
	return source, with, true
}

// searchedBy is a directory that the dynamic linker searches after ldconfig.
type searchedBy string

func (s searchedBy) name() string { return "search " + string(s) }

func (s searchedBy) on(source *machine.Source, options *Options) (*machine.Source, Options, bool) {
	with := *options
	with.share = nil
	const path = "LD_LIBRARY_PATH"
	value, _ := source.Lookup(path)
	if value != "" {
		value += ":"
	}
	return explain.SetVariable(path, value+string(s)).On(source), with, !source.Elevated
}

// preloaded is the value of LD_PRELOAD at the program's start.
type preloaded string

func (p preloaded) name() string { return "preload " + string(p) }

func (p preloaded) on(source *machine.Source, options *Options) (*machine.Source, Options, bool) {
	return explain.SetVariable("LD_PRELOAD", string(p)).On(source), *options, !source.Elevated
}

// changeEffect is a change of a variable or a file.
type changeEffect struct{ explain.Change }

func (c changeEffect) name() string { return c.Line() }

func (c changeEffect) on(source *machine.Source, options *Options) (*machine.Source, Options, bool) {
	with := *options
	if c.File != "" { // the shared linker may have read the file
		with.share = nil
	}
	return c.On(source), with, c.Possible() && c.Obeyed(source)
}

// obstacleOf returns the reason why advice was not tried, in words; "" if it was, or is no fix.
func obstacleOf(do advice) string {
	if t, is := do.(told); is {
		return obstacles[t.because]
	}
	return ""
}

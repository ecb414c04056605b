package explain

import (
	"errors"
	"path/filepath"
	"slices"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/reasons"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/vk"
)

// ErrEndless is the error of a decision that was stopped because it kept asking for more files and variables.
var ErrEndless = errors.New("no decision was reached: it kept asking for more files and variables")

// Option is a condition of a decision besides the facts.
type Option func(*plan.Question)

// WithPlatform returns the condition that the library runs on another system.
func WithPlatform(platform search.Platform) Option {
	return func(q *plan.Question) { q.Platform = platform }
}

// WithApp returns the condition that the program passes these arguments to vkCreateInstance.
func WithApp(app plan.App) Option {
	return func(q *plan.Question) { q.App = app }
}

// WithPortability is the condition that the program enables portability drivers: VK_KHR_portability_enumeration, with
// VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR.
func WithPortability(q *plan.Question) {
	q.App.Flags |= 1
	extension := plan.Name{Text: "VK_KHR_portability_enumeration", Set: true}
	if !slices.Contains(q.App.Extensions, extension) {
		q.App.Extensions = append(q.App.Extensions, extension)
		q.App.ExtensionCount++
	}
}

// WithProbe is the condition that the program is the child process that lists the drivers' devices.
func WithProbe(q *plan.Question) {
	q.App.API = uint32(vk.V1_2)
	WithPortability(q)
}

// Decide returns the decision of the library with facts from a source: without options on this system, for a program
// that enables no layer or extension. Facts may be changed, such as those of [Without].
func Decide(from facts.Provider, options ...Option) (*plan.Answer, error) {
	question := plan.Question{Kind: plan.Instance, Explain: true, Platform: Platform(from)}
	for _, set := range options {
		if set != nil {
			set(&question)
		}
	}
	answer := plan.Resolve(&question, from)
	if answer == nil {
		return nil, ErrEndless
	}
	reasons.Fill(answer.Diagnostics)
	return answer, nil
}

// Without returns a source in which some variables are unset.
func Without(from facts.Provider, list ...variables.ID) facts.Provider {
	return without{changed{from}, list}
}

// changed is a source with changes. unchanged tells Platform which source that is.
type changed struct{ facts.Provider }

func (c changed) unchanged() facts.Provider { return c.Provider }

type without struct {
	changed
	list []variables.ID
}

func (w without) Var(name string, secure bool) facts.Var {
	if slices.ContainsFunc(w.list, func(v variables.ID) bool { return v.Name() == name }) {
		return facts.Var{}
	}
	return w.Provider.Var(name, secure)
}

// Lacking returns a source in which some files do not exist.
func Lacking(from facts.Provider, files []string) facts.Provider {
	return lacking{changed{from}, files}
}

type lacking struct {
	changed
	files []string
}

func (l lacking) Exists(name string) bool {
	return !slices.Contains(l.files, filepath.Clean(name)) && l.Provider.Exists(name)
}

// NamesOfLayers returns the patterns of the variables that the layers of this machine read, for a program with these
// variables: also those of layers that it does not get, because a variable may enable them.
func NamesOfLayers(environ []string) (patterns []string) {
	source := &machine.Source{Machine: machine.Machine{Environ: environ}}
	answer, err := Decide(source)
	if err != nil {
		return nil
	}
	for _, l := range answer.Layers {
		patterns = append(patterns, spawn.LayerNames(l.Name, l.EnableName, l.DisableName)...)
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

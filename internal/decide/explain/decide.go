package explain

import (
	"errors"
	"path/filepath"
	"slices"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/reasons"
)

// ErrEndless is the error of a decision that was stopped because it kept asking for more files and variables.
var ErrEndless = errors.New("no decision was reached: it kept asking for more files and variables")

// Decide decides with facts from a source of this system, for a program that enables no layer or extension.
func Decide(from facts.Provider) (*plan.Answer, error) {
	return DecideOn(Platform(from), plan.App{}, from)
}

// DecideOn returns the decision of the library on another system.
func DecideOn(platform search.Platform, app plan.App, from facts.Provider) (*plan.Answer, error) {
	answer := plan.Resolve(&plan.Question{Kind: plan.Instance, App: app, Platform: platform, Explain: true}, from)
	if answer == nil {
		return nil, ErrEndless
	}
	reasons.Fill(answer.Diagnostics)
	return answer, nil
}

// Without returns a source in which some variables are unset.
func Without(from facts.Provider, list ...variables.ID) facts.Provider {
	return without{from, list}
}

type without struct {
	facts.Provider
	list []variables.ID
}

func (w without) Var(name string, secure bool) facts.Var {
	if slices.ContainsFunc(w.list, func(v variables.ID) bool { return v.Name() == name }) {
		return facts.Var{}
	}
	return w.Provider.Var(name, secure)
}

// Lacking returns a source in which some files do not exist.
func Lacking(from facts.Provider, files []string) facts.Provider { return lacking{from, files} }

type lacking struct {
	facts.Provider
	files []string
}

func (l lacking) Exists(name string) bool {
	return !slices.Contains(l.files, filepath.Clean(name)) && l.Provider.Exists(name)
}

// Replacing returns a source in which a file exists with this content.
func Replacing(from facts.Provider, name, content string) facts.Provider {
	return replacing{from, filepath.Clean(name), content}
}

type replacing struct {
	facts.Provider
	name, content string
}

func (r replacing) Exists(name string) bool {
	return filepath.Clean(name) == r.name || r.Provider.Exists(name)
}

func (r replacing) File(name string) facts.File {
	if filepath.Clean(name) == r.name {
		return facts.File{Content: r.content}
	}
	return r.Provider.File(name)
}

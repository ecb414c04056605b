package doctor

import (
	"debug/elf"
	"errors"

	"vkloader/internal/facts/system"
	"vkloader/internal/linker"
	"vkloader/internal/plan"
	"vkloader/internal/search"
)

// Options say for which program is looked.
type Options struct {
	Platform search.Platform
}

// exam is an examination under way.
type exam struct {
	*Report
	machine *system.Machine
	source  *system.Source
	options Options
	plan    *plan.Answer
	linker  *linker.Linker
	system  distribution
}

// Examine looks at a machine through a source of facts. The error is for what kept it from looking.
func Examine(source *system.Source, options Options) (*Report, error) {
	e := &exam{Report: &Report{Schema: Schema, Root: source.Root, Drivers: []Module{}, Layers: []Module{},
		Findings: []Finding{}}, machine: &source.Machine, source: source, options: options}
	e.plan = plan.Resolve(&plan.Question{Kind: plan.Instance, Platform: options.Platform, Explain: true,
		Elevated: source.Elevated}, source)
	if e.plan == nil {
		return nil, errors.New("the decision never has enough facts")
	}
	e.linker = linker.New(e.machine, linker.Options{Class: ProcessClass, Machine: processMachine,
		Elevated: source.Elevated, Program: source.Program})
	e.system = readDistribution(e.machine)
	for i := range e.plan.Findings {
		e.decided(&e.plan.Findings[i])
	}
	e.libraries()
	e.order()
	return e.Report, nil
}

// ProcessClass is the word size of the programs that the library is built for.
const ProcessClass = 64

// processMachine is their processor.
const processMachine = elf.EM_X86_64

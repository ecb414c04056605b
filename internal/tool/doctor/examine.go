package doctor

import (
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/ask"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
)

// Options say for which program is looked.
type Options struct {
	User    string // whose permissions count, by name or number; "": who runs the tool
	Library string // the loader that belongs to the tool, without symbolic links; "": none
	Device  string // a selector of the devices that are examined, by what the kernel knows of them; "": all

	Plugin string // a library that the program opens later, which decides the loader; "": none
	Mapped string // the loader that a process has; "": what the dynamic linker finds for the program

	Groups []uint32 // the groups of a process, where User is its number; nil: those of /etc/group

	share    *binary.Linker // of an examination of the same machine
	packages *packages      // of it as well
	known    loaders.Known  // loaders of the same machine
}

// exam is an examination under way.
type exam struct {
	*Report
	machine *machine.Machine
	source  *machine.Source
	options Options
	plan    *plan.Answer
	linker  *binary.Linker
	system  distribution
	user    user
	gpus    []*GPU // that are examined
	every   []*GPU
	class   int // word size of the program
	keptOut *[]keptOut

	byVariables map[string]bool // what the variables name; nil: not read yet
	lines       map[string]Line // where variables are set
	bySettings  map[string]bool // files that the settings name and that are gone; nil: not looked for yet
}

// Examine looks at a machine through a source of facts, and tries what is said to help. The error is for what kept it
// from looking.
func Examine(source *machine.Source, options Options) (*Report, error) {
	e, err := look(source, options)
	if err != nil {
		return nil, err
	}
	e.settle()
	if err := e.bothWordSizes(); err != nil {
		return nil, err
	}
	e.sum = e.verdict
	e.Order()
	return e.Report, nil
}

// Count examines without trying anything, and counts problems and warnings, what follows from others included.
func Count(source *machine.Source, options Options) (problems, warnings int, err error) {
	e, err := look(source, options)
	if err != nil {
		return 0, 0, err
	}
	for i := range e.Findings {
		switch e.Findings[i].Severity {
		case diag.Problem:
			problems++
		case diag.Warning:
			warnings++
		}
	}
	return problems, warnings, nil
}

// look examines without trying anything.
func look(source *machine.Source, options Options) (*exam, error) {
	source = source.Keeping()
	if options.packages == nil {
		options.packages = newPackages()
	}
	if options.known == nil {
		options.known = loaders.Known{}
	}
	e := &exam{Report: newReport(""), machine: &source.Machine, source: source, options: options}
	e.Report.source, e.chosen = source, options.Device != ""
	var err error
	if e.class = source.Class; e.class == 0 {
		e.class = ProcessClass
	}
	if e.class != ProcessClass {
		e.Class = e.class
	}
	e.linker = binary.NewLinker(e.machine, binary.LinkerOptions{Class: e.class, Machine: binary.Processor(e.class),
		Elevated: source.Elevated, Program: source.Program, Plugin: options.Plugin, Share: options.share})
	e.decideFor()
	if e.plan, err = ask.Plan(e.source); err != nil {
		return nil, err
	}
	e.system = systemFor(e.machine, e.class)
	e.System = e.system.name
	if e.user, err = e.findUser(options.User); err != nil {
		return nil, err
	}
	e.sandboxes()
	e.Answer = e.plan
	e.Findings = slices.Grow(e.Findings, len(e.plan.Findings))
	for i := range e.plan.Findings {
		if f := &e.plan.Findings[i]; !e.uninteresting(f) {
			e.unreadable(e.decided(f))
		}
	}
	e.closed()
	e.libraries()
	e.otherWordSize()
	e.plugin()
	if err := e.graphics(); err != nil {
		return nil, err
	}
	e.loaders()
	e.leftovers()
	e.environment()
	e.absence()
	e.ignored()
	e.static()
	e.Order()
	return e, nil
}

// uninteresting are findings of the decision that "list" and "explain" tell, or that the doctor says in one of its own.
func (e *exam) uninteresting(f *diag.Finding) bool {
	switch f.Code {
	case diag.DriverUsed, diag.LayerListed, diag.LayerActive, diag.LayerInactive, diag.SettingsNone, diag.SettingsUsed,
		diag.LocationMissing:
		return true
	case diag.LayerForced:
		return f.Path == "" // VK_INSTANCE_LAYERS is there to be used
	case diag.LayerMissing:
		return f.Path == "" // a variable names it
	case diag.VariableIgnored: // both names with one value serve loaders of all versions
		return f.Subject == variables.ICDFilenames.Name() && e.variable(f.Subject) == e.variable(variables.DriverFiles.Name())
	case diag.SettingsIgnored, diag.SettingsKeys:
		return f.Cause == diag.OtherPrograms // a file for other programs is no fault
	case diag.FileOpen:
		return !e.machine.Exists(f.Path) && (e.named(f.Path) || e.namedBySettings(f.Path))
	}
	return f.Subject == manifest.OverrideName
}

// ProcessClass is the word size of the programs that the library is built for.
const ProcessClass = machine.OwnClass

package doctor

import (
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
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

// host is a machine, by its files and variables.
type host struct{ machine *machine.Machine }

// record is a machine as one program sees it, with the report on it.
type record struct {
	*Report
	host
	source *machine.Source
	lines  map[string]Line // where variables are set, as far as that was looked for
}

func recordOf(r *Report, source *machine.Source) record {
	return record{r, host{&source.Machine}, source, map[string]Line{}}
}

// exam is an examination under way.
type exam struct {
	driverExam
	options Options

	byVariables map[string]bool // what the variables name; nil: not read yet
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
	e.sum = e.summary().verdict
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
	class, report := source.Class, newReport("")
	if class == 0 {
		class = ProcessClass
	}
	if class != ProcessClass {
		report.Class = class
	}
	linker := binary.NewLinker(&source.Machine, binary.LinkerOptions{Class: class, Machine: binary.Processor(class),
		Elevated: source.Elevated, Program: source.Program, Plugin: options.Plugin, Share: options.share})
	source = report.decideFor(source, linker, &options)
	answer, err := decide.Plan(source)
	if err != nil {
		return nil, err
	}
	libraries := libraryExam{recordOf(report, source), class, linker, systemFor(&source.Machine, class), options.packages}
	e := &exam{driverExam: driverExam{deviceExam{keptExam: keptExam{libraryExam: libraries, plan: answer}}}, options: options}
	e.chosen, e.System = options.Device != "", e.system.name
	if e.user, err = e.findUser(options.User, options.Groups); err != nil {
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
	e.libraries(e.plan)
	e.otherWordSize()
	ofLoaders := &loaderExam{e.libraryExam, options}
	ofLoaders.plugin()
	if err := e.graphics(options.Device); err != nil {
		return nil, err
	}
	ofLoaders.loaders()
	(&settingsExam{e.record, e.plan}).leftovers()
	(&variableExam{e.record, e.plan, e.every}).environment()
	e.absence()
	ofLoaders.ignored()
	ofLoaders.static()
	e.Order()
	return e, nil
}

// settle tries the changes that are offered.
func (e *exam) settle() {
	(&settling{e.record, e.plan, e.options, e.linker, e.gpus}).settle()
}

// summary is what the verdict is made of.
func (e *exam) summary() *summary { return &summary{e.record, e.user, e.gpus, e.class} }

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

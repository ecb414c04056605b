package environment

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// checker collects the findings.
type checker struct {
	source  *machine.Source
	answer  *plan.Answer
	ignored map[string]bool
	works   func() bool // a driver of the decision can be loaded
	found   []Problem
}

// Check returns the findings about a source's variables. answer is the decision for a program that enables no layer.
func Check(source *machine.Source, answer *plan.Answer) []Problem {
	c := &checker{source: source, answer: answer, ignored: map[string]bool{},
		works: sync.OnceValue(func() bool { return decide.StandingsOf(source, nil, answer).AnyDriver() })}
	for _, f := range c.answer.Diagnostics {
		if f.Code == diag.VariableIgnored || f.Code == diag.VariableElevated {
			c.ignored[f.Subject] = true
		}
	}
	c.paths()
	c.drivers()
	c.layers()
	c.devices()
	return c.found
}

// decide makes the decision without some variables; nil if it fails.
func (c *checker) decide(names ...variables.ID) *plan.Answer {
	if !slices.ContainsFunc(names, func(v variables.ID) bool { return c.source.Var(v.Name(), false).Set }) {
		return c.answer // the decision is the same without them
	}
	answer, err := explain.Decide(explain.Without(c.source, names...))
	if err != nil {
		return nil
	}
	return answer
}

func (c *checker) find(code diag.Code, variable string, f Problem) {
	f.Code, f.Variable, f.Severity = code, variable, code.Entry().Severity
	if code == diag.VariableNothing && decide.OnlyDrivers(variable) && c.works() {
		f.Severity = diag.Warning
	}
	c.found = append(c.found, f)
}

// value returns the value of a variable; "" if it is ignored.
func (c *checker) value(v variables.ID) string {
	if c.ignored[v.Name()] {
		return ""
	}
	return c.source.Var(v.Name(), v.Secure()).Value
}

func split(list, separator string) []string {
	return slices.DeleteFunc(strings.Split(list, separator), func(s string) bool { return s == "" })
}

// paths adds findings for search path elements that do not exist, or that this user cannot look at.
func (c *checker) paths() {
	for _, v := range []variables.ID{variables.DriverFiles, variables.ICDFilenames, variables.AddDriverFiles,
		variables.LayerPath, variables.AddLayerPath, variables.ImplicitLayerPath, variables.AddImplicitLayerPath} {
		for _, place := range split(c.value(v), machine.ListSeparator) {
			if kind, is := c.fault(place); is {
				c.find(diag.VariableNothing, v.Name(), Problem{Kind: kind, Place: place})
			}
		}
	}
}

// fault returns the fault of a search path element; false: it has none.
func (c *checker) fault(place string) (kind Kind, is bool) {
	file, exists, absent := search.IsManifestName(place), c.source.Exists(place), c.source.Absent(place)
	if file && exists {
		return "", false
	}
	directory := facts.Directory{}
	if !file {
		directory = c.source.Directory(place)
	}
	switch {
	case !exists && !absent || !file && !directory.Listed && c.source.Closed(place):
		return NoAccess, true
	case file:
		return NoFile, true
	case !directory.Listed && exists:
		return NoManifest, true
	case !directory.Listed:
		return NoDirectory, true
	}
	return EmptyDirectory, len(directory.Names) == 0
}

// patterns returns the entries of a filter without special words.
func (c *checker) patterns(v variables.ID) (list []string) {
	plan.EachEntry(c.value(v), v == variables.LayersDisable, func(entry string, word plan.Word) {
		if word == plan.Pattern {
			list = append(list, entry)
		}
	})
	return list
}

// matches adds findings for filter entries without a match, and returns the names that the filter matches.
func (c *checker) matches(v variables.ID, kind Kind, names []string) []string {
	for _, entry := range c.patterns(v) {
		if !slices.ContainsFunc(names, func(n string) bool { return plan.Matches(entry, n) }) {
			c.find(diag.VariableMatch, v.Name(), Problem{Kind: kind, Place: entry, Names: names})
		}
	}
	var hit []string
	for _, name := range names {
		if plan.Matches(c.value(v), name) {
			hit = append(hit, name)
		}
	}
	return hit
}

func (c *checker) drivers() {
	all := c.decide(variables.DriversSelect, variables.DriversDisable)
	if all == nil {
		return
	}
	names := baseNames(all)
	known := names
	if len(c.patterns(variables.DriversSelect)) > 0 || len(c.patterns(variables.DriversDisable)) > 0 {
		unhidden, err := explain.Decide(explain.Without(c.source, variables.DriversSelect, variables.DriversDisable),
			explain.WithProbe)
		if err != nil {
			return
		}
		known = baseNames(unhidden) // an entry may match a portability driver
	}
	selected := c.matches(variables.DriversSelect, NoDriverMatches, known)
	disabled := c.matches(variables.DriversDisable, NoDriverMatches, known)
	for _, name := range selected {
		if slices.Contains(disabled, name) && c.meant(name, selected, known) {
			c.find(diag.VariableContradiction, variables.DriversSelect.Name(), Problem{Kind: BothMatch,
				Other: variables.DriversDisable.Name(), Place: name})
		}
	}
	if len(all.Drivers) > 0 && len(c.answer.Drivers) == 0 {
		v := term.Either(c.value(variables.DriversSelect) != "", variables.DriversSelect, variables.DriversDisable)
		c.find(diag.VariableAllOut, v.Name(), Problem{Kind: AllOut, Names: names})
	}
}

// meant reports whether an entry of VK_LOADER_DRIVERS_DISABLE, other than "*", matches a selected driver and no driver
// that is not selected. An entry that matches all drivers is no mistake: it disables all but the selected ones.
func (c *checker) meant(name string, selected, known []string) bool {
	return slices.ContainsFunc(c.patterns(variables.DriversDisable), func(entry string) bool {
		return entry != "*" && plan.Matches(entry, name) && !slices.ContainsFunc(known, func(other string) bool {
			return plan.Matches(entry, other) && !slices.Contains(selected, other)
		})
	})
}

// baseNames returns the distinct file names of the drivers' manifests.
func baseNames(answer *plan.Answer) (names []string) {
	known := map[string]bool{}
	for _, d := range answer.Drivers {
		if name := machine.Style.Base(d.Path); !known[name] {
			known[name] = true
			names = append(names, name)
		}
	}
	return names
}

// layers checks the variables that enable or disable layers, each against the others.
func (c *checker) layers() {
	all := c.decide(variables.LayersEnable, variables.LayersDisable, variables.LayersAllow)
	if all == nil {
		return
	}
	var names []string
	byName := map[string]*manifest.Layer{}
	for _, l := range all.Layers {
		if byName[l.Name] == nil {
			byName[l.Name] = l
			names = append(names, l.Name)
		}
	}
	enabled := c.matches(variables.LayersEnable, NoLayerMatches, names)
	c.matches(variables.LayersDisable, NoLayerMatches, names)
	c.matches(variables.LayersAllow, NoLayerMatches, names)
	var asked []string
	for _, name := range split(c.value(variables.InstanceLayers), machine.ListSeparator) {
		if byName[name] != nil {
			asked = append(asked, name)
		} else if c.keptOut(name) {
			c.find(diag.VariableContradiction, variables.InstanceLayers.Name(), Problem{Kind: KeptOut, Layer: name,
				Place: filepath.Clean(c.answer.Settings.File)})
		} else {
			c.find(diag.VariableNothing, variables.InstanceLayers.Name(), Problem{Kind: NoLayer, Layer: name})
		}
	}
	c.unanswered(all.Layers)
	for _, name := range names {
		l := byName[name]
		var on []string
		if slices.Contains(asked, name) {
			on = append(on, variables.InstanceLayers.Name())
		}
		if slices.Contains(enabled, name) {
			on = append(on, variables.LayersEnable.Name())
		}
		own := l.Implicit && l.HasEnable && c.source.Var(l.EnableName, false).Value == l.EnableValue
		if own {
			on = append(on, l.EnableName)
		}
		var off []string
		if c.disables(l) {
			off = append(off, variables.LayersDisable.Name())
		}
		if l.Implicit && c.source.Var(l.DisableName, false).Set {
			off = append(off, l.DisableName)
		}
		active := explain.ActiveLayer(c.answer, name) != nil
		if len(on) > 0 && len(off) > 0 && !(active && c.allBut(name, on, off)) {
			c.find(diag.VariableContradiction, off[0],
				Problem{Kind: OnAndOff, Layer: name, On: on, Off: off, Used: active})
		}
	}
}

// switches are the variables with which users switch on the layers of known packages.
var switches = map[string]string{
	"MANGOHUD": "VK_LAYER_MANGOHUD_overlay_x86_64", "ENABLE_VKBASALT": "VK_LAYER_VKBASALT_post_processing",
	"OBS_VKCAPTURE": "VK_LAYER_OBS_vkcapture", "ENABLE_VULKAN_RENDERDOC_CAPTURE": "VK_LAYER_RENDERDOC_Capture",
}

// SwitchedBy returns the layer that users switch on with a variable, or the name itself if it is no such variable.
func SwitchedBy(name string) string { return cmp.Or(switches[name], name) }

// unanswered finds variables that are set to switch a layer on, and that no layer here reads
// (flathub/org.freedesktop.Platform.VulkanLayer.MangoHud issue 17).
func (c *checker) unanswered(layers []*manifest.Layer) {
	for _, variable := range slices.Sorted(maps.Keys(switches)) {
		value := c.source.Var(variable, false).Value
		reads := func(l *manifest.Layer) bool { return l.HasEnable && l.EnableName == variable }
		if value != "" && value != "0" && !slices.ContainsFunc(layers, reads) && !c.keptOut(switches[variable]) {
			c.found = append(c.found, Problem{Code: diag.VariableNothing, Severity: diag.Warning, Kind: NoLayer,
				Variable: variable, Layer: switches[variable]})
		}
	}
}

// allBut reports whether VK_LOADER_LAYERS_DISABLE matches many layers and VK_LOADER_LAYERS_ENABLE makes an exception
// for the layer. That is the way to disable all layers but some.
func (c *checker) allBut(name string, on, off []string) bool {
	return slices.Equal(on, []string{variables.LayersEnable.Name()}) &&
		slices.Equal(off, []string{variables.LayersDisable.Name()}) &&
		!slices.Contains(split(c.value(variables.LayersDisable), ","), name)
}

// keptOut reports whether a layer is installed and the settings file excludes it.
func (c *checker) keptOut(name string) bool {
	if c.answer.Settings == nil {
		return false
	}
	without, err := explain.Decide(explain.Lacking(c.source, []string{filepath.Clean(c.answer.Settings.File)}))
	return err == nil && slices.ContainsFunc(without.Layers, func(l *manifest.Layer) bool { return l.Name == name })
}

// disables reports whether VK_LOADER_LAYERS_DISABLE matches a layer without an exception in VK_LOADER_LAYERS_ALLOW.
func (c *checker) disables(l *manifest.Layer) bool {
	return plan.Disables(c.value(variables.LayersDisable), l.Name, l.Implicit) &&
		!plan.Matches(c.value(variables.LayersAllow), l.Name)
}

// devices adds a finding when Mesa's layer overrides the loader's device selection. The layer acts after the loader.
func (c *checker) devices() {
	if explain.ActiveLayer(c.answer, drivers.MesaLayer) == nil {
		return
	}
	own := map[string]string{}
	for _, v := range []string{drivers.MesaSelect, drivers.MesaPrime} {
		own[v] = c.source.Var(v, false).Value
		if own[v] != "" && c.value(variables.DeviceSelect) != "" {
			c.find(diag.VariableContradiction, variables.DeviceSelect.Name(), Problem{Kind: TwoChoices,
				Value: c.value(variables.DeviceSelect), Other: v, OtherValue: own[v], Layer: drivers.MesaLayer})
		}
	}
	if own[drivers.MesaSelect] != "" && own[drivers.MesaPrime] != "" {
		c.find(diag.VariableContradiction, drivers.MesaPrime, Problem{Kind: TwoOfMesa, Value: own[drivers.MesaPrime],
			Other: drivers.MesaSelect, OtherValue: own[drivers.MesaSelect], Layer: drivers.MesaLayer})
	}
}

// Changes returns the changes of the variable that may remove a finding, the smallest first. Each also removes the
// entries that other findings of all with the same code are about.
func Changes(source *machine.Source, f *Problem, all []Problem) (changes []explain.Change) {
	if f.Kind == BothMatch {
		return append(explain.DropFromFilter(source, variables.DriversDisable, f.Place),
			explain.UnsetVariable(f.Variable))
	}
	variables.Each(func(id variables.ID) {
		if id.Name() != f.Variable {
			return
		}
		separator := machine.ListSeparator
		if slices.Contains(filters, id) {
			separator = ","
			if meant := Corrected(f.Variable, source.Var(f.Variable, id.Secure()).Value); f.BareWord() {
				changes = append(changes, explain.SetVariable(f.Variable, meant))
			}
		}
		wrong := map[string]bool{f.entry(): true}
		for i := range all {
			if all[i].Variable == f.Variable && all[i].Code == f.Code {
				wrong[all[i].entry()] = true
			}
		}
		changes = append(changes, explain.DropFromList(source, id, separator,
			func(e string) bool { return wrong[e] })...)
	})
	return append(changes, explain.UnsetVariable(f.Variable))
}

// entry returns the entry of the variable's list that the finding is about.
func (f *Problem) entry() string {
	return term.Either(f.Kind == NoLayer, f.Layer, f.Place)
}

// BareWord reports whether an unmatched filter entry is a special word without its tildes. The variable's value then
// has a fault of the same cause.
func (f *Problem) BareWord() bool {
	return f.Code == diag.VariableMatch && Corrected(f.Variable, f.Place) != f.Place
}

// checks maps variables to functions that describe the fault of a non-empty value; "": none. Variables without a check
// accept every text.
var checks = map[variables.ID]func(value string) string{
	variables.DriversSelect: checkFilter(false), variables.DriversDisable: checkFilter(false),
	variables.LayersEnable: checkFilter(false), variables.LayersDisable: checkFilter(true),
	variables.LayersAllow: checkFilter(false), variables.DeviceSelect: checkSelection,
	variables.DisableSelect: checkSwitch, variables.DeviceIDFilter: checkRanges,
	variables.VendorIDFilter: checkRanges, variables.DriverIDFilter: checkRanges, variables.Debug: checkWords,
	variables.DisableInstExtFilter: checkSwitch, variables.DisableUnloading: checkUnloading,
}

// debugWords are the words of LOG-1 in the order of their prefixes (LOG-4).
var debugWords = []string{"all", "warn", "info", "perf", "error", "debug", "layer", "driver", "implem", "icd"}

func checkWords(value string) string {
	for _, w := range strings.Split(value, ",") {
		if w != "" && !slices.ContainsFunc(debugWords, func(k string) bool { return strings.HasPrefix(k, w) }) {
			return fmt.Sprintf("%q is not a known word (in lower case, without spaces) and has no effect", w)
		}
	}
	return ""
}

// Numbers at the start of a text, as C's strtol and strtoul read them: one in decimal notation (ENV-91, ENV-108), two
// in hexadecimal notation (ENV-85, ENV-86), and one or a range in any notation (ENV-93 to ENV-97).
var (
	decimal   = machine.Pattern{Text: `^[ \t-\r+-]*([0-9]+)`}
	selection = machine.Pattern{Text: `^[ \t-\r]*[+-]?(?:0[xX])?[0-9a-fA-F]+:[ \t-\r]*[+-]?[0-9a-fA-F]`}
	idRange   = machine.Pattern{Text: strings.ReplaceAll(`(?s)^NUMBER(?:(.)(?:NUMBER)?)?`, "NUMBER",
		`[ \t-\r]*[+-]?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)`)}
)

// IsOn reports whether the value of a variable is a decimal number other than 0 (PHY-026).
func IsOn(value string) bool {
	number := decimal.Form().FindStringSubmatch(value)
	return number != nil && strings.Trim(number[1], "0") != ""
}

func checkSwitch(value string) string {
	return term.Either(decimal.Form().MatchString(value), "",
		fmt.Sprintf("%q is not a number and counts as 0; write 1 to enable it", value))
}

func checkUnloading(value string) string {
	return term.Either(value == "0" || value == "1", "", fmt.Sprintf("%q is neither 0 nor 1 and has no effect", value))
}

func checkSelection(value string) string {
	return term.Either(selection.Form().MatchString(value), "",
		fmt.Sprintf("%q is not VENDOR:DEVICE, two hexadecimal numbers, and has no effect", value))
}

// checkRanges reports the first fault of a list of numbers and ranges.
func checkRanges(value string) string {
	for _, e := range split(value, ",") {
		part := idRange.Form().FindStringSubmatch(e)
		if part == nil {
			return fmt.Sprintf("%q is not a number and counts as 0", e)
		}
		from, _ := strconv.ParseUint(part[1], 0, 64)
		to, _ := strconv.ParseUint(part[3], 0, 64)
		if part[2] != "" && uint32(to) < uint32(from) {
			return fmt.Sprintf("the range %q ends before it begins, so it contains no ID", e)
		}
	}
	return ""
}

// checkFilter returns the check of a name pattern list (ENV-35 to ENV-44). words means that the list may contain
// special words.
func checkFilter(words bool) func(string) string {
	return func(value string) (fault string) {
		rest := plan.EachEntry(value, words, func(e string, word plan.Word) {
			switch {
			case fault != "":
			case word == plan.Nothing:
				fault = fmt.Sprintf("%q is not a special word here and matches nothing", e)
			case word != plan.Pattern:
			case isBareWord(e, words):
				fault = fmt.Sprintf("%q is read as a name; the special word is ~%s~", e, strings.ToLower(e))
			case strings.Trim(e, " ") != e:
				fault = fmt.Sprintf("the space in %q is part of the name; write a comma alone between entries", e)
			case hasInnerStar(e):
				fault = fmt.Sprintf(
					"%q has a star that is not a wildcard: only the first and last characters can be wildcards", e)
			}
		})
		if fault == "" && strings.Trim(rest, ",") != "" {
			fault = fmt.Sprintf("only the first %d entries count", plan.FilterEntries)
		}
		return fault
	}
}

// hasInnerStar reports whether an entry has a star that is not a wildcard.
func hasInnerStar(entry string) bool {
	return strings.Contains(strings.TrimSuffix(strings.TrimPrefix(entry, "*"), "*"), "*")
}

// isBareWord reports whether an entry is a special word without its tildes.
func isBareWord(entry string, words bool) bool {
	entry = strings.ToLower(entry)
	return entry == "all" || words && (entry == "implicit" || entry == "explicit")
}

// Corrected returns the probable intention of a filter value: without spaces beside commas, with tildes around special
// words, and with each entry cut off after an inner star. It returns other values unchanged.
func Corrected(name, value string) string {
	id := slices.IndexFunc(filters, func(v variables.ID) bool { return v.Name() == name })
	if id < 0 {
		return value
	}
	var entries []string
	for _, e := range strings.Split(value, ",") {
		if e = strings.Trim(e, " "); isBareWord(e, filters[id] == variables.LayersDisable) {
			e = "~" + strings.ToLower(e) + "~"
		}
		if before, _, is := strings.Cut(e, "*"); is && before != "" {
			e = before + "*"
		}
		entries = append(entries, e)
	}
	return strings.Join(entries, ",")
}

// filters are the variables that contain name patterns.
var filters = []variables.ID{variables.DriversSelect, variables.DriversDisable, variables.LayersEnable,
	variables.LayersDisable, variables.LayersAllow}

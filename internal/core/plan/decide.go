package plan

import (
	"strconv"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
	"vkloader/internal/core/variables"
)

// decider makes one answer.
type decider struct {
	q *Question
	m *Memory
	f *facts.Store
	a *Answer

	enable, disable, allow filter
	set                    *settings.Settings       // in force; nil without
	implicit               map[*manifest.Layer]bool // whether an implicit layer is enabled: it is said once
	skippedPortability     int
	bySet                  *settingsState
	repeats, ways          budget        // for what is named again, for meta-layers
	cycles, walks          budget        // for cycles of them, for activating them
	quiet                  bool          // lines are left out
	offering               []bool        // the question's drivers whose extensions count
	rights                 []search.Said // which variables count
}

// Decide answers a question. Needs of the answer are the facts to add to f before asking again.
func Decide(q *Question, f *facts.Store) *Answer {
	d := &decider{q: q, m: q.Memory, f: f, a: &Answer{Style: q.Platform.Style}, implicit: make(map[*manifest.Layer]bool)}
	if d.m == nil {
		d.m = &Memory{}
	}
	d.m.turn++
	if q.Platform.Rights != nil {
		d.rights = q.Platform.Rights(&q.Platform, f)
	}
	if d.prefetch() {
		d.enable = parseFilter(f.Variable(variables.LayersEnable).Value, false)
		d.disable = parseFilter(f.Variable(variables.LayersDisable).Value, true)
		d.allow = parseFilter(f.Variable(variables.LayersAllow).Value, false)
		switch q.Kind {
		case Version:
			d.readSettings()
			if !q.Terminator {
				d.preLayers(manifest.PreVersion)
			}
		case Layers:
			d.layers()
		case Extensions, ExtensionsDrivers:
			d.extensions()
		case Instance, InstanceDrivers:
			d.instance()
		}
	}
	if f.Missing() {
		return &Answer{Needs: f.Needs()}
	}
	return d.a
}

// Resolve answers a question with facts of a source, asking as often as needed; nil when it never comes to an end.
func Resolve(q *Question, from facts.Source) *Answer {
	var a *Answer
	if !facts.Resolve(facts.NewStore(), from, func(s *facts.Store) { a = Decide(q, s) }) {
		return nil
	}
	return a
}

// prefetch asks for what will be needed in as few rounds as possible; false while something is missing. It decides
// nothing: whatever it leaves out is asked for where it is needed. Directories come first; then the settings file,
// driver manifests and those of implicit layers; then what these name, with the manifests of explicit layers. Nothing
// else is parsed before all is there.
func (d *decider) prefetch() bool {
	variables.Decisive(func(v variables.ID) { d.f.Variable(v) })
	if d.f.Missing() {
		return false
	}
	implicit := d.places(search.ImplicitLayers)
	var explicit, drivers []search.Found
	if d.q.Kind != Version && !(d.isExtensions() && !d.namesLayer()) {
		explicit = d.places(search.ExplicitLayers)
	}
	if d.isInstance() && !d.exclusiveDirect() || d.isExtensions() && !d.namesLayer() {
		drivers = d.places(search.Drivers)
	}
	settings := d.settingsFile()
	if d.f.Missing() {
		return false
	}
	d.files(implicit)
	d.files(drivers)
	if settings != "" {
		d.f.File(settings)
		d.f.Exe()
	} else if len(implicit) == 0 {
		d.files(explicit)
	}
	if d.f.Missing() {
		return false
	}
	d.quiet = d.q.Quiet && !d.q.Explain && !d.listens(settings)
	for i := range implicit {
		file, _ := d.f.File(implicit[i].Path)
		if file.Status != facts.FileRead {
			continue
		}
		p := d.parse(implicit[i].Path, file, search.ImplicitLayers)
		if p.fault != nil {
			continue
		}
		for _, l := range p.layers.Layers {
			d.byOwnVariables(l)
			if l.IsOverride() {
				d.f.Exe()
				if len(l.OverridePaths) > 0 { // they may take the place of the explicit ones
					explicit = nil
				}
			}
		}
	}
	if settings != "" {
		return true // the decision knows what else the file names, and whether it leaves anything to the search
	}
	d.files(explicit)
	return !d.f.Missing()
}

// files asks for manifests.
func (d *decider) files(list []search.Found) {
	for i := range list {
		d.f.File(list[i].Path)
	}
}

// places finds the manifests of a kind in its usual places.
func (d *decider) places(k search.Kind) []search.Found {
	places := search.Build(&d.q.Platform, k, d.f, false, nil)
	found, _ := places.Files(d.f)
	return found
}

func (d *decider) isInstance() bool   { return d.q.Kind == Instance || d.q.Kind == InstanceDrivers }
func (d *decider) isExtensions() bool { return d.q.Kind == Extensions || d.q.Kind == ExtensionsDrivers }

// namesLayer tells whether the question is about a layer; NULL and "" are not (INS-005).
func (d *decider) namesLayer() bool { return d.q.LayerName.Set && d.q.LayerName.Text != "" }

// log notes a line. Where many are made, the caller asks for quiet first, which saves the text as well.
func (d *decider) log(flags uint32, text string) {
	if d.quiet && flags&diag.Fatal == 0 {
		return
	}
	d.a.Steps = append(d.a.Steps, Step{Kind: StepLog, Flags: flags, Text: text})
}

func (d *decider) step(kind StepKind) { d.a.Steps = append(d.a.Steps, Step{Kind: kind}) }

// find adds a finding without a place in a file.
func (d *decider) find(code diag.Code, subject, path, what string) {
	if d.q.Explain {
		d.a.Findings = append(d.a.Findings, diag.Finding{Code: code, Subject: subject, Path: path, What: what})
	}
}

// ignored finds those of the variables that are set, and that something else takes the place of.
func (d *decider) ignored(winner string, list ...variables.ID) {
	for _, v := range list {
		if d.f.Variable(v).Set {
			d.find(diag.VariableIgnored, v.Name(), "", v.Name()+" is set, but "+winner+" takes its place")
		}
	}
}

// say logs and finds in one.
func (d *decider) say(flags uint32, code diag.Code, subject, path, text string) {
	d.log(flags, text)
	d.find(code, subject, path, text)
}

// base is the last component of a path.
func (d *decider) base(path string) string { return d.q.Platform.Style.Base(path) }

// saidBySearch carries over what the system's own part of a search said.
func (d *decider) saidBySearch(list []search.Said) {
	for i := range list {
		s := &list[i]
		if s.Flags != 0 {
			d.log(s.Flags, s.Text)
		}
		if s.Code != diag.None {
			d.find(s.Code, s.Subject, s.Path, s.Text)
		}
	}
}

// line carries a manifest's line over.
func (d *decider) line(path string, l *manifest.Line) {
	if l.Flags != 0 {
		d.log(l.Flags, l.Text)
	}
	if l.Code != diag.None && d.q.Explain && !(l.Code == diag.FileWrongKind && d.q.Platform.Mixed) {
		d.a.Findings = append(d.a.Findings, diag.Finding{Code: l.Code, Cause: l.Cause, Subject: path, Path: path, Line: l.Line,
			Column: l.Column, What: l.Text})
	}
}

// search makes a search and logs it (LOG-17).
func (d *decider) search(k search.Kind, noVariables bool, override []string) []search.Found {
	flags := diag.Layer
	if k == search.Drivers {
		flags = diag.Driver
	}
	places := search.Build(&d.q.Platform, k, d.f, noVariables, override)
	for _, path := range places.TooLong {
		d.say(diag.Debug, diag.LocationTooLong, path, "", "add_data_files: Path to "+path+" too long")
	}
	for _, v := range places.Ignored {
		d.find(diag.VariableIgnored, v.From, "", v.From+" is set, but "+v.Path+" takes its place")
	}
	d.saidBySearch(places.Said)
	found, missing := places.Files(d.f)
	d.a.Searched[k] = places
	d.log(flags, "Searching for "+k.What()+" manifest files")
	d.log(flags, "   In following locations:")
	for i := range places.List {
		if !d.quiet {
			d.log(flags, "      "+places.List[i].Path)
		}
	}
	for i := range missing {
		d.find(diag.LocationMissing, missing[i].From, missing[i].Path, "no such directory")
	}
	if len(found) == 0 {
		d.log(flags, "   Found no files")
		return nil
	}
	d.log(flags, "   Found the following files:")
	for i := range found {
		if !d.quiet {
			d.log(flags, "      "+found[i].Path)
		}
	}
	return found
}

// read gets a file's text; false after saying why not (LOG-19, LAY-7, LAY-8).
func (d *decider) read(path string, listed bool) (facts.File, bool) {
	file, known := d.f.File(path)
	if !known {
		return file, known
	}
	text := ""
	code, severity := diag.FileRead, diag.Error
	switch file.Status {
	case facts.FileRead:
		return file, true
	case facts.FileNotOpened:
		name := path
		if listed && !d.f.Exists(path) { // PATH-19: a dangling link is known by its name only
			name = d.base(path)
		}
		code, text = diag.FileOpen, "loader_get_json: Failed to open JSON file "+name
	case facts.FileNoSize:
		text = "loader_get_json: Failed to read file size of JSON file " + path
	case facts.FileNotRegular:
		text = "loader_get_json: JSON file " + path + " is not a regular file"
	case facts.FileTooLarge:
		severity = diag.Warn
		text = "loader_get_json: JSON file " + path + " is larger than 16777216 bytes"
	default:
		text = "loader_get_json: Failed to read entire JSON file " + path
	}
	d.say(severity, code, path, path, text)
	return file, false
}

// fault says that a text is not JSON (LAY-9).
func (d *decider) fault(path string, fault *document.Fault) {
	d.log(diag.Error, "loader_get_json: Invalid JSON file "+path+".")
	if d.q.Explain {
		d.a.Findings = append(d.a.Findings, diag.Finding{Code: diag.FileSyntax, Subject: path, Path: path,
			Line: fault.Line, Column: fault.Column, What: fault.What})
	}
}

// layers answers vkEnumerateInstanceLayerProperties (LAY-237).
func (d *decider) layers() {
	if !d.q.Terminator && d.preScan(manifest.PreLayers) {
		return
	}
	d.readSettings()
	d.a.Layers = d.layerList(true)
	d.step(StepLayers)
	d.explainListed()
}

// preScan looks whether layers have a pre-instance function: then they are the answer. Otherwise nothing of the look is
// said, because the call's own search says it all.
func (d *decider) preScan(which int) bool {
	own := d.a
	d.a = &Answer{Style: own.Style}
	d.readSettings()
	if d.preLayers(which) {
		return true
	}
	own.Settings, own.Remember = d.a.Settings, d.a.Remember
	d.a = own
	return false
}

// aside decides something and gives the steps of it, for the caller to say or not.
func (d *decider) aside(decide func()) []Step {
	own := d.a.Steps
	d.a.Steps = nil
	decide()
	steps := d.a.Steps
	d.a.Steps = own
	return steps
}

// preLayers lists the enabled implicit layers that want a global function first (LAY-217, LAY-224).
func (d *decider) preLayers(which int) bool {
	list := d.layerList(false)
	for i, counts := range firstImplicit(list) {
		if l := list[i]; counts && !l.Meta && l.Pre[which] != "" && d.implicitEnabled(l) {
			d.a.PreLayers = append(d.a.PreLayers, PreLayer{l.Name, l.Library, l.Pre[which]})
		}
	}
	if len(d.a.PreLayers) == 0 {
		return false
	}
	d.step(StepPreLayers)
	return true
}

// offered finds the implicit layers and the drivers whose extensions count.
func (d *decider) offered() *before {
	list := d.layerList(false)
	enabled := firstImplicit(list)
	for i, l := range list {
		enabled[i] = enabled[i] && d.implicitEnabled(l)
	}
	d.discover(true)
	return &before{kind: ExtensionsDrivers, layers: list, enabled: enabled, exclusive: d.exclusiveSettings()}
}

// extensions answers vkEnumerateInstanceExtensionProperties.
func (d *decider) extensions() {
	if !d.q.Terminator && d.q.Kind == Extensions && d.preScan(manifest.PreExtensions) {
		return
	}
	if d.namesLayer() && !wellFormed(d.q.LayerName) { // INS-015
		d.a.Result = ExtensionNotPresent
		d.say(diag.Error, diag.NameMalformed, "pLayerName", "",
			"vkEnumerateInstanceExtensionProperties:  pLayerName is too long or is badly formed")
		return
	}
	if d.namesLayer() {
		d.readSettings()
		l := findLayer(d.layerList(true), d.q.LayerName.Text)
		if d.preventedBySettings(d.q.LayerName.Text) { // SET-74
			d.step(StepExtensions)
			return
		}
		if l == nil {
			d.a.Result = LayerNotPresent
			return
		}
		d.a.Extensions = l.Instance
		d.step(StepExtensions)
		return
	}
	var b *before
	said := d.aside(func() {
		d.readSettings()
		if b = d.earlier(); b == nil {
			b = d.offered()
		}
	})
	if d.f.Missing() {
		return
	}
	if d.q.Kind == Extensions {
		d.a.Steps, d.m.before = said, b
		return
	}
	list, enabled := b.layers, b.enabled
	if !d.driverFailures() {
		return
	}
	seen := make(map[string]bool, 64)
	add := func(e manifest.Extension) {
		if !seen[e.Name] {
			seen[e.Name] = true
			d.a.Extensions = append(d.a.Extensions, e)
		}
	}
	for i := range d.q.Drivers {
		if !d.offering[i] {
			continue
		}
		for _, e := range d.q.Drivers[i].Extensions {
			if !d.q.Platform.MissingWindowSystem(e.Name) && (d.a.KeepUnknown || d.knownExtension(e.Name)) {
				add(e)
			}
		}
	}
	for _, e := range loaderExtensions {
		add(e)
	}
	quirk := false // LAY-246, not where the settings file leaves nothing to the search (SET-72)
	components := make(map[string]bool)
	for _, l := range list {
		quirk = quirk || l.Implicit && l.Meta && !b.exclusive
		for _, name := range l.Components {
			components[name] = true
		}
	}
	for i, l := range list {
		if enabled[i] || quirk && !l.Implicit && components[l.Name] {
			for _, e := range l.Instance {
				add(e)
			}
		}
	}
	d.step(StepExtensions)
}

// firstImplicit marks the implicit layers, of each name the first: the others count for nothing before there is an
// instance (LAY-109, ERRATA 27).
func firstImplicit(list []*manifest.Layer) []bool {
	first := make([]bool, len(list))
	known := make(map[string]bool)
	for i, l := range list {
		if l.Implicit && !known[l.Name] {
			known[l.Name], first[i] = true, true
		}
	}
	return first
}

// driverFailures leaves out the drivers that failed to list their extensions; false when that ends the call: for lack
// of memory, or when no other driver is there (INS-017, ERRATA 20).
func (d *decider) driverFailures() bool {
	d.a.KeepUnknown = nonZero(d.f.Variable(variables.DisableInstExtFilter).Value)
	d.offering = make([]bool, len(d.q.Drivers))
	left, first := 0, Success
	for i := range d.q.Drivers {
		driver := &d.q.Drivers[i]
		if !driver.Usable {
			continue
		}
		if driver.Result == Success {
			d.offering[i] = true
			left++
			continue
		}
		what := "extensions"
		if driver.Call == CallCount {
			what = "extension count"
		}
		d.say(diag.Error, diag.DriverExtensions, driver.Path, driver.Path,
			"loader_add_instance_extensions: Error getting Instance "+what+" from "+driver.Path)
		if driver.Result == OutOfHostMemory || driver.Result == OutOfDeviceMemory {
			d.a.Result = driver.Result
			return false
		}
		if first == Success {
			first = driver.Result
		}
	}
	if left == 0 {
		d.a.Result = first
		return first == Success
	}
	for i := range d.q.Drivers {
		if d.q.Drivers[i].Usable && !d.offering[i] {
			d.a.Steps = append(d.a.Steps, Step{Kind: StepDrop, Driver: int(d.q.Drivers[i].Index)})
		}
	}
	return true
}

func decimal(v uint32) string { return strconv.FormatUint(uint64(v), 10) }

package manifest

import (
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
)

// OverrideName is the name of the override layer (LAY-184).
const OverrideName = "VK_LAYER_LUNARG_override"

// nameLimit is the longest text that fits the fields of the API (LAY-35).
const nameLimit = 254

// Extension is an entry of a layer's extension lists.
type Extension struct {
	Name        string
	Spec        uint32
	Entrypoints []string
}

// Pre-instance functions (LAY-75), in the order of PreNames.
const (
	PreExtensions = iota
	PreLayers
	PreVersion
	preCount
)

// PreNames are the pre-instance functions that layers may provide.
var PreNames = [preCount]string{
	"vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceLayerProperties", "vkEnumerateInstanceVersion",
}

// Layer is one layer of a layer manifest.
type Layer struct {
	Name           string
	API            uint32 // packed
	Implementation uint32
	Description    string
	Manifest       string
	Line, Column   int // 0 unless Placed
	Implicit       bool
	Library        string // as passed to dlopen; "" for a meta-layer
	Meta           bool
	Components     []string
	Negotiate      string // renamed symbols, "" for the usual name (LAY-68)
	GetInstance    string
	GetDevice      string
	Pre            [preCount]string // symbols of pre-instance functions; "" if none
	Instance       []Extension
	Device         []Extension
	Walk           int    // cost, in bytes, of visiting the components once more
	Weight         int    // cost, in bytes, of the extensions in a meta-layer's lists
	DisableName    string // variables of an implicit layer
	HasEnable      bool
	EnableName     string
	EnableValue    string
	Blacklist      []string
	OverridePaths  []string
	AppKeys        []string
}

// IsOverride reports whether the layer is an override layer.
func (l *Layer) IsOverride() bool { return l.Meta && l.Implicit && l.Name == OverrideName }

// LayerFile is the content of a layer manifest.
type LayerFile struct {
	Lines  []Line
	Layers []*Layer
}

// layerReader reads the layers of one manifest.
type layerReader struct {
	path     string
	implicit bool
	detail   Detail
	on       *System
	version  Version
	text     string // of file_format_version
	out      *LayerFile
	spare    *Layer
	texts    int // bytes of lines so far
	most     int // the limit of texts
}

// linesLeast is the number of bytes of lines allowed for any manifest; twice the size of the manifest is added.
const linesLeast = 64 << 10

// ReadLayers interprets a layer manifest.
func ReadLayers(doc *document.Document, path string, implicit bool, detail Detail, on *System) *LayerFile {
	r := &layerReader{path: path, implicit: implicit, detail: detail, on: on, out: &LayerFile{},
		most: linesLeast + 2*doc.Size()}
	top := doc.Top()
	if !top.IsObject() {
		r.add(top, Line{Code: diag.FileTop, Cause: diag.NoObject}) // LAY-10
		return r.out
	}
	version := top.Member("file_format_version")
	var ok bool
	if r.text, ok = version.Text(); !ok {
		at := version
		if !at.Exists() {
			at = top
		}
		r.add(at, Line{Flags: diag.Warn | diag.Layer, Code: diag.ManifestVersion,
			Text: "loader_add_layer_properties: Manifest " + path +
				" missing required field file_format_version"}.about("file_format_version", version))
		return r.out
	}
	if detail != Silent {
		r.say(version, diag.Info, diag.None, "Found manifest file "+path+" (file version "+r.text+")")
	}
	r.version = ParseVersion(r.text)
	if !knownFileVersion(r.version) {
		r.say(version, diag.Info|diag.Layer, diag.ManifestVersionUnknown, "loader_add_layer_properties: "+path+
			" has unknown layer manifest file version "+r.version.Dots()+".  May cause errors.")
	}

	if layers := top.Member("layers"); layers.Exists() {
		if r.version.before(1, 0, 1) {
			r.say(layers, diag.Warn|diag.Layer, diag.LayerStructure,
				"loader_add_layer_properties: 'layers' tag not supported until file version 1.0.1, but "+
					path+" is reporting version "+r.text)
		}
		for v := layers.First(); v.Exists(); v = v.Next() { // LAY-28: members of an object count as well
			if !v.IsObject() {
				r.add(v, Line{Flags: diag.Warn | diag.Layer, Code: diag.LayerStructure,
					Text: "loader_add_layer_properties: Array element in \"layers\" field in manifest JSON file " +
						path + " is not an object.  Skipping this file"}.about("layers", v))
				return r.out
			}
			r.layer(v)
		}
		return r.out
	}

	layer := top.Member("layer")
	if !layer.Exists() {
		if top.Member("ICD").Exists() {
			r.add(top, Line{Code: diag.FileWrongKind, Cause: diag.IsDriver})
		} else {
			r.add(top, Line{Flags: diag.Warn | diag.Layer, Code: diag.LayerStructure,
				Text: "loader_add_layer_properties: Can not find 'layer' object in manifest JSON file " +
					path + ".  Skipping this file."}.about("layer", layer))
		}
		return r.out
	}
	if !r.version.before(1, 0, 1) && layer.Next().Exists() { // LAY-31
		r.say(layer.Next(), diag.Error|diag.Layer, diag.LayerStructure,
			"loader_add_layer_properties: Multiple 'layer' nodes are deprecated starting in file version \"1.0.1\".  Please use 'layers' : [] array instead in "+
				path+".")
		return r.out
	}
	for v := layer; v.Exists(); v = v.Next() { // LAY-32
		r.layer(v)
	}
	return r.out
}

func knownFileVersion(v Version) bool {
	if v.Variant != 0 || v.Major != 1 {
		return false
	}
	switch v.Minor {
	case 0:
		return v.Patch <= 1
	case 1:
		return v.Patch <= 2
	case 2:
		return v.Patch <= 1
	}
	return false
}

func (r *layerReader) say(at document.Value, flags uint32, code diag.Code, text string) {
	r.add(at, Line{Flags: flags, Text: text, Code: code})
}

func (r *layerReader) add(at document.Value, l Line) {
	if r.detail == Silent {
		return
	}
	if l.Code != diag.None && r.detail == Placed {
		l.Line, l.Column = at.Position()
	}
	r.out.Lines = append(r.out.Lines, l)
	if r.texts += len(l.Text); r.texts > r.most && r.detail == Spoken {
		r.detail = Silent
		text := "Further lines about " + r.path + " are left out"
		r.out.Lines = append(r.out.Lines, Line{Flags: diag.Warn | diag.Layer, Text: text})
	}
}

// reportMissing reports a missing field, at the value of another type or at the object.
func (r *layerReader) reportMissing(object, value document.Value, field string) {
	if r.detail == Silent {
		return
	}
	at := value
	if !at.Exists() {
		at = object
	}
	r.add(at, Line{Flags: diag.Warn, Code: diag.LayerField, Text: "Layer located at " + r.path +
		" didn't find required layer value \"" + field +
		"\" in manifest JSON file, skipping this layer"}.about(field, value))
}

// layer reads one layer object. A bad one does not affect the other layers of the file (LAY-34).
func (r *layerReader) layer(v document.Value) {
	l := r.spare
	if l == nil {
		l = &Layer{}
	}
	*l = Layer{Manifest: r.path, Implicit: r.implicit}
	r.spare = l // reused for the next layer if this one is bad
	if r.detail == Placed {
		l.Line, l.Column = v.Position()
	}
	if !r.identity(v, l) || !r.library(v, l) || !r.activation(v, l) {
		return
	}
	r.functions(v, l)
	l.Instance = r.extensions(v.Member("instance_extensions"), false)
	l.Device = r.extensions(v.Member("device_extensions"), true)
	l.Weight = weight(l.Instance) + weight(l.Device)
	r.out.Layers = append(r.out.Layers, l)
	r.spare = nil
}

// identity reads the required fields (LAY-35 to LAY-47).
func (r *layerReader) identity(v document.Value, l *Layer) bool {
	member := v.Member("name")
	var ok bool
	if l.Name, ok = member.Text(); !ok || len(l.Name) > nameLimit {
		r.reportMissing(v, member, "name")
		return false
	}
	if !strings.HasPrefix(l.Name, "VK_LAYER_") {
		r.say(member, diag.Warn, diag.LayerName, "Layer name "+l.Name+
			" does not conform to naming standard (Policy #LLP_LAYER_3)")
	}
	member = v.Member("type")
	kind, ok := member.Text()
	switch {
	case !ok:
		r.reportMissing(v, member, "type")
		return false
	case kind == "DEVICE":
		r.say(member, diag.Warn|diag.Layer, diag.LayerType, "Device layers are deprecated. Skipping layer "+l.Name)
		return false
	case kind != "INSTANCE" && kind != "GLOBAL":
		r.add(member, Line{Code: diag.LayerType, Cause: diag.UnknownType, Detail: kind})
		return false
	}
	member = v.Member("api_version")
	text, ok := member.Text()
	if !ok {
		r.reportMissing(v, member, "api_version")
		return false
	}
	l.API = ParseVersion(text).Packed()
	if variant := Variant(l.API); variant != 0 {
		r.say(member, diag.Info|diag.Layer, diag.LayerVariant, "Layer \""+l.Name+
			"\" has an 'api_version' field which contains a non-zero variant value of "+strconv.Itoa(int(variant))+
			".  Skipping Layer.")
		return false
	}
	member = v.Member("implementation_version")
	if text, ok = member.Text(); !ok {
		r.reportMissing(v, member, "implementation_version")
		return false
	}
	l.Implementation = decimal(text)
	member = v.Member("description")
	if l.Description, ok = member.Text(); !ok || len(l.Description) > nameLimit {
		r.reportMissing(v, member, "description")
		return false
	}
	return true
}

// library reads the layer's library or component layers (LAY-48 to LAY-60), and the fields that only meta-layers have
// (LAY-84 to LAY-87).
func (r *layerReader) library(v document.Value, l *Layer) bool {
	library := v.Member("library_path")
	path, has := library.Text()
	components := v.Member("component_layers")
	if r.on.wrongArchitecture(v.Member("library_arch")) {
		if r.detail == Silent { // do not build the text with the path
			return false
		}
		r.say(v.Member("library_arch"), diag.Info, diag.LayerArchitecture, "The library architecture in layer "+r.path+
			" doesn't match the current running architecture, skipping this layer")
		return false
	}
	switch {
	case has && components.Exists():
		r.say(components, diag.Warn, diag.LayerField, "Layer \""+l.Name+
			"\" contains meta-layer-specific component_layers, but also defining layer library path.  Both are not compatible, so skipping this layer")
		return false
	case has:
		l.Library, _ = r.on.Style.Resolve(r.path, path) // LAY-49 to LAY-51
	case components.Exists():
		if r.version.before(1, 1, 0) {
			r.say(components, diag.Warn, diag.ManifestVersion, "Layer \""+l.Name+
				"\" contains meta-layer-specific component_layers, but using older JSON file version.")
		}
		l.Components = make([]string, 0, components.Count())
		for c := components.First(); c.Exists(); c = c.Next() {
			name, ok := c.Text()
			if !ok {
				if components.IsObject() { // LAY-58: only its string values
					continue
				}
				r.neither(c, l, "component_layers", c)
				return false
			}
			l.Components = append(l.Components, name)
			l.Walk += walkStep + len(name)
		}
		l.Walk += walkStep
		l.Meta = true
		r.say(components, diag.Info|diag.Layer, diag.None, "Encountered meta-layer \""+l.Name+"\"")
	default:
		r.neither(v, l, "library_path", library)
		return false
	}
	if l.Meta {
		if paths := v.Member("override_paths"); paths.Exists() {
			if r.version.before(1, 1, 0) {
				r.say(paths, diag.Warn, diag.ManifestVersion, "Layer \""+l.Name+
					"\" contains meta-layer-specific override paths, but using older JSON file version.")
			}
			l.OverridePaths = r.searchable(texts(paths))
		}
	}
	if l.Name == OverrideName {
		l.Blacklist = texts(v.Member("blacklisted_layers"))
	}
	if keys := v.Member("app_keys"); keys.Exists() {
		if l.Name == OverrideName {
			l.AppKeys = texts(keys)
		} else {
			r.say(keys, diag.Warn|diag.Layer, diag.LayerSection, "Layer "+l.Name+
				" contains app_keys, but any app_keys can only be provided by the override meta layer. These will be ignored.")
		}
	}
	return true
}

// searchable returns the lists of paths, or nil if no list has an element (LAY-206).
func (r *layerReader) searchable(lists []string) []string {
	separator := string(rune(r.on.Style.ListSeparator()))
	for _, list := range lists {
		if strings.Count(list, separator) < len(list) {
			return lists
		}
	}
	return nil
}

// neither reports a layer without a library and components, by the value of a member that may be wrong.
func (r *layerReader) neither(at document.Value, l *Layer, member string, value document.Value) {
	r.add(at, Line{Flags: diag.Warn, Code: diag.LayerField, Text: "Layer \"" + l.Name +
		"\" is missing both library_path and component_layers fields.  One or the other MUST be defined.  Skipping this layer"}.about(member, value))
}

// activation reads the variables of an implicit layer (LAY-61 to LAY-67).
func (r *layerReader) activation(v document.Value, l *Layer) bool {
	if !r.implicit {
		return true
	}
	disable := v.Member("disable_environment")
	if !disable.Exists() {
		r.add(v, Line{Flags: diag.Warn, Code: diag.LayerField, Text: "Layer \"" + l.Name +
			"\" doesn't contain required layer object disable_environment in the manifest JSON file, skipping this layer"}.about("disable_environment", disable))
		return false
	}
	first := document.Value{}
	if disable.IsObject() {
		first = disable.First()
	}
	if first.Kind() != document.String {
		r.add(disable, Line{Flags: diag.Warn, Code: diag.LayerField, Text: "Layer \"" + l.Name +
			"\" doesn't contain required child value in object disable_environment in the manifest JSON file, skipping this layer (Policy #LLP_LAYER_9)"}.
			about("disable_environment", disable))
		return false
	}
	l.DisableName = first.Name()
	if enable := v.Member("enable_environment"); enable.IsObject() {
		if value, ok := enable.First().Text(); ok {
			l.HasEnable, l.EnableName, l.EnableValue = true, enable.First().Name(), value
		}
	}
	return true
}

// functions reads renamed symbols and pre-instance functions (LAY-68 to LAY-75).
func (r *layerReader) functions(v document.Value, l *Layer) {
	functions := v.Member("functions")
	if !r.version.before(1, 1, 0) {
		l.Negotiate, _ = functions.Member("vkNegotiateLoaderLayerInterfaceVersion").Text()
	}
	rename := func(name string) string {
		member := functions.Member(name)
		symbol, ok := member.Text()
		if ok && l.Negotiate == "" && !r.version.before(1, 1, 0) {
			r.say(member, diag.Info, diag.LayerDeprecated, "Layer \""+l.Name+"\" using deprecated '"+name+
				"' tag which was deprecated starting with JSON file version 1.1.0. The new vkNegotiateLoaderLayerInterfaceVersion function is preferred, though for compatibility reasons it may be desirable to continue using the deprecated tag.")
		}
		return symbol
	}
	l.GetInstance = rename("vkGetInstanceProcAddr")
	l.GetDevice = rename("vkGetDeviceProcAddr")

	pre := v.Member("pre_instance_functions")
	switch {
	case !pre.Exists():
	case r.version.before(1, 1, 2):
		r.say(pre, diag.Error, diag.LayerSection, "Found pre_instance_functions section in layer from \""+r.path+
			"\". This section is only valid in manifest version 1.1.2 or later. The section will be ignored")
	case !r.implicit:
		r.say(pre, diag.Warn, diag.LayerSection, "Found pre_instance_functions section in explicit layer from \""+
			r.path+
			"\". This section is only valid in implicit layers. The section will be ignored")
	default:
		for i, name := range PreNames {
			l.Pre[i], _ = pre.Member(name).Text()
		}
	}
}

// walkStep is the cost of one component in the active list, in bytes.
const walkStep = 64

// weight returns the approximate size of a list of extensions, in bytes.
func weight(list []Extension) int {
	sum := 0
	for i := range list {
		sum += 256 + 2*len(list[i].Name)
	}
	return sum
}

// fewExtensions is the longest list of extensions that is searched without a map.
const fewExtensions = 16

// extensions reads an extension list (LAY-76 to LAY-82).
func (r *layerReader) extensions(v document.Value, device bool) []Extension {
	if v.Kind() != document.Array {
		return nil
	}
	count := 0
	for e := v.First(); e.Exists(); e = e.Next() {
		if e.Member("name").Kind() == document.String {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	out := make([]Extension, 0, count)
	var seen map[string]bool
	if count > fewExtensions {
		seen = make(map[string]bool, count)
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		name, ok := e.Member("name").Text()
		if !ok || len(name) > nameLimit {
			continue
		}
		hasName := func(e Extension) bool { return e.Name == name }
		if seen[name] || seen == nil && slices.ContainsFunc(out, hasName) {
			continue
		}
		if !device && r.on.MissingWindowSystem(name) {
			continue
		}
		ext := Extension{Name: name}
		if text, ok := e.Member("spec_version").Text(); ok {
			ext.Spec = decimal(text)
		}
		if device {
			ext.Entrypoints = texts(e.Member("entrypoints"))
		}
		out = append(out, ext)
		if seen != nil {
			seen[name] = true
		}
	}
	return out
}

// texts returns the strings of an array, ignoring other elements.
func texts(v document.Value) []string {
	if v.Kind() != document.Array {
		return nil
	}
	count := 0
	for e := v.First(); e.Exists(); e = e.Next() {
		if e.Kind() == document.String {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	out := make([]string, 0, count)
	for e := v.First(); e.Exists(); e = e.Next() {
		if text, ok := e.Text(); ok {
			out = append(out, text)
		}
	}
	return out
}

// Package reasons has the sentences of the core's findings. The core has codes, causes and details. Its only sentences
// are the lines of the log; a finding with such a line has the line as its text.
package reasons

import (
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/variables"
)

// Fill writes the sentences of findings that have none, and shortens the log's lines in the others.
func Fill(findings []diag.Diagnostic) {
	for i := range findings {
		findings[i].What = Of(&findings[i])
	}
}

// Of returns the sentence of a finding, by its cause or its line.
func Of(f *diag.Diagnostic) string {
	switch f.Cause {
	case diag.NoMember:
		if f.Code == diag.LayerField && f.Detail == "library_path" {
			return `"library_path" and "component_layers" are missing`
		}
		return `"` + f.Detail + `"` + " is missing"
	case diag.MemberValue:
		return member(f)
	}
	if f.What != "" {
		return Plain(f.What, f.Path)
	}
	switch f.Code {
	case diag.FileSyntax:
		return Syntax(document.Slip(f.Slip))
	case diag.DriverUsed:
		return driverOrigin(f) + ", library " + f.More
	case diag.LayerActive:
		return active(f)
	case diag.VariableIgnored:
		return f.Subject + " is set, but has no effect because of " + winner(f)
	}
	if int(f.Cause) < len(byCause) && byCause[f.Cause] != "" {
		before, after, _ := strings.Cut(byCause[f.Cause], "%1")
		after, _ = strings.CutSuffix(after, "%2")
		return before + f.Detail + after + f.More
	}
	return codeText(f.Code)
}

// wantedOf returns the value that the loader takes for a member, and the word before a wrong kind; "": the member is a
// string.
func wantedOf(member string) (wanted, word string) {
	switch member {
	case "ICD":
		return "an object", "is"
	case "layers":
		return "a list of objects", "has"
	case "component_layers":
		return "a list of strings", "has"
	case "disable_environment":
		return "an object with a string", "is"
	}
	return "", ""
}

// kinds are the words for the kinds of values.
var kinds = [...]string{document.Null: "null", document.False: "a boolean", document.True: "a boolean",
	document.Number: "a number", document.String: "a string", document.Array: "an array", document.Object: "an object"}

// member returns the sentence about a member with a value that the loader does not take.
func member(f *diag.Diagnostic) string {
	name, found := `"`+f.Detail+`"`, kinds[f.Found]
	wanted, word := wantedOf(f.Detail)
	switch {
	case wanted == "" && document.Kind(f.Found) != document.String:
		wanted, word = "a string", "is"
	case wanted == "" && f.Code == diag.DriverField:
		return name + " is empty"
	case wanted == "":
		return name + " has more bytes than the loader takes"
	case strings.HasPrefix(wanted, found):
		return name + " must be " + wanted
	}
	return name + " must be " + wanted + ", and " + word + " " + found
}

// byCause has the sentence of each cause. %1 stands for the first detail, and %2, at the end, for the second.
var byCause = [...]string{
	diag.Unasked:         "nothing enables it",
	diag.DisableVariable: "its disable variable %1 is set",
	diag.EnableVariable:  "its enable variable %1 does not have the value %2",
	diag.NoObject:        "the top-level value is not an object",
	diag.IsLayer:         "this is a layer manifest in a place for driver manifests",
	diag.IsDriver:        "this is a driver manifest in a place for layer manifests",
	diag.UnknownType:     "the layer has the unknown type %1",
	diag.RegistryValue:   "disabled: its value in %1 is not four bytes of 0",
}

func codeText(code diag.Code) string {
	switch code {
	case diag.DriverPortability:
		return "a portability driver, and the program does not enumerate them"
	case diag.LayerListed:
		return "listed"
	case diag.LocationMissing:
		return "no such directory"
	case diag.SettingsUsed:
		return "in force"
	}
	return ""
}

// LoaderService is the location of drivers that Fuchsia's loader service offers.
const LoaderService = "the loader service"

// driverOrigin describes the origin of a driver.
func driverOrigin(f *diag.Diagnostic) string {
	from := f.Detail
	switch {
	case f.Cause == diag.BySettings:
		return "named by the settings file"
	case f.Cause == diag.ByService:
		return "offered by the driver service at " + from
	case from == LoaderService:
		return "offered by " + from
	case from == "default":
		return "found in a default directory"
	case from == variables.Home.Name(), strings.HasPrefix(from, "XDG_"):
		return "found in a directory of " + from
	case strings.HasPrefix(from, "VK_"), strings.HasPrefix(from, "VulkanDriverName"):
		return "named by " + from
	}
	return "found in " + from
}

// active describes what enables a layer.
func active(f *diag.Diagnostic) string {
	switch f.Cause {
	case diag.ImplicitLayer:
		return "implicit layer; to disable it, set " + f.Detail
	case diag.InstanceList:
		return "named in " + variables.InstanceLayers.Name()
	case diag.EnableFilter:
		return "matches " + variables.LayersEnable.Name()
	case diag.ByProgram:
		return "enabled by the program"
	case diag.OfMeta:
		return "component of a meta-layer"
	}
	return "enabled by the settings file"
}

// winner describes what takes precedence over a variable.
func winner(f *diag.Diagnostic) string {
	switch f.Cause {
	case diag.DeviceList:
		return "the device configurations of " + f.Detail
	case diag.LayerList:
		return "the layers of " + f.Detail
	case diag.OverridePaths:
		return "the override_paths of " + f.Detail
	}
	return f.Detail
}

// Syntax returns the sentence of a syntax error.
func Syntax(slip document.Slip) string { return bySlip[slip] }

var bySlip = [...]string{
	document.TooLarge:      "the file is too large",
	document.NoValue:       "the text ends where a value is expected",
	document.TooDeep:       "nested more than 1000 deep",
	document.MinusAlone:    "a minus sign without a number",
	document.NotAValue:     "this is not the start of a value",
	document.OpenContainer: "the text ends inside an object or array",
	document.NoBrace:       "expected a comma or a closing brace",
	document.NoBracket:     "expected a comma or a closing bracket",
	document.NoName:        "expected a member name in double quotes; JSON allows no comma after the last entry, and no comment",
	document.NoColon:       "expected a colon after the member name",
	document.OpenString:    "the text ends inside a string",
	document.BrokenEscape:  "a broken \\u escape",
	document.UnknownEscape: "an unknown escape",
}

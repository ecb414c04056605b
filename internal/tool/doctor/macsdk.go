package doctor

import (
	"bufio"
	"bytes"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
)

// sdkVariable is the directory of the SDK of LunarG.
const sdkVariable = "VULKAN_SDK"

// sdkVariables are the variables that the setup script of the SDK sets, by its releases.
var sdkVariables = []string{sdkVariable, variables.DriverFiles.Name(), variables.ICDFilenames.Name(), variables.AddDriverFiles.Name(),
	variables.LayerPath.Name(), variables.AddLayerPath.Name(), "DYLD_LIBRARY_PATH"}

// sdks adds a finding for each directory of an SDK that variables name and that does not exist.
func (e *macExam) sdks() {
	named := map[string][]string{} // variables, by directory
	for _, name := range sdkVariables {
		value, _ := e.mac.Machine.Lookup(name)
		for _, entry := range strings.Split(value, ":") {
			sdk := e.sdkOf(entry)
			if sdk == "" || e.mac.Exists(sdk) {
				continue
			}
			if !slices.Contains(e.removed, sdk) {
				e.removed = append(e.removed, sdk)
			}
			if !slices.Contains(named[sdk], name) {
				named[sdk] = append(named[sdk], name)
			}
		}
	}
	for _, sdk := range e.removed {
		what := strings.Join(named[sdk], ", ") + " name files of it, and it does not exist"
		if len(named[sdk]) == 1 {
			what = named[sdk][0] + " names it, and it does not exist"
		}
		if at := e.setup(); at.File != "" {
			what += "; setup-env.sh is run in " + at.String()
		}
		f := e.found(SDKRemoved, "Vulkan SDK", sdk, sentence(what), nil)
		if !slices.ContainsFunc(named[sdk], func(name string) bool {
			return name == variables.DriverFiles.Name() || name == variables.ICDFilenames.Name()
		}) {
			f.soften(diag.Warning)
		}
		var change *explain.Change
		for _, name := range slices.Backward(named[sdk]) {
			one := e.without(name, sdk)
			one.And = change
			change = &one
		}
		e.offer(f, *change)
	}
}

// without returns the change that removes the entries of an SDK from a variable.
func (e *macExam) without(name, sdk string) explain.Change {
	value, _ := e.mac.Machine.Lookup(name)
	rest := slices.DeleteFunc(strings.Split(value, ":"), func(entry string) bool { return entry == "" || e.sdkOf(entry) == sdk })
	if len(rest) == 0 {
		return explain.UnsetVariable(name)
	}
	return explain.SetVariable(name, strings.Join(rest, ":"))
}

// sdkOf returns the directory of the SDK with a path: that of VULKAN_SDK, or VulkanSDK/VERSION/macOS; "": the path is in none.
func (e *macExam) sdkOf(entry string) string {
	if !path.IsAbs(entry) {
		return ""
	}
	entry = path.Clean(entry)
	if sdk, _ := e.mac.Machine.Lookup(sdkVariable); path.IsAbs(sdk) && (entry == path.Clean(sdk) || below(entry, sdk)) {
		return path.Clean(sdk)
	}
	before, after, is := strings.Cut(entry, "/VulkanSDK/")
	parts := strings.Split(after, "/")
	if !is || len(parts) < 2 || parts[1] != "macOS" {
		return ""
	}
	return path.Join(before, "VulkanSDK", parts[0], parts[1])
}

// profiles are the files of shells in which people run the setup script of the SDK.
var profiles = []string{".zshenv", ".zprofile", ".zshrc", ".bash_profile", ".bashrc", ".profile"}

// setup returns the line of a shell's file in the home directory that runs the setup script of the SDK; the zero value: none.
func (e *macExam) setup() FileLine {
	home, _ := e.mac.Machine.Lookup(variables.Home.Name())
	if !path.IsAbs(home) {
		return FileLine{}
	}
	for _, name := range profiles {
		file := path.Join(home, name)
		text, err := e.mac.Machine.ReadFile(file)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		for number := 1; lines.Scan(); number++ {
			if line := strings.TrimSpace(lines.Text()); !strings.HasPrefix(line, "#") && strings.Contains(line, "setup-env.sh") {
				return FileLine{File: file, Number: number}
			}
		}
	}
	return FileLine{}
}

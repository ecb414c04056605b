package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/windows"
)

// entry is a registry value, in the view of programs of a word size.
type entry = windows.ValueName

// pcChange is one change on a PC: set a variable, or enable or delete a registry value.
type pcChange struct {
	variable, text string
	entry          entry
	on             bool // set the data to a DWORD of 0; false: delete the value
}

// hives are the root key names of the reg command.
var hives = map[facts.Hive]string{facts.LocalMachine: "HKLM", facts.CurrentUser: "HKCU"}

// line returns the change as a command line for Windows.
func (c pcChange) line() string {
	if c.variable != "" {
		return `set "` + c.variable + "=" + c.text + `"`
	}
	line, data := "reg delete ", " /f"
	if c.on {
		line, data = "reg add ", " /t REG_DWORD /d 0 /f"
	}
	line += `"` + hives[c.entry.Hive] + `\` + c.entry.Key + `" /v "` + strings.ReplaceAll(c.entry.Name, `"`, `\"`) + `"` + data
	if c.entry.Hive == facts.LocalMachine {
		line += " /reg:" + c.entry.Bits
	}
	return line
}

// pcTried is a change that was tried and removes the finding.
type pcTried struct{ pcChange }

func (t pcTried) say() (string, []string) {
	text := t.line()
	switch {
	case t.variable != "":
		text = "For a program in which it causes problems: " + text
	case t.entry.Hive == facts.LocalMachine:
		text = "In a prompt that runs as administrator: " + text
	}
	return text, []string{t.line()}
}

// RegistryChange returns the registry change that was tried and removes the finding: at is the value, on whether its data
// become a DWORD of 0 instead of the value being deleted. is is false if the fix does not change the registry.
func (f *Finding) RegistryChange() (at windows.ValueName, on, is bool) {
	t, is := f.advice.(pcTried)
	if !is || t.variable != "" {
		return entry{}, false, false
	}
	return t.entry, t.on, true
}

// changedPC is a PC with a change applied.
type changedPC struct {
	PC
	change pcChange
}

func (c changedPC) Seen(bits string) PC { return changedPC{c.PC.Seen(bits), c.change} }

func (c changedPC) Var(name string, secure bool) facts.Var {
	if l := c.Loader(); c.change.variable != "" && sameName(name, c.change.variable) && (l == nil || l.Ours() || l.Obeys(name)) {
		return facts.Var{Value: c.change.text, Set: true}
	}
	return c.PC.Var(name, secure)
}

func (c changedPC) Elsewhere() facts.Elsewhere { return changedRegistry{c.PC.Elsewhere(), c} }

type changedRegistry struct {
	facts.Elsewhere
	of changedPC
}

func (r changedRegistry) Registry(h facts.Hive, path string) facts.Key {
	k, at := r.Elsewhere.Registry(h, path), r.of.change.entry
	if at.Name == "" || h != at.Hive || !sameName(path, at.Key) || h == facts.LocalMachine && at.Bits != r.of.WordSize() {
		return k
	}
	values := slices.Clone(k.Values)
	i := slices.IndexFunc(values, func(v facts.Value) bool { return v.Name == at.Name })
	switch {
	case i < 0:
	case r.of.change.on:
		values[i].Type, values[i].Data = facts.RegDWORD, zero
	default:
		values = slices.Delete(values, i, i+1)
	}
	return facts.Key{Opened: k.Opened, Values: values}
}

// zero is the data of an enabled value (WIN-036).
const zero = "\x00\x00\x00\x00"

// leftBy maps words in paths, in lower case, to the program that leaves values with these paths behind.
var leftBy = [...]struct{ word, program string }{
	{`obs-studio`, "OBS Studio"},
	{`obs-vulkan`, "OBS Studio"},
	{`bandicam`, "Bandicam"},
	{`bdcamvk`, "Bandicam"},
	{`rtssvk`, "RivaTuner Statistics Server"},
	{`rivatuner`, "RivaTuner Statistics Server"},
	{`twitch`, "Twitch"},
	{`mirillis`, "Mirillis Action!"},
	{`eosoverlay`, "the overlay of Epic Online Services"},
	{`galaxyoverlay`, "GOG Galaxy"},
	{`gog galaxy`, "GOG Galaxy"},
	{`overwolf`, "Overwolf"},
	{`ow-vulkan`, "Overwolf"},
	{`steamoverlay`, "Steam"},
	{`reshade`, "ReShade"},
}

// ownerOfPath returns the program that installs files with this path; "": unknown.
func ownerOfPath(path string) string {
	path = strings.ToLower(path)
	for _, l := range leftBy {
		if strings.Contains(path, l.word) {
			return l.program
		}
	}
	return ""
}

// namedByDevice returns the display device that names a driver manifest; "": none does.
func (e *pcExam) namedByDevice(manifest string) string {
	value := "VulkanDriverName"
	if e.pc.Elsewhere().Process().WOW64 {
		value += "Wow"
	}
	for _, d := range e.pc.Elsewhere().Devices(value).List {
		for _, path := range strings.Split(d.Data, "\x00") {
			if sameName(path, manifest) {
				return d.ID
			}
		}
	}
	return ""
}

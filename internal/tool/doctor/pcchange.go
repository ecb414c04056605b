package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/windows"
)

// entry is a value of the registry, in the view of programs of a word size.
type entry = windows.ValueName

// pcChange is one thing that somebody can do on a PC: a variable gets a value, or a value of the registry is switched on
// or goes.
type pcChange struct {
	variable, text string
	entry          entry
	on             bool // the entry's data become four bytes of 0; otherwise it goes
}

// hives are the short names that reg takes.
var hives = map[facts.Hive]string{facts.LocalMachine: "HKLM", facts.CurrentUser: "HKCU"}

// line is the change as a line for a prompt of Windows.
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

// pcTried is a change that was tried and ended the finding.
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

// RegistryChange is the change of the registry that was tried and ends the finding: a value goes, or its data become four bytes of
// 0 (on). False: no value of the registry ends it.
func (f *Finding) RegistryChange() (at windows.ValueName, on, is bool) {
	t, is := f.advice.(pcTried)
	if !is || t.variable != "" {
		return entry{}, false, false
	}
	return t.entry, t.on, true
}

// changedPC is a PC after a change.
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

// zero are the data of a value that is switched on (WIN-036).
const zero = "\x00\x00\x00\x00"

// leftBy are words of paths, in small letters, and the program that leaves a value with that path behind.
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

// ownerOfPath is the program that puts a file of this path on PCs; "": not known.
func ownerOfPath(path string) string {
	path = strings.ToLower(path)
	for _, l := range leftBy {
		if strings.Contains(path, l.word) {
			return l.program
		}
	}
	return ""
}

// namedByDevice tells which display device names a manifest of a driver; "": none does.
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

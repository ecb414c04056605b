package environment

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
)

// States of a variable.
const (
	Unset    = "unset"
	InForce  = "in force"
	Ignored  = "ignored"   // another setting replaces it
	NoEffect = "no effect" // its value has the effect of an unset variable
	Faulty   = "faulty"    // its value, or a part of it, has no effect or an unexpected one
	Unknown  = "unknown"   // the name resembles the loader's variables, and the loader does not read it
)

// Variable is a variable with its state.
type Variable struct {
	Name       string   `json:"name"`
	Group      string   `json:"group"`
	State      string   `json:"state"`
	Set        bool     `json:"set"`
	Value      string   `json:"value"`
	Why        string   `json:"why,omitempty"` // the reason for the state if the value does not show it
	Layer      string   `json:"layer,omitempty"`
	Takes      string   `json:"takes,omitempty"`
	Does       string   `json:"does"`
	Brief      string   `json:"-"`                  // the effect in one sentence
	Elevated   string   `json:"elevated,omitempty"` // in elevated processes: "ignored" or "kept"
	YieldsTo   string   `json:"yields_to,omitempty"`
	Deprecated bool     `json:"deprecated,omitempty"`
	Statements []string `json:"statements,omitempty"`
}

// All returns every variable with its state, given a decision that was made with these variables.
func All(answer *plan.Answer, from facts.Provider, environ []string, elevated bool) []Variable {
	rows, all := []Variable{}, machine.Machine{Environ: environ}
	for _, e := range Guide() {
		if e.Group == Directories && answer.Style == pathname.Backslash { // Windows uses the registry instead
			continue
		}
		v := from.Var(e.ID.Name(), false)
		row := e.describe(e.Name, v)
		if v.Set {
			row.State, row.Why = stateOf(&e, v.Value, answer, from, elevated)
		} else if value, set := all.Lookup(e.ID.Name()); set { // the source hides it
			row.Set, row.Value, row.State, row.Why = true, value, Ignored,
				"the loader that programs get does not read it"
		}
		rows = append(rows, row)
	}
	rows = append(rows, layerVariables(answer, from)...)
	rows = append(rows, mesaVariables(answer, from)...)
	return append(rows, unknownVariables(rows, environ)...)
}

// describe returns a variable with its value, in the state Unset. Callers judge a set variable.
func (e *VariableGuide) describe(name string, v facts.Var) Variable {
	return Variable{Name: name, Group: e.Group, Set: v.Set, Value: v.Value, State: Unset, Takes: Plain(e.Takes),
		Does: Plain(e.Told()), Brief: Plain(e.Does), Elevated: e.Elevated(), YieldsTo: Plain(e.YieldsTo),
		Deprecated: e.Instead != "", Statements: e.Statements}
}

func stateOf(e *VariableGuide, value string, answer *plan.Answer, from facts.Provider, elevated bool) (state,
	why string) {
	if elevated && e.ID.Secure() {
		return Ignored, "the program has more rights than its user"
	}
	// WIN-059
	if answer.Style == pathname.Backslash && (e.ID == variables.DeviceSelect || e.ID == variables.DisableSelect) {
		return NoEffect, "the loader for Windows does not read it"
	}
	for _, f := range answer.Diagnostics {
		if f.Code == diag.VariableIgnored && f.Subject == e.ID.Name() {
			return Ignored, f.What
		}
	}
	if value == "" && !e.EmptyCount {
		return NoEffect, "empty, which is the same as unset"
	}
	if check := checks[e.ID]; check != nil {
		if fault := check(value); fault != "" {
			return Faulty, fault
		}
	}
	switch e.ID {
	case variables.Home:
		if from.Var(variables.ConfigHome.Name(), true).Value != "" &&
			from.Var(variables.DataHome.Name(), true).Value != "" {
			return Ignored, variables.ConfigHome.Name() + " and " + variables.DataHome.Name() + " take precedence"
		}
	case variables.DeviceSelect, variables.DisableSelect:
		if answer.Settings != nil && answer.Settings.HasDevices {
			return Ignored, "the device configurations of " + answer.Settings.File + " take precedence"
		}
		if e.ID == variables.DeviceSelect && IsOn(from.Var(variables.DisableSelect.Name(), false).Value) {
			return Ignored, variables.DisableSelect.Name() + " takes precedence"
		}
	case variables.Debug:
		if answer.Settings != nil && answer.Settings.HasLevel {
			return Ignored, "stderr_log of " + answer.Settings.File + " takes precedence once that file has been read"
		}
	}
	return InForce, ""
}

func layerVariables(answer *plan.Answer, from facts.Provider) []Variable {
	active := explain.Active(answer)
	var rows []Variable
	add := func(l *manifest.Layer, kind int, name, brief string, judge func(value string) (state, why string)) {
		v := from.Var(name, false)
		row := OfLayers()[kind].describe(name, v)
		row.Layer, row.Brief = l.Name, brief
		if v.Set {
			row.State, row.Why = judge(v.Value)
		}
		rows = append(rows, row)
	}
	for _, l := range answer.Layers {
		if !l.Implicit {
			continue
		}
		add(l, 0, l.DisableName, "While it is set, "+l.Name+" is not used.",
			func(string) (state, why string) {
				if slices.Contains(active, l) {
					return Ignored, l.Name + " is used anyway: vkloader explain says why"
				}
				return InForce, ""
			})
		if !l.HasEnable {
			continue
		}
		brief := fmt.Sprintf("%s is used only while it is %q.", l.Name, l.EnableValue)
		add(l, 1, l.EnableName, brief, func(value string) (state, why string) {
			switch {
			case value != l.EnableValue:
				return NoEffect, fmt.Sprintf("%s requires %q", l.Name, l.EnableValue)
			case !slices.Contains(active, l):
				return Ignored, l.Name + " is still not used: vkloader explain says why"
			}
			return InForce, ""
		})
	}
	return rows
}

// mesaVariables returns the variables of Mesa's device selection layer if the layer is installed or a variable is set.
func mesaVariables(answer *plan.Answer, from facts.Provider) (rows []Variable) {
	installed := slices.ContainsFunc(answer.Layers, func(l *manifest.Layer) bool { return l.Name == drivers.MesaLayer })
	for _, m := range drivers.MesaVariables {
		v := from.Var(m.Name, false)
		if !v.Set && !installed {
			continue
		}
		row := Variable{Name: m.Name, Group: "Mesa's layer", Set: v.Set, Value: v.Value, State: Unset,
			Layer: drivers.MesaLayer, Takes: m.Takes,
			Does: m.Does, Brief: m.Does, Elevated: "kept", YieldsTo: m.YieldsTo}
		if v.Set {
			wish := drivers.ReadMesa(m.Name, v.Value)
			row.Brief = wish.Does()
			row.State, row.Why = mesaState(&wish, answer, from)
		}
		rows = append(rows, row)
	}
	return rows
}

func mesaState(wish *drivers.MesaWish, answer *plan.Answer, from facts.Provider) (state, why string) {
	usesMesa := explain.ActiveLayer(answer, drivers.MesaLayer) != nil
	chosen := drivers.ReadMesa(drivers.MesaSelect, from.Var(drivers.MesaSelect, false).Value)
	switch {
	case wish.Fault != "":
		return Faulty, wish.Fault
	case wish.Does() == "":
		return NoEffect, "it selects nothing"
	case !usesMesa && wish.Name == drivers.MesaPrime:
		return Ignored, drivers.MesaLayer + ", which reads it, is not used here; OpenGL still follows it"
	case !usesMesa:
		return Ignored, drivers.MesaLayer + ", which reads it, is not used here"
	case wish.Name == drivers.MesaPrime && chosen.Pair:
		return Ignored, drivers.MesaSelect + " takes precedence"
	}
	return InForce, ""
}

// unknownVariables returns the variables whose names resemble the loader's and that no loader reads.
func unknownVariables(known []Variable, environ []string) []Variable {
	var rows []Variable
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		looks := slices.ContainsFunc([]string{"VK_LOADER_", "VK_ADD_", "VK_DRIVER_", "VK_ICD_"},
			func(p string) bool { return strings.HasPrefix(name, p) })
		if looks && !slices.ContainsFunc(known, func(v Variable) bool { return v.Name == name }) {
			rows = append(rows, Variable{Name: name, Group: "Unknown", State: Unknown, Set: true, Value: value,
				Does: "Nothing.", Brief: "nothing", Why: "the loader reads no variable of this name"})
		}
	}
	return rows
}

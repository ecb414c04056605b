package settings

import (
	"encoding/json"
	"slices"
	"strings"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// OrderedLayer is a layer that a program can get.
type OrderedLayer struct {
	Name     string `json:"name"`
	Implicit bool   `json:"implicit"`
	Active   bool   `json:"active"` // in a program that enables no layer
}

// OrderOutcome is the result of a change of the rules, carried out or dry.
type OrderOutcome struct {
	File          string
	Program       string
	Removed       []OrderRule
	Before, After []OrderedLayer // from the program down
}

// asker makes decisions with a content in place of the settings file.
type asker struct {
	found *FileSet
	place string
}

func (a *asker) ask(content map[string]any, program string, enabled []string, without ...variables.ID) (*plan.Answer, error) {
	text, err := Encode(content)
	if err != nil {
		return nil, err
	}
	source := *a.found.Source
	if program != "" {
		source.Program = program
	}
	facts := explain.Without(explain.Replacing(&source, a.place, string(text)), without...)
	return decide.ChangedFor(facts, decide.Program{Layers: enabled, Extensions: []string{"VK_KHR_surface"}}) // a program with a window
}

// layers returns the installed layers, without the filters of variables.
func (a *asker) layers(content map[string]any, program string) ([]*manifest.Layer, error) {
	answer, err := a.ask(content, program, nil, variables.LayersEnable, variables.LayersDisable, variables.LayersAllow)
	if err != nil {
		return nil, err
	}
	return answer.Layers, nil
}

// view returns the layer order of a program, with the variables of the tool's environment.
func (a *asker) view(content map[string]any, program string) (list []OrderedLayer, err error) {
	answer, err := a.ask(content, program, nil)
	if err != nil {
		return nil, err
	}
	seen, active := map[string]bool{}, map[string]bool{}
	for _, one := range answer.Active {
		active[answer.Layers[one.Layer].Name] = true
	}
	for _, l := range answer.Layers {
		if !seen[l.Name] {
			seen[l.Name] = true
			list = append(list, OrderedLayer{l.Name, l.Implicit, active[l.Name]})
		}
	}
	return list, nil
}

// RenewRules writes the rules of a content into its objects again. It checks that the rules change only the order; otherwise
// the error names the program.
func RenewRules(found *FileSet, place string, content map[string]any) error {
	a := &asker{found, place}
	rules := rulesOf(content)
	for _, object := range Objects(content) {
		strip(object)
	}
	if len(rules) == 0 {
		return nil
	}
	plain := copied(content)
	for _, r := range rules {
		if r.Program == "" {
			For(content, nil, true)
		} else {
			ForProgram(content, r.Program)
		}
	}
	for _, object := range Objects(content) {
		apps, program := Apps(object), programOf(object)
		mine := slices.DeleteFunc(slices.Clone(rules), func(r OrderRule) bool {
			return r.Program != "" && !slices.Equal(apps, []string{r.Program})
		})
		layers, err := a.layers(plain, program)
		if err != nil {
			return err
		}
		mine = slices.DeleteFunc(mine, func(r OrderRule) bool { return len(missing(r, layers)) > 0 })
		if !arrange(object, layers, mine) {
			return exit.Problem("the rules contradict each other: %s; remove one with \"vkloader settings order remove\"", told(mine))
		}
	}
	Prune(content, "")
	for _, object := range Objects(content) {
		if err := a.same(plain, content, programOf(object), rules); err != nil {
			return err
		}
	}
	return nil
}

// programOf returns the first program of an object; "" for all programs.
func programOf(object map[string]any) string {
	if apps := Apps(object); len(apps) > 0 {
		return apps[0]
	}
	return ""
}

// told describes rules.
func told(rules []OrderRule) string {
	return strings.Join(term.Words(rules, func(r OrderRule) string { return r.Upper + " before " + r.Lower }), ", ")
}

// missing returns the layers of a rule that are not installed.
func missing(r OrderRule, layers []*manifest.Layer) (names []string) {
	for _, name := range []string{r.Upper, r.Lower} {
		if findLayer(layers, name) == nil {
			names = append(names, name)
		}
	}
	return names
}

// same compares the decisions with and without the rules. A program must get the same layers in the order of the rules, both
// when it enables no layer and when it enables every layer.
func (a *asker) same(plain, content map[string]any, program string, rules []OrderRule) error {
	all, err := a.layers(plain, program)
	if err != nil {
		return err
	}
	var every []string
	for _, l := range all {
		if !l.Implicit && !slices.Contains(every, l.Name) {
			every = append(every, l.Name)
		}
	}
	for _, asks := range [][]string{nil, every} {
		before, err := a.ask(plain, program, asks)
		if err != nil {
			return err
		}
		after, err := a.ask(content, program, asks)
		if err != nil {
			return err
		}
		who := programs(program)
		if before.Result != after.Result {
			return exit.Problem("not written: with the order, vkCreateInstance returns another result to %s", who)
		}
		for _, pair := range [][2]*plan.Answer{{before, after}, {after, before}} {
			for _, one := range pair[0].Active {
				l := pair[0].Layers[one.Layer]
				if !slices.ContainsFunc(pair[1].Active, func(o plan.Active) bool {
					m := pair[1].Layers[o.Layer]
					return m.Name == l.Name && m.Manifest == l.Manifest
				}) {
					verb := term.Either(pair[0] == after, "also get", "lose")
					return exit.Problem("not written: with the order, %s would %s %s", who, verb, l.Name)
				}
			}
		}
		for _, r := range rules {
			upper, lower := at(after, r.Upper), at(after, r.Lower)
			if (r.Program == "" || r.Program == program) && upper >= 0 && lower >= 0 && upper > lower {
				return exit.Problem("not written: a settings file cannot put %s before %s for %s: a meta-layer contains one of them", r.Upper, r.Lower, who)
			}
		}
	}
	return nil
}

// programs describes a program, or all programs.
func programs(program string) string {
	if program == "" {
		return "programs"
	}
	return program
}

// at returns the index of a layer in a chain; -1 if it is not in it.
func at(answer *plan.Answer, name string) int {
	return slices.IndexFunc(answer.Active, func(one plan.Active) bool { return answer.Layers[one.Layer].Name == name })
}

// AddRule adds a rule. With dry, it only returns the outcome.
func AddRule(found *FileSet, rule OrderRule, system, dry bool) (*OrderOutcome, error) {
	return changeRules(found, system, dry, rule.Program, func(a *asker, _ *OrderOutcome, content map[string]any) error {
		rules := rulesOf(content)
		layers, err := a.layers(content, rule.Program)
		if err != nil {
			return err
		}
		if list := missing(rule, layers); len(list) > 0 {
			if close := term.NearestName(list[0], explain.LayerNames(layers)); close != "" {
				return exit.Problem("no layer %s is installed; did you mean %s?", list[0], close)
			}
			return exit.Problem("no layer %s is installed, or the settings switch it off: see vkloader list layers", list[0])
		}
		if slices.Contains(rules, rule) {
			return nil
		}
		setRules(content, append(rules, rule))
		return nil
	})
}

// RemoveRules removes the rules for which which returns true. It returns an error if there is none.
func RemoveRules(found *FileSet, system, dry bool, program string, which func(OrderRule) bool) (*OrderOutcome, error) {
	return changeRules(found, system, dry, program, func(_ *asker, o *OrderOutcome, content map[string]any) error {
		rules := rulesOf(content)
		kept := slices.DeleteFunc(slices.Clone(rules), func(r OrderRule) bool {
			if which(r) {
				o.Removed = append(o.Removed, r)
			}
			return which(r)
		})
		if len(o.Removed) == 0 {
			return exit.Problem("no rule has these layers: see vkloader settings order")
		}
		setRules(content, kept)
		return nil
	})
}

// ApplyRules writes the rules again for the installed layers.
func ApplyRules(found *FileSet, system bool) (*OrderOutcome, error) {
	return changeRules(found, system, false, "", func(_ *asker, _ *OrderOutcome, content map[string]any) error {
		if len(rulesOf(content)) == 0 {
			return exit.Problem("there are no rules about the order of layers")
		}
		return nil
	})
}

// changeRules changes the rules in the settings file.
func changeRules(found *FileSet, system, dry bool, program string, f func(*asker, *OrderOutcome, map[string]any) error) (*OrderOutcome, error) {
	place, err := found.PlaceFor(system)
	if err != nil {
		return nil, err
	}
	o := &OrderOutcome{File: place, Program: program}
	return o, found.opened(place, dry, false, func(file *File, content map[string]any) error {
		a := &asker{found, place}
		if o.Before, err = a.view(content, program); err != nil {
			return err
		}
		if err := f(a, o, content); err != nil {
			return err
		}
		if err := RenewRules(found, place, content); err != nil {
			return err
		}
		Prune(content, "")
		if program != "" && !slices.ContainsFunc(rulesOf(content), func(r OrderRule) bool { return r.Program == program }) {
			Prune(content, program)
		}
		if o.After, err = a.view(content, program); err != nil || dry {
			return err
		}
		return put(found, place, file, content)
	})
}

// ListRules returns the rules of the settings file in force, and their states.
func ListRules(found *FileSet) ([]RuleNow, error) {
	list := []RuleNow{}
	file := found.InForce()
	if file == nil || !file.Ours {
		return list, nil
	}
	content, err := file.Decode()
	if err != nil {
		return list, nil // edited by hand: "settings show" reports it
	}
	rules := rulesOf(content)
	if len(rules) == 0 {
		return list, nil
	}
	renewed := copied(content)
	plain := copied(content)
	for _, object := range Objects(plain) {
		strip(object)
	}
	a := &asker{found, file.Path}
	wrong := RenewRules(found, file.Path, renewed)
	for _, r := range rules {
		layers, err := a.layers(plain, r.Program)
		if err != nil {
			return nil, err
		}
		now := RuleNow{OrderRule: r, State: RuleInForce, Missing: missing(r, layers)}
		switch {
		case len(now.Missing) > 0:
			now.State = RuleIdle
		case wrong != nil || !equal(content, renewed):
			now.State = RuleStale
		}
		list = append(list, now)
	}
	return list, nil
}

// equal reports whether two contents are equal.
func equal(a, b map[string]any) bool {
	one, err := Encode(copied(a))
	other, wrong := Encode(copied(b))
	return err == nil && wrong == nil && string(one) == string(other)
}

// RestoreRules writes the rules of an expired and removed settings file into a new one. restored reports whether there were
// any.
func RestoreRules(found *FileSet, old *File) (restored bool, err error) {
	was, err := old.Decode()
	if err != nil || len(rulesOf(was)) == 0 {
		return false, nil
	}
	unlock, err := Lock(&found.Machine, old.Path)
	if err != nil {
		return false, err
	}
	defer unlock()
	content, err := (*File)(nil).Decode()
	if err != nil {
		return false, err
	}
	setRules(content, rulesOf(was))
	if err := RenewRules(found, old.Path, content); err != nil {
		return false, err
	}
	return true, put(found, old.Path, nil, content)
}

// rulesMember is the mark's member with the rules about the order of layers.
const rulesMember = "order"

// OrderMember marks an entry that a list of layers contains only for a rule. In an object, it records the earlier order of
// entries that a rule moved: their names, "" for the place of all others.
const OrderMember = "vkloader_order"

// OrderRule places one layer nearer to the program than another.
type OrderRule struct {
	Upper   string `json:"upper"`
	Lower   string `json:"lower"`
	Program string `json:"program,omitempty"` // executable; "": every program
}

// RuleState is the state of a rule.
type RuleState string

// States of a rule.
const (
	RuleInForce RuleState = "in force"
	RuleStale   RuleState = "stale" // layers or settings have changed since the rule was written
	RuleIdle    RuleState = "idle"  // one of its layers is missing
)

// RuleNow is a rule with its current state.
type RuleNow struct {
	OrderRule
	State   RuleState `json:"state"`
	Missing []string  `json:"missing,omitempty"` // its missing layers
}

// rulesOf returns the rules in a content of Decode. It skips invalid rules.
func rulesOf(content map[string]any) (rules []OrderRule) {
	mark, _ := content[explain.SettingsMark].(map[string]any)
	list, _ := mark[rulesMember].([]any)
	for _, element := range list {
		var r OrderRule
		text, err := json.Marshal(element)
		if err == nil && json.Unmarshal(text, &r) == nil && r.Upper != "" && r.Lower != "" {
			rules = append(rules, r)
		}
	}
	return rules
}

// setRules puts rules into a content.
func setRules(content map[string]any, rules []OrderRule) {
	mark, ok := content[explain.SettingsMark].(map[string]any)
	if !ok {
		mark = map[string]any{}
		content[explain.SettingsMark] = mark
	}
	list := []any{}
	for _, r := range rules {
		rule := map[string]any{"upper": r.Upper, "lower": r.Lower}
		if r.Program != "" {
			rule["program"] = r.Program
		}
		list = append(list, rule)
	}
	if mark[rulesMember] = list; len(list) == 0 {
		delete(mark, rulesMember)
	}
}

// dropRules removes the rules for some programs.
func dropRules(content map[string]any, apps []string) {
	rules := rulesOf(content)
	if kept := slices.DeleteFunc(slices.Clone(rules), func(r OrderRule) bool { return slices.Contains(apps, r.Program) }); len(kept) < len(rules) {
		setRules(content, kept)
	}
}

// Objects returns the settings objects of a content.
func Objects(content map[string]any) []map[string]any {
	return those[map[string]any](content["settings_array"])
}

// copied returns a deep copy of an object or a content.
func copied(object map[string]any) map[string]any {
	fresh := map[string]any{}
	if text, err := json.Marshal(object); err == nil {
		_ = json.Unmarshal(text, &fresh)
	}
	return fresh
}

// ForProgram returns the object for one program only. If the program uses an object shared with others, or the object for
// all programs, it adds a copy for the program.
func ForProgram(content map[string]any, program string) map[string]any {
	if object := For(content, []string{program}, false); object != nil {
		return object
	}
	fresh := map[string]any{}
	for _, object := range Objects(content) {
		apps := Apps(object)
		if slices.Contains(apps, program) {
			fresh = copied(object)
			break
		}
		if apps == nil && len(fresh) == 0 {
			fresh = copied(object)
		}
	}
	fresh["app_keys"] = []any{program}
	array, _ := content["settings_array"].([]any)
	content["settings_array"] = append([]any{fresh}, array...) // the first object that names a program counts (SET-29)
	return fresh
}

// Prune removes empty objects, and the object of a program if it equals the object for all programs.
func Prune(content map[string]any, program string) {
	all := ""
	for _, object := range Objects(content) {
		if Apps(object) == nil {
			all = said(object)
			break
		}
	}
	array, _ := content["settings_array"].([]any)
	content["settings_array"] = slices.DeleteFunc(array, func(element any) bool {
		object, ok := element.(map[string]any)
		if !ok {
			return false
		}
		says := said(object)
		return says == "{}" || program != "" && slices.Equal(Apps(object), []string{program}) && says == all
	})
}

// said returns the text of an object without its programs.
func said(object map[string]any) string {
	object = copied(object)
	delete(object, "app_keys")
	text, _ := json.Marshal(object)
	return string(text)
}

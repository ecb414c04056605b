package settings

import (
	"encoding/json"
	"slices"

	"vkloader/internal/decide/explain"
)

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

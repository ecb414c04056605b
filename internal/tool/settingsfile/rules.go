package settingsfile

import (
	"encoding/json"
	"slices"

	"vkloader/internal/decide/explain"
)

// rulesMember is the member of the mark that holds the rules about the order of layers.
const rulesMember = "order"

// OrderMember is the member of an entry of a list of layers that stands there for a rule alone, and of an object whose own
// entries a rule has moved: their names as they were, "" for the place of all others.
const OrderMember = "vkloader_order"

// Rule says that one layer is nearer to the program than another.
type Rule struct {
	Upper   string `json:"upper"`
	Lower   string `json:"lower"`
	Program string `json:"program,omitempty"` // executable; "": every program
}

// RuleState is what becomes of a rule.
type RuleState string

// States of a rule.
const (
	RuleInForce RuleState = "in force"
	RuleStale   RuleState = "stale" // layers or settings have changed since it was written
	RuleIdle    RuleState = "idle"  // one of its layers is not there
)

// RuleNow is a rule as it stands.
type RuleNow struct {
	Rule
	State   RuleState `json:"state"`
	Missing []string  `json:"missing,omitempty"` // its layers that are not there
}

// rulesOf are those of a content that Decode gave. What is no rule is left out.
func rulesOf(content map[string]any) (rules []Rule) {
	mark, _ := content[explain.SettingsMark].(map[string]any)
	list, _ := mark[rulesMember].([]any)
	for _, element := range list {
		var r Rule
		text, err := json.Marshal(element)
		if err == nil && json.Unmarshal(text, &r) == nil && r.Upper != "" && r.Lower != "" {
			rules = append(rules, r)
		}
	}
	return rules
}

// setRules puts rules into a content.
func setRules(content map[string]any, rules []Rule) {
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

// dropRules removes the rules for programs.
func dropRules(content map[string]any, apps []string) {
	rules := rulesOf(content)
	if kept := slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return slices.Contains(apps, r.Program) }); len(kept) < len(rules) {
		setRules(content, kept)
	}
}

// Objects are the settings objects of a content.
func Objects(content map[string]any) []map[string]any {
	return those[map[string]any](content["settings_array"])
}

// copied is a deep copy of an object or a content.
func copied(object map[string]any) map[string]any {
	fresh := map[string]any{}
	if text, err := json.Marshal(object); err == nil {
		_ = json.Unmarshal(text, &fresh)
	}
	return fresh
}

// ForProgram is the object that a program gets alone. Where it gets that of other programs too, or that of all, a copy is
// made for it, so that it loses nothing of what that says.
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
	content["settings_array"] = append([]any{fresh}, array...) // the first that names a program counts (SET-29)
	return fresh
}

// Prune removes the objects that say nothing, and that of a program when it says what that for all programs says.
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

// said is what an object says, without for whom.
func said(object map[string]any) string {
	object = copied(object)
	delete(object, "app_keys")
	text, _ := json.Marshal(object)
	return string(text)
}

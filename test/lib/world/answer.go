package world

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Answer is a JSON object of the host or of a fake. A missing member reads as zero.
type Answer map[string]any

// Result returns the VkResult; -9999 without one.
func (a Answer) Result() int {
	if _, there := a["result"]; !there {
		return -9999
	}
	return int(a.Int("result"))
}

// Has reports whether the answer has the member.
func (a Answer) Has(key string) bool {
	_, there := a[key]
	return there
}

// Int returns a number.
func (a Answer) Int(key string) int64 {
	if n, ok := a[key].(json.Number); ok {
		v, err := n.Int64()
		if err != nil {
			u, _ := strconv.ParseUint(n.String(), 10, 64)
			return int64(u)
		}
		return v
	}
	return 0
}

// Text returns a string.
func (a Answer) Text(key string) string {
	s, _ := a[key].(string)
	return s
}

// IsNull reports whether the answer has the member, and it is null.
func (a Answer) IsNull(key string) bool {
	v, there := a[key]
	return there && v == nil
}

// Ints returns an array of numbers.
func (a Answer) Ints(key string) []int {
	list, _ := a[key].([]any)
	out := make([]int, 0, len(list))
	for _, item := range list {
		if n, ok := item.(json.Number); ok {
			v, _ := n.Int64()
			out = append(out, int(v))
		}
	}
	return out
}

// Strings returns an array of strings; null elements are "<null>".
func (a Answer) Strings(key string) []string {
	list, _ := a[key].([]any)
	out := make([]string, 0, len(list))
	for _, item := range list {
		switch v := item.(type) {
		case string:
			out = append(out, v)
		case nil:
			out = append(out, "<null>")
		case json.Number:
			out = append(out, v.String())
		}
	}
	return out
}

// Object returns an object member.
func (a Answer) Object(key string) Answer {
	o, _ := a[key].(map[string]any)
	return o
}

// Objects returns an array member with objects.
func (a Answer) Objects(key string) []Answer {
	list, _ := a[key].([]any)
	var out []Answer
	for _, item := range list {
		if o, ok := item.(map[string]any); ok {
			out = append(out, o)
		}
	}
	return out
}

// Lists returns an array of arrays of objects: the answers of a script's threads.
func (a Answer) Lists(key string) [][]Answer {
	list, _ := a[key].([]any)
	var out [][]Answer
	for _, item := range list {
		inner, _ := item.([]any)
		var answers []Answer
		for _, one := range inner {
			if o, ok := one.(map[string]any); ok {
				answers = append(answers, o)
			}
		}
		out = append(out, answers)
	}
	return out
}

// Received returns the messages delivered to callbacks during the command.
func (a Answer) Received() []Answer { return a.Objects("messages") }

// Texts returns the texts delivered to one messenger or report callback.
func (a Answer) Texts(to string) []string {
	var out []string
	for _, m := range a.Received() {
		if m.Text("to") == to {
			out = append(out, m.Text("text"))
		}
	}
	return out
}

// HasText reports whether a messenger received a text with this part.
func (a Answer) HasText(to, part string) bool {
	for _, text := range a.Texts(to) {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// Ref returns the host's reference for a pointer number.
func Ref(n int) string { return "#" + strconv.Itoa(n) }

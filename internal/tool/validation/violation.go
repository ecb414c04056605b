package validation

import (
	"fmt"
	"math"
	"strings"
)

// violation is a schema violation as a fact.
type violation Violation

// moreViolations is the number of unreported violations.
type moreViolations int

func (m moreViolations) say() string {
	return fmt.Sprintf("and %d more violations of the schema", int(m))
}

// moreUnknown is the number of unreported unknown members.
type moreUnknown int

func (m moreUnknown) say() string {
	return fmt.Sprintf("and %d more members that no loader reads", int(m))
}

// patternWords describes the texts that match a pattern of the schemas.
var patternWords = map[string]string{
	`^[0-9]+\.[0-9]+\.[0-9]+$`:    "a version of three numbers, such as 1.0.0",
	`^[0-9]+\.[0-9]+(\.[0-9]+)?$`: "a Vulkan version, such as 1.3 or 1.3.0",
	`^[0-9]+$`:                    "a whole number",
	`^VK_LAYER_`:                  "a name that begins with VK_LAYER_",
	`^(/|[A-Za-z]:[/\\]).`:        "a full path, which begins with / or a drive, and names a file",
	`^(/|[A-Za-z]:[/\\])`:         "a full path, which begins with / or a drive",
	`\.json$`:                     "the path of a manifest, which ends in .json",
}

// typeWords are the JSON types with their articles.
var typeWords = map[string]string{"string": "a string", "number": "a number", "integer": "a whole number", "boolean": "true or false",
	"array": "an array", "object": "an object", "null": "null"}

func (v violation) say() string {
	if v.Path == "" {
		return v.fault()
	}
	return v.Path + ": " + v.fault()
}

// fault returns the sentence without the place.
func (v violation) fault() string {
	switch v.Rule {
	case RuleType:
		return typeWords[v.Got] + ", expected " + typeWords[v.Want[0]]
	case RuleEnum:
		return fmt.Sprintf("%q, expected %s", v.Got, choice(v.Want))
	case RulePattern:
		return fmt.Sprintf("%q, expected %s", v.Got, patternWords[v.Want[0]])
	case RuleFormat:
		return fmt.Sprintf("%q, expected a date and time, such as 2030-12-31T00:00:00Z", v.Got)
	case RuleLength:
		if v.Number == 0 {
			return "an empty string"
		}
		return fmt.Sprintf("a string of %d characters, %s", v.Number, allowed(v.Least, v.Most))
	case RuleRange:
		return fmt.Sprintf("out of range, expected %.0f to %.0f", v.Least, v.Most)
	case RuleItems:
		if v.Number == 0 {
			return "an empty array"
		}
		return fmt.Sprintf("an array of %d, %s", v.Number, allowed(v.Least, v.Most))
	case RuleMembers:
		return fmt.Sprintf("an object with %d members, %s", v.Number, allowed(v.Least, v.Most))
	case RuleOneRequired:
		return choice(v.Want) + " is missing"
	}
	return v.Want[0] + " is missing"
}

// missing returns the required members that are missing.
func (v violation) missing() []string {
	if v.Rule == RuleRequired || v.Rule == RuleOneRequired {
		return v.Want
	}
	return nil
}

// allowed describes the allowed numbers.
func allowed(least, most float64) string {
	switch {
	case math.IsInf(least, 0):
		return fmt.Sprintf("expected at most %.0f", most)
	case math.IsInf(most, 0):
		return fmt.Sprintf("expected at least %.0f", least)
	case least == most:
		return fmt.Sprintf("expected %.0f", least)
	}
	return fmt.Sprintf("expected %.0f to %.0f", least, most)
}

// choice joins alternatives.
func choice(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

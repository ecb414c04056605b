package environment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
)

// check says what is wrong with a value that is not empty: which part of it has no effect, or another one than it
// seems to, and what to write. "" is a value that says what it means.
type check func(value string) string

// checks find fault with values; of other variables every text is right.
var checks = map[variables.ID]check{
	variables.DriversSelect: checkFilter(false), variables.DriversDisable: checkFilter(false),
	variables.LayersEnable: checkFilter(false), variables.LayersDisable: checkFilter(true), variables.LayersAllow: checkFilter(false),
	variables.DeviceSelect: checkSelection, variables.DisableSelect: checkSwitch, variables.DeviceIDFilter: checkRanges,
	variables.VendorIDFilter: checkRanges, variables.DriverIDFilter: checkRanges, variables.Debug: checkWords,
	variables.DisableInstExtFilter: checkSwitch, variables.DisableUnloading: checkUnloading,
}

// debugWords are those of LOG-1, in the order in which prefixes are tried (LOG-4).
var debugWords = []string{"all", "warn", "info", "perf", "error", "debug", "layer", "driver", "implem", "icd"}

func checkWords(value string) string {
	for _, w := range strings.Split(value, ",") {
		known := w == ""
		for _, k := range debugWords {
			known = known || strings.HasPrefix(k, w)
		}
		if !known {
			return fmt.Sprintf("%q is none of its words (small letters, no spaces) and does nothing", w)
		}
	}
	return ""
}

// number is what C's strtoul and strtol read at the start of a text.
func number(text string) (digits, rest string) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	signed := strings.TrimLeft(text, "+-")
	if len(text)-len(signed) > 1 {
		return "", text
	}
	set := "0123456789"
	at := 0
	if len(signed) > 2 && (signed[:2] == "0x" || signed[:2] == "0X") && strings.IndexByte(hexadecimal, signed[2]) >= 0 {
		set, at = hexadecimal, 2
	} else if signed != "" && signed[0] == '0' {
		set = "01234567"
	}
	end := at
	for end < len(signed) && strings.IndexByte(set, signed[end]) >= 0 {
		end++
	}
	return signed[:end], signed[end:]
}

const hexadecimal = "0123456789abcdefABCDEF"

// checkSwitch: a decimal number (ENV-91, ENV-108).
func checkSwitch(value string) string {
	text := strings.TrimLeft(value, " \t\n\v\f\r+-")
	if text == "" || text[0] < '0' || text[0] > '9' {
		return fmt.Sprintf("%q is no number and counts as 0; write 1 to switch it on", value)
	}
	return ""
}

func checkUnloading(value string) string {
	if value != "0" && value != "1" {
		return fmt.Sprintf("%q is neither 0 nor 1 and does nothing", value)
	}
	return ""
}

// checkSelection: two hexadecimal numbers with one colon between them (ENV-85, ENV-86).
func checkSelection(value string) string {
	vendor, device, _ := strings.Cut(value, ":")
	if !isHexadecimal(vendor, false) || !isHexadecimal(device, true) {
		return fmt.Sprintf("%q is not VENDOR:DEVICE, two hexadecimal numbers, and does nothing", value)
	}
	return ""
}

// isHexadecimal; with a tail, it need only begin as one.
func isHexadecimal(text string, tail bool) bool {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+")
	if rest := strings.TrimPrefix(strings.TrimPrefix(text, "0x"), "0X"); rest != "" {
		text = rest
	}
	if tail && text != "" {
		text = text[:1]
	}
	return text != "" && strings.Trim(text, hexadecimal) == ""
}

// checkRanges: numbers and ranges of them (ENV-93 to ENV-98).
func checkRanges(value string) string {
	count := 0
	for _, e := range strings.Split(value, ",") {
		if e == "" {
			continue
		}
		if count++; count > plan.FilterEntries {
			return tooMany
		}
		first, rest := number(e)
		if first == "" {
			return fmt.Sprintf("%q is no number and counts as 0", e)
		}
		if rest == "" {
			continue
		}
		last, _ := number(rest[1:])
		from, _ := strconv.ParseUint(first, 0, 64)
		to, _ := strconv.ParseUint(last, 0, 64)
		if uint32(to) < uint32(from) {
			return fmt.Sprintf("the range %q ends before it begins, and no device has such an id", e)
		}
	}
	return ""
}

// checkFilter: patterns for names (ENV-35 to ENV-44); words says that the list has special words.
func checkFilter(words bool) check {
	return func(value string) (fault string) {
		rest := plan.EachEntry(value, words, func(e string, word plan.Word) {
			switch {
			case fault != "":
			case word == plan.Nothing:
				fault = fmt.Sprintf("%q is no special word here and matches nothing", e)
			case word != plan.Pattern:
			case isBareWord(e, words):
				fault = fmt.Sprintf("%q is the name of something here; ~%s~ is the word", e, strings.ToLower(e))
			case strings.Trim(e, " ") != e:
				fault = fmt.Sprintf("the space in %q is part of the name; write a comma alone between entries", e)
			case strings.Contains(strings.TrimSuffix(strings.TrimPrefix(e, "*"), "*"), "*"):
				fault = fmt.Sprintf("%q has a star that is no wildcard: only the first and last character may be one", e)
			}
		})
		if fault == "" && strings.Trim(rest, ",") != "" {
			fault = tooMany
		}
		return fault
	}
}

// isBareWord tells whether an entry is a special word without its tildes.
func isBareWord(entry string, words bool) bool {
	entry = strings.ToLower(entry)
	return entry == "all" || words && (entry == "implicit" || entry == "explicit")
}

// Corrected is the value of a filter as it was probably meant: without spaces beside commas, and special words with their
// tildes. Values of other variables, and values that say what they mean, stay as they are.
func Corrected(name, value string) string {
	id := slices.IndexFunc(filters, func(v variables.ID) bool { return v.Name() == name })
	if id < 0 {
		return value
	}
	var entries []string
	for _, e := range strings.Split(value, ",") {
		if e = strings.Trim(e, " "); isBareWord(e, filters[id] == variables.LayersDisable) {
			e = "~" + strings.ToLower(e) + "~"
		}
		entries = append(entries, e)
	}
	return strings.Join(entries, ",")
}

// filters are the variables that hold patterns for names.
var filters = []variables.ID{variables.DriversSelect, variables.DriversDisable, variables.LayersEnable,
	variables.LayersDisable, variables.LayersAllow}

// tooMany is the fault of a list with more entries than count.
var tooMany = fmt.Sprintf("only its first %d entries count", plan.FilterEntries)

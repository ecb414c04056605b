package environment

import (
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
)

// check returns the fault of a non-empty value.
type check func(value string) ValueFault

// checks maps variables to their checks. Variables without a check accept every text.
var checks = map[variables.ID]check{
	variables.DriversSelect: checkFilter(false), variables.DriversDisable: checkFilter(false),
	variables.LayersEnable: checkFilter(false), variables.LayersDisable: checkFilter(true), variables.LayersAllow: checkFilter(false),
	variables.DeviceSelect: checkSelection, variables.DisableSelect: checkSwitch, variables.DeviceIDFilter: checkRanges,
	variables.VendorIDFilter: checkRanges, variables.DriverIDFilter: checkRanges, variables.Debug: checkWords,
	variables.DisableInstExtFilter: checkSwitch, variables.DisableUnloading: checkUnloading,
}

// debugWords are the words of LOG-1 in the order of their prefixes (LOG-4).
var debugWords = []string{"all", "warn", "info", "perf", "error", "debug", "layer", "driver", "implem", "icd"}

func checkWords(value string) ValueFault {
	for _, w := range strings.Split(value, ",") {
		known := w == ""
		for _, k := range debugWords {
			known = known || strings.HasPrefix(k, w)
		}
		if !known {
			return ValueFault{NoWord, w}
		}
	}
	return ValueFault{}
}

// number returns the number that C's strtoul or strtol reads at the start of a text, and the rest.
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

// checkSwitch checks a decimal number (ENV-91, ENV-108).
func checkSwitch(value string) ValueFault {
	text := strings.TrimLeft(value, " \t\n\v\f\r+-")
	if text == "" || text[0] < '0' || text[0] > '9' {
		return ValueFault{NoSwitch, value}
	}
	return ValueFault{}
}

func checkUnloading(value string) ValueFault {
	if value != "0" && value != "1" {
		return ValueFault{NotZeroOrOne, value}
	}
	return ValueFault{}
}

// checkSelection checks two hexadecimal numbers with one colon between them (ENV-85, ENV-86).
func checkSelection(value string) ValueFault {
	vendor, device, _ := strings.Cut(value, ":")
	if !isHexadecimal(vendor, false) || !isHexadecimal(device, true) {
		return ValueFault{NoSelection, value}
	}
	return ValueFault{}
}

// isHexadecimal reports whether text is a hexadecimal number or, with tail, begins with one.
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

// checkRanges reports the first fault of a list of numbers and ranges (ENV-93 to ENV-97).
func checkRanges(value string) ValueFault {
	for _, e := range strings.Split(value, ",") {
		if e == "" {
			continue
		}
		first, rest := number(e)
		if first == "" {
			return ValueFault{NoNumber, e}
		}
		if rest == "" {
			continue
		}
		last, _ := number(rest[1:])
		from, _ := strconv.ParseUint(first, 0, 64)
		to, _ := strconv.ParseUint(last, 0, 64)
		if uint32(to) < uint32(from) {
			return ValueFault{EmptyRange, e}
		}
	}
	return ValueFault{}
}

// checkFilter returns the check of a name pattern list (ENV-35 to ENV-44). words means that the list may contain special
// words.
func checkFilter(words bool) check {
	return func(value string) (fault ValueFault) {
		rest := plan.EachEntry(value, words, func(e string, word plan.Word) {
			switch {
			case fault.Kind != NoFault:
			case word == plan.Nothing:
				fault = ValueFault{NoSpecialWord, e}
			case word != plan.Pattern:
			case isBareWord(e, words):
				fault = ValueFault{BareWord, e}
			case strings.Trim(e, " ") != e:
				fault = ValueFault{Space, e}
			case strings.Contains(strings.TrimSuffix(strings.TrimPrefix(e, "*"), "*"), "*"):
				fault = ValueFault{InnerStar, e}
			}
		})
		if fault.Kind == NoFault && strings.Trim(rest, ",") != "" {
			fault = ValueFault{Kind: TooMany}
		}
		return fault
	}
}

// isBareWord reports whether an entry is a special word without its tildes.
func isBareWord(entry string, words bool) bool {
	entry = strings.ToLower(entry)
	return entry == "all" || words && (entry == "implicit" || entry == "explicit")
}

// Corrected returns the probable intention of a filter value: without spaces beside commas, and with tildes around special
// words. It returns other values unchanged.
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

// filters are the variables that contain name patterns.
var filters = []variables.ID{variables.DriversSelect, variables.DriversDisable, variables.LayersEnable,
	variables.LayersDisable, variables.LayersAllow}

package validation

import (
	"fmt"
	"strings"
)

// fact is what was found in a file, as values; say makes the sentence, here and nowhere else.
type fact interface{ say() string }

// said is what the loader, or a parser, says in its own words.
type said string

func (s said) say() string { return string(s) }

// plain is a fact to which its place in the file adds all that there is to know.
type plain string

const (
	laxer    = ": the loader accepts this, strict readers do not"
	dropped  = "; the whole list is dropped, and layers are as without it"
	notThere = "counts as missing"
)

const (
	ofNoKind plain = "neither a driver manifest (ICD), nor a layer manifest (layer, layers), nor settings (settings, " +
		"settings_array)"
	byteOrderMark     plain = "a byte-order mark" + laxer
	noUTF8            plain = "a byte that is not UTF-8" + laxer
	forNobody         plain = "app_keys names no program: the object is never used"
	noFullPath        plain = "matches no program: it must be the full path of an executable, character by character"
	besideArray       plain = "never used: there is also a settings_array"
	onlyTrue          plain = "only the JSON value true counts"
	onlyNoDrivers     plain = "there are no additional drivers: either it has no effect, or no driver remains"
	noArray           plain = "not an array: " + notThere
	noString          plain = "not a string: it and the words after it do not count"
	noLayers          plain = "not an array of layers: programs get no layer at all"
	layerNoObject     plain = "not an object" + dropped
	noManifest        plain = "without effect: the path does not end in .json"
	noDrivers         plain = "not an array of drivers: " + notThere
	driverNoPath      plain = "not an object with a string path; the whole list is dropped"
	skippedNoManifest plain = "skipped: the path does not end in .json"
	lastNoManifest    plain = "the last path does not end in .json: no driver at all is found"
	hidesAll          plain = "an empty list hides every device"
	deviceNoObject    plain = "not an object; the whole list is dropped"
	noVersion         plain = "driverVersion is missing or not a number; the entry is skipped"
)

func (p plain) say() string { return string(p) }

// Facts about a file as a file.
type (
	// misplaced is a file of a kind in a directory for others.
	misplaced struct {
		kind Kind
		at   string // what the directory is for
	}

	// notStrict is a fault of syntax that only the loader overlooks, in a parser's words.
	notStrict string

	// duplicate is a member that is there already, in a line.
	duplicate struct {
		name string
		line int
	}

	// unknownMember is one that nothing reads; near: what may have been meant.
	unknownMember struct{ name, near string }

	// otherCase is a member that is known in another case.
	otherCase struct{ name, read string }
)

func (m misplaced) say() string {
	return plural[m.kind] + " in a directory for " + m.at + ": no loader looks for it there"
}

func (n notStrict) say() string { return string(n) + laxer }

func (d duplicate) say() string {
	return fmt.Sprintf("the member %q is already in line %d: the loader takes the first, most readers take the last", d.name, d.line)
}

func (u unknownMember) say() string {
	what := fmt.Sprintf("no loader reads a member %q", u.name)
	if u.near != "" {
		what += fmt.Sprintf("; did you mean %q?", u.near)
	}
	return what
}

func (o otherCase) say() string {
	return fmt.Sprintf("the member %q is read as %q%s", o.name, o.read, laxer)
}

// Facts about settings.
type (
	// secondForAll is an object for all programs; the number is the line of the first.
	secondForAll int

	// namedAlready is a program that another object is for.
	namedAlready struct {
		program string
		line    int
	}

	// afterSettings is a member that the loader takes for settings.
	afterSettings string

	// unknownWord is a word of stderr_log that nobody knows.
	unknownWord string

	// layerWithout is a layer without a member.
	layerWithout string

	// secondPlace is one more place of all other layers; the number is the line of the first.
	secondPlace int

	// takenAsAuto is a control that nobody knows.
	takenAsAuto string

	// noUUID is a member of a device configuration.
	noUUID string
)

func (s secondForAll) say() string {
	return fmt.Sprintf("never used: the object in line %d is for all programs, too", int(s))
}

func (n namedAlready) say() string {
	return fmt.Sprintf("never used: %s is named in line %d already", n.program, n.line)
}

func (a afterSettings) say() string {
	return fmt.Sprintf("the member %q comes after settings: the loader accepts it for one more settings object", string(a))
}

func (u unknownWord) say() string {
	return fmt.Sprintf("%q is not one of %s", string(u), strings.Join(words, ", "))
}

func (l layerWithout) say() string { return string(l) + " is missing or not a string" + dropped }

func (s secondPlace) say() string {
	return fmt.Sprintf("without effect: the place of all other layers is in line %d", int(s))
}

func (t takenAsAuto) say() string { return fmt.Sprintf("%q is taken as auto", string(t)) }

func (n noUUID) say() string {
	return string(n) + " is not 16 numbers from 0 to 255; the entry is skipped"
}

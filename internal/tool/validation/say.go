package validation

import (
	"fmt"
	"strings"
)

// fact is a fault of a file, as data. say returns its sentence. The texts of all facts are in this file and in jsonschema.go.
type fact interface{ say() string }

// said is a message of the loader or a parser.
type said string

func (s said) say() string { return string(s) }

// plain is a fact without data beyond its place in the file.
type plain string

const (
	laxer    = ": the loader accepts this, strict readers do not"
	dropped  = "; the loader ignores the whole list"
	notThere = "treated as missing"
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
	onlyNoDrivers     plain = "without additional drivers, this member has no effect, or excludes every driver"
	noArray           plain = "not an array: " + notThere
	noString          plain = "not a string: the loader ignores this word and the words after it"
	noLayers          plain = "not an array of layers: programs get no layer at all"
	layerNoObject     plain = "not an object" + dropped
	noManifest        plain = "without effect: the path does not end in .json"
	noDrivers         plain = "not an array of drivers: " + notThere
	driverNoPath      plain = "not an object with a string path; the loader ignores the whole list"
	skippedNoManifest plain = "skipped: the path does not end in .json"
	lastNoManifest    plain = "the last path does not end in .json: no driver at all is found"
	hidesAll          plain = "an empty list hides every device"
	deviceNoObject    plain = "not an object; the loader ignores the whole list"
	noVersion         plain = "driverVersion is missing or not a number; the entry is skipped"
)

func (p plain) say() string { return string(p) }

// Facts about a whole file.
type (
	// misplaced is a file in a directory for another kind.
	misplaced struct {
		kind Kind
		at   string // the kind of files in the directory
	}

	// notStrict is a syntax error that only the loader accepts, in a parser's words.
	notStrict string

	// duplicate is a repeated member. line is the line of the first one.
	duplicate struct {
		name string
		line int
	}

	// unknownMember is an unknown member. near is the closest known name.
	unknownMember struct{ name, near string }

	// otherCase is a known member in another letter case.
	otherCase struct{ name, read string }
)

func (m misplaced) say() string {
	return plural[m.kind] + " in a directory for " + m.at + ": no loader looks for it there"
}

func (n notStrict) say() string {
	text := "JSON does not allow this text"
	if rest, is := strings.CutPrefix(string(n), "invalid character '"); is {
		character, _, _ := strings.Cut(rest, "' ")
		text = "JSON does not allow the character '" + character + "' here"
	}
	return text + laxer
}

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
	// secondForAll is a second object for all programs. The number is the line of the first.
	secondForAll int

	// namedAlready is a program that an earlier object names.
	namedAlready struct {
		program string
		line    int
	}

	// afterSettings is a member that the loader takes for the settings.
	afterSettings string

	// unknownWord is an unknown word of stderr_log.
	unknownWord string

	// layerWithout is a layer without a required member.
	layerWithout string

	// secondPlace is a second place of all other layers. The number is the line of the first.
	secondPlace int

	// takenAsAuto is an unknown control.
	takenAsAuto string

	// noUUID is an invalid UUID in a device configuration.
	noUUID string
)

func (s secondForAll) say() string {
	return fmt.Sprintf("never used: the object in line %d is also for all programs", int(s))
}

func (n namedAlready) say() string {
	return fmt.Sprintf("never used: %s is named in line %d already", n.program, n.line)
}

func (a afterSettings) say() string {
	return fmt.Sprintf("the member %q comes after settings: the loader reads it as another settings object", string(a))
}

func (u unknownWord) say() string {
	return fmt.Sprintf("%q is not one of %s", string(u), strings.Join(words, ", "))
}

func (l layerWithout) say() string { return string(l) + " is missing or not a string" + dropped }

func (s secondPlace) say() string {
	return fmt.Sprintf("without effect: the place of all other layers is in line %d", int(s))
}

func (t takenAsAuto) say() string { return fmt.Sprintf("%q is treated as auto", string(t)) }

func (n noUUID) say() string {
	return string(n) + " is not 16 numbers from 0 to 255; the entry is skipped"
}

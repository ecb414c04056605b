package manifest

import (
	"slices"
	"strconv"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/pathname"
)

// Line is a message about a manifest: a log line, a finding, or both.
type Line struct {
	Flags        uint32    // 0: not logged
	Text         string    // "": the finding has no line
	Code         diag.Code // diag.None: not a finding
	Cause        diag.Cause
	Detail       string // of the cause
	Found        uint8  // the kind of a member's value, a document.Kind
	Line, Column int
}

// Diagnostic returns the finding of a line about a file.
func (l *Line) Diagnostic(file string) diag.Diagnostic {
	return diag.Diagnostic{Code: l.Code, Cause: l.Cause, Subject: file, Path: file, Line: l.Line, Column: l.Column,
		Detail: l.Detail,
		Found:  l.Found, What: l.Text}
}

// about returns the line with its cause: the object has no such member, or has it with a value that the loader does not
// take. value is the member, or the element of it that is wrong.
func (l Line) about(member string, value document.Value) Line {
	l.Cause, l.Detail, l.Found = diag.NoMember, member, uint8(value.Kind())
	if value.Exists() {
		l.Cause = diag.MemberValue
	}
	return l
}

// Detail selects the messages about a manifest.
type Detail uint8

// Details. A lower detail saves the work of building messages.
const (
	Silent Detail = iota // no lines
	Spoken               // lines
	Placed               // lines with their places in the file
)

// loaderBits is the word size of the process. tools/goc replaces it with a C macro.
var loaderBits = goBits

// System is the system whose process reads the manifests. The zero value is the system of this build, without optional
// window systems.
type System struct {
	Style    pathname.Style
	Bits     string   // the word size of the process, "32" or "64"; empty: of this build
	Surfaces []string // the instance extensions of the window systems that the loader supports
}

// WordSize returns the word size of the process, "32" or "64".
func (on *System) WordSize() string {
	if on.Bits != "" {
		return on.Bits
	}
	return loaderBits
}

// wrongArchitecture reports whether a library_arch contradicts the process. Only its first two characters matter
// (DRV-037, DRV-038, LAY-55, LAY-56).
func (on *System) wrongArchitecture(v document.Value) bool {
	text, ok := v.Text()
	if !ok || len(text) < 2 {
		return false
	}
	return (text[:2] == "32" || text[:2] == "64") && text[:2] != on.WordSize()
}

// MissingWindowSystem reports whether an extension belongs to an optional window system that the loader does not
// support (INS-009, LAY-79).
func (on *System) MissingWindowSystem(name string) bool {
	return (name == "VK_EXT_directfb_surface" || name == "VK_QNX_screen_surface") && !on.Knows(name)
}

// Knows reports whether an extension belongs to a window system that the loader supports.
func (on *System) Knows(name string) bool {
	return slices.Contains(on.Surfaces, name)
}

// Version is a parsed version (LAY-24, DRV-029, DRV-030).
type Version struct{ Variant, Major, Minor, Patch uint16 }

// ParseVersion parses a version. Every text has a version.
func ParseVersion(text string) Version {
	var parts [4]uint16
	count := 0
	for i := 0; i < len(text) && count < 4; {
		if separates(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && !separates(text[i]) {
			i++
		}
		parts[count] = uint16(decimal(text[start:i])) // modulo 65536
		count++
	}
	if count == 4 {
		return Version{parts[0], parts[1], parts[2], parts[3]}
	}
	return Version{0, parts[0], parts[1], parts[2]}
}

func separates(c byte) bool { return c == '.' || c == '"' || c == '\r' || c == '\n' }

// decimal parses a decimal prefix like C's strtoul: white space and a sign may precede it.
func decimal(s string) uint32 {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] >= '\t' && s[i] <= '\r') {
		i++
	}
	negative := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	var v uint32
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		v = v*10 + uint32(s[i]-'0')
	}
	if negative {
		v = -v
	}
	return v
}

// Packed returns the version word. Oversized parts overflow into their neighbours (DRV-030).
func (v Version) Packed() uint32 {
	return uint32(v.Variant)<<29 | uint32(v.Major)<<22 | uint32(v.Minor)<<12 | uint32(v.Patch)
}

// Dots returns major.minor.patch.
func (v Version) Dots() string {
	return strconv.Itoa(int(v.Major)) + "." + strconv.Itoa(int(v.Minor)) + "." + strconv.Itoa(int(v.Patch))
}

// before reports whether v is lower than a version of variant 0.
func (v Version) before(major, minor, patch uint16) bool {
	if v.Major != major {
		return v.Major < major
	}
	if v.Minor != minor {
		return v.Minor < minor
	}
	return v.Patch < patch
}

// Variant returns the variant of a version word.
func Variant(v uint32) uint32 { return v >> 29 }

// Major returns the major number of a version word.
func Major(v uint32) uint32 { return v >> 22 & 0x7f }

// Minor returns the minor number of a version word.
func Minor(v uint32) uint32 { return v >> 12 & 0x3ff }

// Patch returns the patch number of a version word.
func Patch(v uint32) uint32 { return v & 0xfff }

package doctor

import (
	"cmp"
	"fmt"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
)

type layer = manifest.Layer

// Facts about machines with Windows.
type (
	valueIn struct { // a value of the registry
		at    entry
		kind  uint32
		stale bool // the value names a missing file
	}
)

const (
	noDriverFound    sentence = "no driver is found"
	translatesBeside sentence = "it translates to Direct3D 12, and another driver exists: programs may list the same device twice"

	notThere     = "%s is not there"
	noLibrary    = "%s is not a Windows library"
	otherBits    = "%s is for %d-bit programs, and not for %s-bit programs"
	exportsNone  = "%s exports no %s"
	needsMissing = "it needs %s: neither in its directory nor where the system searches"
	viewLacks    = "%s-bit programs find no driver; %s-bit programs do"
	layerLacking = "%s-bit programs do not have this layer"
	userValues   = "an elevated program does not read %s there"
	deviceNames  = "the display device %s names %s, which is not there"
)

// kinds are the registry's type names in the reg command.
var kinds = map[uint32]string{0: "REG_NONE", 1: "REG_SZ", 2: "REG_EXPAND_SZ", 3: "REG_BINARY", 4: "REG_DWORD", 5: "REG_DWORD_BIG_ENDIAN", 7: "REG_MULTI_SZ", 11: "REG_QWORD"}

func (v valueIn) say() string {
	kind := cmp.Or(kinds[v.kind], fmt.Sprintf("the type %d", v.kind))
	where := v.at.Hive.String() + `\` + v.at.Key
	if v.at.Hive == facts.LocalMachine {
		where += ", in the view of " + v.at.Bits + "-bit programs"
	}
	text := "a value (" + kind + ") in " + where
	if !v.stale {
		return text
	}
	text = "the file does not exist, and is named by " + text
	if owner := ownerOfPath(v.at.Name); owner != "" {
		text += "; a file of this name belongs to " + owner
	}
	return text
}

// everywhere returns the fact that every program gets a layer. variable disables it; "": none does.
func everywhere(variable string) fact {
	if variable == "" {
		return sentence("every program gets it, and no variable disables it")
	}
	return sentence("it is in every program that does not set " + variable)
}

// shadows returns the fact that the program gets a loader in its directory instead of the system's, with both versions.
func shadows(file, version, system, systemVersion string) fact {
	text := "the program gets " + file + versionIn(version)
	if system != "" {
		text += " instead of " + system + versionIn(systemVersion)
	}
	return sentence(text)
}

// signature describes the signer of a file. The tool does not check whether the system trusts the certificate.
func signature(signer string, changed bool) string {
	switch {
	case signer == "":
		return ""
	case changed:
		return "changed since " + signer + " signed it"
	}
	return "signed by " + signer
}

// Signature describes the signer of the loader; "" for one without a signature.
func (l *Loader) Signature() string { return signature(l.Signer, l.Altered) }

func versionIn(version string) string {
	if version == "" {
		return ""
	}
	return " (" + version + ")"
}

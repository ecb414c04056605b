package doctor

import (
	"fmt"
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/tool/term"
)

type layer = manifest.Layer

// Facts about machines with Windows.
type (
	valueIn struct { // a value of the registry
		at   entry
		kind uint32
	}
	staleIn   struct{ valueIn }
	notThere  string
	noLibrary struct{ file, system string }
	otherBits struct {
		file  string
		class int
		bits  string
	}
	exportsNone  struct{ file, function string }
	needsMissing []string
	everywhere   string // the variable that keeps the layer out; "": none
	shadows      struct{ file, version, system, systemVersion string }
	viewLacks    struct{ bits, other string }
	layerLacking string // the word size of programs without the layer
	userValues   int
	deviceNames  struct{ device, manifest string }
	pcPlain      uint8
)

const (
	noDriverFound pcPlain = iota
	translatesBeside
)

func (p pcPlain) say() string {
	if p == noDriverFound {
		return "no driver is found"
	}
	return "it translates to Direct3D 12, and another driver exists: programs may list the same device twice"
}

// kinds are the types of the registry's values, as reg names them.
var kinds = map[uint32]string{0: "REG_NONE", 1: "REG_SZ", 2: "REG_EXPAND_SZ", 3: "REG_BINARY", 4: "REG_DWORD", 5: "REG_DWORD_BIG_ENDIAN", 7: "REG_MULTI_SZ", 11: "REG_QWORD"}

func (v valueIn) say() string {
	kind := kinds[v.kind]
	if kind == "" {
		kind = fmt.Sprintf("the type %d", v.kind)
	}
	where := v.at.hive.String() + `\` + v.at.key
	if v.at.hive == facts.LocalMachine {
		where += ", in the view of " + v.at.bits + "-bit programs"
	}
	return "a value (" + kind + ") in " + where
}

func (s staleIn) say() string {
	text := "it is not there, and named by " + s.valueIn.say()
	if owner := ownerOfPath(s.at.name); owner != "" {
		text += "; a file of this name belongs to " + owner
	}
	return text
}

func (d deviceNames) say() string {
	return "the display device " + d.device + " names " + d.manifest + ", which is not there"
}

func (n notThere) say() string  { return string(n) + " is not there" }
func (n noLibrary) say() string { return n.file + " is no library of " + n.system }

func (o otherBits) say() string {
	return fmt.Sprintf("%s is for programs of %d bits; looked at are those of %s", o.file, o.class, o.bits)
}

func (x exportsNone) say() string { return x.file + " exports no " + x.function }

func (n needsMissing) say() string {
	return "it needs " + strings.Join(n, ", ") + ": neither beside it nor where the system looks"
}

func (v everywhere) say() string {
	if v == "" {
		return "every program gets it, and no variable disables it"
	}
	return "it is in every program that does not set " + string(v)
}

func (s shadows) say() string {
	text := "the program gets " + s.file + versionIn(s.version)
	if s.system != "" {
		text += " instead of " + s.system + versionIn(s.systemVersion)
	}
	return text
}

// signature says who has signed a file. Whether the system trusts the certificate is not known.
func signature(signer string, changed bool) string {
	switch {
	case signer == "":
		return ""
	case changed:
		return "changed since " + signer + " signed it"
	}
	return "signed by " + signer
}

// Signature says who has signed the loader; "" for one without a signature.
func (l *Loader) Signature() string { return signature(l.Signer, l.Altered) }

func versionIn(version string) string {
	if version == "" {
		return ""
	}
	return " (" + version + ")"
}

func (v viewLacks) say() string {
	return "programs of " + v.bits + " bits find no driver; those of " + v.other + " do"
}

func (l layerLacking) say() string {
	return "programs of " + string(l) + " bits do not have this layer"
}

func (n userValues) say() string {
	return "an elevated program does not read " + term.Count(int(n), "value") + " there"
}

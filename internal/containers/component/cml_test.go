package component

import (
	"strings"
	"testing"
)

// cml is the example in the documents of Fuchsia's loader service, unchanged.
const cml = `{
    include: [ "syslog/client.shard.cml" ],
    program: {
        runner: "icd_runner",
    },
    capabilities: [
        {
            directory: "contents",
            rights: [ "rx*" ],
            path: "/pkg",
        },
    ],
    expose: [
        {
            directory: "contents",
            from: "self",
            rights: [ "rx*" ],
        },
        {
            directory: "contents",
            from: "self",
            as: "metadata",
            rights: [ "r*" ],
            subdir: "meta/metadata",
        },
    ],
}
`

// holds: FLS-066 FLS-067 FLS-079 FLS-082 PRO-017
func TestComponentSource(t *testing.T) {
	t.Parallel()
	is := func(was, now string) string {
		t.Helper()
		if !strings.Contains(cml, was) {
			t.Fatalf("the example has no %q", was)
		}
		return strings.Replace(cml, was, now, 1)
	}
	for name, c := range map[string]struct {
		text string
		want layout // without a runner: refused
	}{
		"the example":          {cml, layout{"icd_runner", ".", "meta/metadata"}},
		"comments":             {is("    program", "    // {\n /* [ */ program"), layout{"icd_runner", ".", "meta/metadata"}},
		"single quotes":        {is(`"icd_runner"`, `'icd_runner'`), layout{"icd_runner", ".", "meta/metadata"}},
		"without spaces":       {strings.ReplaceAll(cml, ": ", ":"), layout{"icd_runner", ".", "meta/metadata"}},
		"another subdir":       {is(`"meta/metadata"`, `"data"`), layout{"icd_runner", ".", "data"}},
		"a part of a package":  {is(`"/pkg"`, `"/pkg/gpu"`), layout{"icd_runner", "gpu", "gpu/meta/metadata"}},
		"another runner":       {is("icd_runner", "elf"), layout{"elf", ".", "meta/metadata"}},
		"no metadata":          {is(`as: "metadata",`, ""), layout{}},
		"from elsewhere":       {is(`from: "self"`, `from: "parent"`), layout{}},
		"not of the package":   {is(`"/pkg"`, `"/data"`), layout{}},
		"beside the package":   {is(`"/pkg"`, `"/pkgs"`), layout{}},
		"an absolute subdir":   {is(`"meta/metadata"`, `"/meta"`), layout{}},
		"other rights":         {is(`"r*"`, `"rw*"`), layout{}},
		"no runner":            {is("runner", "walker"), layout{}},
		"a string without end": {is(`"/pkg"`, `"/pkg`), layout{}},
		"a comment without":    {cml + "/* ", layout{}},
		"a lone slash":         {is("include", "/ include"), layout{}},
	} {
		l, err := parseLayout([]byte(c.text))
		if (err == nil) != (c.want.runner != "") || err == nil && *l != c.want {
			t.Errorf("%s: %+v, %v, want %+v", name, l, err, c.want)
		}
	}
}

package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/bundle"
)

// A part that cannot be made is reported as failed, with its reason, and the others are made.
func TestBundleOfFailures(t *testing.T) {
	t.Parallel()
	part := func(name string, make func() ([]bundle.Part, error)) maker { return maker{name: name, make: make} }
	source := &machine.Source{Machine: machine.Machine{Root: t.TempDir(), Bound: &machine.Bound{Of: "the image"}}}
	parts := bundleParts(source, []maker{
		part("fault", func() ([]bundle.Part, error) { return nil, errors.New([]string{"a fault"}[len(source.Root)]) }),
		part("error", func() ([]bundle.Part, error) { return nil, errors.New("an error") }),
		part("bound", func() ([]bundle.Part, error) {
			for range 200_000 {
				source.Exists("/a")
			}
			return []bundle.Part{{Name: "bound"}}, nil
		}),
		part("fine", func() ([]bundle.Part, error) { return []bundle.Part{{Name: "fine"}}, nil }),
	})
	for name, want := range map[string]string{"fault": "index out of range", "error": "an error", "bound": "the image: ", "fine": ""} {
		at := slices.IndexFunc(parts, func(p bundle.Part) bool { return p.Name == name })
		if at < 0 || !strings.Contains(parts[at].Failed, want) || (want == "") != (parts[at].Failed == "") {
			t.Errorf("%s: %+v", name, parts)
		}
	}
}

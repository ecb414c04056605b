package ui

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"vkloader/test/lib/machine"
)

// The accessibility checks: a release of axe-core, and what its archive must be.
const (
	axeRelease = "4.14.1"
	axeSum     = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)

// axe is the script; missing says why there is none.
var axe = sync.OnceValues(func() (script, missing string) {
	archive, missing := machine.Archive("axe-core", axeRelease, axeSum)
	if missing != "" {
		return "", missing
	}
	text, err := machine.Unpacked(archive, "package/axe.min.js")
	if err != nil {
		return "", err.Error()
	}
	return string(text), ""
})

// needAxe skips a test where axe-core is not available.
func needAxe(t *testing.T) {
	t.Helper()
	machine.Need(t, "npm")
	if _, missing := axe(); missing != "" {
		t.Skipf("no accessibility check: %s", missing)
	}
}

// serious returns the findings of axe-core that make the present page unusable for some people.
func (b *browser) serious() []string {
	b.t.Helper()
	script, _ := axe()
	eval[bool](b, script+"\n;true")
	return eval[[]string](b, `axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations
  .filter((v) => v.impact === "serious" || v.impact === "critical")
  .flatMap((v) => v.nodes.map((n) => v.id + ": " + v.help + ": " + n.html.slice(0, 200) + " " + n.any.map((a) => a.message).join("; "))))`)
}

// The check finds the planted faults of a page.
func TestAxeFinds(t *testing.T) {
	t.Parallel()
	needAxe(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:")
		fmt.Fprint(w, `<!DOCTYPE html><html><head><title>x</title><link rel="icon" href="data:,"></head><body><button></button></body></html>`)
	}))
	defer server.Close()
	b := browse(t)
	b.open(server.URL)
	found := strings.Join(b.serious(), "\n")
	for _, want := range []string{"button-name: ", "html-has-lang: "} {
		if !strings.Contains(found, want) {
			t.Errorf("no %q in:\n%s", want, found)
		}
	}
}

package ui

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vkloader/test/machine"
)

// The accessibility checks: a release of axe-core, and what its archive must be.
const (
	axeRelease = "4.14.1"
	axeSum     = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)

// axe is the script: from the build directory, or fetched by npm as npm is set up on this machine, and then kept there.
// missing says why there is none; an error is an archive with other content.
var axe = sync.OnceValues(func() (script, missing string) {
	top, err := filepath.Abs("../..")
	if err != nil {
		return "", err.Error()
	}
	kept := filepath.Join(top, "build/test/axe-core-"+axeRelease+".tgz")
	archive, err := os.ReadFile(kept)
	if err != nil || sumOf(archive) != axeSum {
		if archive, missing = fetchAxe(kept); missing != "" {
			return "", missing
		}
	}
	return unpacked(archive, "package/axe.min.js")
})

func sumOf(data []byte) string {
	sum := sha512.Sum512(data)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// fetchAxe has npm fetch the archive. Another test may do so at the same time: the file gets its name when it is whole.
func fetchAxe(kept string) (archive []byte, missing string) {
	directory, err := os.MkdirTemp("", "vkloader-axe-")
	if err != nil {
		return nil, err.Error()
	}
	defer os.RemoveAll(directory)
	npm := exec.Command("npm", "pack", "--silent", "--fetch-retries=1", "--fetch-timeout=60000", "--ignore-scripts", "axe-core@"+axeRelease)
	npm.Dir = directory
	if out, err := npm.CombinedOutput(); err != nil {
		return nil, fmt.Sprintf("npm could not fetch axe-core %s (%v): %s", axeRelease, err, strings.TrimSpace(string(out)))
	}
	if archive, err = os.ReadFile(filepath.Join(directory, "axe-core-"+axeRelease+".tgz")); err != nil {
		return nil, err.Error()
	}
	if sum := sumOf(archive); sum != axeSum {
		panic("axe-core " + axeRelease + " has the sum " + sum)
	}
	// Not kept is not failed: the build directory may be another user's.
	if os.MkdirAll(filepath.Dir(kept), 0o755) == nil {
		if file, err := os.CreateTemp(filepath.Dir(kept), "axe-"); err == nil {
			_, wrong := file.Write(archive)
			if file.Close() != nil || wrong != nil || os.Rename(file.Name(), kept) != nil {
				os.Remove(file.Name())
			}
		}
	}
	return archive, ""
}

// unpacked is a file of an archive.
func unpacked(archive []byte, name string) (text, missing string) {
	zip, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return "", err.Error()
	}
	files := tar.NewReader(zip)
	for {
		header, err := files.Next()
		if err != nil {
			return "", fmt.Sprintf("axe-core %s has no %s: %v", axeRelease, name, err)
		}
		if header.Name == name {
			data, err := io.ReadAll(files)
			if err != nil {
				return "", err.Error()
			}
			return string(data), ""
		}
	}
}

// needAxe skips a test where axe-core is not available.
func needAxe(t *testing.T) {
	t.Helper()
	machine.Need(t, "npm")
	if _, missing := axe(); missing != "" {
		t.Skipf("no accessibility check: %s", missing)
	}
}

// serious are the findings of axe-core on the page as it is now that keep somebody from using it.
func (b *browser) serious() []string {
	b.t.Helper()
	script, _ := axe()
	eval[bool](b, script+"\n;true")
	return eval[[]string](b, `axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations
  .filter((v) => v.impact === "serious" || v.impact === "critical")
  .flatMap((v) => v.nodes.map((n) => v.id + ": " + v.help + ": " + n.html.slice(0, 200) + " " + n.any.map((a) => a.message).join("; "))))`)
}

// A check that finds nothing must be one that finds something where there is something.
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

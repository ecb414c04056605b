package component

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/sealed"
)

// holds: PRO-016
func TestURLs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*URL{
		"pkg://example.org/mesa":               {"pkg", "example.org/mesa", "", ""},
		"pkg://example.org/mesa/x86_64#m.cm":   {"pkg", "example.org/mesa/x86_64", "", "m.cm"},
		"file:///a/b#meta/vulkan.cm":           {"file", "/a/b", "", "meta/vulkan.cm"},
		"oci:///a/b:latest":                    {"oci", "/a/b", "latest", ""},
		"oci:///a:x/b:1.0#c":                   {"oci", "/a:x/b", "1.0", "c"},
		"pkg://example.org":                    nil,
		"pkg://example.org/a/b/c":              nil,
		"pkg://example.org/../x":               nil,
		"pkg://../x":                           nil,
		"pkg://a//b":                           nil,
		"file://a":                             nil,
		"file:///a/../b":                       nil,
		"file:///a#../b":                       nil,
		"file:///a#/b":                         nil,
		"file:///a#":                           nil,
		"oci:///a":                             nil,
		"oci:///a:":                            nil,
		"http://a/b":                           nil,
		"mesa":                                 nil,
		"":                                     nil,
		"file:///\x00":                         nil,
		"file:///" + strings.Repeat("a", 4096): nil,
	} {
		u, err := Parse(text)
		if (err == nil) != (want != nil) || want != nil && *u != *want {
			t.Errorf("%.60q: %+v, %v", text, u, err)
		}
	}
	for _, c := range [][3]string{{"lavapipe_icd#meta/vulkan.cm", "/etc/x", "file:///etc/x/lavapipe_icd#meta/vulkan.cm"},
		{"a", "/b", "file:///b/a"}, {"pkg://a/b", "/c", "pkg://a/b"}, {"a", "", "a"}, {"", "/c", ""}} {
		if got := Absolute(c[0], c[1]); got != c[2] {
			t.Errorf("%v: %s", c, got)
		}
	}
}

func FuzzDocuments(f *testing.F) {
	f.Add([]byte(goodManifest))
	f.Add([]byte(goodMetadata))
	f.Fuzz(func(t *testing.T, text []byte) {
		name, manifest, _, err := rewrite(text, 7)
		if err == nil && (!strings.HasPrefix(name, "7-") || strings.Contains(name, "/") || !json.Valid([]byte(manifest))) {
			t.Errorf("%q: %q %s", text, name, manifest)
		}
		_, _ = parseMetadata(text)
		_, _ = parseLayout(text)
		_, _ = Parse(string(text))
	})
}

const (
	goodMetadata = `{"version": 1, "file_path": "bin/pkg-server", "manifest_path": "data/icd.json", "more": [1]}`
	goodManifest = `{"z": 1, "file_format_version": "1.0.0", "ICD": {"x": {"b":1,"a":"<&>"}, "library_path": "libvulkan_fake.so",
		"api_version": "1.1.0"}, "a": 1e400}`
)

// holds: FLS-069 PRO-022
func TestMetadata(t *testing.T) {
	t.Parallel()
	of := func(version, rest string) string {
		return `{"version": ` + version + `, "manifest_path": "m"` + rest + "}"
	}
	const path = `, "file_path": "f"`
	for text, good := range map[string]bool{
		goodMetadata: true, of("1", path): true, of("1.0", path): true, of("10e-1", path): true, of("1", path+`, "file_path": "g"`): true,
		of("2", path): false, of("0.999", path): false, of("1.001", path): false, of("true", path): false, of(`"1"`, path): false,
		of("null", path): false, of("[1]", path): false, of("1", ""): false, of("1", `, "file_path": 1`): false,
		of("1", path+","): false, of("1", path) + "x": false, "// a comment\n" + of("1", path): false, of("NaN", path): false,
		"": false, "[]": false, "null": false, `{"version": 1, "file_path": "f"}`: false, `{"file_path": "f", "manifest_path": "m"}`: false,
	} {
		m, err := parseMetadata([]byte(text))
		if (err == nil) != good {
			t.Errorf("%s: %+v, %v", text, m, err)
		}
	}
	m, err := parseMetadata([]byte(of("1", path+`, "file_path": "g"`)))
	if err != nil || m.filePath != "g" || !slices.Equal(m.doubled, []string{"file_path"}) {
		t.Errorf("%+v, %v: the last one counts", m, err)
	}
}

// holds: FLS-071 FLS-072 FLS-026 PRO-023
func TestManifest(t *testing.T) {
	t.Parallel()
	name, text, _, err := rewrite([]byte(goodManifest), 0)
	if err != nil || name != "0-libvulkan_fake.so" {
		t.Fatalf("%s, %v", name, err)
	}
	want := strings.ReplaceAll(strings.ReplaceAll(goodManifest, "libvulkan_fake", "0-libvulkan_fake"), "e400", "e4")
	var got, original any
	if json.Unmarshal([]byte(strings.ReplaceAll(text, "e400", "e4")), &got) != nil || json.Unmarshal([]byte(want), &original) != nil ||
		!reflect.DeepEqual(got, original) {
		t.Errorf("every other key stays: %s", text)
	}
	if z, a := strings.Index(text, `"z"`), strings.Index(text, `"a": 1e400`); z < 0 || a < z || !strings.Contains(text, "\n    \"ICD\": {\n") ||
		!strings.Contains(text, "<&>") {
		t.Errorf("in their order, for people to read: %s", text)
	}
	for _, bad := range []string{
		`{"file_format_version": "1.0.0", "ICD": {"api_version": "1.1.0",}}`,
		`{"file_format_version": "1.0.0", "ICD": {"api_version": "1.1.0"}}`,
		`{"file_format_version": "1.0.0", "ICD": {"library_path": "a"}}`,
		`{"file_format_version": "1.0.0", "ICD": {"library_path": 1, "api_version": "1.1.0"}}`,
		`{"file_format_version": "1.0.0", "ICD": []}`,
		`{"ICD": {"library_path": "a", "api_version": "1.1.0"}}`,
		`{"file_format_version": 1, "ICD": {"library_path": "a", "api_version": "1.1.0"}}`,
		`{"file_format_version": "1.0.0", "ICD": {"library_path": "/usr/lib/a", "api_version": "1.1.0"}}`,
		`{"file_format_version": "1.0.0", "ICD": {"library_path": "` + strings.Repeat("a", 63) + `", "api_version": "1.1.0"}}`,
	} {
		if name, _, _, err := rewrite([]byte(bad), 0); err == nil {
			t.Errorf("%s: accepted as %s", bad, name)
		}
	}
}

// pack creates a package, and returns its directory.
func pack(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fake returns the files of the package of FLS-073: the library has another name than its manifest says, and is no library.
func fake(more ...string) map[string]string {
	files := map[string]string{"meta/metadata/metadata.json": goodMetadata, "data/icd.json": goodManifest, "bin/pkg-server": "no ELF file"}
	for i := 0; i < len(more); i += 2 {
		if files[more[i]] = more[i+1]; more[i+1] == "" {
			delete(files, more[i])
		}
	}
	return files
}

func resolver(t *testing.T) *Resolver {
	return &Resolver{Cache: t.TempDir(), Step: time.Minute, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

// holds: FLS-060 FLS-063 FLS-066 FLS-067 FLS-068 FLS-070 FLS-073 FLS-074 FLS-075 FLS-078 FLS-100 PRO-009 PRO-015 PRO-017 PRO-021 FLS-082
func TestLookup(t *testing.T) {
	t.Parallel()
	manifest := `{"program":{"runner":"icd_runner"},"expose":{"contents":{"path":"tree","rights":"rx*"},
		"metadata":{"path":"meta/other","rights":"r*"}}}`
	elsewhere := map[string]string{"meta/vulkan.cm": manifest, "meta/other/metadata.json": goodMetadata,
		"tree/data/icd.json": goodManifest, "tree/bin/pkg-server": "no ELF file"}
	root := t.TempDir()
	if err := os.Rename(pack(t, fake()), filepath.Join(root, "p")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "second/example.org"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root, "p"), filepath.Join(root, "second/example.org/fake")); err != nil {
		t.Fatal(err)
	}
	usual := fake("meta/vulkan.cm", `{"program":{"runner":"icd_runner"},"expose":{"contents":{"path":".","rights":"rx*"},
		"metadata":{"path":"meta/metadata","rights":"r*"}}}`)
	for _, url := range []string{"file://" + pack(t, fake()), "file://" + pack(t, elsewhere) + "#meta/vulkan.cm", "pkg://example.org/fake",
		"file://" + pack(t, usual) + "#meta/vulkan.cm"} {
		r := resolver(t)
		r.Roots = []string{root + "/first", root + "/second"}
		var stages []string
		report, err := r.Lookup(t.Context(), url, 3, func(now Report) { stages = append(stages, now.Status) })
		if err != nil {
			t.Fatalf("%s: %v", url, err)
		}
		stages = append(stages, report.Status)
		if got := strings.Join(stages, ", "); got != "created, bound, reading from package, opening manifest, opening VMO, initialized" {
			t.Errorf("%s: %s", url, got)
		}
		if report.Version != 1 || report.FilePath != "bin/pkg-server" || report.LibraryPath != "3-libvulkan_fake.so" ||
			!strings.Contains(report.Manifest, `"3-libvulkan_fake.so"`) || report.Library.Backing != "memfd" {
			t.Errorf("%s: %+v", url, report)
		}
		f, err := sealed.Again(report.Library.File)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(f); err != nil || string(text) != "no ELF file" || report.Library.Size != int64(len(text)) {
			t.Errorf("%q, %v", text, err)
		}
		f.Close()
		report.Library.File.Close()
	}
}

// The service finds only packages below the package roots.
//
// holds: FLS-077
func TestRoots(t *testing.T) {
	t.Parallel()
	root := func(name string) string {
		top := t.TempDir()
		if err := os.Mkdir(filepath.Join(top, "example.org"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(pack(t, fake()), filepath.Join(top, "example.org", name)); err != nil {
			t.Fatal(err)
		}
		return top
	}
	base, more := root("base"), root("more")
	for _, c := range []struct {
		roots []string
		name  string
		found bool
	}{{[]string{base, more}, "more", true}, {[]string{base}, "base", true}, {[]string{base}, "more", false}, {nil, "base", false}} {
		r := resolver(t)
		r.Roots = c.roots
		report, err := r.Lookup(t.Context(), "pkg://example.org/"+c.name, 0, func(Report) {})
		if (err == nil) != c.found || !c.found && report.CreateResponse != protocol.ErrNotFound.Code {
			t.Errorf("%+v: %+v, %v", c, report, err)
		}
		if err == nil {
			report.Library.File.Close()
		}
	}
}

// Each failing lookup stops at its stage, with the number of its refusal.
//
// holds: FLS-063 FLS-064 FLS-065 FLS-068 FLS-079 FLS-083 PRO-009 PRO-018 PRO-019 PRO-021
func TestLookupStops(t *testing.T) {
	t.Parallel()
	outside := pack(t, fake())
	component := func(runner, contents string) string {
		return `{"program":{"runner":"` + runner + `"},"expose":{"contents":{"path":"` + contents + `"},"metadata":{"path":"meta/metadata"}}}`
	}
	for name, c := range map[string]struct {
		files        map[string]string
		fragment     string
		status       string
		create, bind uint32
	}{
		"runner":              {fake("c", component("elf", ".")), "#c", Uninitialized, protocol.ErrUnsupported.Code, 0},
		"no runner":           {fake("c", "{}"), "#c", Uninitialized, protocol.ErrInvalidArguments.Code, 0},
		"no JSON":             {fake("c", "{"), "#c", Uninitialized, protocol.ErrInvalidArguments.Code, 0},
		"nothing exposed":     {fake("c", `{"program":{"runner":"icd_runner"}}`), "#c", Uninitialized, protocol.ErrInvalidArguments.Code, 0},
		"no manifest":         {fake(), "#c", Uninitialized, protocol.ErrNotFound.Code, 0},
		"manifest outside":    {fake("c", "-> "+outside+"/data/icd.json"), "#c", Uninitialized, protocol.ErrAccessDenied.Code, 0},
		"no metadata":         {fake("meta/metadata/metadata.json", ""), "", Created, 0, protocol.ErrNotFound.Code},
		"contents outside":    {fake("c", component("icd_runner", "../"+filepath.Base(outside))), "#c", Created, 0, protocol.ErrAccessDenied.Code},
		"contents by link":    {fake("c", component("icd_runner", "link"), "link", "-> "+outside), "#c", Created, 0, protocol.ErrAccessDenied.Code},
		"contents a file":     {fake("c", component("icd_runner", "c")), "#c", Created, 0, protocol.ErrNotFound.Code},
		"bad metadata":        {fake("meta/metadata/metadata.json", "{}"), "", Reading, 0, 0},
		"no driver manifest":  {fake("data/icd.json", ""), "", OpenManifest, 0, 0},
		"bad driver manifest": {fake("data/icd.json", "{}"), "", OpenManifest, 0, 0},
		"no library":          {fake("bin/pkg-server", ""), "", OpenLibrary, 0, 0},
		"library outside":     {fake("bin/pkg-server", "-> "+outside+"/bin/pkg-server"), "", OpenLibrary, 0, 0},
		"library a directory": {fake("bin/pkg-server", "", "bin/pkg-server/x", "y"), "", OpenLibrary, 0, 0},
	} {
		report, err := resolver(t).Lookup(t.Context(), "file://"+pack(t, c.files)+c.fragment, 0, func(Report) {})
		if err == nil || report.Status != c.status || report.CreateResponse != c.create || report.BindResponse != c.bind {
			t.Errorf("%s: %v, %+v", name, err, report)
		}
	}
	for url, number := range map[string]uint32{"nonsense": protocol.ErrInvalidArguments.Code, "pkg://example.org/none": protocol.ErrNotFound.Code, "file:///nowhere/at/all": protocol.ErrNotFound.Code} {
		if report, err := resolver(t).Lookup(t.Context(), url, 0, func(Report) {}); err == nil || report.CreateResponse != number {
			t.Errorf("%s: %v, %+v", url, err, report)
		}
	}
}

// holds: PRO-009
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := pack(t, fake("bin/pkg-server", "-> real", "bin/real", "x"))
	r := resolver(t)
	if _, err := r.Lookup(t.Context(), "file://"+dir, 0, func(Report) {}); err != nil {
		t.Errorf("a link inside the package: %v", err)
	}
}

// Where the kernel forbids executable memory files, the package's own file is offered if its digest is known and matches.
//
// holds: PRO-013
func TestForbiddenCopies(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("no ELF file"))
	right := `{"bin/pkg-server": "sha256:` + hex.EncodeToString(sum[:]) + `"}`
	for index, good := range map[string]bool{right: true, "": false, strings.Replace(right, "sha256:", "sha256:00", 1): false, "[]": false} {
		r := resolver(t)
		r.code = func(string, io.Reader) (*os.File, error) { return nil, sealed.ErrForbidden }
		report, err := r.Lookup(t.Context(), "file://"+pack(t, fake("meta/digests.json", index)), 0, func(Report) {})
		if good != (err == nil) || good && report.Library.Backing != "file" {
			t.Errorf("%s: %v, %+v", index, err, report.Library)
		}
	}
}

// A step that hangs fails after its time limit.
//
// holds: PRO-025 FLS-042
func TestSlowSteps(t *testing.T) {
	t.Parallel()
	r := resolver(t)
	r.Step = 400 * time.Millisecond // the steps before it are much shorter
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	r.code = func(string, io.Reader) (*os.File, error) {
		<-release
		return nil, errors.New("too late")
	}
	if report, err := r.Lookup(t.Context(), "file://"+pack(t, fake()), 0, func(Report) {}); !errors.Is(err, errTime) || report.Status != OpenLibrary {
		t.Errorf("%v, %+v", err, report)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.Step = 0
	if _, err := r.Lookup(ctx, "file:///", 0, func(Report) {}); err == nil {
		t.Error("a lookup after the end")
	}
}

// A lookup does not block on a FIFO.
func TestPipe(t *testing.T) {
	t.Parallel()
	dir := pack(t, fake("bin/pkg-server", ""))
	if err := os.MkdirAll(dir+"/bin", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(dir+"/bin/pkg-server", 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := resolver(t).Lookup(t.Context(), "file://"+dir, 0, func(Report) {}); err == nil {
		t.Error("a pipe passes for a library")
	}
}

// image writes an OCI layout with layers, and returns its directory.
func image(t *testing.T, layers ...[]tar.Header) string {
	t.Helper()
	dir := t.TempDir()
	blob := func(data []byte) (digest string, size int) {
		sum := sha256.Sum256(data)
		name := hex.EncodeToString(sum[:])
		if err := os.MkdirAll(dir+"/blobs/sha256", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/blobs/sha256/"+name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return "sha256:" + name, len(data)
	}
	var list []string
	for i, entries := range layers {
		var plain, zipped bytes.Buffer
		w := tar.NewWriter(&plain)
		for _, h := range entries {
			text := h.PAXRecords["text"]
			h.PAXRecords, h.Mode, h.Size = nil, 0o755, int64(len(text))
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		data, kind := plain.Bytes(), "application/vnd.oci.image.layer.v1.tar"
		if i%2 == 0 {
			z := gzip.NewWriter(&zipped)
			_, _ = z.Write(data)
			z.Close()
			data, kind = zipped.Bytes(), kind+"+gzip"
		}
		digest, size := blob(data)
		list = append(list, fmt.Sprintf(`{"mediaType":%q,"digest":%q,"size":%d}`, kind, digest, size))
	}
	digest, size := blob([]byte(`{"layers":[` + strings.Join(list, ",") + `]}`))
	index := fmt.Sprintf(`{"manifests":[{"digest":%q,"size":%d,"annotations":{"org.opencontainers.image.ref.name":"v1"}}]}`, digest, size)
	if err := os.WriteFile(dir+"/index.json", []byte(index), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func entry(name, text string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, PAXRecords: map[string]string{"text": text}}
}

// holds: PRO-024
func TestImages(t *testing.T) {
	t.Parallel()
	var first []tar.Header
	for name, text := range fake() {
		first = append(first, entry(name, text))
	}
	first = append(first, entry("gone", "x"), entry("dir/gone", "x"), entry("emptied/gone", "x"),
		tar.Header{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "bin/pkg-server"})
	second := []tar.Header{entry("bin/pkg-server", "newer"), entry(".wh.gone", ""), entry("dir/.wh.gone", ""),
		entry("emptied/.wh..wh..opq", ""), entry("emptied/new", "y"), {Name: "fifo", Typeflag: tar.TypeFifo},
		{Name: "hard", Typeflag: tar.TypeLink, Linkname: "bin/pkg-server"}}
	layout := image(t, first, second)
	r := resolver(t)
	for range 2 { // the second time, from the cache
		report, err := r.Lookup(t.Context(), "oci://"+layout+":v1", 0, func(Report) {})
		if err != nil || report.Library.Size != int64(len("newer")) {
			t.Fatalf("%v, %+v", err, report)
		}
	}
	unpacked, err := filepath.Glob(r.Cache + "/*")
	if err != nil || len(unpacked) != 1 || !strings.HasPrefix(filepath.Base(unpacked[0]), "sha256-") {
		t.Fatal(unpacked, err)
	}
	for name, there := range map[string]bool{"link": true, "hard": true, "gone": false, "dir/gone": false, "emptied/gone": false,
		"emptied/new": true, "fifo": false} {
		if _, err := os.Lstat(filepath.Join(unpacked[0], name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	if report, err := r.Lookup(t.Context(), "oci://"+layout+":v2", 0, func(Report) {}); err == nil || report.CreateResponse != protocol.ErrNotFound.Code {
		t.Errorf("another tag: %v", err)
	}
	for _, out := range []tar.Header{entry("../out", "x"), {Name: "hard", Typeflag: tar.TypeLink, Linkname: "../../../etc/passwd"}} {
		if _, err := r.Lookup(t.Context(), "oci://"+image(t, []tar.Header{out})+":v1", 0, func(Report) {}); err == nil {
			t.Errorf("%s: an entry outside", out.Name)
		}
	}
	through := []tar.Header{{Name: "up", Typeflag: tar.TypeSymlink, Linkname: "/tmp"}, entry("up/x", "x")}
	if _, err := r.Lookup(t.Context(), "oci://"+image(t, through)+":v1", 0, func(Report) {}); err == nil {
		t.Error("an entry through a link that leads outside")
	}
	blobs, err := filepath.Glob(layout + "/blobs/sha256/*")
	if err != nil || len(blobs) == 0 {
		t.Fatal(err)
	}
	for _, b := range blobs { // only the digest shows a change of an archive's last byte
		data, err := os.ReadFile(b)
		if err != nil {
			t.Fatal(err)
		}
		change := func(by byte) {
			data[len(data)-1] ^= by
			if err := os.WriteFile(b, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		change(1)
		if _, err := resolver(t).Lookup(t.Context(), "oci://"+layout+":v1", 0, func(Report) {}); err == nil {
			t.Errorf("%s is not what its digest says", b)
		}
		change(1)
	}
}

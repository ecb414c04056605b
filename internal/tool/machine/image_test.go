package machine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// layer makes a layer of lines: "NAME/" a directory, "NAME -> TARGET" a symbolic link, "NAME => TARGET" another name for
// TARGET, "NAME: TEXT" a file.
func layer(t *testing.T, lines ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, line := range lines {
		h := &tar.Header{Mode: 0o755}
		text := ""
		if name, target, is := strings.Cut(line, " -> "); is {
			h.Name, h.Linkname, h.Typeflag = name, target, tar.TypeSymlink
		} else if name, target, is := strings.Cut(line, " => "); is {
			h.Name, h.Linkname, h.Typeflag = name, target, tar.TypeLink
		} else if name, content, is := strings.Cut(line, ": "); is {
			h.Name, text, h.Typeflag = name, content, tar.TypeReg
		} else {
			h.Name, h.Typeflag = line, tar.TypeDir
		}
		h.Size = int64(len(text))
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// archived makes an archive as "docker save" does.
func archived(t *testing.T, layers ...[]byte) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	put := func(name string, data []byte) {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for i, data := range layers {
		names = append(names, fmt.Sprintf(`"%d/layer.tar"`, i))
		put(fmt.Sprintf("%d/layer.tar", i), data)
	}
	put("config.json", []byte(`{"architecture":"amd64","os":"linux","config":{"Env":["A=b"]}}`))
	put("manifest.json", []byte(`[{"Config":"config.json","RepoTags":["x:1"],"Layers":[`+strings.Join(names, ",")+`]}]`))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file(t, out.Bytes())
}

func file(t *testing.T, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "image.tar")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// all lists an image's files with their texts.
func all(t *testing.T, i *Image) string {
	t.Helper()
	m := &Machine{Tree: i.ImageTree}
	var list []string
	var walk func(string)
	walk = func(directory string) {
		entries, err := m.ReadDir(directory)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := strings.TrimSuffix(directory, "/") + "/" + e.Name()
			switch {
			case e.IsDir():
				walk(name)
			case e.Type()&fs.ModeSymlink != 0:
				target, err := m.Readlink(name)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, name+" -> "+target)
			default:
				text, err := m.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, name+": "+string(text))
			}
		}
	}
	walk("/")
	return strings.Join(list, "\n")
}

// Layers are laid on each other: later files count, whiteouts take away what earlier layers have, and only that.
func TestLayers(t *testing.T) {
	t.Parallel()
	i, err := OpenImage(archived(t,
		layer(t, "usr/", "usr/lib/", "usr/lib/a: one", "usr/lib/b: two", "lib -> usr/lib", "gone/x: 1", "gone/y/z: 1", "dir/f: 1", "same => usr/lib/b"),
		zipped(t, layer(t, "./usr/lib/a: newer", "usr/lib/.wh.b: ", "gone/new: 2", "gone/.wh..wh..opq: ", "dir: a file now", "more/.wh.more: ", "deep/in/it: 3")),
	))
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	want := "/deep/in/it: 3\n/dir: a file now\n/gone/new: 2\n/lib -> usr/lib\n/same: two\n/usr/lib/a: newer"
	if got := all(t, i); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if i.Name != "x:1" || i.Architecture != "amd64" || i.Layers != 2 || len(i.Environ) != 1 {
		t.Errorf("%+v", i)
	}
	m := &Machine{Tree: i.ImageTree}
	if text, err := m.ReadFile("/lib/../lib/a"); err != nil || string(text) != "newer" {
		t.Errorf("%q %v", text, err)
	}
	for _, name := range []string{"/usr/lib/b", "/gone/x", "/gone/y/z", "/usr/lib/a/b"} {
		if m.Exists(name) {
			t.Errorf("%s is there", name)
		}
	}
}

// An OCI layout is read as a directory and as an archive.
func TestLayout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	put := func(name string, data []byte) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	blob := func(data []byte) string {
		sum := sha256.Sum256(data)
		put("blobs/sha256/"+hex.EncodeToString(sum[:]), data)
		return `{"digest":"sha256:` + hex.EncodeToString(sum[:]) + `"`
	}
	config := blob([]byte(`{"architecture":"arm64","os":"linux"}`)) + "}"
	data := blob(zipped(t, layer(t, "a: 1"))) + "}"
	first := blob([]byte(`{"config":`+config+`,"layers":[`+data+`]}`)) + `,"platform":{"architecture":"other"},"annotations":{"org.opencontainers.image.ref.name":"t"}}`
	put("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`))
	put("index.json", []byte(`{"manifests":[`+first+`]}`))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, file(t, archive.Bytes())} {
		i, err := OpenImage(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := all(t, i); got != "/a: 1" || i.Name != "t" || i.Architecture != "arm64" || !IsImage(name) {
			t.Errorf("%q %+v", got, i)
		}
		i.Close()
	}
	if IsImage(t.TempDir()) {
		t.Error("any directory is an image")
	}
}

// What is wrong with an image is told, and never leads out of it.
func TestHostile(t *testing.T) {
	t.Parallel()
	good := layer(t, "a: text", "b: "+strings.Repeat("x", 5000))
	whole, err := os.ReadFile(archived(t, good))
	if err != nil {
		t.Fatal(err)
	}
	for want, name := range map[string]string{
		"leads out of the image":         archived(t, layer(t, "../../etc/passwd: x")),
		"links lead out: leads out":      archived(t, layer(t, "x => ../../etc/passwd")),
		"which is not there":             archived(t, layer(t, "x => y")),
		"more than 128 directories":      archived(t, layer(t, strings.Repeat("d/", 200)+"f: x")),
		"it ends in the middle":          archived(t, good[:1400]),
		"ends early: ends in the middle": archived(t, zipped(t, good)[:60]),
		"compressed with zstd":           archived(t, []byte("\x28\xb5\x2f\xfd....")),
		"it is empty":                    archived(t, nil),
		"nor an archive of an image":     file(t, []byte(strings.Repeat("no archive ", 100))),
		"whole: ends in the middle":      file(t, whole[:2000]),
		"run gunzip first":               file(t, zipped(t, whole)),
		"neither an OCI layout nor":      file(t, layer(t, "index.json: {", "manifest.json: []")),
		"digest":                         file(t, layer(t, `index.json: {"manifests":[{"digest":"sha256:../../../etc/passwd"}]}`)),
		"no 1/layer":                     file(t, layer(t, `manifest.json: [{"Config":"c","Layers":["1/layer"]}]`, "c: {}")),
	} {
		i, err := OpenImage(name)
		if _, after, is := strings.Cut(want, ": "); is {
			want = after
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
		if err == nil {
			i.Close()
		}
	}
	i, err := OpenImage(archived(t, layer(t, "a -> b", "b -> a", "up -> ../../../../etc/hostname", "abs -> /etc/hostname", "f: x", "f/below: y")))
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	m := &Machine{Tree: i.ImageTree}
	for _, name := range []string{"/a", "/a/b", "/up", "/abs", "/../../etc/hostname"} {
		if text, err := m.ReadFile(name); err == nil {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// Large files are kept only when they are libraries.
func TestLarge(t *testing.T) {
	t.Parallel()
	rest := strings.Repeat("x", maxSmall)
	i, err := OpenImage(archived(t, layer(t, "lib.so: \x7fELF"+rest, "data: "+rest+"y", "small: z")))
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	m := &Machine{Tree: i.ImageTree}
	if text, err := m.ReadFile("/lib.so"); err != nil || len(text) != maxSmall+4 {
		t.Errorf("%d %v", len(text), err)
	}
	if _, err := m.ReadFile("/data"); err == nil || !strings.Contains(err.Error(), "no library") {
		t.Error(err)
	}
}

// Nothing that an image holds makes the tool stumble.
func FuzzOpenImage(f *testing.F) {
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if i, err := OpenImage(file(t, data)); err == nil {
			i.Close()
		}
		if tree, err := newImageTree(); err == nil {
			_ = tree.add(bytes.NewReader(data), 0)
			tree.Close()
		}
	})
}

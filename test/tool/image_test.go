package tool

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// makeImage is the command "image NAME FILE": an archive, as "docker save" makes them, of an image whose files are those of
// that machine.
func makeImage(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 2 {
		ts.Fatalf("usage: image NAME FILE")
	}
	description, err := filepath.Abs(filepath.Join("testdata/machines", args[0]+".txtar"))
	ts.Check(err)
	root := ts.MkAbs("image-" + args[0])
	m, err := build(description, root)
	ts.Check(err)
	environ, err := json.Marshal(append([]string{}, m.env...))
	ts.Check(err)
	var layer, archive bytes.Buffer
	ts.Check(pack(root, &layer))
	w := tar.NewWriter(&archive)
	for _, f := range []struct {
		name string
		data []byte
	}{{"0/layer.tar", layer.Bytes()}, {"config.json", []byte(`{"architecture":"amd64","os":"linux","config":{"Env":` + string(environ) + `}}`)},
		{"manifest.json", []byte(`[{"Config":"config.json","RepoTags":["` + args[0] + `:1"],"Layers":["0/layer.tar"]}]`)}} {
		ts.Check(w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.data)), Mode: 0o644, Typeflag: tar.TypeReg}))
		_, err = w.Write(f.data)
		ts.Check(err)
	}
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), archive.Bytes(), 0o644))
}

// pack writes the files, directories and links of a root as the layer of an image.
func pack(root string, out *bytes.Buffer) error {
	w := tar.NewWriter(out)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		target := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			if target, err = os.Readlink(path); err != nil {
				return err
			}
		}
		header, err := tar.FileInfoHeader(info, target)
		if err != nil {
			return err
		}
		if header.Name, err = filepath.Rel(root, path); err != nil {
			return err
		}
		if err := w.WriteHeader(header); err != nil || !info.Mode().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	if err != nil {
		return err
	}
	return w.Close()
}

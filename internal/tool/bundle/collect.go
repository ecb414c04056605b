package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/document"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/trust"
	"vkloader/internal/decide/wording"
)

// maxText is the maximum length of a file in the bundle.
const maxText = 1 << 20

// files is the bundle's directory for files of the machine.
const files = "files"

// Part returns a part with private text hidden, or with the error as the reason of its absence.
func (p *Private) Part(name, what, text string, err error) Part {
	failed := ""
	if err != nil {
		failed = wording.OneLine(p.Hide(wording.Message(err)))
		text = "vkloader: " + failed + "\n"
	}
	return Part{Name: name, What: what, Text: []byte(p.Hide(text)), Failed: failed}
}

// Files returns the manifests and the settings file that a decision read.
func Files(hide *Private, source *machine.Source, answer *plan.Answer) []Part {
	var parts []Part
	for _, path := range manifestsOf(answer) {
		text, err := textOf(source, path)
		name := files + "/" + nameOf(hide.Hide(filepath.Clean(path)))
		parts = append(parts, hide.Part(name, "a manifest or settings file", text, err))
	}
	return parts
}

// nameOf returns a path as a part's name: without the leading slash, with a drive's letter as a directory, and without
// control characters.
func nameOf(file string) string {
	if machine.Style == pathname.Backslash {
		file = strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "//?/")
		if letter, rest, is := strings.Cut(file, ":"); is && len(letter) == 1 {
			file = strings.ToLower(letter) + rest
		}
		file = strings.ReplaceAll(file, ":", "_")
	}
	return path.Clean("/" + wording.OneLine(file))[1:]
}

// Names sorts parts by name and makes equal names distinct.
func Names(parts []Part) []Part {
	for i := range parts {
		name := parts[i].Name
		for n := 2; slices.ContainsFunc(parts[:i], func(p Part) bool { return p.Name == parts[i].Name }); n++ {
			parts[i].Name = fmt.Sprintf("%s.%d", name, n)
		}
	}
	slices.SortStableFunc(parts, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	return parts
}

func manifestsOf(answer *plan.Answer) []string {
	var paths []string
	add := func(path string) {
		if path != "" && search.IsManifestName(path) {
			paths = append(paths, path)
		}
	}
	for _, f := range answer.Diagnostics {
		add(f.Path)
	}
	for _, l := range answer.Layers {
		add(l.Manifest)
	}
	for _, d := range answer.Drivers {
		add(d.Path)
	}
	if answer.Settings != nil {
		add(answer.Settings.File)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// errKind is the error of a file outside the bundle because it is neither a manifest nor a settings file.
var errKind = errors.New("neither a manifest nor a settings file: not packed")

// members are the member names that identify a manifest or a settings file.
var members = []string{"ICD", "layer", "layers", "settings", "settings_array"}

// resembles reports whether a file with broken JSON is meant as a manifest or a settings file: it has the name of a
// member, and no link leads to it, so that a link packs no other file.
func resembles(source *machine.Source, path string, text []byte) bool {
	info, err := source.Lstat(path)
	return err == nil && info.Mode().IsRegular() && slices.ContainsFunc(append(members, "file_format_version"),
		func(name string) bool {
			return bytes.Contains(text, []byte(`"`+name+`"`))
		})
}

// textOf returns the text of a manifest or settings file, and an error for any other file. If the tool is elevated, it
// also returns an error for a file that another user can replace or redirect by a link.
func textOf(source *machine.Source, path string) (string, error) {
	if err := trust.In(source.Root, path); err != nil {
		return "", trust.Refused("packed", err)
	}
	info, err := source.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w: no file", path, fs.ErrInvalid)
	}
	var text []byte
	if err == nil {
		text, err = source.ReadFile(path)
	}
	if err != nil {
		return "", err
	}
	parsed, fault := document.Parse(string(text))
	if fault != nil && resembles(source, path, text) {
		return string(text[:min(len(text), maxText)]), nil
	}
	if fault != nil || !slices.ContainsFunc(members,
		func(name string) bool { return parsed.Top().Member(name).Exists() }) {
		return "", fmt.Errorf("%s: %w", path, errKind)
	}
	return string(text[:min(len(text), maxText)]), nil
}

// Directory is the top directory of every archive.
const Directory = "vkloader-bundle"

// Write writes parts as a compressed archive, sorted by name, with one owner, mode and time for all. It returns an
// error for duplicate names and for names outside of the directory.
func Write(w io.Writer, parts []Part) error {
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	zip, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(zip)
	for i, part := range parts {
		name := path.Clean("/" + part.Name)[1:]
		if name != part.Name || name == "" || i > 0 && parts[i-1].Name == name {
			return fmt.Errorf("%q is no name for a part", part.Name)
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: Directory + "/" + part.Name, Mode: 0o644,
			Size: int64(len(part.Text)), ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
		if _, err := archive.Write(part.Text); err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return zip.Close()
}

// Without returns the parts without the named ones. An unknown name is an error, because a part meant to be removed
// would stay.
func Without(parts []Part, names []string) ([]Part, error) {
	left := slices.Clone(parts)
	for _, name := range names {
		before := len(left)
		if left = slices.DeleteFunc(left, func(p Part) bool { return p.Name == name }); len(left) == before {
			return nil, fmt.Errorf("a bundle has no part %q", name)
		}
	}
	return left, nil
}

// Part is a file of a bundle.
type Part struct {
	Name string // below Directory, with slashes
	What string // a description in one line
	Text []byte // not a string, which JSON between two processes would change if it is not UTF-8

	Failed string // the reason if the part could not be made
}

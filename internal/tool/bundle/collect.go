package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/core/document"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/trust"
)

// maxText is how much of a file goes in.
const maxText = 1 << 20

// files is the directory of a bundle for what lies on the machine.
const files = "files"

// Part is a part with what is private hidden, or with the reason why it could not be made.
func (p *Private) Part(name, what, text string, err error) Part {
	failed := ""
	if err != nil {
		failed = p.Hide(err.Error())
		text = "vkloader: " + failed + "\n"
	}
	return Part{Name: name, What: what, Text: p.Hide(text), Failed: failed}
}

// Files are the manifests and the settings file that a decision looked at.
func Files(hide *Private, source *machine.Source, answer *plan.Answer) []Part {
	var parts []Part
	for _, path := range manifestsOf(answer) {
		text, err := textOf(source, path)
		name := files + "/" + nameOf(hide.Hide(filepath.Clean(path)))
		parts = append(parts, hide.Part(name, "a manifest or settings file", text, err))
	}
	return parts
}

// nameOf is a path as the name of a part: what stands for the top is left out, and a drive is a directory of its letter.
func nameOf(file string) string {
	if machine.Style == pathname.Backslash {
		file = strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "//?/")
		if letter, rest, is := strings.Cut(file, ":"); is && len(letter) == 1 {
			file = strings.ToLower(letter) + rest
		}
		file = strings.ReplaceAll(file, ":", "_")
	}
	return path.Clean("/" + file)[1:]
}

// Names sorts parts by name, and tells those apart that have one name now.
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

// manifestsOf are the files that the decision looked at.
func manifestsOf(answer *plan.Answer) []string {
	var paths []string
	add := func(path string) {
		if path != "" && search.IsManifestName(path) {
			paths = append(paths, path)
		}
	}
	for _, f := range answer.Findings {
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

// errKind is the error of a file that a bundle does not contain because it may be anything.
var errKind = errors.New("neither a manifest nor a settings file: not packed")

// members are the names of which a manifest or a settings file has one.
var members = []string{"ICD", "layer", "layers", "settings", "settings_array"}

// textOf returns the text of a manifest or settings file. Any other file stays out of a bundle. So does a file that another user
// can exchange or lead elsewhere by a link, where the tool has raised rights.
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
	if fault != nil || !slices.ContainsFunc(members, func(name string) bool { return parsed.Top().Member(name).Exists() }) {
		return "", fmt.Errorf("%s: %w", path, errKind)
	}
	return string(text[:min(len(text), maxText)]), nil
}

package component

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"vkloader/internal/decide/wording"
)

// layout is the content of a component manifest: the runner, and the directories that it exposes (PRO-017).
type layout struct {
	runner, contents, metadata string
}

// defaults is the layout of a package without a component manifest.
var defaults = layout{"icd_runner", ".", "meta/metadata"}

// parseLayout reads a component manifest: a .cml file, or JSON with an object "expose" (PRO-017).
func parseLayout(text []byte) (*layout, error) {
	var read struct {
		Program *struct {
			Runner *string `json:"runner"`
		} `json:"program"`
		Capabilities json.RawMessage `json:"capabilities"`
		Expose       json.RawMessage `json:"expose"`
	}
	text, err := strict(text)
	if err == nil {
		err = wording.Malformed(text, json.Unmarshal(text, &read))
	}
	switch {
	case err != nil:
		return nil, err
	case read.Program == nil || read.Program.Runner == nil:
		return nil, errors.New("it names no runner")
	}
	exposed := map[string]exposure{}
	if len(read.Expose) > 0 && read.Expose[0] == '[' {
		exposed, err = exposures(read.Capabilities, read.Expose)
	} else if len(read.Expose) > 0 {
		exposed, err = exposedObject(read.Expose)
	}
	if err != nil {
		return nil, err
	}
	l := defaults
	l.runner = *read.Program.Runner
	for name, place := range map[string]*string{"contents": &l.contents, "metadata": &l.metadata} {
		e, there := exposed[name]
		if !there {
			return nil, fmt.Errorf("it does not expose %s", name)
		}
		if e.Path == "" || path.IsAbs(e.Path) {
			return nil, fmt.Errorf("%s has no relative path", name)
		}
		want := map[string]string{"contents": "rx*", "metadata": "r*"}[name]
		if got := strings.Join(e.Rights, ""); got != "" && got != want {
			return nil, fmt.Errorf("the rights of %s are %q, not %q", name, got, want)
		}
		*place = path.Clean(e.Path)
	}
	return &l, nil
}

// exposedObject reads "expose" if it is an object.
func exposedObject(text json.RawMessage) (map[string]exposure, error) {
	var read map[string]struct {
		Path   string `json:"path"`
		Rights string `json:"rights"`
	}
	if err := wording.Malformed(text, json.Unmarshal(text, &read)); err != nil {
		return nil, err
	}
	out := map[string]exposure{}
	for name, e := range read {
		out[name] = exposure{e.Path, []string{e.Rights}}
	}
	return out, nil
}

// metadata is the content of metadata.json: the paths of the library and of the driver manifest, below contents.
type metadata struct {
	version                uint32
	filePath, manifestPath string
	doubled                []string
}

// parseMetadata judges metadata.json (FLS-069, PRO-022).
func parseMetadata(text []byte) (*metadata, error) {
	o, err := parseObject(text)
	if err != nil {
		return nil, err
	}
	m := &metadata{version: 1, doubled: o.doubled}
	version, err := o.value("version")
	if err != nil {
		return nil, err
	}
	number, failed := strconv.ParseFloat(string(version), 64)
	if failed != nil || version[0] != '-' && (version[0] < '0' || version[0] > '9') || number != 1 {
		return nil, fmt.Errorf("\"version\" is %.32s, not 1", version)
	}
	if m.filePath, err = o.text("file_path"); err != nil {
		return nil, err
	}
	m.manifestPath, err = o.text("manifest_path")
	return m, err
}

// maxPublished is the longest name of a published library; clients cannot ask for a longer one (FLS-026).
const maxPublished = 64

// rewrite checks a driver manifest (FLS-071), and changes its library to the published name (FLS-072).
func rewrite(text []byte, number int) (name, manifest string, doubled []string, err error) {
	o, err := parseObject(text)
	if err != nil {
		return "", "", nil, err
	}
	if _, err := o.text("file_format_version"); err != nil {
		return "", "", nil, err
	}
	icd, err := o.object("ICD")
	if err != nil {
		return "", "", nil, err
	}
	library, err := icd.text("library_path")
	if err != nil {
		return "", "", nil, err
	}
	if _, err := icd.text("api_version"); err != nil {
		return "", "", nil, err
	}
	name = fmt.Sprintf("%d-%s", number, library)
	switch {
	case strings.ContainsAny(library, "/\x00"):
		return "", "", nil, fmt.Errorf("\"library_path\" is %q, which is no plain file name", library)
	case len(name) > maxPublished:
		return "", "", nil, fmt.Errorf("\"library_path\" is too long: %q has more than %d bytes", name, maxPublished)
	}
	if err := errors.Join(icd.set("library_path", name), o.set("ICD", icd)); err != nil {
		return "", "", nil, err
	}
	compact, err := encode(o)
	if err != nil {
		return "", "", nil, err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, compact, "", "    "); err != nil {
		return "", "", nil, err
	}
	pretty.WriteByte('\n')
	return name, pretty.String(), append(o.doubled, icd.doubled...), nil
}

package component

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// layout is what a component manifest says: who runs it, and which directories it exposes (PRO-017).
type layout struct {
	runner, contents, metadata string
}

// defaults are those of a package without a component manifest.
var defaults = layout{"icd_runner", ".", "meta/metadata"}

// parseLayout reads a component manifest; what it leaves out is as in the default one.
func parseLayout(text []byte) (*layout, error) {
	var read struct {
		Program *struct {
			Runner *string `json:"runner"`
		} `json:"program"`
		Expose map[string]struct {
			Path   string `json:"path"`
			Rights string `json:"rights"`
		} `json:"expose"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("component manifest: %w", err)
	}
	l := defaults
	if read.Program == nil || read.Program.Runner == nil {
		return nil, errors.New("component manifest: it names no runner")
	}
	l.runner = *read.Program.Runner
	for name, place := range map[string]*string{"contents": &l.contents, "metadata": &l.metadata} {
		exposed, there := read.Expose[name]
		if !there {
			return nil, fmt.Errorf("component manifest: it does not expose %s", name)
		}
		if exposed.Path == "" || path.IsAbs(exposed.Path) {
			return nil, fmt.Errorf("component manifest: %s has no relative path", name)
		}
		if want := map[string]string{"contents": "rx*", "metadata": "r*"}[name]; exposed.Rights != "" && exposed.Rights != want {
			return nil, fmt.Errorf("component manifest: the rights of %s are %q, not %q", name, exposed.Rights, want)
		}
		*place = exposed.Path
	}
	return &l, nil
}

// metadata is what metadata.json says: where the library and the driver manifest are, below contents.
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

// maxPublished is how long the name of a published library may be: longer ones cannot be asked for (FLS-026).
const maxPublished = 64

// rewrite judges a driver manifest (FLS-071) and gives its library the name under which it is published (FLS-072).
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

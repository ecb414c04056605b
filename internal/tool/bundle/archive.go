package bundle

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
)

// Directory is what everything of a bundle lies in.
const Directory = "vkloader-bundle"

// Write writes parts as a compressed archive: sorted by name, with the same owner, mode and time for all. Two parts of one
// name, and names that lead out of the directory, are errors.
func Write(w io.Writer, parts []Part) error {
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	zip, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(zip)
	for i, part := range parts {
		if name := path.Clean("/" + part.Name)[1:]; name != part.Name || name == "" || i > 0 && parts[i-1].Name == name {
			return fmt.Errorf("%q is no name for a part", part.Name)
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: Directory + "/" + part.Name, Mode: 0o644, Size: int64(len(part.Text)),
			ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
		if _, err := io.WriteString(archive, part.Text); err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return zip.Close()
}

// Without leaves out parts by their names. A name that no part has is an error: what should not go in might.
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

// Part is one file of a bundle.
type Part struct {
	Name string // below the bundle's directory, with slashes
	What string // it is, in a line
	Text string

	Failed string // why it could not be made; "": it could
}

// Sent is a part on its way between processes. Texts are bytes, so that nothing of them changes.
type Sent struct{ Name, What, Text, Failed []byte }

// Send are parts on their way.
func Send(parts []Part) []Sent {
	list := []Sent{}
	for _, p := range parts {
		list = append(list, Sent{[]byte(p.Name), []byte(p.What), []byte(p.Text), []byte(p.Failed)})
	}
	return list
}

// Received are parts that have come.
func Received(list []Sent) (parts []Part) {
	for _, p := range list {
		parts = append(parts, Part{string(p.Name), string(p.What), string(p.Text), string(p.Failed)})
	}
	return parts
}

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

// Directory is the top directory of every archive.
const Directory = "vkloader-bundle"

// Write writes parts as a compressed archive, sorted by name, with one owner, mode and time for all. It returns an error for
// duplicate names and for names outside of the directory.
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

// Without returns the parts without the named ones. An unknown name is an error, because a part meant to be removed would
// stay.
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
	Text string

	Failed string // the reason if the part could not be made
}

// Sent is the JSON form of a part between two processes. Its texts are bytes, because JSON changes text that is not UTF-8.
type Sent struct{ Name, What, Text, Failed []byte }

// Send converts parts for another process.
func Send(parts []Part) []Sent {
	list := []Sent{}
	for _, p := range parts {
		list = append(list, Sent{[]byte(p.Name), []byte(p.What), []byte(p.Text), []byte(p.Failed)})
	}
	return list
}

// Received converts parts from another process.
func Received(list []Sent) (parts []Part) {
	for _, p := range list {
		parts = append(parts, Part{string(p.Name), string(p.What), string(p.Text), string(p.Failed)})
	}
	return parts
}

package machine

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"strings"
)

// maxText is how long a manifest, an index or a configuration may be.
const maxText = 16 << 20

// Image is an image that was read.
type Image struct {
	*ImageTree
	Name         string // its first tag; "" without one
	Architecture string
	System       string
	Layers       int
	Environ      []string // of its programs
}

// IsImage tells whether a path is what Open takes: an ordinary file, or a directory with an OCI layout.
func IsImage(name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	if info.IsDir() {
		_, err := os.Stat(name + "/oci-layout")
		return err == nil
	}
	return info.Mode().IsRegular()
}

// parcel is where the parts of an image lie, by their names in it.
type parcel interface {
	open(name string) (io.ReadCloser, error)
}

// inDirectory is an OCI layout; os.Root keeps links inside.
type inDirectory struct{ root *os.Root }

func (d inDirectory) open(name string) (io.ReadCloser, error) {
	info, err := d.root.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		return nil, err
	}
	return d.root.Open(name)
}

// inArchive is an archive without compression: parts are read where they are.
type inArchive struct {
	file  *os.File
	parts map[string]section
}

type section struct{ offset, size int64 }

func (a inArchive) open(name string) (io.ReadCloser, error) {
	s, found := a.parts[path.Clean(name)]
	if !found {
		return nil, fmt.Errorf("the archive has no %s", name)
	}
	return io.NopCloser(io.NewSectionReader(a.file, s.offset, s.size)), nil
}

// OpenImage reads an image: its manifest, configuration and layers. Of several images the first for this machine's processor
// is read.
func OpenImage(name string) (*Image, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return readImage(inDirectory{root})
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no archive", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	archive := inArchive{f, map[string]section{}}
	if err := archive.index(); err != nil {
		return nil, err
	}
	return readImage(archive)
}

// index notes where the parts of an archive begin.
func (a inArchive) index() error {
	var magic [2]byte
	if _, err := a.file.ReadAt(magic[:], 0); err == nil && magic == [2]byte{0x1f, 0x8b} {
		return errors.New("the archive as a whole is compressed: run gunzip first")
	}
	list := tar.NewReader(a.file)
	linked := map[string]string{}
	for n := 0; ; n++ {
		header, err := list.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("neither a directory nor an archive of an image: %w", damaged(err))
		}
		if n > maxEntries {
			return fmt.Errorf("more than %d parts", maxEntries)
		}
		at, err := a.file.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		name := path.Clean(header.Name)
		switch header.Typeflag {
		case tar.TypeReg:
			a.parts[name] = section{at, header.Size}
		case tar.TypeSymlink: // older versions of "docker save" write a layer once
			linked[name] = path.Join(path.Dir(name), header.Linkname)
		case tar.TypeLink:
			linked[name] = path.Clean(header.Linkname)
		}
	}
	for name, target := range linked {
		if s, found := a.parts[target]; found {
			a.parts[name] = s
		}
	}
	return nil
}

// text reads a part that is JSON.
func text(from parcel, name string, into any) error {
	f, err := from.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err == nil && len(data) > maxText {
		err = fmt.Errorf("longer than %d bytes", maxText)
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// descriptor names a part by its digest.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Annotations map[string]string `json:"annotations"`
	Platform    struct {
		Architecture string `json:"architecture"`
	} `json:"platform"`
}

// place is where a part lies in a layout.
func (d descriptor) place() (string, error) {
	sum, is := strings.CutPrefix(d.Digest, "sha256:")
	if raw, err := hex.DecodeString(sum); !is || err != nil || len(raw) != sha256.Size {
		return "", fmt.Errorf("the digest %q is not known here", d.Digest)
	}
	return "blobs/sha256/" + sum, nil
}

// pieces are what an image consists of.
type pieces struct {
	name, config string
	layers       []string
}

// readImage reads the image in a parcel.
func readImage(from parcel) (*Image, error) {
	p, err := saved(from)
	if err != nil {
		var wrong error
		if p, wrong = layout(from); wrong != nil {
			return nil, fmt.Errorf("neither an OCI layout nor an archive of \"docker save\": %w", errors.Join(wrong, err))
		}
	}
	var config struct {
		Architecture string `json:"architecture"`
		System       string `json:"os"`
		Config       struct {
			Env []string `json:"Env"`
		} `json:"config"`
	}
	if err := text(from, p.config, &config); err != nil {
		return nil, err
	}
	tree, err := newImageTree()
	if err != nil {
		return nil, err
	}
	for i, layer := range p.layers {
		if err := add(from, tree, layer, i); err != nil {
			return nil, errors.Join(fmt.Errorf("layer %d, %s: %w", i+1, layer, err), tree.Close())
		}
	}
	return &Image{tree, p.name, config.Architecture, config.System, len(p.layers), config.Config.Env}, nil
}

// saved reads the manifest of "docker save".
func saved(from parcel) (*pieces, error) {
	var list []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := text(from, "manifest.json", &list); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("manifest.json: no image")
	}
	p := &pieces{config: list[0].Config, layers: list[0].Layers}
	if len(list[0].RepoTags) > 0 {
		p.name = list[0].RepoTags[0]
	}
	return p, nil
}

// maxIndexes is how often an index may name another.
const maxIndexes = 8

// layout reads the index of an OCI layout.
func layout(from parcel) (*pieces, error) {
	name, place := "", "index.json"
	for range maxIndexes {
		var index struct {
			Manifests []descriptor `json:"manifests"`
			Config    descriptor   `json:"config"`
			Layers    []descriptor `json:"layers"`
		}
		if err := text(from, place, &index); err != nil {
			return nil, err
		}
		if len(index.Manifests) == 0 {
			p := &pieces{name: name}
			var err error
			if p.config, err = index.Config.place(); err != nil {
				return nil, fmt.Errorf("%s: %w", place, err)
			}
			for _, l := range index.Layers {
				at, err := l.place()
				if err != nil {
					return nil, err
				}
				p.layers = append(p.layers, at)
			}
			return p, nil
		}
		chosen := index.Manifests[0]
		for _, m := range index.Manifests {
			if m.Platform.Architecture == runtime.GOARCH {
				chosen = m
				break
			}
		}
		if tag := chosen.Annotations["org.opencontainers.image.ref.name"]; tag != "" {
			name = tag
		}
		next, err := chosen.place()
		if err != nil {
			return nil, err
		}
		place = next
	}
	return nil, errors.New("its indexes name each other without end")
}

// add lays a layer on the tree; how it is compressed is seen by its first bytes.
func add(from parcel, tree *ImageTree, layer string, number int) error {
	f, err := from.open(layer)
	if err != nil {
		return err
	}
	defer f.Close()
	data := bufio.NewReaderSize(f, 1<<18)
	magic, _ := data.Peek(4)
	switch {
	case strings.HasPrefix(string(magic), "\x1f\x8b"):
		unzipped, err := gzip.NewReader(data)
		if err != nil {
			return damaged(err)
		}
		return tree.add(unzipped, number)
	case string(magic) == "\x28\xb5\x2f\xfd":
		return errors.New("it is compressed with zstd, which this tool does not read: save the image with gzip")
	case len(magic) == 0:
		return errors.New("it is empty")
	}
	return tree.add(data, number)
}

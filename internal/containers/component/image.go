package component

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/roots"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/wording"
)

// Limits of an image. A driver package stays far below them.
const (
	maxImage   = 8 << 30
	maxEntries = 1 << 18
)

// part names a part of an image by its digest.
type part struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Annotations map[string]string `json:"annotations"`
}

// imageDirectory returns the directory with an image's files, which it unpacks the first time (PRO-024).
func (r *Resolver) imageDirectory(u *URL) (string, error) {
	layout, err := os.OpenFile(u.name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer layout.Close()
	index, err := text(layout, "index.json")
	if err != nil {
		return "", err
	}
	var list struct {
		Manifests []part `json:"manifests"`
	}
	if err := wording.Malformed(index, json.Unmarshal(index, &list)); err != nil {
		return "", protocol.Refuse(protocol.ErrInvalidArguments, fmt.Errorf("index.json: %w", err))
	}
	for _, d := range list.Manifests {
		if d.Annotations["org.opencontainers.image.ref.name"] == u.tag {
			return r.unpackImage(layout, d)
		}
	}
	return "", protocol.Refuse(protocol.ErrNotFound, fmt.Errorf("the image has no tag %q", u.tag))
}

func (r *Resolver) unpackImage(layout *os.File, d part) (string, error) {
	text, err := blob(layout, d, maxText)
	if err != nil {
		return "", err
	}
	var manifest struct {
		Layers []part `json:"layers"`
	}
	if err := wording.Malformed(text, json.Unmarshal(text, &manifest)); err != nil {
		return "", protocol.Refuse(protocol.ErrInvalidArguments, fmt.Errorf("image manifest: %w", err))
	}
	if r.Cache == "" {
		return "", errors.New("there is no directory for unpacked images")
	}
	if err := r.ownCache(); err != nil {
		return "", err
	}
	target := filepath.Join(r.Cache, strings.Replace(d.Digest, ":", "-", 1))
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return target, nil
	}
	building, err := os.MkdirTemp(r.Cache, "unpacking-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(building)
	root, err := os.OpenRoot(building)
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, layer := range manifest.Layers {
		if err := unpackLayer(layout, layer, root); err != nil {
			return "", fmt.Errorf("layer %s: %w", layer.Digest, err)
		}
	}
	if err := os.Chmod(building, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(building, target); err != nil && !errors.Is(err, fs.ErrExist) &&
		!errors.Is(err, unix.ENOTEMPTY) {
		return "", err
	}
	return target, nil
}

// ownCache creates the cache if needed and returns an error if another user can change it.
func (r *Resolver) ownCache() error {
	cache, err := machine.OwnDirectory(r.Cache)
	if err != nil {
		return err
	}
	return cache.Close()
}

// openBlob opens a part of an image and checks its digest.
func openBlob(layout *os.File, d part) (*os.File, error) {
	sum, found := strings.CutPrefix(d.Digest, "sha256:")
	if want, err := hex.DecodeString(sum); !found || err != nil || len(want) != sha256.Size {
		return nil, protocol.Refuse(protocol.ErrUnsupported, fmt.Errorf("digest %q", d.Digest))
	}
	f, size, err := regular(layout, "blobs/sha256/"+sum)
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	if size == d.Size && size <= maxImage {
		_, err = io.Copy(hash, f)
	}
	if err == nil && hex.EncodeToString(hash.Sum(nil)) != sum {
		err = fmt.Errorf("%s is not what its digest says", d.Digest)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func blob(layout *os.File, d part, most int64) ([]byte, error) {
	if d.Size > most {
		return nil, fmt.Errorf("%s has more than %d bytes", d.Digest, most)
	}
	f, err := openBlob(layout, d)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

func unpackLayer(layout *os.File, d part, root *os.Root) error {
	f, err := openBlob(layout, d)
	if err != nil {
		return err
	}
	defer f.Close()
	var from io.Reader = f
	switch {
	case strings.HasSuffix(d.MediaType, "tar+gzip"):
		unzipped, err := gzip.NewReader(f)
		if err != nil {
			return err
		}
		from = unzipped
	case !strings.HasSuffix(d.MediaType, "tar"):
		return protocol.Refuse(protocol.ErrUnsupported, fmt.Errorf("media type %q", d.MediaType))
	}
	archive := tar.NewReader(io.LimitReader(from, maxImage))
	for range maxEntries {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := unpackEntry(root, header, archive); err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
	}
	return fmt.Errorf("more than %d entries", maxEntries)
}

// unpackEntry unpacks one entry below root and never writes outside it. It skips devices, sockets and FIFOs.
func unpackEntry(root *os.Root, header *tar.Header, data io.Reader) error {
	name := path.Clean(strings.TrimLeft(header.Name, "/"))
	if name == "." {
		return nil
	}
	parent, base := path.Split(name)
	if removed, whiteout := strings.CutPrefix(base, ".wh."); whiteout {
		if removed == ".wh..opq" {
			return clear(root, strings.TrimSuffix(parent, "/"))
		}
		return roots.RemoveAll(root, path.Join(parent, removed))
	}
	if parent != "" {
		if err := roots.MkdirAll(root, strings.TrimSuffix(parent, "/"), 0o755); err != nil {
			return err
		}
	}
	if header.Typeflag == tar.TypeDir {
		err := root.Mkdir(name, 0o755)
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
		return err
	}
	if header.Typeflag != tar.TypeReg && header.Typeflag != tar.TypeSymlink && header.Typeflag != tar.TypeLink {
		return nil
	}
	if err := roots.RemoveAll(root, name); err != nil { // an earlier layer's
		return err
	}
	switch header.Typeflag {
	case tar.TypeSymlink:
		return roots.Symlink(root, header.Linkname, name)
	case tar.TypeLink:
		return roots.Link(root, path.Clean(strings.TrimLeft(header.Linkname, "/")), name)
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644|fs.FileMode(header.Mode)&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, data)
	return errors.Join(err, f.Close())
}

// clear empties a directory of earlier layers.
func clear(root *os.Root, name string) error {
	if name == "" {
		name = "."
	}
	entries, err := fs.ReadDir(root.FS(), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		err = errors.Join(err, roots.RemoveAll(root, path.Join(name, e.Name())))
	}
	return err
}

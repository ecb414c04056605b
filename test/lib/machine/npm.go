package machine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"vkloader/test/lib/world"
)

// Archive is a release of a package of npm, with this sum (SHA-512): from the build directory, or fetched by npm as npm is set up on
// this machine, and then kept there. missing says why there is none; an archive with other content ends the tests.
func Archive(name, release, sum string) (archive []byte, missing string) {
	file := name + "-" + release + ".tgz"
	kept := filepath.Join(world.Top(), "build/test", file)
	archive, err := os.ReadFile(kept)
	if err == nil && sumOf(archive) == sum {
		return archive, ""
	}
	directory, err := os.MkdirTemp("", "vkloader-npm-")
	if err != nil {
		return nil, err.Error()
	}
	defer os.RemoveAll(directory)
	npm := exec.Command("npm", "pack", "--silent", "--fetch-retries=1", "--fetch-timeout=60000", "--ignore-scripts", name+"@"+release)
	npm.Dir = directory
	if out, err := npm.CombinedOutput(); err != nil {
		return nil, fmt.Sprintf("npm could not fetch %s %s (%v): %s", name, release, err, strings.TrimSpace(string(out)))
	}
	if archive, err = os.ReadFile(filepath.Join(directory, file)); err != nil {
		return nil, err.Error()
	}
	if is := sumOf(archive); is != sum {
		panic(name + " " + release + " has the sum " + is)
	}
	keep(kept, archive)
	return archive, ""
}

func sumOf(data []byte) string {
	sum := sha512.Sum512(data)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// keep writes an archive into the build directory. Another test may do so at the same time: the file gets its name when it is whole.
// Not kept is not failed: the build directory may be another user's.
func keep(path string, archive []byte) {
	if os.MkdirAll(filepath.Dir(path), 0o755) != nil {
		return
	}
	file, err := os.CreateTemp(filepath.Dir(path), "npm-")
	if err != nil {
		return
	}
	_, wrong := file.Write(archive)
	if file.Close() != nil || wrong != nil || os.Rename(file.Name(), path) != nil {
		os.Remove(file.Name())
	}
}

// Unpacked is a file of an archive of npm.
func Unpacked(archive []byte, name string) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(zip); ; {
		header, err := files.Next()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if header.Name == name {
			return io.ReadAll(files)
		}
	}
}

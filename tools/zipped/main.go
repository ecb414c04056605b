package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: zipped ARCHIVE DIRECTORY SECONDS")
		os.Exit(2)
	}
	sum, err := write(os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintf(os.Stderr, "zipped: %v\n", err)
		os.Exit(1)
	}
	fmt.Println(sum)
}

// write writes the archive. seconds is the time of all files, since 1970. The directory's own name is the first part of
// each name. A file that its owner may execute is executable for everybody in the archive; other permissions are
// ignored.
func write(archive, directory, seconds string) (sum string, err error) {
	since, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return "", err
	}
	var all bytes.Buffer
	zipped := zip.NewWriter(&all)
	zipped.RegisterCompressor(zip.Deflate,
		func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	err = filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error { // in the order of names
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(filepath.Dir(directory), path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Deflate,
			Modified: time.Unix(since, 0).UTC()}
		header.SetMode(0o644 | info.Mode()&0o100/0o100*0o111)
		w, err := zipped.CreateHeader(header)
		if err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
	if err == nil {
		err = zipped.Close()
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(all.Bytes())), os.WriteFile(archive, all.Bytes(), 0o644)
}

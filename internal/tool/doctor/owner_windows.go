package doctor

import (
	"io/fs"
	"os"
)

// accessible tells whether who runs the tool may read and write a file.
func accessible(file string) bool {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err == nil {
		f.Close()
	}
	return err == nil
}

// ownersOf gives nothing: files of Windows belong to nobody by numbers.
func ownersOf(fs.FileInfo) (user, group uint32, ok bool) { return 0, 0, false }

package doctor

import "os"

// accessible reports whether the current user may read and write a file.
func accessible(file string) bool {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err == nil {
		f.Close()
	}
	return err == nil
}

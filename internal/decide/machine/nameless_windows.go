package machine

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/windows"
)

// nameless makes a temporary file that ends with its handle.
func nameless() (*os.File, error) {
	for try := 0; ; try++ {
		name := filepath.Join(os.TempDir(), "vkloader-"+strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(try))
		at, err := windows.UTF16PtrFromString(name)
		if err != nil {
			return nil, err
		}
		handle, err := windows.CreateFile(at, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.CREATE_NEW,
			windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
		if err == windows.ERROR_FILE_EXISTS && try < 1<<16 {
			continue
		}
		if err != nil {
			return nil, &os.PathError{Op: "create", Path: name, Err: err}
		}
		return os.NewFile(uintptr(handle), name), nil
	}
}

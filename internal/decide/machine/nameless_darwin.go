package machine

import "os"

// nameless makes a temporary file that ends with its descriptor.
func nameless() (*os.File, error) {
	f, err := os.CreateTemp("", "vkloader-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

package tree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/binary"
)

// Lay creates files below a directory: the content "-> TARGET" makes a link, a name that ends in "/" a directory.
func Lay(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		place := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(place), 0o755)
		if target, link := strings.CutPrefix(text, "-> "); link {
			err = errors.Join(err, os.Symlink(target, place))
		} else if strings.HasSuffix(name, "/") {
			err = errors.Join(err, os.MkdirAll(place, 0o755))
		} else {
			err = errors.Join(err, os.WriteFile(place, []byte(text), 0o755))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Libraries is Lay for files that are libraries, in the words of test/lib/binary. "text TEXT" and "= TEXT" are other files, and
// so is what begins with "text" and another character, as it is.
func Libraries(t testing.TB, root string, files map[string]string) {
	t.Helper()
	plain := map[string]string{}
	for name, words := range files {
		text, is := strings.CutPrefix(words, "text ")
		if !is {
			text, is = strings.CutPrefix(words, "= ")
		}
		whole := strings.HasPrefix(words, "text") && !strings.HasPrefix(words, "texts=")
		if !is && !whole && !strings.HasPrefix(words, "-> ") {
			library, err := binary.Parse(strings.Fields(words))
			if err != nil {
				t.Fatal(err)
			}
			text = string(library.Bytes())
		}
		plain[name] = text
	}
	Lay(t, root, plain)
}

package pathname

// Style is how a system writes paths.
type Style uint8

// Styles. Windows takes both separators, and begins absolute paths with a separator or a drive letter.
const (
	Slash Style = iota
	Backslash
)

// separates tells whether a character ends a component.
func (s Style) separates(c byte) bool { return c == '/' || c == '\\' && s == Backslash }

// Separator is what a path is put together with.
func (s Style) Separator() byte {
	if s == Backslash {
		return '\\'
	}
	return '/'
}

// ListSeparator is what stands between the paths of a variable (WIN-013).
func (s Style) ListSeparator() byte {
	if s == Backslash {
		return ';'
	}
	return ':'
}

// Directory is the part up to and including the last separator, "" without one.
func (s Style) Directory(path string) string {
	i := len(path)
	for i > 0 && !s.separates(path[i-1]) {
		i--
	}
	return path[:i]
}

// Base is the part after the last separator.
func (s Style) Base(path string) string { return path[len(s.Directory(path)):] }

// absolute tells whether a path says itself where it begins; it is not empty.
func (s Style) absolute(path string) bool {
	return s.separates(path[0]) || s == Backslash && len(path) > 1 && path[1] == ':'
}

// Full tells whether a path says all of where it leads, by a drive on Windows; what follows the root is not empty.
func (s Style) Full(path string) bool {
	if s == Slash {
		return len(path) > 1 && path[0] == '/'
	}
	return len(path) > 3 && (path[0]|0x20 >= 'a' && path[0]|0x20 <= 'z') && path[1] == ':' && s.separates(path[2])
}

// Resolve gives the path of what a file names: relative to the file's directory when the name has a separator and does
// not say itself where it begins; separated tells whether it has one (PATH-23, WIN-074, WIN-075).
func (s Style) Resolve(file, name string) (path string, separated bool) {
	separated = s.Directory(name) != ""
	if !separated || s.absolute(name) {
		return name, separated
	}
	return s.Directory(file) + name, true
}

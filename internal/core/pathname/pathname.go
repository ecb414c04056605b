package pathname

// Style is the path syntax of a system.
type Style uint8

// Styles. Backslash accepts both separators, and absolute paths that begin with a separator or a drive letter.
const (
	Slash Style = iota
	Backslash
)

// separates reports whether a character is a separator.
func (s Style) separates(c byte) bool { return c == '/' || c == '\\' && s == Backslash }

// Separator returns the separator for joining paths.
func (s Style) Separator() byte {
	if s == Backslash {
		return '\\'
	}
	return '/'
}

// ListSeparator returns the separator of paths in a variable (WIN-013).
func (s Style) ListSeparator() byte {
	if s == Backslash {
		return ';'
	}
	return ':'
}

// Directory returns the path up to and including the last separator, or "".
func (s Style) Directory(path string) string {
	i := len(path)
	for i > 0 && !s.separates(path[i-1]) {
		i--
	}
	return path[:i]
}

// Base returns the path after the last separator.
func (s Style) Base(path string) string { return path[len(s.Directory(path)):] }

// absolute reports whether a non-empty path is absolute.
func (s Style) absolute(path string) bool {
	return s.separates(path[0]) || s == Backslash && len(path) > 1 && path[1] == ':'
}

// Full reports whether a path is absolute, with a drive letter on Windows, and is more than the root.
func (s Style) Full(path string) bool {
	if s == Slash {
		return len(path) > 1 && path[0] == '/'
	}
	return len(path) > 3 && (path[0]|0x20 >= 'a' && path[0]|0x20 <= 'z') && path[1] == ':' && s.separates(path[2])
}

// Resolve resolves a name found in a file. A relative name with a separator is relative to the file's directory.
// separated reports whether the name has a separator (PATH-23, WIN-074, WIN-075).
func (s Style) Resolve(file, name string) (path string, separated bool) {
	separated = s.Directory(name) != ""
	if !separated || s.absolute(name) {
		return name, separated
	}
	return s.Directory(file) + name, true
}

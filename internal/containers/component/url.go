package component

import (
	"fmt"
	"path"
	"strings"
)

// maxURL is the longest component URL in bytes (PRO-016).
const maxURL = 4096

// Forms of a URL.
const (
	formPackage = "pkg"
	formFile    = "file"
	formOCI     = "oci"
)

// URL is a parsed component URL.
type URL struct {
	form      string
	name      string // of a package: host, name and variant with slashes between; otherwise an absolute path
	tag       string // of an OCI image
	component string // the component manifest, below the package; "": the default one
}

// Absolute returns a URL unchanged if it is absolute. For a relative one it returns the file URL of that directory in
// base.
func Absolute(url, base string) string {
	name, fragment, found := strings.Cut(url, "#")
	if strings.Contains(name, "://") || name == "" || base == "" {
		return url
	}
	url = "file://" + path.Join(base, name)
	if found {
		url += "#" + fragment
	}
	return url
}

// Parse parses an absolute URL:
//
//	pkg://HOST/NAME[/VARIANT][#MANIFEST]
//	file:///DIRECTORY[#MANIFEST]
//	oci:///DIRECTORY:TAG[#MANIFEST]
func Parse(text string) (*URL, error) {
	if len(text) > maxURL || strings.Contains(text, "\x00") {
		return nil, fmt.Errorf("a URL of more than %d bytes, or with a zero byte", maxURL)
	}
	place, fragment, hasFragment := strings.Cut(text, "#")
	form, name, found := strings.Cut(place, "://")
	if !found {
		return nil, fmt.Errorf("%q has no form such as pkg://", text)
	}
	u := &URL{form: form, name: name, component: fragment}
	if hasFragment && (fragment == "" || !local(fragment)) {
		return nil, fmt.Errorf("%q names no file of a package", text)
	}
	switch form {
	case formPackage:
		parts := strings.Split(name, "/")
		if len(parts) < 2 || len(parts) > 3 || !local(name) || path.Clean(name) != name {
			return nil, fmt.Errorf("%q is not pkg://HOST/NAME or pkg://HOST/NAME/VARIANT", text)
		}
	case formOCI:
		at := strings.LastIndexByte(name, ':')
		if at < 0 || strings.Contains(name[at:], "/") || at+1 == len(name) {
			return nil, fmt.Errorf("%q has no tag", text)
		}
		u.name, u.tag = name[:at], name[at+1:]
		fallthrough
	case formFile:
		if !path.IsAbs(u.name) || path.Clean(u.name) != u.name {
			return nil, fmt.Errorf("%q has no absolute path without \".\" and \"..\"", text)
		}
	default:
		return nil, fmt.Errorf("%q has a form that is not known", text)
	}
	return u, nil
}

// local reports whether a relative path stays below its directory.
func local(name string) bool {
	return name != "" && !path.IsAbs(name) && path.Clean(name) != ".." && !strings.HasPrefix(path.Clean(name), "../")
}

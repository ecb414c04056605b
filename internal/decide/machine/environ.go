package machine

import (
	"slices"
	"strings"
)

// WithVariable returns environ with a variable set.
func WithVariable(environ []string, name, value string) []string {
	return append(WithoutVariable(environ, name), name+"="+value)
}

// WithoutVariable returns environ without a variable.
func WithoutVariable(environ []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		key, _, found := cutVariable(pair)
		return found && SameName(key, name)
	})
}

// cutVariable splits NAME=VALUE. A name of Windows may begin with "=", such as =C:.
func cutVariable(pair string) (name, value string, found bool) {
	if pair == "" {
		return "", "", false
	}
	at := strings.IndexByte(pair[1:], '=')
	if at < 0 {
		return pair, "", false
	}
	return pair[:1+at], pair[1+at+1:], true
}

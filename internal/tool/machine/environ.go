package machine

import "strings"

// WithVariable is environ with a variable set.
func WithVariable(environ []string, name, value string) []string {
	return append(WithoutVariable(environ, name), name+"="+value)
}

// WithoutVariable is environ with a variable taken out.
func WithoutVariable(environ []string, name string) []string {
	var result []string
	for _, pair := range environ {
		if key, _, found := cutVariable(pair); !found || !sameVariable(key, name) {
			result = append(result, pair)
		}
	}
	return result
}

// cutVariable takes NAME=VALUE apart. Windows has variables whose names begin with the sign, such as =C:.
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

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
		if !strings.HasPrefix(pair, name+"=") {
			result = append(result, pair)
		}
	}
	return result
}

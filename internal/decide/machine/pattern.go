package machine

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression that is compiled when it is first used, which most runs of the tool never do.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

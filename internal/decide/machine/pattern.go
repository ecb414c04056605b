package machine

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first used: package discover does nothing at import.
type Pattern struct {
	Text string
	once sync.Once
	form *regexp.Regexp
}

// Form returns the compiled expression.
func (p *Pattern) Form() *regexp.Regexp {
	p.once.Do(func() { p.form = regexp.MustCompile(p.Text) })
	return p.form
}

package cli

import (
	"fmt"
	"strconv"
	"time"

	"vkloader/internal/tool/loaderlog"
	"vkloader/internal/tool/term"
)

// printTimes writes the times to standard error: standard output is the program's.
func printTimes(s *invocation, t *loaderlog.Times) {
	us := func(d time.Duration) string { return term.Microseconds(float64(d.Microseconds())) }
	style := term.StyleFor(s.errOut, s.getenv)
	table := term.NewTable("opened", "name", ">times", ">first", ">all")
	var all time.Duration
	for _, o := range t.Opened {
		name := o.Library
		if o.Name != "" {
			name = o.Name + " (" + o.Library + ")"
		}
		table.Row(o.Kind, name, strconv.Itoa(o.Times), us(o.First), us(o.Total))
		all += o.Total
	}
	fmt.Fprintf(s.errOut, "vkloader: the loader's first line came %s after the program was started; opening drivers and layers took %s\n",
		us(t.Loaded), us(all))
	if len(t.Opened) > 0 {
		table.Print(s.errOut, "  ", style)
	}
}

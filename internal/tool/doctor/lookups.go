package doctor

import (
	"context"
	"fmt"
	"time"

	"vkloader/internal/tool/probe"
)

// slowLookup is how long finding a command by its name may take without a finding. A loader with a table takes 30 ns, one that
// compares the name with the names of all commands 100 ns and more.
const slowLookup = 80 * time.Nanosecond

// slowTimes is how many times as long as with the tool's loader it must take.
const slowTimes = 3

// lookups is that finding commands by their names takes long with a loader: each is the time of the program's loader, own that of
// the tool's; 0: not tried.
func lookups(loader string, each, own time.Duration) fact {
	text := said("%s takes %s to find 1000 commands by their names", loader, millis(each*1000))
	if own > 0 {
		text += sentence("; the loader of this tool takes " + millis(own*1000))
	}
	return text
}

func millis(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }

// lookups says when the program's loader is slow at this. Where there is time for it, the tool's own loader is measured with the
// same driver.
func (t *trying) lookups(ctx context.Context, list []alone) error {
	if t.at.Library == t.own.Library || t.own.Library == "" || t.Loader == nil {
		return nil
	}
	loader, first := t.Loader.Title(), -1
	var each, own time.Duration
	for i := range list {
		if list[i].Result != ProbeOK && list[i].Result != ProbeNoDevice || list[i].saw.Lookup == 0 {
			continue
		}
		if first < 0 || list[i].saw.Lookup < each {
			each, first = list[i].saw.Lookup, i
		}
	}
	if each < slowLookup {
		return nil
	}
	if _, soon := ctx.Deadline(); !soon {
		again, err := t.childOf(ctx, t.own, changed(t.Environ, list[first].Variables), t.Limit)
		if err != nil || again.Outcome == probe.Cut {
			return err
		}
		if own = again.Lookup; own == 0 || own*slowTimes > each {
			return nil
		}
	}
	t.found(LoaderLookups, loader, t.Loader.File, lookups(loader, each, own), nil)
	return nil
}

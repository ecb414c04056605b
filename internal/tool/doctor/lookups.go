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

// lookups is that finding commands by their names takes long with a loader.
type lookups struct {
	loader    string
	each, own time.Duration // with the program's loader, and with that of the tool; 0: not tried
}

func (l lookups) say() string {
	text := fmt.Sprintf("%s takes %s to find 1000 commands by their names", l.loader, millis(l.each*1000))
	if l.own > 0 {
		text += "; the loader of this tool takes " + millis(l.own*1000)
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
	found, first := lookups{loader: t.Loader.Title()}, -1
	for i := range list {
		if list[i].Result != ProbeOK && list[i].Result != ProbeNoDevice || list[i].saw.Lookup == 0 {
			continue
		}
		if first < 0 || list[i].saw.Lookup < found.each {
			found.each, first = list[i].saw.Lookup, i
		}
	}
	if found.each < slowLookup {
		return nil
	}
	if _, soon := ctx.Deadline(); !soon {
		own, err := t.childOf(ctx, t.own, changed(t.Environ, list[first].Variables), t.Limit)
		if err != nil || own.Outcome == probe.Cut {
			return err
		}
		if found.own = own.Lookup; found.own == 0 || found.own*slowTimes > found.each {
			return nil
		}
	}
	t.found(LoaderLookups, found.loader, t.Loader.File, found, nil)
	return nil
}

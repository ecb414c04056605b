package explain

import (
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/cure"
	"vkloader/internal/tool/machine"
)

// TryRows says of what a variable has put in or out how to end that: a change after which the decision, made again, says
// otherwise. Without one it says nothing.
func (k Kind) TryRows(source *machine.Source, answer *plan.Answer, rows []Row) {
	t := cure.New(source, answer)
	for i := range rows {
		r := &rows[i]
		v, is := Switches[r.code]
		if !is || r.Path == "" {
			continue
		}
		key := cure.Key{Manifest: r.Path}
		if k.One == Layers.One {
			key.Layer = r.Subject
		}
		r.Do, r.Commands = "", nil
		if c, ok := t.First(key, v != variables.LayersEnable, cure.Undo(source, v, r.Subject)...); ok {
			r.Do, r.Commands = c.Line(), c.Lines()
		}
	}
}

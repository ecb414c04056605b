package survey

import (
	"vkloader/internal/decide/explain"
	"vkloader/internal/tool/term"
)

// Advise writes the advice of items that have a remedy: a line for one variable, a sentence for every other change.
func Advise(lists ...[]explain.Item) {
	for _, list := range lists {
		for i := range list {
			if r := list[i].Remedy; r != nil {
				advise(&list[i], r)
			}
		}
	}
}

func advise(e *explain.Item, r *explain.Remedy) {
	e.Change, e.Do, e.Commands = "", "", r.Change.Lines()
	switch r.Means {
	case explain.ByVariable:
		if e.Change = r.Change.Line(); r.Change.Set {
			e.Change = r.Change.Assignment()
		}
	case explain.ByTwo:
		e.Do = "two variables together: " + r.Change.Line()
	case explain.ByFile:
		e.Do = "no variable changes this: " + r.Change.Line()
		if r.Owner != "" {
			e.Do, e.Commands = "no variable changes this: uninstall the package "+term.OneLine(r.Owner), nil
		}
	case explain.BySettings:
		if !r.Ours {
			e.Do = "no variable changes this, because the settings file decides: change it with the program that wrote it, usually vkconfig, or " + r.Change.Line()
			break
		}
		e.Do, e.Commands = "no variable changes this, because the settings file decides: vkloader settings clear", []string{"vkloader settings clear"}
		if and := r.Change.And; and != nil {
			e.Do += "; " + and.Line()
			e.Commands = append(e.Commands, and.Lines()...)
		}
	case explain.ByNothing:
		e.Do, e.Commands = "no variable changes this", nil
	}
}

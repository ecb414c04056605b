package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
)

// A decision costs time and memory in step with the bytes of the files that it is made from. Whatever a file may have done
// again and again by a few bytes is paid from a budget, in about as many bytes as it takes; what the budget does not pay
// for is left out, with a line that names it. No real installation comes near the end of one.
const (
	budgetLeast = 1 << 20 // for the smallest files
	budgetRate  = 2       // for each byte that was read
	textLeast   = 2 << 20 // bytes of lines
	textRate    = 2       // likewise
)

// budget is what is left for one purpose.
type budget struct {
	left  int
	begun bool
}

// costs are the budgets of a decision.
type costs struct {
	call
	repeats budget // for what is named again
	ways    budget // for meta-layers
	cycles  budget // for cycles of them
	walks   budget // for activating them
}

// open gives a budget its size.
func (c *costs) open(b *budget) {
	if !b.begun {
		b.begun = true
		b.left = budgetLeast + budgetRate*c.f.Size()
	}
}

// spend takes from a budget; false, and nothing is taken, where it does not have as much.
func (c *costs) spend(b *budget, amount int) bool {
	c.open(b)
	if amount > b.left {
		return false
	}
	b.left -= amount
	return true
}

// leaveOut says that an entry costs too much.
func (c *costs) leaveOut(code diag.Code, what, name, path string) {
	if c.quiet {
		return
	}
	c.say(diag.Warn|diag.Layer, code, name, path, what+" "+name+" ("+path+
		") is left out: what it asks for is out of proportion to the size of the files that were read")
}

// size is about as many bytes as one more copy of a layer takes.
func size(l *manifest.Layer) int {
	text := len(l.Name) + len(l.Description) + len(l.Manifest) + len(l.Library) + len(l.Negotiate) + len(l.GetInstance) +
		len(l.GetDevice) + len(l.DisableName) + len(l.EnableName) + len(l.EnableValue)
	for i := range l.Pre {
		text += len(l.Pre[i])
	}
	return 1024 + 2*text + l.Walk + l.Weight
}

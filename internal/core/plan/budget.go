package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
)

// The time and memory of a decision must grow linearly with the bytes of its files. Work that a few bytes of a file can
// repeat is charged to a budget, in bytes. If the budget is spent, the entry is left out, with a line that names it. No
// real installation comes near a limit.
const (
	budgetLeast = 1 << 20 // bytes, even for the smallest files
	budgetRate  = 2       // bytes for each byte that was read
	textLeast   = 2 << 20 // bytes of lines
	textRate    = 2       // bytes of lines for each byte that was read
)

// budget is the unspent part of the budget for one kind of work.
type budget struct {
	left  int
	begun bool
}

// costs are the budgets of a decision.
type costs struct {
	call
	repeats budget // copies of layers that several entries name
	ways    budget // validating meta-layers
	cycles  budget // validating cycles of meta-layers
	walks   budget // activating meta-layers
}

// open sets the size of a budget on its first use.
func (c *costs) open(b *budget) {
	if !b.begun {
		b.begun = true
		b.left = budgetLeast + budgetRate*c.f.Size()
	}
}

// spend charges an amount to a budget. It returns false, and charges nothing, if the rest is too small.
func (c *costs) spend(b *budget, amount int) bool {
	c.open(b)
	if amount > b.left {
		return false
	}
	b.left -= amount
	return true
}

// leaveOut logs that an entry costs too much.
func (c *costs) leaveOut(code diag.Code, what, name, path string) {
	if c.quiet {
		return
	}
	c.say(diag.Warn|diag.Layer, code, name, path, what+" "+name+" ("+path+
		") is left out: what it asks for is out of proportion to the size of the files that were read")
}

// size returns the approximate size of another copy of a layer, in bytes.
func size(l *manifest.Layer) int {
	text := len(l.Name) + len(l.Description) + len(l.Manifest) + len(l.Library) + len(l.Negotiate) +
		len(l.GetInstance) +
		len(l.GetDevice) + len(l.DisableName) + len(l.EnableName) + len(l.EnableValue)
	for i := range l.Pre {
		text += len(l.Pre[i])
	}
	return 1024 + 2*text + l.Walk + l.Weight
}

package doctor

import (
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide"
)

// programWants adds a finding if the program needs more than the last driver of every device offers.
func (e *driverExam) programWants() {
	want := decide.WantOf(e.machine, e.source.Program)
	if want == nil || len(e.gpus) == 0 {
		return
	}
	var texts []string
	var do advice
	always := true
	for _, g := range e.gpus {
		c := e.chip(g)
		if !e.expects(g) && (c == nil || c.HasVulkan()) {
			continue
		}
		if c == nil {
			return
		}
		text, never := c.Limit(want)
		if text == "" || !never && g.Kernel != "nvidia" { // Mesa's driver may meet it
			return
		}
		texts, always = append(texts, g.Label+": "+text), always && never
		if older := c.Instead(want); older != nil && do == nil && never {
			do = advised("Use " + older.Name + ", which requires " + older.Text() + ".").untried(ofRelease)
		}
	}
	if len(texts) == 0 {
		return
	}
	found := e.found(ProgramNeeds, want.Name, "", said("it requires %s. %s", want.Text(), strings.Join(texts, "; ")), do)
	if always {
		found.Severity = diag.Problem
	}
}

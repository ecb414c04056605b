package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/term"
)

// missingLayers adds a finding for each layer that the rules make active and that the loader did not put into the chain of a trial that ended
// well. A layer with another problem has its finding.
func (t *trying) missingLayers(e *evidence, result *probe.Result) error {
	log := term.Either(t.at.Library == t.own.Library, result.Log, loaders.OlderLog(result.Log))
	chain, made := loaders.Progress{}, false
	for line := range strings.Lines(log) {
		chain.Line(strings.TrimRight(line, "\r\n"))
		made = made || chain.Phase == loaders.InstanceMade
	}
	if !made { // this loader writes no line about the chain
		return nil
	}
	messages, err := t.actingMessages(t.at, t.Environ, result)
	if err != nil {
		return err
	}
	for _, a := range t.scene.Answer.Active {
		l := t.scene.Answer.Layers[a.Layer]
		if l.Meta || a.Unchained || slices.Contains(chain.Layers, l.Name) || slices.ContainsFunc(e.Findings, func(f Finding) bool {
			return f.Subject == l.Name && f.Severity != diag.Note
		}) {
			continue
		}
		said := ""
		for _, m := range messages {
			if said == "" && (m.Library == l.Library || strings.Contains(m.Text, `"`+l.Library+`"`) || strings.Contains(m.Text, l.Name)) {
				said = m.Text
			}
		}
		e.add(LayerLeftOut, l.Name, l.Manifest, sentence("the rules make it active, and the loader leaves it out of the chain"+term.Enclosed("; the loader says: ", said, "")), nil)
	}
	return nil
}

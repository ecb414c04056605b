package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// report is the result of a run, as written in JSON.
type report struct {
	Date        string       `json:"date"`
	Machine     string       `json:"machine"`
	Load        string       `json:"load"` // at the beginning and at the end
	Rounds      int          `json:"rounds"`
	Library     string       `json:"vkloader"`
	Reference   string       `json:"reference"`
	Peer        string       `json:"peer,omitempty"`
	Sets        []titled     `json:"sets"`
	Rows        []row        `json:"rows"`
	Repetitions []repetition `json:"repetitions,omitempty"`
	Notes       []string     `json:"notes,omitempty"`
	Lacking     []string     `json:"lacking,omitempty"` // lines with a budget that could not be measured
}

// titled is a set's name, and the text above its table.
type titled struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// markdown returns the report as tables.
func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString(r.line())
	for _, s := range r.Sets {
		more := r.more(s.Name)
		head := []string{"", "vkloader", "reference", "ratio"}
		for _, c := range more {
			head = append(head, c.titles[:]...)
		}
		lines := [][]string{append(head, "budget", "met")}
		group := ""
		for _, w := range r.Rows {
			if w.Set != s.Name || w.Group == "growth" {
				continue
			}
			if w.Group != group {
				group = w.Group
				lines = append(lines, append([]string{"**" + headings[group] + "**"}, make([]string, len(lines[0])-1)...))
			}
			line := []string{w.Title, w.Ours.show(w.Unit), w.Reference.show(w.Unit), w.ratio()}
			for _, c := range more {
				line = append(line, w.beside(c.of(&w))...)
			}
			lines = append(lines, append(line, w.Budget, w.met()))
		}
		if len(lines) > 1 {
			fmt.Fprintf(&b, "\n%s:\n\n%s", s.Title, table(lines))
		}
	}
	if t := r.growthTables(); t != "" {
		also := ""
		if r.Peer != "" {
			also = "; / peer, ratio"
		}
		fmt.Fprintf(&b, "\nGrowth, on null drivers and without layers of the machine: vkloader / reference, ratio%s\n%s", also, t)
	}
	if len(r.Repetitions) > 0 {
		lines := [][]string{{"again and again in one process", "times", "blocks, vkloader", "resident", "blocks, reference", "resident"}}
		for _, p := range r.Repetitions {
			lines = append(lines, []string{p.Title, fmt.Sprint(p.Ours[2].After), fromTo(p.Ours, "blocks"), fromTo(p.Ours, "resident"),
				fromTo(p.Ref, "blocks"), fromTo(p.Ref, "resident")})
		}
		fmt.Fprintf(&b, "\nHeld after a tenth of the times, after half and after all of them:\n\n%s", table(lines))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "\nNote: %s.\n", n)
	}
	return b.String()
}

// column is a pair of columns that only some tables have: a measurement, and this loader's ratio to it.
type column struct {
	titles [2]string
	of     func(*row) *statistic
}

// more returns the columns of a set's table for measurements besides the two loaders.
func (r *report) more(set string) []column {
	var list []column
	for _, c := range []column{
		{[2]string{"peer", "ratio to it"}, func(w *row) *statistic { return w.Peer }},
		{[2]string{"no loader", "ratio to it"}, func(w *row) *statistic { return w.Bare }},
	} {
		if slices.ContainsFunc(r.Rows, func(w row) bool { return w.Set == set && c.of(&w) != nil }) {
			list = append(list, c)
		}
	}
	return list
}

// beside returns a pair of cells: another measurement, and the ratio of the medians.
func (r *row) beside(other *statistic) []string {
	switch {
	case other == nil:
		return []string{"", ""}
	case other.Median == 0 || r.Unit == yes:
		return []string{other.show(r.Unit), ""}
	}
	return []string{other.show(r.Unit), fmt.Sprintf("%.2f", r.Ours.Median/other.Median)}
}

// inBrief are the items of the short table.
var inBrief = []string{"load", "cold", "cycle", "layers", "list", "draw-export", "resident"}

// brief returns a table of the most important items with the first set of drivers: both libraries, and their ratio.
func (r *report) brief() string {
	lines := [][]string{{"", "vkloader", "reference", "ratio"}}
	for _, key := range inBrief {
		for _, w := range r.Rows {
			if w.Set == r.Sets[0].Name && w.Item == key {
				lines = append(lines, []string{itemOf(key).title, show(w.Ours.Median, w.Unit), show(w.Reference.Median, w.Unit), fmt.Sprintf("%.2f", w.Ratio)})
			}
		}
	}
	return r.line() + "\n" + table(lines)
}

// line returns the time, the machine and the subject of the report.
func (r *report) line() string {
	others := r.Reference
	if r.Peer != "" {
		others += " and, as the peer, " + r.Peer
	}
	return fmt.Sprintf("%s; %s; load average %s; %s compared with %s; %d rounds.\n", r.Date, r.Machine, r.Load, r.Library, others, r.Rounds)
}

var headings = map[string]string{"start": "in a fresh process", "warm": "warm", "calls": "a call", "memory": "memory",
	"instructions": "instructions"}

func fromTo(h [3]held, what string) string {
	var words []string
	for _, m := range h {
		if what == "blocks" {
			words = append(words, fmt.Sprint(m.Blocks))
		} else {
			words = append(words, show(float64(m.Resident), kilobytes))
		}
	}
	return strings.Join(words, " → ")
}

func (r *row) ratio() string {
	if r.Unit == yes || r.Ratio == 0 {
		return ""
	}
	if r.Unit != nanoseconds || r.Reference.Lowest == 0 {
		return fmt.Sprintf("%.2f", r.Ratio)
	}
	return fmt.Sprintf("%.2f (%.2f)", r.Ratio, r.Ours.Lowest/r.Reference.Lowest)
}

func (r *row) met() string {
	switch {
	case r.Met == nil:
		return ""
	case *r.Met:
		return "yes"
	}
	return "**no**"
}

// growthTables has a table for each kind of world, a line for each size, both libraries in a cell.
func (r *report) growthTables() string {
	var b strings.Builder
	for _, kind := range growthKinds {
		var lines [][]string
		at := map[string]int{}
		for _, w := range r.Rows {
			n, of, _ := strings.Cut(w.Set, " ")
			if w.Group != "growth" || of != kind.name {
				continue
			}
			if lines == nil {
				lines = [][]string{{kind.title}}
			}
			if at[w.Set] == 0 {
				at[w.Set] = len(lines)
				lines = append(lines, []string{n})
			}
			if at[w.Set] == 1 {
				lines[0] = append(lines[0], w.Title)
			}
			cell := fmt.Sprintf("%s / %s, %.2f", show(w.Ours.Median, w.Unit), show(w.Reference.Median, w.Unit), w.Ratio)
			if w.Peer != nil && w.Peer.Median != 0 {
				cell += fmt.Sprintf("; / %s, %.2f", show(w.Peer.Median, w.Unit), w.Ours.Median/w.Peer.Median)
			}
			if w.Met != nil && !*w.Met {
				cell += " **" + w.Budget + "**"
			}
			lines[at[w.Set]] = append(lines[at[w.Set]], cell)
		}
		if lines != nil {
			b.WriteString("\n" + table(lines))
		}
	}
	return b.String()
}

// table returns lines as a table of Markdown, with columns of equal width. All columns but the first are
// right-aligned.
func table(lines [][]string) string {
	width := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			width[i] = max(width[i], utf8.RuneCountInString(cell), 4)
		}
	}
	var b strings.Builder
	for n, line := range lines {
		for i, cell := range line {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString("| " + cell + pad)
			} else {
				b.WriteString(" | " + pad + cell)
			}
		}
		b.WriteString(" |\n")
		if n == 0 {
			for i := range line {
				if i == 0 {
					b.WriteString("| " + strings.Repeat("-", width[i]))
				} else {
					b.WriteString(" | " + strings.Repeat("-", width[i]-1) + ":")
				}
			}
			b.WriteString(" |\n")
		}
	}
	return b.String()
}

// missed returns the lines whose budget is missed.
func (r *report) missed() []string {
	var list []string
	for _, w := range r.Rows {
		if w.Met != nil && !*w.Met {
			list = append(list, fmt.Sprintf("%s: %s: %s against %s, ratio %.2f, budget %s", w.Set, w.Title,
				w.Ours.show(w.Unit), w.Reference.show(w.Unit), w.Ratio, w.Budget))
		}
	}
	for _, p := range r.Repetitions {
		if grew(p.Ours) {
			list = append(list, fmt.Sprintf("%s %d times: blocks %s, resident %s", p.Title, p.Ours[2].After,
				fromTo(p.Ours, "blocks"), fromTo(p.Ours, "resident")))
		}
	}
	return list
}

// update replaces the tables of a section in a file: all tables between "<!-- bench SECTION: begin -->" and "<!--
// bench SECTION: end -->", the short one between "<!-- bench SECTION, brief: begin -->" and its end. The file has one
// or both of these places.
func (r *report) update(file, section string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, found := string(old), false
	for name, tables := range map[string]string{section: r.markdown(), section + ", brief": r.brief()} {
		begin, end := "<!-- bench "+name+": begin -->\n", "<!-- bench "+name+": end -->"
		before, rest, ok := strings.Cut(text, begin)
		_, after, closed := strings.Cut(rest, end)
		if ok && closed {
			text, found = before+begin+"\n"+tables+"\n"+end+after, true
		}
	}
	if !found {
		return fmt.Errorf("%s has no lines \"<!-- bench %s: begin -->\" and \"<!-- bench %s: end -->\" to put the tables between",
			file, section, section)
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

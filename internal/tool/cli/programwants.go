package cli

import (
	"fmt"

	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// checked is the answer of check.
type checked struct {
	decide.Verdict
	Program string   `json:"program,omitempty"` // the program whose requirements are checked
	Wants   string   `json:"wants,omitempty"`   // its requirements in words
	Limits  []string `json:"limits,omitempty"`  // the limits of each device by its last drivers, and a release within them
}

// wantOf returns the requirements of a program by its name or path.
func wantOf(s *invocation, word string) (*drivers.Want, error) {
	m, err := s.thisMachine("check")
	if err != nil {
		return nil, err
	}
	want := decide.WantOf(&m, word)
	if path, err := programPath(word); want == nil && err == nil {
		want = decide.WantOf(&m, path)
	}
	if want == nil {
		return nil, fmt.Errorf("what %s needs is not known: name it with --require", term.OneLine(word))
	}
	return want, nil
}

// verdictOn returns the verdict on a requirement: of a program, or with want nil of --require alone.
func verdictOn(required *decide.Requirement, want *drivers.Want, report *decide.Report) *checked {
	v := &checked{Verdict: *required.Verdict(report)}
	if want != nil {
		v.Program, v.Wants = want.Name, want.Text()
	}
	for i := range report.Devices {
		d := &report.Devices[i]
		text, _ := required.Limit(d)
		if text == "" {
			continue
		}
		v.Limits = append(v.Limits, d.Name+": "+text+".")
		for older := want; older != nil; older = older.Older {
			if n, err := (decide.Requirement{}).With(older); older != want && err == nil && n.Meets(d) {
				v.Limits = append(v.Limits, fmt.Sprintf("%s works with it: it wants %s.", older.Name, older.Text()))
				break
			}
		}
	}
	return v
}

// wantsOf returns the requirements of a program, with the limits of the machine's devices; nil: unknown.
func wantsOf(about *subject) *survey.Wants {
	m := &about.source.Machine
	want := decide.WantOf(m, about.source.Program)
	if want == nil {
		return nil
	}
	answer := &survey.Wants{Program: want.Name, Text: want.Text(), API: want.API, Extensions: want.Extensions}
	for _, g := range drivers.GPUs(m) {
		c := drivers.ChipOf(m, g.Vendor, g.Device, g.Directory)
		if c == nil {
			continue
		}
		text, never := c.Limit(want)
		if text == "" {
			continue
		}
		answer.Limits = append(answer.Limits, g.Label(m)+": "+text+".")
		if older := c.Instead(want); older != nil && never {
			answer.Limits = append(answer.Limits, older.Name+" works with it: it wants "+older.Text()+".")
		}
	}
	return answer
}

// printWants prints the requirements of a program, and the devices of the machine with older last drivers.
func printWants(s *invocation, wants *survey.Wants) {
	if wants == nil {
		return
	}
	style := term.StyleFor(s.out, s.getenv)
	fmt.Fprintf(s.out, "\n%s\n", style.Heading("What it wants"))
	style.Lines(s.out, "    ", nil, wants.Program+" wants "+wants.Text+".")
	for _, limit := range wants.Limits {
		style.Lines(s.out, "    ", nil, term.OneLine(limit))
	}
}

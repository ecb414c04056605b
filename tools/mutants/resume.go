package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"strings"
)

// verdict is the result of a fault in an earlier run.
type verdict struct {
	what     outcome
	by       testName
	executed bool
}

// key names a fault and the text of its file; after a change of the file it is another fault.
func (m mutant) key() string {
	h := fnv.New64a()
	h.Write([]byte(m.text))
	return fmt.Sprintf("%s %x %d %d %q", m.file, h.Sum64(), m.from, m.to, m.with)
}

// open creates the file of verdicts, or reads the verdicts of an earlier run from it and appends to it.
func (r *tally) open(path string, resume bool) error {
	r.known = map[string]verdict{}
	how := os.O_TRUNC
	if resume {
		how = os.O_APPEND
		text, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		for line := range strings.Lines(string(text)) { // the last line may be cut off
			words := strings.Split(line, "\t")
			if len(words) != 6 || !strings.HasSuffix(line, "\n") {
				continue
			}
			what, err := strconv.Atoi(words[0])
			if err == nil {
				r.known[strings.TrimSuffix(words[5], "\n")] = verdict{outcome(what), testName{words[1], words[2], words[3]},
					words[4] == "true"}
			}
		}
		fmt.Printf("%d faults were judged before\n", len(r.known))
	}
	var err error
	r.kept, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|how, 0o644)
	return err
}

// recall returns the verdict of an earlier run; without one it calls ask and records the verdict.
func (r *tally) recall(m mutant, ask func() (outcome, testName, bool, error)) (outcome, testName, bool, error) {
	if v, ok := r.known[m.key()]; ok { // the file is no longer written
		return v.what, v.by, v.executed, nil
	}
	what, by, executed, err := ask()
	if err != nil {
		return what, by, executed, err
	}
	_, err = fmt.Fprintf(r.kept, "\n%d\t%s\t%s\t%s\t%t\t%s\n", what, by.pack, by.name, by.build, executed, m.key())
	return what, by, executed, err
}

// area returns the part of the source that a file belongs to.
func area(file string) string {
	switch {
	case isInSpine(file):
		return "spine"
	case isInTranslator(file):
		return "goc"
	case strings.HasPrefix(file, "internal/core/"):
		return "core"
	}
	return "tool"
}

// reportAreas prints the sum of each part of the source.
func (r *tally) reportAreas() {
	killed, tried := map[string]int{}, map[string]int{}
	for _, faults := range r.by {
		for _, m := range faults {
			killed[area(m.file)]++
			tried[area(m.file)]++
		}
	}
	for _, m := range r.survivors { // a fault whose test fails without it is in both lists
		if tried[area(m.file)]++; r.isCounted(m) {
			killed[area(m.file)]--
			tried[area(m.file)]--
		}
	}
	for _, name := range []string{"spine", "core", "goc", "tool"} {
		if tried[name] > 0 {
			fmt.Printf("%s: %d of %d\n", name, killed[name], tried[name])
		}
	}
	fmt.Println("Survivors:")
}

func (r *tally) isCounted(m mutant) bool {
	for _, faults := range r.by {
		for _, one := range faults {
			if one.key() == m.key() {
				return true
			}
		}
	}
	return false
}

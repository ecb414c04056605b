package commands

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plant makes a right fix wrong. make returns false if the fix has no place for this fault.
type plant struct {
	name string
	make func(s *symptom) bool
}

// swapped replaces a part of a fix's text and of its lines, and reports whether the part was there.
func swapped(s *symptom, pattern, by string) bool {
	p := regexp.MustCompile(pattern)
	is := p.MatchString(s.Do)
	s.Do, s.Commands = p.ReplaceAllString(s.Do, by), slices.Clone(s.Commands)
	for i := range s.Commands {
		s.Commands[i] = p.ReplaceAllString(s.Commands[i], by)
	}
	return is
}

// plants are the faults that a printed fix can have.
var plants = []plant{
	{"the change is made in another variable", func(s *symptom) bool {
		return swapped(s, `\b(VK_\w+|LD_LIBRARY_PATH|XDG_DATA_DIRS|DISABLE_\w+|MESA_\w+)\b`, "OTHER_$1")
	}},
	{"the value of today is set again", func(s *symptom) bool {
		return swapped(s, `(export|-e|--env=) ?VK_LOADER_DRIVERS_DISABLE=\S+`, "export VK_LOADER_DRIVERS_DISABLE=")
	}},
	{"every driver is disabled", func(s *symptom) bool { return swapped(s, `(export VK_LOADER_DRIVERS_DISABLE=)\S+`, "$1'*'") }},
	{"the variable is set instead of unset", func(s *symptom) bool { return swapped(s, `unset (\w+)`, "export $1=/nowhere.json") }},
	{"the variable is unset instead of set", func(s *symptom) bool {
		return !strings.HasPrefix(s.Code, "variable-") && swapped(s, `export (\w+)=\S+`, "unset $1")
	}},
	// the last one of a list is the fix's own
	{"an entry is written wrongly", func(s *symptom) bool { return swapped(s, `(export \w+=(?:\S*,)?)(\S+)`, "${1}x$2") }},
	{"another file is removed", func(s *symptom) bool { return swapped(s, `rm -- \S+`, "rm -- /etc/os-release") }},
	{"the file is made readable instead of removed", func(s *symptom) bool { return swapped(s, `rm -- `, "chmod a+rX ") }},
	{"it says that it is untried though it is not", func(s *symptom) bool {
		s.Untried = "nobody knows"
		return len(s.Commands) > 0 && inShell.MatchString(s.Commands[0])
	}},
	{"it does not say that it is untried", func(s *symptom) bool {
		was := s.Untried
		s.Untried = ""
		return was != "" && (len(s.Commands) > 0 || strings.HasPrefix(s.Do, "Start the container"))
	}},
	{"a line that no shell takes", func(s *symptom) bool { return swapped(s, `^(export|unset) `, "$1 -- ") }},
}

// The check of TestEveryFixEnds notices planted wrong fixes: each has one fault.
func TestWrongFixesAreNoticed(t *testing.T) {
	t.Parallel()
	planted, missed := map[string]int{}, 0
	look := func(name string, p *patient) {
		before, err := p.report()
		if err != nil {
			t.Fatal(err)
		}
		for i := range before {
			if before[i].Because != "" || before[i].Severity == "note" {
				continue
			}
			for _, wrong := range plants {
				s := before[i]
				if !wrong.make(&s) {
					continue
				}
				planted[wrong.name]++
				space := filepath.Join(t.TempDir(), fmt.Sprint(i, len(planted)))
				if faults := followOne(p, before, &s, space, &tally{}); len(faults) == 0 {
					missed++
					t.Errorf("%s: %s is not noticed\n    right %s\n    wrong %s", name, wrong.name, before[i].Do, s.Do)
				}
			}
		}
	}
	for _, name := range []string{"everything", "twice", "fixable", "override-layer", "empty-loader", "two-gpus", "old-loader", "broken-driver", "container-no-device",
		"portability-only"} {
		root := t.TempDir()
		m, err := build(filepath.Join("testdata/machines", name+".txtar"), root)
		if err != nil {
			t.Fatal(err)
		}
		look(name, &patient{root: root, env: m.env})
	}
	for seed := range int64(12) {
		look(fmt.Sprint("seed ", seed+1), broken(t, seed+1))
	}
	count := 0
	for _, n := range planted {
		count += n
	}
	t.Logf("%d wrong fixes, %d missed: %v", count, missed, planted)
	if count < 60 || len(planted) < len(plants) {
		t.Errorf("%d wrong fixes of %d kinds are planted", count, len(planted))
	}
}

package spec

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every id is published once and known to the project; every id in the text of a statement is known, too.
func TestStatements(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../test/conformance/statements.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if id, _, _ := strings.Cut(line, " "); strings.Contains(id, "-") {
			known[id] = true
		}
	}
	seen := map[string]string{}
	for _, s := range All() {
		if !known[s.ID] {
			t.Errorf("%s: %s is not in test/conformance/statements.txt: add it there, or correct the id", s.Page, s.ID)
		}
		if other := seen[s.ID]; other != "" {
			t.Errorf("%s is in %s and in %s", s.ID, other, s.Page)
		}
		seen[s.ID] = s.Page
		if s.Subject == "" || s.Text == "" {
			t.Errorf("%s: %s has no subject or no text", s.Page, s.ID)
		}
	}
	if len(seen) < 1600 {
		t.Errorf("only %d statements were found", len(seen))
	}
	reference := regexp.MustCompile(`\b(GEN|LOG|PATH|ENV|OVR|SET|LAY|SYS|DRV|INS|PHY|DEV|BIN|ALC|THR|FUZ|EXP|MSG|GPA|UNK|EXT|DBG|WSI|HND|G|FLS|PRO)-[0-9]+[a-z]?\b`)
	for _, s := range All() {
		for _, id := range reference.FindAllString(s.Text, -1) {
			if !known[id] {
				t.Errorf("%s: %s refers to %s, which is no statement", s.Page, s.ID, id)
			}
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s, ok := Find("ins-026")
	if !ok || s.Page != "instances.md" || !strings.Contains(s.Text, "vkCreateInstance") || strings.Contains(s.Text, "**INS-") {
		t.Errorf("%+v, %v", s, ok)
	}
	if _, ok := Find("INS-99999"); ok {
		t.Error("a statement that does not exist was found")
	}
	if got, want := parse("p.md", "# T\n\n## A b, `c`\n\nx\n\n**INS-1** one\ntwo\n\n  three\n\n## D\n\nnot\n\n**INS-2** four\n"),
		[]Statement{{"INS-1", "p.md", "A b, `c`", "one\ntwo\n\n  three"}, {"INS-2", "p.md", "D", "four"}}; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := got0().Anchor(); got != "p.md#a-b-c" {
		t.Error(got)
	}
	if !slices.IsSorted(IDs()) || len(IDs()) != len(All()) {
		t.Error("ids are not sorted or not all")
	}
}

func got0() Statement { return Statement{Page: "p.md", Subject: "A b, `c`"} }

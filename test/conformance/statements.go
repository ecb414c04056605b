package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// statement is one numbered statement.
type statement struct {
	ID    string
	Quirk bool // observed, but looks accidental
}

// document is a list of statements in their order.
type document struct {
	Name       string
	Statements []statement
}

// readStatements reads a list of statements, and checks the counts: a lost line is an error. The list has a line "document NAME COUNT",
// then a line for each id.
func readStatements(path string) ([]document, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var documents []document
	var counts []int
	seen := map[string]bool{}
	scanner := bufio.NewScanner(file)
	for number := 1; scanner.Scan(); number++ {
		words := strings.Fields(scanner.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if words[0] == "document" {
			if len(words) != 3 {
				return nil, fmt.Errorf("%s:%d: a document has a name and a count", path, number)
			}
			count, err := strconv.Atoi(words[2])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, number, err)
			}
			documents = append(documents, document{Name: words[1]})
			counts = append(counts, count)
			continue
		}
		if len(documents) == 0 {
			return nil, fmt.Errorf("%s:%d: an id before the first document", path, number)
		}
		if seen[words[0]] {
			return nil, fmt.Errorf("%s:%d: %s comes twice", path, number, words[0])
		}
		seen[words[0]] = true
		last := &documents[len(documents)-1]
		last.Statements = append(last.Statements, statement{ID: words[0], Quirk: len(words) > 1 && words[1] == "quirk"})
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, document := range documents {
		if len(document.Statements) != counts[i] {
			return nil, fmt.Errorf("%s: document %s has %d ids, not %d: an id has disappeared", path, document.Name,
				len(document.Statements), counts[i])
		}
	}
	return documents, nil
}

// idOrder gives the position of every id, for ranges.
type idOrder struct {
	ids   []string
	place map[string]int
}

// orderOf collects the ids of all documents.
func orderOf(documents []document) idOrder {
	o := idOrder{place: map[string]int{}}
	for _, document := range documents {
		for _, s := range document.Statements {
			o.place[s.ID] = len(o.ids)
			o.ids = append(o.ids, s.ID)
		}
	}
	return o
}

// isKnown reports whether there is such an id.
func (o idOrder) isKnown(id string) bool {
	_, ok := o.place[id]
	return ok
}

// expand turns one word into ids: an id, a range ID..N or ID..ID, or PREFIX-*.
func (o idOrder) expand(word string) ([]string, error) {
	if prefix, ok := strings.CutSuffix(word, "*"); ok {
		var out []string
		for _, id := range o.ids {
			if strings.HasPrefix(id, prefix) {
				out = append(out, id)
			}
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("no id begins with %q", prefix)
		}
		return out, nil
	}
	from, to, isRange := strings.Cut(word, "..")
	if !o.isKnown(from) {
		return nil, fmt.Errorf("no statement %q", from)
	}
	if !isRange {
		return []string{from}, nil
	}
	if !strings.Contains(to, "-") {
		dash := strings.LastIndex(from, "-")
		wide := len(from) - dash - 1
		to = strings.TrimLeft(to, "0")
		for o.place[from[:dash+1]+to] == 0 && !o.isKnown(from[:dash+1]+to) && len(to) < wide {
			to = "0" + to
		}
		to = from[:dash+1] + to
	}
	if !o.isKnown(to) {
		return nil, fmt.Errorf("no statement %q at the end of range %q", to, word)
	}
	if o.place[to] < o.place[from] {
		return nil, fmt.Errorf("range %q runs backwards", word)
	}
	return append([]string(nil), o.ids[o.place[from]:o.place[to]+1]...), nil
}

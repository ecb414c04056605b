package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const top = "../.."

// Every statement has a test or a reason for none, and every id in a test is a statement's.
func TestEveryStatementHasATestOrAReason(t *testing.T) {
	text, problems := makeTable(top)
	for _, problem := range problems {
		t.Error(problem)
	}
	if !strings.Contains(text, "LAY-173") {
		t.Error("the table lacks LAY-173")
	}
}

// The list has every statement of the specification; the counts inside it catch a lost line.
func TestStatementsAreComplete(t *testing.T) {
	documents, err := readStatements("statements.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"01-environment-and-settings": 306, "02-layers": 439, "03-drivers-instances-devices": 491,
		"04-dispatch-procaddr-wsi-debug": 381, "05-icd-service": 187, "06-other-platforms": 239, "guest-rules": 13}
	for _, document := range documents {
		if len(document.Statements) != want[document.Name] {
			t.Errorf("%s has %d statements, want %d", document.Name, len(document.Statements), want[document.Name])
		}
		delete(want, document.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestReadingFindsFaults(t *testing.T) {
	order := orderOf([]document{{Name: "x", Statements: []statement{{ID: "AB-001"}, {ID: "AB-002"}, {ID: "AB-010"}, {ID: "CD-1"}}}})
	for word, want := range map[string]string{
		"AB-001": "AB-001", "AB-001..2": "AB-001 AB-002", "AB-001..AB-010": "AB-001 AB-002 AB-010", "AB-*": "AB-001 AB-002 AB-010",
		"AB-003": "error", "AB-010..2": "error", "AB-001..011": "error", "ZZ-*": "error", "AB-002..010": "AB-002 AB-010",
	} {
		ids, err := order.expand(word)
		got := strings.Join(ids, " ")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	directory := t.TempDir()
	source := "package p\n\n// holds: AB-001 XX-9\nfunc TestOne() {\n\t// holds: AB-010\n}\n"
	if err := os.WriteFile(filepath.Join(directory, "p_test.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	holds, problems := readTests(directory, order)
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "XX-9") {
		t.Errorf("problems: %v, want one about XX-9", problems)
	}
	if len(holds["AB-001"]) != 1 || len(holds["AB-010"]) != 1 || holds["AB-010"][0].Name != "TestOne" {
		t.Errorf("holds: %v", holds)
	}
	lost := filepath.Join(directory, "lost.txt")
	if err := os.WriteFile(lost, []byte("document x 2\nAB-001\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readStatements(lost); err == nil {
		t.Error("a lost id was not noticed")
	}
}

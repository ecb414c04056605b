package commands

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// graded is a finding as a command prints it.
type graded struct {
	symptom
	Variable string // the subject, in "list variables"
	Manifest string // the path, in "explain"
	Why      string // the text, in the lists and "explain"
	In       bool
}

// key identifies the subject of a finding in every command.
func (g *graded) key() string {
	s := g.symptom
	s.Subject, s.Path = s.Subject+g.Variable, s.Path+g.Manifest
	if s.What == "" {
		s.What = g.Why
	}
	return s.key()
}

// gradesOf returns the severities of a command's findings by their keys, and its exit code.
func gradesOf(t *testing.T, options []string, words ...string) (by map[string]string, exit int) {
	t.Helper()
	out, exit := execute(t, slices.Concat(options, words, []string{"--json"})...)
	var answer struct{ Findings, Found, In, Out []graded }
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatalf("%s: %v: %s", words, err, out)
	}
	by = map[string]string{}
	for _, g := range slices.Concat(answer.Findings, answer.Found, answer.In, answer.Out) {
		if g.Severity != "" {
			by[g.key()] = g.Severity
		}
	}
	return by, exit
}

// agreeOnSeverity requires each command to give a finding the severity that "doctor" gives it, and an exit code that follows
// from the severities of its findings.
func agreeOnSeverity(t *testing.T, options []string) (compared int) {
	t.Helper()
	doctor, code := gradesOf(t, options, "doctor", "--full")
	if worst := hasProblem(doctor); worst != (code == 1) {
		t.Errorf("doctor: exit code %d, a problem: %v", code, worst)
	}
	for _, words := range [][]string{{"list", "variables", "--set"}, {"list", "drivers"}, {"list", "layers"}, {"explain"}} {
		found, code := gradesOf(t, options, words...)
		for key, severity := range found {
			of, has := doctor[key]
			if code, subject, _ := strings.Cut(strings.TrimSpace(key), " "); !has && (code == "file-open" || code == "layer-missing") {
				subject, _, _ = strings.Cut(subject, " ")
				of, has = severityNamed(doctor, subject)
			}
			if has && of != severity {
				t.Errorf("%s\n    %s by %s, %s by doctor", key, severity, words, of)
			} else if has {
				compared++
			} else if severity == "problem" || words[1] == "variables" {
				t.Errorf("%s\n    %s by %s, not in doctor", key, severity, words)
			}
		}
		if words[0] == "list" && hasProblem(found) && code != 1 {
			t.Errorf("%s: exit code %d with a problem: %v", words, code, found)
		}
		if words[0] != "list" || words[1] != "variables" {
			continue
		}
		if !hasProblem(found) && code != 0 {
			t.Errorf("%s: exit code %d without a problem: %v", words, code, found)
		}
		if _, plain := gradesOf(t, options, words[:2]...); plain != code {
			t.Errorf("list variables: exit code %d, with --set %d", plain, code)
		}
		for key, severity := range doctor {
			code, _, _ := strings.Cut(key, " ")
			if _, has := found[key]; !has && slices.Contains([]string{"variable-nothing", "variable-match", "variable-contradiction", "variable-all-out",
				"variable-value", "variable-unknown", "variable-device"}, code) {
				t.Errorf("%s\n    %s by doctor, not in list variables --set", key, severity)
			}
		}
	}
	return compared
}

// severityNamed returns the severity of the finding about a variable that names a subject.
func severityNamed(findings map[string]string, subject string) (severity string, is bool) {
	for key, severity := range findings {
		if strings.HasPrefix(key, "variable-nothing ") && strings.Contains(key, " names "+subject+",") {
			return severity, true
		}
	}
	return "", false
}

func hasProblem(found map[string]string) bool {
	for _, severity := range found {
		if severity == "problem" {
			return true
		}
	}
	return false
}

// All commands give a finding one severity, for each machine of the suite.
func TestOneSeverity(t *testing.T) {
	t.Parallel()
	onEachMachine(t, func(t *testing.T, options []string) { agreeOnSeverity(t, options) })
}

// All commands give a finding one severity, for random broken machines.
func TestOneSeverityOfBrokenMachines(t *testing.T) {
	t.Parallel()
	compared := 0
	for seed := range int64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := broken(t, seed)
			options := []string{"--root", p.root}
			for _, variable := range p.env {
				options = append(options, "--env", variable)
			}
			compared += agreeOnSeverity(t, options)
		})
	}
	if compared < 60 {
		t.Errorf("only %d findings were compared", compared)
	}
}

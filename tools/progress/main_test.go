package main

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"
)

// A run prints its packages and the output of failures alone, and names them at the end. The state lists what runs.
func TestReport(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := &report{out: &out, begun: time.Now(), total: 5, running: map[string]*run{}, failed: map[string][]string{}}
	r.follow(strings.NewReader(`{"Action":"start","Package":"v/good"}
{"Action":"run","Package":"v/good","Test":"TestA"}
{"Action":"output","Package":"v/good","Test":"TestA","Output":"    a_test.go:1: of a test that passes\n"}
{"Action":"pass","Package":"v/good","Test":"TestA"}
{"Action":"output","Package":"v/good","Output":"PASS\n"}
{"Action":"output","Package":"v/good","Output":"ok  \tv/good\t0.1s\n"}
{"Action":"pass","Package":"v/good"}
{"Action":"start","Package":"v/none"}
{"Action":"output","Package":"v/none","Output":"?   \tv/none\t[no test files]\n"}
{"Action":"skip","Package":"v/none"}
{"Action":"build-output","ImportPath":"v/broken","Output":"broken.go:1: undefined: x\n"}
{"Action":"start","Package":"v/broken"}
{"Action":"output","Package":"v/broken","Output":"FAIL\tv/broken [build failed]\n"}
{"Action":"fail","Package":"v/broken"}
{"Action":"start","Package":"v/bad"}
{"Action":"run","Package":"v/bad","Test":"TestB"}
{"Action":"output","Package":"v/bad","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"run","Package":"v/bad","Test":"TestB/one"}
{"Action":"output","Package":"v/bad","Test":"TestB/one","Output":"    b_test.go:1: of the failed part\n"}
{"Action":"run","Package":"v/bad","Test":"TestB/two"}
{"Action":"output","Package":"v/bad","Test":"TestB/two","Output":"    b_test.go:2: of the good part\n"}
{"Action":"run","Package":"v/bad","Test":"TestC"}
{"Action":"output","Package":"v/bad","Test":"TestC","Output":"panic: of a test that has no end\n"}
{"Action":"output","Package":"v/bad","Test":"TestB","Output":"--- FAIL: TestB (0.00s)\n"}
{"Action":"fail","Package":"v/bad","Test":"TestB/one"}
{"Action":"pass","Package":"v/bad","Test":"TestB/two"}
{"Action":"fail","Package":"v/bad","Test":"TestB"}
no event
`), nil)
	if state := r.state(); !strings.Contains(state, "3 of 5 packages are done, 2 failed, 1 to go; running: v/bad for ") || !strings.HasSuffix(state, " (TestC)") {
		t.Error(state)
	}
	r.take(event{Action: "output", Package: "v/bad", Output: "FAIL\tv/bad\t0.1s\n"})
	r.take(event{Action: "fail", Package: "v/bad"})
	if want := "ok  \tv/good\t0.1s\nbroken.go:1: undefined: x\nFAIL\tv/broken [build failed]\n    b_test.go:1: of the failed part\n--- FAIL: TestB (0.00s)\nno event\n" +
		"panic: of a test that has no end\nFAIL\tv/bad\t0.1s\n"; out.String() != want {
		t.Errorf("it prints\n%s\nwant\n%s", out.String(), want)
	}
	verdict := r.verdict([]string{"-race"})
	for _, part := range []string{"TestB in v/bad; in v/broken. To repeat: ", "go test -count 1 -race -run '^(TestB)$' v/bad; ", "go test -count 1 -race v/broken"} {
		if !strings.Contains(verdict, part) {
			t.Errorf("no %q in %s", part, verdict)
		}
	}
}

// The state is printed while nothing else is.
func TestStateWhileTestsRun(t *testing.T) {
	t.Parallel()
	events, _ := io.Pipe()
	shown, out := io.Pipe()
	tick := make(chan time.Time)
	r := &report{out: out, begun: time.Now(), total: 1, running: map[string]*run{}, failed: map[string][]string{}}
	go r.follow(events, tick)
	go func() { tick <- time.Now() }()
	text, err := bufio.NewReader(shown).ReadString('\n')
	if err != nil || !strings.HasPrefix(text, "test: after ") || !strings.HasSuffix(text, "0 of 1 packages are done, 0 failed, 1 to go; running: the compiler\n") {
		t.Errorf("%q, %v", text, err)
	}
}

// The limit of a package grows with the load and with a slower processor.
func TestPackageLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		speed, load float64
		processors  int
		want        time.Duration
	}{{1, 0, 2, 25 * time.Minute}, {3, 0, 16, 25 * time.Minute}, {0.5, 0, 2, 50 * time.Minute}, {1, 30, 2, 400 * time.Minute}, {0.001, 500, 1, 24 * time.Hour}} {
		if got := packageLimit(c.speed, c.load, c.processors); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if s := speed(); s <= 0 {
		t.Errorf("speed %v", s)
	} else {
		t.Logf("speed %v", s)
	}
}

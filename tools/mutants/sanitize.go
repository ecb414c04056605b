package main

import (
	"regexp"
	"time"
)

// sanitizers are the builds with sanitizers: addresses and undefined behaviour, and threads.
var sanitizers = []string{"asan", "tsan"}

// repeated matches the packages that "make test" (tools/test.sh) repeats on the build with the address sanitizer.
var repeated = regexp.MustCompile(`^test/(containers/client|loader/(chain|debug|discovery|dispatch|drivers|instance|layers|memory|physdev|wsi))$`)

// storms are the tests of test/loader/storm for each of these builds; they find the library themselves.
var storms = map[string]testName{
	"asan": {"test/loader/storm", "TestStormAddresses", "asan"},
	"tsan": {"test/loader/storm", "TestStormRaces", "tsan"},
}

// killSanitized plants a fault of the spine into the builds with sanitizers and runs what "make test" runs on them, the
// tests in the order that chances gave.
func (t *tree) killSanitized(m mutant, order []testName, a *atlas, o options) (by testName, err error) {
	for _, build := range sanitizers {
		what, err := t.buildC(m, build)
		if err != nil {
			return by, err
		}
		if what != survived { // the sanitizer's code may be the same, or its warnings refuse it
			continue
		}
		var tests []testName
		for _, test := range order {
			if build == "asan" && repeated.MatchString(test.pack) {
				test.build = build
				tests = append(tests, test)
			}
		}
		tests = a.within(tests, o.budget)
		if storm := storms[build]; !o.skip.MatchString(storm.String()) {
			tests = append(tests, storm)
		}
		if by, err = t.kill(m.file, tests, a); err != nil || by.name != "" {
			return by, err
		}
	}
	return by, nil
}

// within cuts a list of tests to a total time; 0: no limit.
func (a *atlas) within(order []testName, budget time.Duration) []testName {
	spent := 0.0
	for i, test := range order {
		if spent += a.seconds(test); budget > 0 && spent > budget.Seconds() {
			return order[:i]
		}
	}
	return order
}

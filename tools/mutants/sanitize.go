package main

import "regexp"

// sanitizers are the builds with sanitizers: addresses and undefined behaviour, and threads.
var sanitizers = []string{"asan", "tsan"}

// repeated matches the packages that "make test" (tools/test.sh) repeats on the build with the address sanitizer.
var repeated = regexp.MustCompile(`^test/(containers/client|` +
	`loader/(chain|debug|discovery|dispatch|drivers|instance|layers|memory|physdev|wsi))$`)

// storms are the tests of test/loader/storm for each of these builds; they find the library themselves.
var storms = map[string]testName{
	"asan": {"test/loader/storm", "TestStormAddresses", "asan"},
	"tsan": {"test/loader/storm", "TestStormRaces", "tsan"},
}

// killSanitized plants a fault of the spine into the builds with sanitizers and runs the tests that "make test-all"
// runs on them.
func (t *tree) killSanitized(m mutant, order []testName) (*testName, error) {
	for _, build := range sanitizers {
		what, err := t.build(m, build)
		if err != nil {
			return nil, err
		}
		if what != survived { // the machine code may be the same, or the sanitizer's warnings may reject it
			continue
		}
		var tests []testName
		for _, test := range order {
			if build == "asan" && repeated.MatchString(test.pack) {
				test.build = build
				tests = append(tests, test)
			}
		}
		if by, err := t.kill(m.file, append(tests, storms[build])); err != nil || by != nil {
			return by, err
		}
	}
	return nil, nil
}

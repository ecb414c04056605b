package served

import (
	"fmt"
	"strings"
	"testing"
)

const good = `{"format":1,"machine":"x86_64","drivers":[{"name":"a.json","manifest":"{}","library":1,"files":[0,1]}],` +
	`"files":[{"name":"libn.so.1","soname":"libn.so.1","size":10},{"name":"liba.so","size":20}]}`

func answerFor(index string) string {
	return fmt.Sprintf(`{"id":1,"ok":{"index":{"size":%d}},"fds":["index"]}`, len(index))
}

func TestRead(t *testing.T) {
	t.Parallel()
	drivers, why := Read(answerFor(good), good)
	if why != "" || len(drivers) != 1 || drivers[0].Why != "" || drivers[0].Name != "a.json" || drivers[0].Manifest != "{}" ||
		fmt.Sprint(drivers[0].Files) != "[{0 libn.so.1 10} {1 liba.so 20}]" {
		t.Fatalf("%+v %q", drivers, why)
	}
	for answer, want := range map[string]string{
		"":                                 "its answer is no JSON",
		"{}":                               "its answer is not as it should be",
		`{"error":{"name":"UNSUPPORTED"}}`: "it refuses: UNSUPPORTED",
		`{"error":{"name":"two words"}}`:   "it refuses",
		strings.Replace(answerFor(good), `"id":1`, `"id":2`, 1):    "its answer is not as it should be",
		strings.Replace(answerFor(good), `["index"]`, `[]`, 1):     "its answer is not as it should be",
		strings.Replace(answerFor(good), `"size":`, `"size":1`, 1): "its index is not as long as it says",
	} {
		if _, why := Read(answer, good); why != want {
			t.Errorf("%s: %q", answer, why)
		}
	}
}

func TestIndexes(t *testing.T) {
	t.Parallel()
	many := func(member, entry string, n int) string {
		list := strings.TrimSuffix(strings.Repeat(entry+",", n), ",")
		return strings.Replace(good, `"`+member+`":[{`, `"`+member+`":[`+list+`,{`, 1)
	}
	for _, c := range []struct{ index, why, driver string }{
		{"[", "its index is no JSON", ""},
		{strings.Replace(good, `"format":1`, `"format":2`, 1), "its index is of a format that is not known", ""},
		{`{"format":1,"drivers":[]}`, "its index is not as it should be", ""},
		{`{"format":1,"files":[]}`, "its index is not as it should be", ""},
		{many("files", "{}", maxFiles), "its index is not as it should be", ""},
		{many("drivers", "{}", maxDrivers), "its index has too many drivers", ""},
		{strings.Replace(good, `"a.json"`, `"../a.json"`, 1), "", "it has no name that a manifest can have"},
		{strings.Replace(good, `"manifest":"{}"`, `"manifest":{}`, 1), "", "it comes without a manifest"},
		{strings.Replace(good, `[0,1]`, `[2,1]`, 1), "", "it needs a file that is not in the index"},
		{strings.Replace(good, `[0,1]`, `[0.5,1]`, 1), "", "it needs a file that is not in the index"},
		{strings.Replace(good, `[0,1]`, `[-1,1]`, 1), "", "it needs a file that is not in the index"},
		{strings.Replace(good, `[0,1]`, `[1,1]`, 1), "", "it needs a file twice"},
		{strings.Replace(good, `[0,1]`, `[1,0]`, 1), "", "its library is not the last of its files"},
		{strings.Replace(good, `[0,1]`, `[]`, 1), "", "its library is not the last of its files"},
		{strings.Replace(good, `"size":20`, `"size":0`, 1), "", "it needs a file whose name or size is not possible"},
		{strings.Replace(good, `"size":20`, `"size":4294967296`, 1), "", "it needs a file whose name or size is not possible"},
		{strings.Replace(good, `"liba.so"`, `"/liba.so"`, 1), "", "it needs a file whose name or size is not possible"},
		{strings.Replace(good, `"liba.so"`, `"$ORIGIN"`, 1), "", "it needs a file whose name or size is not possible"},
	} {
		drivers, why := Read(answerFor(c.index), c.index)
		if why != c.why || c.driver != "" && (len(drivers) != 1 || drivers[0].Why != c.driver || drivers[0].Files != nil) {
			t.Errorf("%s\n%q %+v", c.index, why, drivers)
		}
	}
}

// FuzzRead checks that the result of Read is valid for arbitrary input.
func FuzzRead(f *testing.F) {
	f.Add(answerFor(good), good)
	f.Fuzz(func(t *testing.T, answer, index string) {
		for _, answer := range []string{answer, answerFor(index)} {
			drivers, why := Read(answer, index)
			if why != "" && drivers != nil || len(drivers) > maxDrivers {
				t.Fatalf("%d drivers, %q", len(drivers), why)
			}
			for _, d := range drivers {
				if (d.Why == "") != (len(d.Files) > 0) || d.Why == "" && !IsName(d.Name) {
					t.Fatalf("%+v", d)
				}
				for _, file := range d.Files {
					if file.Size == 0 || !IsName(file.Name) || file.Number >= maxFiles {
						t.Fatalf("%+v", file)
					}
				}
			}
		}
	})
}

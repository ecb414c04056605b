package option

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// place is an option with its own text.
type place string

func (p *place) UnmarshalText(text []byte) error {
	*p = place(text)
	return nil
}

// shared are options of several commands.
type shared struct {
	Names []string `option:"name,n"`
	Many  []place  `option:"place"`
}

// all has an option of each kind.
type all struct {
	shared
	Free   bool          `option:"free" excludes:"name"`
	Level  string        `option:"level" words:"low high" default:"low"`
	File   string        `option:"file"`
	Count  int           `option:"count" needs:"file level"`
	Limit  time.Duration `option:"timeout" default:"30s"`
	Absent bool          `option:"absent" systems:"nowhere"`
	Other  string
}

// parse returns the options of a command line.
func parse(t *testing.T, words ...string) (o all, flags *pflag.FlagSet, err error) {
	t.Helper()
	flags = pflag.NewFlagSet("test", pflag.ContinueOnError)
	Add(flags, &o)
	if err = flags.Parse(words); err == nil {
		err = Check(flags)
	}
	return o, flags, err
}

// The words of options give the same options again. Defaults give no words.
func TestWords(t *testing.T) {
	o, flags, err := parse(t)
	if words := Words(&o); err != nil || len(words) > 0 || o.Level != "low" || o.Limit != 30*time.Second || flags.Lookup("absent") != nil {
		t.Errorf("%+v, %q, %v", o, words, err)
	}
	o, _, err = parse(t, "-n", "a", "--place=x,y", "--name", "b", "--level", "high", "--file", "f", "--count=3", "--timeout", "1m")
	want := []string{"--name", "a", "--name", "b", "--place", "x,y", "--level", "high", "--file", "f", "--count", "3", "--timeout", "1m0s"}
	words := Words(&o)
	if err != nil || !slices.Equal(words, want) {
		t.Errorf("%q, %v", words, err)
	}
	again, _, err := parse(t, words...)
	if err != nil || !slices.Equal(Words(&again), want) {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"--count=1", "--count needs --file or --level"},
		{"--free --name=a", "--free and --name exclude each other"},
		{"--level=middle", `invalid argument "middle" for "--level" flag: it must be low or high`},
		{"--timeout=0s", `invalid argument "0s" for "--timeout" flag: it must be a time above zero, as 10s`},
	} {
		if _, _, err := parse(t, strings.Fields(c.line)...); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.line, err)
		}
	}
}

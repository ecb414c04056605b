package term

import (
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/wording"
)

func TestTableAligns(t *testing.T) {
	table := NewTable("name", ">ms")
	table.Row("é", "1.5")
	table.Row("long name", "10.25")
	table.Row("bad\x1b[31m\nname")
	var b strings.Builder
	table.Print(&b, "  ", Style{})
	want := "  name              ms\n" +
		"  é                1.5\n" +
		"  long name      10.25\n" +
		"  bad\uFFFD[31m\uFFFDname\n"
	if b.String() != want {
		t.Errorf("got\n%q\nwant\n%q", b.String(), want)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{wording.Version(1<<22 | 4<<12 | 363), "1.4.363"},
		{wording.Version(1<<29 | 1<<22), "1:1.0.0"},
		{wording.DriverVersion(wording.Maker{Vendor: 0x10de}, 550<<22|90<<14|7<<6), "550.90.7.0"},
		{wording.DriverVersion(wording.Maker{Driver: "NVIDIA", Vendor: 0x10de}, 550<<22|90<<14|7<<6), "550.90.7.0"},
		{wording.DriverVersion(wording.Maker{Device: "NVIDIA H200"}, 550<<22|90<<14|7<<6), "550.90.7.0"},
		{wording.DriverVersion(wording.Maker{Driver: "NVK", Device: "NVIDIA GeForce RTX 2060", Vendor: 0x10de}, 25<<22|1<<12|2), "25.1.2"},
		{wording.DriverVersion(wording.Maker{Vendor: 0x1002}, 22<<22|3<<12|6), "22.3.6"},
		{wording.DriverVersion(wording.Maker{}, 22<<22|3<<12|6), "22.3.6"},
		{Size(0), "-"},
		{Size(768 << 20), "768 MiB"},
		{Size(24564 << 20), "24.0 GiB"},
		{wording.DeviceType(2), "discrete GPU"},
		{wording.DeviceType(9), "type 9"},
		{Microseconds(60.4), "0.06 ms"},
		{Microseconds(12345), "12.3 ms"},
		{Microseconds(1234567), "1235 ms"},
		{Count(0, "driver"), "no drivers"}, {Count(1, "library"), "1 library"}, {Count(2, "library"), "2 libraries"}, {Count(2, "process"), "2 processes"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestNoColourWithoutTerminal(t *testing.T) {
	var b strings.Builder
	if StyleFor(&b, func(string) string { return "" }).Bad("x") != "x" {
		t.Error("colour in something that is no terminal")
	}
	if (Style{Coloured: true}).Bad("x") != "\x1b[31mx\x1b[0m" {
		t.Error("no colour where asked for")
	}
}

// In 40 columns, words wrap, names stay whole, and columns without room move below the row.
func TestTableFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		headings []string
		row      []string
		want     string
	}{
		{[]string{"name", "why"}, []string{"lvp.json", "found in a default directory of drivers"},
			"name      why\n" +
				"lvp.json  found in a default directory\n" +
				"          of drivers\n"},
		{[]string{"", "name", ">ms"}, []string{"in", "VK_LAYER_a_very_long_name_indeed_x", "1.5"},
			"    name\n" +
				"      ms\n" +
				"in  VK_LAYER_a_very_long_name_indeed_x\n" +
				"      1.5\n"},
		{[]string{"", "name", "where", "why"}, []string{"in", "VK_LAYER_a", "/usr/share/vulkan/explicit_layer.d/a.json", "it is found in a default directory"},
			"    name        why\n" +
				"      where\n" +
				"in  VK_LAYER_a  it is found in a default\n" +
				"                directory\n" +
				"      /usr/share/vulkan/explicit_layer.d/a.json\n"},
	} {
		table := NewTable(c.headings...)
		table.Row(c.row...)
		var b strings.Builder
		table.Print(&b, "", Style{Width: 40})
		if b.String() != c.want {
			t.Errorf("got\n%s\nwant\n%s", b.String(), c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"a b c", 0, []string{"a b c"}}, {"a b c", 3, []string{"a b", "c"}}, {"abcdef g", 3, []string{"abcdef", "g"}},
		{"a abcdef g", 3, []string{"a", "abcdef", "g"}}, {"é é é", 3, []string{"é é", "é"}}, {"", 3, []string{""}},
		{"ab  cd", 3, []string{"ab", "cd"}},
	} {
		if got := wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d: %q", c.text, c.width, got)
		}
	}
}

func TestReflow(t *testing.T) {
	t.Parallel()
	text := "one two\nthree four\n\n  fixed  line that is long\n  next\nfive\n"
	if got := Reflow(text, 12); got != "one two\nthree four\n\n  fixed\n  line that\n  is long\n  next\n\nfive\n" {
		t.Errorf("%q", got)
	}
}

// A command in advice is never broken, even behind a Wrapper. Its surrounding text is.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text     string
		commands []shell.Line
		want     string
	}{
		{"run: a b c", []shell.Line{"a b c"}, "do  run: a b c\n"},
		{"To end this for good: export NAME=a b c d e f", []shell.Line{"export NAME=a b c d e f"}, "do  To end this for\n    good:\n    export NAME=a b c d e f\n"},
		{"In the Dockerfile: RUN a b c d e f", []shell.Line{"a b c d e f"}, "do  In the\n    Dockerfile:\n    RUN a b c d e f\n"},
		{"one two three four five", []shell.Line{""}, "do  one two three\n    four five\n"},
		{"x && one two three four five; x", []shell.Line{"x", "x && one two three four five"}, "do  x && one two three four five;\n    x\n"},
	} {
		var b strings.Builder
		wrapper := &Wrapper{To: &b, Width: 20}
		Style{Width: 20}.Advice(Cleaner{To: wrapper}, "do  ", c.text, c.commands...)
		wrapper.Flush()
		if b.String() != c.want {
			t.Errorf("%q: got %q, want %q", c.text, b.String(), c.want)
		}
	}
}

package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reported are the reported situations without an archive: their tests need drivers that run, or another command.
var reported = []struct{ number, situation, says, fix, result, test string }{
	{"S3", "The user of a service is in no group of the node; the desktop's user is.", "ollama lacks read or write permission on /dev/dri/renderD128",
		"usermod -aG render ollama, then systemctl restart ollama", "ends", "TestServiceWithoutPermission"},
	{"S5", "A program wants more than the last driver of an old chip offers.", "HASVK (Mesa) never offers VK_KHR_16bit_storage", "none: an older release of the program, or another device",
		"explained", "TestProgramThatWantsMore"},
	{"S6", "The vendor's driver, the only one, crashes in every call.", "Broken: only.json crashes", "the vendor's update, or a software renderer", "explained",
		"TestNoFixUndoesTheOther"},
	{"S9", "\"NVK requires nouveau\" on every start.", "The driver nouveau_icd.x86_64.json writes \"NVK requires nouveau\"", "none: harmless", "explained",
		"TestMessageOfADriver"},
	{"S17", "A bundle brings an older library, which hides the system's; a launcher starts the program.", "which the program brings, hides /usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"Start it with the system's file: LD_PRELOAD=FILE PROGRAM", "ends", "TestBundledLibrary"},
	{"S19", "A driver with an unknown file name lists the device.", "the device works", "none: no false alarm", "ends", "TestTriedDriverCovers"},
	{"S20", "A settings file pins a device of a driver before its update.", "vk_loader_settings.json: programs get no device by its device_configurations",
		"the file's program, or vkloader settings clear", "ends", "TestSettingsThatHideDevices"},
	{"S22", "NVIDIA's CDI file names a library that is gone.", "a mounted file does not exist", "nvidia-ctk cdi generate --output=FILE", "ends", "TestScripts/cdi-others"},
	{"S24", "Wrong features in a layer's manifest.", "features: expected an object", "by hand", "ends", "TestScripts/validate-features"},
}

// Begin and end of the table in the page.
const (
	tableBegins = "<!-- table: go test ./test/tool/commands -run SituationsTable -update -->\n"
	tableEnds   = "<!-- end of the table -->\n"
)

// cell returns a text for a cell of a table: on one line, with the separator escaped.
func cell(text string) string {
	return strings.ReplaceAll(squeezed(text), "|", "\\|")
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(cell(text), "`", "'") + "`"
}

// rowsOfArchives returns the rows of the situations with archives.
func rowsOfArchives(t *testing.T) (rows []string) {
	t.Helper()
	archives, err := filepath.Glob("testdata/situations/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	main := regexp.MustCompile(`^S(\d\d)-(.*)\.txtar$`)
	seen := map[string]bool{}
	slices.SortStableFunc(archives, func(a, b string) int { return rank(a) - rank(b) })
	for _, archive := range archives {
		m := main.FindStringSubmatch(filepath.Base(archive))
		text, err := os.ReadFile(archive)
		if err != nil || m == nil {
			t.Fatal(archive, err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		if seen[m[1]] || strings.HasPrefix(first, "# As in ") {
			continue
		}
		seen[m[1]] = true
		s := readSituation(t, archive)
		root := t.TempDir()
		machine, err := build(archive, root)
		if err != nil {
			t.Skip("only root gives a file to another user: ", err)
		}
		out, _ := s.look(t, &patient{root: root, env: machine.env})
		line, _, _ := strings.Cut(out, "\n")
		if _, attention, is := strings.Cut(out, "\nNeeds attention\n"); is {
			line, _, _ = strings.Cut(squeezed(attention), " do ")
		}
		result, fix := "ends", code(s.do)
		switch {
		case s.do == "" && s.then == nil && s.code == 0:
			fix = "none: no problems found"
		case s.do == "":
			fix = "in words"
		}
		rows = append(rows, fmt.Sprintf("| S%s | %s | %s | %s | %s | `TestSituations/%s` |", strings.TrimLeft(m[1], "0"), cell(strings.TrimPrefix(first, "# ")),
			code(line), fix, result, strings.TrimSuffix(filepath.Base(archive), ".txtar")))
	}
	return rows
}

// rank orders the archive of a situation before those of its variations.
func rank(archive string) int {
	text, err := os.ReadFile(archive)
	if err != nil || strings.HasPrefix(string(text), "# As in ") {
		return 1
	}
	return 0
}

// rowsOfComplaints returns the rows of the page's sections. TestComplaints compares their output and fixes.
func rowsOfComplaints(t *testing.T) (rows []string) {
	t.Helper()
	for _, c := range readComplaints(t) {
		number, title, _ := strings.Cut(c.title, ". ")
		line, do := "", ""
		for _, s := range c.shown {
			for _, block := range s.blocks {
				if line == "" {
					line = titleLine.FindString(block)
				}
				if _, after, ok := strings.Cut(block, "    do    "); ok && do == "" {
					do, _, _ = strings.Cut(after, "\n")
				}
			}
		}
		result := "ends"
		switch {
		case do == "" || strings.HasPrefix(do, "Nothing"):
			result = "explained"
		case !cureLine.MatchString(do) && !strings.HasPrefix(do, "rm "):
			result = "not followed here"
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s | `TestComplaints/%s` |", number, cell(title), code(line), code(do), result,
			strings.ReplaceAll(c.title, " ", "_")))
	}
	return rows
}

// The page's table has each reported situation and each section of the page, with a line of the tool's output, the fix and an
// existing test.
func TestSituationsTable(t *testing.T) {
	t.Parallel()
	rows := rowsOfArchives(t)
	sources := ""
	for _, pattern := range []string{"*_test.go", "../../../internal/tool/doctor/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources += string(text)
		}
	}
	for _, r := range reported {
		name, script, is := strings.Cut(r.test, "/")
		if !strings.Contains(sources, "func "+name+"(") {
			t.Errorf("%s: there is no test %s", r.number, name)
		}
		if _, err := os.Stat("testdata/" + script + ".txtar"); is && err != nil {
			t.Error(err)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s | `%s` |", r.number, cell(r.situation), code(r.says), cell(r.fix), r.result, r.test))
	}
	slices.SortStableFunc(rows, func(a, b string) int {
		var x, y int
		fmt.Sscanf(a, "| S%d", &x)
		fmt.Sscanf(b, "| S%d", &y)
		return x - y
	})
	rows = append(rows, rowsOfComplaints(t)...)
	table := "| | situation | what the tool says | fix | result | test |\n| --- | --- | --- | --- | --- | --- |\n" + strings.Join(rows, "\n") + "\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), tableBegins)
	written, after, ends := strings.Cut(rest, tableEnds)
	switch {
	case !begins || !ends:
		t.Fatalf("%s has no table", page)
	case *update && written != table:
		err = os.WriteFile(page, []byte(before+tableBegins+table+tableEnds+after), 0o644)
	case written != table:
		t.Errorf("the table of %s is not current; write it: %s\n%s", page, tableBegins, table)
	}
	if err != nil {
		t.Fatal(err)
	}
}

package commands

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// expires matches an expiry time in a settings file.
var expires = regexp.MustCompile(`"expires": "[^"]*"`)

// commandIn returns the command line of a plan.
func commandIn(t *testing.T, plan string) []string {
	t.Helper()
	found := regexp.MustCompile(`terminal:</p><pre tabindex="0">vkloader ([^<]*)</pre>`).FindStringSubmatch(plan)
	if found == nil {
		t.Fatalf("no command line in\n%s", plan)
	}
	return strings.Fields(html.UnescapeString(found[1]))
}

// The page writes the same bytes as its command line, and as it has shown before. "settings show" explains them. Undo restores the earlier
// file.
func TestUIWritesWhatTheCommandLineWrites(t *testing.T) {
	t.Parallel()
	s := newUI(t, "VK_LAYER_a", "VK_LAYER_b", "!VK_LAYER_c", "!VK_LAYER_d")
	app := s.write("bin/game", "#!/bin/sh\n")
	s.serve()
	for _, c := range []struct {
		title string
		form  url.Values
		start []string // the settings before
		want  []string // in the file
	}{
		{"one off, for all", url.Values{"layer": {"VK_LAYER_a=off", "others"}}, nil, []string{`"control": "off"`}},
		{"one on, for a program", url.Values{"app": {app}, "layer": {"VK_LAYER_c=on", "others"}, "expires": {"8h"}}, nil, []string{`"expires"`, app}},
		{"an order", url.Values{"layer": {"VK_LAYER_b=auto", "VK_LAYER_a=auto", "others"}, "expires": {"never"}}, nil, []string{`"auto"`}},
		{"these alone", url.Values{"layer": {"VK_LAYER_d=on", "VK_LAYER_c=on"}, "exact": {"1"}}, nil, []string{"VK_LAYER_d"}},
		{"none at all", url.Values{"layer": {"VK_LAYER_a=off"}, "exact": {"1"}}, []string{"settings", "set", "--no-layers"}, []string{`"layers"`}},
		{"for all, beside a program's", url.Values{"app": {app}, "for": {"all"}, "layer": {"VK_LAYER_a=off", "others"}},
			[]string{"settings", "set", "--app", app, "--layer", "VK_LAYER_b=off", "--log", "warn"}, []string{app, `"warn"`, "VK_LAYER_a"}},
	} {
		_ = os.Remove(s.settings())
		if c.start != nil {
			s.tool(c.start...)
		}
		before := s.read(s.settings())
		plan := s.apply("layers", c.form)
		after := s.read(s.settings())
		for _, want := range c.want {
			if !strings.Contains(after, want) {
				t.Errorf("%s: no %s in\n%s", c.title, want, after)
			}
		}
		if shown := html.UnescapeString(plan); !strings.Contains(expires.ReplaceAllString(shown, "E"), expires.ReplaceAllString(after, "E")) {
			t.Errorf("%s: shown was\n%s\nwritten is\n%s", c.title, shown, after)
		}
		if out := s.tool("settings", "show"); !strings.Contains(out, "written by this tool") {
			t.Errorf("%s: settings show:\n%s", c.title, out)
		}
		if text := s.undo(); !strings.Contains(text, "data-done") || s.read(s.settings()) != before {
			t.Errorf("%s: undo: %s\nleaves\n%s\nbefore it was\n%s", c.title, text, s.read(s.settings()), before)
		}
		s.tool(commandIn(t, plan)...)
		if line := s.read(s.settings()); expires.ReplaceAllString(line, "E") != expires.ReplaceAllString(after, "E") || line == "" {
			t.Errorf("%s: the page writes\n%s\nthe command line\n%s", c.title, after, line)
		}
	}
}

// The page makes a plan again before it applies it: if the file has changed, it shows the plan again. Undo refuses a file that another program
// has changed since.
func TestUIAppliesWhatWasShown(t *testing.T) {
	t.Parallel()
	s := newUI(t, "VK_LAYER_a").serve()
	s.page("/page/program")
	form := url.Values{"layer": {"VK_LAYER_a=off", "others"}}
	plan := s.plan("layers", form)
	digest := regexp.MustCompile(`name="digest" value="([^"]*)"`).FindStringSubmatch(plan)
	if digest == nil || s.read(s.settings()) != "" {
		t.Fatalf("a plan:\n%s\nhas written %s", plan, s.read(s.settings()))
	}
	s.tool("settings", "set", "--log", "warn")
	between := s.read(s.settings())
	form.Set("digest", digest[1])
	if again := s.plan("layers", form); !strings.Contains(again, "has changed since") || strings.Contains(again, "data-done") || s.read(s.settings()) != between {
		t.Errorf("applied all the same:\n%s", again)
	}
	form.Del("digest")
	s.apply("layers", form)
	s.tool("settings", "set", "--log", "error")
	last := s.read(s.settings())
	if text := s.undo(); !strings.Contains(text, "has changed since") || s.read(s.settings()) != last {
		t.Errorf("undone all the same: %s", text)
	}
	if text := s.plan("none", url.Values{}); !strings.Contains(text, "there is no change") {
		t.Error(text)
	}
}

// A finding with a fix in the user's own files has a button. The page shows the fix, and writes the same as "doctor --fix".
func TestUIFixes(t *testing.T) {
	t.Parallel()
	s := newUI(t)
	file := filepath.Join(s.home, ".config/environment.d/vulkan.conf")
	s.write("home/.config/environment.d/vulkan.conf", "A=1\nVK_DRIVER_FILES=/none/gone.json\n")
	s.env = append(s.env, "VK_DRIVER_FILES=/none/gone.json")
	s.serve()
	text := s.page("/page/overview")
	step := regexp.MustCompile(`data-change="fix"><input type="hidden" name="step" value="([^"]*)"`).FindStringSubmatch(text)
	if step == nil {
		t.Fatalf("no fix on the page:\n%s", text)
	}
	before := s.read(file)
	plan := s.apply("fix", url.Values{"step": {html.UnescapeString(step[1])}})
	after := s.read(file)
	if after == before || !strings.Contains(plan, file) || !strings.Contains(html.UnescapeString(plan), after) {
		t.Errorf("planned:\n%s\nwritten:\n%s", plan, after)
	}
	if text := s.page("/page/program"); !strings.Contains(text, "Last change") {
		t.Errorf("no undo on the page:\n%s", text)
	}
	if text := s.undo(); s.read(file) != before {
		t.Errorf("undo: %s\n%s", text, s.read(file))
	}
	if out := s.tool("doctor", "--undo"); !strings.Contains(out, "nothing to undo") {
		t.Errorf("the page's undo leaves something: %s", out)
	}
	s.tool("doctor", "--fix", "--yes", "--no-probe")
	if s.read(file) != after {
		t.Errorf("doctor --fix writes\n%s\nthe page\n%s", s.read(file), after)
	}
	if text := s.plan("fix", url.Values{"step": {"rm+%2Fetc%2Fpasswd"}}); !strings.Contains(text, "no step has this line") {
		t.Errorf("a step that is none:\n%s", text)
	}
}

// While settings, policies or variables override something, every page says what, by whom and until when, and removes it.
func TestUIBanner(t *testing.T) {
	t.Parallel()
	s := newUI(t, "VK_LAYER_a", "VK_LAYER_b")
	s.env = append(s.env, "VK_LOADER_LAYERS_DISABLE=VK_LAYER_none")
	lib := s.write("lib.so", "\x7fELF")
	s.write("share/vulkan/implicit_layer.d/real.json", fmt.Sprintf(`{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_real","type":"GLOBAL","library_path":%q,"api_version":"1.3.0","implementation_version":"1","description":"d","disable_environment":{"NO_REAL":"1"}}}`, lib))
	s.serve()
	overridden := func(title string, want ...string) {
		t.Helper()
		for _, page := range []string{"overview", "programs", "program"} {
			text := s.page("/page/" + page)
			banner, _, _ := strings.Cut(text, "<h1>")
			for _, want := range want {
				if absent, is := strings.CutPrefix(want, "!"); is && strings.Contains(banner, absent) || !is && !strings.Contains(banner, want) {
					t.Errorf("%s: on %s, %q:\n%s", title, page, want, banner)
				}
			}
		}
	}
	overridden("a variable", "<strong>Variable</strong>", "VK_LOADER_LAYERS_DISABLE=VK_LAYER_none", "unset VK_LOADER_LAYERS_DISABLE", "!<strong>Settings", "!HOME")
	s.tool("settings", "set", "--layer", "VK_LAYER_a=off", "--expires", "8h")
	until := regexp.MustCompile(`"expires": "([^"]*)"`).FindStringSubmatch(s.read(s.settings()))
	overridden("settings", "<strong>Settings file</strong>", "off VK_LAYER_a", "for all programs", until[1], s.settings(), "vkloader, by ")
	s.tool("settings", "set", "--hardware", "present")
	overridden("a policy", "<strong>Policy</strong>", "hardware: present")
	out := s.tool("settings", "set", "--layer", "VK_LAYER_real=off", "--until-changed")
	overridden("until it changes: "+out, "off VK_LAYER_real until "+lib+" changes, off VK_LAYER_a")

	s.apply("policy", url.Values{"name": {"hardware"}, "app": {""}})
	overridden("without the policy", "!<strong>Policy", "<strong>Settings file</strong>")
	s.apply("clear", url.Values{"name": {""}, "app": {""}})
	overridden("cleared", "!<strong>Settings", "<strong>Variable</strong>")
	if s.read(s.settings()) != "" {
		t.Error("the file is left")
	}
	for range 2 {
		s.undo()
	}
	overridden("undone", "<strong>Policy</strong>", "off VK_LAYER_real until "+lib+" changes, off VK_LAYER_a")
	if text := s.undo(); !strings.Contains(text, "nothing to undo") {
		t.Error(text)
	}

	// Another program's file is removed as "settings clear --force" removes it, and undo restores it.
	s.tool("settings", "clear")
	if err := os.WriteFile(s.settings(), []byte(`{"file_format_version":"1.0.0","settings":{"layers":[]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	overridden("another program's", "another program", `data-change="clear"`)
	if plan := s.apply("clear", url.Values{"name": {""}, "app": {""}}); !strings.Contains(plan, "vkloader settings clear --force") || s.read(s.settings()) != "" {
		t.Errorf("another program's file stays: %s", plan)
	}
	s.undo()
	overridden("another program's again", "another program")
}

// order returns the used layers of a page, from the program down.
func order(text string) string {
	in, _, _ := strings.Cut(text, "<h2>Drivers, in the order")
	_, in, _ = strings.Cut(in, "<h2>Layers, from the program")
	var names []string
	for _, found := range regexp.MustCompile(`\d+\. <strong>VK_LAYER_(\w+)</strong>`).FindAllStringSubmatch(in, -1) {
		names = append(names, found[1])
	}
	return strings.Join(names, " ")
}

// addressIn returns the address in the page's text after a change.
func addressIn(text string) string {
	found := regexp.MustCompile(`data-address="([^"]*)"`).FindStringSubmatch(text)
	return html.UnescapeString(found[1])
}

// The page switches and orders layers: the core decides, the page shows both decisions, its address contains the change, and no file is
// written.
func TestUIChain(t *testing.T) {
	t.Parallel()
	s := newUI(t, "!VK_LAYER_x", "!VK_LAYER_y")
	for i, name := range []string{"a", "b", "c"} { // in three directories, in the order of XDG_DATA_DIRS
		s.write(fmt.Sprintf("d%d/vulkan/implicit_layer.d/l.json", i), fmt.Sprintf(`{
			"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_%s","type":"GLOBAL","library_path":"/none/l.so","api_version":"1.3.0","implementation_version":"1","description":"d","disable_environment":{"NO_L":"1"}}}`, name))
	}
	top := filepath.Dir(s.home)
	s.env = append(s.env, "XDG_DATA_DIRS="+top+"/share:"+top+"/d0:"+top+"/d1:"+top+"/d2")
	app := s.write("bin/game", "#!/bin/sh\n")
	s.serve()
	at := "/page/program" + app
	text := s.page(at)
	if got := order(text); got != "a b c" {
		t.Fatalf("at first %q\n%s", got, text)
	}
	for _, want := range []string{"<h1>Chain of game</h1>", "Rule and file", "LAY-144", "d0/vulkan/implicit_layer.d/l.json:2:", `aria-label="Move VK_LAYER_a down"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	fetch := regexp.MustCompile(`data-fetch="(/part/item[^"]*item=VK_LAYER_a[^"]*)"`).FindStringSubmatch(text)
	if fetch == nil {
		t.Fatalf("nothing more on VK_LAYER_a:\n%s", text)
	}
	if item := s.page(html.UnescapeString(fetch[1])); !strings.Contains(item, "VK_LOADER_LAYERS_DISABLE=VK_LAYER_a") {
		t.Errorf("more on VK_LAYER_a, from %s:\n%s", fetch[1], item)
	}
	if strings.Contains(text, "Without and with the change") {
		t.Error("a change before anything was changed")
	}
	step := func(do, want, say string) {
		t.Helper()
		text = s.page(at + map[bool]string{true: "&", false: "?"}[strings.Contains(at, "?")] + url.Values{"do": {do}}.Encode())
		if got := order(text); got != want || !strings.Contains(text, say) {
			t.Errorf("%s: %q, want %q; no %q in\n%s", do, got, want, say, text)
		}
		at = "/page/" + addressIn(text)
		if again := order(s.page(at)); again != want {
			t.Errorf("%s: the address %s shows %q", do, at, again)
		}
	}
	step("down:VK_LAYER_a", "b a c", "VK_LAYER_a is now layer 2 of 3")
	step("up:VK_LAYER_c", "b c a", "VK_LAYER_c is now layer 2 of 3")
	step("on:VK_LAYER_x", "b c a x", "<strong>(new)</strong>")
	step("off:VK_LAYER_b", "c a x", "<strong>(goes)</strong>")
	step("up:VK_LAYER_x", "c x a", "VK_LAYER_x is now layer 2 of 3")
	step("up:VK_LAYER_x", "x c a", "VK_LAYER_x is now layer 1 of 3")
	step("usual:VK_LAYER_b", "x c a b", "as it was before the change")
	step("up:VK_LAYER_x", "x c a b", "Nothing is written yet")
	step("up:VK_LAYER_gone", "x c a b", "Nothing is written yet")
	if s.read(s.settings()) != "" {
		t.Fatal("something is written")
	}
	// Export: the variables switch the same layers, with a note that they set no order; the settings file sets it.
	part := s.page("/part/export" + strings.TrimPrefix(at, "/page/program"))
	for _, want := range []string{"VK_LOADER_LAYERS_ENABLE=VK_LAYER_x", "in a different order", "[Service]", "%command%", "cdiVersion", `&#34;VK_LAYER_x&#34;`} {
		if !strings.Contains(part, want) {
			t.Errorf("no %q in\n%s", want, part)
		}
	}
	if picture := s.page("/part/picture" + strings.TrimPrefix(at, "/page/program")); strings.Index(picture, "VK_LAYER_x") > strings.Index(picture, "VK_LAYER_c") ||
		!strings.Contains(picture, "<svg") {
		t.Errorf("the picture:\n%s", picture)
	}
	query, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	form := query.Query()
	form.Set("app", app)
	s.apply("layers", form)
	if text = s.page("/page/program" + app); order(text) != "x c a b" || strings.Contains(text, "Without and with the change") {
		t.Errorf("applied: %q\n%s", order(text), text)
	}
	if text = s.page(at); strings.Contains(text, "Without and with the change") {
		t.Errorf("the address of what is applied shows a change:\n%s", text)
	}
	if other := order(s.page("/page/program/bin/sh")); other != "a b c" {
		t.Errorf("another program gets %q", other)
	}
	// Other conditions: variables, and an elevated program.
	if got := order(s.page("/page/program"+app, variables("VK_LOADER_LAYERS_DISABLE=VK_LAYER_a", "X=1"))); strings.Contains(got, "a") {
		t.Errorf("with a variable: %q", got)
	}
	if text := s.page("/page/program" + app + "?elevated=1"); strings.Contains(order(text), "a b") || !strings.Contains(text, "checked") {
		t.Errorf("with more rights, which has no XDG_DATA_DIRS:\n%s", text)
	}
	if got := order(s.page("/page/program/sh?find=VK_LAYER_C")); got != "c" {
		t.Errorf("found: %q", got)
	}
	for address, want := range map[string]string{"/page/program/no-such-program": "no program no-such-program in PATH", "/page/program/no/such": "/no/such does not exist",
		"/page/program?layer=what%253Dno": "cannot be read", "/page/program?pid=999999999": "process 999999999 has ended"} {
		if status, text, _ := s.ask(http.MethodGet, address, nil); status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", address, status, text)
		}
	}
}

// Running programs appear and disappear on the page while it is open, with their loaded files, and the files that an update replaced.
func TestUIPrograms(t *testing.T) {
	t.Parallel()
	w, h := running(t, false)
	s := newUI(t)
	s.root = true // the page of the user who runs the test, and the program
	s.serve()
	wait := func(title string, events <-chan string, is func(text string) bool) string {
		t.Helper()
		late := time.After(2 * time.Minute)
		text := ""
		for {
			select {
			case text = <-events:
				if is(text) {
					return text
				}
			case <-late:
				t.Fatalf("%s: it is not told\n%s", title, text)
			}
		}
	}
	link := fmt.Sprintf(`id="process-%d"`, h.Pid())
	if text := s.page("/page/programs"); !strings.Contains(text, link) || !strings.Contains(text, `data-live="/live/programs"`) || !strings.Contains(text, "VK_LAYER_ACME_overlay") ||
		!strings.Contains(text, fmt.Sprintf(`?pid=%d"`, h.Pid())) {
		t.Errorf("the page:\n%s", text)
	}
	if text := s.page(fmt.Sprintf("/page/program/host?pid=%d", h.Pid())); order(text) != "ACME_overlay" || !strings.Contains(text, "chain of process") {
		t.Errorf("its chain:\n%s", text)
	}
	first, second := s.events(), s.events()
	for _, events := range []<-chan string{first, second} {
		wait("it runs", events, func(text string) bool { return strings.Contains(text, link) && strings.Contains(text, "acme.json") })
	}
	library := w.Path("lib/VK_LAYER_ACME_overlay.so")
	text, err := os.ReadFile(library)
	if err == nil {
		if err = os.Remove(library); err == nil {
			err = os.WriteFile(library, text, 0o755)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	wait("an update", first, func(text string) bool {
		return strings.Contains(text, "An update replaced files") && strings.Contains(text, "replaced</strong>")
	})
	h.Quit()
	for _, events := range []<-chan string{first, second} {
		wait("it has ended", events, func(text string) bool { return !strings.Contains(text, link) })
	}
}

// Thousands of layers remain usable: the length of a page is limited, and each layer can be found by its name.
func TestUIManyLayers(t *testing.T) {
	t.Parallel()
	s := newUI(t)
	count := 2000
	if os.Getenv("VKLOADER_TEST_ALL") != "" {
		count = 10000
	}
	for i := range count {
		s.write(fmt.Sprintf("share/vulkan/explicit_layer.d/%05d.json", i), fmt.Sprintf(`{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_%05d","type":"GLOBAL","library_path":"/none/l.so","api_version":"1.3.0","implementation_version":"1","description":"d"}}`, i))
	}
	s.serve()
	if text := s.page("/page/program"); strings.Contains(text, `data-start="picture`) {
		t.Error("the page offers to ask every layer")
	}
	for _, path := range []string{"/page/overview", "/page/program", "/part/picture"} {
		began := time.Now()
		text := s.page(path)
		t.Logf("%s: %d bytes in %s", path, len(text), time.Since(began))
		if len(text) > 150_000 {
			t.Errorf("%s has %d bytes", path, len(text))
		}
	}
	last := fmt.Sprintf("VK_LAYER_%05d", count-1)
	if text := s.page("/page/program?find=" + last); !strings.Contains(text, `aria-label="Switch `+last+` on"`) {
		t.Errorf("the last one is not found:\n%s", text)
	}
	text := s.page("/page/program?find=" + last + "&do=on:" + last)
	if !strings.Contains(text, last+" <strong>(new)</strong>") {
		t.Errorf("switched on:\n%s", text)
	}
}

// All files of the page are less than 150 kB, without a user's data, and so is each page of a usual machine.
func TestUIIsSmall(t *testing.T) {
	t.Parallel()
	s := newUI(t, "VK_LAYER_a", "!VK_LAYER_b").serve()
	sum := 0
	for _, path := range []string{"/", "/assets/ui.js", "/assets/ui.css", "/assets/icon.svg", "/page/overview?notes", "/page/programs", "/page/program", "/part/picture"} {
		sum += len(s.page(path))
	}
	t.Logf("%d bytes", sum)
	if sum > 150_000 {
		t.Errorf("%d bytes", sum)
	}
}

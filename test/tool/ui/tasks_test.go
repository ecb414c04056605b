package ui

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// person uses the page with the keyboard and the accessible names alone, and counts the steps.
type person struct {
	*browser
	steps int
}

// focus moves the focus to the control with a role and a name, as soon as the page has it.
func (p *person) focus(role, name string) {
	p.t.Helper()
	p.steps++
	for until := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		ctx, done := context.WithTimeout(p.ctx, time.Minute) // a question about a document that is replaced may get no answer
		err := chromedp.Run(ctx, chromedp.ActionFunc(func(ctx context.Context) error {
			root, err := dom.GetDocument().WithDepth(0).Do(ctx)
			if err != nil {
				return err
			}
			found, err := accessibility.QueryAXTree().WithNodeID(root.NodeID).WithAccessibleName(name).WithRole(role).Do(ctx)
			if err != nil || len(found) != 1 {
				return fmt.Errorf("%d controls: %w", len(found), err)
			}
			return dom.Focus().WithBackendNodeID(found[0].BackendDOMNodeID).Do(ctx)
		}))
		done()
		if err == nil && eval[bool](p.browser, `!document.querySelector("main[aria-busy]") && document.activeElement.tabIndex >= 0`) {
			return
		}
		if time.Now().After(until) {
			p.t.Fatalf("no %s %q: %v\n%s", role, name, err, p.shown())
		}
	}
}

// key presses a control with a key.
func (p *person) key(role, name, key string) {
	p.t.Helper()
	p.focus(role, name)
	p.do(chromedp.KeyEvent(key))
	p.wait(`!document.querySelector("main[aria-busy]")`)
}

func (p *person) open(link string)    { p.t.Helper(); p.key("link", link, kb.Enter) }
func (p *person) push(button string)  { p.t.Helper(); p.key("button", button, kb.Enter) }
func (p *person) check(button string) { p.t.Helper(); p.key("radio", button, " ") }

// fill types into a field; choose selects a value of a list by its first
// letter: a busy browser takes a second letter that comes a second later for the first one of another value.
func (p *person) fill(field, text string)  { p.t.Helper(); p.key("textbox", field, text) }
func (p *person) choose(list, text string) { p.t.Helper(); p.key("combobox", list, text) }

const tasksLayer = "VK_LAYER_KHRONOS_validation"

// tasks are those of the table in docs/ui.md, with the result that a task must have.
var tasks = []struct {
	name string
	do   func(s *site, p *person)
	done string // an expression that is true in the end
}{
	{"start a program and read what it writes", func(s *site, p *person) {
		p.open("Start a program")
		p.fill("Program, by its path or name", s.path("bin/talks"))
		p.push("Start")
	}, `document.querySelector("#output ol").innerText.includes("says nothing")`},
	{"start it with an argument, and search its lines", func(s *site, p *person) {
		p.open("Start a program")
		p.fill("Program, by its path or name", s.path("bin/talks"))
		p.fill("Arguments, one on each line", "much")
		p.push("Start")
		p.fill("Lines that contain", "much")
	}, `Array.from(document.querySelectorAll("#output li:not([hidden])"), (e) => e.innerText).includes("says much")`},
	{"run it once with a configuration, which nothing else gets", func(s *site, p *person) {
		p.open("Start a program")
		p.fill("Program, by its path or name", s.path("bin/talks"))
		p.choose("Configuration", "q")
		p.push("Start")
	}, `document.querySelector("#output ol").innerText.includes("app_keys") && document.getElementById("end").innerText.includes("ended")`},
	{"give one program a configuration", func(s *site, p *person) {
		p.open("Configurations")
		p.fill("Program, by its path or name; empty: all programs", s.path("bin/talks"))
		p.push("Use quiet")
		p.push("Apply")
	}, `document.querySelector(".banner").innerText.includes("bin/talks: off VK_LAYER_TEST_first")`},
	{"get a preset of a layer as variables of a shell", func(s *site, p *person) {
		p.open("Layer settings")
		p.open(tasksLayer)
		p.open("Best Practices")
		p.check("one shell, with variables")
		p.push("Copy the variables")
	}, `document.getElementById("exports").innerText.includes("BEST_PRACTICES")`},
	{"collect the loader's log, its configuration and the devices for a bug report", func(s *site, p *person) {
		p.open("Report")
		p.push("Collect")
		p.push("Save the archive")
	}, `document.getElementById("status").textContent === "Saved vkloader-bundle.tar.gz"`},
	{"read a layer's documentation, version and platforms", func(s *site, p *person) {
		p.open("Layer settings")
		p.open(tasksLayer)
	}, `document.querySelector(".facts").innerText.includes("version")`},
	{"read the loader's settings in force", func(s *site, p *person) {
		p.open(s.path(settingsFile))
	}, `document.querySelector("ol.text").innerText.includes("settings_array")`},
	{"see where layers are searched and found", func(s *site, p *person) { p.open("Files") },
		`document.querySelector("main").innerText.includes("first.json")`},
	{"end every override", func(s *site, p *person) {
		p.push("Remove Settings file: for all programs: off VK_LAYER_TEST_second")
		p.push("Apply")
	}, `!document.querySelector(".banner")`},
	// In the table below it.
	{"switch a layer off for all programs", func(s *site, p *person) {
		p.open("Layers and drivers")
		p.push("Switch VK_LAYER_TEST_first off")
		p.push("Apply the change of VK_LAYER_TEST_first")
		p.push("Apply")
	}, `document.querySelector(".banner").innerText.includes("VK_LAYER_TEST_first")`},
	{"choose a device for all programs", func(s *site, p *person) {
		p.open("Layers and drivers")
		p.push("List devices")
		p.choose("Place of Zeta", "1")
		p.push("Choose these devices …")
		p.push("Apply")
	}, `document.querySelector(".banner").innerText.includes("devices Zeta")`},
	{"choose a preset of a layer in a configuration", func(s *site, p *person) {
		p.open("Configurations")
		p.open("checked")
		p.push("Preset Best Practices of " + tasksLayer)
		p.push("Apply")
	}, `document.querySelector("main").innerText.includes("khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT")`},
}

// Each task is done at 1280 and 390 pixels with the steps of the table in docs/ui.md, fewer than vkconfig's in its first part.
func TestTasks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/ui.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{1280, 390} {
		for n, task := range tasks {
			t.Run(fmt.Sprintf("%d/%s", width, task.name), func(t *testing.T) {
				s := newSite(t)
				s.validation()
				s.twoDrivers()
				s.write("bin/talks", "#!/bin/sh\necho says ${1:-nothing}\ncat "+s.path(settingsFile)+" 2>/dev/null\n")
				if err := os.Chmod(s.path("bin/talks"), 0o755); err != nil {
					t.Fatal(err)
				}
				s.run("settings", "set", "--layer", "VK_LAYER_TEST_first=off")
				s.run("settings", "save", "quiet")
				s.run("settings", "clear")
				if strings.Contains(task.name, "force") || strings.Contains(task.name, "override") {
					s.run("settings", "set", "--layer", "VK_LAYER_TEST_second=off")
				}
				if strings.Contains(task.name, "in a configuration") {
					s.write("checked.json", `{"settings": {"layers": [{"name": "`+tasksLayer+`", "control": "on"}]}}`)
					s.run("settings", "save", "checked", "--from", s.path("checked.json"))
				}
				b := s.serve().page("overview")
				b.size(width)
				p := &person{browser: b}
				task.do(s, p)
				b.wait(task.done)
				var theirs, ours int
				if _, row, is := strings.Cut(string(text), "| "+task.name+" | "); !is {
					t.Fatal("docs/ui.md has no such task")
				} else if _, err := fmt.Sscanf(row, "%d | %d |", &theirs, &ours); err != nil {
					t.Fatal(err)
				}
				if ours != p.steps || ours >= theirs && n < 10 {
					t.Errorf("%d steps; docs/ui.md says %d, and %d with vkconfig", p.steps, ours, theirs)
				}
			})
		}
	}
}

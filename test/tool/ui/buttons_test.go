package ui

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// files returns the paths, modes, times and sizes of the site's files, except those in its temporary directory.
func (s *site) files() string {
	s.t.Helper()
	var list strings.Builder
	if err := filepath.WalkDir(s.directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == s.path("tmp") {
			return filepath.SkipDir
		}
		info, err := entry.Info()
		if err == nil {
			fmt.Fprintln(&list, path, info.Mode(), info.ModTime(), info.Size())
		}
		return err
	}); err != nil {
		s.t.Fatal(err)
	}
	return list.String()
}

// With --read-only, no button of any page changes a file or is refused by the server. Only the buttons that announce a child process start
// one.
func TestReadOnlyButtons(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.validation()
	broken := "share/vulkan/explicit_layer.d/broken.json"
	s.write(broken, "{ \"layer\": \n")
	s.run("settings", "set", "--layer", "VK_LAYER_TEST_second=off", "--expires", "8h")
	if err := os.Chmod(s.path("share/vulkan/implicit_layer.d/first.json"), 0o600); err != nil { // a finding with a fix
		t.Fatal(err)
	}
	started, before := s.trace(), s.files()
	b := s.serve("--read-only").page("overview")
	pages := append(addresses(), "program/bin/sh", "program?layer=VK_LAYER_TEST_second%253Doff", "layers/VK_LAYER_KHRONOS_validation?preset=3",
		"files?file="+strings.ReplaceAll(s.path(broken), "/", "%252F"))
	show := func(address string) {
		t.Helper()
		b.to(address)
		b.wait(`!document.querySelector("main [aria-busy]") && (!document.querySelector("[data-later]") || document.querySelector(".picture svg"))`)
	}
	const buttons = `Array.from(document.querySelectorAll("main button")).filter((e) => !e.disabled && !!(e.dataset.start || e.form?.dataset.start) === %s)`
	const changing = `Array.from(document.querySelectorAll("form[data-change] button, form[data-post] button")).filter((e) => !e.dataset.start && e.name !== "part").map((e) => e.innerText)`
	at := len(started())
	if at == 0 {
		t.Fatal("strace has not seen the start of the page itself")
	}
	pressed := map[bool]int{}
	for _, starts := range []bool{false, true} {
		for _, address := range pages {
			show(address)
			if changes := eval[[]string](b, changing); len(changes) > 0 {
				t.Errorf("%s offers %q", address, changes)
			}
			for i := range eval[int](b, buttons+`.length`, starts) {
				show(address)
				name := eval[string](b, `(() => { const e = `+strings.ReplaceAll(buttons, "%s", fmt.Sprint(starts))+`[%s]; const text = e.innerText; e.click(); return text })()`, i)
				b.wait(`!document.querySelector("[aria-busy], .waits")`)
				if eval[bool](b, `document.getElementById("dialog").open`) {
					t.Fatalf("%s: a change is planned at the latest by %q", address, name)
				}
				pressed[starts]++
			}
		}
		if now := started(); (len(now) > at) != starts {
			t.Errorf("buttons that announce a process: %v. Started:\n%s", starts, strings.Join(now[at:], "\n"))
		}
	}
	if pressed[false] < 10 || pressed[true] < 3 {
		t.Errorf("pressed: %v", pressed)
	}
	if after := s.files(); after != before {
		t.Errorf("files before:\n%s\nand after:\n%s", before, after)
	}
}

// The page of a program with its own loader loads that file only after two clicks: the box that confirms it, and the button.
func TestOwnLoaderButtons(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	library, _, _ := s.evil()
	directory := filepath.Dir(library)
	loader, program := filepath.Join(directory, "libvulkan.so.1"), filepath.Join(directory, "game")
	if err := os.Rename(library, loader); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", "-x", "c", "-o", program, "-", "-Wl,--no-as-needed,--disable-new-dtags,-rpath,$ORIGIN", "-L"+directory, "-l:libvulkan.so.1")
	cmd.Stdin = strings.NewReader("int main(void) { return 0; }\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	started := s.trace()
	b := s.serve().page("program" + program)
	before := len(started())
	b.wait(`document.getElementById("confirm") && document.querySelector(".picture svg")`)
	if form := b.text("form[data-start^=picture]"); !strings.Contains(form, loader) {
		t.Errorf("before the confirmation:\n%s", b.shown())
	}
	b.click("#ask")
	if !b.has("#confirm:invalid") || b.has(".waits") {
		t.Errorf("without the confirmation:\n%s", b.shown())
	}
	b.click("#confirm")
	if now := started(); s.read("tmp/mark") != "" || len(now) != before {
		t.Errorf("the confirmation has loaded %q, and started:\n%s", s.read("tmp/mark"), strings.Join(now[before:], "\n"))
	}
	b.click("#ask")
	for until := time.Now().Add(limit); s.read("tmp/mark") == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("the button has not loaded the confirmed loader\n%s", b.shown())
		}
	}
}

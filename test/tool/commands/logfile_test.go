package commands

import (
	"os"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// The library writes a log file exactly where "settings set" accepts it: at a path without links.
func TestSettingsLogFile(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("card")
	for _, err := range []error{os.Mkdir(w.Path("logs"), 0o700), os.Symlink(w.Path("logs"), w.Path("link")), os.Mkdir(w.Path("open"), 0o700), os.Chmod(w.Path("open"), 0o777)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(code int, args ...string) string {
		t.Helper()
		out, exit := tried(w, append([]string{"settings"}, args...)...)
		if exit.Code != code {
			t.Fatalf("%v: %d, %s%s", args, exit.Code, out, exit.Stderr)
		}
		return out + exit.Stderr
	}
	lines := func() string {
		h := w.Start()
		h.OK("create_instance")
		h.Do("destroy_instance")
		h.Quit()
		text, _ := os.ReadFile(w.Path("logs/vulkan.log"))
		return string(text)
	}
	run(0, "set", "--log-file", w.Path("link/vulkan.log"), "--log", "info")
	if out := run(0, "show"); !strings.Contains(out, "log file: "+w.Path("logs/vulkan.log")+" (info)") {
		t.Error(out)
	}
	if out := run(0, "show", "--json"); !strings.Contains(out, `"log_file": "`+w.Path("logs/vulkan.log")+`"`) {
		t.Error(out)
	}
	if text := lines(); !strings.Contains(text, "an instance is created") || !strings.Contains(text, "] INFO: ") {
		t.Errorf("the file has %q", text)
	}
	run(0, "set", "--log-file", "none")
	was := len(lines())
	if now := len(lines()); now != was {
		t.Errorf("%d bytes more", now-was)
	}
	for file, why := range map[string]string{"open/log": "other users can write to", "gone/log": "not a directory", "logs": "not a regular file"} {
		if out := run(1, "set", "--log-file", w.Path(file)); !strings.Contains(out, why) {
			t.Errorf("%s: %s", file, out)
		}
	}
}

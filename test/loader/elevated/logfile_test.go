package elevated

import (
	"os"
	"testing"
)

// Only ordinary programs write the log file of the system's settings: a program with raised privileges writes none, even if it may
// write to the directory.
func TestLogFile(t *testing.T) {
	t.Parallel()
	for _, k := range append([]kind{ordinary}, elevations...) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			furnish(w)
			directory := w.Path("logs")
			if err := os.Mkdir(directory, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(directory, 0o777|os.ModeSticky); err != nil {
				t.Fatal(err)
			}
			w.Write("system/usr/local/etc/"+settingsFile, `{"file_format_version":"1.0.0","settings":{"vkloader_log_file":"`+directory+`/log"}}`)
			h := start(t, w, k)
			h.Do("open", "path", w.Loader)
			h.OK("create_instance")
			h.Do("destroy_instance")
			h.Quit()
			if _, err := os.Stat(directory + "/log"); (err == nil) == k.secure {
				t.Errorf("the log file: %v", err)
			}
		})
	}
}

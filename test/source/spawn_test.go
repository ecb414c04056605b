package source

import (
	"regexp"
	"strings"
	"testing"
)

// The tool starts processes in package spawn alone, so that a hook sees every start; only a tracer's fork is judged there and made
// by itself.
func TestProcessesStartInOnePlace(t *testing.T) {
	t.Parallel()
	starts := regexp.MustCompile(`\b(os\.StartProcess|syscall\.(ForkExec|StartProcess|Exec)|unix\.Exec)\(|exec\.Command(Context)?\([^\n]*\)\.(Start|Run|Output|CombinedOutput)\(|\b(cmd|child|command)\.(Start|Run|Output|CombinedOutput)\(\)`)
	seen := 0
	for _, f := range sources(t) {
		if f.test || !strings.HasPrefix(f.pack, "internal/") && f.pack != "discover" || f.pack == "internal/decide/spawn" {
			continue
		}
		seen += strings.Count(f.text, "spawn.")
		for _, found := range starts.FindAllString(f.text, -1) {
			if found == "syscall.ForkExec(" && strings.Contains(f.text, "spawn.Allowed(") || strings.Contains(found, "Exec(") && !strings.Contains(found, "Fork") {
				continue // the tracer; and exec, which starts no process
			}
			t.Errorf("%s: %s goes around package spawn", f.path, found)
		}
	}
	if seen == 0 {
		t.Error("nothing uses package spawn")
	}
}

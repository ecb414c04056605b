package machine

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// packageLimit is how long the package manager may take: its answer is nice to have.
const packageLimit = 3 * time.Second

// Owners asks the machine's dpkg, or rpm, which packages files belong to; what they do not know is left out, and so is
// everything on a system without them.
func (m *Machine) Owners(files []string) map[string]string {
	owners := map[string]string{}
	paths := []string{"-S", "--"}
	if m.Foreign() {
		database, err := m.Host("/var/lib/dpkg")
		if err != nil || !m.Exists("/var/lib/dpkg/status") {
			return owners
		}
		paths = append([]string{"--admindir=" + database}, paths...)
	}
	options := len(paths)
	for _, file := range files {
		// dpkg takes patterns: a path that could be one is not asked for.
		if strings.HasPrefix(file, "/") && !strings.ContainsAny(file, "*?[\\\n") {
			paths = append(paths, file)
		}
	}
	if len(paths) == options {
		return owners
	}
	ctx, cancel := context.WithTimeout(context.Background(), packageLimit)
	defer cancel()
	// It fails when it knows only some of them, and prints those.
	answer, _ := exec.CommandContext(ctx, "dpkg-query", paths...).Output()
	for _, line := range strings.Split(string(answer), "\n") {
		if owner, path, ok := strings.Cut(line, ": "); ok {
			owners[path] = owner
		}
	}
	if paths = paths[options:]; len(owners) == 0 && !m.Foreign() {
		rpmOwners(ctx, paths, owners)
	}
	return owners
}

// rpmOwners asks rpm: it answers with a line for each path, in order.
func rpmOwners(ctx context.Context, paths []string, owners map[string]string) {
	answer, _ := exec.CommandContext(ctx, "rpm", append([]string{"-qf", "--queryformat", "%{NAME}\n", "--"}, paths...)...).Output()
	lines := strings.Split(strings.TrimSuffix(string(answer), "\n"), "\n")
	if len(lines) != len(paths) {
		return
	}
	for i, line := range lines {
		if line != "" && !strings.Contains(line, " ") { // "file ... is not owned by any package"
			owners[paths[i]] = line
		}
	}
}

package machine

import (
	"bytes"
	"context"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// packageLimit is how long the package manager may take: its answer is nice to have.
const packageLimit = 3 * time.Second

// Owners tells which packages files belong to. On this machine dpkg or rpm is asked; where neither is, and on a foreign
// machine, the lists that dpkg, apk and pacman keep as texts are read. What they do not know is left out, and so is
// everything on a system without them.
func (m *Machine) Owners(files []string) map[string]string {
	owners := map[string]string{}
	var wanted []string
	for _, file := range files {
		if strings.HasPrefix(file, "/") && !strings.Contains(file, "\n") && !slices.Contains(wanted, file) {
			wanted = append(wanted, file)
		}
	}
	if len(wanted) == 0 {
		return owners
	}
	if !m.Foreign() {
		wanted = slices.DeleteFunc(wanted, func(file string) bool { // dpkg takes patterns: what could be one is not asked for
			return strings.ContainsAny(file, "*?[\\")
		})
		ctx, cancel := context.WithTimeout(context.Background(), packageLimit)
		defer cancel()
		if dpkgOwners(ctx, wanted, owners); len(owners) == 0 {
			rpmOwners(ctx, wanted, owners)
		}
	} else {
		m.dpkgLists(wanted, owners)
	}
	if len(owners) == 0 {
		m.apkDatabase(wanted, owners)
		m.pacmanDatabase(wanted, owners)
	}
	return owners
}

// dpkgOwners asks dpkg.
func dpkgOwners(ctx context.Context, files []string, owners map[string]string) {
	// It fails when it knows only some of them, and prints those.
	answer, _ := exec.CommandContext(ctx, "dpkg-query", append([]string{"-S", "--"}, files...)...).Output()
	dpkgAnswer(string(answer), owners)
}

// dpkgAnswer reads what dpkg-query -S prints: lines of an owner and a path, and of diversions, which name no owner.
func dpkgAnswer(answer string, owners map[string]string) {
	for _, line := range strings.Split(answer, "\n") {
		if owner, path, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(owner, "diversion by ") {
			owners[path] = owner
		}
	}
}

// enter notes the owner of those lines of a list that are wanted; prefix stands before them to make them whole paths.
func enter(owners map[string]string, wanted []string, list []byte, prefix, owner string) {
	for _, file := range wanted {
		line := strings.TrimPrefix(file, prefix)
		if bytes.Contains(list, []byte("\n"+line+"\n")) || bytes.HasPrefix(list, []byte(line+"\n")) {
			owners[file] = owner
		}
	}
}

// dpkgLists reads dpkg's lists: a file for each package, a path in each line.
func (m *Machine) dpkgLists(wanted []string, owners map[string]string) {
	const directory = "/var/lib/dpkg/info"
	entries, err := m.ReadDir(directory)
	for _, entry := range entries {
		name, is := strings.CutSuffix(entry.Name(), ".list")
		if err != nil || !is {
			continue
		}
		if list, err := m.ReadLarge(directory + "/" + entry.Name()); err == nil {
			enter(owners, wanted, list, "", name)
		}
	}
}

// apkDatabase reads apk's list of what is installed.
func (m *Machine) apkDatabase(wanted []string, owners map[string]string) {
	for p := range m.ApkInstalled() {
		for _, file := range p.Files {
			if slices.Contains(wanted, file) {
				owners[file] = p.Name
			}
		}
	}
}

// pacmanDatabase reads pacman's lists: a directory NAME-VERSION-RELEASE for each package.
func (m *Machine) pacmanDatabase(wanted []string, owners map[string]string) {
	const directory = "/var/lib/pacman/local"
	entries, err := m.ReadDir(directory)
	for _, entry := range entries {
		part := strings.Split(entry.Name(), "-")
		if err != nil || len(part) < 3 {
			continue
		}
		if list, err := m.ReadLarge(directory + "/" + entry.Name() + "/files"); err == nil {
			enter(owners, wanted, list, "/", strings.Join(part[:len(part)-2], "-"))
		}
	}
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

package programs

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

// The Debian packages are compiled and linked with the flags of dpkg-buildflags, and with noopt in DEB_BUILD_OPTIONS without
// optimisation, except for the core, which needs some on a stack of 16 kB.
func TestDebianBuildFlags(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dpkg-buildflags"); err != nil {
		t.Skip("for machines with Debian's dpkg-dev: ", err)
	}
	for _, c := range []struct{ options, optimization, core string }{
		{"", "-O2", "-O2"}, {"noopt", "-O0", "-O1"},
	} {
		b := t.TempDir() // an empty directory, so that make prints all commands
		cmd := exec.Command("make", "MAKE=make -n", "-f", "debian/rules", "override_dh_auto_build", "B="+b, "NATIVE="+b)
		cmd.Dir = machine.Repository(t)
		cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool {
			name, _, _ := strings.Cut(e, "=")
			return strings.HasPrefix(name, "MAKE") || strings.HasPrefix(name, "DEB_") || strings.HasSuffix(name, "FLAGS") || name == "CC"
		})
		cmd.Env = append(cmd.Env, "DEB_BUILD_OPTIONS="+c.options, "DEB_CPPFLAGS_APPEND=-DFROM_PREPROCESSOR", "DEB_CFLAGS_APPEND=-DFROM_COMPILER",
			"DEB_LDFLAGS_APPEND=-Wl,-z,fromlinker")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
		commands := strings.Split(strings.ReplaceAll(string(out), "\\\n", " "), "\n")
		for _, w := range []struct{ source, optimization, linked string }{
			{"-c -o " + b + "/obj/spine/core/plan.c.o spine/core/plan.c", c.optimization, ""},
			{"-c -o " + b + "/obj/core.o build/core.c", c.core, ""},
			{"-o " + b + "/libvulkan.so.", "", "-Wl,-z,fromlinker"},
			{"-o " + b + "/libexec/vkloader/probe ", c.optimization, "-Wl,-z,fromlinker"},
		} {
			i := slices.IndexFunc(commands, func(line string) bool { return strings.Contains(line, w.source) })
			if i < 0 {
				t.Errorf("%q: no command with %q", c.options, w.source)
				continue
			}
			words := strings.Fields(commands[i])
			last := ""
			for _, word := range words {
				if strings.HasPrefix(word, "-O") {
					last = word
				}
			}
			if w.optimization != "" && (last != w.optimization || !slices.Contains(words, "-DFROM_PREPROCESSOR") ||
				!slices.Contains(words, "-DFROM_COMPILER") || !slices.Contains(words, "-fstack-protector-strong")) ||
				w.linked != "" && !slices.Contains(words, w.linked) {
				t.Errorf("%q, want %s: %s", c.options, w.optimization, commands[i])
			}
		}
	}
}

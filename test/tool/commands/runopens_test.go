package commands

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// opening is the source of a program that opens a loader as WHAT says, and prints the path of the opened file.
const opening = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *vkGetInstanceProcAddr(void *, const char *);

static void *open_it(void) {
#if defined NAME
    return dlopen(NAME, RTLD_NOW);
#elif defined BESIDE || defined HIDDEN
    char path[PATH_MAX + 64] = "";
    if (readlink("/proc/self/exe", path, PATH_MAX) < 0) return NULL;
    dirname(path);
#ifdef BESIDE
    strcat(path, "/libvulkan.so.1");
#else
    strcat(path, "/there/libvulkan");
    strcat(path, ".so.1");
#endif
    return dlopen(path, RTLD_NOW);
#elif defined PLUGIN
    extern void *plugin(void);
    return plugin();
#endif
    return NULL;
}

int main(void) {
#ifdef LINKED
    void *function = (void *) vkGetInstanceProcAddr;
#else
    void *library = open_it();
    void *function = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
#endif
    Dl_info info;
    if (!function || !dladdr(function, &info)) return 1;
    puts(realpath(info.dli_fname, NULL));
    fflush(stdout);
    fprintf(stderr, "talk\n");
    return getchar() != EOF;
}
`

// "vkloader run" names each loader that a program opens in place of the tool's own: found by the dynamic linker's rules, by a path in the
// program or in a library that it needs, or in the program's directory. It names none for programs that get the tool's own. With --log it
// also names a file that only the running program shows.
func TestRunNamesOtherLoaders(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	d, err := filepath.EvalSymlinks(d)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(d, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compile := func(args ...string) {
		t.Helper()
		cmd := exec.Command("gcc", args...)
		cmd.Dir = d
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("gcc %v: %v\n%s", args, err, out)
		}
	}
	write("program.c", opening)
	write("other.c", "void *vkGetInstanceProcAddr(void *i, const char *n) { return i ? i : (void *) n; }\n")
	for _, place := range []string{"there", "beside"} {
		write(place+"/unused", "")
		compile("-shared", "-fPIC", "-Wl,-soname,libvulkan.so.1", "-o", place+"/libvulkan.so.1", "other.c")
		if err := os.Symlink("libvulkan.so.1", filepath.Join(d, place, "libvulkan.so")); err != nil {
			t.Fatal(err)
		}
	}
	there := filepath.Join(d, "there/libvulkan.so.1")
	write("plugin.c", "#include <dlfcn.h>\nvoid *plugin(void) { return dlopen(\""+there+"\", RTLD_NOW); }\n")
	compile("-shared", "-fPIC", "-o", "libplugin.so", "plugin.c")
	write("needs.c", "void *vkGetInstanceProcAddr(void *, const char *);\n#include <dlfcn.h>\n"+
		"void *plugin(void) { (void) vkGetInstanceProcAddr; return dlopen(\"libvulkan.so.1\", RTLD_NOW | RTLD_NOLOAD); }\n")
	compile("-shared", "-fPIC", "-o", "libneeds.so", "needs.c", "-Wl,--no-as-needed,--disable-new-dtags", "-Lthere", "-l:libvulkan.so.1", "-Wl,-rpath,$ORIGIN/there")
	if err := os.Symlink(there, filepath.Join(d, "vk.so")); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(built, "libvulkan.so.1")
	if own, err = filepath.EvalSymlinks(own); err != nil {
		t.Fatal(err)
	}
	link := []string{"-Wl,--no-as-needed", "-Lthere", "-l:libvulkan.so.1"}
	for i, c := range []struct {
		about string
		flags []string
		env   string
		got   string // the file that the program opens
		named string // the file in the warning before the start; "": none
	}{
		{"libvulkan.so.1 by name", []string{`-DNAME="libvulkan.so.1"`}, "", own, ""},
		{"libvulkan.so by name", []string{`-DNAME="libvulkan.so"`}, "", own, ""},
		{"linked", append([]string{"-DLINKED"}, link...), "", own, ""},
		{"linked, with DT_RUNPATH", append([]string{"-DLINKED", "-Wl,--enable-new-dtags,-rpath," + d + "/there"}, link...), "", own, ""},
		{"linked, with DT_RPATH", append([]string{"-DLINKED", "-Wl,--disable-new-dtags,-rpath," + d + "/there"}, link...), "", there, there},
		{"by name, with DT_RPATH", []string{`-DNAME="libvulkan.so"`, "-Wl,--disable-new-dtags,-rpath,$ORIGIN/there"}, "", there, there},
		{"by an absolute path", []string{`-DNAME="` + there + `"`}, "", there, ""},
		{"by this library's own path", []string{`-DNAME="` + own + `"`}, "", own, ""},
		{"by a path with $ORIGIN", []string{`-DNAME="$ORIGIN/there/libvulkan.so.1"`}, "", there, ""},
		{"by a path from the current directory", []string{`-DNAME="./there/libvulkan.so.1"`}, "", there, ""},
		{"beside the program", []string{"-DBESIDE"}, "", filepath.Join(d, "beside/libvulkan.so.1"), ""},
		{"by a needed library's path", []string{"-DPLUGIN", "-L.", "-lplugin", "-Wl,-rpath,$ORIGIN/.."}, "", there, ""},
		{"a needed library with DT_RPATH", []string{"-DPLUGIN", "-L.", "-lneeds", "-Wl,-rpath-link,there", "-Wl,-rpath,$ORIGIN/.."}, "", there, there},
		{"preloaded", []string{`-DNAME="libvulkan.so.1"`}, "LD_PRELOAD=" + there, there, there},
		{"by a path that the program makes", []string{"-DHIDDEN"}, "", there, ""},
	} {
		name := fmt.Sprintf("p%d/program", i)
		write(name, "")
		if c.flags[0] == "-DBESIDE" {
			name = "beside/program"
		}
		compile(append([]string{"-o", name, "program.c"}, append(c.flags, "-ldl")...)...)
		if c.flags[0] == "-DHIDDEN" {
			if err := os.Symlink(d+"/there", filepath.Join(d, filepath.Dir(name), "there")); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(strings.Join(c.flags, " "), "$ORIGIN/there") {
			if err := os.Symlink(d+"/there", filepath.Join(d, filepath.Dir(name), "there")); err != nil {
				t.Fatal(err)
			}
		}
		for _, option := range [][]string{nil, {"--log", os.DevNull}, {"--time"}} {
			cmd := exec.Command(filepath.Join(built, "vkloader"), append(append([]string{"run"}, option...), filepath.Join(d, name))...)
			cmd.Dir = d
			if c.env != "" {
				cmd.Env = append(os.Environ(), c.env)
			}
			var out, errs strings.Builder
			cmd.Stdout = &out
			input, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			errors, err := cmd.StderrPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			for lines := bufio.NewScanner(errors); lines.Scan(); {
				fmt.Fprintln(&errs, lines.Text())
				if lines.Text() == "talk" { // the loader is open; the program ends at the end of its input
					input.Close()
				}
			}
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%s, run %v: %v\n%s", c.about, option, err, errs.String())
			}
			if strings.TrimSpace(out.String()) != c.got {
				t.Errorf("%s, run %v: the test expects %s, and the program opened %s", c.about, option, c.got, out.String())
			}
			named := c.named
			if named == "" && option != nil && c.got != own {
				named = c.got
			}
			if has := strings.Contains(errs.String(), named+", not "); named != "" && !has {
				t.Errorf("%s, run %v does not name %s:\n%s", c.about, option, named, errs.String())
			}
			if named == "" && strings.Contains(errs.String(), "libvulkan") {
				t.Errorf("%s, run %v warns:\n%s", c.about, option, errs.String())
			}
		}
	}
}

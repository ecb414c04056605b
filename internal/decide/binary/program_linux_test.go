package binary

import (
	"debug/elf"
	"os"
	"slices"
	"testing"

	"vkloader/internal/decide/machine"
)

// nixLinker is a dynamic linker that searches only the directory of its own package, and not the system's cache.
const nixLinker = "soname=ld-linux-x86-64.so.2 texts=/nix/g/lib/,/nix/g/etc/ld.so.cache," +
	"ld.so%20(GNU%20libc)%20stable%20release%20version%202.34."

// systemLinker is Debian's dynamic linker.
const systemLinker = "soname=ld-linux-x86-64.so.2 texts=/lib/x86_64-linux-gnu/,/usr/lib/x86_64-linux-gnu/,/lib/,/usr/lib/,/etc/ld.so.cache," +
	"ld.so%20(Debian%20GLIBC%202.36-9)%20stable%20release%20version%202.36."

// foreignProgram returns a machine with a program that has its own C library, as Nix makes them on another distribution.
func foreignProgram() map[string]string {
	return map[string]string{
		"lib64/ld-linux-x86-64.so.2":            systemLinker,
		"lib/x86_64-linux-gnu/libc.so.6":        "soname=libc.so.6 defines=GLIBC_2.36",
		"usr/lib/x86_64-linux-gnu/libdrm.so.2":  "soname=libdrm.so.2",
		"usr/lib/x86_64-linux-gnu/libdriver.so": "needed=libc.so.6,libdrm.so.2 imports=stat@GLIBC_2.36@libc.so.6",
		"etc/ld.so.cache":                       "text" + string(cache("libdrm.so.2", "/usr/lib/x86_64-linux-gnu/libdrm.so.2")),
		"nix/g/lib/ld-linux-x86-64.so.2":        nixLinker,
		"nix/g/lib/libc.so.6":                   "soname=libc.so.6 defines=GLIBC_2.34",
		"nix/app/bin/app":                       "interp=/nix/g/lib/ld-linux-x86-64.so.2 needed=libc.so.6 runpath=/nix/g/lib",
		"usr/bin/app":                           "interp=/lib64/ld-linux-x86-64.so.2 needed=libc.so.6",
		"usr/bin/script":                        "text",
	}
}

func linkerFor(t *testing.T, files map[string]string, program string, environ ...string) *Linker {
	t.Helper()
	return NewLinker(&machine.Machine{Root: root(t, files), Environ: environ}, LinkerOptions{Class: 64, Machine: elf.EM_X86_64, Program: program})
}

// A program's own dynamic linker and C library decide about its drivers. The linker does not search the system's
// directories, and a driver gets the libraries that the program has loaded.
func TestProgramWithItsOwnLinker(t *testing.T) {
	t.Parallel()
	l := linkerFor(t, foreignProgram(), "/nix/app/bin/app")
	i := l.Interpreter()
	if i == nil || !i.Own || i.Version != "2.34" || !slices.Equal(i.directories, []string{"/nix/g/lib"}) {
		t.Fatalf("%+v", i)
	}
	c := closed(l, l.Open("/usr/lib/x86_64-linux-gnu/libdriver.so"))
	if len(c.Missing) != 1 || c.Missing[0].Name != "libdrm.so.2" {
		t.Errorf("missing: %+v", c.Missing)
	}
	if len(c.Old) != 1 || c.Old[0].In.Path != "/nix/g/lib/libc.so.6" || c.Old[0].Newest != "GLIBC_2.34" {
		t.Errorf("old: %+v", c.Old)
	}
	l = linkerFor(t, foreignProgram(), "/usr/bin/app")
	if i = l.Interpreter(); i == nil || i.Own || i.Version != "2.36" {
		t.Errorf("%+v", i)
	}
	if c = closed(l, l.Open("/usr/lib/x86_64-linux-gnu/libdriver.so")); len(c.Missing)+len(c.Old) != 0 {
		t.Errorf("the system's program: %+v", c)
	}
}

// A script counts as its interpreter.
func TestScript(t *testing.T) {
	t.Parallel()
	files := foreignProgram()
	for _, first := range []string{"#!/nix/app/bin/app -x\n", "#! /usr/bin/env app\n", "#!/usr/bin/second", "#!/usr/bin/env /nix/app/bin/app\n",
		"#!/usr/bin/env -S app -x\n", "#!/usr/bin/env -SA=B app\n", "#!/usr/bin/env -i -u X A=B app\n", "#!/usr/bin/env --split-string=app\n"} {
		files["usr/bin/script"], files["usr/bin/second"] = "text", "text"
		m := &machine.Machine{Root: root(t, files), Environ: []string{"PATH=/none:/nix/app/bin"}}
		write(t, m.Root+"/usr/bin/script", first)
		write(t, m.Root+"/usr/bin/second", "#!/nix/app/bin/app\n")
		l := NewLinker(m, LinkerOptions{Class: 64, Machine: elf.EM_X86_64, Program: "/usr/bin/script"})
		if l.Program() == nil || l.Program().Path != "/nix/app/bin/app" {
			t.Errorf("%q: %+v", first, l.Program())
		}
	}
}

// Each rule of the dynamic linker finds a library, and is reported.
func TestRules(t *testing.T) {
	t.Parallel()
	const name, lib = "libvulkan.so.1", "soname=libvulkan.so.1"
	for _, c := range []struct {
		program, environ string
		files            map[string]string
		want             string
		rule             Rule
	}{
		{"needed=libc.so.6", "", nil, "/usr/lib/x86_64-linux-gnu/libvulkan.so.1", ByDefault},
		{"needed=libvulkan.so.1", "", nil, "/usr/lib/x86_64-linux-gnu/libvulkan.so.1", ByDefault},
		{"runpath=$ORIGIN/../lib", "", map[string]string{"opt/lib/libvulkan.so.1": lib}, "/opt/bin/../lib/libvulkan.so.1", ByRunPath},
		{"rpath=$ORIGIN", "LD_LIBRARY_PATH=/env", map[string]string{"opt/bin/libvulkan.so.1": lib, "env/libvulkan.so.1": lib},
			"/opt/bin/libvulkan.so.1", ByRPath},
		{"runpath=$ORIGIN", "LD_LIBRARY_PATH=/env", map[string]string{"opt/bin/libvulkan.so.1": lib, "env/libvulkan.so.1": lib},
			"/env/libvulkan.so.1", ByVariable},
		{"needed=libc.so.6", "LD_PRELOAD=/pre/any.so", map[string]string{"pre/any.so": lib}, "/pre/any.so", ByPreload},
		{"needed=libc.so.6", "", map[string]string{"etc/ld.so.preload": "text /pre/any.so", "pre/any.so": lib}, "/pre/any.so", ByPreload},
		{"needed=libsdl.so runpath=$ORIGIN", "", map[string]string{"opt/bin/libsdl.so": "soname=libsdl.so needed=libvulkan.so.1 runpath=/sdl",
			"sdl/libvulkan.so.1": lib}, "/sdl/libvulkan.so.1", ByRunPath},
		{"needed=libc.so.6", "", map[string]string{"etc/ld.so.cache": "text" + string(cache(name, "/cached/libvulkan.so.1")),
			"cached/libvulkan.so.1": lib}, "/cached/libvulkan.so.1", ByCache},
	} {
		files := foreignProgram()
		files["usr/lib/x86_64-linux-gnu/libvulkan.so.1"] = lib
		files["opt/bin/app"] = "interp=/lib64/ld-linux-x86-64.so.2 " + c.program
		for path, words := range c.files {
			files[path] = words
		}
		r := linkerFor(t, files, "/opt/bin/app", c.environ).FindFor(name)
		if r.File == nil || r.File.Path != c.want || r.Rule != c.rule {
			t.Errorf("%s %s: %+v by rule %d, want %s by %d", c.program, c.environ, r.File, r.Rule, c.want, c.rule)
		}
	}
}

// The file of this machine's dynamic linker contains the directories that it searches.
func TestLinkerOfThisMachine(t *testing.T) {
	t.Parallel()
	l := NewLinker(&machine.Machine{}, LinkerOptions{Class: 64, Machine: elf.EM_X86_64, Program: "/bin/sh"})
	if i := l.Interpreter(); i == nil || i.Own || i.Version == "" || i.cache != "/etc/ld.so.cache" || !slices.Contains(i.directories, "/usr/lib") {
		t.Errorf("%+v", i)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// A driver gets the library that the program has loaded from its own directory, even if the system has a newer one. Programs
// often contain old copies of libstdc++.
func TestLoadedComesFirst(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"opt/bin/app":            "needed=libstdc++.so.6 runpath=$ORIGIN/../lib",
		"opt/lib/libstdc++.so.6": "soname=libstdc++.so.6 defines=GLIBCXX_3.4.28",
		"usr/lib/libstdc++.so.6": "soname=libstdc++.so.6 defines=GLIBCXX_3.4.28,GLIBCXX_3.4.30 exports=made",
		"usr/lib/libdriver.so":   "needed=libstdc++.so.6 imports=made@GLIBCXX_3.4.30@libstdc++.so.6",
		"usr/lib/libuses.so":     "imports=given",
		"opt/bin/other":          "needed=libgiven.so runpath=$ORIGIN/../lib",
		"opt/lib/libgiven.so":    "soname=libgiven.so exports=given",
	}
	l := linkerFor(t, files, "/opt/bin/app")
	if c := closed(l, l.Open("/usr/lib/libdriver.so")); len(c.Old) != 1 || c.Old[0].Newest != "GLIBCXX_3.4.28" {
		t.Errorf("%+v", c)
	}
	if c := closed(l, l.Open("/usr/lib/libuses.so")); !slices.Equal(c.Symbols, []string{"given"}) {
		t.Errorf("nothing defines it: %v", c.Symbols)
	}
	l = linkerFor(t, files, "")
	if c := closed(l, l.Open("/usr/lib/libdriver.so")); len(c.Old) != 0 {
		t.Errorf("without a program: %+v", c.Old)
	}
	l = linkerFor(t, files, "/opt/bin/other")
	if c := closed(l, l.Open("/usr/lib/libuses.so")); len(c.Symbols) != 0 {
		t.Errorf("the program has what defines it: %v", c.Symbols)
	}
}

package binary

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
	"vkloader/test/lib/tree"
)

// root lays out files: words for an ELF file (see test/lib/binary), "-> TARGET" for a link, "text" for another file.
func root(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	tree.Libraries(t, dir, files)
	return dir
}

func open(t *testing.T, files map[string]string, environ ...string) *Linker {
	t.Helper()
	return NewLinker(&machine.Machine{Root: root(t, files), Environ: environ}, LinkerOptions{Class: 64, Machine: elf.EM_X86_64})
}

// closed returns a library's closure with its symbols.
func closed(l *Linker, f *File) *Closure {
	c := l.Follow(f)
	l.Bind(c)
	return c
}

// The linker searches in the order of ld.so(8): the test removes the first place each time.
func TestOrderOfDirectories(t *testing.T) {
	t.Parallel()
	const plain = "soname=libx.so.1"
	files := map[string]string{
		"d/libd.so":                        "needed=libx.so.1 runpath=/run:$ORIGIN/near",
		"d/librp.so":                       "needed=libx.so.1 rpath=$ORIGIN/rp",
		"d/rp/libx.so.1":                   plain,
		"env/libx.so.1":                    plain,
		"run/libx.so.1":                    plain,
		"d/near/libx.so.1":                 plain,
		"cached/libx.so.1":                 plain,
		"lib/x86_64-linux-gnu/libx.so.1":   plain,
		"usr/lib/libx.so.1":                plain,
		"etc/ld.so.cache":                  "text" + string(cache("libx.so.1", "/cached/libx.so.1")),
		"usr/lib/i386-linux-gnu/libx.so.1": plain + " class=32 machine=i386",
	}
	linker := open(t, files, "LD_LIBRARY_PATH=/nowhere:/env")
	if got := linker.Find("libx.so.1", linker.Open("/d/librp.so")).File.Path; got != "/d/rp/libx.so.1" {
		t.Errorf("DT_RPATH comes first, got %s", got)
	}
	if c := closed(linker, linker.Open("/d/librp.so")); len(c.Files) != 2 || c.Files[1].Path != "/d/rp/libx.so.1" {
		t.Errorf("%+v", c)
	}
	for _, want := range []string{"/env/libx.so.1", "/run/libx.so.1", "/d/near/libx.so.1", "/cached/libx.so.1",
		"/lib/x86_64-linux-gnu/libx.so.1", "/usr/lib/libx.so.1"} {
		linker = open(t, files, "LD_LIBRARY_PATH=/nowhere:/env")
		r := linker.Find("libx.so.1", linker.Open("/d/libd.so"))
		if r.File == nil || r.File.Path != want {
			t.Errorf("got %+v, want %s", r, want)
		}
		delete(files, strings.TrimPrefix(want, "/"))
	}
	linker = open(t, files)
	r := linker.Find("libx.so.1")
	if r.File != nil || len(r.Others) != 0 {
		t.Errorf("found %+v", r)
	}
	files["lib/libx.so.1"] = plain + " class=32 machine=i386"
	if r = open(t, files).Find("libx.so.1"); r.File != nil || !slices.Equal(r.Others, []string{"/lib/libx.so.1"}) {
		t.Errorf("a library for other programs: %+v", r)
	}
	elevated := NewLinker(&machine.Machine{Root: root(t, map[string]string{"env/libx.so.1": plain}),
		Environ: []string{"LD_LIBRARY_PATH=/env"}}, LinkerOptions{Class: 64, Machine: elf.EM_X86_64, Elevated: true})
	if r := elevated.Find("libx.so.1"); r.File != nil {
		t.Errorf("LD_LIBRARY_PATH counts for an elevated process: %+v", r)
	}
}

// cache returns an ld.so.cache with entries name, path, ... for x86-64.
func cache(pairs ...string) []byte {
	order := binary.LittleEndian
	count := len(pairs) / 2
	head := append([]byte(cacheMagic), make([]byte, cacheHeader-len(cacheMagic))...)
	order.PutUint32(head[20:], uint32(count))
	head[28] = 2
	text := []byte{}
	for i := range pairs {
		if i%2 == 0 {
			head = order.AppendUint32(head, 0x0303)
		}
		head = order.AppendUint32(head, uint32(cacheHeader+count*cacheEntryLen+len(text)))
		text = append(text, pairs[i]+"\x00"...)
		if i%2 == 1 {
			head = append(head, make([]byte, 12)...)
		}
	}
	return append(head, text...)
}

// The cache of this machine names existing libraries.
func TestCacheOfThisMachine(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("/etc/ld.so.cache")
	if err != nil {
		t.Skipf("no cache: %v", err)
	}
	entries := parseCache(data)
	own, _ := machines.Own()
	if !slices.ContainsFunc(entries, func(e cacheEntry) bool {
		_, err := os.Stat(e.path)
		return e.name == "libc.so.6" && slices.Contains(own.Cache, e.flags) && err == nil
	}) {
		t.Errorf("no libc.so.6 among %d entries", len(entries))
	}
}

func FuzzCache(f *testing.F) {
	f.Add(cache("libx.so.1", "/x/libx.so.1"))
	f.Add([]byte(cacheMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n := len(parseCache(data)); n*cacheEntryLen > len(data) {
			t.Errorf("%d entries in %d bytes", n, len(data))
		}
	})
}

// A missing or too old library, and an undefined symbol, are reported with the library that needs them.
func TestClosure(t *testing.T) {
	t.Parallel()
	linker := open(t, map[string]string{
		"lib/libdriver.so": "needed=liba.so.1,libgone.so.2,libc.so.6",
		"lib/liba.so.1":    "soname=liba.so.1 needed=libgone.so.2,libdeep.so.3,libbad.so.1",
		"lib/libbad.so.1":  "text",
		"lib/libc.so.6":    "soname=libc.so.6 defines=GLIBC_2.2.5,GLIBC_2.9,GLIBC_2.36,GLIBC_PRIVATE exports=memcpy",
		"lib/libnew.so": "needed=libc.so.6,libplain.so.1 imports=f@GLIBC_2.38@libc.so.6,m@GLIBC_2.2.5@libc.so.6," +
			"p@PLAIN_9@libplain.so.1",
		"lib/libplain.so.1": "soname=libplain.so.1",
		"lib/libsym.so":     "needed=libc.so.6 imports=memcpy,nowhere",
	})
	c := closed(linker, linker.Open("/lib/libdriver.so"))
	var got []string
	for _, m := range c.Missing {
		got = append(got, m.Name+" by "+m.By.Path)
	}
	want := []string{"libgone.so.2 by /lib/libdriver.so", "libdeep.so.3 by /lib/liba.so.1", "libbad.so.1 by /lib/liba.so.1"}
	if !slices.Equal(got, want) {
		t.Errorf("missing %v, want %v", got, want)
	}
	if len(c.Missing) == 3 && c.Missing[2].Result.File.Err() == nil {
		t.Error("a text passes for a library")
	}
	c = closed(linker, linker.Open("/lib/libnew.so"))
	if len(c.Old) != 1 || c.Old[0].Version != "GLIBC_2.38" || c.Old[0].In.Path != "/lib/libc.so.6" ||
		c.Old[0].Newest != "GLIBC_2.36" {
		t.Errorf("too old: %+v", c.Old)
	}
	if c = closed(linker, linker.Open("/lib/libsym.so")); !slices.Equal(c.Symbols, []string{"nowhere"}) {
		t.Errorf("undefined: %v", c.Symbols)
	}
}

// The linker finds every library of the distribution's drivers, like the dynamic linker itself.
func TestRealLibraries(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("/usr/lib/x86_64-linux-gnu/libvulkan_*.so")
	if err != nil || len(names) == 0 {
		t.Fatal("Mesa's drivers are missing: install mesa-vulkan-drivers")
	}
	linker := NewLinker(&machine.Machine{}, LinkerOptions{Class: 64, Machine: elf.EM_X86_64})
	for _, name := range names {
		c := closed(linker, linker.Open(name))
		if len(c.Files) < 5 || len(c.Missing)+len(c.Old)+len(c.Symbols) != 0 {
			t.Errorf("%s: %d files, missing %+v, old %+v, undefined %v", name, len(c.Files), c.Missing, c.Old, c.Symbols)
		}
	}
}

// Libraries for better processors come first, in directories and in the cache, if the processor supports them.
func TestLevels(t *testing.T) {
	t.Parallel()
	const v2, v3 = "sse4_2 popcnt", "sse4_2 popcnt avx2 bmi1 bmi2 fma"
	cached := "text" + string(cache("liby.so.1", "/usr/c/glibc-hwcaps/x86-64-v3/liby.so.1", "liby.so.1", "/usr/c/liby.so.1"))
	for flags, want := range map[string][2]string{
		"":   {"/lib/libx.so.1", "/usr/c/liby.so.1"},
		v2:   {"/lib/glibc-hwcaps/x86-64-v2/libx.so.1", "/usr/c/liby.so.1"},
		v3:   {"/lib/glibc-hwcaps/x86-64-v3/libx.so.1", "/usr/c/glibc-hwcaps/x86-64-v3/liby.so.1"},
		"v3": {"/lib/libx.so.1", "/usr/c/liby.so.1"},
	} {
		files := map[string]string{
			"lib/libx.so.1":                          "soname=libx.so.1",
			"lib/glibc-hwcaps/x86-64-v2/libx.so.1":   "soname=libx.so.1",
			"lib/glibc-hwcaps/x86-64-v3/libx.so.1":   "soname=libx.so.1",
			"usr/c/liby.so.1":                        "soname=liby.so.1",
			"usr/c/glibc-hwcaps/x86-64-v3/liby.so.1": "soname=liby.so.1",
			"etc/ld.so.cache":                        cached,
			"proc/cpuinfo":                           "text\nprocessor : 0\nflags : fpu " + flags + "\nbugs :\n",
		}
		if flags == "" {
			delete(files, "proc/cpuinfo")
		}
		linker := open(t, files)
		for i, name := range []string{"libx.so.1", "liby.so.1"} {
			if r := linker.Find(name); r.File == nil || r.File.Path != want[i] {
				t.Errorf("%q: %s: %+v, want %s", flags, name, r, want[i])
			}
		}
	}
}

// A pipe in place of a library is no library; the linker does not wait for it.
func TestPipe(t *testing.T) {
	t.Parallel()
	dir := root(t, map[string]string{"lib/libdriver.so": "needed=libpipe.so.1"})
	if err := syscall.Mkfifo(filepath.Join(dir, "lib/libpipe.so.1"), 0o600); err != nil {
		t.Fatal(err)
	}
	linker := NewLinker(&machine.Machine{Root: dir}, LinkerOptions{Class: 64, Machine: elf.EM_X86_64})
	c := closed(linker, linker.Open("/lib/libdriver.so"))
	if len(c.Missing) != 1 || c.Missing[0].Result.File.Err() == nil {
		t.Errorf("%+v", c)
	}
}

func TestPlacesInPaths(t *testing.T) {
	t.Parallel()
	linker := open(t, map[string]string{"usr/lib/x86_64-linux-gnu/m/libm.so": "soname=libm.so"})
	for _, name := range []string{"/usr/$LIB/m/libm.so", "/usr/${LIB}/m/libm.so"} {
		if r := linker.Find(name); r.File == nil || r.File.Path != "/usr/lib/x86_64-linux-gnu/m/libm.so" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := linker.Find("/usr/$LIB/n/libm.so"); r.File != nil {
		t.Errorf("%+v", r)
	}
}

func TestCompareVersions(t *testing.T) {
	t.Parallel()
	order := []string{"GLIBC_2.2.5", "GLIBC_2.9", "GLIBC_2.36", "GLIBC_2.36.1", "GLIBC_10"}
	for i := range order {
		for j := range order {
			if got := CompareVersions(order[i], order[j]); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%s, %s: %d", order[i], order[j], got)
			}
		}
	}
}

// The default directories are those of the examined system, for one word size.
func TestDefaultDirectories(t *testing.T) {
	t.Parallel()
	const here = "soname=liba.so"
	for name, c := range map[string]struct {
		files   map[string]string
		class   int
		machine Machine
		want    string // where liba.so is found
	}{
		"multiarch":         {map[string]string{"usr/lib/x86_64-linux-gnu/liba.so": here, "usr/lib64/liba.so": here}, 64, elf.EM_X86_64, "/usr/lib/x86_64-linux-gnu/liba.so"},
		"not lib64 there":   {map[string]string{"usr/lib/x86_64-linux-gnu/x": "text", "usr/lib64/liba.so": here}, 64, elf.EM_X86_64, ""},
		"multiarch, 32-bit": {map[string]string{"usr/lib/x86_64-linux-gnu/liba.so": here, "usr/lib/i386-linux-gnu/liba.so": here + " class=32 machine=i386"}, 32, elf.EM_386, "/usr/lib/i386-linux-gnu/liba.so"},
		"lib64":             {map[string]string{"usr/lib/liba.so": here, "usr/lib64/liba.so": here}, 64, elf.EM_X86_64, "/usr/lib64/liba.so"},
		"not lib there":     {map[string]string{"usr/lib/liba.so": here, "usr/lib64/x": "text"}, 64, elf.EM_X86_64, ""},
		"lib alone":         {map[string]string{"usr/lib/liba.so": here}, 64, elf.EM_X86_64, "/usr/lib/liba.so"},
		"musl": {map[string]string{"lib/ld-musl-x86_64.so.1": "text", "usr/local/lib/liba.so": here, "usr/lib/liba.so": here}, 64, elf.EM_X86_64,
			"/usr/local/lib/liba.so"},
		"musl's path file": {map[string]string{"lib/ld-musl-x86_64.so.1": "text", "etc/ld-musl-x86_64.path": "text\n/opt/lib:/x\n",
			"opt/lib/liba.so": here, "usr/lib/liba.so": here}, 64, elf.EM_X86_64, "/opt/lib/liba.so"},
		"Nix": {map[string]string{"etc/NIXOS": "text", "usr/lib/liba.so": here}, 64, elf.EM_X86_64, ""},
	} {
		m := &machine.Machine{Root: root(t, c.files)}
		found := ""
		if r := NewLinker(m, LinkerOptions{Class: c.class, Machine: c.machine}).Find("liba.so"); r.File != nil {
			found = r.File.Path
		}
		if found != c.want {
			t.Errorf("%s: %q, want %q", name, found, c.want)
		}
	}
}

// For each machine of the table, libraries are found in Debian's directory, by the flags of the cache, and in musl's
// directories.
func TestMachines(t *testing.T) {
	t.Parallel()
	for _, m := range machines.All() {
		if m.BigEndian {
			continue // the test's libraries are little-endian
		}
		here := fmt.Sprintf("soname=liba.so class=%d machine=%s", m.Bits, m.Name)
		for place, files := range map[string]map[string]string{
			"/usr/lib/" + m.Multiarch + "/liba.so": {"usr/lib/liba.so": "soname=liba.so machine=riscv64 class=32"},
			"/opt/liba.so":                         {"etc/ld.so.cache": "text\n" + string(cacheOf(m.Cache[0], "liba.so", "/opt/liba.so"))},
			"/usr/local/lib/liba.so":               {m.Linkers[1][1:]: "text"},
			"/hwy/liba.so":                         {m.Linkers[1][1:]: "text", "etc/ld-musl-" + m.Musl() + ".path": "text\n/hwy"},
		} {
			files[place[1:]] = here
			l := NewLinker(&machine.Machine{Root: root(t, files)}, LinkerOptions{Class: m.Bits, Machine: m.ELF})
			if r := l.Find("liba.so"); r.File == nil || r.File.Path != place || r.File.Err() != nil {
				t.Errorf("%s: %+v, want %s", m.Name, r, place)
			}
		}
	}
}

// cacheOf returns a cache with one entry.
func cacheOf(flags uint32, name, path string) []byte {
	little := binary.LittleEndian
	text := cacheHeader + cacheEntryLen
	out := make([]byte, text)
	copy(out, cacheMagic)
	little.PutUint32(out[20:], 1)
	little.PutUint32(out[cacheHeader:], flags)
	little.PutUint32(out[cacheHeader+4:], uint32(text))
	little.PutUint32(out[cacheHeader+8:], uint32(text+len(name)+1))
	return append(out, name+"\x00"+path+"\x00"...)
}

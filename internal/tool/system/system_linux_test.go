package system

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
	"vkloader/internal/tool/exit"
	"vkloader/test/lib/tree"
)

const (
	debian64 = "usr/lib/x86_64-linux-gnu/"
	debian32 = "usr/lib/i386-linux-gnu/"
	theirs64 = "soname=libvulkan.so.1"
	theirs32 = "class=32 machine=i386 soname=libvulkan.so.1"
	ours     = " release=0.9.0"
)

// root returns a machine with files: words describe an ELF file (see test/lib/binary), "-> TARGET" a link, "text" another file.
func root(t *testing.T, files map[string]string) *machine.Machine {
	t.Helper()
	m := &machine.Machine{Root: t.TempDir()}
	tree.Libraries(t, m.Root, files)
	return m
}

func put(t *testing.T, m *machine.Machine, name, words string) {
	t.Helper()
	tree.Libraries(t, m.Root, map[string]string{name: words})
}

// packaged returns a machine with the packages of both loaders for both word sizes; the distribution's is in force.
func packaged(t *testing.T) *machine.Machine {
	files := map[string]string{"var/lib/dpkg/info/libvulkan1:amd64.list": "text\n/usr/lib/x86_64-linux-gnu/libvulkan.so.1.3.239\n",
		"var/lib/dpkg/info/libvulkan1-vkloader:i386.list": "text\n/usr/lib/i386-linux-gnu/vkloader/libvulkan.so.1.4.363\n"}
	for directory, library := range map[string]string{debian64: theirs64, debian32: theirs32} {
		files[directory+"libvulkan.so.1.3.239"] = library
		files[directory+"libvulkan.so.1"] = "-> libvulkan.so.1.3.239"
		files[directory+"libvulkan.so.1.distrib"] = "-> libvulkan.so.1.3.239"
		files[directory+"vkloader/libvulkan.so.1.4.363"] = library + ours
		files[directory+"vkloader/libvulkan.so.1"] = "-> libvulkan.so.1.4.363"
	}
	return root(t, files)
}

func links(t *testing.T, m *machine.Machine, directory string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(m.Root, directory))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(m.Root, directory, e.Name())); err == nil && e.Name() != "libvulkan.so.1.distrib" {
			all = append(all, e.Name()+" "+target)
		}
	}
	return strings.Join(all, ", ")
}

func inForce(s *Status) string {
	var all []string
	for _, a := range s.Architectures {
		all = append(all, a.Title()+": "+a.InForce)
	}
	return strings.Join(all, "; ")
}

// Use changes both word sizes, and back again. It changes only links.
func TestUse(t *testing.T) {
	t.Parallel()
	m := packaged(t)
	want := map[string]string{
		Vkloader:     "libvulkan.so.1 libvulkan.so.1.99.vkloader, libvulkan.so.1.99.vkloader vkloader/libvulkan.so.1",
		Distribution: "libvulkan.so.1 libvulkan.so.1.3.239",
	}
	for _, whose := range []string{Vkloader, Vkloader, Distribution, Distribution, Vkloader} {
		s, err := Use(m, whose)
		if err != nil {
			t.Fatal(err)
		}
		if got := inForce(s); got != "x86-64, 64 bits: "+whose+"; x86, 32 bits: "+whose {
			t.Errorf("after use %s: %s", whose, got)
		}
		for _, directory := range []string{debian64, debian32} {
			if got := links(t, m, directory); got != want[whose] {
				t.Errorf("after use %s, in %s: %s", whose, directory, got)
			}
		}
	}
}

func TestLook(t *testing.T) {
	t.Parallel()
	s := StatusOf(packaged(t))
	if got := inForce(s); got != "x86-64, 64 bits: distribution; x86, 32 bits: distribution" {
		t.Fatal(got)
	}
	a, b := s.Architectures[0], s.Architectures[1]
	for _, c := range []struct {
		what string
		got  *Installed
		want Installed
	}{
		{"found", &a.Found[0], Installed{Distribution, "/usr/lib/x86_64-linux-gnu/libvulkan.so.1", "/usr/lib/x86_64-linux-gnu/libvulkan.so.1.3.239",
			"1.3.239", "", "libvulkan1:amd64"}},
		{"distribution", b.Distribution, Installed{Distribution, "/usr/lib/i386-linux-gnu/libvulkan.so.1.3.239",
			"/usr/lib/i386-linux-gnu/libvulkan.so.1.3.239", "1.3.239", "", ""}},
		{"vkloader", b.Vkloader, Installed{Vkloader, "/usr/lib/i386-linux-gnu/vkloader/libvulkan.so.1",
			"/usr/lib/i386-linux-gnu/vkloader/libvulkan.so.1.4.363", "1.4.363", "0.9.0", "libvulkan1-vkloader:i386"}},
	} {
		if *c.got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.what, *c.got, c.want)
		}
	}
	if a.Change != "As root: vkloader system use vkloader" || a.Directory != "/usr/lib/x86_64-linux-gnu" {
		t.Errorf("%+v", a)
	}
}

// Of several loaders of the distribution, the newest counts, by the numbers in its version.
func TestNewestOfTheDistribution(t *testing.T) {
	t.Parallel()
	m := packaged(t)
	put(t, m, debian64+"libvulkan.so.1.3.1000", theirs64)
	put(t, m, debian64+"libvulkan.so.1.4.999", theirs64+ours) // of make install, and none of the distribution
	put(t, m, debian64+"libvulkan.so.1.5", "text")
	if _, err := Use(m, Distribution); err != nil {
		t.Fatal(err)
	}
	if got := links(t, m, debian64); got != "libvulkan.so.1 libvulkan.so.1.3.1000" {
		t.Error(got)
	}
}

// Each kind of installation has its own advice.
func TestOtherInstallations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, whose, change string
		files               map[string]string
	}{
		{"the distribution's alone", Distribution, "Install vkloader's library", map[string]string{
			"usr/lib64/libvulkan.so.1.3.239": theirs64, "usr/lib64/libvulkan.so.1": "-> libvulkan.so.1.3.239"}},
		{"make install into /usr", Vkloader, "make uninstall PREFIX=/usr LIBDIR=/usr/lib64 && ldconfig", map[string]string{
			"usr/lib64/libvulkan.so.1.4.363": theirs64 + ours, "usr/lib64/libvulkan.so.1": "-> libvulkan.so.1.4.363"}},
		{"a package in its place", Vkloader, "Removing the package vkloader-libs", map[string]string{
			"usr/lib64/libvulkan.so.1.4.363": theirs64 + ours, "usr/lib64/libvulkan.so.1": "-> libvulkan.so.1.4.363",
			"lib/apk/db/installed": "text\nP:vkloader-libs\nF:usr/lib64\nR:libvulkan.so.1.4.363\n"}},
		{"ours alone", Vkloader, "There is no other loader in /usr/lib64.", map[string]string{
			"usr/lib64/vkloader/libvulkan.so.1": theirs64 + ours, "usr/lib64/libvulkan.so.1": "-> vkloader/libvulkan.so.1"}},
		{"another one's", OtherLoader, "Install vkloader's library", map[string]string{
			"opt/libvulkan.so.1.9": theirs64, "usr/lib64/libvulkan.so.1": "-> /opt/libvulkan.so.1.9"}},
		{"both, and neither in force", InForceNone, "As root: vkloader system use vkloader", map[string]string{
			"usr/lib64/libvulkan.so.1.3.239": theirs64, "usr/lib64/vkloader/libvulkan.so.1": theirs64 + ours}},
	} {
		s := StatusOf(root(t, c.files))
		if len(s.Architectures) != 1 || s.Architectures[0].InForce != c.whose || !strings.Contains(s.Architectures[0].Change, c.change) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	if s := StatusOf(root(t, map[string]string{"usr/lib64/libvulkan.so.1": "text"})); len(s.Architectures) != 0 {
		t.Errorf("a text: %+v", s)
	}
}

// The status distinguishes the loaders of all architectures.
func TestEveryMachine(t *testing.T) {
	t.Parallel()
	for _, m := range machines.All() {
		if m.BigEndian {
			continue // the test's libraries are little-endian
		}
		at := "usr/lib/" + m.Multiarch + "/"
		theirs := fmt.Sprintf("soname=libvulkan.so.1 class=%d machine=%s", m.Bits, m.Name)
		s := StatusOf(root(t, map[string]string{at + "libvulkan.so.1.3.239": theirs, at + "libvulkan.so.1": "-> libvulkan.so.1.3.239",
			at + "vkloader/libvulkan.so.1": theirs + ours}))
		if len(s.Architectures) != 1 || s.Architectures[0].InForce != Distribution || s.Architectures[0].WordSize != m.Bits ||
			s.Architectures[0].Directory != "/"+strings.TrimSuffix(at, "/") {
			t.Errorf("%s: %+v", m.Name, s)
		}
	}
}

// An impossible request is an error and changes no file.
func TestUseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, whose, want string
		code              int
		files             map[string]string
	}{
		{"no vkloader", Vkloader, "x86-64, 64 bits: Install vkloader's library", exit.Problems, map[string]string{
			"usr/lib64/libvulkan.so.1.3.239": theirs64, "usr/lib64/libvulkan.so.1": "-> libvulkan.so.1.3.239"}},
		{"no distribution", Distribution, "no loader of the distribution", exit.NotLooked, map[string]string{
			"usr/lib64/vkloader/libvulkan.so.1": theirs64 + ours, "usr/lib64/libvulkan.so.1": "-> vkloader/libvulkan.so.1"}},
		{"a file in place of the link", Vkloader, "but a file", exit.NotLooked, map[string]string{
			"usr/lib64/libvulkan.so.1": theirs64, "usr/lib64/vkloader/libvulkan.so.1": theirs64 + ours}},
	} {
		m := root(t, c.files)
		before := links(t, m, "usr/lib64")
		_, err := Use(m, c.whose)
		var e *exit.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if after := links(t, m, "usr/lib64"); after != before {
			t.Errorf("%s: %s, before %s", c.name, after, before)
		}
	}
}

// Use fails if programs still get a loader in an earlier directory.
func TestUseBehindAnother(t *testing.T) {
	t.Parallel()
	m := root(t, map[string]string{
		"lib/x86_64-linux-gnu/libvulkan.so.1": theirs64, // on a machine whose /lib is a directory of its own
		debian64 + "libvulkan.so.1.3.239":     theirs64, debian64 + "libvulkan.so.1": "-> libvulkan.so.1.3.239",
		debian64 + "vkloader/libvulkan.so.1": theirs64 + ours,
	})
	_, err := Use(m, Vkloader)
	if exit.CodeOf(err) != exit.Problems || !strings.Contains(err.Error(), "/lib/x86_64-linux-gnu/libvulkan.so.1 comes before") {
		t.Error(err)
	}
}

// After "make install PREFIX=/usr", Use changes links, too. ldconfig keeps the choice, because the link with the newest version
// leads to the chosen loader.
func TestUseAfterMakeInstall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ directory, ours, back string }{
		"the same directory":       {debian64, debian64 + "libvulkan.so.1.4.363", "libvulkan.so.1.4.363"},
		"another directory":        {debian64, "usr/lib/libvulkan.so.1.4.363", "../libvulkan.so.1.4.363"},
		"a directory for all":      {"usr/lib64/", "usr/lib64/libvulkan.so.1.4.363", "libvulkan.so.1.4.363"},
		"an older one than theirs": {debian64, debian64 + "libvulkan.so.1.2.0", "libvulkan.so.1.2.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := root(t, map[string]string{c.directory + "libvulkan.so.1.3.239": theirs64, c.ours: theirs64 + ours,
				c.directory + "libvulkan.so.1": "-> libvulkan.so.1.3.239"})
			want := map[string]string{
				Vkloader:     "libvulkan.so.1 libvulkan.so.1.99.vkloader, libvulkan.so.1.99.vkloader " + c.back,
				Distribution: "libvulkan.so.1 libvulkan.so.1.99.distribution, libvulkan.so.1.99.distribution libvulkan.so.1.3.239",
			}
			for _, whose := range []string{Distribution, Vkloader, Vkloader, Distribution, Vkloader} {
				s, err := Use(m, whose)
				if err != nil {
					t.Fatal(err)
				}
				if got := s.Architectures[0].InForce; got != whose {
					t.Errorf("after use %s: %s", whose, got)
				}
				if got := links(t, m, c.directory); got != want[whose] {
					t.Errorf("after use %s: %s", whose, got)
				}
				if got := s.Architectures[0].Change; !strings.HasPrefix(got, "As root: vkloader system use ") {
					t.Error(got)
				}
			}
		})
	}
}

// Without a usable library of vkloader, Use can choose the distribution's loader, and refuses vkloader's.
func TestUseWithBrokenLibrary(t *testing.T) {
	t.Parallel()
	own := debian64 + "vkloader/libvulkan.so.1.4.363"
	for name, c := range map[string]struct {
		remove, link string
		more         map[string]string
	}{
		"deleted":            {remove: own},
		"directory deleted":  {remove: debian64 + "vkloader"},
		"damaged":            {remove: own, more: map[string]string{own: "text"}},
		"another machine's":  {remove: own, more: map[string]string{own: theirs32 + ours}},
		"ldconfig ran since": {remove: own, link: "libvulkan.so.1.3.239"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := packaged(t)
			if _, err := Use(m, Vkloader); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(m.Root, c.remove)); err != nil {
				t.Fatal(err)
			}
			tree.Libraries(t, m.Root, c.more)
			if c.link != "" {
				if err := errors.Join(os.Remove(filepath.Join(m.Root, debian64, "libvulkan.so.1")), os.Symlink(c.link, filepath.Join(m.Root, debian64, "libvulkan.so.1"))); err != nil {
					t.Fatal(err)
				}
			}
			if a := StatusOf(m).Architectures[0]; a.WordSize != 64 || !strings.Contains(a.Change, "As root: vkloader system use distribution") {
				t.Errorf("%+v", a)
			}
			if _, err := Use(m, Vkloader); exit.CodeOf(err) != exit.Problems || !strings.Contains(err.Error(), "x86-64, 64 bits: ") {
				t.Errorf("use vkloader: %v", err)
			}
			s, err := Use(m, Distribution)
			if err != nil {
				t.Fatal(err)
			}
			if got := inForce(s); got != "x86-64, 64 bits: distribution; x86, 32 bits: distribution" {
				t.Error(got)
			}
			if got := links(t, m, debian64); strings.Contains(strings.ReplaceAll(got, "libvulkan.so.1 libvulkan.so.1.3.239", ""), "libvulkan.so.1.99") || !strings.Contains(got, "libvulkan.so.1 libvulkan.so.1.3.239") {
				t.Error(got)
			}
		})
	}
}

// The same applies after "make install".
func TestUseWithBrokenInstallation(t *testing.T) {
	t.Parallel()
	for name, words := range map[string]string{"deleted": "", "damaged": "text"} {
		file := debian64 + "libvulkan.so.1.4.363"
		m := root(t, map[string]string{debian64 + "libvulkan.so.1.3.239": theirs64, file: theirs64 + ours,
			debian64 + "libvulkan.so.1": "-> libvulkan.so.1.3.239"})
		if _, err := Use(m, Vkloader); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(m.Root, file)); err != nil {
			t.Fatal(err)
		}
		if words != "" {
			put(t, m, file, words)
		}
		if _, err := Use(m, Distribution); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := links(t, m, debian64); got != "libvulkan.so.1 libvulkan.so.1.3.239" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

package facts

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/test/lib/world"
)

const driver = `{"file_format_version": "1.0.0", "ICD": {"library_path": "libnone.so", "api_version": "1.0.0"}}`

// TestPlain has an ordinary machine: drivers and layers in variables and directories, and a settings file.
func TestPlain(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.Driver("acme", "device name=big type=discrete")
	s.Driver("second").MoveManifest("home/.local/share/vulkan/icd.d")
	s.ImplicitLayer("watching").Set("enable_environment", map[string]string{"ENABLE_watching": "1"})
	s.ImplicitLayer("found").MoveManifest("home/.local/share/vulkan/implicit_layer.d")
	s.ExplicitLayer("asked").MoveManifest("home/.config/vulkan/explicit_layer.d")
	s.put("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json",
		`{"file_format_version": "1.0.0", "settings": {"layers": []}}`, 0o644)
	s.variables("ENABLE_watching", "DISABLE_watching", "HOME", "PATH")
	compared := s.check()
	s.holds(compared, `executable`, fmt.Sprintf("%q", s.Path("bin/program")))
	for _, asked := range []string{"directory " + fmt.Sprintf("%q", s.Path("home/.local/share/vulkan/icd.d")),
		"file " + fmt.Sprintf("%q", s.Path("home/.local/share/vulkan/icd.d/second.json"))} {
		if !strings.HasPrefix(compared[asked], "status 0,") {
			t.Errorf("%s: %q", asked, compared[asked])
		}
	}
}

// TestNothing has a machine without a home directory and without variables.
func TestNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.environ = []string{}
	s.variables("HOME", "PATH", "VK_DRIVER_FILES")
	s.holds(s.check(), `variable "HOME"`, "none")
}

// TestFiles has names that end in .json and are not ordinary manifests.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	d := "home/.local/share/vulkan/icd.d/"
	plain := s.put(d+"plain.json", driver, 0o644)
	s.must(os.MkdirAll(s.Path(d+"directory.json"), 0o755))
	s.must(syscall.Mkfifo(s.Path(d+"pipe.json"), 0o644))
	socket, err := net.Listen("unix", s.Path(d+"socket.json"))
	s.must(err)
	defer socket.Close()
	s.link(d+"dangling.json", "nothing.json")
	s.link(d+"link.json", "plain.json")
	s.link(d+"second.json", "link.json")
	s.link(d+"third.json", s.Path(d+"second.json"))
	s.link(d+"circle.json", "circle.json")
	s.link(d+"device.json", "/dev/null")
	s.link(d+"to-pipe.json", "pipe.json")
	s.link(d+"to-directory.json", "directory.json")
	s.link(d+"counted.json", "/proc/self/status")
	s.link(d+"attribute.json", "/sys/kernel/mm/transparent_hugepage/enabled")
	s.link(d+"own.json", "/proc/self/exe/nothing.json")
	s.put(d+"\xff\xfe name.json", driver, 0o644)
	s.put(d+"new\nline.json", driver, 0o644)
	s.put(d+".json", driver, 0o644)
	s.put(d+"CAPITAL.JSON", driver, 0o644)
	s.put(d+"json", driver, 0o644)
	s.put(d+"empty.json", "", 0o644)
	s.put(d+"zeros.json", "\x00\x00\x00", 0o644)
	s.put(d+"marked.json", "\xef\xbb\xbf"+driver, 0o644)
	s.put(d+"small.json", driver+strings.Repeat("\n", 1024-len(driver)), 0o644)
	s.put(d+"no-longer-small.json", driver+strings.Repeat("\n", 1025-len(driver)), 0o644)
	s.put(d+"bytes.json", "\xff\x80"+driver, 0o644)
	closed := s.put(d+"closed.json", driver, 0)
	s.must(os.MkdirAll(s.Path("closed/icd.d"), 0o755))
	s.put("closed/icd.d/driver.json", driver, 0o644)
	s.restrict("closed/icd.d", 0o644) // its names can be read, its files not
	s.put("shut/icd.d/driver.json", driver, 0o644)
	s.restrict("shut/icd.d", 0o311) // its files can be read, its names not
	s.link("links/icd.d", s.Path(d))
	s.put("plain.d/one.json", driver, 0o644)
	s.put("plain.d/two.json", driver, 0o600)
	names, err := os.ReadDir(s.Path(d))
	s.must(err)
	for _, entry := range names {
		s.files(s.Path(d) + "/" + entry.Name())
	}
	s.directories(s.Path("closed/icd.d"), s.Path("shut/icd.d"), s.Path("links/icd.d"), s.Path("plain.d"), s.Path(d)+"/", s.Path("nothing/icd.d"),
		s.Path("nothing/implicit_layer.d"), plain, s.Path(d+"pipe.json"), s.Path(d+"circle.json"), s.Path(d+"dangling.json"), "/proc/self/fd", "/", "")
	s.files(s.Path("closed/icd.d/driver.json"), s.Path("shut/icd.d/driver.json"), s.Path("links/icd.d/plain.json"), s.Path("links/icd.d/../icd.d/link.json"),
		s.Path("nothing/../"+d+"plain.json"), s.Path("plain.d/one.json"), s.Path("plain.d/two.json"), plain+"/", plain+"/more.json", "//"+plain, "",
		s.Path(d), "/dev/zero", "/dev/tty", "/proc/self/mem", "/"+strings.Repeat("long/", 1000), "/"+strings.Repeat("l", 300)+".json")
	s.Env["VK_ADD_DRIVER_FILES"] = strings.Join([]string{s.Path(d + "pipe.json"), s.Path("plain.d"), s.Path("links/icd.d/link.json"), s.Path("nothing.json")}, ":")
	compared := s.check()
	question := func(kind, path string) string { return fmt.Sprintf("%s %q", kind, path) }
	for name, status := range map[string]facts.FileStatus{"pipe.json": facts.FileNotRegular, "socket.json": facts.FileNotRegular, "device.json": facts.FileNotRegular,
		"directory.json": facts.FileNotRead, "dangling.json": facts.FileNotOpened, "circle.json": facts.FileNotOpened} {
		s.holds(compared, question("file", s.Path(d+name)), fmt.Sprintf("status %d, content none", status))
	}
	for _, name := range []string{"third.json", "\xff\xfe name.json"} {
		s.holds(compared, question("file", s.Path(d+name)), fmt.Sprintf("status 0, content %q", driver))
	}
	if os.Getuid() != 0 || s.ordinary() != nil {
		s.holds(compared, question("file", closed), fmt.Sprintf("status %d, content none", facts.FileNotOpened))
	}
}

// TestForeignLibraries has libraries of other machines, and files that are no libraries.
//
// holds: LAY-104
func TestForeignLibraries(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	native := s.ImplicitLayer("own").Library
	content, err := os.ReadFile(native)
	s.must(err)
	head := func(at int, value byte) string {
		changed := []byte(string(content[:4096]))
		changed[at] = value
		return string(changed)
	}
	want := map[string]string{native: "0"}
	put := func(name, content, foreign string) { want[s.put("lib/"+name, content, 0o755)] = foreign }
	put("other-class.so", head(4, content[4]^3), "1")
	put("no-class.so", head(4, 0), "1")
	put("other-order.so", head(5, content[5]^3), "1")
	put("other-machine.so", head(18, content[18]^0xff), "1")
	put("other-half.so", head(19, content[19]^1), "1")
	put("other-system.so", head(7, 9), "0")
	put("program.so", head(16, 2), "0")
	put("twenty.so", head(18, content[18]^0xff)[:20], "1")
	put("nineteen.so", head(18, content[18]^0xff)[:19], "0")
	put("empty.so", "", "0")
	put("text.so", strings.Repeat("no library ", 100), "0")
	put("windows.dll", "MZ"+strings.Repeat("\x00", 58)+"\x40\x00\x00\x00PE\x00\x00\x4c\x01"+strings.Repeat("\x00", 100), "0")
	want[s.link("lib/link.so", "other-class.so")] = "1"
	want[s.link("lib/dangling.so", "nowhere.so")] = "0"
	s.must(syscall.Mkfifo(s.Path("lib/pipe.so"), 0o644))
	for _, path := range []string{s.Path("lib/pipe.so"), s.Path("lib"), s.Path("lib/nowhere.so"), "/dev/null", "", "lib/other-class.so"} {
		want[path] = "0"
	}
	if os.Getuid() != 0 || s.ordinary() != nil {
		want[s.put("lib/closed.so", head(4, content[4]^3), 0)] = "0"
	}
	for path := range want {
		s.libraries(path)
	}
	compared := s.check()
	for path, answer := range want {
		s.holds(compared, fmt.Sprintf("foreign %q", path), answer)
	}
}

// TestLayersOfOneName has two layers with one name: the core asks both readers for the machines of their libraries.
func TestLayersOfOneName(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	other := s.WrongClass("other")
	own := s.ImplicitLayer("shared").MoveManifest("home/.local/share/vulkan/implicit_layer.d").Library
	s.ExplicitLayer("shared").MoveManifest("home/.config/vulkan/explicit_layer.d").Set("library_path", other)
	s.ExplicitLayer("single").MoveManifest("home/.config/vulkan/explicit_layer.d").Set("library_path", s.WrongClass("single"))
	compared := s.check()
	s.holds(compared, fmt.Sprintf("foreign %q", own), "0")
	s.holds(compared, fmt.Sprintf("foreign %q", other), "1")
	if _, asked := compared[fmt.Sprintf("foreign %q", s.Path("lib/single.so"))]; asked {
		t.Error("the library of a layer with a name of its own was read")
	}
}

// TestSizes has files of the largest size that is read, and one byte more.
func TestSizes(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.calls = "v"
	largest := s.put("largest.json", driver+strings.Repeat(" ", facts.MaxFile-len(driver)), 0o644)
	over := s.put("over.json", driver+strings.Repeat(" ", facts.MaxFile+1-len(driver)), 0o644)
	s.files(largest, over)
	compared := s.check()
	if answer := compared[fmt.Sprintf("file %q", largest)]; !strings.HasPrefix(answer, "status 0, content") {
		t.Errorf("the largest file: %.100s", answer)
	}
	s.holds(compared, fmt.Sprintf("file %q", over), fmt.Sprintf("status %d, content none", facts.FileTooLarge))
}

// TestOften has a file with many names, which is read under some of them only. Both readers must stop at the same
// name.
func TestOften(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.put("many/icd.d/first.json", driver+strings.Repeat(" ", 300<<10), 0o644)
	s.put("many/icd.d/short.json", driver, 0o644)
	for i := range 20 {
		s.must(os.Link(s.Path("many/icd.d/first.json"), s.Path(fmt.Sprintf("many/icd.d/%d.json", i))))
		s.link(fmt.Sprintf("many/icd.d/link%d.json", i), "first.json")
		s.link(fmt.Sprintf("many/icd.d/short%d.json", i), "short.json")
	}
	for i := range 40 { // of different sizes, so that they share entries of the table
		s.put(fmt.Sprintf("many/icd.d/other%d.json", i), driver+strings.Repeat(" ", 100<<10*(i%3)), 0o644)
	}
	s.Env["VK_DRIVER_FILES"] = s.Path("many/icd.d")
	often := 0
	for _, answer := range s.check() {
		if strings.HasPrefix(answer, fmt.Sprintf("status %d,", facts.FileTooOften)) {
			often++
		}
	}
	if often == 0 {
		t.Error("no file was read too often")
	}
}

// TestVariables has variables that are empty, not UTF-8, or set twice, and an empty environment.
func TestVariables(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.environ = []string{"HOME=" + s.Path("home"), "EMPTY=", "BYTES=\xff\xfe\x80", "LINE=a\nb", "TWICE=first", "TWICE=second", "NO_SIGN", "NO_SIGN=later", "=NO_NAME",
		"EQUAL=a=b=", "LONG=" + strings.Repeat("x", 100<<10), "VK_DRIVER_FILES=", "VK_DRIVER_FILES=" + s.Path("never"), "VK_LAYER_PATH=\xff\xfe:relative",
		"XDG_DATA_HOME=", "XDG_CONFIG_DIRS=" + s.Path("work") + "::" + s.Path("lib/"), "XDG_DATA_DIRS=\xc3\x28", "VK_LOADER_DEBUG", "\xff=\xff", "SPACE SPACE=x"}
	s.variables("EMPTY", "BYTES", "LINE", "TWICE", "NO_SIGN", "EQUAL", "LONG", "UNSET", "", "\xff", "VK_LOADER_DEBUG", "SPACE SPACE", "EMPT", "EMPTYY")
	compared := s.check()
	s.holds(compared, `variable "EMPTY"`, `""`)
	s.holds(compared, `variable "BYTES"`, `"\xff\xfe\x80"`)
	s.holds(compared, `variable "TWICE"`, `"first"`)
	s.holds(compared, `secure variable "UNSET"`, "none")
}

// TestRelative has paths relative to the working directory, which was entered through a link.
func TestRelative(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.put("work/icd.d/driver.json", driver, 0o644)
	s.put("other/up.json", driver, 0o644)
	s.link("entry", s.Path("work"))
	s.cwd = s.Path("entry")
	s.Env["VK_DRIVER_FILES"] = "icd.d:./icd.d/driver.json:../other/up.json:nothing.json:.:"
	s.Env["HOME"] = "."
	s.directories("icd.d", "./icd.d", ".", "..", "../other", "icd.d/..", "icd.d/driver.json")
	s.files("icd.d/driver.json", "./icd.d//driver.json", "../other/up.json", "icd.d/../icd.d/driver.json", "nothing/../icd.d/driver.json", "~/up.json", "up.json")
	compared := s.check()
	s.holds(compared, `file "../other/up.json"`, fmt.Sprintf("status 0, content %q", driver))
}

// TestExecutable has programs in different places, started in different ways.
func TestExecutable(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(s *scene) (want string){
		"link": func(s *scene) string {
			s.file, s.path = s.Path("opt/real"), s.link("bin/name", s.link("bin/between", "../opt/real"))
			return s.file
		},
		"directory through a link": func(s *scene) string {
			s.file, s.path = s.Path("opt/real"), s.link("bin", "opt")+"/real"
			return s.file
		},
		"bytes": func(s *scene) string {
			s.path = s.Path("bin/\xff\xfe a\nprogram")
			return s.path
		},
		"relative": func(s *scene) string {
			s.file, s.path = s.Path("work/here"), "./here"
			return s.file
		},
		"longest":  func(s *scene) string { s.path = long(s, 1023); return s.path },
		"too long": func(s *scene) string { s.path = long(s, 1024); return "" },
		"far":      func(s *scene) string { s.path = long(s, 3000); return "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			want := set(s)
			if want == "" {
				want = "none"
			} else {
				want = fmt.Sprintf("%q", want)
			}
			s.holds(s.check(), "executable", want)
		})
	}
}

// long returns a path of the given length.
func long(s *scene, length int) string {
	path := s.Path("bin")
	for length-len(path) > 200 {
		path = filepath.Join(path, strings.Repeat("d", 99))
	}
	return filepath.Join(path, strings.Repeat("p", length-len(path)-1))
}

// TestRights has a program with more rights than its user, which ignores variables that may lead to another user's
// code.
func TestRights(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("a program of another user with more rights takes root")
	}
	for name, c := range map[string]struct {
		uid, gid int
		mode     os.FileMode
		secure   bool
	}{
		"ordinary":                  {65534, 65534, 0o755, false},
		"set-user-ID":               {1, 0, 0o755 | os.ModeSetuid, true},
		"set-user-ID of root":       {0, 0, 0o755 | os.ModeSetuid, true},
		"set-user-ID of this user":  {65534, 0, 0o755 | os.ModeSetuid, false},
		"set-group-ID":              {0, 1, 0o755 | os.ModeSetgid, true},
		"set-group-ID of this user": {0, 65534, 0o755 | os.ModeSetgid, false},
		"set-group-ID, not for its group to execute": {0, 1, 0o705 | os.ModeSetgid, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			if s.ordinary() == nil {
				t.Skipf("other users cannot reach %s: set TMPDIR to a directory that they can", s.Root)
			}
			status, err := os.ReadFile("/proc/self/status")
			var fs syscall.Statfs_t
			if err != nil || strings.Contains(string(status), "NoNewPrivs:\t1") || syscall.Statfs(s.Root, &fs) != nil || fs.Flags&2 != 0 {
				t.Skip("no program gets more rights here: NoNewPrivs is set, or the file system is mounted nosuid")
			}
			s.elevated = c.secure
			s.Env["VK_DRIVER_FILES"] = s.put("driver.json", driver, 0o644)
			s.Env["XDG_DATA_HOME"] = s.Path("data")
			s.put("data/vulkan/icd.d/never.json", driver, 0o644)
			s.put("home/.local/share/vulkan/icd.d/home.json", driver, 0o644)
			s.variables("VK_DRIVER_FILES", "HOME", "EMPTY", "UNSET")
			s.Env["EMPTY"] = ""
			s.place = func(file string) {
				s.must(os.Chown(file, c.uid, c.gid))
				s.must(os.Chmod(file, c.mode))
			}
			compared := s.check()
			value := fmt.Sprintf("%q", s.Env["VK_DRIVER_FILES"])
			s.holds(compared, `variable "VK_DRIVER_FILES"`, value)
			if c.secure {
				value = "none"
			}
			s.holds(compared, `secure variable "VK_DRIVER_FILES"`, value)
		})
	}
}

// TestThisMachine has the machine on which the tests run, with its directories.
func TestThisMachine(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.environ = []string{"HOME=" + os.Getenv("HOME"), "PATH=" + os.Getenv("PATH"), "XDG_DATA_DIRS=" + os.Getenv("XDG_DATA_DIRS")}
	s.directories("/usr/share/vulkan/icd.d", "/usr/share/vulkan/explicit_layer.d", "/usr/share/vulkan", "/etc", "/sys/class/drm", "/proc")
	s.files("/etc/passwd", "/etc/shadow", "/etc/ld.so.cache", "/proc/version", "/proc/self/environ", world.Library())
	s.check()
}

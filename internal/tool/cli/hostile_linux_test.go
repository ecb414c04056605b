package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode"
)

// secret is the content of files outside every root.
const secret = "SECRET-OUTSIDE"

// hostileName is a name with characters that control a terminal or a shell.
const hostileName = "a\x1b[2J\u202e\u200b\u009b$(reboot);'\"\n,b"

// hostileRoot lays out a hostile machine: links that lead outside, pipes, names with escapes, damaged files.
func hostileRoot(t *testing.T, random *rand.Rand, many int) string {
	t.Helper()
	top := t.TempDir()
	root := filepath.Join(top, "root")
	try := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	put := func(name, content string) {
		path := filepath.Join(root, name)
		try(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644))
	}
	try(os.WriteFile(filepath.Join(top, "secret.json"), []byte(`{"file_format_version":"1.0.0","ICD":{"library_path":"`+secret+
		`","api_version":"1.3.0"}}`), 0o644))
	text := fmt.Sprintf("%q", hostileName)
	layer := func(name string) string {
		return `{"file_format_version":"1.2.0","layer":{"name":` + name + `,"type":"GLOBAL","library_path":` + name +
			`,"api_version":"1.3.0","implementation_version":"1","description":` + name + `,"disable_environment":{` + name + `:"1"}}}`
	}
	text = strings.NewReplacer(`\x1b`, `\u001b`, `\u009b`, `\u009b`).Replace(text)
	const icds, layers = "usr/share/vulkan/icd.d/", "usr/share/vulkan/implicit_layer.d/"
	contents := []string{`{"file_format_version":"1.0.0","ICD":{"library_path":` + text + `,"api_version":"1.3.0"}}`, layer(text), "{", "",
		strings.Repeat("[", 5000), "\x00\x01\xff", `{"file_format_version":` + text + `}`, `{"settings":{"layers":[{"name":` + text + `}]}}`}
	for i := range 12 {
		put(fmt.Sprintf("%sd%d.json", icds, i), contents[random.IntN(len(contents))])
		put(fmt.Sprintf("%sl%d.json", layers, i), contents[random.IntN(len(contents))])
	}
	put(icds+hostileName+".json", contents[0])
	put(layers+hostileName+".json", contents[1])
	put("etc/vulkan/loader_settings.d/vk_loader_settings.json", contents[random.IntN(len(contents))])
	put("etc/os-release", "ID=debian\nPRETTY_NAME=\""+strings.ReplaceAll(hostileName, "\n", "")+"\"\n")
	put("etc/ld.so.cache", "glibc-ld.so.cache1.1"+strings.Repeat("\xff", 64))
	put("etc/passwd", hostileName+":x:0:0::/:/bin/sh\n")
	put("sys/bus/pci/devices/"+strings.ReplaceAll(hostileName, "\n", "")+"/class", "0x030000")
	put("usr/lib/x86_64-linux-gnu/libvulkan.so.1", contents[random.IntN(len(contents))])
	for i, target := range []string{"../../../../../../secret.json", filepath.Join(top, "secret.json"), "/proc/self/root" + top + "/secret.json", "self.json"} {
		try(os.Symlink(target, filepath.Join(root, icds, fmt.Sprintf("link%d.json", i))))
	}
	try(os.Symlink("self.json", filepath.Join(root, icds, "self.json")), os.MkdirAll(filepath.Join(root, icds, "directory.json"), 0o755),
		syscall.Mkfifo(filepath.Join(root, icds, "pipe.json"), 0o644), os.MkdirAll(filepath.Join(root, "usr/local/share/vulkan"), 0o755),
		os.Symlink(top, filepath.Join(root, "usr/local/share/vulkan/icd.d")))
	for i := range many {
		try(os.WriteFile(filepath.Join(root, icds, fmt.Sprintf("many%06d.json", i)), []byte("{}"), 0o644))
	}
	return root
}

// On hostile machines the tool does not crash or hang, reads nothing outside the root, and prints nothing that controls a
// terminal.
func TestHostileRoots(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			root := hostileRoot(t, rand.New(rand.NewPCG(seed, 1)), 0)
			hostile(t, root)
		})
	}
}

// The tool handles four thousand manifests of another root, and names its bound where there are more.
func TestManyManifests(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 20,000 files")
	}
	t.Parallel()
	for many, want := range map[int]string{4_000: "problem", 20_000: "more than 4096 files"} {
		root := hostileRoot(t, rand.New(rand.NewPCG(1, 1)), many)
		var out, errOut bytes.Buffer
		runLine(&invocation{out: &out, errOut: &errOut, executable: os.Args[0], Root: root}, []string{"doctor", "--root", root})
		if !strings.Contains(out.String()+errOut.String(), want) {
			t.Errorf("%d:\n%.1000s%.1000s", many, &out, &errOut)
		}
	}
}

func hostile(t *testing.T, root string) {
	t.Helper()
	for _, args := range [][]string{{"doctor", "--full"}, {"doctor", "--json"}, {"explain"}, {"explain", "--json"}, {"list", "drivers"},
		{"list", "layers"}, {"list", "paths"}, {"list", "variables"}, {"list", "variables", "--set"}, {"settings", "show"}, {"bundle", "--list"},
		{"doctor", "--user", hostileName}, {"doctor", "--app", "/" + hostileName}} {
		var out, errOut bytes.Buffer
		s := &invocation{out: &out, errOut: &errOut, executable: os.Args[0], self: os.Args[0]}
		args = append(args, "--root", root, "--env", "VK_LOADER_LAYERS_DISABLE="+hostileName, "--env", "HOME=/")
		if code := runLine(s, args); code < 0 || code > 3 {
			t.Errorf("%v: exit code %d", args[:2], code)
		}
		for _, text := range []string{out.String(), errOut.String()} {
			if strings.Contains(text, secret) {
				t.Errorf("%v: from outside the root:\n%s", args[:2], text)
			}
			if at := strings.IndexFunc(text, func(r rune) bool {
				return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
			}); at >= 0 {
				t.Errorf("%v: what a terminal acts on: %q", args[:2], text[max(0, at-80):min(len(text), at+20)])
			}
			for _, line := range strings.Split(text, "\n") {
				if rest, is := strings.CutPrefix(strings.TrimSpace(line), "do    export "); is && strings.Contains(rest, "$(reboot)") && !strings.Contains(rest, "'") {
					t.Errorf("%v: a command that was not quoted: %s", args[:2], line)
				}
			}
		}
	}
}

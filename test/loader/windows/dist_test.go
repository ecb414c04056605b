package windows

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/pe"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

// distribution returns the output of "make TARGET=windows dist", unpacked in the root of drive C.
func distribution(t *testing.T) (directory, release, sum string) {
	t.Helper()
	dir, _ := root(t)
	version, err := os.ReadFile("../../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	release = strings.TrimSpace(string(version))
	archive, err := os.ReadFile("../../../build/windows/vkloader-" + release + "-windows.zip")
	if err != nil {
		t.Fatal(err)
	}
	zipped, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "root/prefix/drive_c/dist")
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	for _, f := range zipped.File {
		if f.FileInfo().IsDir() {
			continue
		}
		file := filepath.Join(to, filepath.Clean("/"+f.Name))
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(file), 0o755)
		}
		if err == nil {
			err = os.WriteFile(file, content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(to, "vkloader-"+release+"-windows"), release, fmt.Sprintf("%x", sha256.Sum256(archive))
}

// The archive works where it is unpacked: the tool finds its library and its probe, and both contain their versions.
func TestDistribution(t *testing.T) {
	at, release, _ := distribution(t)
	for _, size := range sizes {
		program := `C:\dist\` + filepath.Base(at) + `\` + size + `\`
		said := struct{ Release, Library, Is string }{}
		cmd, output := wine(t, program+"vkloader.exe", "version", "--json")
		err := cmd.Run()
		out, errOut := output()
		if err == nil {
			err = json.Unmarshal([]byte(out), &said)
		}
		if err != nil || said.Release != release || said.Library != program+"vulkan-1.dll" || !strings.HasPrefix(out, "{") {
			t.Errorf("%s: %v\n%s%s", size, err, out, errOut)
		}
		cmd, output = wine(t, program+"vkloader.exe", "check", "--require", "api=1.0")
		if err := cmd.Run(); err != nil {
			out, errOut := output()
			t.Errorf("%s: check: %v\n%s%s", size, err, out, errOut)
		}
		for _, name := range []string{"vkloader.exe", "vulkan-1.dll"} {
			resources := resourcesOf(t, filepath.Join(at, size, name))
			for _, text := range []string{"VS_VERSION_INFO", "ProductName", "vkloader", "ProductVersion", release} {
				if !bytes.Contains(resources, wide(text)) {
					t.Errorf("%s: the resources of %s have no %q", size, name, text)
				}
			}
		}
	}
}

func wide(text string) (out []byte) {
	for _, unit := range utf16.Encode([]rune(text + "\x00")) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

func resourcesOf(t *testing.T, file string) []byte {
	t.Helper()
	f, err := pe.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	section := f.Section(".rsrc")
	if section == nil {
		t.Fatalf("%s has no resources", file)
	}
	data, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Texts have the line ends of Windows, man pages exist for existing commands only, the script does not change the system's directory
// unless requested, and the manifests lack only the publisher and the address.
func TestDistributionTexts(t *testing.T) {
	at, release, sum := distribution(t)
	pages, err := filepath.Glob(filepath.Join(at, "man/*.txt"))
	if err != nil || len(pages) < 20 {
		t.Fatalf("%q, %v", pages, err)
	}
	for _, page := range append(pages, filepath.Join(at, "README.txt"), filepath.Join(at, "use-vkloader.ps1"), filepath.Join(at, "LICENSE.txt")) {
		text, err := os.ReadFile(page)
		if err != nil || len(text) < 300 || bytes.Count(text, []byte("\r\n")) != bytes.Count(text, []byte("\n")) || bytes.ContainsAny(text, "\x1b\x08") {
			t.Errorf("%s: %v\n%q", page, err, text[:min(len(text), 100)])
		}
		if regexp.MustCompile(`vkloader-(cdi|service|system|settings-(layer|order|policy))`).MatchString(filepath.Base(page)) {
			t.Errorf("%s is of a command that Windows lacks", page)
		}
	}
	script, err := os.ReadFile(filepath.Join(at, "use-vkloader.ps1"))
	if err != nil {
		t.Fatal(err)
	}
	before, system, found := strings.Cut(string(script), "\r\nif ($System) {")
	system, after, closed := strings.Cut(system, "\r\n} else {")
	if !found || !closed || strings.Count(system, "System32") < 2 || strings.Contains(before+after, "System32") || strings.Contains(before+after, "SysWOW64") {
		t.Error("the script names the system's directory without -System")
	}
	manifests, err := filepath.Glob("../../../build/windows/*/vkloader*.[jy]*")
	if err != nil || len(manifests) != 4 {
		t.Fatalf("%q, %v", manifests, err)
	}
	for _, manifest := range manifests {
		text, err := os.ReadFile(manifest)
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range regexp.MustCompile(`@\w+@`).FindAllString(string(text), -1) {
			if place != "@ADDRESS@" && place != "@PUBLISHER@" {
				t.Errorf("%s: %s is left", manifest, place)
			}
		}
		if !strings.Contains(string(text), release) || strings.Contains(string(text), "windows.zip") && !strings.Contains(string(text), sum) {
			t.Errorf("%s has not the release or the archive's checksum:\n%s", manifest, text)
		}
		if filepath.Ext(manifest) == ".json" && !json.Valid(text) {
			t.Errorf("%s is no JSON", manifest)
		}
	}
}

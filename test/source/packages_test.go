package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// declarations parses a file. Functions of other modules and of the standard library lose their bodies, whose types the test does
// not check; a generic function needs one.
func declarations(set *token.FileSet, name string, text []byte) (*ast.File, error) {
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if directory, wrong := filepath.Abs(top); file == nil || wrong != nil || strings.HasPrefix(name, directory+"/") {
		return file, err
	}
	for _, d := range file.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Type.TypeParams == nil && f.Name.Name != "init" {
			f.Body = nil
		}
	}
	return file, err
}

// The tool is Go of every machine that has packages: an int of 386 and arm has 32 bits, and a device number of mips64le too. Its
// types are checked against the declarations of the other modules and of the standard library; nothing is compiled.
func TestToolIsOfEveryMachine(t *testing.T) {
	t.Parallel()
	for _, machine := range []string{"386", "arm", "arm64", "mips64le"} {
		t.Run(machine, func(t *testing.T) {
			t.Parallel()
			list, err := packages.Load(&packages.Config{
				Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
					packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedModule,
				ParseFile: declarations, Dir: top, Env: append(os.Environ(), "GOARCH="+machine, "CGO_ENABLED=0"),
			}, "./cmd/vkloader")
			if err != nil || len(list) != 1 {
				t.Fatalf("%v: %v", list, err)
			}
			checked := 0
			packages.Visit(list, nil, func(p *packages.Package) {
				if p.Module == nil || !p.Module.Main {
					return
				}
				checked++
				for _, e := range p.Errors {
					t.Errorf("%s: %v", p.PkgPath, e)
				}
			})
			if checked < 20 {
				t.Errorf("only %d packages are checked", checked)
			}
		})
	}
}

// readFile returns the text of a file of the tree.
func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The maintainer's address is written in debian/control; the test names its other places when it changes.
func TestPackagesHaveOneMaintainer(t *testing.T) {
	t.Parallel()
	_, rest, _ := strings.Cut(readFile(t, "debian/control"), "\nMaintainer: ")
	maintainer, _, _ := strings.Cut(rest, "\n")
	if !strings.Contains(maintainer, "@") {
		t.Fatalf("debian/control names %q", maintainer)
	}
	_, signed, _ := strings.Cut(readFile(t, "debian/changelog"), "\n -- ")
	if signed, _, _ = strings.Cut(signed, "  "); signed != maintainer {
		t.Errorf("debian/changelog is signed by %q, debian/control says %q", signed, maintainer)
	}
	if want := "\nmaintainer=\"" + maintainer + "\"\n"; !strings.Contains(readFile(t, "packaging/alpine/APKBUILD"), want) {
		t.Errorf("packaging/alpine/APKBUILD lacks %q", want)
	}
}

// Every package is one of the release that VERSION names, and Alpine's provides the loader of the registry's version.
func TestPackagesNameTheRelease(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	release := strings.TrimSpace(read("VERSION"))
	header := ""
	for _, line := range strings.Split(read("spine/gen/zversion.h"), "\n") {
		if number, ok := strings.CutPrefix(line, "#define VKL_HEADER_VERSION "); ok {
			header = strings.TrimRight(strings.Fields(number)[0], "uU")
		}
	}
	for name, want := range map[string]string{
		"debian/changelog":            "vkloader (" + release + "-",
		"packaging/rpm/vkloader.spec": "\nVersion:        " + release + "\n",
		"packaging/alpine/APKBUILD":   "\npkgver=" + release + "\n",
	} {
		if !strings.Contains(read(name), want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	if want := `provides="vulkan-loader=1.4.` + header + `-r0"`; header == "" || !strings.Contains(read("packaging/alpine/APKBUILD"), want) {
		t.Errorf("packaging/alpine/APKBUILD lacks %q", want)
	}
}

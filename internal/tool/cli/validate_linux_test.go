package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/tool/exit"
	"vkloader/test/lib/binary"
)

// validate examines the library of a manifest: its existence, word size, dependencies and required functions. With
// --file-only it does not.
func TestValidateOpensTheLibrary(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	put := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(directory, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	library := func(name, words string) {
		t.Helper()
		l, err := binary.Parse(strings.Fields(words))
		if err != nil {
			t.Fatal(err)
		}
		put(name, l.Bytes())
	}
	library("libgood.so", "exports=vk_icdGetInstanceProcAddr")
	library("lib32.so", "class=32 machine=i386 exports=vk_icdGetInstanceProcAddr")
	library("libother.so", "exports=something")
	library("libneeds.so", "exports=vk_icdGetInstanceProcAddr needed=libnowhere.so.7")
	library("liblayer.so", "exports=vkNegotiateLoaderLayerInterfaceVersion")
	library("librenamed.so", "exports=own_gipa")
	put("libtext.so", []byte("no library"))
	driver := func(library string) string {
		return `{"file_format_version": "1.0.0", "ICD": {"library_path": "` + library + `", "api_version": "1.3.0"}}`
	}
	layer := func(library, more string) string {
		return `{"file_format_version": "1.1.0", "layer": {"name": "VK_LAYER_x", "type": "INSTANCE", "library_path": "` + library +
			`", "api_version": "1.3.0", "implementation_version": "1", "description": "x"` + more + `}}`
	}
	for _, c := range []struct {
		name, text, code string
		class            int
	}{
		{"good", driver("./libgood.so"), "", 64}, {"32", driver("./lib32.so"), "", 32}, {"other", driver("./libother.so"), "driver-interface", 64},
		{"needs", driver("./libneeds.so"), "library-needs", 64}, {"gone", driver("./libgone.so"), "library-missing", 0},
		{"bare", driver("libgone.so"), "library-missing", 0}, {"text", driver("./libtext.so"), "library-unreadable", 0},
		{"layer", layer("./liblayer.so", ""), "", 64}, {"notlayer", layer("./libother.so", ""), "layer-interface", 64},
		{"renamed", layer("./librenamed.so", `, "functions": {"vkGetInstanceProcAddr": "own_gipa"}`), "", 64},
	} {
		path := filepath.Join(directory, c.name+".json")
		put(c.name+".json", []byte(c.text))
		for _, only := range []bool{false, true} {
			var out, errOut bytes.Buffer
			args := []string{"validate", "--json", path}
			if only {
				args = append(args, "--file-only")
			}
			code := runLine(&invocation{out: &out, errOut: &errOut}, args)
			var got struct {
				Files []struct {
					Accepted bool
					Findings []struct {
						Line, Column       int
						Code, Severity, Do string
					}
					Libraries []struct{ Class int }
				}
			}
			if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Files) != 1 || !got.Files[0].Accepted || len(got.Files[0].Libraries) != 1 {
				t.Fatalf("%s: %v\n%s%s", c.name, err, &out, &errOut)
			}
			file := got.Files[0]
			problem := ""
			for _, f := range file.Findings {
				if f.Severity == "problem" {
					problem = f.Code
					if f.Line != 1 || f.Column < 30 || f.Do == "" {
						t.Errorf("%s: %+v", c.name, f)
					}
				}
			}
			want, class, wantCode := c.code, c.class, exit.Fine
			if only {
				want, class = "", 0
			}
			if want != "" {
				wantCode = exit.Problems
			}
			if problem != want || code != wantCode || file.Libraries[0].Class != class {
				t.Errorf("%s, file only %t: exit code %d, %q, want %q\n%s", c.name, only, code, problem, want, &out)
			}
		}
	}
}

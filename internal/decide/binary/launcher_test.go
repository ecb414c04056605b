package binary

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

// Launch reads a launcher script without executing it, and finds the program beside the script and the LD_LIBRARY_PATH that
// it sets.
func TestScripts(t *testing.T) {
	t.Parallel()
	const program = "/opt/game/bin/game"
	for _, c := range []struct{ name, script, program, paths string }{
		{"the usual way", "HERE=\"$(dirname \"$(readlink -f \"${0}\")\")\"\nexport LD_LIBRARY_PATH=\"${HERE}/lib:${LD_LIBRARY_PATH}\"\nexec \"${HERE}/bin/game\" \"$@\"\n", program, "/opt/game/lib"},
		{"a change of the directory", "cd \"$(dirname \"$0\")\"\nLD_LIBRARY_PATH=./lib:lib/x ./bin/game \"$@\"\n", program, "/opt/game/lib:/opt/game/lib/x"},
		{"cd and pwd", "DIR=$( cd \"$( dirname \"${BASH_SOURCE[0]}\" )\" >/dev/null 2>&1 && pwd )\nexport LD_LIBRARY_PATH=$DIR/lib\n$DIR/bin/game $*\n", program, "/opt/game/lib"},
		{"without its last part", "export LD_LIBRARY_PATH=${0%/*}/lib; exec ${0%/*}/bin/game", program, "/opt/game/lib"},
		{"backticks", "HERE=`dirname $0`\nexec $HERE/bin/game", program, ""},
		{"env", "exec env LD_LIBRARY_PATH=\"$PWD/other:${APPDIR:-/opt/game}/lib\" \"$(dirname \"$0\")/bin/game\"", program, ""},
		{"env with a place", "exec env \"LANG=C\" LD_LIBRARY_PATH=/opt/game/lib /opt/game/bin/game", program, "/opt/game/lib"},
		{"after a condition", "if [ -z \"$X\" ]; then\n  exec /opt/game/other\nfi\nexec -a game \"/opt/game/bin/game\"", program, ""},
		{"a function", "run() {\n  exec /opt/game/other\n}\n/opt/game/bin/game # no \"end\"", program, ""},
		{"continued", "exec \\\n  /opt/game/bin/game", program, ""},
		{"single quotes", "exec '/opt/game/bin/game' 'a;b'", program, ""},
		{"a value of another command", "P=$(find / -name game)\nexport LD_LIBRARY_PATH=$(find lib):x\nexec $P", "", ""},
		{"another unknown value", "LD_LIBRARY_PATH=$(cat list)\nexport LD_LIBRARY_PATH\nexec /opt/game/bin/game", program, ""},
		{"a program elsewhere", "exec /usr/bin/other", "/usr/bin/other", ""},
		{"itself", "exec \"$0\" again", "", ""},
		{"missing", "exec /opt/game/bin/none", "", ""},
		{"nothing", "", "", ""},
		{"quotes inside quotes", "LD_LIBRARY_PATH=\"/opt/game/it's:/opt/game/a b\" /opt/game/bin/game", program, "/opt/game/it's:/opt/game/a b"},
		{"a backslash", "export LD_LIBRARY_PATH=/opt/game/a\\ b HERE; exec /opt/game/bin/game", program, "/opt/game/a b"},
		{"a name exported later", "D=/opt/game\nexport D E\nexec $D/bin/game", program, ""},
		{"a parent", "D=$(cd \"$(dirname \"$0\")/lib\" && pwd)/x\nexec \"${D%/lib/*}/bin/game\"", program, ""},
		{"lines of Windows", "cd /opt/game\r\nexec ./bin/game\r\n", program, ""},
		{"data after the start", "exec /opt/game/bin/game\n\x00\xff(('\"", program, ""},
		{"a home directory", "exec ~/bin/game", "", ""},
		{"unclosed", "exec \"$(dirname \"$0\"/bin/game", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			tree.Lay(t, root, map[string]string{"opt/game/game.sh": "#!/bin/sh\n" + c.script, "opt/game/bin/game": "x", "opt/game/other": "x", "usr/bin/other": "x"})
			got := Launch(&machine.Machine{Root: root}, "/opt/game/game.sh")
			if (got != nil) != (c.program != "") || got != nil && (got.Program != c.program || got.Paths != c.paths) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// Launch reads which variables a script gives to its program, and in which lines, also where the program is elsewhere or unknown.
func TestScriptVariables(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script, program, set string }{
		{"export", "export VK_ICD_FILENAMES=/gone.json\nexec \"$@\"\n", "", "2:VK_ICD_FILENAMES=/gone.json"},
		{"for one command", "echo start\nVK_ICD_FILENAMES=/gone.json \"$@\"\n", "", "3:VK_ICD_FILENAMES=/gone.json"},
		{"through env", "exec env -u NODEVICE_SELECT VK_LOADER_DRIVERS_DISABLE=*nvidia* other -x\n", "/usr/bin/other", "2:-NODEVICE_SELECT 2:VK_LOADER_DRIVERS_DISABLE=*nvidia*"},
		{"exported later", "A=1\nVK_X=/x\nexport VK_X\n/usr/bin/other \"$@\"\n", "/usr/bin/other", "3:VK_X=/x"},
		{"exported before", "export VK_X\nVK_X=/x\nexec other\n", "/usr/bin/other", "3:VK_X=/x"},
		{"of the environment", "OLD=2\nexec other\n", "/usr/bin/other", "2:OLD=2"},
		{"the home directory", "export VK_X=~/x VK_Y=$HOME/y:$VK_Z\nexec other\n", "/usr/bin/other", "2:VK_X=/home/mia/x 2:VK_Y=/home/mia/y:"},
		{"unset", "export VK_X=1\nunset VK_X OLD\nexec other\n", "/usr/bin/other", "3:-OLD"},
		{"declare", "declare -x VK_X=1\ndeclare VK_Y=2\nother\n", "/usr/bin/other", "2:VK_X=1"},
		{"unknown", "export VK_X=$(cat x)\nVK_Y=`cat y` other\n", "", ""},
		{"nothing after exec", "VK_X=1 exec other\nexport VK_Y=1\nexec program\n", "/usr/bin/other", "2:VK_X=1"},
		{"a script in turn", "export VK_X=1\nexec wrapped\n", "/usr/bin/other", "2:VK_X=1 3:VK_Y=2"},
		{"no program", "export VK_X=1\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			tree.Lay(t, root, map[string]string{"home/mia/bin/wrap": "#!/bin/sh\n" + c.script, "usr/bin/other": "x",
				"usr/bin/wrapped": "#!/bin/sh\n\nVK_Y=2 other"})
			got := Launch(&machine.Machine{Root: root, Environ: []string{"PATH=/usr/bin", "OLD=1", "HOME=/home/mia"}}, "/home/mia/bin/wrap")
			if got == nil {
				if c.set != "" {
					t.Error("no launcher")
				}
				return
			}
			var set []string
			for _, a := range got.Variables {
				text := a.Name + "=" + a.Value
				if a.Unset {
					text = "-" + a.Name
				}
				set = append(set, fmt.Sprintf("%d:%s", a.Line, text))
			}
			if strings.Join(set, " ") != c.set || c.program != "" && got.Program != c.program {
				t.Errorf("%+v", got)
			}
		})
	}
}

// Launch finds the program in a bundle's directory: by AppRun, by a launcher, or as the only program.
func TestDirectories(t *testing.T) {
	t.Parallel()
	const run = "#!/bin/sh\nexec \"$(dirname \"$0\")/usr/bin/app\"\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
		paths string
	}{
		{"AppRun", map[string]string{"a/AppRun": run, "a/usr/bin/app": "x"}, "/a/usr/bin/app", ""},
		{"AppRun's program", map[string]string{"a/AppRun": "ELF", "a/app.desktop": "[Desktop Entry]\nExec=app %U\n", "a/usr/bin/app": "x", "a/usr/lib/x": ""}, "/a/usr/bin/app", "/a/usr/lib"},
		{"two launchers in turn", map[string]string{"a/AppRun": run, "a/usr/bin/app": "#!/bin/bash\nexec ${0%/*}/app.bin", "a/usr/bin/app.bin": "x"}, "/a/usr/bin/app.bin", ""},
		{"one script", map[string]string{"a/start.sh": "#!/bin/sh\nexec ./game", "a/game": "x"}, "/a/game", ""},
		{"two scripts", map[string]string{"a/start.sh": "#!/bin/sh\nexec ./game", "a/test.sh": "#!/bin/sh\nexec ./game", "a/game": "x"}, "", ""},
		{"nothing", map[string]string{"a/readme": "x"}, "", ""},
		{"a circle", map[string]string{"a/AppRun": "#!/bin/sh\nexec ./b", "a/b": "#!/bin/sh\nexec ./AppRun"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			tree.Lay(t, root, c.files)
			got := Launch(&machine.Machine{Root: root}, "/a")
			if (got != nil) != (c.want != "") || got != nil && (got.Program != c.want || got.Paths != c.paths) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// ReadImage finds in an AppImage's header where the file system begins.
func TestImage(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	head := make([]byte, 64)
	copy(head, "\x7fELF\x02\x01\x01\x00AI\x02")
	head[40], head[58], head[60] = 0x40, 64, 3 // e_shoff, e_shentsize, e_shnum
	older := []byte(strings.Replace(string(head), "AI\x02", "AI\x01", 1))
	tree.Lay(t, root, map[string]string{"a.AppImage": string(head), "b.AppImage": string(older), "plain": strings.Replace(string(head), "AI", "\x00\x00", 1), "short": "\x7fELF"})
	for name, want := range map[string]*Image{"a.AppImage": {2, 0x40 + 192}, "b.AppImage": {1, 0x40 + 192}, "plain": nil, "short": nil, "none": nil} {
		got := ReadImage(&machine.Machine{Root: root}, filepath.Join("/", name))
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

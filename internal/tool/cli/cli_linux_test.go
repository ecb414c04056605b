package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/exit"
	"vkloader/test/lib/binary"
)

// world returns a directory with a tool, a library that is never opened, and a probe that is a shell script.
func world(t *testing.T, probe string) (*invocation, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"vkloader": "", "libvulkan.so.1": "",
		"libexec/vkloader/probe": "#!/bin/sh\nexec 1>&3 3>&-\n" + probe,
		"layers/one.json":        layerOne, "driver.json": driverOne,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := binary.WriteProgram(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	var out, errOut bytes.Buffer
	s := &invocation{out: &out, errOut: &errOut, executable: filepath.Join(dir, "vkloader"), self: os.Args[0],
		environ: []string{"PATH=" + os.Getenv("PATH"), "VK_LOADER_DEBUG=error", "VK_DRIVER_FILES=" + filepath.Join(dir, "no_such.json") + ":" + filepath.Join(dir, "driver.json"),
			"VK_IMPLICIT_LAYER_PATH=" + filepath.Join(dir, "layers"), "VK_LAYER_PATH="}}
	return s, &out, &errOut
}

// layerOne is an implicit layer's manifest with a byte-order mark, which the loader accepts.
const layerOne = "\xef\xbb\xbf" + `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_one","type":"GLOBAL",
"library_path":"/m/libone.so","api_version":"1.3.0","implementation_version":"1","description":"One",
"disable_environment":{"ONE_OFF":"1"},"features":{"settings":[{"key":"loud","type":"BOOL","default":false}]}}}`

// driverOne is a driver's manifest with a byte-order mark.
const driverOne = "\xef\xbb\xbf" + `{"file_format_version":"1.0.0","ICD":{"library_path":"/m/libdriver.so","api_version":"1.3.5"}}`

const goodRun = `
[ "$VK_LOADER_DEBUG" = all ] && cat >&2 <<'LOG'
[Vulkan Loader] ERROR:          the loader complains of something
[Vulkan Loader] LAYER:          Insert instance layer "VK_LAYER_one" (/m/libone.so)
[Vulkan Loader] DRIVER:                Using "Card (tm)" with driver: "/m/libdriver.so"
LOG
cat <<'END'
{"event":"begin","phase":"load","round":1}
{"event":"done","phase":"load","round":1,"us":61.2,"result":0}
{"event":"library","path":"/m/libvulkan.so.1.4.363"}
{"event":"layer","name":"VK_LAYER_one","description":"One","api_version":4206592,"implementation_version":1}
{"event":"layer","name":"VK_LAYER_two","description":"Two","api_version":4206592,"implementation_version":1}
a layer that prints
{"event":"device","index":0,"name":"Card (tm)","type":2,"api_version":4206592,"driver_version":1,"driver_name":"D"}
{"event":"done","phase":"create instance","round":1,"us":2000,"result":0}
{"event":"done","phase":"create instance","round":2,"us":1000,"result":0}
{"event":"end"}
END
`

func TestDetailsText(t *testing.T) {
	s, out, errOut := world(t, goodRun)
	if code := runLine(s, []string{"list", "devices", "--details"}); code != exit.Fine {
		t.Fatalf("exit code %d\n%s%s", code, out, errOut)
	}
	const want = `
Library
  /m/libvulkan.so.1.4.363

Chain
  program -> loader -> VK_LAYER_one -> drivers

Times
  phase              first    again
  load             0.06 ms
  create instance  2.00 ms  1.00 ms

Messages of the loader
  error: the loader complains of something
`
	if text := out.String(); !strings.HasSuffix(text, want) || !strings.Contains(text, "Card (tm)") {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestDetailsJSON(t *testing.T) {
	s, out, errOut := world(t, goodRun)
	if code := runLine(s, []string{"list", "devices", "--details", "--json"}); code != exit.Fine {
		t.Fatalf("exit code %d\n%s%s", code, out, errOut)
	}
	var all deviceList
	if err := json.Unmarshal(out.Bytes(), &all); err != nil || all.Details == nil || len(all.List) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	got := all.Details
	if got.Library != "/m/libvulkan.so.1.4.363" || len(got.Times) != 2 || got.Times[1].Again != 1000 || len(got.Messages) != 1 {
		t.Errorf("got %s", out)
	}
}

// list devices names a driver that crashes, hangs or fails, and its phase. The tool itself does not fail.
func TestDevicesOfBadLives(t *testing.T) {
	begin := `echo '{"event":"begin","phase":"create instance","round":1}'` + "\n"
	for _, c := range []struct{ name, probe, want string }{
		{"crash", begin + "kill -SEGV $$", "killed by SIGSEGV in vkCreateInstance"},
		{"abort", begin + "kill -ABRT $$", "killed by SIGABRT in vkCreateInstance"},
		{"hang", begin + "exec sleep 60", "hung for LIMIT in vkCreateInstance"},
		{"child that stays", begin + "sleep 60 & wait", "hung for LIMIT in vkCreateInstance"},
		{"more talk than is kept", begin + "head -c 6000000 /dev/zero; kill -SEGV $$", "killed by SIGSEGV in vkCreateInstance"},
		{"failure", begin + `echo '{"event":"done","phase":"create instance","round":1,"us":1,"result":-9}{"event":"end"}' | sed 's/}{/}\n{/'; exit 1`,
			"create instance failed with VK_ERROR_INCOMPATIBLE_DRIVER"},
		{"no library", `echo '{"event":"unloadable","error":"no such file"}'; exit 3`, "no such file"},
		{"no device", `echo '{"event":"end"}'; exit 1`, "no device is listed"},
		{"exit in a layer", begin + "exit 0", "ended by exit(0) in vkCreateInstance"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, out, errOut := world(t, c.probe)
			limit := 2 * time.Minute
			hangs := strings.Contains(c.want, "LIMIT")
			if hangs {
				limit = time.Second
			}
			for ; ; limit *= 2 { // on a busy machine the child needs longer to say where it is
				out.Reset()
				begun := time.Now()
				if code := runLine(s, []string{"list", "devices", "--details", "--timeout", limit.String()}); code != exit.Problems {
					t.Errorf("exit code %d, want %d\n%s", code, exit.Problems, errOut)
				}
				if spent := time.Since(begun); spent > time.Minute+limit/2 {
					t.Errorf("it took %s", spent)
				}
				want := "Problem: " + strings.ReplaceAll(c.want, "LIMIT", limit.String()) + "\n"
				if strings.Contains(out.String(), want) {
					break
				}
				if !hangs || limit > 20*time.Second {
					t.Errorf("got\n%s\nwant %q", out, want)
					break
				}
			}
		})
	}
}

// A driver's processes end with its child process, whether that exits or is killed.
func TestProbeTakesItsGroupAlong(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{"ends by itself": "exit 0", "hangs": "exec sleep 600"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			s, _, _ := world(t, "sleep 600 >/dev/null 2>&1 & echo $! >"+file+"\n"+end)
			var text []byte
			for limit := time.Second; len(text) == 0; limit *= 2 { // a busy machine needs longer for the shell to start
				runLine(s, []string{"list", "devices", "--details", "--timeout", limit.String()})
				var err error
				if text, err = os.ReadFile(file); len(text) == 0 && limit > time.Minute {
					t.Fatalf("no process number: %v", err)
				}
			}
			stat := "/proc/" + strings.TrimSpace(string(text)) + "/stat"
			for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
				data, err := os.ReadFile(stat)
				if err != nil || strings.Contains(string(data), ") Z ") { // ended, but not yet reaped by its parent
					return
				}
				if time.Since(begun) > time.Minute {
					t.Fatalf("it lives on: %s", data)
				}
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	s, out, errOut := world(t, goodRun)
	for _, c := range []struct {
		args string
		code int
	}{
		{"", exit.Problems}, {"help", exit.Fine}, {"version", exit.Fine}, {"version --json", exit.Fine}, {"nonsense", exit.Usage},
		{"ps extra", exit.Usage}, {"ps --nonsense", exit.Usage}, {"info", exit.Usage}, {"list nonsense", exit.Usage},
	} {
		if code := runLine(s, strings.Fields(c.args)); code != c.code {
			t.Errorf("vkloader %s: exit code %d, want %d\n%s%s", c.args, code, c.code, out, errOut)
		}
	}
	s.executable = filepath.Join(t.TempDir(), "vkloader")
	if code := runLine(s, []string{"list", "devices", "--details"}); code != exit.NotLooked {
		t.Errorf("without a library: exit code %d, want %d", code, exit.NotLooked)
	}
	if !strings.Contains(errOut.String(), "vkloader: ") {
		t.Errorf("no message: %s", errOut)
	}
}

func TestGetenvTakesTheLast(t *testing.T) {
	s := &invocation{environ: []string{"A=1", "AB=2", "A=3"}}
	if got := s.getenv("A"); got != "3" {
		t.Errorf("got %q", got)
	}
}

// For every command, an extra argument or an unknown option is wrong usage.
func TestUsageErrorsEverywhere(t *testing.T) {
	s, _, _ := world(t, goodRun)
	count := 0
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		count++
		lines := [][]string{append(slices.Clone(path), "--no-such-option")}
		if !strings.ContainsAny(cmd.Use, "[.") && !strings.Contains(cmd.Use, " ") || cmd.HasSubCommands() {
			lines = append(lines, append(slices.Clone(path), "no-such-argument"))
		}
		for _, line := range lines {
			if code := runLine(s, line); code != exit.Usage {
				t.Errorf("%v: exit code %d, want %d", line, code, exit.Usage)
			}
		}
		for _, sub := range cmd.Commands() {
			if !sub.Hidden && !sub.IsAdditionalHelpTopicCommand() && sub.Name() != "help" {
				walk(sub, append(slices.Clone(path), sub.Name()))
			}
		}
	}
	walk(newRoot(s, nil), nil)
	if count < 15 {
		t.Errorf("only %d commands", count)
	}
}

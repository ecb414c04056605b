package scale

import (
	"encoding/binary"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/test/lib/inmemory"
)

// repeated writes a file. In the piece, @ stands for its number.
func repeated(head, piece, tail string, times int) string {
	var text strings.Builder
	text.WriteString(head)
	for i := range times {
		text.WriteString(strings.ReplaceAll(piece, "@", fmt.Sprintf("%04d", i)))
	}
	text.WriteString(tail)
	return text.String()
}

// counter starts the program that counts executed blocks, and returns a function that asks it a question.
func counter(f testing.TB) func(t *testing.T, kind uint8, text string) float64 {
	program := filepath.Join(f.TempDir(), "work")
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg=vkloader/internal/...,vkloader/test/loader/scale/work", "-o", program, "./test/loader/scale/work")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		f.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "serve")
	cmd.Env = append(cmd.Environ(), "GOCOVERDIR="+f.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		f.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	var talk strings.Builder
	cmd.Stderr = &talk
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		in.Close()
		io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			f.Errorf("%v\n%s", err, talk.String())
		}
	})
	return func(t *testing.T, kind uint8, text string) float64 {
		t.Helper()
		question := binary.LittleEndian.AppendUint32(nil, uint32(kind))
		question = append(binary.LittleEndian.AppendUint32(question, uint32(len(text))), text...)
		var blocks uint64
		if _, err := in.Write(question); err != nil {
			t.Fatal(err)
		}
		if err := binary.Read(out, binary.LittleEndian, &blocks); err != nil {
			t.Fatalf("no answer: %v", err)
		}
		return float64(blocks)
	}
}

// FuzzGrowth repeats a piece of a manifest or settings file 64, 256 and 448 times: the work has to grow in equal steps.
// Work is the number of blocks that a program with counters executes; the fuzzer itself sees the same decision with two pieces.
func FuzzGrowth(f *testing.F) {
	const (
		layer = `{"name":"VK_LAYER_@","type":"GLOBAL","library_path":"l","api_version":"1.1.0","implementation_version":"1","description":"d",` +
			`"disable_environment":{"NO_@":"1"}`
		one   = `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_a","type":"GLOBAL","api_version":"1.1.0","implementation_version":"1",` + `"description":"d","disable_environment":{"NO":"1"},`
		many  = `{"file_format_version":"1.2.0","layers":[`
		force = `{"file_format_version":"1.0.0","settings":{`
	)
	for _, s := range []struct {
		kind              uint8
		head, piece, tail string
	}{
		{0, many, layer + `},`, `{}]}`},
		{1, many, layer + `,"enable_environment":{"E@":"x"}},`, `7]}`},
		{1, many, strings.Replace(layer, "VK_LAYER_@", "VK_LAYER_same", 1) + `},`, layer + `}]}`},
		{0, many, strings.Replace(layer, `"library_path":"l"`, `"component_layers":["VK_LAYER_0001","VK_LAYER_@"]`, 1) + `},`, layer + `}]}`},
		{0, `{"file_format_version":"1.0.0",`, `"layer":` + layer + `},`, `"x":1}`},
		{1, one + `"library_path":"l","instance_extensions":[`, `{"name":"VK_x_@","spec_version":"1"},`, `{}]}}`},
		{0, one + `"library_path":"l","device_extensions":[`, `{"name":"VK_x","entrypoints":["vkX@"]},`, `{}]}}`},
		{1, strings.Replace(one, "VK_LAYER_a", "VK_LAYER_LUNARG_override", 1) + `"component_layers":[],"blacklisted_layers":[`, `"VK_LAYER_@",`, `"x"]}}`},
		{1, strings.Replace(one, "VK_LAYER_a", "VK_LAYER_LUNARG_override", 1) + `"component_layers":[],"override_paths":[`, `"/p@",`, `"x"]}}`},
		{1, strings.Replace(one, "VK_LAYER_a", "VK_LAYER_LUNARG_override", 1) + `"component_layers":["VK_LAYER_x"],"app_keys":[`, `"/b@",`, `"/bin/p"]}}`},
		{0, one, "\n\"x@\":[1,{\"\\u0041\":null}],", `"library_path":"l"}}`},
		{2, `{"file_format_version":"1.0.0","ICD":{"api_version":"1.1.0",`, `"x@":"\n",`, `"library_path":"l"}}`},
		{2, `{"file_format_version":"`, `1.\u0041`, `","ICD":{"api_version":"1.1.0","library_path":"l"}}`},
		{3, force + `"layers":[`, `{"name":"VK_LAYER_@","path":"/l@.json","control":"off"},`, `{"control":"unordered_layer_location"}]}}`},
		{3, force + `"layers":[`, `{"name":"VK_LAYER_@","path":"/l@.json","control":"on"},`, `{"control":"unordered_layer_location"}]}}`},
		{3, force + `"additional_drivers":[`, `{"path":"/d@.json"},`, `{"path":"/x.json"}]}}`},
		{3, force + `"stderr_log":[`, `"all","@",`, `1]}}`},
		{3, force + `"device_configurations":[`, `{"deviceUUID":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15],"driverUUID":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15],"driverVersion":@},`, `{}]}}`},
		{3, `{"file_format_version":"1.0.0","settings_array":[`, `{"app_keys":["/bin/@"]},`, `{"stderr_log":["all"]}]}`},
		{0, "", "[", ""}, {0, "", `{"a":`, "1"}, {0, "[", "1e5,", "1]"}, {0, "", " \n", "{}"},
	} {
		f.Add(s.kind, s.head, s.piece, s.tail)
	}
	count := counter(f)
	f.Fuzz(func(t *testing.T, kind uint8, head, piece, tail string) {
		if len(head) > 1<<12 || len(piece) > 1<<10 || len(tail) > 1<<12 {
			t.Skip("too much at once")
		}
		work := func(times int) float64 { return count(t, kind, repeated(head, piece, tail, times)) }
		a, b, c := work(64), work(256), work(448)
		if c-b > 1.15*(b-a)+5000 { // of n*n blocks, the second step would have 73,728 more
			t.Errorf("64 times: %.0f, 256 times: %.0f, 448 times: %.0f blocks", a, b, c)
		}
		if len(head)+len(tail)+64*len(piece) < 1<<16 { // in this process, so that the fuzzer sees new code
			tree := &inmemory.Tree{Files: map[string]string{[]string{"/e/f.json", "/i/f.json", "/d.json", "/s/vulkan//loader_settings.d/vk_loader_settings.json"}[kind%4]: repeated(head, piece, tail, 2)},
				Vars: map[string]string{"VK_LAYER_PATH": "/e", "VK_IMPLICIT_LAYER_PATH": "/i", "VK_DRIVER_FILES": "/d.json", "XDG_CONFIG_HOME": "/s"}}
			if plan.Resolve(&plan.Question{Kind: plan.Instance, Platform: search.Linux(), Explain: true}, tree) == nil {
				t.Error("the core asks for ever more facts and never decides")
			}
		}
	})
}

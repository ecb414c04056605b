package programs

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vkloader/test/lib/machine"
)

// onlyInAll skips a test outside "make test-all", which sets VKLOADER_TEST_ALL and installs the packages of such tests.
func onlyInAll(t *testing.T) {
	t.Helper()
	if os.Getenv("VKLOADER_TEST_ALL") == "" {
		t.Skip("part of make test-all; VKLOADER_TEST_ALL=1 selects it")
	}
}

const (
	capture     = "VK_LAYER_LUNARG_gfxreconstruct"
	cubeFrames  = 20
	testvulkan  = "/usr/libexec/installed-tests/SDL2/testvulkan"
	pixelsOfRow = 500 // width and height of vkcube's window
)

// GFXReconstruct records vkcube with its layer and replays the recording. Both loaders record the same commands, and each
// recording, replayed on each loader, has the same pictures.
func TestGfxreconstruct(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	machine.Need(t, layerDirectory+"/explicit_layer.d/VkLayer_gfxreconstruct.json")
	s := machine.New(t).OnLavapipe().WithX()
	loaders := []machine.Loader{machine.Debians(t), machine.Ours(t)}
	var commands []string
	var pictures [][]string
	for i, l := range loaders {
		file := filepath.Join(s.Dir, fmt.Sprintf("capture%d.gfxr", i))
		recorded := s.With("VK_INSTANCE_LAYERS="+capture, "GFXRECON_CAPTURE_FILE="+file, "GFXRECON_CAPTURE_FILE_TIMESTAMP=false").
			RunTraced(l, "vkcube", "--c", fmt.Sprint(cubeFrames))
		recorded.WantExit(t, 0)
		onLoader(t, recorded, l)
		commands = append(commands, recordedCommands(t, s, file))
		for _, l := range loaders {
			pictures = append(pictures, replay(t, s, l, file))
		}
	}
	if d := machine.Difference(commands[0], commands[1]); d != "" {
		t.Errorf("the recorded commands differ; - Debian's, + ours:\n%s", d)
	}
	for frame, first := range pictures[0] {
		for _, other := range pictures[1:] {
			if other[frame] != first {
				t.Errorf("frame %d is not the same picture in all four replays", frame+1)
			}
		}
		if frame > 0 && pictures[0][frame-1] == first {
			t.Errorf("frame %d is the picture of the frame before: the cube does not turn", frame+1)
		}
	}
}

// onLoader checks that a traced program used this loader and no other.
func onLoader(t *testing.T, o machine.Outcome, l machine.Loader) {
	t.Helper()
	for _, path := range o.Mapped {
		if strings.HasPrefix(filepath.Base(path), "libvulkan.so") && filepath.Dir(path) != l.Directory {
			t.Errorf("%s: it opened %s", o.Command, path)
		}
	}
	if !o.HasLibrary(l.Directory + "/libvulkan.so.1") {
		t.Errorf("%s: it did not use this loader:\n%s", o.Command, machine.Tail(o.Err))
	}
}

// recordedCommands returns the names and results of a recording's commands, one a line.
func recordedCommands(t *testing.T, s *machine.Stage, file string) string {
	t.Helper()
	converted := s.Run(machine.Debians(t), "gfxrecon-convert", "--output", "stdout", file)
	converted.WantExit(t, 0)
	var names strings.Builder
	presents := 0
	for line := range strings.Lines(converted.Out) {
		var call struct {
			VkFunc struct{ Name, Return string }
		}
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			t.Fatalf("%s: %v in %s", converted.Command, err, line)
		}
		if call.VkFunc.Name == "vkQueuePresentKHR" {
			presents++
		}
		if call.VkFunc.Name != "" {
			fmt.Fprintln(&names, call.VkFunc.Name, call.VkFunc.Return)
		}
	}
	if presents != cubeFrames {
		t.Errorf("%s: the recording has %d frames, want %d", converted.Command, presents, cubeFrames)
	}
	return names.String()
}

// replay replays a recording on a loader and returns the picture of each frame.
func replay(t *testing.T, s *machine.Stage, l machine.Loader, file string) []string {
	t.Helper()
	directory, err := os.MkdirTemp(s.Dir, "replay")
	if err != nil {
		t.Fatal(err)
	}
	o := s.RunTraced(l, "gfxrecon-replay", "--wsi", "xcb", "--screenshot-all", "--screenshot-dir", directory, file)
	o.WantExit(t, 0)
	onLoader(t, o, l)
	var frames []string
	for i := range cubeFrames {
		picture, err := os.ReadFile(fmt.Sprintf("%s/screenshot_frame_%d.bmp", directory, i+1))
		if err != nil || len(picture) < 4*pixelsOfRow*pixelsOfRow {
			t.Fatalf("%s: picture %d has %d bytes, %v\n%s", o.Command, i+1, len(picture), err, machine.Tail(o.Out+o.Err))
		}
		frames = append(frames, string(picture))
	}
	return frames
}

// SDL's testvulkan opens the library with SDL_Vulkan_LoadLibrary and clears its window in a cycle of colours until it is interrupted. The
// screen shows these colours, and the program's output is the same with both loaders.
func TestSDLVulkan(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	machine.Need(t, testvulkan)
	said := map[string]string{}
	for _, l := range []machine.Loader{machine.Debians(t), machine.Ours(t)} {
		s := machine.New(t).OnLavapipe().WithX().With("SDL_VIDEODRIVER=x11")
		var lock sync.Mutex
		seen := map[uint32]bool{}
		o := s.Until(func() bool {
			lock.Lock()
			defer lock.Unlock()
			if colour, err := s.Pixel(400, 300); err == nil && colour != 0 {
				seen[colour] = true
			}
			return len(seen) >= 10
		}).RunTraced(l, testvulkan)
		o.WantExit(t, 0)
		onLoader(t, o, l)
		lock.Lock()
		for colour := range seen {
			if sum := linear(colour>>16) + linear(colour>>8) + linear(colour); math.Abs(sum-1.5) > 0.03 {
				t.Errorf("%s: the screen had the colour %06x, which the program does not draw", o.Command, colour)
			}
		}
		lock.Unlock()
		for line := range strings.Lines(o.Out + o.Err) {
			if before, _, found := strings.Cut(line, " frames per second"); found {
				line = strings.TrimRight(before, "0123456789.") + "N frames per second\n"
			}
			said[l.Name] += line
		}
		if !strings.Contains(said[l.Name], "N frames per second") {
			t.Errorf("%s: it says\n%s", o.Command, machine.Tail(o.Out+o.Err))
		}
	}
	if d := machine.Difference(said["Debian's"], said["ours"]); d != "" {
		t.Errorf("- Debian's, + ours:\n%s", d)
	}
}

// linear returns the intensity of a colour's lowest byte, which is encoded as sRGB. The intensities of testvulkan's three
// colours are sines a third of a circle apart, so their sum is 1.5.
func linear(colour uint32) float64 {
	value := float64(colour&0xff) / 255
	if value <= 0.04045 {
		return value / 12.92
	}
	return math.Pow((value+0.055)/1.055, 2.4)
}

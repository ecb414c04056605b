package commands

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/binary"
	"vkloader/test/lib/world"
)

// The lines of docs/players.md do what their comments say: after each line, the game gets these layers and devices.
func TestPlayersPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/players.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n```sh\n")
	block, _, _ := strings.Cut(rest, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")

	w := world.New(t)
	w.Env["XDG_DATA_DIRS"], w.Env["XDG_CONFIG_DIRS"] = w.Path("share"), w.Path("etc")
	w.Driver("nvidia", "device name=GeForce type=discrete vendor=0x10de device=0x2684 uuid=1").API("1.3.0").MoveManifest("share/vulkan/icd.d")
	w.Driver("amd", "device name=Radeon type=integrated vendor=0x1002 device=0x164e uuid=2").API("1.3.0").MoveManifest("share/vulkan/icd.d")
	w.ImplicitLayer("VK_LAYER_MANGOHUD_overlay").Set("enable_environment", map[string]any{"MANGOHUD": "1"})
	game, err := os.ReadFile(filepath.Join(built, "libexec/vkloader/probe"))
	if err == nil {
		err = binary.WriteProgram(w.Path("game"), game)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Env["PATH"] = w.Root + ":" + built + ":" + os.Getenv("PATH")
	chain := func(out string) string {
		var got []string
		for name, sign := range map[string]string{"GeForce": `"name":"GeForce"`, "Radeon": `"name":"Radeon"`} {
			if strings.Contains(out, sign) {
				got = append(got, name)
			}
		}
		if len(w.Log().By("VK_LAYER_MANGOHUD_overlay").Fn("vkCreateInstance")) > 0 {
			got = append(got, "overlay")
		}
		slices.Sort(got)
		return strings.Join(got, " ")
	}
	want := []string{"GeForce Radeon overlay", "GeForce overlay", "GeForce", "GeForce Radeon", "GeForce overlay"}
	if len(lines) != len(want) {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, line := range lines {
		if strings.HasPrefix(line, "vkloader settings ") {
			line += "\ngame libvulkan.so.1"
		} else {
			line = strings.Replace(line, " game ", " game libvulkan.so.1 ", 1)
		}
		w.ForgetLog()
		out, exit := w.Run(2*time.Minute, "/bin/sh", "-ec", line)
		if got := chain(out); exit.Code != 0 || got != want[i] {
			t.Errorf("%s\nexit code %d: the game gets %q, want %q\n%s%s", lines[i], exit.Code, got, want[i], out, exit.Stderr)
		}
	}
}

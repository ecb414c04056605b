package survey

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/discover"
	"vkloader/internal/decide/explain"
)

// renderers convert a picture to pixels: librsvg, which file managers, mail programs and code forges use, and a browser,
// which also handles dark mode.
var renderers = []struct {
	program string
	colours *strings.Replacer
	command func(svg, png string, w, h int) []string
}{
	{"rsvg-convert", light, func(svg, png string, w, h int) []string { return []string{"-o", png, svg} }},
	{"chromium", light, browser("1")},
	{"chromium", dark, browser("0")},
}

func browser(scheme string) func(svg, png string, w, h int) []string {
	return func(svg, png string, w, h int) []string {
		return []string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + filepath.Dir(png) + "/profile",
			"--blink-settings=preferredColorScheme=" + scheme, "--force-device-scale-factor=1",
			fmt.Sprintf("--window-size=%d,%d", w, h), "--screenshot=" + png, "file://" + svg}
	}
}

// Every renderer shows each box with its colour, a frame and text, on the background colour.
func TestRenderersShowThePicture(t *testing.T) {
	t.Parallel()
	c := &Chain{Program: "/usr/bin/vkcube", Library: "/usr/lib/libvulkan.so.1", Version: "1.4.363",
		Layers: []ChainLayer{{Item: explain.Item{Name: "VK_LAYER_one", Library: "/usr/lib/libone.so"}, Known: true,
			Commands: []string{"vkCreateDevice"}}},
		Drivers: []ChainDriver{
			{Item: explain.Item{Name: "acme_icd.json", Library: "/usr/lib/libacme.so"},
				Devices: []discover.Device{{Name: "Acme 1"}}},
			{Item: explain.Item{Name: "bad_icd.json", Library: "/usr/lib/libbad.so"}, Problem: "it is not there"}}}
	p := lay(c)
	for i, r := range renderers {
		t.Run(fmt.Sprint(r.program, i), func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(r.program)
			if err != nil {
				t.Skip(err)
			}
			svg, out := filepath.Join(t.TempDir(), "chain.svg"), filepath.Join(t.TempDir(), "chain.png")
			var text bytes.Buffer
			if err := SVG(&text, c); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(svg, text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(program, r.command(svg, out, int(p.w), int(p.h))...)
			cmd.WaitDelay = time.Minute
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%.2000s", err, said)
			}
			file, err := os.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			img, err := png.Decode(file)
			if err != nil {
				t.Fatal(err)
			}
			judge(t, p, img, r.colours)
		})
	}
}

func judge(t *testing.T, p *picture, img image.Image, colours *strings.Replacer) {
	at := func(x, y float64) string {
		c := color.NRGBAModel.Convert(img.At(int(x), int(y))).(color.NRGBA)
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	if got := at(2, 2); got != colours.Replace("$paper") {
		t.Errorf("the paper is %s, want %s", got, colours.Replace("$paper"))
	}
	fills := map[string]string{"program": colours.Replace("$program"), "loader": colours.Replace("$loader"), "layer": colours.Replace("$layer"),
		"driver": colours.Replace("$driver"), "device": colours.Replace("$device"), "bad": colours.Replace("$bad"), "aside": colours.Replace("$aside")}
	seen := map[string]bool{}
	for _, b := range p.boxes {
		want, ok := fills[b.class]
		if !ok {
			t.Fatalf("a box of class %q", b.class)
		}
		seen[b.class] = true
		if got := at(b.x+b.w-12, b.y+6); got != want {
			t.Errorf("%s is %s, want %s", b.title, got, want)
		}
		ink := 0
		for y := b.y + 4; y < b.y+b.h-4; y++ {
			for x := b.x + 4; x < b.x+b.w-4; x++ {
				if at(x, y) != want {
					ink++
				}
			}
		}
		if ink < 50 {
			t.Errorf("%s has no text: %d points of it are not %s", b.title, ink, want)
		}
		if got := at(b.x+b.w/3, b.y); got == want || got == colours.Replace("$paper") {
			t.Errorf("%s has no frame", b.title)
		}
	}
	for _, class := range []string{"program", "loader", "layer", "driver", "device"} {
		if !seen[class] {
			t.Errorf("no box is a %s", class)
		}
	}
}

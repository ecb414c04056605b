package ui

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// go test ./test/tool/ui -run Screenshots -update makes the pictures of docs/images again; look at them.
var update = flag.Bool("update", false, "make the pictures of docs/images again")

// mostPicture is the size limit of a picture of docs/images, in bytes.
const mostPicture = 100_000

// shown are the pictures of the documents; a test of the documents finds links without a file.
var shown = []string{"ui-overview-1280-light", "ui-program-1280-light"}

// view is a page as a picture.
type view struct {
	name, address string
	prepare       func(b *browser)
	top           string // the element at the top of the picture; "": the page's top
}

var views = []view{
	{"overview", "overview", nil, ""},
	{"programs", "programs", nil, ""},
	{"program", "program", func(b *browser) {
		b.click(`[aria-label="Move VK_LAYER_TEST_first down"]`)
		b.wait(`document.getElementById("compared") && document.querySelector(".picture svg")`)
	}, ""},
	{"picture", "program", func(b *browser) { b.wait(`document.querySelector(".picture svg")`) }, ".picture"},
	{"start", "start", nil, ""},
	{"configurations", "configurations", nil, ""},
	{"configuration", "configurations/quiet", nil, ""},
	{"devices", "program", func(b *browser) {
		b.click("#list-devices")
		b.wait(`document.querySelector("#devices select")`)
	}, "#devices"},
	{"layers", "layers/VK_LAYER_KHRONOS_validation?preset=3", nil, ""},
	{"files", "files", nil, ""},
	{"report", "report", func(b *browser) {
		eval[bool](b, `(() => { document.getElementById("still").click(); return true })()`)
		b.click(`main form button.first`)
		b.wait(`document.getElementById("save")`)
	}, ""},
}

// Each page can be drawn, wide and narrow, light and dark. The pictures of the documents show two of them.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.validation()
	s.write("share/vulkan/explicit_layer.d/broken.json", "{\n  \"file_format_version\": \"1.2.0\",\n  \"layer\": {\n    \"name\": \"VK_LAYER_TEST_broken\",\n    \"type\": \"GLOBAL\"\n    \"library_path\": \"libbroken.so\"\n  }\n}\n")
	s.twoDrivers()
	s.run("settings", "set", "--layer", "VK_LAYER_TEST_first=off")
	s.run("settings", "save", "quiet")
	s.run("settings", "clear")
	s.start("game")
	b := s.serve().page("overview")
	for _, v := range views {
		b.to(v.address)
		if v.prepare != nil {
			v.prepare(b)
		}
		for _, width := range []int64{1280, 390} {
			b.size(width)
			for _, dark := range []bool{false, true} {
				b.dark(dark)
				b.picture(fmt.Sprintf("ui-%s-%d-%s", v.name, width, map[bool]string{false: "light", true: "dark"}[dark]), v.top, dark)
			}
		}
		b.size(1280)
		b.dark(false)
	}
}

// picture takes a picture of the window and judges it, and the file of that name if the documents show one.
func (b *browser) picture(name, top string, dark bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	eval[bool](b, `(async () => { window.scrollTo(0, 0); if (%s) document.querySelector(%s || "main").scrollIntoView(); await document.fonts.ready; await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))); return true })()`, top, top)
	var data []byte
	if err := chromedp.Run(ctx, chromedp.CaptureScreenshot(&data)); err != nil {
		b.t.Fatal(err)
	}
	taken, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		b.t.Fatal(err)
	}
	width := taken.Bounds().Dx()
	judge(b.t, name, taken, width, dark)
	// Only elements with their own scrolling are wider than the window.
	if over := eval[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
		b.t.Errorf("%s: the page is %d pixels wider than the window", name, over)
	}
	if !slices.Contains(shown, name) {
		return
	}
	file := filepath.Join("../../../docs/images", name+".png")
	if *update {
		var small bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, fewColours(taken)); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(file, small.Bytes(), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		b.t.Errorf("%v; go test ./test/tool/ui -run Screenshots -update makes it", err)
		return
	}
	if len(text) > mostPicture {
		b.t.Errorf("%s has %d bytes, more than %d", file, len(text), mostPicture)
	}
	kept, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		b.t.Fatalf("%s: %v", file, err)
	}
	judge(b.t, file, kept, width, dark)
}

// judge fails the test for a blank picture, or one with the wrong colour scheme.
func judge(t *testing.T, name string, picture image.Image, width int, dark bool) {
	t.Helper()
	if picture.Bounds().Dx() != width {
		t.Errorf("%s is %d pixels wide, not %d", name, picture.Bounds().Dx(), width)
	}
	count := map[color.NRGBA]int{}
	all := 0
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y += 2 { // every fourth point
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x += 2 {
			count[color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)]++
			all++
		}
	}
	var paper color.NRGBA
	for c, n := range count {
		if n > count[paper] {
			paper = c
		}
	}
	if ink := all - count[paper]; ink*50 < all || len(count) < 16 {
		t.Errorf("%s is blank: %d of %d points, %d colours", name, ink, all, len(count))
	}
	if isDark := int(paper.R)+int(paper.G)+int(paper.B) < 3*128; isDark != dark {
		t.Errorf("%s has the paper %v", name, paper)
	}
}

// fewColours returns a picture with its 64 most frequent colours; pixels of other colours get the nearest.
func fewColours(picture image.Image) *image.Paletted {
	bounds := picture.Bounds()
	count := map[color.NRGBA]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)]++
		}
	}
	colours := make([]color.NRGBA, 0, len(count))
	for c := range count {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.NRGBA) int {
		if d := count[b] - count[a]; d != 0 {
			return d
		}
		return bytes.Compare([]byte{a.R, a.G, a.B}, []byte{b.R, b.G, b.B})
	})
	palette := color.Palette{}
	for _, c := range colours[:min(len(colours), 64)] {
		palette = append(palette, c)
	}
	index := map[color.NRGBA]uint8{}
	out := image.NewPaletted(image.Rect(0, 0, bounds.Dx(), bounds.Dy()), palette)
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			c := color.NRGBAModel.Convert(picture.At(bounds.Min.X+x, bounds.Min.Y+y)).(color.NRGBA)
			at, known := index[c]
			if !known {
				at = uint8(palette.Index(c))
				index[c] = at
			}
			out.SetColorIndex(x, y, at)
		}
	}
	return out
}

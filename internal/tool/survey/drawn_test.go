package survey

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vkloader/discover"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/shell"
)

// chain returns a chain with random names of all lengths.
func chain(seed int64) *Chain {
	r := rand.New(rand.NewSource(seed))
	word := func(most int) string {
		signs := pick(r, "abcdefghijklmnopqrstuvwxyz", "WMmw@%", "a_b/c-d.e:f, ", "<&>\"'`\\", "界面驱动程序", "i", "ab cd\n\t\x1b[31m\u202e\xff")
		var out strings.Builder
		runes := []rune(signs)
		for range r.Intn(most) {
			out.WriteRune(runes[r.Intn(len(runes))])
		}
		return out.String()
	}
	length := func() int { return pick(r, 2, 12, 60, 400) }
	c := &Chain{Program: pick(r, "", "/usr/bin/vkcube", "/"+word(length())), Library: "/" + word(length()), Version: "1.4.363"}
	for range pick(r, 0, 1, 3, 12) {
		l := ChainLayer{Item: explain.Item{Name: "VK_LAYER_" + word(length()), Manifest: "/m/" + word(length()),
			Why: word(length()), Statement: "ENV-1", Change: shell.Quoted(word(length())), NameOnly: r.Intn(6) == 0},
			Description: word(length()), Known: r.Intn(3) > 0, Unknown: word(length())}
		if l.Meta = r.Intn(6) == 0; !l.Meta {
			l.Library = word(length())
		}
		for range pick(r, 0, 1, 30, 200) {
			if l.Known {
				l.Commands = append(l.Commands, "vk"+word(length()))
			}
		}
		for range r.Intn(4) {
			l.Before = append(l.Before, "vkEnumerateInstance"+word(20))
		}
		c.Layers = append(c.Layers, l)
	}
	index := uint32(0)
	for range pick(r, 0, 1, 4, 20) {
		d := ChainDriver{Item: explain.Item{Name: word(length()) + ".json", Manifest: word(length()), Library: word(length()),
			Why: word(length()), Statement: "ENV-2", Change: shell.Quoted(word(length()))}, API: pick(r, "", "1.3.0"),
			Problem: pick(r, "", "", word(length())), Known: r.Intn(4) > 0}
		for range pick(r, 0, 1, 2, 9) {
			d.Devices = append(d.Devices, discover.Device{Index: index, Name: word(length()), TypeText: word(20),
				APIText: "1.3.0", DriverName: word(length())})
			index++
		}
		c.Drivers = append(c.Drivers, d)
	}
	c.Problem = pick(r, "", word(length()))
	return c
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.Intn(len(list))] }

// Boxes lie in the picture and do not overlap. Each text lies in its box and overlaps no other text. Lines between boxes
// cross no box.
func TestNothingOverlapsAndNothingIsCut(t *testing.T) {
	t.Parallel()
	for seed := range int64(60) {
		c := chain(seed)
		p := lay(c)
		if faults := geometry(p); len(faults) > 0 {
			t.Fatalf("seed %d:\n%s", seed, strings.Join(faults, "\n"))
		}
	}
}

func geometry(p *picture) (faults []string) {
	wrong := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	ids := map[string]bool{}
	for i, b := range p.boxes {
		if b.x < 0 || b.y < 0 || b.x+b.w > p.w || b.y+b.h > p.h {
			wrong("%s is outside of the picture", b.id)
		}
		if ids[b.id] {
			wrong("two boxes have the name %s", b.id)
		}
		ids[b.id] = true
		for _, o := range p.boxes[i+1:] {
			if b.x < o.x+o.w && o.x < b.x+b.w && b.y < o.y+o.h && o.y < b.y+b.h {
				wrong("%s overlaps %s", b.id, o.id)
			}
		}
		for k, s := range b.texts {
			right, top, bottom := s.x+textWidth(s.class, s.text), s.y-sizes[s.class]*0.95, s.y+sizes[s.class]*0.26
			if s.x < b.x || right > b.x+b.w || top < b.y || bottom > b.y+b.h {
				wrong("%s: %q is outside of its box", b.id, s.text)
			}
			for _, o := range b.texts[k+1:] {
				if s.x < o.x+textWidth(o.class, o.text) && o.x < right && top < o.y+sizes[o.class]*0.26 && o.y-sizes[o.class]*0.95 < bottom {
					wrong("%s: %q overlaps %q", b.id, s.text, o.text)
				}
			}
		}
	}
	for _, e := range p.edges {
		for i := 1; i < len(e); i++ {
			a, z := e[i-1], e[i]
			left, right, top, bottom := min(a[0], z[0]), max(a[0], z[0]), min(a[1], z[1]), max(a[1], z[1])
			for _, b := range p.boxes {
				if left < b.x+b.w && b.x < right && top < b.y+b.h && b.y < bottom ||
					left == right && b.x < left && left < b.x+b.w && top < b.y+b.h && b.y < bottom ||
					top == bottom && b.y < top && top < b.y+b.h && left < b.x+b.w && b.x < right {
					wrong("a line from %v to %v crosses %s", a, z, b.id)
				}
			}
		}
	}
	return faults
}

// With any names, the SVG is well formed, contains exactly the texts of the layout, and loads nothing.
func TestPicturesAreWellFormed(t *testing.T) {
	t.Parallel()
	for seed := range int64(40) {
		c := chain(seed)
		var svg bytes.Buffer
		if err := SVG(&svg, c); err != nil {
			t.Fatal(err)
		}
		var texts, want []string
		decoder := xml.NewDecoder(bytes.NewReader(svg.Bytes()))
		within := ""
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			switch one := token.(type) {
			case xml.StartElement:
				within = one.Name.Local
				if within == "text" {
					texts = append(texts, "")
				}
			case xml.CharData:
				if within == "text" {
					texts[len(texts)-1] += string(one)
				}
			case xml.EndElement:
				within = ""
			}
		}
		for _, b := range lay(c).boxes {
			for _, s := range b.texts {
				want = append(want, s.text)
			}
		}
		if !slices.Equal(texts, want) {
			t.Fatalf("seed %d: drawn %q, laid out %q", seed, texts, want)
		}
		if found := regexp.MustCompile(`(?i)(src|href)="|<script|<a |url\(|@import`).FindString(svg.String()); found != "" {
			t.Errorf("seed %d: the picture asks for something else: %s", seed, found)
		}
	}
}

// The title contains the full text of a shortened name. Short names are not shortened.
func TestLongNamesAreWholeInTitles(t *testing.T) {
	t.Parallel()
	long := "VK_LAYER_" + strings.Repeat("very_", 80) + "long"
	c := &Chain{Layers: []ChainLayer{
		{Item: explain.Item{Name: long, Library: "/l.so"}, Known: true, Commands: []string{"vkCreateDevice"}},
		{Item: explain.Item{Name: "VK_LAYER_short", Library: "/s.so"}}}}
	p := lay(c)
	layer := p.boxes[2]
	if !strings.Contains(layer.title, long) || !strings.HasSuffix(layer.texts[1].text, "…") {
		t.Errorf("title %q, texts %+v", layer.title, layer.texts)
	}
	if p.boxes[3].texts[0].text != "VK_LAYER_short" {
		t.Errorf("texts %+v", p.boxes[3].texts)
	}
}

package scale

import (
	"fmt"
	"math/rand"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// hostile files cause much work with few bytes. Each function creates a world of about the given size, and returns the program's calls.
var hostile = []struct {
	about string
	calls []string
	make  func(f *files, size int)
}{
	{"settings entries that name one manifest with as many layers", []string{"version", "instance"}, func(f *files, size int) {
		n := size / 230
		f.explicit(n, func(i int) string { return object(fmt.Sprintf("VK_LAYER_%06d", i), library) })
		f.settings(n, func(i int) string { return settled("auto", fmt.Sprintf("VK_LAYER_%06d", i), f.path("explicit.json")) })
	}},
	{"settings entries that name one meta-layer", []string{"version", "instance"}, func(f *files, size int) {
		f.explicit(1, func(int) string {
			return object("VK_LAYER_m", `"component_layers":["`+strings.Repeat("x", size/2)+`"],"device_extensions":[{"name":"VK_x"}]`)
		})
		f.settings(size/2/80, func(int) string { return settled("on", "VK_LAYER_m", f.path("explicit.json")) })
	}},
	{"meta-layers that name a layer with many extensions", []string{"layers", "instance"}, func(f *files, size int) {
		n := size / 220
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, `{"name":"VK_EXT_%06d","spec_version":"1"},`, i)
		}
		f.explicit(n, func(i int) string {
			if i == 0 {
				return object("VK_LAYER_all", library+`,"device_extensions":[`+list.String()+`{}]`)
			}
			return object(fmt.Sprintf("VK_LAYER_%06d", i), `"component_layers":["VK_LAYER_all"]`)
		})
	}},
	{"implicit meta-layers of a meta-layer of many components", []string{"version", "instance"}, func(f *files, size int) {
		n := size / 250
		f.implicit(n, func(i int) string {
			const off = `,"disable_environment":{"NO":""}`
			switch i {
			case 0:
				return object("VK_LAYER_none", library+off)
			case 1:
				return object("VK_LAYER_all", `"component_layers":[`+strings.TrimSuffix(strings.Repeat(`"VK_LAYER_none",`, n), ",")+"]"+off)
			}
			return object(fmt.Sprintf("VK_LAYER_%06d", i), `"component_layers":["VK_LAYER_all"]`+off)
		})
	}},
	{"layers of one name", []string{"layers", "instance"}, func(f *files, size int) {
		f.explicit(size/150, func(int) string { return object("VK_LAYER_same", library) })
	}},
	{"a chain of meta-layers", []string{"layers", "instance"}, func(f *files, size int) {
		f.explicit(size/180, func(i int) string {
			return object(fmt.Sprintf("VK_LAYER_%06d", i), fmt.Sprintf(`"component_layers":["VK_LAYER_%06d"]`, i+1))
		})
	}},
	{"a cycle of meta-layers", []string{"layers", "instance"}, func(f *files, size int) {
		n := size / 180
		f.explicit(n, func(i int) string {
			return object(fmt.Sprintf("VK_LAYER_%06d", i), fmt.Sprintf(`"component_layers":["VK_LAYER_%06d"]`, (i+1)%n))
		})
	}},
	{"meta-layers of the settings file that contain each other", []string{"instance"}, func(f *files, size int) {
		n := size / 320
		f.explicit(n, func(i int) string {
			return object(fmt.Sprintf("VK_LAYER_%06d", i), fmt.Sprintf(`"component_layers":["VK_LAYER_%06d","VK_LAYER_%06d"]`, (i+1)%n, (i+7)%n))
		})
		f.settings(n, func(i int) string {
			return settled([]string{"on", "auto"}[i%2], fmt.Sprintf("VK_LAYER_%06d", i), f.path("explicit.json"))
		})
	}},
	{"numbers as settings", []string{"version", "instance"}, func(f *files, size int) {
		f.write("config/vulkan/loader_settings.d/vk_loader_settings.json", "["+strings.Repeat("0,", size/2)+"0]")
	}},
	{"numbers as a layer manifest", []string{"layers"}, func(f *files, size int) {
		f.write("explicit.json", "["+strings.Repeat("0,", size/2)+"0]")
	}},
	{"a name of escapes", []string{"layers"}, func(f *files, size int) {
		f.write("explicit.json", `{"`+strings.Repeat(`\u0066`, size/6)+`":0}`)
	}},
	{"empty texts as components", []string{"layers"}, func(f *files, size int) {
		f.explicit(1, func(int) string {
			return object("VK_LAYER_m", `"component_layers":[`+strings.Repeat(`"",`, size/3)+`""]`)
		})
	}},
	{"objects without anything as layers", []string{"layers"}, func(f *files, size int) {
		f.explicit(size/3, func(int) string { return "{}" })
	}},
	{"drivers of the settings file that are one", []string{"extensions", "instance"}, func(f *files, size int) {
		entry := `{"path":"` + f.driver + `"}`
		f.write("config/vulkan/loader_settings.d/vk_loader_settings.json", `{"file_format_version":"1.0.0","settings":{"additional_drivers":[`+
			strings.Repeat(entry+",", size/(len(entry)+1))+entry+`]}}`)
	}},
	{"lines that name a long path", []string{"layers"}, func(f *files, size int) {
		directory := "config" + strings.Repeat("/"+strings.Repeat("d", 250), 13)
		f.write("config/vulkan/loader_settings.d/vk_loader_settings.json",
			`{"file_format_version":"1.0.0","settings":{"stderr_log":["all"],"layers":[`+settled("auto", "VK_LAYER_x", f.path(directory+"/layers.json"))+`]}}`)
		f.write(directory+"/layers.json", `{"file_format_version":"1.2.0","layers":[`+strings.Repeat("{},", size/3)+"{}]}")
	}},
	{"one manifest by many names", []string{"version", "layers", "instance"}, func(f *files, size int) {
		f.explicit(size/2/150, func(i int) string { return object(fmt.Sprintf("VK_LAYER_%06d", i), library) })
		f.settings(size/2/200, func(i int) string {
			spelled := ""
			for bit := range 14 {
				spelled += "." + strings.Repeat("/", 1+i>>bit&1)
			}
			return settled("auto", "VK_LAYER_000000", f.path(spelled+"explicit.json"))
		})
	}},
	{"random layers and settings", []string{"version", "layers", "instance"}, random},
}

// random writes layers, most of them meta-layers of each other, and settings that name some of them.
func random(f *files, size int) {
	r := rand.New(rand.NewSource(int64(f.seed)))
	n := size / 330
	name := func() string { return fmt.Sprintf("VK_LAYER_%06d", r.Intn(n)) }
	f.explicit(n, func(int) string {
		if r.Intn(3) == 0 {
			return object(name(), library+fmt.Sprintf(`,"device_extensions":[{"name":"VK_%d"},{"name":"VK_%d"}]`, r.Intn(n), r.Intn(n)))
		}
		return object(name(), `"component_layers":["`+name()+`","`+name()+`"]`)
	})
	f.settings(n, func(i int) string {
		if i == n/2 {
			return `{"control":"unordered_layer_location"}`
		}
		return settled([]string{"on", "auto", "off"}[r.Intn(3)], name(), f.path("explicit.json"))
	})
}

const library = `"library_path":"l.so"`

func object(name, more string) string {
	return `{"name":"` + name + `","type":"GLOBAL","api_version":"1.0.0","implementation_version":"1","description":"",` + more + `}`
}

func settled(control, name, path string) string {
	return `{"control":"` + control + `","name":"` + name + `","path":"` + path + `"}`
}

// files are the files of a world, with their total size.
type files struct {
	w    *world.World
	size int
	seed int

	driver string // the manifest of a working driver
}

func (f *files) path(name string) string { return f.w.Path("") + "/" + name }

func (f *files) write(name, text string) {
	f.size += len(text)
	f.w.Write(name, text)
}

func (f *files) list(name, head string, n int, piece func(i int) string, tail string) {
	pieces := make([]string, n)
	for i := range pieces {
		pieces[i] = piece(i)
	}
	f.write(name, head+strings.Join(pieces, ",")+tail)
}

func (f *files) explicit(n int, piece func(i int) string) {
	f.list("explicit.json", `{"file_format_version":"1.2.0","layers":[`, n, piece, `]}`)
}

func (f *files) implicit(n int, piece func(i int) string) {
	f.list("implicit.json", `{"file_format_version":"1.2.0","layers":[`, n, piece, `]}`)
}

func (f *files) settings(n int, piece func(i int) string) {
	f.list("config/vulkan/loader_settings.d/vk_loader_settings.json", `{"file_format_version":"1.0.0","settings":{"layers":[`, n, piece, `]}}`)
}

// Hostile files of any size cost the library time and memory in proportion to their size, and make no call fail.
//
// holds: FUZ-023
func TestCostOfHostileFiles(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "cost")
	if err := world.Compile("-O1", "-o", program, "testdata/cost.c", "-ldl"); err != nil {
		t.Fatal(err)
	}
	const small = 512 << 10
	for _, c := range hostile {
		t.Run(c.about, func(t *testing.T) {
			spend := func(size int, call string) (bytes int, used time.Duration, memory int) {
				w := world.New(t)
				w.NoShim = true
				driver := w.Driver("acme").ManifestPath
				w.Env["XDG_CONFIG_HOME"] = w.Path("config")
				w.Env["VK_LAYER_PATH"], w.Env["VK_IMPLICIT_LAYER_PATH"] = w.Path("explicit.json"), w.Path("implicit.json")
				f := &files{w: w, seed: 1, driver: driver}
				c.make(f, size)
				out, exit := w.Run(time.Minute, program, call)
				lines := strings.Fields(out)
				if exit.Code != 0 || len(lines) != 3 || lines[0] != "0" {
					t.Fatalf("%s: %v %q", call, exit, out)
				}
				micro, _ := strconv.Atoi(lines[1])
				kilo, _ := strconv.Atoi(lines[2])
				return f.size, time.Duration(micro) * time.Microsecond, kilo << 10
			}
			for _, call := range c.calls {
				bytes1, time1, memory1 := spend(small, call)
				bytes2, time2, memory2 := spend(2*small, call)
				t.Logf("%s: %d bytes: %v, %.1f bytes for each; %d bytes: %v, %.1f", call, bytes1, time1, float64(memory1)/float64(bytes1),
					bytes2, time2, float64(memory2)/float64(bytes2))
				if time2 > 3*time1+50*time.Millisecond {
					t.Errorf("%s: %v with %d bytes, %v with %d", call, time1, bytes1, time2, bytes2)
				}
				if world.Variant() == "" && memory2 > 20*bytes2+4<<20 {
					t.Errorf("%s: %d bytes of memory for %d that were read", call, memory2, bytes2)
				}
			}
		})
	}
}

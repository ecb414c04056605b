package systems

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"
)

// shared returns a 64-bit library that exports symbols and contains a text.
func shared(text string, exports ...string) string {
	names := []byte{0}
	symbols := make([]byte, 24)
	for _, name := range exports {
		s := make([]byte, 24)
		binary.LittleEndian.PutUint32(s, uint32(len(names)))
		s[4] = byte(elf.STB_GLOBAL) << 4
		binary.LittleEndian.PutUint16(s[6:], 1)
		symbols = append(symbols, s...)
		names = append(append(names, name...), 0)
	}
	b := []byte(elfHead(elf.ELFCLASS64))
	binary.LittleEndian.PutUint16(b[16:], uint16(elf.ET_DYN))
	binary.LittleEndian.PutUint16(b[18:], uint16(elf.EM_AARCH64))
	symbolsAt := len(b)
	b = append(b, symbols...)
	namesAt := len(b)
	b = append(append(b, names...), text...)
	headers := []elf.Section64{{}, {Type: uint32(elf.SHT_DYNSYM), Off: uint64(symbolsAt), Size: uint64(len(symbols)), Link: 2, Info: 1, Entsize: 24},
		{Type: uint32(elf.SHT_STRTAB), Off: uint64(namesAt), Size: uint64(len(names))}}
	binary.LittleEndian.PutUint64(b[40:], uint64(len(b)))
	binary.LittleEndian.PutUint16(b[52:], 64)
	binary.LittleEndian.PutUint16(b[58:], 64)
	binary.LittleEndian.PutUint16(b[60:], uint16(len(headers)))
	binary.LittleEndian.PutUint16(b[62:], 2)
	var out bytes.Buffer
	out.Write(b)
	_ = binary.Write(&out, binary.LittleEndian, headers)
	return out.String()
}

// apk writes an archive. An extra field aligns content to a page. Names with a leading star are compressed.
func apk(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		name, packed := strings.CutPrefix(files[i], "*")
		h := &zip.FileHeader{Name: name, Method: zip.Store}
		if packed {
			h.Method = zip.Deflate
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if begin := b.Len() + 30 + len(name); strings.HasSuffix(name, ".so") && !strings.Contains(name, "crooked") {
			h.Extra = make([]byte, (page-begin%page)%page)
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func layerLibrary(name string) string {
	return shared(name, "vkEnumerateInstanceLayerProperties", "vkEnumerateInstanceExtensionProperties")
}

// Explain finds a program's driver and layers from files and properties alone.
//
// holds: AND-003 AND-004 AND-007 AND-029 AND-031 AND-033 AND-037
func TestExplainAndroid(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"vendor/lib64/hw/vulkan.b.so": shared("", "HMI"), "vendor/lib64/hw/vulkan.bad.so": shared("", "x"), "apex/com.a.b/lib64/hw/vulkan.b.so": shared("", "HMI"),
		"data/local/debug/vulkan/libVkLayer_debug.so":    layerLibrary("VK_LAYER_debug"),
		"data/app/~~x/com.x-1/lib/arm64/libVkLayer_a.so": layerLibrary("VK_LAYER_a"),
		"data/app/~~x/com.x-1/base.apk": apk(t, "lib/arm64-v8a/libVkLayer_zip.so", layerLibrary("VK_LAYER_zip"), "*lib/arm64-v8a/libVkLayer_packed.so", layerLibrary("VK_LAYER_packed"),
			"lib/arm64-v8a/libVkLayer_crooked.so", layerLibrary("VK_LAYER_crooked"), "lib/arm64-v8a/libVkLayer_none.so", shared("VK_LAYER_none", "x"), "AndroidManifest.xml", "none"),
		"data/app/com.layers-2/base.apk":              apk(t, "lib/arm64-v8a/libVkLayer_gpu.so", layerLibrary("VK_LAYER_gpu")),
		"vendor/app/driver/driver.apk":                apk(t, "lib/arm64-v8a/vulkan.b.so", "", "assets/sphal_libraries.txt", "libz.so\n"),
		"data/app/~~y/com.inject-1/base.apk":          apk(t, "AndroidManifest.xml", "c\x00o\x00m\x00.\x00a\x00n\x00d\x00r\x00o\x00i\x00d\x00.\x00g\x00r\x00a\x00p\x00h\x00i\x00c\x00s\x00.\x00i\x00n\x00j\x00e\x00c\x00t\x00L\x00a\x00y\x00e\x00r\x00s\x00.\x00e\x00n\x00a\x00b\x00l\x00e\x00"),
		"data/app/com.broken/base.apk":                "no archive",
		"data/app/com.broken/lib/arm64/libVkLayer.so": "no library",
	}
	m := laid(t, files)
	for _, c := range []struct {
		name, properties string
		program          string
		debuggable       bool
		in, notes        string
	}{
		{"the system's own", "ro.hardware.vulkan=a\nro.board.platform=b\ndebug.vulkan.layers=VK_LAYER_zip", "com.x", false,
			"layer VK_LAYER_zip, driver vulkan.b.so", "no updatable driver: the system has no updatable driver"},
		{"no driver", "ro.board.platform=bad", "com.x", false, "", "there is no driver: the loader's stub"},
		{"an APEX", "ro.board.platform=b\nro.vulkan.apex=com.a.b", "com.x", false, "driver vulkan.b.so", ""},
		{"layers of another package", "ro.board.platform=b\nenable_gpu_debug_layers=1\ngpu_debug_app=com.x\ngpu_debug_layer_app=com.layers:com.gone\ngpu_debug_layers=VK_LAYER_gpu:VK_LAYER_debug", "com.x", true,
			"layer VK_LAYER_gpu, layer VK_LAYER_debug, driver vulkan.b.so", "the package com.gone, which the settings name for layers, is not installed (AND-037)"},
		{"layers that may be injected", "ro.board.platform=b\nenable_gpu_debug_layers=1\ngpu_debug_app=com.inject\ngpu_debug_layer_app=com.layers\ngpu_debug_layers=VK_LAYER_gpu", "com.inject", false,
			"layer VK_LAYER_gpu, driver vulkan.b.so", ""},
		{"an implicit layer that is missing", "ro.board.platform=b\ndebug.vulkan.layers=VK_LAYER_packed", "com.x", false, "driver vulkan.b.so", "vkCreateInstance gives VK_ERROR_LAYER_NOT_PRESENT"},
		{"not stored at a page", "ro.board.platform=b\ndebug.vulkan.layers=VK_LAYER_crooked", "com.x", false, "driver vulkan.b.so", "vkCreateInstance gives VK_ERROR_LAYER_NOT_PRESENT"},
		{"an updatable driver that does not work", "ro.board.platform=b\nro.gfx.driver.0=driver\nupdatable_driver_all_apps=1", "com.x", false, "", "the process ends: there is no Vulkan driver"},
		{"a broken package", "ro.board.platform=b", "com.broken", false, "driver vulkan.b.so", "layers are looked for in /data/app/com.broken/lib/arm64"},
		{"no app", "ro.board.platform=b", "", false, "driver vulkan.b.so", "no updatable driver: the process is no app"},
	} {
		p := Properties{}
		p.Read("f", c.properties)
		a := &Android{Machine: m, Properties: p, Package: c.program, Debuggable: c.debuggable, Bits: "64"}
		in, out, notes := a.Explain()
		var got []string
		for _, kind := range []string{"layer", "driver"} {
			for _, e := range in {
				if e.Kind == kind {
					got = append(got, e.Kind+" "+e.Name)
				}
			}
		}
		if strings.Join(got, ", ") != c.in || !strings.Contains(strings.Join(notes, "\n"), c.notes) {
			t.Errorf("%s: %s\n%s\n%+v", c.name, strings.Join(got, ", "), strings.Join(notes, "\n"), out)
		}
	}
}

// holds: AND-001
func TestLoader(t *testing.T) {
	t.Parallel()
	for bits, want := range map[string]string{"64": "/system/lib64/libvulkan.so", "32": "/system/lib/libvulkan.so"} {
		a := &Android{Machine: laid(t, map[string]string{"data/app/com.x/lib/arm64/libvulkan.so": ""}), Properties: Properties{}, Package: "com.x", Bits: bits}
		if a.Loader() != want {
			t.Error(a.Loader())
		}
	}
}

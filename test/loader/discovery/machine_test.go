package discovery

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// Of two layers with one name, a layer whose library has another word size or machine is left out before they are
// compared.
//
// holds: LAY-104 PATH-25
func TestLayersOfOtherMachines(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	w.Env["VK_LOADER_DEBUG"] = "all"
	library := w.ImplicitLayer("VK_LAYER_x").MoveManifest("unused").Library
	head, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(file string, change func(head []byte)) string {
		content := bytes.Clone(head)
		change(content)
		path := w.Path("lib/" + file)
		if err := os.WriteFile(path, content, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	machine := func(head []byte) { head[18] ^= 0xff }
	class := func(head []byte) { head[4] ^= 3 }
	order := func(head []byte) { head[5] ^= 3 }
	foreign := map[string]string{"class": changed("class.so", class), "machine": changed("machine.so", machine), "order": changed("order.so", order)}
	if world.Windows() {
		at := binary.LittleEndian.Uint32(head[60:])
		foreign = map[string]string{"machine": changed("machine.dll", func(head []byte) { head[at+5] ^= 0x11 })}
	}
	if world.MacOS() { // a file for one machine
		foreign = map[string]string{"machine": changed("machine.dylib", func(head []byte) { head[4] ^= 0x0b })}
	}
	write := func(file, library string) string {
		w.Write("m/"+file+".json", blunt("1.2.0", "VK_LAYER_x", map[string]any{"library_path": library, "description": file}))
		return w.Path("m/" + file + ".json")
	}
	own := write("own", library)
	s := start(t, w)
	try := func(what, implicit, explicit, want string, said bool) {
		t.Helper()
		s.set("VK_IMPLICIT_LAYER_PATH", implicit).set("VK_LAYER_PATH", explicit)
		for _, level := range []string{"none", "all"} {
			s.set("VK_LOADER_DEBUG", level)
			var listed []string
			for _, l := range s.h.OK("instance_layers").Objects("properties") {
				listed = append(listed, l.Text("description"))
			}
			same(t, what, strings.Join(listed, " "), want)
			w.ForgetLog()
			o := s.create(layers("VK_LAYER_x")...)
			if loads := want == "own"; loads != (entered(w) == "VK_LAYER_x one") || loads != (o.result == success) {
				t.Errorf("%s: %d, %s", what, o.result, entered(w))
			}
			if level == "all" && said {
				o.log.has(t, "INFO | LAYER", `Requested layer "VK_LAYER_x" was wrong bit-type.`)
			}
		}
	}
	between := world.Separated(":")
	for what, path := range foreign {
		other, beside := write(what, path), write("beside", "../lib/"+filepath.Base(path))
		try(what, "/nowhere", other+between+own, "own", true)
		try(what, "/nowhere", own+between+other, "own", true)
		try(what, other, own, "own", true)
		try(what, own, other, "own", true)
		try(what, other+between+beside, own, "own", true)
		if world.Target() == "musl" { // musl's dynamic linker checks neither word size nor machine
			continue
		}
		try(what+" alone", "/nowhere", other, what, false)
		try(what+" twice", "/nowhere", other+between+beside, what, false)
	}
	text := write("text", w.Write("lib/text.so", "no library at all, and long enough for a header of one"))
	try("no library", "/nowhere", text+between+own, "text", false)
	missing := write("missing", w.Path("lib/missing.so"))
	try("missing", "/nowhere", missing+between+own, "missing", false)
	bare := write("bare", "libbare-of-no-directory.so")
	try("bare", "/nowhere", bare+between+own, "bare", false)
	s.end()
}

// The layer with the usable library counts, for every way in which two layers with one name are found and requested.
//
// holds: LAY-104 SET-44 SET-47
func TestLayersOfOtherMachinesByEveryWay(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	library := w.ImplicitLayer("VK_LAYER_x").MoveManifest("unused").Library
	wrong := w.WrongClass("wrong")
	write := func(directory, file, name, library string) string {
		w.Write(directory+"/"+file+".json", blunt("1.2.0", name, map[string]any{"library_path": library, "description": file,
			"enable_environment": vars{"ENABLE": "1"}}))
		return w.Path(directory + "/" + file + ".json")
	}
	own, other := write("m", "own", "VK_LAYER_x", library), write("m", "other", "VK_LAYER_x", wrong)
	write("o", "1", "VK_LAYER_x", wrong) // found in this order
	write("p", "2", "VK_LAYER_x", library)
	w.Write("m/meta.json", blunt("1.2.0", "VK_LAYER_meta", map[string]any{"library_path": nil, "component_layers": []string{"VK_LAYER_x"}}))
	override := func(file string, change map[string]any) string {
		change["library_path"], change["component_layers"] = nil, []string{"VK_LAYER_x"}
		w.Write("m/"+file+".json", blunt("1.2.0", "VK_LAYER_LUNARG_override", change))
		return w.Path("m/" + file + ".json")
	}
	plain := override("override", map[string]any{})
	paths := override("paths", map[string]any{"override_paths": []string{w.Path("o"), w.Path("p")}})
	between := world.Separated(":")
	joined := func(paths ...string) string { return strings.Join(paths, between) }
	s := start(t, w)
	try := func(what string, variables vars, active string, request ...string) {
		t.Helper()
		s.with(variables, func() {
			w.ForgetLog()
			o := s.create(layers(request...)...)
			same(t, what+": created", entered(w), "VK_LAYER_x one")
			same(t, what+": active", strings.ReplaceAll(o.active, "VK_LAYER_", ""), active)
			o.log.has(t, "INFO | LAYER", `Requested layer "VK_LAYER_x" was wrong bit-type.`)
		})
	}
	for _, both := range []string{joined(other, own), joined(own, other)} {
		try("implicit", vars{"VK_IMPLICIT_LAYER_PATH": both, "ENABLE": "1"}, "x")
		try("added implicit", vars{"VK_ADD_IMPLICIT_LAYER_PATH": both, "ENABLE": "1"}, "x")
		try("VK_INSTANCE_LAYERS", vars{"VK_LAYER_PATH": both, byName: "VK_LAYER_x"}, "x")
		try("added, VK_INSTANCE_LAYERS", vars{"VK_ADD_LAYER_PATH": both, byName: "VK_LAYER_x"}, "x")
		try("added, requested", vars{"VK_ADD_LAYER_PATH": both}, "x", "VK_LAYER_x")
		try("enabled by a filter", vars{"VK_LAYER_PATH": both, enableFilter: "*_x"}, "x")
		try("component", vars{"VK_LAYER_PATH": joined(both, w.Path("m/meta.json"))}, "x meta", "VK_LAYER_meta")
		try("component of an override layer", vars{"VK_IMPLICIT_LAYER_PATH": plain, "VK_LAYER_PATH": both}, "x LUNARG_override")
	}
	try("implicit and added explicit", vars{"VK_IMPLICIT_LAYER_PATH": other, "VK_ADD_LAYER_PATH": own}, "x", "VK_LAYER_x")
	try("in override_paths", vars{"VK_IMPLICIT_LAYER_PATH": paths}, "x LUNARG_override")

	for _, control := range []string{"on", "auto"} {
		entries := func(paths ...string) (out []string) {
			for _, path := range paths {
				out = append(out, entry(control, "VK_LAYER_x", path, ""))
			}
			return out
		}
		for _, both := range [][]string{{other, own}, {own, other}} {
			settingsObject(w, list(entries(both...)...))
			try(control+" in the settings file", nil, "x", "VK_LAYER_x")
			settingsObject(w, list(append([]string{unordered}, entries(both...)...)...))
			try(control+" beside the search", vars{"VK_LAYER_PATH": other}, "x", "VK_LAYER_x")
		}
		settingsObject(w, list(append(entries(other), unordered)...))
		try(control+" of another machine, the search has it", vars{"VK_LAYER_PATH": own}, "x", "VK_LAYER_x")
		settingsObject(w, list(append(entries(own), unordered)...))
		try(control+", the search has another machine's", vars{"VK_LAYER_PATH": other}, "x", "VK_LAYER_x")
	}
	s.end()
}

package discovery

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/test/lib/world"
)

// All lines of vkCreateInstance before it opens a driver, in order.
//
// holds: LOG-9 LOG-16 LOG-17 LOG-18 SET-8 PATH-1 PATH-2 PATH-3 PATH-4 LAY-22 LAY-90 LAY-91 LAY-99 INS-031 INS-032
func TestLinesInOrder(t *testing.T) {
	t.Parallel()
	w := loud(t)
	explicit(w, "VK_LAYER_e")
	w.Driver("one").MoveManifest("system" + driverDirectory)
	s := start(t, w)
	got := s.create("app_name", "My %s App", "app_version", "42", "engine_name", "E", "engine_version", "7", "api", "1.2.3", "layer", "VK_LAYER_e").log
	home := w.Path("home")
	got = slices.DeleteFunc(got, func(l string) bool {
		return strings.Contains(l, "Vulkan Loader Version") || strings.Contains(l, "Vulkan Loader: ")
	}) // on Windows at the first call
	bases := []string{home + "/.config", "/etc/xdg", "/usr/local/etc", "/etc", home + "/.local/share", "/usr/local/share", "/usr/share"}
	var want []string
	add := func(tag string, lines ...string) {
		for _, l := range lines {
			want = append(want, tagged(tag, l))
		}
	}
	search := func(tag, what, directory string, found ...string) {
		add(tag, "Searching for "+what+" manifest files", "   In following locations:")
		if world.Windows() { // the directories in the registry
			bases = []string{"/usr/share", home + "/.local/share"}
			if what == "driver" {
				bases = bases[:1]
			}
		}
		for _, base := range bases {
			add(tag, "      "+base+"/vulkan/"+directory)
		}
		if len(found) == 0 {
			add(tag, "   Found no files")
			return
		}
		add(tag, "   Found the following files:")
		for _, f := range found {
			add(tag, "      "+f)
		}
	}
	located := func(machine bool, key, directory string) { // in the registry
		for i, place := range []string{"HKEY_LOCAL_MACHINE", "HKEY_CURRENT_USER"} {
			if world.Windows() && (i == 0 || !machine) {
				base := []string{"/usr/share", home + "/.local/share"}[i]
				add("INFO", `Located json file "`+base+"/vulkan/"+directory+`" from registry "`+place+"/SOFTWARE/Khronos/Vulkan/"+key+`"`)
			}
		}
	}
	add("INFO", `vkCreateInstance: applicationName: "My %s App", applicationVersion: 42, engineName: "E", engineVersion: 7, apiVersion: 1.2.3`,
		"vkCreateInstance: Requested 1 instance layer(s):", "   VK_LAYER_e", "vkCreateInstance: Requested 0 instance extension(s):",
		"No valid vk_loader_settings.json file found, no loader settings will be active")
	located(false, "ImplicitLayers", "implicit_layer.d")
	search("LAYER", "implicit layer", "implicit_layer.d")
	located(false, "ExplicitLayers", "explicit_layer.d")
	search("LAYER", "explicit layer", "explicit_layer.d", explicitDirectory+"/VK_LAYER_e.json")
	add("INFO", "Found manifest file "+explicitDirectory+"/VK_LAYER_e.json (file version 1.2.1)")
	if world.Windows() {
		add("INFO", driverDirectory+" is not a known driver: it is not asked which adapters it is for")
	}
	located(true, "Drivers", "icd.d")
	search("DRIVER", "driver", "icd.d", driverDirectory+"/one.json")
	add("DRIVER", "Found ICD manifest file "+driverDirectory+"/one.json, version 1.0.1")
	add("DEBUG | DRIVER", "Searching for ICD drivers named "+w.Path("lib/one.so"))
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	s.end()
}

// holds: PATH-5 PATH-6 PATH-7 PATH-8 PATH-10 PATH-11 PATH-12 PATH-13 PATH-14 PATH-15 PATH-16 ENV-2 ENV-4 ENV-7 ENV-8 ENV-9 ENV-10 ENV-26 ENV-27 ENV-28 ENV-29 ENV-30 ENV-31 LAY-91 LAY-92 LAY-93 LAY-94 LAY-95 SYS-007 SYS-008 GEN-1 GEN-4
func TestLocations(t *testing.T) {
	t.Parallel()
	type vars = map[string]string
	s := start(t, loud(t))
	home := s.w.Path("home")
	const system = " /etc/xdg* /usr/local/etc* /etc*"
	const data = " /usr/local/share* /usr/share*"
	all := home + "/.config*" + system + " " + home + "/.local/share*" + data
	if world.Windows() { // the directories in the registry
		all = "/usr/share* " + home + "/.local/share*"
	}
	for _, c := range []struct {
		vars  vars
		kinds string // d, i, e: driver, implicit and explicit layers
		want  string // a star stands for the kind's suffix
	}{
		{nil, "die", all},
		{vars{"HOME": ""}, "die", "/.config*" + system + " /.local/share*" + data},
		{vars{"HOME": "~/$USER"}, "d", "~/$USER/.config*" + system + " ~/$USER/.local/share*" + data},
		{vars{"HOME": "/h", "XDG_CONFIG_HOME": ""}, "d", "/h/.config*" + system + " /h/.local/share*" + data},
		{vars{"HOME": "/h", "XDG_CONFIG_HOME": "/c:/d/"}, "die", "/c* /d*" + system + " /h/.local/share*" + data},
		{vars{"HOME": "/h", "XDG_DATA_HOME": "/c", "XDG_DATA_DIRS": "/u:/c:/u/"}, "die", "/h/.config*" + system + " /c* /u*"},
		{vars{"XDG_CONFIG_HOME": "::/srv/p:::/srv/q/::", "XDG_DATA_HOME": "/x"}, "die", "/srv/p* /srv/q*" + system + " /x*" + data},
		{vars{"HOME": "/h", "XDG_CONFIG_DIRS": "a.json:/b", "XDG_DATA_DIRS": ""}, "die", "/h/.config* a.json /b* /usr/local/etc* /etc* /h/.local/share*" + data},
		{vars{"VK_DRIVER_FILES": "/a:/b.json:/a::/a/", "VK_ICD_FILENAMES": "/z", "VK_ADD_DRIVER_FILES": "/y"}, "d", "/a /b.json /a/"},
		{vars{"VK_ICD_FILENAMES": "z", "VK_ADD_DRIVER_FILES": "/y"}, "d", "z"},
		{vars{"VK_DRIVER_FILES": "", "VK_ICD_FILENAMES": "/z"}, "d", ""},
		{vars{"VK_ICD_FILENAMES": "", "VK_ADD_DRIVER_FILES": "/y"}, "d", ""},
		{vars{"VK_ADD_DRIVER_FILES": "/y:/x"}, "d", "/y /x " + all},
		{vars{"VK_LAYER_PATH": "/a:/b", "VK_ADD_LAYER_PATH": "/c"}, "e", "/a /b"},
		{vars{"VK_LAYER_PATH": "/a"}, "id", all},
		{vars{"VK_LAYER_PATH": ""}, "e", ""},
		{vars{"VK_ADD_LAYER_PATH": "/c:/c.json"}, "e", "/c /c.json " + all},
		{vars{"VK_ADD_LAYER_PATH": "/c"}, "id", all},
		{vars{"VK_IMPLICIT_LAYER_PATH": "/a", "VK_ADD_IMPLICIT_LAYER_PATH": "/b"}, "i", "/a"},
		{vars{"VK_IMPLICIT_LAYER_PATH": "", "VK_ADD_IMPLICIT_LAYER_PATH": "/b"}, "i", ""},
		{vars{"VK_ADD_IMPLICIT_LAYER_PATH": "/b"}, "i", "/b " + all},
		{vars{"VK_IMPLICIT_LAYER_PATH": "/a"}, "ed", all},
		{vars{"VK_LAYER_PATH": ":/srv/a:::/:/srv/b_c/::/srv/d:"}, "e", "/srv/a / /srv/b_c/ /srv/d"},
	} {
		if linux := func(name string) bool { return name == "HOME" || strings.HasPrefix(name, "XDG_") }; world.Windows() && slices.ContainsFunc(slices.Collect(maps.Keys(c.vars)), linux) {
			continue
		}
		for name, value := range c.vars {
			s.set(name, value)
		}
		log := s.create().log
		for name := range c.vars {
			s.set(name, world.Unset)
		}
		s.set("HOME", home)
		for _, k := range c.kinds {
			what, suffix := "driver", "/vulkan/icd.d"
			switch k {
			case 'i':
				what, suffix = "implicit layer", "/vulkan/implicit_layer.d"
			case 'e':
				what, suffix = "explicit layer", "/vulkan/explicit_layer.d"
			}
			want := c.want
			if world.Windows() && k == 'd' { // where the registry names no driver
				want = strings.TrimSpace(strings.Replace(want, all, "", 1))
			}
			same(t, what, strings.Join(log.places(what), " "), strings.ReplaceAll(want, "*", suffix))
		}
	}
	if world.Windows() {
		s.end()
		return
	}
	s.set("HOME", world.Unset)
	same(t, "no home", strings.Join(s.create().log.places("driver"), " "),
		"/etc/xdg/vulkan/icd.d /usr/local/etc/vulkan/icd.d /etc/vulkan/icd.d /usr/local/share/vulkan/icd.d /usr/share/vulkan/icd.d")
	s.end()
}

// holds: GEN-5 GEN-6 GEN-7 GEN-9 GEN-10 GEN-11 PATH-14 LAY-98 LAY-113 LAY-129 SET-5
func TestElevated(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Env["WORLD_ELEVATED"] = "1"
	w.Driver("named")
	w.ExplicitLayer("VK_LAYER_named")
	w.ImplicitLayer("VK_LAYER_by_path")
	explicit(w, "VK_LAYER_e")
	implicit(w, "VK_LAYER_i")
	w.Write("home/.config/vulkan/loader_settings.d/vk_loader_settings.json", `{"file_format_version":"1.0.0","settings":{"layers":[]}}`)
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"} {
		w.Env[name] = "/ignored"
	}
	w.Env["VK_LOADER_LAYERS_DISABLE"] = "*"
	w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_e"
	if world.Windows() {
		must(t, os.MkdirAll(w.Path("system"+driverDirectory), 0o755)) // so that the registry names it
	}
	s := start(t, w)
	o := s.create()
	if o.result != incompatibleDriver {
		t.Error(o.result)
	}
	o.log.has(t, "ERROR | DRIVER", "vkCreateInstance: Found no drivers!")
	if !world.Windows() {
		o.log.lacks(t, "gnor")
	}
	o.log.has(t, "INFO", "No valid vk_loader_settings.json file found, no loader settings will be active")
	for what, suffix := range map[string]string{"driver": "icd.d", "implicit layer": "implicit_layer.d", "explicit layer": "explicit_layer.d"} {
		want := "/etc/xdg/vulkan/X /usr/local/etc/vulkan/X /etc/vulkan/X /usr/local/share/vulkan/X /usr/share/vulkan/X"
		if world.Windows() { // HKEY_LOCAL_MACHINE alone
			want = "/usr/share/vulkan/X"
		}
		same(t, what, strings.Join(o.log.places(what), " "), strings.ReplaceAll(want, "X", suffix))
	}
	if r := s.create(layers("VK_LAYER_named")...).result; r != layerNotPresent {
		t.Error(r)
	}
	w.Driver("installed").MoveManifest("system" + driverDirectory)
	same(t, "active", s.create().active, "VK_LAYER_i VK_LAYER_e")
	s.set(world.Disable("VK_LAYER_i"), "")
	same(t, "active", s.create().active, "VK_LAYER_e")
	s.end()
}

// holds: PATH-9 PATH-17 PATH-19 PATH-20 PATH-21 PATH-22 LAY-1 LAY-7 LAY-8 LAY-9 LAY-10 LAY-88 LOG-19 SYS-010 SYS-011 GEN-12 LAY-2 FUZ-018
func TestFiles(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	directory := "system" + explicitDirectory + "/"
	w.Write(directory+"ok.json", blunt("1.2.0", "VK_LAYER_ok", map[string]any{"expiration": "2000-01-01", "features": []int{1}}))
	w.Write(directory+".json", blunt("1.2.0", "VK_LAYER_hidden", nil))
	w.Write(directory+"json", blunt("1.2.0", "VK_LAYER_no4", nil))
	w.Write(directory+"no.JSON", blunt("1.2.0", "VK_LAYER_no1", nil))
	w.Write(directory+"no.json.bak", blunt("1.2.0", "VK_LAYER_no2", nil))
	w.Write(directory+"sub/no.json", blunt("1.2.0", "VK_LAYER_no3", nil))
	w.Write(directory+"🐧.json", blunt("1.2.0", "VK_LAYER_€", nil))
	w.Write(directory+"array.json", "[]")
	w.Write(directory+"empty.json", "")
	w.Write(directory+"driver.json", world.DriverManifest("/x", "1.0"))
	os.Mkdir(w.Path(directory+"directory.json"), 0o755)
	os.Symlink("/nowhere/x.json", w.Path(directory+"dangling.json"))
	os.Symlink(w.Write("work/target.json", blunt("1.2.0", "VK_LAYER_link", nil)), w.Path(directory+"link.json"))
	const short = "/sys/kernel/uevent_seqnum" // its size is reported as 4096 bytes
	if info, err := os.Stat(short); err == nil && info.Size() > 100 && !world.Windows() {
		os.Symlink(short, w.Path(directory+"short.json"))
	} else {
		os.Mkdir(w.Path(directory+"short.json"), 0o755) // only for the message
	}
	long := "/" + strings.Repeat("x", 2050) + ".json"
	places := "XDG_CONFIG_DIRS"
	if world.Windows() {
		places = "VK_ADD_LAYER_PATH"
	}
	w.Env[places] = "oops.json:" + long
	s := start(t, w)
	listed := strings.Fields(s.listed())
	slices.Sort(listed)
	same(t, "listed", strings.Join(listed, " "), "VK_LAYER_hidden VK_LAYER_link VK_LAYER_ok VK_LAYER_€")
	o := s.create()
	if o.result != success {
		t.Error(o.result)
	}
	o.log.has(t, "ERROR", "loader_get_json: Failed to open JSON file oops.json")
	if !world.Windows() { // Wine does not list dangling links
		o.log.has(t, "ERROR", "loader_get_json: Failed to open JSON file dangling.json")
	}
	o.log.has(t, "ERROR", "loader_get_json: Failed to read entire JSON file "+explicitDirectory+"/directory.json")
	o.log.has(t, "ERROR", "loader_get_json: Failed to read entire JSON file "+explicitDirectory+"/short.json")
	o.log.has(t, "ERROR", "loader_get_json: Invalid JSON file "+explicitDirectory+"/empty.json.")
	o.log.has(t, "LAYER", "      oops.json")
	o.log.has(t, "INFO", "Found manifest file "+explicitDirectory+"/driver.json (file version 1.0.1)")
	o.log.lacks(t, "Can not find 'layer' object")
	o.log.lacks(t, explicitDirectory+"/array.json ")
	same(t, "nothing more than the place is said of an array", strings.Join(slices.DeleteFunc(slices.Clone(o.log), func(l string) bool {
		return !strings.Contains(l, "array.json")
	}), "|"), tagged("LAYER", "      "+explicitDirectory+"/array.json"))
	if !slices.ContainsFunc(o.log, func(l string) bool {
		return strings.HasPrefix(l, tagged("DEBUG", "add_data_files: Path to "+long[:100]))
	}) {
		t.Error("nothing is said of the long path")
	}
	s.end()
}

// TestStreamsInMemory checks that streams without a descriptor, which a library that interposes fopen may return, are
// measured and read all the same.
func TestStreamsInMemory(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	w.Write("system"+explicitDirectory+"/it.json", blunt("1.2.0", "VK_LAYER_it", nil))
	w.Write("system"+explicitDirectory+"/empty.json", "")
	w.Env["WORLD_STREAMS"] = "1"
	s := start(t, w)
	same(t, "listed", s.listed(), "VK_LAYER_it")
	o := s.create()
	if o.result != success {
		t.Error(o.result)
	}
	o.log.has(t, "ERROR", "loader_get_json: Invalid JSON file "+explicitDirectory+"/empty.json.")
	s.end()
}

// holds: PATH-18 LAY-96 LAY-102 PATH-24 LAY-97 ENV-32 ENV-3 ENV-5 LAY-237 LAY-25
func TestOrderOfList(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	for _, f := range []string{"p/a", "p/b", "q/c", "q/d"} {
		w.Write(f+".json", blunt("1.2.0", "VK_LAYER_"+f[2:], nil))
	}
	w.Write("i/i.json", blunt("1.2.0", "VK_LAYER_i", map[string]any{"enable_environment": map[string]any{"YES": "1"}}))
	w.Write("m.json", `{"file_format_version":"1.2.0","layers":[`+inner(blunt("", "VK_LAYER_2", nil))+`,`+inner(blunt("", "VK_LAYER_1", nil))+`]}`)
	w.Env["VK_LAYER_PATH"] = strings.Join([]string{w.Path("q/d.json"), w.Path("m.json"), w.Path("p/b.json"), w.Path("q"), w.Path("p/a.json"), w.Path("q")}, ":")
	w.Env["VK_IMPLICIT_LAYER_PATH"] = w.Path("i")
	s := start(t, w)
	same(t, "listed", s.listed(), "VK_LAYER_i VK_LAYER_d VK_LAYER_2 VK_LAYER_1 VK_LAYER_b VK_LAYER_c VK_LAYER_a")
	o := s.create()
	same(t, "active", o.active, "")
	files := 0
	for _, l := range o.log {
		if strings.Contains(l, "Found manifest file "+w.Path("q/d.json")) {
			files++
		}
	}
	if files != 2 {
		t.Errorf("q/d.json was read %d times", files)
	}
	s.end()
}

// Manifests are in the order of the directory, in the library and in the tool's source of facts.
//
// holds: PATH-18 LAY-96 SYS-010
func TestDirectoriesAreNotSorted(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Env["WORLD_SORTED"] = world.Unset
	for i := range 40 {
		file := fmt.Sprintf("%c%02d.json", 'a'+(i*17+5)%26, i)
		w.Write("system"+implicitDirectory+"/"+file, blunt("1.2.0", "VK_LAYER_i_"+file, nil))
		w.Write("system"+explicitDirectory+"/"+file, blunt("1.2.0", "VK_LAYER_e_"+file, nil))
		w.Driver(file[:3]).MoveManifest("system" + driverDirectory)
	}
	read := func(directory string) (names []string) {
		f, err := os.Open(w.SystemPath(directory))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if names, err = f.Readdirnames(-1); err != nil || len(names) != 40 || slices.IsSorted(names) {
			t.Fatalf("%v: %v", err, names)
		}
		told := (&machine.Source{Machine: machine.Machine{}}).Directory(w.SystemPath(directory))
		if !told.Listed || !slices.Equal(told.Names, names) {
			t.Errorf("the tool reads %s as %v, not %v", directory, told.Names, names)
		}
		return names
	}
	s := start(t, w)
	want := "VK_LAYER_i_" + strings.Join(read(implicitDirectory), " VK_LAYER_i_") + " VK_LAYER_e_" + strings.Join(read(explicitDirectory), " VK_LAYER_e_")
	same(t, "listed", s.listed(), want)
	s.h.OK("create_instance")
	var drivers []string
	for _, name := range w.Log().Fn("vkCreateInstance").Who() {
		drivers = append(drivers, name+".json")
	}
	same(t, "drivers", strings.Join(drivers, " "), strings.Join(read(driverDirectory), " "))
	s.h.Do("destroy_instance")
	s.end()
}

// inner returns the layer object of a manifest made by blunt.
func inner(manifest string) string {
	_, rest, _ := strings.Cut(manifest, `"layer": `)
	return strings.TrimSuffix(strings.TrimSpace(rest), "}")
}

// A directory and the name of a file in it are joined by a slash, even if the directory ends in one: the text of a variable is not
// changed.
//
// holds: ENV-28 LAY-99 SYS-013 LAY-50 DRV-021
func TestSlashesAreKept(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one").Set("library_path", "..//lib/one.so")
	w.ExplicitLayer("VK_LAYER_e").Set("library_path", ".././lib/VK_LAYER_e.so")
	w.ImplicitLayer("VK_LAYER_i")
	w.Env["VK_DRIVER_FILES"] = w.Path("drivers") + "/"
	w.Env["VK_LAYER_PATH"] = w.Path("explicit") + "//VK_LAYER_e.json"
	w.Env["VK_IMPLICIT_LAYER_PATH"] = w.Path("implicit") + "//"
	w.Accesses()
	s := start(t, w)
	o := s.create(layers("VK_LAYER_e")...)
	same(t, "active", o.active, "VK_LAYER_i VK_LAYER_e")
	for tag, path := range map[string]string{
		"DRIVER": w.Path("drivers") + "//one.json", "LAYER": w.Path("implicit") + "///VK_LAYER_i.json",
	} {
		o.log.has(t, tag, "      "+path)
	}
	o.log.has(t, "LAYER", "      "+w.Path("explicit")+"//VK_LAYER_e.json")
	o.log.has(t, "LAYER", "           Manifest: "+w.Path("implicit")+"///VK_LAYER_i.json")
	o.log.has(t, "DRIVER", "Found ICD manifest file "+w.Path("drivers")+"//one.json, version 1.0.1")
	s.end()
	for _, want := range []string{
		"dlopen " + w.Path("drivers") + "//..//lib/one.so 1", "dlopen " + w.Path("explicit") + "//.././lib/VK_LAYER_e.so 1",
	} {
		if !slices.Contains(w.AccessLog(), want) {
			t.Errorf("no %s in %q", want, w.AccessLog())
		}
	}
}

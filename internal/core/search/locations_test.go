package search

import (
	"fmt"
	"strings"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/test/lib/inmemory"
)

var platform = Unix("/S", "/X", "/C:/C2", "/D:/E")

type vars = map[string]string

// build makes a location list in an environment.
func build(k Kind, v vars, override ...string) (l Locations) {
	facts.Resolve(facts.NewStore(), &inmemory.Tree{Vars: v}, func(s *facts.Store) { l = Build(&platform, k, s, false, override) })
	return l
}

// Every place says what names it, and every variable that counts for nothing says which one wins.
//
// holds: PATH-1 PATH-4 ENV-7 ENV-8 ENV-9 ENV-10 ENV-30 ENV-31
func TestWhatNamesAPlace(t *testing.T) {
	t.Parallel()
	const usual = "/C/#|default /C2/#|default /S/#|default /X/#|default /D/#|default /E/#|default"
	for _, c := range []struct {
		kind     Kind
		vars     vars
		override []string
		want     string
		ignored  string
	}{
		{Drivers, nil, nil, strings.ReplaceAll(usual, "#", "vulkan/icd.d"), ""},
		{ImplicitLayers, nil, nil, strings.ReplaceAll(usual, "#", "vulkan/implicit_layer.d"), ""},
		{ExplicitLayers, vars{"HOME": "/h", "XDG_CONFIG_DIRS": "/c", "XDG_DATA_HOME": "/d", "XDG_DATA_DIRS": "/e/x.json"}, nil, strings.ReplaceAll(
			"/h/.config/#|HOME /c/#|XDG_CONFIG_DIRS /S/#|default /X/#|default /d/#|XDG_DATA_HOME /e/x.json|XDG_DATA_DIRS file", "#", "vulkan/explicit_layer.d"), ""},
		{Drivers, vars{"VK_DRIVER_FILES": "/a:/.json", "VK_ICD_FILENAMES": "/b", "VK_ADD_DRIVER_FILES": "/c"}, nil,
			"/a|VK_DRIVER_FILES /.json|VK_DRIVER_FILES file", "VK_ICD_FILENAMES<VK_DRIVER_FILES VK_ADD_DRIVER_FILES<VK_DRIVER_FILES"},
		{Drivers, vars{"VK_ICD_FILENAMES": "/b", "VK_ADD_DRIVER_FILES": "/c"}, nil, "/b|VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES<VK_ICD_FILENAMES"},
		{ExplicitLayers, vars{"VK_LAYER_PATH": "/a", "VK_ADD_LAYER_PATH": "/c"}, nil, "/a|VK_LAYER_PATH", "VK_ADD_LAYER_PATH<VK_LAYER_PATH"},
		{ImplicitLayers, vars{"VK_IMPLICIT_LAYER_PATH": "/a", "VK_ADD_IMPLICIT_LAYER_PATH": "/c"}, nil, "/a|VK_IMPLICIT_LAYER_PATH",
			"VK_ADD_IMPLICIT_LAYER_PATH<VK_IMPLICIT_LAYER_PATH"},
		{ImplicitLayers, vars{"VK_ADD_IMPLICIT_LAYER_PATH": "/c"}, nil,
			"/c|VK_ADD_IMPLICIT_LAYER_PATH " + strings.ReplaceAll(usual, "#", "vulkan/implicit_layer.d"), ""},
		{ExplicitLayers, vars{"VK_LAYER_PATH": "/a"}, []string{"/o:/p", "/o"}, "/o|override_paths /p|override_paths", ""},
	} {
		l := build(c.kind, c.vars, c.override...)
		var list, ignored []string
		for _, at := range l.List {
			text := at.Path + "|" + at.From
			if at.File {
				text += " file"
			}
			list = append(list, text)
		}
		for _, v := range l.Ignored {
			ignored = append(ignored, v.From+"<"+v.Path)
		}
		if got := strings.Join(list, " "); got != c.want {
			t.Errorf("%v:\n%s, want\n%s", c.vars, got, c.want)
		}
		if got := strings.Join(ignored, " "); got != c.ignored {
			t.Errorf("%v: ignored %q, want %q", c.vars, got, c.ignored)
		}
	}
}

// An element that is a file has a longest length; a directory has none.
//
// holds: PATH-21
func TestLongElements(t *testing.T) {
	t.Parallel()
	fits, directory := "/"+strings.Repeat("x", 2041)+".json", "/"+strings.Repeat("y", 3000)
	l := build(Drivers, vars{"VK_DRIVER_FILES": fits + ":/x" + fits + ":" + directory})
	if len(fits) != 2047 || len(l.List) != 2 || l.List[0].Path != fits || l.List[1].Path != directory || len(l.TooLong) != 1 || l.TooLong[0] != "/x"+fits {
		t.Errorf("%d places, %d too long", len(l.List), len(l.TooLong))
	}
}

// A place counts once, in short lists and in long ones, which have an index: the work does not grow with the square.
//
// holds: PATH-10
func TestPlacesCountOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, shortList, shortList + 1, shortList + 2, 5 * shortList} {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint("/p", i))
		}
		l := build(Drivers, vars{"VK_DRIVER_FILES": strings.Join(list, ":")})
		if len(l.List) != n || (l.known != nil) != (n > shortList+1) {
			t.Errorf("%d places of %d; an index: %v", len(l.List), n, l.known != nil)
		}
		twice := append(append([]string{}, list...), append(list, "/more")...)
		if l = build(Drivers, vars{"VK_DRIVER_FILES": strings.Join(twice, ":")}); len(l.List) != n+1 || l.List[n].Path != "/more" {
			t.Errorf("%d places of %d", len(l.List), n+1)
		}
	}
}

// holds: SET-1 SET-2 SET-3 SET-4
func TestSettingsFiles(t *testing.T) {
	t.Parallel()
	const rest = "/vulkan//loader_settings.d/vk_loader_settings.json"
	for _, c := range []struct {
		vars vars
		want string
	}{
		{nil, "/C /S /X /D"},
		{vars{"HOME": "/h"}, "/h/.config /h/.local/share /C /S /X /D"},
		{vars{"HOME": ""}, "/.config /.local/share /C /S /X /D"},
		{vars{"HOME": "/h", "XDG_CONFIG_HOME": "/c:/d", "XDG_DATA_HOME": ""}, "/c /h/.local/share /C /S /X /D"},
		{vars{"HOME": "/h", "XDG_DATA_HOME": "/d"}, "/d /h/.config /C /S /X /D"},
		{vars{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_CONFIG_DIRS": "/e:/f", "XDG_DATA_DIRS": "/g"}, "/c /d /e /S /X /g"},
		{vars{"HOME": "/h", "XDG_CONFIG_HOME": "x", "XDG_DATA_HOME": ":/d", "XDG_CONFIG_DIRS": "/:/f", "XDG_DATA_DIRS": "xy"}, "/S /X xy"},
	} {
		var got []string
		facts.Resolve(facts.NewStore(), &inmemory.Tree{Vars: c.vars}, func(s *facts.Store) { got = platform.Settings(&platform, s) })
		var want []string
		for _, base := range strings.Fields(c.want) {
			want = append(want, base+rest)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%v:\n%q, want\n%q", c.vars, got, want)
		}
	}
}

// Manifests have names that end in .json, as it is written here.
//
// holds: PATH-17
func TestManifestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"a.json": true, ".json": true, "json": false, "a.JSON": false, "a.json ": false, "": false} {
		if IsManifestName(name) != want {
			t.Errorf("%q: not %v", name, want)
		}
	}
}

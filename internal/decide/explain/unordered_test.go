package explain

import (
	"reflect"
	"testing"

	"vkloader/test/lib/inmemory"
)

func layerNamed(name string) string {
	return `{"file_format_version":"1.2.0","layer":{"name":"` + name + `","type":"GLOBAL","library_path":"/l.so","api_version":"1.3.0",
"implementation_version":"1","description":"D","disable_environment":{"` + name + `_OFF":"1"}}}`
}

// Layers of one directory are in the order of readdir, which no rule specifies. Layers that a variable or the settings file
// names one by one have a specified order.
func TestUnordered(t *testing.T) {
	t.Parallel()
	const directory = "/usr/share/vulkan/implicit_layer.d"
	for _, c := range []struct {
		name string
		vars map[string]string
		set  string
		want []UnspecifiedOrder
	}{
		{"a directory", nil, "", []UnspecifiedOrder{{directory, []string{"a", "b", "c"}}}},
		{"files", map[string]string{"VK_IMPLICIT_LAYER_PATH": directory + "/a.json:" + directory + "/b.json:" + directory + "/c.json"}, "", nil},
		{"one is off", map[string]string{"c_OFF": "1"}, "", []UnspecifiedOrder{{directory, []string{"a", "b"}}}},
		{"a rule", nil, `{"layers":[{"name":"b","path":"` + directory + `/b.json","control":"auto","treat_as_implicit_manifest":true},
			{"control":"unordered_layer_location"}]}`, []UnspecifiedOrder{{directory, []string{"a", "c"}}}},
	} {
		world := &inmemory.Tree{Vars: map[string]string{"HOME": "/h"}, Files: map[string]string{}}
		for _, name := range []string{"a", "b", "c"} {
			world.Files[directory+"/"+name+".json"] = layerNamed(name)
		}
		for name, value := range c.vars {
			world.Vars[name] = value
		}
		if c.set != "" {
			world.Files["/h/.config/vulkan//loader_settings.d/vk_loader_settings.json"] = `{"file_format_version":"1.0.0","settings":` + c.set + `}`
		}
		answer, err := Decide(world)
		if err != nil {
			t.Fatal(err)
		}
		if got := Unordered(answer); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

package survey

import (
	"cmp"
	"os/exec"
	"strings"
	"testing"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

const (
	implicit = "/usr/share/vulkan/implicit_layer.d/"
	explicit = "/usr/share/vulkan/explicit_layer.d/"
	icds     = "/usr/share/vulkan/icd.d/"
)

// machineWith makes a machine with files and variables.
func machineWith(t *testing.T, files map[string]string, environ ...string) *machine.Source {
	t.Helper()
	source := &machine.Source{Machine: machine.Machine{Root: t.TempDir(), Environ: environ}}
	tree.Lay(t, source.Root, files)
	return source
}

func explainMachine(t *testing.T, source *machine.Source) (in, out map[string]explain.Item) {
	t.Helper()
	answer, err := explain.Decide(source)
	if err != nil {
		t.Fatal(err)
	}
	listIn, listOut := explain.Of(answer)
	listOut = append(listOut, explain.KeptOut(source, answer)...)
	Fixes(source, answer, listIn, listOut)
	in, out = map[string]explain.Item{}, map[string]explain.Item{}
	for _, e := range listIn {
		in[e.Name] = e
	}
	for _, e := range listOut {
		out[e.Name] = e
	}
	return in, out
}

// after returns the machine after the change that explain proposes, made as by a shell.
func after(t *testing.T, source *machine.Source, change string) *machine.Source {
	t.Helper()
	changed := *source
	if variable, is := strings.CutPrefix(change, "unset "); is {
		changed.Environ = machine.WithoutVariable(changed.Environ, variable)
		return &changed
	}
	assignment, err := exec.Command("bash", "-c", "printf %s "+change).Output()
	name, value, ok := strings.Cut(string(assignment), "=")
	if err != nil || !ok {
		t.Fatalf("%q is no line for a shell: %v", change, err)
	}
	changed.Environ = machine.WithVariable(changed.Environ, name, value)
	return &changed
}

// The change that explain prints for a driver or layer works: it puts the item out or in.
func TestExplainChangesWork(t *testing.T) {
	t.Parallel()
	comma, named := tree.Mixed(), tree.Mixed()
	comma[implicit+"c.json"] = tree.Layer("VK_LAYER_c,d", `,"disable_environment":{"NO C;reboot":"1"}`)
	comma[icds+"x,y.json"] = comma[icds+"a.json"]
	named[implicit+"n.json"] = tree.Layer("VK_LAYER_n", `,"disable_environment":{"NO_\u001b[2J":"1"}`)
	for title, source := range map[string]*machine.Source{
		"plain":            machineWith(t, tree.Mixed(), "HOME=/h", "NO_D="),
		"commas":           machineWith(t, comma, "NO_D="),
		"faulty names":     machineWith(t, named, "NO_D="),
		"filters in use":   machineWith(t, tree.Mixed(), "NO_D=", "VK_LOADER_LAYERS_DISABLE=VK_LAYER_x", "VK_LOADER_DRIVERS_DISABLE=b*", "VK_INSTANCE_LAYERS=VK_LAYER_e"),
		"selected":         machineWith(t, tree.Mixed(), "NO_D=1", "VK_LOADER_DRIVERS_SELECT=a.json", "VK_LOADER_LAYERS_DISABLE=~all~"),
		"enabled":          machineWith(t, tree.Mixed(), "NO_D=1", "YES_O=on", "VK_LOADER_LAYERS_ENABLE=VK_LAYER_e,VK_LAYER_i"),
		"a driver by path": machineWith(t, tree.Mixed(), "NO_D=1", "VK_DRIVER_FILES="+icds+"a.json:"+icds+"b.json", "VK_LOADER_DRIVERS_SELECT=*"),
	} {
		in, out := explainMachine(t, source)
		for from, list := range map[string]map[string]explain.Item{"in": in, "out": out} {
			for name, e := range list {
				if e.Why == "" || e.Statement == "" || from == "in" && e.Order == 0 {
					t.Errorf("%s: %s without a reason: %+v", title, name, e)
				}
				changed := source
				var line string
				if two, is := strings.CutPrefix(e.Do, "two variables together: "); is || e.Change != "" {
					line = cmp.Or(string(e.Change), two)
					for _, one := range strings.Split(line, "; ") {
						changed = after(t, changed, strings.TrimPrefix(one, "export "))
					}
				}
				nowIn, _ := explainMachine(t, changed)
				if _, isIn := nowIn[name]; isIn == (from == "in") {
					t.Errorf("%s: %s was %s, and %s does not change that", title, name, from, line)
				}
				others := 0
				for other := range in {
					if _, still := nowIn[other]; !still && other != name {
						others++
					}
				}
				if others > 0 && from == "in" {
					t.Errorf("%s: %s takes others than %s out", title, line, name)
				}
			}
		}
	}
}

// explain proposes no variable that has no effect: where a settings file decides, or where the program ignores variables.
func TestExplainProposesNothingInVain(t *testing.T) {
	t.Parallel()
	files := tree.Mixed()
	files["/etc/vulkan/loader_settings.d/vk_loader_settings.json"] = `{"file_format_version":"1.0.0","settings":{"layers":[` +
		`{"name":"VK_LAYER_i","path":"` + implicit + `i.json","control":"on","treat_as_implicit_manifest":true},` +
		`{"name":"VK_LAYER_e","path":"` + explicit + `e.json","control":"off"}]}}`
	in, out := explainMachine(t, machineWith(t, files))
	for _, e := range []explain.Item{in["VK_LAYER_i"], out["VK_LAYER_e"]} {
		if !strings.Contains(e.Do, "the settings file decides: change it with the program that wrote it, usually vkconfig, or rm -- /etc/vulkan/loader_settings.d/vk_loader_settings.json") {
			t.Errorf("with a settings file: %+v", e)
		}
	}
	elevated := machineWith(t, tree.Mixed())
	elevated.Elevated = true
	in, out = explainMachine(t, elevated)
	if e := in["a.json"]; e.Do != "" || e.Change != "" { // its file is every program's
		t.Errorf("elevated: %+v", e)
	}
	if e := in["VK_LAYER_i"]; e.Change != "NO_I=1" { // the program reads the variables that manifests name
		t.Errorf("elevated: %+v", e)
	}
	if e := out["VK_LAYER_e"]; e.Name != "VK_LAYER_e" || e.Change != "" && !strings.HasPrefix(string(e.Change), "VK_INSTANCE_LAYERS=") {
		t.Errorf("elevated: %+v", e)
	}
}

// unfiltered is a loader that reads no filter.
type unfiltered struct{ machine.OtherLoader }

func (unfiltered) Obeys(name string) bool { return name == "VK_ICD_FILENAMES" }
func (unfiltered) Reads(name string) bool { return name == "VK_ICD_FILENAMES" }

func (unfiltered) Settings(string) (string, bool)  { return "", false }
func (unfiltered) Configuration() (string, string) { return "", "" }

// A loader without filters leaves a driver out if a variable names the others. The only driver has no advice.
func TestExplainNamesTheOtherDrivers(t *testing.T) {
	t.Parallel()
	source := machineWith(t, tree.Mixed())
	source.Loader = unfiltered{}
	in, _ := explainMachine(t, source)
	if e := in["a.json"]; !strings.HasPrefix(string(e.Change), "VK_ICD_FILENAMES=") || strings.Contains(string(e.Change), "a.json") {
		t.Errorf("two drivers: %+v", e)
	}
	only := machineWith(t, map[string]string{icds + "a.json": tree.Mixed()[icds+"a.json"]})
	only.Loader = unfiltered{}
	in, _ = explainMachine(t, only)
	if e := in["a.json"]; e.Name == "" || e.Do != "" || e.Change != "" {
		t.Errorf("one driver: %+v", e)
	}
}

package environment

import (
	"os"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/variables"
)

// The guide describes every variable of the table exactly once, with valid text.
func TestEveryVariableIsTold(t *testing.T) {
	text, err := os.ReadFile("../../../test/conformance/statements.txt")
	if err != nil {
		t.Fatal(err)
	}
	statements := strings.Fields(string(text))
	told := map[variables.ID]int{}
	check := func(e VariableGuide) {
		told[e.ID]++
		texts := e.Takes + e.Does + e.YieldsTo
		if e.Takes == "" || e.Does == "" || len(e.Statements) == 0 || strings.ContainsAny(texts, "{}|") {
			t.Errorf("%s: %+v", e.Name, e)
		}
		if _, known := variables.Find(e.Instead); e.Instead != "" && !known {
			t.Errorf("%s: there is no variable %s", e.Name, e.Instead)
		}
		for _, id := range e.Statements {
			if !slices.Contains(statements, id) {
				t.Errorf("%s: there is no statement %s", e.Name, id)
			}
		}
	}
	var groups []string
	for _, e := range Guide() {
		check(e)
		groups = append(groups, e.Group)
	}
	groups = slices.Compact(groups)
	if want := []string{"Drivers", "Layers", "Physical devices", "Loader", Directories}; !slices.Equal(groups, want) {
		t.Errorf("the groups are %q", groups)
	}
	var fields []string
	for _, e := range OfLayers() {
		check(e)
		fields = append(fields, e.Name)
	}
	if want := []string{"disable_environment", "enable_environment"}; !slices.Equal(fields, want) {
		t.Errorf("the variables of layers, or rows with an unknown name: %q", fields)
	}
	variables.Each(func(v variables.ID) {
		if told[v] != 1 {
			t.Errorf("%s has %d entries in internal/tool/environment/guide.txt, not one", v.Name(), told[v])
		}
		if found, known := variables.Find(v.Name()); !known || found != v {
			t.Errorf("%s cannot be found", v.Name())
		}
	})
	if _, known := variables.Find("VK_LOADER_SEARCH_ONLY_IN_BUNDLE"); known {
		t.Error("that one is of another system")
	}
}

// The table equals the lists of GEN-5, GEN-6 and GEN-2 (ENV-1).
func TestListsOfStatements(t *testing.T) {
	secure := strings.Fields("VK_DRIVER_FILES VK_ICD_FILENAMES VK_ADD_DRIVER_FILES VK_LAYER_PATH VK_ADD_LAYER_PATH " +
		"VK_IMPLICIT_LAYER_PATH VK_ADD_IMPLICIT_LAYER_PATH VK_LOADER_DRIVERS_SELECT VK_LOADER_DRIVERS_DISABLE " +
		"VK_LOADER_LAYERS_ENABLE VK_LOADER_LAYERS_DISABLE VK_LOADER_LAYERS_ALLOW VK_LOADER_DEVICE_ID_FILTER " +
		"VK_LOADER_VENDOR_ID_FILTER VK_LOADER_DRIVER_ID_FILTER HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS VKLOADERD_DIR XDG_RUNTIME_DIR")
	plain := strings.Fields("VK_INSTANCE_LAYERS VK_LOADER_DEBUG VK_LOADER_DEVICE_SELECT VK_LOADER_DISABLE_SELECT " +
		"VK_LOADER_DISABLE_INST_EXT_FILTER VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING")
	load := []string{"VK_LOADER_DEBUG", "VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"}
	var gotSecure, gotPlain, gotLoad []string
	variables.Each(func(v variables.ID) {
		if v.Secure() {
			gotSecure = append(gotSecure, v.Name())
		} else {
			gotPlain = append(gotPlain, v.Name())
		}
		if v.Reader() == variables.Load {
			gotLoad = append(gotLoad, v.Name())
		}
	})
	for _, c := range [][2][]string{{gotSecure, secure}, {gotPlain, plain}, {gotLoad, load}} {
		slices.Sort(c[0])
		slices.Sort(c[1])
		if !slices.Equal(c[0], c[1]) {
			t.Errorf("internal/core/variables/table.go has %v,\nthe lists of this test %v", c[0], c[1])
		}
	}
}

// Each kind of problem has a row of text.
func TestProblemsHaveTexts(t *testing.T) {
	rows := 0
	for _, kind := range []Kind{NoFile, NoManifest, NoDirectory, NoAccess, EmptyDirectory, NoDriverMatches, NoLayerMatches, BothMatch,
		AllOut, KeptOut, NoLayer, OnAndOff, TwoOfMesa, TwoChoices} {
		if text := (&Problem{Kind: kind, Variable: "VK_V", Place: "/p", Layer: "L"}).What(); len(text) < 20 || strings.Contains(text, "$") {
			t.Errorf("%s: %q", kind, text)
		}
		rows++
	}
	if lines := strings.Count(problemTable, "\n"); lines != rows+1 {
		t.Errorf("%d rows for %d kinds", lines-1, rows)
	}
}

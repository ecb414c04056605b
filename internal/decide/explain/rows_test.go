package explain

import (
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/test/lib/tree"
)

// rowsOf returns the rows of all kinds in the form of "list".
func rowsOf(t *testing.T, source *machine.Source) (rows []Row) {
	t.Helper()
	answer, err := Decide(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []Kind{Drivers, Layers} {
		of := kind.Rows(answer)
		kind.TryRows(source, answer, of)
		rows = append(rows, of...)
	}
	return rows
}

// The advice of a row consists of lines for a shell. After them the row is gone, or its item is in. A row that no variable
// fixes, such as a manifest that is not JSON, has no advice.
func TestRowsSayOnlyWhatHelps(t *testing.T) {
	t.Parallel()
	faulty := tree.Mixed()
	faulty[icds+"cut.json"] = `{"file_format_version":`
	faulty[icds+"field.json"] = `{"file_format_version":"1.0.0","ICD":{"library_path":"/d/lib.so"}}`
	faulty[implicit+"cut.json"] = `[`
	faulty[explicit+"type.json"] = strings.Replace(tree.Layer("VK_LAYER_t", ""), "GLOBAL", "LOCAL", 1)
	faulty[explicit+"twice.json"] = tree.Layer("VK_LAYER_e", "")
	faulty[explicit+"meta.json"] = `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_m","type":"GLOBAL","api_version":"1.3.0",` +
		`"implementation_version":"1","description":"D","component_layers":["VK_LAYER_gone"]}}`
	helped := map[string]bool{}
	for title, source := range map[string]*machine.Source{
		"faulty files": lay(t, faulty),
		"names of nothing": lay(t, tree.Mixed(), "VK_INSTANCE_LAYERS=VK_LAYER_none:VK_LAYER_e:VK_LAYER_gone",
			"VK_ADD_DRIVER_FILES="+icds+"gone.json:"+icds+"a.json"),
		"filters": lay(t, tree.Mixed(), "VK_LOADER_DRIVERS_DISABLE=b*", "VK_LOADER_LAYERS_DISABLE=VK_LAYER_d", "VK_LOADER_LAYERS_ENABLE=VK_LAYER_e"),
	} {
		for _, r := range rowsOf(t, source) {
			if r.Do == "" {
				if len(r.Commands) > 0 {
					t.Errorf("%s: %+v has commands and no advice", title, r)
				}
				continue
			}
			if helped[r.Code.String()] = true; r.Do != string(shell.Join(r.Commands, "; ")) {
				t.Errorf("%s: %s %s: %q is more than the lines that were tried", title, r.Code, r.Subject, r.Do)
			}
			changed := source
			for _, line := range r.Commands {
				changed = after(t, changed, strings.TrimPrefix(string(line), "export "))
			}
			if slices.ContainsFunc(rowsOf(t, changed), func(o Row) bool { return o.Code == r.Code && o.Subject == r.Subject && o.Path == r.Path }) {
				t.Errorf("%s: %s %s is still there after %s", title, r.Code, r.Subject, r.Do)
			}
		}
	}
	for _, code := range []diag.Code{diag.LayerMissing, diag.FileOpen, diag.DriverDisabled, diag.LayerDisabled, diag.LayerForced} {
		if !helped[code.String()] {
			t.Errorf("nothing is said to help against %s", code)
		}
	}
	for _, code := range []diag.Code{diag.FileSyntax, diag.DriverField, diag.LayerType} {
		if helped[code.String()] {
			t.Errorf("a variable is said to help against %s", code)
		}
	}
}

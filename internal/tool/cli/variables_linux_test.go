package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/exit"
)

// The command contains every variable of the table.
func TestVariablesCommand(t *testing.T) {
	call := func(want int, args ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		s := &invocation{out: &out, errOut: &errOut, environ: []string{"HOME=/nonexistent", "VK_LOADER_DEBUG=shout"}}
		if code := runLine(s, args); code != want || errOut.Len() > 0 {
			t.Errorf("%v: exit code %d, %s", args, code, &errOut)
		}
		return out.String()
	}
	text := call(exit.Fine, "list", "variables")
	variables.Each(func(v variables.ID) {
		if !strings.Contains(text, v.Name()) {
			t.Errorf("%s is missing", v.Name())
		}
	})
	if !strings.Contains(text, `faulty VK_LOADER_DEBUG: "shout" is not a known word`) {
		t.Error(text)
	}
	var got struct {
		Schema    int
		Kind      string
		Variables []struct {
			Name, Group, State, Value, Takes, Does, Elevated string
			Set                                              bool
			Statements                                       []string
		}
	}
	if err := json.Unmarshal([]byte(call(exit.Fine, "list", "variables", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != variableSchema || got.Kind != "variables" {
		t.Errorf("%+v", got)
	}
	for _, v := range got.Variables {
		if v.Name == "" || v.Group == "" || v.State == "" || v.Takes == "" || v.Does == "" || v.Elevated == "" || len(v.Statements) == 0 && v.Group != "Mesa's layer" ||
			(v.Name == "VK_LOADER_DEBUG" && (!v.Set || v.Value != "shout")) {
			t.Errorf("%+v", v)
		}
	}
}

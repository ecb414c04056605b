package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"vkloader/tools/vkgen/registry"
)

func read(t *testing.T, text string) *registry.Registry {
	t.Helper()
	r, err := registry.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReducedSaysTheSame(t *testing.T) {
	whole, err := os.ReadFile("../testdata/small.xml")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := reduce(strings.NewReader(string(whole)), &b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read(t, string(whole)), read(t, b.String())) {
		t.Errorf("the generator reads something else:\n%s", b.String())
	}
	if strings.Contains(b.String(), "<comment>") {
		t.Errorf("prose is left:\n%s", b.String())
	}
}

func TestReduceRefuses(t *testing.T) {
	for _, text := range []string{"<registry>", "<registry><types></registry>", "<registry><comment></registry>"} {
		if err := reduce(strings.NewReader(text), &strings.Builder{}); err == nil {
			t.Errorf("%s: taken", text)
		}
	}
}

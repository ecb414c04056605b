package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/ssa"

	"vkloader/internal/core/runtime"
	"vkloader/tools/goc/emit"
	"vkloader/tools/goc/program"
)

func main() {
	out := flag.String("o", "", "the C file to write")
	macros := map[string]string{}
	flag.Func("macro", "VARIABLE=MACRO: a package variable that takes its text from a C macro",
		func(text string) error {
			name, macro, ok := strings.Cut(text, "=")
			if !ok {
				return fmt.Errorf("%q has no =", text)
			}
			macros[name] = macro
			return nil
		})
	flag.Parse()
	if flag.NArg() < 2 || *out == "" {
		fmt.Fprintln(os.Stderr, "usage: goc [-macro VARIABLE=MACRO]... -o FILE.c PACKAGE FUNCTION=C_NAME...")
		os.Exit(2)
	}
	if err := translate(*out, macros, flag.Arg(0), flag.Args()[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "goc: %s\n", strings.ReplaceAll(err.Error(), "\n", "\ngoc: "))
		os.Exit(1)
	}
}

// translate writes the C of a program to out. exports are NAME=C_NAME.
func translate(out string, macros map[string]string, pattern string, exports []string) error {
	var names, inC []string
	for _, e := range exports {
		name, c, ok := strings.Cut(e, "=")
		if !ok {
			return fmt.Errorf("%q has no =", e)
		}
		names, inC = append(names, name), append(inC, c)
	}
	p, err := program.Load(".", pattern, names)
	if err != nil {
		return err
	}
	exported := map[*ssa.Function]string{}
	for i, f := range p.Exports {
		exported[f] = inC[i]
	}
	text, err := emit.Write(p, emit.Options{Runtime: runtime.Text, Macros: macros, Exported: exported})
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o644)
}

// Command reduce writes the part of a Vulkan registry (vk.xml) that vkgen reads: it produces the same output from both.
//
//	reduce vk.xml > registry/vk.xml
//
// It leaves out prose, validity, authors, and the sections about SPIR-V, formats, synchronization and video codecs; the copyright notice
// stays. The exit code is 1 if the registry cannot be read.
package main

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// left are sections and elements that no generator reads, including their content.
var left = words("comment platforms formats implicitexternsyncparams remove spirvextensions spirvcapabilities sync " +
	"videocodecs " +
	"spirvimageformat descendant deprecate")

// kept are the attributes that a generator reads.
var kept = words("alias api bitpos bitvalues bitwidth category depends deprecatedby dir extends extnumber " +
	"name number obsoletedby offset platform promotedto provisional requires structextends supported type value values")

// declaration has the elements in which white space is part of a C declaration.
var declaration = words("proto param member type")

var space = regexp.MustCompile(`\s+`)

// oneSpace returns the replacement for a run of white space: a newline if the run contains one, otherwise a space.
func oneSpace(run string) string {
	if strings.Contains(run, "\n") {
		return "\n"
	}
	return " "
}

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: reduce vk.xml")
		os.Exit(1)
	}
	in, err := os.Open(os.Args[1])
	if err == nil {
		out := bufio.NewWriter(os.Stdout)
		if err = reduce(in, out); err == nil {
			err = out.Flush()
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "reduce: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

// reduce copies a registry without the unused parts. Every element outside of declarations begins a new line.
func reduce(in io.Reader, out io.Writer) error {
	d := xml.NewDecoder(in)
	if _, err := io.WriteString(out, xml.Header+
		"<!-- What the generators read of vk.xml; written by tools/vkgen/reduce.\n"+
		"     Copyright 2015-2026 The Khronos Group Inc. SPDX-License-Identifier: Apache-2.0 OR MIT -->\n"); err != nil {
		return err
	}
	var b strings.Builder
	var open []string // the enclosing elements, outermost first
	inDeclaration := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if left[t.Name.Local] {
				if err := d.Skip(); err != nil {
					return err
				}
				continue
			}
			b.WriteString("<" + t.Name.Local)
			for _, a := range t.Attr {
				if kept[a.Name.Local] {
					fmt.Fprintf(&b, ` %s="%s"`, a.Name.Local, escape(a.Value, true))
				}
			}
			b.WriteString(">")
			open = append(open, t.Name.Local)
			if declaration[t.Name.Local] {
				inDeclaration++
			} else if inDeclaration == 0 {
				b.WriteString("\n")
			}
		case xml.EndElement:
			open = open[:len(open)-1]
			if declaration[t.Name.Local] {
				inDeclaration--
			}
			b.WriteString("</" + t.Name.Local + ">")
			if inDeclaration == 0 {
				b.WriteString("\n")
			}
		case xml.CharData:
			text := space.ReplaceAllStringFunc(string(t), oneSpace)
			if inDeclaration > 0 || strings.TrimSpace(text) != "" {
				b.WriteString(escape(text, false))
			}
		}
		if b.Len() > 1<<16 {
			if _, err := io.WriteString(out, b.String()); err != nil {
				return err
			}
			b.Reset()
		}
	}
	if len(open) != 0 {
		return fmt.Errorf("%s is not closed", open[len(open)-1])
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// escape escapes text for XML, for an attribute or between elements.
func escape(text string, attribute bool) string {
	r := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	if attribute {
		r = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;")
	}
	return r.Replace(text)
}

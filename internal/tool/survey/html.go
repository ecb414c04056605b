package survey

import (
	"fmt"
	"html"
	"io"
	"strings"
)

const pageStyle = `
:root { color-scheme: light dark; --back: #ffffff; --text: #1b1f24; --rule: #d0d7de; --mark: #fff3b0 }
@media (prefers-color-scheme: dark) { :root { --back: #14171c; --text: #e8ebef; --rule: #3a414a; --mark: #4d4208 } }
body { margin: 0 auto; padding: 1.5rem; max-width: 940px; background: var(--back); color: var(--text);
  font: 14px/1.5 "DejaVu Sans", Verdana, Arial, sans-serif }
h1 { font-size: 1.3rem } h2 { font-size: 1.1rem; margin-top: 2rem }
svg { max-width: 100%; height: auto } svg a { cursor: pointer } svg a:hover rect, svg a:focus rect { stroke-width: 2.5 }
section { border-top: 1px solid var(--rule); padding: .4rem .6rem; margin: 0 -.6rem } section:target { background: var(--mark) }
h3 { font-size: 1rem; margin: .3rem 0; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem 1rem; margin: .3rem 0 }
dt { opacity: .75 } dd { margin: 0; overflow-wrap: anywhere }
code { font: 12px "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere }
.commands { columns: 2 24rem; margin: .3rem 0; padding: 0; list-style: none }
table { border-collapse: collapse; width: 100%; table-layout: fixed }
td, th { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--rule); overflow-wrap: anywhere }
`

// manyCommands is from where on a layer's commands are folded.
const manyCommands = 40

// HTML draws the chain on a page of its own: the picture, whose boxes lead to what is known of each, and what is not used.
// The page asks for nothing else and runs no script.
func HTML(w io.Writer, c *Chain) error {
	var out strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&out, format, args...) }
	text := func(s string) string { return html.EscapeString(clean(s)) }
	name := "From a program to its devices"
	if c.Program != "" {
		name = "From " + base(c.Program) + " to its devices"
	}
	put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n<style>%s</style>\n"+
		"</head>\n<body>\n<h1>%s</h1>\n%s\n", text(name), pageStyle, text(name), draw(lay(c), "about-", PictureStyle()))

	begin := func(id, heading string, pairs ...string) {
		put("<section id=\"about-%s\">\n<h3>%s</h3>\n<dl>\n", id, text(heading))
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i+1] != "" {
				put("<dt>%s</dt><dd>%s</dd>\n", pairs[i], text(pairs[i+1]))
			}
		}
		put("</dl>\n")
	}
	end := func() { put("</section>\n") }
	section := func(id, heading string, pairs ...string) {
		begin(id, heading, pairs...)
		end()
	}
	put("<h2>Chain</h2>\n")
	section("program", "Program", "path", c.Program)
	section("loader", "Loader", "library", c.Library, "Vulkan", c.Version)
	for i := range c.Layers {
		l := &c.Layers[i]
		begin(fmt.Sprint("layer", i+1), l.Name, "what", l.Description, "why", l.Why+" ("+l.Statement+")", "manifest", l.Manifest,
			"library", l.Library, "off with", l.Off, "commands", strings.TrimSuffix(l.intercepts(), ":"), "earlier", strings.Join(l.Before, ", "))
		if len(l.Commands) > 0 {
			if len(l.Commands) > manyCommands {
				put("<details><summary>%d commands</summary>\n", len(l.Commands))
			}
			put("<ul class=\"commands\">\n")
			for _, command := range l.Commands {
				put("<li><code>%s</code></li>\n", text(command))
			}
			put("</ul>\n")
			if len(l.Commands) > manyCommands {
				put("</details>\n")
			}
		}
		end()
	}
	put("<h2>Drivers and devices</h2>\n")
	if len(c.Drivers) == 0 {
		section("nodriver", "No driver")
	}
	for i := range c.Drivers {
		d := &c.Drivers[i]
		section(fmt.Sprint("driver", i+1), d.Name, "why", d.Why+" ("+d.Statement+")", "manifest", d.Manifest, "library", d.Library,
			"Vulkan", d.API, "problem", d.Problem, "off with", d.Off)
		for _, device := range d.Devices {
			section(fmt.Sprint("device", device.Index), fmt.Sprintf("%d  %s", device.Index, device.Name), "type", device.Type,
				"Vulkan", device.API, "driver", device.About)
		}
	}
	if c.Problem != "" {
		section("problem", "Problem", "what", c.Problem)
	}
	if len(c.Out) > 0 {
		put("<h2>Found, and not used</h2>\n<table>\n<tr><th>name</th><th>manifest</th><th>why</th><th>on with</th></tr>\n")
		for _, o := range c.Out {
			put("<tr><td>%s %s</td><td>%s</td><td>%s (%s)</td><td><code>%s</code></td></tr>\n", text(o.Kind), text(o.Name), text(o.Manifest),
				text(o.Why), text(o.Statement), text(o.On))
		}
		put("</table>\n")
	}
	put("</body>\n</html>\n")
	_, err := io.WriteString(w, out.String())
	return err
}

package survey

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"vkloader/internal/tool/term"
)

// dotCommands is the maximum number of commands in a layer's node.
const dotCommands = 8

// broken is the colour of a driver that could not be used.
const broken = "#ffd9d6"

// DOT writes the chain as a graph for graphviz.
func DOT(w io.Writer, c *Chain) error {
	var out strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&out, format, args...) }
	node := func(id, colour string, lines ...string) {
		put("  %s [fillcolor=%q, label=\"%s\"];\n", id, colour, dotLabel(lines))
	}
	put(dotGraph + "  node [shape=box, style=\"rounded,filled\", fontname=\"DejaVu Sans\", fontsize=11];\n")
	node("program", "#eef2f6", "Program", cmp.Or(c.Program, anyProgram))
	node("loader", "#dbe9ff", "Loader", c.Library, label("Vulkan ", c.Version))
	put("  program -> loader;\n")
	above := "loader"
	for i := range c.Layers {
		l := &c.Layers[i]
		id := fmt.Sprint("layer", i+1)
		commands := strings.Join(l.Commands[:min(len(l.Commands), dotCommands)], ", ")
		if len(l.Commands) > dotCommands {
			commands += ", …"
		}
		node(id, "#fff4d6", l.Name, l.Why, l.Library, l.intercepts(), commands)
		put("  %s -> %s;\n", above, id)
		above = id
	}
	for i := range c.Drivers {
		d := &c.Drivers[i]
		id := fmt.Sprint("driver", i+1)
		colour := term.Either(d.Problem != "", broken, "#dff5e3")
		node(id, colour, d.Name, d.Library, label("Vulkan ", d.API), d.Problem)
		put("  %s -> %s;\n", above, id)
		for _, device := range d.Devices {
			node(fmt.Sprint("device", device.Index), "#efe6fb", fmt.Sprintf("%d  %s", device.Index, device.Name),
				device.Type+label(", Vulkan ", device.API), device.About)
			put("  %s -> device%d;\n", id, device.Index)
		}
	}
	put("}\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// dotLabel returns lines as a quoted label, and breaks long lines.
func dotLabel(lines []string) string {
	var out []string
	for _, line := range lines {
		parts, _ := plain.wrap(clean(line), 420, 4)
		for _, part := range parts {
			out = append(out, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(part))
		}
	}
	return strings.Join(out, `\n`)
}

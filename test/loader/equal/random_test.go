package equal

import (
	"fmt"
	"hash/fnv"
	"math/rand"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/core/wire"
)

// chance creates random worlds: the content of a path or a variable is chosen when the core asks for it, and does not
// change.
type chance struct {
	*rand.Rand
	seed int64
}

func pick[T any](c chance, list ...T) T { return list[c.Intn(len(list))] }

// of returns the source of chance for a name.
func (c chance) of(name string) chance {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", c.seed, name)
	return chance{rand.New(rand.NewSource(int64(h.Sum64()))), c.seed}
}

var (
	layerNames = []string{"VK_LAYER_a", "VK_LAYER_b", "VK_LAYER_c", "VK_LAYER_meta", "VK_LAYER_LUNARG_override", "VK_LAYER_ä", "VK_LAYER_" + strings.Repeat("x", 250)}
	extNames   = []string{"VK_KHR_surface", "VK_EXT_debug_utils", "VK_KHR_xcb_surface", "VK_ACME_thing", "VK_KHR_portability_enumeration", "VK_EXT_layer_settings", "",
		strings.Repeat("e", 256)}
	fileNames = []string{"a.json", "b.json", "c.json", "Z.json", ".json", "a b.json", "ü.json"}
)

func (c chance) text() string {
	return pick(c, "", "1", "0", "all", "error", "error,warn", "info|debug", "*", "~all~", "VK_LAYER_*", "*a*", "a,b", "/x:/y", "::", "/x/a.json:/y", "VK_LAYER_a:VK_LAYER_b",
		"VK_LAYER_meta", "~implicit~,VK_LAYER_b", "\xff\xfe", strings.Repeat("long", 100), "/home/u", "%s", "driver", "implicit", "1000000000000", "-1", "1.2.3")
}

// value writes a JSON value for a member, mostly the usual one.
func (c chance) value(usual string) string {
	if c.Intn(40) > 0 {
		return usual
	}
	return pick(c, `null`, `true`, `false`, `-1`, `1e400`, `0.30000000000000004`, `""`, `"\u00e4\ud83d\ude00\ud800"`, `[]`, `{}`, `[1,"a",{"b":null}]`, `123456789012345678901234567890`, `"1.0.0`,
		`"VK_LAYER_a"`, `"a\tb\\"`, `0x10`, `1.5E-7`, `"\u0000"`)
}

func (c chance) object(members ...string) string {
	var out []string
	for i := 0; i+1 < len(members); i += 2 {
		if c.Intn(30) > 0 {
			out = append(out, fmt.Sprintf("%q%s:%s%s", members[i], pick(c, "", " "), pick(c, "", "\n\t"), c.value(members[i+1])))
		}
	}
	return "{" + strings.Join(out, pick(c, ",", ", ", ",\n")) + "}"
}

func (c chance) list(n int, of func() string) string {
	var out []string
	for range c.Intn(n) {
		out = append(out, of())
	}
	return "[" + strings.Join(out, ",") + "]"
}

func (c chance) quoted(list ...string) string { return fmt.Sprintf("%q", pick(c, list...)) }
func (c chance) version() string {
	return c.quoted("1.0.0", "1.3.204", "1.4.363", "0.0.0", "1", "1.2", "2.0.0", "1.0.1.2", "a.b.c", "1.1.99999", "-1.0.0")
}

func (c chance) layer() string {
	ext := func() string {
		return c.object("name", c.quoted(extNames...), "spec_version", c.quoted("1", "70", "x"), "entrypoints", c.list(3, func() string { return c.quoted("vkA", "vkB") }))
	}
	members := []string{"name", c.quoted(layerNames...), "type", c.quoted("GLOBAL", "INSTANCE", "DEVICE", "x"), "api_version", c.version(), "implementation_version", c.quoted("1", "2"),
		"description", c.quoted("text", "")}
	if c.Intn(4) > 0 {
		members = append(members, "library_path", c.quoted("libl.so", "./libl.so", "/abs/libl.so", "../x/l.so"))
	} else {
		members = append(members, "component_layers", c.list(5, func() string { return c.quoted(layerNames...) }))
	}
	optional := []string{"functions", c.object("vkGetInstanceProcAddr", `"aGIPA"`, "vkGetDeviceProcAddr", `"aGDPA"`, "vkNegotiateLoaderLayerInterfaceVersion", `"aN"`),
		"instance_extensions", c.list(3, ext), "device_extensions", c.list(3, ext), "enable_environment", c.object("ENABLE_A", `"1"`), "disable_environment", c.object("DISABLE_A", `"1"`),
		"pre_instance_functions", c.object("vkEnumerateInstanceVersion", `"v"`, "vkEnumerateInstanceLayerProperties", `"l"`, "vkEnumerateInstanceExtensionProperties", `"e"`),
		"override_paths", c.list(3, func() string { return c.quoted("/o", "o", "") }), "blacklisted_layers", c.list(3, func() string { return c.quoted(layerNames...) }),
		"app_keys", c.list(3, func() string { return c.quoted("/bin/p", "/bin/q") }), "expiration_time", c.quoted("2030-01-01")}
	for i := 0; i < len(optional); i += 2 {
		if c.Intn(3) == 0 {
			members = append(members, optional[i], optional[i+1])
		}
	}
	return c.object(members...)
}

// content returns a file's text, of the kind that its path suggests.
func (c chance) content(path string) string {
	var text string
	switch {
	case strings.Contains(path, "settings"):
		layers := func() string {
			return c.object("name", c.quoted(layerNames...), "path", c.quoted("/s/a.json", "a.json"), "control", c.quoted("on", "off", "auto", "unordered_layer_location", "x"),
				"treat_as_implicit_manifest", pick(c, "true", "false"))
		}
		setting := func() string {
			return c.object("app_keys", c.list(3, func() string { return c.quoted("/bin/p", "/bin/q", "*") }), "layers", c.list(6, layers),
				"stderr_log", c.list(4, func() string { return c.quoted("error", "all", "debug") }), "log_locations", "[]",
				"additional_drivers", c.list(3, func() string { return c.object("path", c.quoted("/d/a.json", "b.json")) }), "additional_drivers_use_exclusively", pick(c, "true", "false"),
				"device_configurations", c.list(3, func() string {
					return c.object("deviceName", `"d"`, "driverName", `"n"`, "driverVersion", "3", "deviceUUID", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]", "driverUUID", "[1]")
				}))
		}
		if c.Intn(2) == 0 {
			text = c.object("file_format_version", c.version(), "settings", setting())
		} else {
			text = c.object("file_format_version", c.version(), "settings_array", c.list(4, setting))
		}
	case strings.Contains(path, "layer") || c.Intn(3) == 0:
		if c.Intn(3) > 0 {
			text = c.object("file_format_version", c.version(), "layer", c.layer())
		} else {
			text = c.object("file_format_version", c.version(), "layers", c.list(5, c.layer))
		}
	default:
		text = c.object("file_format_version", c.version(), "ICD", c.object("library_path", c.quoted("libd.so", "libvulkan_radeon.so", "libGLX_nvidia.so.0", "./d.so", "/abs/d.so"), "api_version", c.version(),
			"library_arch", c.quoted("64", "32"), "is_portability_driver", pick(c, "true", "false")))
	}
	switch c.Intn(20) {
	case 0:
		return text[:c.Intn(len(text)+1)]
	case 1:
		return "\xef\xbb\xbf" + text + "trailing"
	case 2:
		return ""
	case 3:
		return strings.Repeat("[", c.Intn(1100)) + text
	}
	return text
}

func (c chance) names(list []string) (out []wire.Str) {
	for range c.Intn(5) {
		out = append(out, wire.Str{Text: pick(c, list...), Set: c.Intn(20) > 0})
	}
	return out
}

// question begins a call.
func (c chance) question(w *wire.Writer) wire.Question {
	q := wire.Question{Kind: uint32(plan.Version) + uint32(c.Intn(int(plan.ExtensionsDrivers))), Terminator: uint32(c.Intn(2))}
	if c.Intn(3) == 0 {
		q.LayerName = wire.S(pick(c, layerNames...))
	}
	variables.Decisive(func(v variables.ID) {
		if c.Intn(40) == 0 { // the core will ask for it
			return
		}
		secure := uint32(0)
		if v.Secure() {
			secure = 1
		}
		w.PutVar(wire.Var{Name: wire.S(v.Name()), Secure: secure, Value: wire.Str{Text: c.text(), Set: c.Intn(8) == 0}})
	})
	layers, exts := c.names(layerNames), c.names(extNames)
	w.PutApp(wire.App{AppName: wire.S(pick(c, "p", "")), EngineName: wire.Str{}, ApiVersion: uint32(pick(c, 0, 1<<22, 1<<22|3<<12, 2<<22, -1)), Flags: uint32(c.Intn(2)),
		LayerCount: uint32(len(layers)), LayersNull: uint32(c.Intn(20) / 19), Layers: layers, ExtCount: uint32(len(exts)), ExtsNull: uint32(c.Intn(20) / 19), Exts: exts,
		DirectList: uint32(c.Intn(2)), DirectMode: uint32(c.Intn(3)), DirectNull: uint32(c.Intn(8) / 7), DirectCount: uint32(c.Intn(3))})
	for i := range uint32(c.Intn(4)) {
		w.PutDriver(wire.Driver{Index: i, Usable: uint32(c.Intn(5) / 1), Path: wire.S("/d/libd.so"), ExtResult: int32(pick(c, 0, 0, 0, -1, -4, 5)), ExtCall: uint32(1 + c.Intn(2))})
		for range c.Intn(4) {
			w.PutDriverExt(wire.DriverExt{Driver: i, Name: wire.S(pick(c, extNames...)), SpecVersion: uint32(c.Intn(100))})
		}
	}
	if c.Intn(4) == 0 {
		w.PutRemembered(wire.Remembered{Path: wire.S("/r/vk_loader_settings.json"), Content: wire.S(c.content("settings"))})
	}
	return q
}

// served returns an answer of the driver service, with its index.
func (c chance) served() (answer, index string) {
	file := func() string {
		return c.object("name", c.quoted("libd.so", "", "a/b"), "soname", c.quoted("libd.so.1", ""), "size", pick(c, "1", "4096", "0", "5000000000"))
	}
	number := func() string { return pick(c, "0", "1", "2", "-1", "1.5", "9") }
	driver := func() string {
		return c.object("name", c.quoted(fileNames...), "manifest", fmt.Sprintf("%q", c.content("driver")), "library", number(), "files", c.list(4, number))
	}
	index = c.object("format", "1", "drivers", c.list(4, driver), "files", c.list(4, file))
	answer = c.object("id", "1", "ok", c.object("index", c.object("size", fmt.Sprint(len(index)))), "fds", c.list(3, func() string { return c.quoted("index") }))
	return pick(c, answer, answer, answer, `{"id":1,"error":{"code":3,"name":"UNSUPPORTED"}}`, "", answer[:len(answer)/2]), index
}

// satisfy sends the facts that an answer asks for, and returns false if it asks for none.
func (c chance) satisfy(text string, w *wire.Writer) (any bool) {
	r, _ := wire.Open(text)
	for {
		rec, ok := r.Next()
		if !ok {
			return any
		}
		switch rec.ID {
		case wire.IDNeedVar:
			n, _ := rec.NeedVar()
			o := c.of("var " + n.Name.Text)
			w.PutVar(wire.Var{Name: n.Name, Secure: n.Secure, Value: wire.Str{Text: o.text(), Set: o.Intn(4) == 0}})
		case wire.IDNeedDirectory:
			n, _ := rec.NeedDirectory()
			o := c.of("directory " + n.Path.Text)
			f := wire.Directory{Path: n.Path, Status: uint32(o.Intn(3) / 2)}
			for range o.Intn(4) {
				f.Names = append(f.Names, wire.S(pick(o, fileNames...)))
			}
			w.PutDirectory(f)
		case wire.IDNeedFile:
			n, _ := rec.NeedFile()
			o := c.of("file " + n.Path.Text)
			f := wire.File{Path: n.Path, Status: uint32(pick(o, 0, 0, 0, 0, 0, 0, 1, 2, 3)), Content: wire.S(o.content(n.Path.Text))}
			w.PutFile(f)
		case wire.IDNeedGraphics:
			g := wire.Graphics{Status: uint32(c.Intn(4) / 3)}
			for range c.Intn(3) {
				g.Devices = append(g.Devices, wire.S(pick(c, "DRIVER=amdgpu\nPCI_ID=1002:73BF\n", "DRIVER=v3d", "PCI_ID=10DE:1\n", "\n", "")))
				g.Power = append(g.Power, wire.S(pick(c, "active", "suspended", "")))
			}
			w.PutGraphics(g)
		case wire.IDNeedService:
			answer, index := c.served()
			w.PutService(wire.Service{Status: uint32(pick(c, 0, 0, 0, 1, 2, 3, 9)), Place: wire.S("/run/s"), Answer: wire.S(answer), Index: wire.S(index)})
		case wire.IDNeedExe:
			w.PutExe(wire.Exe{Path: wire.Str{Text: pick(c, "/bin/p", "/bin/q"), Set: c.Intn(9) > 0}})
		case wire.IDNeedExists:
			n, _ := rec.NeedExists()
			w.PutExists(wire.Exists{Path: n.Path, Yes: uint32(c.of("exists " + n.Path.Text).Intn(2))})
		case wire.IDNeedBundle:
			w.PutBundle(wire.Bundle{Resources: wire.Str{Text: pick(c, "/Applications/X.app/Contents/Resources", "/r"), Set: c.Intn(3) > 0}})
		default:
			continue
		}
		any = true
	}
}

// random creates a call and its answers.
func random(seed int64) (c call, answers []answer) { return randomBy(wire.NewCall(platform()), seed) }

// randomBy creates a call for a core that has just begun one.
func randomBy(core *wire.Call, seed int64) (c call, answers []answer) {
	o := chance{rand.New(rand.NewSource(seed)), seed}
	var w wire.Writer
	q := o.question(&w)
	for range 12 {
		w.PutQuestion(q)
		c = append(c, message{'D', string(w.Bytes())})
		text, ok := core.Decide(c[len(c)-1].text)
		a := answer{status: malformed}
		if ok {
			a = answer{answered, string(text)}
		}
		answers = append(answers, a)
		w.Reset()
		if !o.satisfy(a.text, &w) {
			break
		}
	}
	return c, answers
}

// damage changes a few bytes of a call.
func damage(c call, seed int64) call {
	o := rand.New(rand.NewSource(seed))
	out := append(call{}, c...)
	at := len(out) - 1
	if o.Intn(3) == 0 {
		at = o.Intn(len(out))
	}
	b := []byte(out[at].text)
	for range 1 + o.Intn(4) {
		if len(b) == 0 {
			break
		}
		i := o.Intn(len(b))
		switch o.Intn(7) {
		case 0:
			b[i] ^= 1 << o.Intn(8)
		case 1:
			b[i] = byte(o.Intn(256))
		case 2: // a length, a count or a number
			i &^= 3
			if i+4 <= len(b) {
				v := [...]uint32{0, 1, 7, 8, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, uint32(len(b)), uint32(len(b) - i)}[o.Intn(10)]
				b[i], b[i+1], b[i+2], b[i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
			}
		case 3:
			b = b[:i]
		case 4: // copies a part
			k := i + o.Intn(len(b)-i)
			b = append(b[:k:k], b[i:]...)
		case 5: // removes a part
			k := min(len(b), i+o.Intn(16))
			b = append(b[:i:i], b[k:]...)
		case 6: // a character of JSON
			b[i] = `{}[]",:\0-e.`[o.Intn(12)]
		}
	}
	if len(b) >= 8 && o.Intn(3) > 0 { // keeps the size in the head valid
		n := len(b)
		b[4], b[5], b[6], b[7] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
	}
	out[at] = message{out[at].kind, string(b)}
	return out
}

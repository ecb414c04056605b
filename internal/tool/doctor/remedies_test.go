package doctor

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"vkloader/discover"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
	"vkloader/test/lib/tree"
)

var update = flag.Bool("update", false, "write the remedies of every system into testdata/remedies.txt")

// realSystems are the lines of os-release(5) that distributions have: the eight families with derivatives, and the kinds of image.
var realSystems = map[string]string{
	"debian": "ID=debian\nVERSION_ID=12", "debian-13": "ID=debian\nVERSION_ID=13", "kali": "ID=kali\nID_LIKE=debian", "raspbian": "ID=raspbian\nID_LIKE=debian",
	"ubuntu": "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=24.04", "ubuntu-22": "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=22.04", "pop": "ID=pop\nID_LIKE=\"ubuntu debian\"",
	"linuxmint": "ID=linuxmint\nID_LIKE=\"ubuntu debian\"", "fedora": "ID=fedora\nVERSION_ID=42", "nobara": "ID=nobara\nID_LIKE=\"rhel centos fedora\"",
	"rhel": "ID=rhel\nID_LIKE=fedora", "rocky": "ID=rocky\nID_LIKE=\"rhel centos fedora\"", "almalinux": "ID=almalinux\nID_LIKE=\"rhel centos fedora\"",
	"tumbleweed": "ID=opensuse-tumbleweed\nID_LIKE=\"opensuse suse\"", "leap": "ID=opensuse-leap\nID_LIKE=\"suse opensuse\"", "sles": "ID=sles\nID_LIKE=suse",
	"alpine": "ID=alpine", "postmarketos": "ID=postmarketos\nID_LIKE=alpine", "arch": "ID=arch", "manjaro": "ID=manjaro\nID_LIKE=arch",
	"endeavouros": "ID=endeavouros\nID_LIKE=arch", "gentoo": "ID=gentoo", "void": "ID=void", "unknown": "ID=acme", "nixos": "ID=nixos", "steamos": "ID=steamos\nID_LIKE=arch",
	"microos": "ID=opensuse-microos\nID_LIKE=\"suse opensuse\"", "silverblue": "ID=fedora\nVARIANT_ID=silverblue", "bazzite": "ID=bazzite\nID_LIKE=fedora",
}

// environments are the environments of a program on a system: files and variables.
var environments = []struct {
	name    string
	files   map[string]string
	environ []string
	class   int
}{
	{"", nil, nil, 64}, {"32-bit", nil, nil, 32}, {"grub", map[string]string{"etc/default/grub": "", "usr/bin/nvidia-uninstall": ""}, nil, 64}, {"docker", map[string]string{".dockerenv": ""}, nil, 64},
	{"podman", map[string]string{"run/.containerenv": "name=\"box\""}, nil, 64}, {"pod", map[string]string{"var/run/secrets/kubernetes.io/x": ""}, nil, 64},
	{"lxc", map[string]string{"run/systemd/container": "lxc"}, nil, 64}, {"toolbox", map[string]string{"run/.containerenv": "name=\"box\"", "run/.toolboxenv": ""}, nil, 64},
	{"docker 32-bit", map[string]string{".dockerenv": ""}, nil, 32}, {"flatpak", map[string]string{".flatpak-info": "[Application]\nname=org.a.B\n[Context]\nfeatures=multiarch;\n"}, nil, 64},
	{"board", map[string]string{".dockerenv": "", "dev/nvmap": ""}, nil, 64}, {"nspawn", map[string]string{"run/systemd/container": "systemd-nspawn"}, nil, 64},
	{"NVIDIA in docker", map[string]string{".dockerenv": "", "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14"},
		[]string{"NVIDIA_DRIVER_CAPABILITIES=all"}, 64},
	{"NVIDIA for computing", map[string]string{".dockerenv": "", "sys/module/nvidia/version": "550.54.14\n", "usr/lib64/libcuda.so.550.54.14": ""},
		[]string{"NVIDIA_DRIVER_CAPABILITIES=all"}, 64},
	{"NVIDIA in a notebook", map[string]string{".dockerenv": "", "sys/module/nvidia/version": "550.54.14\n"},
		[]string{"COLAB_RELEASE_TAG=release", "NVIDIA_DRIVER_CAPABILITIES=compute,utility", "NVIDIA_VISIBLE_DEVICES=all"}, 64},
	{"NVIDIA in a pod", map[string]string{"var/run/secrets/kubernetes.io/x": "", "sys/module/nvidia/version": "550.54.14\n"},
		[]string{"NVIDIA_DRIVER_CAPABILITIES=all"}, 64},
	{"without lists", map[string]string{"var/lib/apt/lists/": ""}, nil, 64}, {"both word sizes", map[string]string{"var/lib/dpkg/arch": "amd64\ni386\n"}, nil, 32},
	{"NVIDIA's tools in docker", map[string]string{".dockerenv": "", "usr/lib64/libnvidia-ml.so.550.54.14": ""}, []string{"NVIDIA_VISIBLE_DEVICES=all"}, 64},
	{"NVIDIA's tools in lxc", map[string]string{"run/systemd/container": "lxc", "proc/self/mountinfo": "1 2 3:4 / /usr/lib/libnvidia-ml.so.1 rw"},
		[]string{"NVIDIA_DRIVER_CAPABILITIES=all"}, 64},
	{"container", map[string]string{"run/systemd/container": "rkt"}, nil, 64},
	{"distrobox", map[string]string{"run/.containerenv": "name=\"box\""}, []string{"DISTROBOX_ENTER_PATH=/usr/bin/distrobox-enter"}, 64},
	{"NVIDIA in distrobox 32-bit", map[string]string{"run/.containerenv": "name=\"box\"", "run/host/usr/lib/x": "", "proc/self/mountinfo": "1 2 3:4 / /usr/lib/libnvidia-ml.so.1 rw"},
		[]string{"DISTROBOX_ENTER_PATH=/usr/bin/distrobox-enter"}, 32},
	{"installed", map[string]string{"boot/syslinux/syslinux.cfg": "", "var/lib/dpkg/status": "Package: libx11-6\nStatus: install ok installed\n\nPackage: libglx-nvidia0\nStatus: install ok installed\n\n",
		"var/lib/pacman/local/p-1-1/files": "%FILES%\nusr/lib/libp.so\n", "var/lib/pacman/local/p-1-1/desc": "%VALIDATION%\nnone\n",
		"var/lib/pacman/local/vulkan-radeon-1-1/files": "%FILES%\nusr/lib/libx.so\n", "var/lib/pacman/local/lib32-q-1-1/files": "%FILES%\n", "var/db/pkg/media-libs/vulkan-loader-1.4/CONTENTS": "",
		"var/db/xbps/.mesa-vulkan-radeon-files.plist": "<string>/usr/lib/libx.so</string>\n"}, nil, 64},
	{"flatpak 32-bit", map[string]string{".flatpak-info": "[Application]\nname=org.a.B\nruntime=runtime/org.gnome.Platform/x86_64/45\n"}, nil, 32},
	{"flatpak with chosen drivers", map[string]string{".flatpak-info": "[Application]\nname=org.a.B\n[Context]\ndevices=all;\n"}, []string{"FLATPAK_GL_DRIVERS=mesa-git"}, 64},
	{"snap", nil, []string{"SNAP=/snap/a/1", "SNAP_NAME=a"}, 64}, {"steam", map[string]string{"run/host/container-manager": "pressure-vessel"}, nil, 64},
}

// remedies are the remedies whose lines differ between systems.
func remedies() map[string]func(e *exam) *Remedy {
	list := map[string]func(e *exam) *Remedy{
		"install loader":      func(e *exam) *Remedy { return e.system.libraryAdvice(loaderName) },
		"reinstall":           func(e *exam) *Remedy { return e.system.again("mesa", "/usr/lib/libx.so") },
		"reinstall, no owner": func(e *exam) *Remedy { return e.system.again("", "/usr/lib/libx.so") },
		"firmware":            func(e *exam) *Remedy { return e.system.by("firmware", nil) },
		"boot, add":           func(e *exam) *Remedy { return e.system.bootWords([]string{"a.b=1", "c=0"}, nil) },
		"boot, remove":        func(e *exam) *Remedy { return e.system.bootWords(nil, []string{"nomodeset"}) },
		"boot, both":          func(e *exam) *Remedy { return e.system.bootWords([]string{"a.b=1"}, []string{"nomodeset", "c=1"}) },
		"allow module": func(e *exam) *Remedy {
			return e.allowing(&barrier{module: "amdgpu", lines: []FileLine{{"/etc/modprobe.d/a.conf", 3}}, first: "blacklist amdgpu"})
		},
		"module":          func(e *exam) *Remedy { return e.system.kernelWith("6.8.0-1", "i915") },
		"module, cloud":   func(e *exam) *Remedy { return e.system.kernelWith("6.8.0-cloud-1", "i915") },
		"module, virt":    func(e *exam) *Remedy { return e.system.kernelWith("6.8.0-1-virt", "i915") },
		"NVIDIA, release": func(e *exam) *Remedy { return e.system.by("nvidia-last", with("last", "470")) },
		"NVIDIA, open":    func(e *exam) *Remedy { return e.system.modules(true, "550.54.14") },
		"NVIDIA, closed":  func(e *exam) *Remedy { return e.system.modules(false, "550.54.14") },
		"loader's name": func(e *exam) *Remedy {
			return e.system.by("loader-name", with("to", "libvulkan.so.1", "file", "/usr/lib/libvulkan.so"))
		},
		"NVIDIA, module":   func(e *exam) *Remedy { return e.nvidiaModule() },
		"NVIDIA, replaced": func(e *exam) *Remedy { return e.system.replacementAdvice("libnvidia-gl-550") },
		"Mesa, newer":      func(e *exam) *Remedy { return e.system.by("mesa", e.system.newerMesa(&drivers.Chip{Mesa: "24.3"})) },
		"Linux, newer":     func(e *exam) *Remedy { return e.system.newerLinux(&drivers.Chip{Kernel: "6.9"}) },
		"node refused":     func(e *exam) *Remedy { return e.system.by("refused-node", with("node", "/dev/dri/renderD128")) },
		"allow group":      func(e *exam) *Remedy { return e.system.by("map-group", with("node", "/dev/dri/renderD128")) },
		"join group": func(e *exam) *Remedy {
			return e.system.by("join", with("node", "/dev/dri/renderD128", "user", "mia", "gid", "105"))
		},
		"device in service": func(e *exam) *Remedy { return e.opens("ollama.service", []string{"PrivateDevices=no"}) },
		"modprobe": func(e *exam) *Remedy {
			_, do := e.kernelCure(&GPU{GPU: gpuOf("0x8086", "")})
			return do
		},
	}
	for _, verb := range []string{"mount", "host", "nvidia-nodes", "regroup", "ldconfig", "node-for-windows", "modeset", "load", "outdated", "unknown", "own-glibc", "own-drivers", "one-build", "offer"} {
		list[verb] = func(e *exam) *Remedy {
			return e.system.by(verb, with("load", "-m", "node", "/dev/nvidia-modeset", "nodes", "/dev/nvidiactl", "directory", "/sys", "type", "sysfs", "bind", "--ro-bind /sys /sys", "module", "panthor", "modules", "panthor", "version", "2.38", "glibc", ", glibc 2.36", "linker", "/opt/ld.so"))
		}
	}
	list["library path"] = func(e *exam) *Remedy {
		return e.correction([]string{"/usr/share/vulkan/icd.d/radeon_icd.json"}, "/lib/lib/", "/usr/lib/")
	}
	list["32-bit layer of a package"] = func(e *exam) *Remedy { return e.system.by("install32", with("p", "p")) }
	list["32-bit layer of another package"] = func(e *exam) *Remedy { return e.system.by("install32", with("p", "q")) }
	list["renew, given"] = func(e *exam) *Remedy { return e.system.by("renew", with("given", "NVIDIA")) }
	list["match"] = func(e *exam) *Remedy { return e.system.by("match", with("p", "p")) }
	list["reinstall, local"] = func(e *exam) *Remedy { return e.system.again("p", "/usr/lib/libx.so") }
	for _, f := range drivers.Families() {
		if f.Name == "Honeykrisp (Mesa)" {
			list["install "+f.Name+", which the package lacks"] = func(e *exam) *Remedy { return e.system.install(f, true) }
		}
		list["install "+f.Name] = func(e *exam) *Remedy { return e.system.install(f, false) }
	}
	for _, name := range []string{"libX11.so.6", "libLLVM.so.19.1", "libacme.so.1", "libnvidia-glvkspirv.so.550.54.14", "libc.so.6"} {
		list["library "+name] = func(e *exam) *Remedy { return e.system.libraryAdvice(name) }
	}
	for _, name := range []string{validationLayer, "VK_LAYER_MANGOHUD_overlay_x86_64", "VK_LAYER_LUNARG_api_dump", "VK_LAYER_MESA_device_select"} {
		list["layer "+name] = func(e *exam) *Remedy { return e.layerPackage(name) }
	}
	for _, kernel := range []string{"amdgpu", "nvidia"} {
		list["node of "+kernel] = func(e *exam) *Remedy { return e.nodeCure(&GPU{GPU: gpuOf("", kernel)}) }
		list["container's driver for "+kernel] = func(e *exam) *Remedy { return e.containerCure(&GPU{GPU: gpuOf("", kernel)}) }
	}
	return list
}

// The lines of every remedy on every real system are those of testdata/remedies.txt. A line of a distribution that no other test has is
// seen here when it changes.
func TestRemediesOfEverySystem(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("the names of 32-bit packages are those of x86")
	}
	answers := map[string]map[string][]string{} // systems by remedy and answer
	used := map[*row]bool{}
	list := remedies()
	for id, release := range realSystems {
		for _, place := range environments {
			root := t.TempDir()
			files := join(file("etc/os-release", release+"\n"), place.files)
			if id == "silverblue" || id == "bazzite" {
				files["run/ostree-booted"] = ""
			}
			tree.Lay(t, root, files)
			source := &machine.Source{Machine: machine.Machine{Root: root, Environ: place.environ}}
			e := examOf(newReport(""), source).setSystem(place.class, newPackages())
			e.linker = binary.NewLinker(e.machine, binary.LinkerOptions{Class: place.class, Machine: binary.Processor(place.class)})
			e.sandboxes()
			e.system.within(e)
			system := id + "/" + place.name
			for i := range rows() {
				args := arguments{}
				used[e.system.rowOf(rows()[i].verb, args)] = true
				for _, word := range rows()[i].where {
					args[strings.Trim(word, "!{}")] = []string{word}
				}
				used[e.system.rowOf(rows()[i].verb, args)] = true
				used[e.system.rowOf(rows()[i].verb, with("p", "p"))], used[e.system.rowOf(rows()[i].verb, with("p", "q"))] = true, true
			}
			for name, remedy := range list {
				answer := "-"
				if do := remedy(e); do != nil {
					answer = do.text + " [" + do.because.text() + "]"
					for _, line := range do.lines {
						if !strings.Contains(do.text, string(line)) {
							answer += string(" {" + line + "}")
						}
					}
					if len(do.lines) == 0 {
						answer += " (words)"
					}
				}
				if answers[name] == nil {
					answers[name] = map[string][]string{}
				}
				answers[name][answer] = append(answers[name][answer], system)
			}
		}
	}
	for i := range rows() {
		if r := &rows()[i]; !used[r] {
			t.Errorf("no system uses the row %s | %s", r.verb, strings.Join(r.where, " "))
		}
	}
	same := map[string][]string{} // remedies by their text
	for name, list := range answers {
		text := ""
		for _, answer := range sortedKeys(list) {
			text += "\t" + answer + "\n" + systemsText(list[answer])
		}
		same[text] = append(same[text], name)
	}
	var sections []string
	for text, names := range same {
		slices.Sort(names)
		sections = append(sections, strings.Join(names, "; ")+"\n"+text)
	}
	slices.Sort(sections)
	compareGolden(t, "remedies.txt", strings.Join(sections, ""))
}

// Each row of the table has known words, and a remedy or another row uses its verb.
func TestSystemsTable(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	code := ""
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code += term.Either(strings.HasSuffix(name, "_test.go"), "", string(text))
	}
	kinds := []string{"root", "image", "outside", "start", "say", "run", "line", "then", "install", "do"}
	words := slices.Concat([]string{changeable, ostree, steamOS, microOS, declarative}, slices.Collect(maps.Keys(conditions)), []string{"flatpak", "snap", "steam", "docker", "podman", "kubernetes", "container", "ubuntu", "local"},
		families)
	for condition := range slices.Chunk(nameLists()["condition"], 3) {
		words = append(words, condition[0])
	}
	verbs := term.Words(rows(), func(r row) string { return r.verb })
	called, all := "", slices.Clone(rows())
	for pair := range slices.Chunk(nameLists()["failure"], 2) {
		all = append(all, row{verb: pair[0], how: pair[1]})
	}
	for _, r := range all {
		for part := range strings.SplitSeq(r.how, ";;") {
			kind, body, _ := strings.Cut(strings.TrimSpace(part), ": ")
			if verb, _, _ := strings.Cut(body, " "); kind == "do" {
				called += "\"" + verb + "\""
				if !slices.Contains(verbs, verb) {
					t.Errorf("%s: no row has the verb %s", r.verb, verb)
				}
			}
			if !slices.Contains(kinds, kind) || body == "" {
				t.Errorf("%s: %q", r.verb, part)
			}
		}
		for _, word := range r.where {
			word = strings.TrimPrefix(word, "!")
			if !slices.Contains(words, word) && !strings.HasPrefix(word, "id:") && !strings.HasPrefix(word, "/") && !strings.HasPrefix(word, "installed:") && !strings.Contains(word, "!") && !strings.HasPrefix(word, "{") {
				t.Errorf("%s: %q is no word of a system", r.verb, word)
			}
		}
		if r.why != "" && r.why != "and-restart" && obstacle(r.why).text() == "" {
			t.Errorf("%s: %q is no reason", r.verb, r.why)
		}
	}
	for _, verb := range verbs {
		if !strings.Contains(code+called, "\""+verb+"\"") {
			t.Errorf("nothing uses the verb %s", verb)
		}
	}
}

// Each row of packages.txt is about a driver, layer, library or vulkaninfo, and names packages of known families.
func TestPackagesTable(t *testing.T) {
	t.Parallel()
	for name, words := range packageRows() {
		known := strings.HasPrefix(name, "VK_LAYER_") || strings.Contains(name, ".so") || name == "vulkaninfo" || slices.ContainsFunc(drivers.Families(), func(f *drivers.Family) bool {
			return strings.HasPrefix(f.Name+" ", name+" ")
		})
		if !known || len(words) == 0 {
			t.Errorf("%s: %q", name, words)
		}
		for _, word := range words {
			family, has, is := strings.Cut(word, "=")
			if word != "kit" && (!is || has == "" || family != "flatpak" && !slices.Contains(families, family)) {
				t.Errorf("%s: %q", name, word)
			}
		}
	}
}

// systemsText returns lines with systems: those with the same places on one line, and "all" for every place.
func systemsText(systems []string) (text string) {
	in := map[string][]string{} // places by system
	for _, system := range systems {
		id, place, _ := strings.Cut(system, "/")
		in[id] = append(in[id], cmp.Or(place, "plain"))
	}
	by := map[string][]string{} // systems by places
	for _, id := range sortedKeys(in) {
		slices.Sort(in[id])
		where := term.Either(len(in[id]) == len(environments), "all", strings.Join(in[id], ", "))
		by[where] = append(by[where], id)
	}
	for _, where := range sortedKeys(by) {
		list := term.Either(len(by[where]) == len(realSystems), "every system", strings.Join(by[where], ", "))
		text += "\t\t" + list + ": " + where + "\n"
	}
	return text
}

func gpuOf(vendor, kernel string) discover.GPU {
	return discover.GPU{Name: "0000:01:00.0", Vendor: vendor, Kernel: kernel}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// compareGolden compares a text with a file in testdata, and names the first line that differs.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	place := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(place, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(place)
	if err != nil {
		t.Fatal(err)
	}
	lines, had := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(lines), len(had)) {
		if i >= len(lines) || i >= len(had) || lines[i] != had[i] {
			t.Fatalf("%s, line %d: %q, want %q (-update writes the file)", place, i+1, lines[min(i, len(lines)-1)], had[min(i, len(had)-1)])
		}
	}
}

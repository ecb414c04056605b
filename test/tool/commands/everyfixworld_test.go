package commands

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/tree"
)

// brokenMaker makes a random machine with faults.
type brokenMaker struct {
	*rand.Rand
	files   map[string]string // in the format of tree.Libraries
	env     []string
	user    string
	drivers []string // file names of the manifests
	layers  []string
	last    []func() // run when the files are complete
}

const (
	archLibraries = "usr/lib/x86_64-linux-gnu/"
	icdDirectory  = "usr/share/vulkan/icd.d/"
	icdExports    = " exports=vk_icdGetInstanceProcAddr,vk_icdGetPhysicalDeviceProcAddr,vk_icdNegotiateLoaderICDInterfaceVersion"
)

// pickOf returns a random element of a list.
func pickOf[T any](m *brokenMaker, list ...T) T { return list[m.Intn(len(list))] }

func (m *brokenMaker) set(name, value string) {
	m.env = append(slices.DeleteFunc(m.env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") }), name+"="+value)
}

// driver adds a driver with its library.
func (m *brokenMaker) driver(name, library string) {
	file := name + "_icd.x86_64.json"
	m.files[icdDirectory+file] = fmt.Sprintf(`= {"file_format_version":"1.0.0","ICD":{"library_path":%q,"api_version":"1.3.0"}}`,
		pickOf(m, library, "/"+archLibraries+library))
	m.files[archLibraries+library] = "soname=" + library + " needed=libc.so.6" + icdExports
	m.drivers = append(m.drivers, file)
}

// layer adds a layer with its library.
func (m *brokenMaker) layer(kind, name, library string) {
	more := ""
	if kind == "implicit_layer.d" {
		more = `,"disable_environment":{"DISABLE_` + name + `":"1"}`
		if m.Intn(3) == 0 {
			more += `,"enable_environment":{"ENABLE_` + name + `":"1"}`
		}
	}
	m.files["usr/share/vulkan/"+kind+"/"+name+".json"] = "= " + strings.Replace(tree.Layer(name, more), "lib.so", library, 1)
	m.files[archLibraries+library] = "soname=" + library + " needed=libc.so.6 exports=vkNegotiateLoaderLayerInterfaceVersion"
	m.layers = append(m.layers, name)
}

// gpu adds a graphics device.
func (m *brokenMaker) gpu(number int, vendor, device, kernel string) {
	at := fmt.Sprintf("sys/bus/pci/devices/0000:0%d:00.0/", number+1)
	m.files[at+"class"], m.files[at+"vendor"], m.files[at+"device"] = "= 0x030000\n", "= "+vendor+"\n", "= "+device+"\n"
	if m.Intn(9) == 0 {
		return
	}
	m.files[at+"driver"] = "-> ../../drivers/" + kernel
	if m.Intn(9) == 0 {
		m.files[at+"power/runtime_status"] = "= suspended\n"
	}
	switch {
	case m.Intn(12) == 0:
	case kernel == "nvidia":
		m.files["dev/nvidiactl"], m.files["dev/nvidia"+fmt.Sprint(number)] = "= ", "= "
		m.files["proc/driver/nvidia/version"] = "= NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03\n"
	default:
		node := fmt.Sprintf("renderD%d", 128+number)
		m.files["sys/class/drm/"+node+"/device"] = "-> ../../../bus/pci/devices/" + strings.Split(at, "/")[4]
		m.files["dev/dri/"+node] = "= "
	}
}

// release are the texts of os-release files.
var release = []string{"ID=debian\nVERSION_ID=\"12\"\n", "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n", "ID=fedora\nVERSION_ID=40\n", "ID=arch\n",
	"ID=alpine\nVERSION_ID=3.20\n", "ID=opensuse-tumbleweed\n", "ID=nixos\n", "ID=steamos\nID_LIKE=arch\n", "ID=void\n", ""}

// sane creates the machine without faults.
func (m *brokenMaker) sane() {
	m.env = []string{"HOME=/home/mia", "DISPLAY=:0"}
	m.files["etc/passwd"] = "= root:x:0:0::/root:/bin/sh\nmia:x:1000:1000::/home/mia:/bin/sh\n"
	m.files["etc/group"] = "= root:x:0:\nrender:x:106:\nmia:x:1000:\n"
	m.files["etc/os-release"] = "= " + pickOf(m, release...)
	m.files[archLibraries+"libc.so.6"] = "soname=libc.so.6 defines=GLIBC_2.14,GLIBC_2.36 exports=memcpy"
	if m.Intn(20) > 0 {
		m.files[archLibraries+"libvulkan.so.1.4.309"] = "soname=libvulkan.so.1 needed=libc.so.6 exports=vkCreateInstance,vkEnumerateInstanceVersion,vkCreateRenderPass2,vkCmdBeginRendering,vkCmdPushConstants2"
		m.files[archLibraries+"libvulkan.so.1"] = "-> libvulkan.so.1.4.309"
	}
	switch m.Intn(12) {
	case 0:
		m.files[".dockerenv"] = "= "
	case 1:
		m.files["run/.containerenv"] = "= name=\"box\"\n"
	case 2:
		m.set("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	case 3:
		m.files[".flatpak-info"] = "= [Application]\nname=org.example.Game\n"
	case 4:
		m.set("SNAP", "/snap/game/1")
		m.set("SNAP_NAME", "game")
	case 5:
		m.files["run/pressure-vessel/x"] = "= "
	case 6:
		m.files["run/ostree-booted"] = "= "
	}
	cards := [][3]string{{"0x1002", "0x744c", "amdgpu"}, {"0x8086", "0x4680", "i915"}, {"0x8086", "0x0412", "i915"}, {"0x10de", "0x2204", "nvidia"},
		{"0x10de", "0x2204", "nouveau"}, {"0x1af4", "0x1050", "virtio_gpu"}}
	for n := range m.Intn(3) {
		c := pickOf(m, cards...)
		m.gpu(n, c[0], c[1], c[2])
	}
	for _, d := range [][2]string{{"radeon", "libvulkan_radeon.so"}, {"intel", "libvulkan_intel.so"}, {"intel_hasvk", "libvulkan_intel_hasvk.so"},
		{"lvp", "libvulkan_lvp.so"}, {"nouveau", "libvulkan_nouveau.so"}, {"amd", "amdvlk64.so"}, {"nvidia", "libGLX_nvidia.so.0"}, {"acme", "libacme.so"}} {
		if m.Intn(2) == 0 {
			m.driver(d[0], d[1])
		}
	}
	if m.Intn(3) > 0 {
		m.layer("explicit_layer.d", "VK_LAYER_KHRONOS_validation", "libVkLayer_khronos_validation.so")
	}
	if m.Intn(3) > 0 {
		m.layer("implicit_layer.d", "VK_LAYER_MESA_device_select", "libVkLayer_MESA_device_select.so")
	}
	if m.Intn(3) == 0 {
		m.layer("implicit_layer.d", "VK_LAYER_ACME_overlay", "libacme_overlay.so")
	}
}

// some returns a driver's manifest or, rarely, another name.
func (m *brokenMaker) some(list []string) string {
	if len(list) == 0 || m.Intn(6) == 0 {
		return pickOf(m, "none.json", "VK_LAYER_none", "*", "x*")
	}
	name := pickOf(m, list...)
	if m.Intn(4) == 0 {
		return name[:min(len(name), 12)] + "*"
	}
	return name
}

// libraryFault breaks a library.
func (m *brokenMaker) libraryFault() {
	var all []string
	for name := range m.files {
		if strings.HasPrefix(name, archLibraries) && !strings.HasPrefix(filepath.Base(name), "libc.") && !strings.HasPrefix(filepath.Base(name), "libvulkan.so") {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	name := pickOf(m, all...)
	switch m.Intn(10) {
	case 0:
		delete(m.files, name)
	case 1:
		m.files[name] = "= "
	case 2:
		m.files[name] += " class=32 machine=i386"
	case 3:
		m.files[name] += " machine=aarch64"
	case 4:
		m.files[name] = strings.Replace(m.files[name], "needed=", "needed="+pickOf(m, "libxcb-present.so.0", "libLLVM-15.so.1", "libdrm.so.2")+",", 1)
	case 5:
		m.files[name] += " imports=memcpy@GLIBC_2.99@libc.so.6"
	case 6:
		m.files[name] = "soname=x needed=libc.so.6 exports=nothing"
	case 7:
		m.files[name] = strings.Replace(m.files[name], "needed=", "needed=libextra.so.1,", 1)
		m.files["etc/ld.so.conf.d/extra.conf"] = "= /opt/extra\n"
		m.files["etc/ld.so.conf"] = pickOf(m, "= include /etc/ld.so.conf.d/*.conf\n", "= include ld.so.conf.d/*.conf\n", "= /opt/extra\n", "= \n")
		m.files["opt/extra/libextra.so.1"] = "soname=libextra.so.1 exports=x"
	case 8:
		m.files[name] += " data=nowhere_defined"
	case 9:
		m.files["usr/local/nvidia/lib64/"+filepath.Base(name)] = m.files[name]
		delete(m.files, name)
	}
}

// manifestFault breaks or doubles a manifest.
func (m *brokenMaker) manifestFault() {
	if len(m.drivers) == 0 {
		return
	}
	name := pickOf(m, m.drivers...)
	place := icdDirectory + name
	switch m.Intn(8) {
	case 0:
		m.files[place] = "= {"
	case 1:
		m.files[place] = `= {"file_format_version":"1.0.0","ICD":{"api_version":"1.3.0"}}`
	case 2:
		m.files["etc/vulkan/icd.d/"+pickOf(m, name, "copy.json")] = m.files[place]
	case 3:
		m.files[place] = strings.Replace(m.files[place], `"library_path":"`, `"library_path":"`+pickOf(m, "/nowhere/", "@LIB@/", "~/", "$HOME/", "/usr"), 1)
	case 4:
		m.files[place] = strings.Replace(m.files[place], `.so"`, `.so "`, 1)
	case 5:
		m.files[place] = strings.Replace(m.files[place], `"api_version"`, `"is_portability_driver":true,"api_version"`, 1)
	case 6:
		m.files["opt/vulkan/icd.d/"+name] = m.files[place]
		delete(m.files, place)
	case 7:
		m.files["home/mia/.local/share/vulkan/icd.d/"+name] = m.files[place]
	}
}

// variableFault sets a variable with an unwanted effect.
func (m *brokenMaker) variableFault() {
	icd := func() string { return "/" + icdDirectory + m.some(m.drivers) }
	switch m.Intn(24) {
	case 0:
		m.set("VK_DRIVER_FILES", pickOf(m, icd(), "/usr/share/vulkan/icd.d", "/gone.json", icd()+":/gone.json"))
	case 1:
		m.set("VK_ICD_FILENAMES", pickOf(m, icd(), "/gone.json"))
	case 2:
		m.set("VK_ADD_DRIVER_FILES", pickOf(m, icd(), "/gone", "/opt/vulkan/icd.d"))
	case 3, 4:
		m.set("VK_LOADER_DRIVERS_DISABLE", pickOf(m, m.some(m.drivers), m.some(m.drivers)+","+m.some(m.drivers)))
	case 5:
		m.set("VK_LOADER_DRIVERS_SELECT", m.some(m.drivers))
	case 6, 7:
		m.set("VK_LOADER_LAYERS_DISABLE", pickOf(m, m.some(m.layers), "implicit", "~implicit~", "~all~", "all", "~everything~"))
	case 8:
		m.set("VK_LOADER_LAYERS_ENABLE", pickOf(m, m.some(m.layers), m.some(m.layers)+","+m.some(m.layers)))
	case 9:
		m.set("VK_LOADER_LAYERS_ALLOW", m.some(m.layers))
	case 10, 11:
		m.set("VK_INSTANCE_LAYERS", pickOf(m, m.some(m.layers), m.some(m.layers)+":"+m.some(m.layers), "VK_LAYER_LUNARG_standard_validation"))
	case 12:
		m.set("VK_LAYER_PATH", pickOf(m, "/gone", "/usr/share/vulkan/explicit_layer.d", "/usr/share/vulkan"))
	case 13:
		m.set("VK_ADD_LAYER_PATH", pickOf(m, "/gone", "/usr/share/vulkan/implicit_layer.d"))
	case 14:
		m.set("VK_IMPLICIT_LAYER_PATH", pickOf(m, "/gone", "/usr/share/vulkan/implicit_layer.d"))
	case 15:
		m.set("VK_LOADER_DEBUG", pickOf(m, "yes", "all", "error,everything"))
	case 16:
		m.set("VK_LOADER_DEVICE_SELECT", pickOf(m, "1234:5678", "0x1002:0x744c", "first"))
	case 17:
		m.set("MESA_VK_DEVICE_SELECT", pickOf(m, "1234:5678", "1002:744c!", "list"))
	case 18:
		m.set(pickOf(m, "VK_DRIVER_FILE", "VK_LOADER_LAYER_DISABLE", "VK_INSTANCE_LAYER", "VK_ICD_FILENAME"), pickOf(m, icd(), m.some(m.layers)))
	case 19:
		m.set("XDG_DATA_DIRS", pickOf(m, "/usr/local/share", "/opt", "/run/opengl-driver/share"))
	case 20:
		m.set("XDG_DATA_HOME", pickOf(m, "/gone", "/opt"))
	case 21:
		if len(m.layers) > 0 {
			name := pickOf(m, m.layers...)
			m.set("DISABLE_"+name, "1")
			m.set(pickOf(m, "VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"), name)
		}
	case 22:
		m.set("LD_LIBRARY_PATH", "/opt/sdk")
		m.files["opt/sdk/libvulkan.so.1"] = pickOf(m, "= ", "soname=libvulkan.so.1 exports=vkCreateInstance", "class=32 machine=i386 soname=libvulkan.so.1 exports=vkCreateInstance")
	case 23:
		if len(m.layers) > 0 {
			name := pickOf(m, m.layers...)
			m.set("VK_LOADER_LAYERS_ENABLE", name)
			m.set("VK_LOADER_LAYERS_DISABLE", pickOf(m, name, "~implicit~", "*"))
		}
	}
}

// fileFault adds a settings file, an override layer, a file that sets a variable, or a node that is closed.
func (m *brokenMaker) fileFault() {
	switch m.Intn(5) {
	case 0:
		m.files["home/mia/.local/share/vulkan/loader_settings.d/vk_loader_settings.json"] = "= " + pickOf(m,
			`{"file_format_version":"1.0.0","settings":{"layers":[{"name":"VK_LAYER_KHRONOS_validation","path":"/usr/share/vulkan/explicit_layer.d/VK_LAYER_KHRONOS_validation.json","control":"on"}]}}`,
			`{"file_format_version":"1.0.0","settings":{"layers":[{"name":"VK_LAYER_gone","path":"/gone.json","control":"on"}]}}`,
			`{"file_format_version":"1.0.0","settings":{"additional_drivers":[{"path":"/gone.json"}],"additional_drivers_use_exclusively":true}}`, `{`)
	case 1:
		m.files["home/mia/.local/share/vulkan/implicit_layer.d/VkLayer_override.json"] = `= {"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_LUNARG_override","type":"GLOBAL",` +
			`"api_version":"1.3.0","implementation_version":"1","description":"D","component_layers":["` + pickOf(m, "VK_LAYER_KHRONOS_validation", "VK_LAYER_gone") +
			`"],"disable_environment":{"DISABLE_OVERRIDE":"1"}}}`
	case 2:
		if len(m.env) > 2 {
			m.files["home/mia/.bashrc"] = "= export " + m.env[len(m.env)-1] + "\n"
		}
	case 3:
		m.last = append(m.last, func() { m.user = "mia" })
	case 4:
		for name := range m.files {
			if strings.HasPrefix(name, "usr/share/vulkan/icd.d/") {
				m.files["run/opengl-driver/share/vulkan/icd.d/"+filepath.Base(name)] = m.files[name]
				delete(m.files, name)
			}
		}
	}
}

// broken creates the random machine of a seed.
func broken(t testing.TB, seed int64) *patient {
	m := &brokenMaker{Rand: rand.New(rand.NewSource(seed)), files: map[string]string{}}
	m.sane()
	for range 1 + m.Intn(3) {
		pickOf(m, m.libraryFault, m.manifestFault, m.variableFault, m.variableFault, m.fileFault)()
	}
	for _, f := range m.last {
		f()
	}
	p := &patient{root: t.TempDir(), env: m.env, user: m.user}
	tree.Libraries(t, p.root, m.files)
	nodes, _ := filepath.Glob(filepath.Join(p.root, "dev/dri/*")) // the pattern is valid
	for _, node := range nodes {
		if m.user == "" || os.Chown(node, 0, 106) != nil { // only root can give a file to a group
			continue
		}
		if err := os.Chmod(node, 0o660); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// Variables of the test of random machines.
const (
	fixWorlds = "VKLOADER_TEST_FIXES" // the number of machines
	fixSeed   = "VKLOADER_TEST_SEED"  // the first seed
)

// Each printed fix of random broken machines ends its finding, causes no new problem, and no later fix undoes it.
func TestEveryFixOfBrokenMachines(t *testing.T) {
	t.Parallel()
	count, first := 100, 1
	if os.Getenv("VKLOADER_TEST_ALL") != "" {
		count = 2000
	}
	for name, number := range map[string]*int{fixWorlds: &count, fixSeed: &first} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			*number = n
		}
	}
	const shards = 2
	tallies := make([]tally, shards)
	t.Run("shards", func(t *testing.T) {
		for shard := range shards {
			t.Run(strconv.Itoa(shard), func(t *testing.T) {
				t.Parallel()
				for seed := first + shard; seed < first+count; seed += shards {
					t.Run(strconv.Itoa(seed), func(t *testing.T) { // its temporary directory is removed with it
						p := broken(t, int64(seed))
						counted, faults := followAll(p, filepath.Join(t.TempDir(), "copies"))
						tallies[shard].add(counted)
						for _, fault := range faults {
							t.Errorf("%s=%d %s=1: %q\n%s", fixSeed, seed, fixWorlds, p.env, fault)
						}
					})
				}
			})
		}
	})
	all := &tally{}
	for i := range tallies {
		all.add(&tallies[i])
	}
	t.Log(all)
	if all.fixes < count/2 {
		t.Errorf("only %d fixes were followed", all.fixes)
	}
}

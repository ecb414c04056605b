package layers

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/world"
)

// traced writes a line to the file TRACE when a library is opened and when it is closed.
const traced = `#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void trace(const char *name, char what, int number)
{
    char line[100];
    int fd = open(getenv("TRACE"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    snprintf(line, sizeof line, number ? "%s%c%d\n" : "%s%c\n", name, what, number);
    if (write(fd, line, strlen(line)) < 0) abort();
    close(fd);
}
`

// needed is a library that layers need. Where HOOK is set it calls a function of whoever has one.
const needed = traced + `
__attribute__((weak)) void layer_hook(void);
int helper_number(void);
int base_number(void);
int helper_number(void)
{
#ifdef HOOK
    if (layer_hook) layer_hook();
#endif
#ifdef BASE
    return NUMBER + base_number();
#endif
    return NUMBER;
}
__attribute__((constructor)) static void begin(void) { trace(NAME, '+', 0); }
__attribute__((destructor)) static void end(void) { trace(NAME, '-', 0); }
`

// needing is a layer that does nothing, and needs that library.
const needing = traced + `
#include "interface.h"

static PFN_vkGetInstanceProcAddr next;
int helper_number(void);
void layer_hook(void);
void layer_hook(void) {}

static VkResult VKAPI_CALL create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO)
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return ((PFN_vkCreateInstance)next(NULL, "vkCreateInstance"))(info, allocator, out);
}

__attribute__((visibility("default"))) PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkCreateInstance") == 0) return (PFN_vkVoidFunction)create;
    if (strcmp(name, "vkGetInstanceProcAddr") == 0) return (PFN_vkVoidFunction)vkGetInstanceProcAddr;
    return next ? next(instance, name) : NULL;
}

__attribute__((visibility("default"))) VkResult pre_version(const VkEnumerateInstanceVersionChain *chain, uint32_t *version);
__attribute__((visibility("default"))) VkResult pre_version(const VkEnumerateInstanceVersionChain *chain, uint32_t *version)
{
    return chain->pfnNextLayer(chain->pNextLink, version);
}

__attribute__((constructor)) static void begin(void) { trace(NAME, '+', helper_number()); }
__attribute__((destructor)) static void end(void) { trace(NAME, '-', 0); }
`

// machine is a world whose layers need libraries that nobody else has open.
type machine struct {
	*world.World
	h *world.Host
}

// needs makes the layers a and b, which need libhelper.so, whose number is 1.
func needs(t *testing.T, layers ...string) *machine {
	t.Helper()
	m := &machine{World: world.New(t)}
	m.NoShim = true // where a library stands in for dlopen, nothing is held
	m.Env["TRACE"] = m.Path("trace")
	m.Env["VK_IMPLICIT_LAYER_PATH"] = m.Path("implicit")
	m.Env["VK_LOADER_DEBUG"] = "error"
	m.Driver("one", "device name=a")
	m.Write("needed.c", needed)
	m.Write("needing.c", needing)
	m.helper("1")
	for _, name := range layers {
		f := m.ExplicitLayer("VK_LAYER_" + name)
		m.layer(name, f.Library)
	}
	return m
}

func (m *machine) helper(number string, more ...string) { m.library("helper", number, more...) }

// library makes a library that is needed, or another file in its place.
func (m *machine) library(name, number string, more ...string) {
	m.T.Helper()
	built := m.Path("lib", "new.so")
	m.Write("lib/there", "")
	args := []string{"-shared", "-fPIC", "-DNUMBER=" + number, `-DNAME="` + name + `"`, "-Wl,-soname,lib" + name + ".so", "-o", built, m.Path("needed.c")}
	if err := world.Compile(append(args, more...)...); err != nil {
		m.T.Fatal(err)
	}
	m.rename(built, m.Path("lib", "lib"+name+".so"))
}

func (m *machine) rename(from, to string) {
	m.T.Helper()
	if err := os.Rename(from, to); err != nil {
		m.T.Fatal(err)
	}
}

// append writes into a library in its place.
func (m *machine) append(name string) {
	m.T.Helper()
	file, err := os.OpenFile(m.Path("lib", name), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		m.T.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString("more"); err != nil {
		m.T.Fatal(err)
	}
}

// layer makes a layer's library, or another file in its place.
func (m *machine) layer(name, library string, more ...string) {
	m.T.Helper()
	args := []string{"-shared", "-fPIC", `-DNAME="` + name + `"`, "-I..", "-I../../spine", "-I../../spine/gen/linux", "-I../../spine/asm/linux",
		"-o", library + ".new", m.Path("needing.c"), "-L" + m.Path("lib"), "-Wl,-rpath," + m.Path("lib"), "-lhelper"}
	if err := world.Compile(append(args, more...)...); err != nil {
		m.T.Fatal(err)
	}
	m.rename(library+".new", library)
}

// trace returns what was written since the last time.
func (m *machine) trace() []string {
	m.T.Helper()
	text, err := os.ReadFile(m.Path("trace"))
	if err != nil {
		return nil
	}
	if err := os.Remove(m.Path("trace")); err != nil {
		m.T.Fatal(err)
	}
	return strings.Fields(string(text))
}

// life makes an instance with the layers, ends it, and says what was opened and closed.
func (m *machine) life(layers ...string) []string {
	m.T.Helper()
	if m.h == nil {
		m.h = m.Start()
	}
	var words []string
	for _, name := range layers {
		words = append(words, "layer", "VK_LAYER_"+name)
	}
	m.h.OK("create_instance", words...)
	m.h.OK("physical_devices")
	m.h.Do("destroy_instance")
	return m.trace()
}

// is compares what was opened and closed.
func (m *machine) is(when string, got []string, want string) {
	m.T.Helper()
	if strings.Join(got, " ") != want {
		m.T.Errorf("%s: %v, want %s", when, got, want)
	}
}

// mapped tells which of the libraries in lib are mapped.
func (m *machine) mapped() []string {
	m.T.Helper()
	var names []string
	for _, path := range m.h.Do("maps", "match", m.Path("lib")).Strings("maps") {
		if name := filepath.Base(path); name != "one.so" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// What a layer needs stays mapped from its second opening on, and the layer does not: it is opened and closed as before. When
// the loader goes, all goes.
//
// holds: LAY-278 LAY-281
func TestWhatALayerNeedsStays(t *testing.T) {
	t.Parallel()
	for name, bare := range map[string]bool{"path": false, "name": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := needs(t, "a")
			if bare { // as Mesa's layer is named
				library := m.Path("found", "liba.so")
				m.Write("found/there", "")
				m.layer("a", library)
				m.ExplicitLayer("VK_LAYER_a").Set("library_path", "liba.so")
				m.Env["LD_LIBRARY_PATH"] = m.Path("found")
			}
			m.is("first", m.life("a"), "helper+ a+1 a- helper-")
			m.is("mapped after the first", m.mapped(), "")
			m.is("second", m.life("a"), "helper+ a+1 a-")
			m.is("mapped after the second", m.mapped(), "libhelper.so")
			for range 3 {
				m.is("third", m.life("a"), "a+1 a-")
			}
			m.is("mapped after the third", m.mapped(), "libhelper.so")
			m.is("without it", m.life(), "")
			m.h.Do("close")
			m.is("when the loader goes", m.trace(), "helper-")
			m.is("mapped then", m.mapped(), "")
			m.h.Quit()
		})
	}
}

// Another file in the place of one that is held, or of the layer, is opened the next time.
//
// holds: LAY-278 LAY-281
func TestReplacedLibraryThatALayerNeeds(t *testing.T) {
	t.Parallel()
	m := needs(t, "a")
	for range 2 {
		m.is("first", m.life("a"), "helper+ a+1 a- helper-")
		m.layer("a", m.Path("lib/VK_LAYER_a.so"))
	}
	m.is("first", m.life("a"), "helper+ a+1 a- helper-")
	m.is("second", m.life("a"), "helper+ a+1 a-")
	m.helper("2")
	m.is("replaced", m.life("a"), "helper- helper+ a+2 a- helper-")
	m.is("again", m.life("a"), "helper+ a+2 a-")
	m.is("and again", m.life("a"), "a+2 a-")
	m.layer("a", m.Path("lib/VK_LAYER_a.so"))
	m.is("layer replaced", m.life("a"), "helper- helper+ a+2 a- helper-")
	m.is("again", m.life("a"), "helper+ a+2 a-")
	m.is("and again", m.life("a"), "a+2 a-")
	if err := os.Remove(m.Path("lib/libhelper.so")); err != nil {
		t.Fatal(err)
	}
	if got := m.h.Do("create_instance", "layer", "VK_LAYER_a").Result(); got != layerNotPresent {
		t.Errorf("without the library: %d", got)
	}
	m.is("taken away", m.trace(), "helper-")
	m.h.Quit()
}

// A link to a file changes the time of its last change, and nothing else: package managers make one before they replace it.
//
// holds: LAY-278
func TestLinkToALibraryThatALayerNeeds(t *testing.T) {
	t.Parallel()
	m := needs(t, "a")
	m.is("first", m.life("a"), "helper+ a+1 a- helper-")
	m.is("second", m.life("a"), "helper+ a+1 a-")
	if err := os.Link(m.Path("lib/libhelper.so"), m.Path("lib/before")); err != nil {
		t.Fatal(err)
	}
	m.is("linked", m.life("a"), "a+1 a-")
	m.helper("2")
	m.is("replaced", m.life("a"), "helper- helper+ a+2 a- helper-")
	m.h.Quit()
}

// A library that is needed by one that is needed is looked at, too.
//
// holds: LAY-278 LAY-281
func TestReplacedLibraryBelow(t *testing.T) {
	t.Parallel()
	m := needs(t, "a")
	m.library("base", "10", "-Dhelper_number=base_number")
	m.helper("1", "-DBASE", "-L"+m.Path("lib"), "-Wl,-rpath,"+m.Path("lib"), "-lbase")
	m.is("first", m.life("a"), "base+ helper+ a+11 a- helper- base-")
	m.is("second", m.life("a"), "base+ helper+ a+11 a-")
	m.library("base", "20", "-Dhelper_number=base_number")
	m.is("replaced", m.life("a"), "helper- base- base+ helper+ a+21 a- helper- base-")
	m.is("again", m.life("a"), "base+ helper+ a+21 a-")
	m.is("and again", m.life("a"), "a+21 a-")
	m.is("mapped", m.mapped(), "libbase.so libhelper.so")
	m.h.Do("close")
	m.is("when the loader goes", m.trace(), "helper- base-")
	m.h.Quit()
}

// A library that is held and overwritten in place runs no more: neither it nor another that may call it is closed, and the
// layer that needs it is refused.
//
// holds: LAY-281 LAY-296
func TestOverwrittenLibraryThatALayerNeeds(t *testing.T) {
	t.Parallel()
	m := needs(t, "a", "b")
	m.library("other", "1", "-Dhelper_number=other_number")
	m.layer("b", m.Path("lib/VK_LAYER_b.so"), "-Dhelper_number=other_number", "-lother")
	m.library("base", "10", "-Dhelper_number=base_number")
	m.helper("1", "-DBASE", "-L"+m.Path("lib"), "-Wl,-rpath,"+m.Path("lib"), "-lbase")
	m.is("first", m.life("a", "b"), "other+ b+1 base+ helper+ a+11 a- helper- base- b- other-")
	m.is("second", m.life("a", "b"), "other+ b+1 base+ helper+ a+11 a- b-")
	library := m.Path("lib/libbase.so")
	before, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(library, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(bytes.Repeat([]byte{0xcc}, len(before))); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := m.h.Do("create_instance", "layer", "VK_LAYER_a").Result(); got != layerNotPresent {
			t.Errorf("with the layer: %d", got)
		}
		m.is("the other layer", m.life("b"), "b+1 b-")
	}
	m.library("base", "20", "-Dhelper_number=base_number") // by its name the linker would find the old one
	if got := m.h.Do("create_instance", "layer", "VK_LAYER_a").Result(); got != layerNotPresent {
		t.Errorf("replaced afterwards: %d", got)
	}
	m.h.Do("close")
	m.is("when the loader goes", m.trace(), "other-")
	m.is("mapped then", m.mapped(), "libbase.so (deleted) libhelper.so")
	exit := m.h.Exit() // which comes to the destructors of what is mapped
	if n := strings.Count(exit.Stderr, library+": this file was overwritten while the process had it mapped"); n != 3 {
		t.Errorf("said %d times:\n%s", n, exit.Stderr)
	}
}

// What is left for the sake of another library is still looked at: when it changes, those that need it are refused, too.
//
// holds: LAY-281 LAY-296
func TestLibraryThatWasLeft(t *testing.T) {
	t.Parallel()
	m := needs(t, "a", "b")
	m.library("base", "10", "-Dhelper_number=base_number")
	m.layer("a", m.Path("lib/VK_LAYER_a.so"), "-Wl,--no-as-needed", "-lbase")
	m.is("first", m.life("a", "b"), "helper+ b+1 base+ a+1 a- base- b- helper-")
	m.is("second", m.life("a", "b"), "helper+ b+1 base+ a+1 a- b-")
	m.append("libbase.so")
	refused := func(when, layer string) {
		t.Helper()
		if got := m.h.Do("create_instance", "layer", "VK_LAYER_"+layer).Result(); got != layerNotPresent {
			t.Errorf("%s, layer %s: %d", when, layer, got)
		}
	}
	refused("overwritten", "a")
	m.is("the other layer", m.life("b"), "b+1 b-")
	m.helper("2")
	refused("the other library replaced", "a")
	refused("the other library replaced", "b")
	m.h.Exit()
}

// A pre-instance function is the layer's, too: where the layer is refused, the function is not called.
//
// holds: LAY-228
func TestPreInstanceFunctionOfALayerThatIsRefused(t *testing.T) {
	t.Parallel()
	m := needs(t)
	f := m.ImplicitLayer("VK_LAYER_a").Set("pre_instance_functions", map[string]string{"vkEnumerateInstanceVersion": "pre_version"})
	m.layer("a", f.Library)
	for range 2 {
		m.life()
	}
	version := func() string {
		m.h.OK("instance_version")
		return strings.Join(m.trace(), " ")
	}
	if got := version(); got != "a+1 a-" {
		t.Errorf("before: %s", got)
	}
	m.append("libhelper.so")
	if got := version(); got != "" {
		t.Errorf("overwritten: %s", got)
	}
	m.h.Exit()
}

// What the program has open is the program's, and so is what needs it: its dlclose unmaps it.
//
// holds: LAY-281
func TestLibraryThatTheProgramHas(t *testing.T) {
	t.Parallel()
	t.Run("needed", func(t *testing.T) {
		t.Parallel()
		m := needs(t, "a")
		m.h = m.Start()
		m.h.Do("hold", "path", m.Path("lib/libhelper.so"))
		m.is("opened", m.trace(), "helper+")
		for range 4 {
			m.is("life", m.life("a"), "a+1 a-")
		}
		m.h.Do("drop")
		m.is("closed", m.trace(), "helper-")
		m.is("mapped", m.mapped(), "")
		m.is("without it", m.life("a"), "helper+ a+1 a- helper-")
		m.h.Quit()
	})
	t.Run("needed by what is needed", func(t *testing.T) {
		t.Parallel()
		m := needs(t, "a")
		m.library("base", "10", "-Dhelper_number=base_number")
		here := []string{"-L" + m.Path("lib"), "-Wl,-rpath," + m.Path("lib")}
		m.library("middle", "100", append(here, "-DBASE", "-Dhelper_number=middle_number", "-lbase")...)
		m.helper("1", append(here, "-DBASE", "-Dbase_number=middle_number", "-lmiddle")...)
		m.h = m.Start()
		m.h.Do("hold", "path", m.Path("lib/libbase.so"))
		m.is("opened", m.trace(), "base+")
		for range 4 {
			m.is("life", m.life("a"), "middle+ helper+ a+111 a- helper- middle-")
		}
		m.h.Do("drop")
		m.is("closed", m.trace(), "base-")
		m.is("mapped", m.mapped(), "")
		m.h.Quit()
	})
	t.Run("the loader", func(t *testing.T) {
		t.Parallel()
		m := needs(t, "a")
		m.helper("1", "-Wl,--no-as-needed", world.Library())
		for range 4 {
			m.is("life", m.life("a"), "helper+ a+1 a- helper-")
		}
		m.h.Do("close")
		if mapped := m.h.Do("maps", "match", "libvulkan.so").Strings("maps"); len(mapped) != 0 {
			t.Errorf("the loader stays: %v", mapped)
		}
		m.h.Quit()
	})
}

// A library that is bound to the layer would keep it: then all is let go, and the second time nothing is held any more.
//
// holds: LAY-281
func TestLibraryThatCallsTheLayer(t *testing.T) {
	t.Parallel()
	m := needs(t, "a", "b")
	m.library("other", "1", "-Dhelper_number=other_number")
	m.layer("b", m.Path("lib/VK_LAYER_b.so"), "-Dhelper_number=other_number", "-lother")
	m.helper("1", "-DHOOK")
	for range 2 { // it may have been another's doing once, not twice
		m.is("first", m.life("b"), "other+ b+1 b- other-")
		m.is("second", m.life("b"), "other+ b+1 b-")
		m.is("first", m.life("a"), "helper+ a+1 a- helper-")
		got := m.life("a") // what goes with one call goes in the linker's order
		slices.Sort(got)
		m.is("second", got, "a+1 a- helper+ helper- other-")
	}
	m.is("third", m.life("a"), "helper+ a+1 a- helper-")
	m.is("mapped", m.mapped(), "")
	for range 3 {
		m.is("from then on", m.life("b"), "other+ b+1 b- other-")
	}
	m.h.Quit()
}

// VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING: with 0 nothing stays, with 1 all does. Where a library stands in for dlopen
// nothing is held that it would not see.
//
// holds: LAY-281 ENV-110
func TestNothingThatALayerNeedsStays(t *testing.T) {
	t.Parallel()
	t.Run("0", func(t *testing.T) {
		t.Parallel()
		m := needs(t, "a")
		m.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = "0"
		for range 3 {
			m.is("life", m.life("a"), "helper+ a+1 a- helper-")
		}
		m.is("mapped", m.mapped(), "")
		m.h.Quit()
	})
	t.Run("1", func(t *testing.T) {
		t.Parallel()
		m := needs(t, "a")
		m.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = "1"
		m.is("first", m.life("a"), "helper+ a+1")
		m.is("second", m.life("a"), "")
		m.h.Quit()
	})
	t.Run("interposed", func(t *testing.T) {
		t.Parallel()
		if world.Variant() != "" {
			t.Skip("the sanitizers stand in for dlopen themselves")
		}
		m := needs(t, "a")
		m.NoShim = false
		for range 3 {
			m.is("life", m.life("a"), "helper+ a+1 a- helper-")
		}
		m.h.Quit()
	})
}

// Layers that need the same library hold it together.
//
// holds: LAY-278 LAY-281
func TestLibraryThatTwoLayersNeed(t *testing.T) {
	t.Parallel()
	m := needs(t, "a", "b")
	m.is("first", m.life("a", "b"), "helper+ b+1 a+1 a- b- helper-")
	m.is("second", m.life("a", "b"), "helper+ b+1 a+1 a- b-")
	m.is("one", m.life("a"), "a+1 a-")
	m.is("the other", m.life("b"), "b+1 b-")
	m.layer("a", m.Path("lib/VK_LAYER_a.so"))
	for range 2 {
		m.is("one is replaced", m.life("a"), "a+1 a-")
	}
	m.layer("b", m.Path("lib/VK_LAYER_b.so"))
	m.is("the other is replaced", m.life("b"), "b+1 b-")
	m.helper("2")
	m.is("replaced", m.life("a"), "helper- helper+ a+2 a- helper-")
	m.is("again", m.life("a", "b"), "helper+ b+2 a+2 a- b-")
	for range 2 {
		m.is("again", m.life("a", "b"), "b+2 a+2 a- b-")
	}
	m.is("and again", m.life("b"), "b+2 b-")
	m.h.Do("close")
	m.is("when the loader goes", m.trace(), "helper-")
	m.h.Quit()
}

// Two instances at once: the layer goes with the last, and what it needs stays as with one.
//
// holds: LAY-278 LAY-281
func TestInstancesThatShareWhatALayerNeeds(t *testing.T) {
	t.Parallel()
	m := needs(t, "a")
	m.is("nothing", m.life(), "")
	m.h.OK("create_instance", "as", "long", "layer", "VK_LAYER_a")
	m.is("opened", m.trace(), "helper+ a+1")
	for range 2 {
		m.is("beside it", m.life("a"), "")
	}
	m.h.Do("destroy_instance", "name", "long")
	m.is("first", m.trace(), "a- helper-")
	m.h.OK("create_instance", "as", "long", "layer", "VK_LAYER_a")
	m.is("opened", m.trace(), "helper+ a+1")
	m.is("beside it", m.life("a"), "")
	m.h.Do("destroy_instance", "name", "long")
	m.is("closed", m.trace(), "a-")
	m.is("next", m.life("a"), "a+1 a-")
	m.helper("2")
	m.h.OK("create_instance", "as", "long", "layer", "VK_LAYER_a")
	m.is("replaced", m.trace(), "helper- helper+ a+2")
	m.helper("3") // while it is in use: one object, as the dynamic linker has it
	m.is("beside it", m.life("a"), "")
	m.h.Do("destroy_instance", "name", "long")
	m.is("closed", m.trace(), "a- helper-")
	m.is("next", m.life("a"), "helper+ a+3 a-")
	m.h.Quit()
}

// A driver that needs the same library, and is not mapped yet, gets the file that there is now.
//
// holds: DRV-020 LAY-281
func TestDriverNeedsWhatALayerBrought(t *testing.T) {
	t.Parallel()
	m := needs(t, "a")
	m.is("first", m.life("a"), "helper+ a+1 a- helper-")
	m.is("second", m.life("a"), "helper+ a+1 a-")
	m.helper("2")
	source, library := m.Write("driver.c", traced+`
int helper_number(void);
__attribute__((constructor)) static void begin(void) { trace("driver", '+', helper_number()); }
`), m.Path("lib/driver.so")
	if err := world.Compile("-shared", "-fPIC", "-o", library, source, "-L"+m.Path("lib"), "-Wl,--no-as-needed", "-Wl,-rpath,"+m.Path("lib"),
		"-lhelper", "-l:one.so"); err != nil {
		t.Fatal(err)
	}
	m.h.Do("setenv", "name", "VK_DRIVER_FILES", "value", m.Write("driver.json", world.DriverManifest(library, "1.0.0")))
	m.h.OK("instance_extensions")
	m.is("driver", m.trace(), "helper- helper+ driver+2")
	m.is("life", m.life("a"), "a+2 a-")
	m.h.Quit()
}

// Many threads that use the layers at once, while a library is replaced: what is opened is closed in the end, and nothing is
// left.
//
// holds: THR-012 LAY-281
func TestThreadsThatShareWhatALayerNeeds(t *testing.T) {
	t.Parallel()
	m := needs(t, "a", "b")
	sanitized := world.Variant() == "tsan"
	if sanitized { // it does not see the linker's own lock, and maps the files that a report is about
		m.Env["TSAN_OPTIONS"] = "halt_on_error=1:abort_on_error=1:handle_segv=0:handle_abort=0:suppressions=" + m.Write("linker", "race:ld-linux\n")
	}
	m.is("first", m.life("a", "b"), "helper+ b+1 a+1 a- b- helper-")
	life := []string{"create_instance as=a%t layer=VK_LAYER_a layer=VK_LAYER_b", "destroy_instance name=a%t", "create_instance as=b%t layer=VK_LAYER_b",
		"destroy_instance name=b%t"}
	m.h.Do("script", "as", "s", "line", life[0], "line", life[1], "line", life[2], "line", life[3])
	opened := map[string]int{}
	count := func(lines []string) {
		for _, line := range lines {
			if name, _, plus := strings.Cut(line, "+"); plus {
				opened[name]++
			} else {
				opened[strings.TrimSuffix(line, "-")]--
			}
		}
	}
	for _, number := range []string{"2", "3"} {
		if bad := m.h.Do("run", "script", "s", "threads", "8", "times", "10").Int("bad"); bad != 0 {
			t.Errorf("%d threads have failed", bad)
		}
		count(m.trace())
		if opened["a"] != 0 || opened["b"] != 0 {
			t.Errorf("still open: %v", opened)
		}
		m.helper(number)
		got := m.life("a")
		if !slices.Contains(got, "a+"+number) {
			t.Errorf("replaced: %v", got)
		}
		count(got)
	}
	m.h.Do("close")
	count(m.trace())
	for name, n := range opened {
		if n != 0 {
			t.Errorf("%s is open %d times", name, n)
		}
	}
	if !sanitized {
		m.is("mapped", m.mapped(), "")
	}
	m.h.Quit()
}

// A forked child, and its parent, go on with what was held before.
//
// holds: LAY-278 LAY-281
func TestForkWithWhatALayerNeeds(t *testing.T) {
	t.Parallel()
	m := needs(t, "a")
	m.is("first", m.life("a"), "helper+ a+1 a- helper-")
	m.is("second", m.life("a"), "helper+ a+1 a-")
	m.h.Do("child")
	m.is("child", m.life("a"), "a+1 a-")
	m.helper("2")
	m.is("replaced", m.life("a"), "helper- helper+ a+2 a- helper-")
	m.h.Do("close")
	m.h.Do("quit")
	if got := m.h.Next(); got.Int("exit") != 0 {
		t.Errorf("the child: %v", got)
	}
	m.trace()
	m.is("parent", m.life("a"), "helper- helper+ a+2 a- helper-")
	m.h.Quit()
}

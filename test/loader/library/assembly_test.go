package library

import (
	"debug/elf"
	"encoding/binary"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// kinds returns the functions that spine/asm/trampolines.c defines, with their macro in the generated list.
func kinds(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(world.Top(), "spine/gen/zcommands.inc"))
	if err != nil {
		t.Fatal(err)
	}
	system := "LINUX"
	if world.Windows() {
		system = "WINDOWS"
	}
	out := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(?:ON_(\w+)\()?COMMAND\((\w+), (vk\w+), (\w+), (\w+),`).FindAllStringSubmatch(string(text), -1) {
		kind, name, trampoline, terminator := m[2], m[3], m[4], m[5]
		if m[1] != "" && m[1] != system {
			continue
		}
		if macro := strings.TrimSuffix(trampoline, "_EXPORTED"); strings.HasSuffix(macro, "_TRAMPOLINE") {
			out["tramp_"+name] = macro
		}
		if strings.HasSuffix(terminator, "_TERMINATOR") {
			out["term_"+name] = terminator
		}
		if kind == "DEVICE" || kind == "SHARED" {
			out["missing_"+name] = "DEVICE_MISSING"
		}
	}
	if len(out) < 500 {
		t.Fatalf("only %d functions in the generated list", len(out))
	}
	return out
}

type instruction struct{ name, operands string }

// disassembled returns the instructions of every function of the library, from objdump. A DLL has no symbols for
// them, so the object file is read instead.
func disassembled(t *testing.T) map[string][]instruction {
	t.Helper()
	program, file := "objdump", world.Library()
	if world.Windows() {
		program, file = "x86_64-w64-mingw32-objdump", filepath.Join(world.Build(), "obj/spine/asm/trampolines.c.o")
	}
	text, err := exec.Command(program, "-d", "--no-show-raw-insn", "-j", ".text", file).Output()
	if err != nil {
		t.Fatalf("objdump: %v", err)
	}
	out := map[string][]instruction{}
	name := ""
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, ">:") {
			name = strings.TrimPrefix(line[strings.Index(line, "<")+1:len(line)-2], "_")
			continue
		}
		fields := strings.Fields(strings.Replace(line, "rex.W jmp", "jmp", 1))
		if name == "" || len(fields) < 2 || !strings.HasSuffix(fields[0], ":") {
			continue
		}
		i := instruction{name: fields[1]}
		if len(fields) > 2 {
			i.operands = strings.Join(fields[2:], " ")
		}
		out[name] = append(out[name], i)
	}
	return out
}

// body returns the instructions of a function. The exported name of a trampoline is another symbol at the same
// address, and objdump prints only one of them.
func body(all map[string][]instruction, name string) []instruction {
	if list, ok := all[name]; ok {
		return list
	}
	return all[strings.TrimPrefix(name, "tramp_")]
}

var registers = regexp.MustCompile(`%[a-z0-9]+`)

// written returns the operand that an instruction writes to, in AT&T order: the last one, unless it only compares.
func written(i instruction) string {
	switch {
	case strings.HasPrefix(i.name, "test"), strings.HasPrefix(i.name, "cmp"), strings.HasPrefix(i.name, "j"), strings.HasPrefix(i.name, "endbr"), strings.HasPrefix(i.name, "nop"), i.name == "notrack":
		return ""
	}
	operands := i.operands
	if n := strings.LastIndex(operands, ","); n >= 0 && !strings.HasSuffix(operands, ")") {
		return strings.TrimSpace(operands[n+1:])
	}
	return operands
}

// x86 lists the permitted instructions of a machine's trampolines and terminators: their number for each kind,
// without the mark; the registers; the register of the first argument or of the stack; and the one instruction that
// replaces that argument by the lower handle.
type x86 struct {
	mark      string // "": none
	first     string
	most      map[string]int
	registers string
	replaces  *regexp.Regexp
	same      *regexp.Regexp // operands of instructions without an effect; nil: none
}

var (
	wide = x86{"endbr64", "%rdi", map[string]int{"DEVICE_TRAMPOLINE": 9, "INSTANCE_TRAMPOLINE": 9, "PHYSDEV_TRAMPOLINE": 9, "PHYSDEV_TERMINATOR": 6},
		" %rdi %rax %eax %r10 %r10d %r11 %r11d %rip ", regexp.MustCompile(`^0x10\(%rdi\),%rdi$`), nil}
	// GCC stores the handle again in its place on the stack, and aligns the stack for some terminators.
	narrow = x86{"endbr32", "%esp", map[string]int{"DEVICE_TRAMPOLINE": 10, "INSTANCE_TRAMPOLINE": 12, "PHYSDEV_TRAMPOLINE": 12, "PHYSDEV_TERMINATOR": 10},
		" %esp %eax %ecx %edx ", regexp.MustCompile(`^%e[cd]x,0x4\(%esp\)$`), regexp.MustCompile(`^(%e[ad]x,0x(4|10)\(%esp\)|\$0xc,%esp)$`)}
	wideWindows = x86{"", "%rcx", wide.most, " %rcx %rax %eax %r10 %r10d %r11 %r11d %rip ", regexp.MustCompile(`^(0x10\(%rcx\)|%r10),%rcx$`), nil}
)

// TestInstructionBudget checks that trampolines run no more instructions than the reference on x86-64 (eight and the jump), use only
// registers without arguments, and change only the first argument, to the lower handle.
func TestInstructionBudget(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("the plain build is read")
	}
	machine := wide
	switch world.Target() {
	case "", "amd64", "musl":
	case "i386":
		machine = narrow
	case "windows/x64":
		machine = wideWindows
	case "windows/x86":
		machine, machine.mark = narrow, ""
	default:
		t.Skip("instructions of x86 are read")
	}
	all := disassembled(t)
	for name, kind := range kinds(t) {
		most, isTrampoline := machine.most[kind]
		if !isTrampoline {
			continue
		}
		list := body(all, name)
		if len(list) == 0 {
			t.Errorf("%s is not in the library", name)
			continue
		}
		end := 0
		if machine.mark != "" && list[0].name != machine.mark {
			t.Errorf("%s does not begin with %s", name, machine.mark)
		}
		for end < len(list) && !(strings.HasPrefix(list[end].name, "jmp") && strings.HasPrefix(list[end].operands, "*")) {
			end++
		}
		if end == len(list) {
			t.Errorf("%s does not end in an indirect jump: %v", name, list)
			continue
		}
		run := end + 1
		if machine.mark != "" { // the mark is not counted
			run--
		}
		if run > most {
			t.Errorf("%s runs %d instructions, at most %d are allowed", name, run, most)
		}
		for _, i := range list[:end+1] {
			switch to := written(i); {
			case to == "", strings.Contains(machine.registers, " "+to+" ") && to != machine.first:
			case machine.same != nil && machine.same.MatchString(i.operands):
			case i.name == "mov" && kind != "DEVICE_TRAMPOLINE" && machine.replaces.MatchString(i.operands):
			default:
				t.Errorf("%s: %s %s touches %s", name, i.name, i.operands, to)
			}
			for _, r := range registers.FindAllString(i.operands, -1) {
				if !strings.Contains(machine.registers, " "+r+" ") {
					t.Errorf("%s: %s %s uses %s", name, i.name, i.operands, r)
				}
			}
			if strings.HasPrefix(i.name, "call") || strings.HasPrefix(i.name, "push") || strings.HasPrefix(i.name, "pop") {
				t.Errorf("%s: %s", name, i.name)
			}
		}
	}
}

// frames returns a function that reports whether the library has tables for unwinding from a function of a size.
func frames(t *testing.T) func(at, size uint64) bool {
	t.Helper()
	option, line := "--debug-dump=frames", `FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)`
	arm := world.Machine().ELF == elf.EM_ARM
	if arm { // 32-bit ARM has other tables, where an entry is valid up to the next one
		option, line = "--unwind", `(?m)^0x([0-9a-f]+) <.*>: (.*)$`
	}
	text, err := exec.Command("readelf", option, world.Library()).Output()
	if err != nil {
		t.Fatalf("readelf: %v", err)
	}
	ends := map[uint64]uint64{}
	for _, m := range regexp.MustCompile(line).FindAllStringSubmatch(string(text), -1) {
		from, _ := strconv.ParseUint(m[1], 16, 64)
		to, _ := strconv.ParseUint(m[2], 16, 64)
		if arm {
			to = uint64(strings.Count(m[2], "cantunwind")) // 1: a gap
		}
		ends[from] = to
	}
	if !arm {
		return func(at, size uint64) bool { return ends[at] >= at+size }
	}
	starts := slices.Sorted(maps.Keys(ends))
	return func(at, _ uint64) bool {
		i, found := slices.BinarySearch(starts, at&^1) // the lowest bit marks Thumb code
		if !found {
			i--
		}
		return i >= 0 && ends[starts[i]] == 0
	}
}

// Every trampoline, terminator and stub has a type, a size and call-frame information, and the library asks for no executable
// stack.
func TestSymbolsAndFrames(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("the plain build is read")
	}
	file := open(t)
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatalf("the library has no symbol table: %v", err)
	}
	covers := frames(t)
	found := map[string]bool{}
	wanted := kinds(t)
	for _, s := range symbols {
		_, isOurs := wanted[s.Name]
		if !isOurs && !strings.HasPrefix(s.Name, "unknown_physdev_t") && !strings.HasPrefix(s.Name, "unknown_device_t") && !strings.HasPrefix(s.Name, "missing_unknown") {
			continue
		}
		found[s.Name] = true
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 {
			if isOurs {
				t.Errorf("%s: type %v, size %d", s.Name, elf.ST_TYPE(s.Info), s.Size)
			}
			continue
		}
		if !covers(s.Value, s.Size) {
			t.Errorf("%s at %#x, %d bytes: no call-frame information covers it", s.Name, s.Value, s.Size)
		}
	}
	for name := range wanted {
		if !found[name] {
			t.Errorf("%s is not in the library", name)
		}
	}
	for _, program := range file.Progs {
		if program.Type == elf.PT_GNU_STACK && program.Flags&elf.PF_X != 0 {
			t.Error("the library asks for an executable stack")
		}
	}
}

// TestMarkedLibrary checks the mark that all indirect jumps of the library lead to marked instructions, which
// processors may enforce.
func TestMarkedLibrary(t *testing.T) {
	t.Parallel()
	if m := world.Machine().ELF; m != elf.EM_X86_64 && m != elf.EM_386 && m != elf.EM_AARCH64 {
		t.Skip("compilers have no such marks for this machine")
	}
	note := open(t).Section(".note.gnu.property")
	if note == nil {
		t.Fatal("the library has no note of properties")
	}
	data, err := note.Data()
	if err != nil {
		t.Fatal(err)
	}
	kind, want := uint32(0xc0000002), uint32(3) // x86: IBT and SHSTK
	if world.Target() == "arm64" {
		kind, want = 0xc0000000, 1 // BTI
	}
	step := 8
	if world.Narrow() {
		step = 4
	}
	for data = data[16:]; len(data) >= 12; { // behind the header and "GNU"
		is, size := binary.LittleEndian.Uint32(data), int(binary.LittleEndian.Uint32(data[4:]))
		if got := binary.LittleEndian.Uint32(data[8:]); is == kind && got&want == want {
			return
		}
		data = data[min(len(data), 8+(size+step-1)/step*step):]
	}
	t.Errorf("the note has no property %#x with bits %#x", kind, want)
}

// TestUnwindingFromInside unwinds the stack to the caller from every instruction of a trampoline and of a terminator.
func TestUnwindingFromInside(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("a sanitizer's own calls are in the way")
	}
	w := world.New(t)
	w.Driver("one").API("1.1.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	pd := h.OK("physical_devices").Ints("devices")[0]
	h.OK("create_device", "pd", world.Ref(pd))
	h.Do("get_queue")
	h.OK("command_buffers")
	for _, call := range [][]string{
		{"name", "vkCmdDraw", "arg", "c0", "arg", "3", "arg", "1", "arg", "0", "arg", "0"},
		{"name", "vkQueueWaitIdle", "arg", "q"},
		{"name", "vkDeviceWaitIdle", "arg", "d"},
		{"name", "vkGetPhysicalDeviceMemoryProperties", "arg", world.Ref(pd), "arg", "out"},
		{"name", "vkGetPhysicalDeviceFeatures", "arg", world.Ref(pd), "arg", "out"},
	} {
		a := h.Do("step", call...)
		if a.Int("steps") < 5 || a.Int("steps") != a.Int("unwound") {
			t.Errorf("%s: %d instructions in the loader, unwound at %d; not at %s (%#x)", call[1], a.Int("steps"), a.Int("unwound"), a.Text("bad"), a.Int("bad_offset"))
		}
	}
	h.Quit()
	if n := len(w.Log().Fn("vkCmdDraw", "vkQueueWaitIdle", "vkDeviceWaitIdle")); n != 3 {
		t.Errorf("the driver saw %d of 3 calls", n)
	}
}

package doctor

import (
	"fmt"
	"path"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/term"
)

// advice is what to do about a finding, as values; say makes the text, here and nowhere else, and gives the lines for a
// shell that are in it.
type advice interface {
	say() (text string, commands []string)
}

// usual is what the table says to do about a code.
type usual struct{ text string }

func (u usual) say() (string, []string) { return u.text, nil }

// fixed is advice without values of its own.
type fixed uint8

const (
	doNothing fixed = iota
	doNothingWithoutDevice
	doNothingBesideOwn
	doNothingChosen
	seeWhich
	seeWhichName
	clearSettings
	nvidiaWhole
	nvidiaCDI
	nvidiaAgain
	nvidiaOnNixOS
	graphicsOnNixOS
	graphics32OnNixOS
	bothOnGentoo
	nvidia32OnUbuntu
	noneOnAlpine
	limitsOfPod
	passOn
	driverOfHost
	setBySteam
	groupsOfPodman
	byUdev
	intelModule
	nvidiaModuleDebian
	nvidiaModuleMissing
	updateDriver
	stillSearching
	wslWithout
	librariesOnNixOS
	ostreeAgain
	ofSteamOS
	ownOrAgain
)

var fixedWords = [...]struct {
	text     string
	commands []string
}{
	doNothing:              {"Nothing; it does no harm.", nil},
	doNothingWithoutDevice: {"Nothing, as long as this machine has no graphics device.", nil},
	doNothingBesideOwn: {"Nothing: the same is there for these programs. library_arch in the manifest would say so to the " +
		"loader.", nil},
	doNothingChosen: {"Nothing, if this is intended.", nil},
	seeWhich:        {"See which: vkloader env", []string{"vkloader env"}},
	seeWhichName:    {"See which variables name them: vkloader env", []string{"vkloader env"}},
	clearSettings:   {"vkloader settings clear", []string{"vkloader settings clear"}},
	// NVIDIA's driver is one piece, and the container tools carry it over.
	nvidiaWhole: {"Install NVIDIA's driver completely; in a container, start it with --gpus all and " +
		"NVIDIA_DRIVER_CAPABILITIES=all, or make the CDI file again: nvidia-ctk cdi generate", nil},
	nvidiaCDI: {"Make the CDI file again on the host, and see that nvidia_icd.json is in it: nvidia-ctk cdi generate",
		[]string{"nvidia-ctk cdi generate"}},
	nvidiaAgain: {"Start the container again, with the driver's libraries of the host: --gpus all, or nvidia-ctk cdi " +
		"generate first", nil},
	nvidiaOnNixOS:     {`Add services.xserver.videoDrivers = [ "nvidia" ]; to the system's configuration.`, nil},
	graphicsOnNixOS:   {"Add hardware.graphics.enable = true; to the system's configuration.", nil},
	graphics32OnNixOS: {"Add hardware.graphics.enable32Bit = true; to the system's configuration.", nil},
	bothOnGentoo:      {`Build media-libs/mesa, or NVIDIA's driver, for both word sizes: ABI_X86="64 32"`, nil},
	nvidia32OnUbuntu: {"Install libnvidia-gl:i386 of the driver's version: ubuntu-drivers list shows it.",
		[]string{"ubuntu-drivers list"}},
	noneOnAlpine:   {"Nothing: Alpine has no 32-bit libraries beside the 64-bit ones; use a container of another distribution.", nil},
	limitsOfPod:    {"Ask for the device in the pod's resources.limits (nvidia.com/gpu, gpu.intel.com/i915, amd.com/gpu).", nil},
	passOn:         {"Pass /dev/dri on to the container.", nil},
	driverOfHost:   {"Install the driver on the host; Steam's runtime takes it from there.", nil},
	setBySteam:     {"Steam's runtime has set it, from the drivers of the host: fix those, and start Steam again.", nil},
	groupsOfPodman: {"Start the container with: podman run --group-add keep-groups ...", nil},
	byUdev: {"The node belongs to no group that may use it: let udev give it to the group video or render, and you into that " +
		"group. Run as root: udevadm trigger --subsystem-match=drm", []string{"udevadm trigger --subsystem-match=drm"}},
	intelModule: {"Run as root: modprobe i915 (for new devices: modprobe xe)", []string{"modprobe i915"}},
	nvidiaModuleDebian: {"The libraries are there, the kernel's module is not. Run as root: modprobe nvidia; if there is none, build it for " +
		"this kernel: dkms autoinstall", []string{"modprobe nvidia", "dkms autoinstall"}},
	nvidiaModuleMissing: {"The libraries are there, the kernel's module is not. Run as root: modprobe nvidia; if there is none, it was not built " +
		"for this kernel.", []string{"modprobe nvidia"}},
	stillSearching:   {"The search for the culprit has not finished. To wait for it: vkloader doctor", []string{"vkloader doctor"}},
	wslWithout:       {"The driver for WSL is Dozen of Mesa (libvulkan_dzn.so), which this distribution's packages do not have: use a Mesa that has it.", nil},
	librariesOnNixOS: {"On NixOS, a program finds the libraries of its own package: add the library to that, or to programs.nix-ld.libraries.", nil},
	ostreeAgain: {"The file comes with the system's image. Go back to the one before, or update it: rpm-ostree rollback, rpm-ostree upgrade",
		[]string{"rpm-ostree rollback", "rpm-ostree upgrade"}},
	ofSteamOS: {"SteamOS has its drivers in its image: update it, in Steam or with steamos-update. A Flatpak or a container has drivers of its own.",
		[]string{"steamos-update"}},
	ownOrAgain:   {"Nothing, if the program brings it along, or names it by a variable that it sets itself. Otherwise start the program again.", nil},
	updateDriver: {"Update the driver: it may be older than the device. A device may also be too old for Vulkan.", nil},
}

func (f fixed) say() (string, []string) { return fixedWords[f].text, fixedWords[f].commands }

// Lines for a shell, in the place where they have to be run.
type (
	typed  struct{ command string } // by anybody
	asRoot struct{ command string }

	// outside is a line to run outside of the sandbox; partial: a name in it is not known.
	outside struct {
		command string
		partial bool
	}

	// multilib is a line for root that wants a repository of Arch's.
	multilib struct{ command string }

	// askPackage is a line that tells a package's name.
	askPackage struct{ command string }

	// kernelLog is where a driver of the kernel says what is wrong.
	kernelLog struct{ kernel string }

	// joinGroup gives the user the group of a node.
	joinGroup struct{ group, user string }
)

func (t typed) say() (string, []string)  { return t.command, []string{t.command} }
func (r asRoot) say() (string, []string) { return "Run as root: " + r.command, []string{r.command} }

func (o outside) say() (string, []string) {
	if o.partial {
		return "Run outside: " + o.command, nil
	}
	return "Run outside: " + o.command, []string{o.command}
}

func (m multilib) say() (string, []string) {
	return "Run as root, with the repository multilib: " + m.command, []string{m.command}
}

func (a askPackage) say() (string, []string) {
	return "Ask which package has it, and install that: " + a.command, []string{a.command}
}

func (k kernelLog) say() (string, []string) {
	command := "dmesg | grep " + k.kernel
	return "Look for errors of " + k.kernel + ": " + command, []string{command}
}

func (j joinGroup) say() (string, []string) {
	command := "usermod -aG " + term.Quoted(j.group) + " " + term.Quoted(j.user)
	return "Run as root: " + command + "; then log in again", []string{command}
}

// Things to install, update or remove.
type (
	installFile   struct{ file string } // the package that has it
	installAgain  struct{ file, owner string }
	installDriver struct {
		family string
		class  int
	}
	installOrRemove struct{ library, manifest string }
	updateLibrary   struct{ file string }
	newerGlibc      struct{ version string }

	// vendorFile is a file that EGL finds a driver by, with what is in it.
	vendorFile struct{ file, says string }

	// removeLoader is a loader that is in the way; gets: what the program then gets, "": another one.
	removeLoader struct{ file, gets string }
)

func (i installFile) say() (string, []string) {
	return "Install the package that has " + i.file + ".", nil
}

func (i installAgain) say() (string, []string) {
	if i.owner != "" {
		return "Install the package " + i.owner + " again.", nil
	}
	return "Install the package that has " + i.file + " again.", nil
}

func (i installDriver) say() (string, []string) {
	size := ""
	if i.class == 32 {
		size = "32-bit "
	}
	return "Install the package that has the " + size + "Vulkan driver " + i.family + ".", nil
}

func (i installOrRemove) say() (string, []string) {
	return "Install the package that has " + i.library + ", or remove " + i.manifest + ".", nil
}

func (u updateLibrary) say() (string, []string) {
	return "Update " + u.file + ", or install a driver that was built for it.", nil
}

func (n newerGlibc) say() (string, []string) {
	return "Use a system or image with glibc " + n.version + " or newer, or a driver built for this one.", nil
}

func (v vendorFile) say() (string, []string) {
	command := "mkdir -p " + path.Dir(v.file) + " && echo " + term.Quoted(v.says) + " > " + v.file
	return "Have this file in the image, or write it as root: " + command, []string{command}
}

func (r removeLoader) say() (string, []string) {
	if r.gets != "" {
		return "Remove " + r.file + ", so that the program gets " + r.gets + ".", nil
	}
	return "Remove " + r.file + ", or the variable that puts its directory first.", nil
}

// Things to do about a container.
type (
	// startWith are options for a container's tool.
	startWith struct{ tool, options string }

	// imageRuns is a command for the image.
	imageRuns struct{ sandbox, command string }

	// furtherGroup is a group for what runs in a container.
	furtherGroup struct {
		kind  string
		group uint32
	}

	// capabilities are those of NVIDIA's container tools, which are too few.
	capabilities struct {
		pod   bool
		value string
	}

	// moduleOnHost is NVIDIA's module of the kernel.
	moduleOnHost struct{ sandbox string }
)

func (s startWith) say() (string, []string) {
	return "Start the container with: " + s.tool + " run " + s.options + " ...", nil
}

func (i imageRuns) say() (string, []string) {
	return "In the image of " + sandboxWords[i.sandbox] + ": RUN " + i.command, []string{i.command}
}

func (f furtherGroup) say() (string, []string) {
	switch f.kind {
	case "kubernetes":
		return fmt.Sprintf("In the pod's spec.securityContext: supplementalGroups: [%d]", f.group), nil
	case "container":
		return fmt.Sprintf("Start the container with the group %d as a further one.", f.group), nil
	}
	return fmt.Sprintf("Start the container with: docker run --group-add %d ...", f.group), nil
}

func (c capabilities) say() (string, []string) {
	is := "it is " + c.value + ", without graphics"
	if c.value == "" {
		is = "it is not set"
	}
	if c.pod {
		return `In the container's env of the pod: {name: NVIDIA_DRIVER_CAPABILITIES, value: "all"} (` + is + ").", nil
	}
	return "Start the container with -e NVIDIA_DRIVER_CAPABILITIES=all (" + is + ").", nil
}

func (m moduleOnHost) say() (string, []string) {
	return "Load NVIDIA's module of the kernel on the host of " + sandboxWords[m.sandbox] + ".", nil
}

// Variables.
type (
	changeVariable  struct{ name string }
	correctVariable struct{ name string }
)

func (c changeVariable) say() (string, []string)  { return "Change " + c.name + ".", nil }
func (c correctVariable) say() (string, []string) { return "Correct " + c.name + ".", nil }

// rightDirectory is the path that a manifest should give its library; tokened: the same with $LIB.
type rightDirectory struct{ manifest, file, tokened string }

func (r rightDirectory) say() (string, []string) {
	return "Write " + term.Quoted(r.file) + " as library_path into " + term.Quoted(r.manifest) + "; where programs of both word sizes use it, " +
		term.Quoted(r.tokened) + ", in which the dynamic linker puts the directory of each for $LIB.", nil
}

// aim is what a change is good for, where that is not the end of a fault.
type aim uint8

const (
	fixing aim = iota
	forTime
	forSpace // and for time
	forPower
	forDevice
	otherName
	forUnasked
	byHand // it ends the fault, and is for nobody but the user to do
)

// tried is a change that was tried and ended the finding, in the words of the place where it has to be made.
type tried struct {
	explain.Change
	aim    aim
	kind   string // the sandbox in which the program runs, where that has words of its own
	detail string // of it
	at     Line   // where the variable is set that has to go; of no file: not known
}

func (t tried) say() (string, []string) {
	text, commands := t.words()
	if before := t.before(); before != "" {
		if inContainer(t.kind) { // a sentence, and not a line for a shell
			text = before + ", " + strings.ToLower(text[:1]) + text[1:]
		} else {
			text = before + ": " + text
		}
	}
	if t.at.File != "" {
		text += "; it is set in " + t.at.String()
	}
	return text, commands
}

// before is what the change is good for.
func (t tried) before() string {
	switch t.aim {
	case forTime:
		return "To start faster"
	case forSpace:
		return "To save address space and start faster"
	case forPower:
		return "For a program that does not need the device"
	case forDevice:
		return "Nothing, if this is intended. For a program that wants the device"
	case forUnasked:
		return "Enable VK_KHR_portability_enumeration and its instance flag in the program. For programs that you cannot change, at the risk that " +
			"they use what the driver lacks"
	case otherName:
		return "Write " + t.Variable + " instead"
	}
	return ""
}

func (t tried) words() (string, []string) {
	if t.File == "" && t.And != nil && inContainer(t.kind) {
		return t.atStart()
	}
	if t.File == "" && t.And == nil {
		switch {
		case t.kind == "steam" && t.Set:
			return "In the game's launch options in Steam: " + t.Assignment() + " %command%", nil
		case t.kind == "steam":
			return "In the game's launch options in Steam: env -u " + t.Variable + " %command%", nil
		case t.kind == "flatpak" && t.Set:
			return outside{"flatpak override --user --env=" + t.Assignment() + " " + term.Or(t.detail, "APPLICATION"), t.detail == ""}.say()
		case t.kind == "flatpak":
			return outside{"flatpak override --user --unset-env=" + t.Variable + " " + term.Or(t.detail, "APPLICATION"), t.detail == ""}.say()
		case t.kind == "kubernetes" && t.Set:
			return "In the container's env of the pod: {name: " + t.Variable + ", value: " + yamlText(t.Value) + "}", nil
		case t.kind != "" && t.Set:
			return startWith{t.kind, "-e " + t.Assignment()}.say()
		case t.kind != "":
			return without{t.kind, t.Variable}.say()
		}
	}
	return t.Line(), t.Lines()
}

// atStart are several variables as the container has to be started.
func (t tried) atStart() (string, []string) {
	var set, unset, pod []string
	for c := &t.Change; c != nil; c = c.And {
		switch {
		case c.Set:
			set, pod = append(set, "-e "+c.Assignment()), append(pod, "{name: "+c.Variable+", value: "+yamlText(c.Value)+"}")
		case t.kind == "podman":
			set = append(set, "--unsetenv="+c.Variable)
		default:
			unset = append(unset, "-u "+c.Variable)
		}
	}
	if t.kind == "kubernetes" {
		text := "In the container's env of the pod: " + strings.Join(pod, ", ")
		if len(unset) > 0 {
			text += "; without " + strings.ReplaceAll(strings.Join(unset, ", "), "-u ", "")
		}
		return text, nil
	}
	options := strings.Join(set, " ") + " ..."
	if len(unset) > 0 {
		options += " env " + strings.Join(unset, " ") + " PROGRAM"
	}
	return "Start the container with: " + t.kind + " run " + options, nil
}

// yamlText is a text of YAML in double quotes, as JSON has them.
func yamlText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// entryOf is what the table of the decision's codes says to do.
func entryOf(code diag.Code) advice { return usual{code.Entry().Do} }

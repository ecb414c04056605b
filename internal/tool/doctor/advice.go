package doctor

import (
	"fmt"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
	"vkloader/internal/tool/term"
)

// advice is what to do about a finding; say gives the text, and the lines for a shell that are in it.
type advice interface {
	say() (text string, commands []string)
}

// told is advice whose words are known when it is found.
type told struct {
	text     string
	commands []string
	root     bool   // they take root
	left     string // why "doctor --fix" leaves them to the user; "": for no reason of theirs
}

func (t told) say() (string, []string) { return t.text, t.commands }

// advised is advice to anybody.
func advised(text string, commands ...string) told { return told{text: text, commands: commands} }

// Advice without values of its own.
var (
	doNothing              = advised("Nothing; it does no harm.")
	doNothingWithoutDevice = advised("Nothing, as long as this machine has no graphics device.")
	doNothingBesideOwn     = advised("Nothing: these programs have one for their word size. library_arch in the manifest would tell the " +
		"loader.")
	doNothingChosen = advised("Nothing, if this is intended.")
	seeWhich        = advised("See which: vkloader env", "vkloader env")
	seeWhichName    = advised("See which variables name them: vkloader env", "vkloader env")
	clearSettings   = advised("vkloader settings clear", "vkloader settings clear")
	// NVIDIA's driver is one piece, and the container tools carry it over.
	nvidiaWhole = advised("Install NVIDIA's driver completely; in a container, start it with --gpus all and " +
		"NVIDIA_DRIVER_CAPABILITIES=all, or make the CDI file again: nvidia-ctk cdi generate")
	nvidiaCDI   = advised("Make the CDI file again on the host, and see that nvidia_icd.json is in it: nvidia-ctk cdi generate", "nvidia-ctk cdi generate")
	nvidiaAgain = advised("Start the container again, with the host's driver libraries: --gpus all, or nvidia-ctk cdi " +
		"generate first")
	nvidiaOnNixOS     = advised(`Add services.xserver.videoDrivers = [ "nvidia" ]; to the system's configuration.`)
	graphicsOnNixOS   = advised("Add hardware.graphics.enable = true; to the system's configuration.")
	graphics32OnNixOS = advised("Add hardware.graphics.enable32Bit = true; to the system's configuration.")
	bothOnGentoo      = advised(`Build media-libs/mesa, or NVIDIA's driver, for both word sizes: ABI_X86="64 32"`)
	nvidia32OnUbuntu  = advised("Install libnvidia-gl:i386 of the driver's version: ubuntu-drivers list shows it.", "ubuntu-drivers list")
	noneOnAlpine      = advised("Use a container of another distribution: Alpine has no 32-bit libraries.")
	limitsOfPod       = advised("Ask for the device in the pod's resources.limits (nvidia.com/gpu, gpu.intel.com/i915, amd.com/gpu).")
	passOn            = advised("Pass /dev/dri on to the container.")
	driverOfHost      = advised("Install the driver on the host; Steam's runtime takes it from there.")
	setBySteam        = advised("Steam's runtime has set it, from the drivers of the host: fix those, and start Steam again.")
	groupsOfPodman    = advised("Start the container with: podman run --group-add keep-groups ...")
	byUdev            = advised("The node belongs to no group that may use it: let udev give it to the group video or render, and you into that "+
		"group. Run as root: udevadm trigger --subsystem-match=drm", "udevadm trigger --subsystem-match=drm")
	intelModule        = advised("Run as root: modprobe i915 (for new devices: modprobe xe)", "modprobe i915")
	nvidiaModuleDebian = advised("The libraries are there, the kernel's module is not. Run as root: modprobe nvidia; if there is none, build it for "+
		"this kernel: dkms autoinstall", "modprobe nvidia", "dkms autoinstall")
	nvidiaModuleMissing = advised("The libraries are there, the kernel's module is not. Run as root: modprobe nvidia; if there is none, it was not built "+
		"for this kernel.", "modprobe nvidia")
	stillSearching   = advised("The search for the culprit has not finished. To wait for it: vkloader doctor", "vkloader doctor")
	wslWithout       = advised("The driver for WSL is Dozen of Mesa (libvulkan_dzn.so), which this distribution's packages do not have: use a Mesa that has it.")
	librariesOnNixOS = advised("On NixOS, a program finds the libraries of its own package: add the library to that, or to programs.nix-ld.libraries.")
	ostreeAgain      = advised("The file comes with the system's image. Go back to the one before, or update it: rpm-ostree rollback, rpm-ostree upgrade", "rpm-ostree rollback", "rpm-ostree upgrade")
	ofSteamOS        = advised("SteamOS has its drivers in its image: update it, in Steam or with steamos-update. A Flatpak or a container has its own drivers.", "steamos-update")
	ownOrAgain       = advised("Nothing, if the program brings it along, or names it by a variable that it sets itself. Otherwise start the program again.")
	updateDriver     = advised("Update the driver: it may be older than the device. A device may also be too old for Vulkan.")
)

// typed is a line for a shell, after words about it.
func typed(before, command string) told { return advised(before+command, command) }

func asRoot(command string) told {
	return told{text: "Run as root: " + command, commands: []string{command}, root: true}
}

// outside is a line to run outside of the sandbox; partial: a name in it is not known.
func outside(command string, partial bool) told {
	if partial {
		return advised("Run outside: " + command)
	}
	return typed("Run outside: ", command)
}

// multilib is a line for root that wants a repository of Arch's.
func multilib(command string) advice {
	return told{text: "Run as root, with the repository multilib: " + command, commands: []string{command}, root: true}
}

// installDriver is the package that has a driver; size: "32-bit ", or "".
func installDriver(family, size string) advice {
	return advised("Install the package that has the " + size + "Vulkan driver " + family + ".")
}

// removeLoader is a loader that is in the way; gets: what the program then gets, "": another one.
func removeLoader(file, gets string) advice {
	if gets != "" {
		return advised("Remove " + file + ", so that the program gets " + gets + ".")
	}
	return advised("Remove " + file + ", or the variable that puts its directory first.")
}

// startWith are options for a container's tool.
func startWith(tool, options string) told {
	return advised("Start the container with: " + tool + " run " + options + " ...")
}

// furtherGroup is a group for what runs in a container.
func furtherGroup(kind string, group uint32) advice {
	switch kind {
	case "kubernetes":
		return advised(fmt.Sprintf("In the pod's spec.securityContext: supplementalGroups: [%d]", group))
	case "container":
		return advised(fmt.Sprintf("Start the container with the additional group %d.", group))
	}
	return startWith("docker", fmt.Sprintf("--group-add %d", group))
}

// capabilities are those of NVIDIA's container tools, which are too few.
func capabilities(pod bool, value string) advice {
	is := "it is " + value + ", without graphics"
	if value == "" {
		is = "it is not set"
	}
	if pod {
		return advised(`In the container's env of the pod: {name: NVIDIA_DRIVER_CAPABILITIES, value: "all"} (` + is + ").")
	}
	return advised("Start the container with -e NVIDIA_DRIVER_CAPABILITIES=all (" + is + ").")
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
		return "Nothing, if this is intended. For a program that needs the device"
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
			return outside("flatpak override --user --env="+t.Assignment()+" "+term.Or(t.detail, "APPLICATION"), t.detail == "").say()
		case t.kind == "flatpak":
			return outside("flatpak override --user --unset-env="+t.Variable+" "+term.Or(t.detail, "APPLICATION"), t.detail == "").say()
		case t.kind == "kubernetes" && t.Set:
			return "In the container's env of the pod: {name: " + t.Variable + ", value: " + yamlText(t.Value) + "}", nil
		case t.kind != "" && t.Set:
			return startWith(t.kind, "-e "+t.Assignment()).say()
		case t.kind != "":
			return without(t.kind, t.Variable).say()
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
func entryOf(code diag.Code) advice { return advised(code.Entry().Do) }

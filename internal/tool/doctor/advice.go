package doctor

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// advice is the fix for a finding. say returns its text and the shell lines within it.
type advice interface {
	say() (text string, commands []string)
}

// told is advice whose text is fixed when the finding is made.
type told struct {
	text     string
	commands []string
	root     bool // the shell lines must run as root
	because  obstacle
	effect   effect // nil: unknown, or none
	left     string // why "doctor --fix" leaves the lines to the user; "": no specific reason
}

func (t told) say() (string, []string) { return t.text, t.commands }

// advised returns advice that needs no root rights.
func advised(text string, commands ...string) told { return told{text: text, commands: commands} }

// Advice without values.
var (
	doNothing              = advised("Nothing; it does no harm.")
	doNothingWithoutDevice = advised("Nothing, as long as this machine has no graphics device.")
	doNothingBesideOwn     = advised("Nothing: programs have a driver or layer for their word size. With library_arch in the manifest, the loader would " +
		"skip this one without a message.")
	doNothingChosen = advised("Nothing, if this is intended.")
	seeWhich        = advised("See which: vkloader list variables --set", "vkloader list variables --set")
	seeWhichName    = advised("See which variables name them: vkloader list variables --set", "vkloader list variables --set")
	clearSettings   = advised("vkloader settings clear", "vkloader settings clear")
	nvidiaWhole     = advised("Install NVIDIA's driver completely: all of its packages, of one version.").untried(ofPackage)
	nvidiaOnMusl    = advised("NVIDIA's driver is built for glibc, and this system has musl: use an image of another distribution, or Alpine's own drivers.").untried(outsideOnly)
	glibcOnMusl     = advised("The library is built for glibc, and this system has musl: install the system's own build, or use an image with glibc.").untried(ofPackage)
	nvidiaInToolbox = advised("Current releases of toolbox add the host's NVIDIA driver to their containers. Update toolbox on the host, and enter the container again.").untried(outsideOnly)
	nvidiaAgain     = advised("Start the container again, with the host's driver libraries: --gpus all, or nvidia-ctk cdi " +
		"generate --output=/etc/cdi/nvidia.yaml first").untried(outsideOnly)
	bothOnGentoo     = advised(`Build media-libs/mesa, or NVIDIA's driver, for both word sizes: ABI_X86="64 32"`)
	nvidia32OnUbuntu = advised("Install libnvidia-gl:i386 of the driver's version: ubuntu-drivers list shows it.", "ubuntu-drivers list")
	noneOnAlpine     = advised("Use a container of another distribution: Alpine has no 32-bit libraries.")
	limitsOfPod      = advised("Ask for the device in the pod's resources.limits (nvidia.com/gpu, gpu.intel.com/i915, amd.com/gpu).")
	passOn           = advised("Pass /dev/dri to the container.")
	driverOfHost     = advised("Install the driver on the host: Steam's runtime uses the host's drivers.")
	setBySteam       = advised("Steam's runtime sets the variable from the drivers of the host. Fix the host's drivers, and start Steam again.")
	groupsOfPodman   = advised("Start the container with: podman run --group-add keep-groups ...").untried(outsideOnly)
	byUdev           = advised("The group of the node may not open the node. Let udev set the group, usually render, then join that group. "+
		"Run as root: udevadm trigger --subsystem-match=drm", "udevadm trigger --subsystem-match=drm").untried(ofKernel)
	intelModule        = advised("Run as root: modprobe i915 (for new devices: modprobe xe)", "modprobe i915").untried(ofKernel)
	nvidiaModuleDebian = advised("The libraries are installed, but the kernel module is not loaded. Run as root: modprobe nvidia; if there is no module, build "+
		"it for this kernel: dkms autoinstall", "modprobe nvidia", "dkms autoinstall").untried(ofKernel)
	nvidiaModuleMissing = advised("The libraries are installed, but the kernel module is not loaded. Run as root: modprobe nvidia; if there is no module, build "+
		"or install it for this kernel.", "modprobe nvidia").untried(ofKernel)
	stillSearching     = advised("The search for the culprit has not finished. To wait for it: vkloader doctor", "vkloader doctor")
	readableSettings   = advised("Let this user read the file, or name another file.")
	wslWithout         = advised("The driver for WSL is Mesa's Dozen (libvulkan_dzn.so). This distribution's packages do not contain Dozen: use a build of Mesa with Dozen.")
	librariesOnNixOS   = advised("On NixOS, a program finds only the libraries of its own package. Add the library to that package, or to programs.nix-ld.libraries.")
	ostreeAgain        = advised("The file comes with the system's image. Return to the previous image, or update the system: rpm-ostree rollback, rpm-ostree upgrade", "rpm-ostree rollback", "rpm-ostree upgrade").untried(restarted)
	ofSteamOS          = advised("The image of SteamOS contains the drivers: update SteamOS in Steam or with steamos-update. A Flatpak or a container has its own drivers.", "steamos-update").untried(restarted)
	validationOnNixOS  = advised("Add vulkan-validation-layers to the packages of the program's environment, and its directory share/vulkan/explicit_layer.d to VK_ADD_LAYER_PATH.").untried(ofPackage)
	layersOnSteamOS    = advised("The image of SteamOS does not contain the layer, and an update removes added files. Run the program in a container with the layer, for example with distrobox.").untried(outsideOnly)
	validationAnywhere = advised("Install the package of Vulkan's validation layers, usually vulkan-validation-layers.").untried(ofUsual)
	layersInSandbox    = advised("The sandbox does not contain the layer, and packages cannot be installed in it. Run the program outside of the sandbox.").untried(outsideOnly)
	layersOfKit        = advised("No package of this system is known to contain the layer. The Vulkan SDK contains it: vulkan.lunarg.com.").untried(ofPackage)
	subsystemUpdate    = advised("The Windows Subsystem for Linux has this library in /usr/lib/wsl/lib. Run in Windows: wsl --update").untried(outsideOnly)
	ownOrAgain         = advised("Nothing, if the program brings the file with it, or sets a variable that names the file. Otherwise start the program again.")
	updateDriver       = advised("Update the driver: it may be older than the device. A device may also be too old for Vulkan.").untried(ofPackage)
)

// typed returns advice that introduces a shell line with words.
func typed(before, command string) told { return advised(before+command, command) }

func asRoot(command string) told {
	return told{text: "Run as root: " + command, commands: []string{command}, root: true}
}

// ofNixOS returns advice to add a line to the system's configuration.
func ofNixOS(line string) told {
	const command = "nixos-rebuild switch"
	return told{text: "Add " + line + " to the system's configuration. Then run as root: " + command, commands: []string{command}, root: true}.untried(ofPackage)
}

// installing returns advice to run a line of a package manager as root.
func installing(command string) told { return asRoot(command).untried(ofPackage) }

// outside returns advice to run a line outside the sandbox. partial means that the line has a placeholder for a name.
func outside(command string, partial bool) told {
	return term.Either(partial, advised("Run outside: "+command).untried(outsideOnly), typed("Run outside: ", command).untried(outsideOnly))
}

// multilib returns advice to run a line as root that needs Arch's multilib repository.
func multilib(command string) advice {
	return told{text: "Run as root, with the repository multilib: " + command, commands: []string{command}, root: true, because: ofPackage}
}

// installDriver returns advice to install the package with a family's driver. size is "32-bit " or "".
func installDriver(family, size string) advice {
	return advised("Install the package that has the " + size + "Vulkan driver " + family + ".").untried(ofPackage)
}

// removeLoader returns advice to remove a loader that hides another one. gets is the loader that the program then gets; "":
// unknown.
func removeLoader(file, gets string) advice {
	if gets != "" {
		return advised("Remove " + file + ": the program then gets " + gets + ".")
	}
	return advised("Remove " + file + ", or the variable that names its directory.")
}

// startWith returns advice to start the container with options for its tool.
func startWith(tool, options string) told {
	return advised("Start the container with: " + tool + " run " + options + " ...").untried(outsideOnly)
}

// furtherGroup returns advice to give the container's processes another group.
func furtherGroup(kind string, group uint32) advice {
	switch kind {
	case "kubernetes":
		return advised(fmt.Sprintf("In the pod's spec.securityContext: supplementalGroups: [%d]", group)).giving(group)
	case "container":
		return advised(fmt.Sprintf("Start the container with the additional group %d.", group)).giving(group)
	}
	return startWith(kind, fmt.Sprintf("--group-add %d", group)).giving(group)
}

// newerRuntime returns advice about a Flatpak runtime whose Mesa lacks a driver or knowledge of a device. version is the runtime's;
// "": unknown.
func newerRuntime(version string) advice {
	than := term.Enclosed(" than ", version, "")
	return told{text: "The drivers are those of the Flatpak runtime. Run outside: flatpak update. If its Mesa stays too old, the program needs a newer runtime" +
		than + ".", commands: []string{"flatpak update"}}.untried(outsideOnly)
}

// ofHostUser returns advice for a container that shares the user with the host, such as one of toolbox or distrobox.
func ofHostUser(node, user string) told {
	command := "usermod -aG render " + term.Quoted(user)
	return told{text: "On the host, join the group of " + node + ", usually render. Run there as root: " + command + "; then log in again",
		commands: []string{command}, root: true}.untried(outsideOnly)
}

// capabilities returns advice to extend NVIDIA_DRIVER_CAPABILITIES, whose value lacks graphics.
func capabilities(pod bool, value string) advice {
	is := term.Either(value == "", "it is not set", "it is "+value+", without graphics")
	if pod {
		return advised(`In the container's env of the pod: {name: NVIDIA_DRIVER_CAPABILITIES, value: "all"} (` + is + ").").untried(outsideOnly)
	}
	return advised("Start the container with -e NVIDIA_DRIVER_CAPABILITIES=all (" + is + ").").untried(outsideOnly)
}

// aim is the purpose of a change.
type aim uint8

const (
	fixing aim = iota
	forTime
	forSpace // and time
	forPower
	forDevice
	otherName
	forUnasked
	choosing // the user has the choice of several changes
	byHand   // it fixes the fault, and only the user may make the change
)

// tried is a change that was tried and removes the finding, worded for the place where the user makes it.
type tried struct {
	explain.Change
	aim    aim
	kind   string   // the sandbox of the program, when it changes the wording
	detail string   // the sandbox's detail, such as the Flatpak's name
	at     FileLine // the line that sets the variable now; without a file: unknown
	unit   unit     // of a service; the zero value: none
	sets   string   // the program that sets the variable for the programs that it starts; "": none
	ofHost bool     // it changes a file in the home directory of the host, whose programs read the file, too
	choice []offer  // this change and others, each of which removes the finding; nil: there is no choice
}

func (t tried) say() (string, []string) {
	text, commands := t.words()
	if len(t.choice) > 0 {
		text, commands = t.choices()
	}
	if before := t.before(); before != "" {
		if inContainer(t.kind) { // a sentence instead of a shell line
			text = before + ", " + strings.ToLower(text[:1]) + text[1:]
		} else {
			text = before + ": " + text
		}
	}
	if t.sets != "" && t.File == "" && t.And == nil && len(t.choice) == 0 {
		text, commands = t.inStarter(), nil
	}
	if t.at.File != "" && t.at != t.unit.files[t.Variable] {
		text += "; it is set in " + t.at.String()
	}
	if t.ofHost {
		text += "; the host's programs read this file, too"
	}
	return text, commands
}

// inStarter returns the change in the settings of the program that starts the examined one.
func (t tried) inStarter() string {
	if t.Set {
		return "In " + t.sets + ", let the variables of the program have " + t.Assignment()
	}
	return "In " + t.sets + ", remove " + t.Variable + " from the variables of the program"
}

// choices returns each change with its result, and the shell lines of all.
func (t tried) choices() (string, []string) {
	var texts, commands []string
	for _, o := range t.choice {
		one := t
		one.Change = o.Change
		text, lines := one.words()
		texts, commands = append(texts, text+" for "+o.result), append(commands, lines...)
	}
	return strings.Join(texts, "; "), commands
}

// before returns the words that introduce the change: its purpose.
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
	if t.ofVariables() && t.And != nil && (t.kind == "flatpak" || t.kind == "steam") {
		return t.together()
	}
	if t.kind == "service" && t.File == "" {
		before, line := t.unit.setting(t.Change)
		return before + line, []string{line}
	}
	if t.kind == "" && t.ofProgram() {
		return t.Starting("PROGRAM"), nil
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

// undecided reports whether only the user knows which programs want the change, or which change of several.
func (t tried) undecided() bool { return t.ofProgram() || len(t.choice) > 0 }

// ofProgram reports whether the change is right for some programs and wrong for others. The user then makes it for one program.
func (t tried) ofProgram() bool { return t.File == "" && (t.aim == forPower || t.aim == forDevice) }

// ofVariables reports whether the change and those joined with it change variables only.
func (t tried) ofVariables() bool {
	for c := &t.Change; c != nil; c = c.And {
		if c.File != "" {
			return false
		}
	}
	return true
}

// together returns one line that changes several variables of a Flatpak program or of a game in Steam.
func (t tried) together() (string, []string) {
	var set, unset, options string
	for c := &t.Change; c != nil; c = c.And {
		if c.Set {
			set, options = set+c.Assignment()+" ", options+" --env="+c.Assignment()
		} else {
			unset, options = unset+"-u "+c.Variable+" ", options+" --unset-env="+c.Variable
		}
	}
	if t.kind == "flatpak" {
		return outside("flatpak override --user"+options+" "+term.Or(t.detail, "APPLICATION"), t.detail == "").say()
	}
	if unset != "" {
		set = "env " + unset + set
	}
	return "In the game's launch options in Steam: " + set + "%command%", nil
}

// atStart returns the options that start the container with several changed variables.
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
	options += term.Enclosed(" env ", strings.Join(unset, " "), " PROGRAM")
	return "Start the container with: " + t.kind + " run " + options, nil
}

// yamlText returns text as a double-quoted YAML string, with the escapes of JSON.
func yamlText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// entryOf returns the advice from the table of the decision's codes.
func entryOf(code diag.Code) advice { return advised(code.Entry().Do) }

// obstacle is the reason why a fix cannot be tried on a copy of the facts.
type obstacle uint8

const (
	triable     obstacle = iota
	ofPackage            // a package's contents
	ofUsual              // likewise, and no list of packages confirms the name
	ofKernel             // the kernel's answer
	outsideOnly          // another host, or the program's next start in its sandbox
	restarted            // a restart of the machine
	ofRelease            // the behaviour of another release of the program
	ofWriter             // the contents of a file that another program writes
	whileClosed          // the contents of a file that the user may not read
)

var obstacles = [...]string{ofPackage: "the package's contents are unknown until it is installed", ofKernel: "only the kernel can show the result",
	ofUsual:     "it is the package's usual name; the package's contents are unknown until it is installed",
	ofWriter:    "only the program that writes the file can show the result",
	outsideOnly: "it takes effect outside, at the next start", restarted: "it needs a restart of the machine", ofRelease: "the other release of the program is unknown until it runs", whileClosed: "the contents of the unreadable place are unknown"}

// effect is the effect of advice on the facts.
type effect interface {
	on(source *machine.Source, options *Options) (*machine.Source, Options, bool) // false: it cannot be tried here
	name() string
}

// untried returns the advice with the reason why it cannot be tried.
func (t told) untried(why obstacle) told {
	t.because = why
	return t
}

// giving returns the advice with its effect: another group of the user.
func (t told) giving(group uint32) told {
	t.because, t.effect = triable, membership(group)
	return t
}

// finding returns the advice with its effect: the dynamic linker searches a directory.
func (t told) finding(directory string) told {
	t.because, t.effect = triable, searchedBy(directory)
	return t
}

// membership is another group of the user.
type membership uint32

func (m membership) name() string { return "group " + strconv.Itoa(int(m)) }

func (m membership) on(source *machine.Source, options *Options) (*machine.Source, Options, bool) {
	with := *options
	u, err := (host{&source.Machine}).findUser(options.User, options.Groups)
	if err != nil {
		return nil, with, false
	}
	if u.current {
		u.id = uint32(os.Getuid())
		groups, err := os.Getgroups()
		if err != nil {
			return nil, with, false
		}
		u.groups = term.Words(append(groups, os.Getgid()), func(g int) uint32 { return uint32(g) })
	}
	with.User, with.Groups = strconv.Itoa(int(u.id)), append(slices.Clone(u.groups), uint32(m))
	return source, with, true
}

// reaching returns the advice with its effect: another group of a service's user.
func (t told) reaching(id, group uint32) told {
	t.because, t.effect = triable, joined{id, group}
	return t
}

func (j joined) name() string { return fmt.Sprintf("group %d of user %d", j.group, j.user) }

func (j joined) on(source *machine.Source, options *Options) (*machine.Source, Options, bool) {
	with := *options
	with.joined = append(slices.Clone(with.joined), j)
	return source, with, true
}

// searchedBy is a directory that the dynamic linker searches after ldconfig.
type searchedBy string

func (s searchedBy) name() string { return "search " + string(s) }

func (s searchedBy) on(source *machine.Source, options *Options) (*machine.Source, Options, bool) {
	with := *options
	with.share = nil
	const path = "LD_LIBRARY_PATH"
	value, _ := source.Lookup(path)
	if value != "" {
		value += ":"
	}
	return explain.SetVariable(path, value+string(s)).On(source), with, !source.Elevated
}

// preloaded is the value of LD_PRELOAD at the program's start.
type preloaded string

func (p preloaded) name() string { return "preload " + string(p) }

func (p preloaded) on(source *machine.Source, options *Options) (*machine.Source, Options, bool) {
	return explain.SetVariable("LD_PRELOAD", string(p)).On(source), *options, !source.Elevated
}

// changeEffect is a change of a variable or a file.
type changeEffect struct{ explain.Change }

func (c changeEffect) name() string { return c.Line() }

func (c changeEffect) on(source *machine.Source, options *Options) (*machine.Source, Options, bool) {
	with := *options
	if c.File != "" { // the shared linker may have read the file
		with.share = nil
	}
	return c.On(source), with, c.Possible() && c.Obeyed(source)
}

// obstacleOf returns the reason why advice was not tried, in words; "" if it was, or is no fix.
func obstacleOf(do advice) string {
	if t, is := do.(told); is {
		return obstacles[t.because]
	}
	return ""
}

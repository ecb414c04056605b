package doctor

import (
	"strings"

	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/term"
)

// replacementAdvice returns advice for a library of NVIDIA's driver whose version is not that of the kernel's module.
func (d *distribution) replacementAdvice(owner string) *Remedy {
	owner, _, _ = strings.Cut(owner, ":")
	return d.by(term.Either(isFileName(owner), "nvidia-own", "nvidia-replaced"), with("p", owner))
}

// nvidiaNodes returns advice about a node of NVIDIA's driver that not everybody may open. The driver itself makes its nodes with the mode
// 0666; options of its module change the mode.
func (e *exam) nvidiaNodes(node string) *Remedy {
	command := "chmod 666 " + shell.Quoted(node)
	for _, name := range e.machine.Names("/dev") {
		if number, is := strings.CutPrefix(name, "nvidia"); is && node != nvidiaModeset && "/dev/"+name != node &&
			number != "" && strings.Trim(number, "0123456789") == "" {
			command += " " + shell.Quoted("/dev/"+name)
		}
	}
	do := asRoot(command).withObstacle(ofKernel)
	do.text = "The usual mode of the node is 666; the options NVreg_DeviceFile... in /etc/modprobe.d may set another one. Until the next start: " +
		strings.ToLower(do.text[:1]) + do.text[1:]
	return do
}

// nvidiaModeset is the node with which NVIDIA's driver shows images in windows. Without it, programs that only compute work.
const nvidiaModeset = "/dev/nvidia-modeset"

// windowless adds a finding for a device of NVIDIA with a display, if the user may not open the node for windows, or a container lacks it.
// Sources: NVIDIA/libnvidia-container pull request 388 and PierreBeucher/cloudypad issue 381.
func (e *exam) windowless(g *GPU) {
	if g.Kernel != "nvidia" || len(g.Drivers) == 0 || e.variable("DISPLAY")+e.variable("WAYLAND_DISPLAY") == "" {
		return
	}
	const consequence = ", so programs show no window on the device"
	switch {
	case !e.machine.Exists(nvidiaModeset) && e.containerKind() != "":
		do := e.system.by("node-for-windows", with("node", nvidiaModeset))
		e.add(GPUNoNode, g.Title(), nvidiaModeset, sentence(nvidiaModeset+" does not exist"+consequence), do, something)
	case e.machine.Exists(nvidiaModeset) && !e.user.may(e.host, nvidiaModeset):
		e.add(GPUPermission, g.Title(), nvidiaModeset, textf(forbidden+consequence, e.user.name, nvidiaModeset), e.nvidiaNodes(nvidiaModeset), little)
	}
}

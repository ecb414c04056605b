package cdi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/wording"
)

// Container returns the root of a container that the runtime is creating. state is the hook's input, which names the
// directory of the container's configuration.
func Container(state io.Reader) (string, error) {
	var says struct {
		Bundle string `json:"bundle"`
	}
	var read bytes.Buffer // read up to the end of the JSON: a runtime may keep the input open
	err := json.NewDecoder(io.TeeReader(io.LimitReader(state, maxSpec), &read)).Decode(&says)
	if err = wording.Malformed(read.Bytes(), err); err != nil {
		return "", fmt.Errorf("the container's state: %w", err)
	}
	if !path.IsAbs(says.Bundle) {
		return "", errors.New("the container's state names no bundle")
	}
	text, err := (&machine.Machine{}).ReadFile(says.Bundle + "/config.json")
	if err != nil {
		return "", err
	}
	var config struct {
		Root struct {
			Path string `json:"path"`
		} `json:"root"`
	}
	if err := wording.Malformed(text, json.Unmarshal(text, &config)); err != nil {
		return "", fmt.Errorf("the container's configuration: %w", err)
	}
	switch root := config.Root.Path; {
	case root == "" || path.Clean(root) == "/":
		return "", errors.New("the container has no root of its own")
	case path.IsAbs(root):
		return root, nil
	default:
		return path.Join(says.Bundle, root), nil
	}
}

// profilePlace is the file in which NVIDIA's EGL reads an administrator's settings for programs.
const profilePlace = "/etc/nvidia/nvidia-application-profiles-rc.d/10-vkloader.conf"

// profile restricts NVIDIA's EGL to the container's cards. By default EGL lists all cards that the kernel module knows,
// and fails on a card without a node.
func (a *Arrangement) profile(nodes []string) {
	visible := uint64(0)
	for _, node := range nodes {
		if number, is := strings.CutPrefix(node, "/dev/nvidia"); is {
			if minor, err := strconv.ParseUint(number, 10, 8); err == nil && minor < 64 {
				visible |= 1 << minor
			}
		}
	}
	if visible == 0 {
		return
	}
	text := fmt.Sprintf(`{"profiles": [{"name": "_vkloader_", "settings": ["EGLVisibleDGPUDevices", 0x%x]}], `+
		`"rules": [{"pattern": [], "profile": "_vkloader_"}]}`+"\n", visible)
	a.put(profilePlace, FileToWrite{Text: []byte(text)})
}

// NodesOf returns the device nodes in a container.
func NodesOf(m *machine.Machine) (nodes []string) {
	for _, name := range m.Names("/dev") {
		if strings.HasPrefix(name, "nvidia") || name == "dxg" || name == "kfd" {
			nodes = append(nodes, "/dev/"+name)
		}
	}
	for _, name := range m.Names("/dev/dri") {
		if name != byPath {
			nodes = append(nodes, "/dev/dri/"+name)
		}
	}
	return nodes
}

// byPath is the directory of links to nodes, named by the bus addresses of their devices.
const byPath = "by-path"

// places adds links in by-path for the nodes of a container, as the host has them.
func (a *Arrangement) places(m, host *machine.Machine, nodes []string) {
	const directory = "/dev/dri/" + byPath
	for _, name := range host.Names(directory) {
		target, err := host.Readlink(directory + "/" + name)
		if err == nil && slices.Contains(nodes, "/dev/dri/"+path.Base(target)) && !m.Exists(directory+"/"+name) {
			a.Nodes = append(a.Nodes, FileToWrite{Path: directory + "/" + name, Target: "../" + path.Base(target)})
		}
	}
}

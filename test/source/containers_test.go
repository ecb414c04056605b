package source

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Every command of docs/containers.md is run by tools/test-containers.sh or by test/tool/commands (wait), or is for a program that is not there and is
// judged here: as a shell, Kubernetes' tools and this tool's own list of commands read it.
func TestContainersPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/containers.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../../tools/test-containers.sh")
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, m := range regexp.MustCompile("(?ms)^```(\\S[^\n]*)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		kind, body := m[1], m[2]
		switch name, isShell := strings.CutPrefix(kind, "sh test="); {
		case strings.HasPrefix(kind, "yaml "):
			manifest(t, strings.TrimPrefix(kind, "yaml "), body)
		case !isShell:
			t.Errorf("a block %q is neither run nor judged:\n%s", kind, body)
		default:
			if out, err := exec.Command("sh", "-n", "-c", body).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			first, _, _ := strings.Cut(body, " ")
			if name == "no" && !slices.Contains([]string{"docker", "kubectl", "systemctl"}, first) {
				t.Errorf("nobody runs:\n%s", body)
			}
			if name != "no" && !regexp.MustCompile(`(try|try_as_user|block) `+name+`\b`).Match(script) && !slices.Contains([]string{"run", "portable", "wait"}, name) {
				t.Errorf("tools/test-containers.sh does not run block %q", name)
			}
		}
		seen = append(seen, kind)
	}
	for _, kind := range []string{"sh test=write", "sh test=run", "sh test=portable", "yaml daemonset", "yaml pod"} {
		if !slices.Contains(seen, kind) {
			t.Errorf("there is no block %q", kind)
		}
	}
	if strings.Count(string(text), "\n```") != 2*len(seen) {
		t.Errorf("%d blocks were found, of %d fences", len(seen), strings.Count(string(text), "\n```"))
	}
	setting := regexp.MustCompile("`(\"features\".*?)` in `/etc/docker/daemon.json`").FindSubmatch(text)
	if setting == nil || !json.Valid(slices.Concat([]byte("{"), setting[1], []byte("}"))) {
		t.Errorf("not JSON: %q", setting)
	}
}

// manifest judges one of Kubernetes'.
func manifest(t *testing.T, name, body string) {
	t.Helper()
	type container struct {
		Image           string
		Command, Args   []string
		VolumeMounts    []struct{ Name, MountPath string } `yaml:"volumeMounts"`
		SecurityContext any                                `yaml:"securityContext"`
	}
	type pod struct {
		Containers []container
		Volumes    []struct {
			Name     string
			HostPath struct{ Path string } `yaml:"hostPath"`
		}
	}
	var read struct {
		Kind     string
		Metadata struct{ Annotations map[string]string }
		Spec     struct {
			Containers []container
			Template   struct{ Spec pod }
		}
	}
	if err := yaml.Unmarshal([]byte(body), &read); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	switch name {
	case "pod":
		if read.Kind != "Pod" || len(read.Spec.Containers) != 1 || read.Metadata.Annotations["cdi.k8s.io/vulkan"] != "vkloader/gpu=all" {
			t.Errorf("%+v", read)
		}
	case "daemonset":
		spec := read.Spec.Template.Spec
		if read.Kind != "DaemonSet" || len(spec.Containers) != 1 || len(spec.Volumes) != 3 {
			t.Fatalf("%+v", read)
		}
		c := spec.Containers[0]
		if c.SecurityContext != nil || strings.Join(c.Command, " ") != "sh -ec" || len(c.Args) != 1 {
			t.Errorf("%+v", c)
		}
		if out, err := exec.Command("sh", "-n", "-c", c.Args[0]).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		for i, v := range spec.Volumes {
			if c.VolumeMounts[i].Name != v.Name || v.HostPath.Path == "" || !strings.Contains(c.Args[0], c.VolumeMounts[i].MountPath) {
				t.Errorf("volume %+v is mounted as %+v", v, c.VolumeMounts[i])
			}
		}
	default:
		t.Errorf("a manifest %q", name)
	}
}

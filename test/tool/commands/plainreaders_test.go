package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// brokenLines returns copies of a text in which another text replaces one line, the text cut in half, and the broken texts.
func brokenLines(text string) (list []string) {
	lines := strings.Split(text, "\n")
	for i := range lines {
		for _, other := range []string{"", "=", ":", "[", "]", "\x00", "\xff\xfe", `"`, "'", "%", "x=y=z", strings.Repeat("x", 5000), lines[i][:len(lines[i])/2], lines[i] + lines[i]} {
			list = append(list, strings.Join(slices.Concat(lines[:i], []string{other}, lines[i+1:]), "\n"))
		}
	}
	return append(append(list, text[:len(text)/2]), brokenTexts...)
}

// someOf returns every n-th text, or all of them in the long form of the tests.
func someOf(list []string, n int) (chosen []string) {
	for i := range list {
		if i%n == 0 || os.Getenv("VKLOADER_TEST_ALL") != "" {
			chosen = append(chosen, list[i])
		}
	}
	return chosen
}

// Texts of every kind in files of other systems: files of the registry editor, and lists of properties.
func TestNoGoErrorsOfOtherSystems(t *testing.T) {
	t.Parallel()
	for platform, about := range map[string]struct{ option, text string }{
		"windows": {"--registry", "Windows Registry Editor Version 5.00\n\n[HKEY_LOCAL_MACHINE\\SOFTWARE\\Khronos\\Vulkan\\Drivers]\n\"C:\\\\x.json\"=dword:00000000\n" +
			"\"multi\"=hex(7):43,00,\\\n  3a,00,00,00\n@=\"text\"\n"},
		"android": {"--properties", "[ro.hardware.vulkan]: [acme]\n[ro.build.version.sdk]: [34]\nenable_gpu_debug_layers=1\ngpu_debug_layers=a:b\n"},
	} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for i, text := range someOf(brokenLines(about.text), 9) {
				file := filepath.Join(t.TempDir(), "file")
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				for n, command := range []string{"explain", "doctor"} {
					if n == i%2 {
						plain(t, fmt.Sprintf("%s of %q", command, text), both(t, "--root", root, command, "--platform", platform, about.option, file))
					}
				}
			}
		})
	}
}

// Values of every kind for every member of a container's state and configuration, which the hook reads, and of a CDI file for the check of
// an image.
func TestNoGoErrorsOfContainers(t *testing.T) {
	t.Parallel()
	host := machineAt(t, "two-gpus")
	spec := generated(t, host)
	const state = `{"ociVersion":"1.0.2","id":"a","status":"created","pid":1,"bundle":"BUNDLE","annotations":{"a":"b"}}`
	const config = `{"ociVersion":"1.0.2","root":{"path":"ROOT","readonly":true},"process":{"env":["A=B"],"args":["x"]},"linux":{"devices":[{"path":"/dev/x","type":"c","major":1}]}}`
	for kind, document := range map[string]string{"state": state, "config.json": config} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for _, v := range some(variants(t, document), 5) {
				c := newContainer(t, spec, host, t.TempDir())
				fill := strings.NewReplacer("BUNDLE", c.bundle, "ROOT", c.root).Replace
				texts := map[string]string{"state": fill(state), "config.json": fill(config)}
				texts[kind] = fill(v.text)
				c.write(filepath.Join(c.bundle, "config.json"), []byte(texts["config.json"]))
				hook := exec.Command("unshare", append([]string{"--user", "--map-root-user", "--mount"}, c.hook...)...)
				hook.Stdin = strings.NewReader(texts["state"])
				out, _ := hook.CombinedOutput()
				plain(t, "the hook of "+v.text, string(out))
			}
		})
	}
	t.Run("cdi", func(t *testing.T) {
		t.Parallel()
		whole, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		list := variants(t, string(whole))
		file := filepath.Join(t.TempDir(), "a.json")
		for _, v := range some(list, 1+len(list)/40) {
			if err := os.WriteFile(file, []byte(v.text), 0o644); err != nil {
				t.Fatal(err)
			}
			plain(t, "check with "+v.text, both(t, "cdi", "check", host, "--cdi", file, "--host", host))
			plain(t, "refresh of "+v.text, both(t, "--root", host, "cdi", "refresh", "--dry-run", file))
		}
	})
}

// Texts of every kind in files about programs: launchers, desktop files, and files that set variables.
func TestNoGoErrorsOfPrograms(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"opt/app/AppRun":                                                       "#!/bin/sh\nexport LD_LIBRARY_PATH=$APPDIR/lib:${X}\nexec \"$APPDIR/usr/bin/app\" \"$@\"\n",
		"opt/app/app.desktop":                                                  "[Desktop Entry]\nExec=env VK_LOADER_DRIVERS_DISABLE=radeon* app %U\nType=Application\n",
		"usr/share/applications/app.desktop":                                   "[Desktop Entry]\nExec=env VK_LOADER_DRIVERS_DISABLE=radeon* app %U\n",
		"etc/systemd/user.conf":                                                "[Manager]\nDefaultEnvironment=VK_LOADER_DRIVERS_DISABLE=radeon*\n",
		"home/mia/.bashrc":                                                     "export VK_LOADER_DRIVERS_DISABLE='radeon*'\n",
		"home/mia/.config/lutris/system.yml":                                   "system:\n  env:\n    VK_LOADER_DRIVERS_DISABLE: radeon*\n",
		"home/mia/.config/heroic/config.json":                                  "{\"enviromentOptions\": [\n{\"key\": \"VK_LOADER_DRIVERS_DISABLE\",\n\"value\": \"radeon*\"}]}\n",
		"home/mia/.local/share/bottles/bottles/G/bottle.yml":                   "Environment_Variables:\n  VK_LOADER_DRIVERS_DISABLE: radeon*\n",
		"home/mia/.local/share/Steam/userdata/1/config/localconfig.vdf":        "\"570\"\n{\n\"LaunchOptions\" \"VK_LOADER_DRIVERS_DISABLE=radeon* %command%\"\n}\n",
		"home/mia/.local/share/Steam/steamapps/common/Proton/user_settings.py": "user_settings = {\n\"VK_LOADER_DRIVERS_DISABLE\": \"radeon*\",\n}\n",
		"home/mia/.local/share/flatpak/overrides/global":                       "[Environment]\nVK_LOADER_DRIVERS_DISABLE=radeon*\n",
		".flatpak-info":                                                        "[Application]\nname=org.example.Game\n",
		"etc/ld.so.conf":                                                       "include /etc/ld.so.conf.d/*.conf\n/opt/lib\n",
		"etc/os-release":                                                       "ID=debian\nVERSION_ID=\"12\"\n",
	}
	for file, text := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			for i, broken := range someOf(brokenLines(text), 7) {
				root := t.TempDir()
				if _, err := build("testdata/situations/bases/amd.txtar", root); err != nil {
					t.Fatal(err)
				}
				if err := put(filepath.Join(root, "opt/app/usr/bin/app"), ofWords("needed=libc.so.6")); err != nil {
					t.Fatal(err)
				}
				for name, whole := range files {
					if name == file {
						whole = broken
					} else if name == ".flatpak-info" || filepath.Dir(name) == "etc" && i%2 == 0 {
						continue
					}
					if err := put(filepath.Join(root, name), []byte(whole)); err != nil {
						t.Fatal(err)
					}
				}
				options := []string{"--root", root, "--env", "HOME=/home/mia", "--env", "VK_LOADER_DRIVERS_DISABLE=radeon*"}
				commands := [][]string{{"doctor"}, {"doctor", "--app", "/opt/app/AppRun"}, {"explain", "/opt/app/AppRun"}}
				plain(t, fmt.Sprintf("%q", broken), both(t, slices.Concat(options, commands[i%len(commands)])...))
			}
		})
	}
}

// Values of every kind for every member of the service's configuration, and of the files of a driver package and an image.
func TestNoGoErrorsOfTheService(t *testing.T) {
	t.Parallel()
	const configuration = `{"allow_magma_icds":true,"allow_goldfish_icd":true,"allow_lavapipe_icd":true,` +
		`"lavapipe_icd_url":"file:///none","open_device":false}`
	file := filepath.Join(t.TempDir(), "service.json")
	for _, v := range some(variants(t, configuration), 3) {
		if err := os.WriteFile(file, []byte(v.text), 0o644); err != nil {
			t.Fatal(err)
		}
		log, status := serviceText(t, nil, "--root", t.TempDir(), "--config", file)
		if _, message, is := strings.Cut(log, "vkloader: "); is {
			status += message
		}
		plain(t, "a configuration "+v.text, status)
	}
	const digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
	for name, about := range map[string]struct{ url, text string }{
		"meta/metadata/metadata.json": {"file://PACKAGE", `{"version":1,"file_path":"lib.so","manifest_path":"m.json"}`},
		"m.json":                      {"file://PACKAGE", `{"file_format_version":"1.0.0","ICD":{"library_path":"lib.so","api_version":"1.3.0"}}`},
		"meta/a.cml": {"file://PACKAGE#meta/a.cml", `{"program":{"runner":"r"},"capabilities":[{"directory":"d","path":"/pkg/data","rights":["r*"]}],` +
			`"expose":[{"directory":"d","from":"self","as":"contents","subdir":"s"}]}`},
		"meta/a.json": {"file://PACKAGE#meta/a.json", `{"program":{"runner":"r"},"expose":{"contents":{"path":"data","rights":"rx*"},"metadata":{"path":"meta","rights":"r*"}}}`},
		"index.json":  {"oci:PACKAGE:tag", `{"schemaVersion":2,"manifests":[{"digest":"` + digest + `","size":2,"annotations":{"org.opencontainers.image.ref.name":"tag"}}]}`},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			pack := t.TempDir()
			files := map[string]string{"meta/metadata/metadata.json": `{"version":1,"file_path":"lib.so","manifest_path":"m.json"}`,
				"m.json": `{"file_format_version":"1.0.0","ICD":{"library_path":"lib.so","api_version":"1.3.0"}}`, "lib.so": "x", "oci-layout": `{"imageLayoutVersion":"1.0.0"}`}
			for _, v := range some(variants(t, about.text), 3) {
				files[name] = v.text
				for name, text := range files {
					if err := put(filepath.Join(pack, name), []byte(text)); err != nil {
						t.Fatal(err)
					}
				}
				_, status := serviceText(t, nil, "--root", t.TempDir(), "--set", "allow_lavapipe_icd=true",
					"--set", "lavapipe_icd_url="+strings.Replace(about.url, "PACKAGE", pack, 1))
				plain(t, "a package with "+v.text, status)
			}
		})
	}
}

// Values of every kind for every member of the manifests and settings that a bundle collects, of which a few are private.
func TestNoGoErrorsOfBundles(t *testing.T) {
	t.Parallel()
	for file, document := range map[string]string{"usr/share/vulkan/icd.d/x.json": driverDocument, "usr/share/vulkan/implicit_layer.d/x.json": layerDocument,
		"home/mia/.config/vulkan/loader_settings.d/vk_loader_settings.json": settingsDocument} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			list := variants(t, document)
			for _, v := range some(list, 1+len(list)/40) {
				root := t.TempDir()
				if err := put(filepath.Join(root, file), []byte(v.text)); err != nil {
					t.Fatal(err)
				}
				plain(t, "a bundle with "+v.text, both(t, "--root", root, "--env", "HOME=/home/mia", "bundle", "--list"))
				to := filepath.Join(t.TempDir(), "b.zip")
				plain(t, "a bundle with "+v.text, both(t, "--root", root, "--env", "HOME=/home/mia", "bundle", "-o", to))
			}
		})
	}
}

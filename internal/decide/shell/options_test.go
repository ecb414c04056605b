package shell

import "testing"

func TestLaunchOptions(t *testing.T) {
	for line, want := range map[Line]Line{
		"export A=1":             "A=1 %command%",
		"export A='b c' D=e":     "A='b c' D=e %command%",
		"unset A":                "env -u A %command%",
		"unset A; export B=1":    "",
		"unset A B":              "",
		"export A=1 && rm x":     "",
		"apt install libvulkan1": "",
	} {
		if got := LaunchOptions(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

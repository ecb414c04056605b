package windows

import "testing"

func TestRedirected(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		`C:\Windows\System32\nv-vk32.json`:                              `C:\Windows\SysWOW64\nv-vk32.json`,
		`c:/windows/system32`:                                           `c:/windows/SysWOW64`,
		`C:\Windows\System32\DriverStore\FileRepository\a\nv-vk32.json`: `C:\Windows\System32\DriverStore\FileRepository\a\nv-vk32.json`,
		`C:\Windows\System32\drivers\etc\hosts`:                         `C:\Windows\System32\drivers\etc\hosts`,
		`C:\Windows\System32\drivers\a.sys`:                             `C:\Windows\SysWOW64\drivers\a.sys`,
		`C:\Windows\System32x\a.dll`:                                    `C:\Windows\System32x\a.dll`,
		`D:\a.dll`:                                                      `D:\a.dll`,
		`a`:                                                             `a`,
	} {
		if got := Redirected(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

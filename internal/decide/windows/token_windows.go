package windows

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// UserToken returns a copy of this process's token with the integrity level Medium, the level of programs that a user
// starts. A process with this token obeys the loader's variables (WIN-057), and cannot change what administrators
// protect. The caller closes the token.
func UserToken() (windows.Token, error) {
	var own windows.Token
	const access = windows.TOKEN_DUPLICATE | windows.TOKEN_QUERY | windows.TOKEN_ASSIGN_PRIMARY |
		windows.TOKEN_ADJUST_DEFAULT
	if err := windows.OpenProcessToken(windows.CurrentProcess(), access, &own); err != nil {
		return 0, err
	}
	defer own.Close()
	var lowered windows.Token
	if err := windows.DuplicateTokenEx(own, access, nil, windows.SecurityAnonymous, windows.TokenPrimary,
		&lowered); err != nil {
		return 0, err
	}
	sid, err := windows.CreateWellKnownSid(windows.WinMediumLabelSid)
	if err == nil {
		label := windows.Tokenmandatorylabel{Label: windows.SIDAndAttributes{Sid: sid,
			Attributes: windows.SE_GROUP_INTEGRITY}}
		err = windows.SetTokenInformation(lowered, windows.TokenIntegrityLevel, (*byte)(unsafe.Pointer(&label)),
			label.Size())
	}
	if err != nil {
		lowered.Close()
		return 0, err
	}
	return lowered, nil
}

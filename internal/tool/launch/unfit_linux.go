package launch

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/process"
)

// Unfit says why a program may not see the variables or the library.
func Unfit(program string) (warnings []string) {
	if rights := process.RightsOf(&machine.Machine{}, program); rights != "" {
		warnings = append(warnings, program+" runs with more rights than its user ("+string(rights)+"): it sees neither this library nor the variables")
	}
	file, err := elf.Open(program)
	if err != nil {
		return warnings // a script
	}
	defer file.Close()
	if file.Class != elf.ELFCLASS64 || file.Machine != elf.EM_X86_64 {
		return append(warnings, fmt.Sprintf("%s is a program for %s, %s: this library is not", program, file.Machine, file.Class))
	}
	paths, _ := file.DynString(elf.DT_RPATH)
	if newer, _ := file.DynString(elf.DT_RUNPATH); len(newer) > 0 {
		return warnings // LD_LIBRARY_PATH comes before it
	}
	for _, path := range strings.Split(strings.Join(paths, ":"), ":") {
		own := filepath.Join(strings.NewReplacer("$ORIGIN", filepath.Dir(program), "${ORIGIN}", filepath.Dir(program)).Replace(path),
			"libvulkan.so.1")
		if _, err := os.Stat(own); path != "" && err == nil {
			warnings = append(warnings, fmt.Sprintf("%s has a library of its own, which comes first: %s", program, own))
		}
	}
	return warnings
}

package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Each installed shell offers the programs in PATH for run, through its completion.
func TestShellsCompletePrograms(t *testing.T) {
	t.Parallel()
	share := filepath.Join(built, "share")
	for _, c := range []struct{ shell, script string }{
		// the functions of package bash-completion that the completion calls
		{"bash", `_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=vkl; prev=run; }; __ltrim_colon_completions() { :; }
			. "$1"; COMP_WORDS=(vkloader run vkl); COMP_CWORD=2; COMP_LINE='vkloader run vkl'; COMP_POINT=16; COMP_TYPE=9
			__start_vkloader; printf '%s\n' "${COMPREPLY[@]}"`},
		{"fish", `source $argv[1]; complete -C 'vkloader run vkl'`},
		// Every completion of zsh ends with compadd, which only works with a terminal, so a function replaces it.
		{"zsh", `compdef() { :; }; _describe() { shift $(( $# - 2 )) 2>/dev/null; print -rl -- "${(@P)2}"; }; compadd() { :; }; _arguments() { :; }
			words=(vkloader run vkl); CURRENT=3; . "$1"; _vkloader`},
	} {
		shell, err := exec.LookPath(c.shell)
		if err == nil && c.shell == "bash" {
			_, err = os.Stat("/dev/fd") // bash's process substitution, in the completion that cobra writes
		}
		if err != nil {
			continue
		}
		file := map[string]string{"bash": "bash-completion/completions/vkloader", "fish": "fish/vendor_completions.d/vkloader.fish",
			"zsh": "zsh/site-functions/_vkloader"}[c.shell]
		w, _ := cards(t)
		w.Env["PATH"] = built + ":/usr/bin:/bin"
		args := []string{"-c", c.script}
		if c.shell != "fish" {
			args = append(args, c.shell)
		}
		out, exit := w.Run(2*time.Minute, shell, append(args, filepath.Join(share, file))...)
		out = strings.ReplaceAll(out, `\:`, ":")
		if !strings.Contains(out, "vkloader") {
			t.Errorf("%s offers no vkloader: %q\n%s", c.shell, out, exit.Stderr)
		}
		if strings.Contains(out, "bash") {
			t.Errorf("%s offers what does not begin with vkl: %q", c.shell, out)
		}
	}
}

package cli

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/decide/loaders"
	"vkloader/internal/tool/run"
	"vkloader/internal/tool/term"
)

// loader describes the program's loader; "": unknown.
func (v *verdict) loader() string {
	if v.Loader == nil {
		return ""
	}
	text := v.Loader.Title()
	if v.Works != "" {
		text += ", which the program gets without vkloader; with vkloader's loader, the program works"
		text += term.Either(v.Result == run.FailsWithLoader, "", ": "+string(runsWith(v.Program)))
	}
	return text
}

// printVerdict prints the result to standard error, because standard output is the program's.
func printVerdict(s *invocation, v *verdict, apply bool) {
	style := term.StyleFor(s.errOut, s.getenv)
	out := s.talk()
	line := func(name, text string) {
		if text != "" {
			style.Lines(out, fmt.Sprintf("    %-4s  ", name), nil, text)
		}
	}
	fmt.Fprintln(out)
	switch v.Result {
	case run.EndedWell:
		fmt.Fprintf(out, "%s the program did not fail: %s\n", style.Heading("No culprit:"), v.What)
		line("with", v.loader())
		for _, note := range v.Notes {
			line("note", note)
		}
		return
	case run.BrokenOff:
		fmt.Fprintln(out, "No verdict: interrupted.")
		return
	case run.FoundCulprit:
		for _, c := range v.Culprits {
			fmt.Fprintf(out, "%s %s\n", style.Bad("Culprit: the "+string(c.Kind)), style.Heading(term.OneLine(c.Name)))
			line("file", c.Manifest)
			line("lib", c.Library)
			line("is", c.Value)
		}
		for _, w := range v.With {
			fmt.Fprintf(out, "    with  the %s %s: each alone does no harm\n", w.Kind,
				style.Heading(term.OneLine(w.Name)))
		}
	case run.FoundUnloading:
		fmt.Fprintln(out, style.Bad(
			"Culprit: a driver or layer that is called at the end of a thread or of the program, after it was unloaded"))
	case run.FoundKeeping:
		fmt.Fprintln(out, style.Bad(
			"Culprit: a driver that stays open after its last instance, and keeps open a library that the program needs in another version"))
	case run.EndsDiffer:
		fmt.Fprintln(out, style.Bad(
			"No verdict: the program worked once without layers, but failed with each layer left out"))
	case run.FailsWithLoader:
		title := loaders.Name + ", which the program does not find without vkloader"
		if v.Loader != nil {
			title = v.Loader.Title()
		}
		fmt.Fprintf(out, "%s %s\n", style.Bad("Culprit: the loader"), style.Heading(term.OneLine(title)))
	default:
		fmt.Fprintln(out, style.Bad("The culprit is "+term.OneLine(v.elsewhere)))
	}
	line("with", v.loader())
	line("what", v.What)
	if len(v.Files) > 1 {
		line("from", "on the stack: "+strings.Join(v.Files[1:min(len(v.Files), 6)], ", "))
	}
	line("when", v.Phase)
	for text := range strings.SplitSeq(v.Wrote, "\n") {
		line("said", text)
	}
	for _, text := range v.Errors {
		line("log", text)
	}
	if !slices.Contains(v.Errors, v.Seen.Last) {
		line("log", v.Seen.Last)
	}
	for _, note := range v.Notes {
		line("note", note)
	}
	if v.Fix != "" {
		before := term.Enclosed("", v.Update, ". Until then, run the program without it: ")
		style.Advice(out, "    do    ", before+string(v.Fix), v.Fix)
		if !apply && v.canApply {
			const keepsOut = "vkloader run --find-culprit --apply ..."
			style.Advice(out, "          ", "or let the tool keep it out of this program: "+keepsOut, keepsOut)
		}
	}
}

// exitWords begin the description of a run that ended by itself.
const exitWords = "ended with exit code "

// endOf describes the end of a run.
func endOf(end *run.End) string {
	where := ""
	if f := end.Fault; f != nil {
		mapped := f.Mapped && len(f.Files) > 0
		if where = " at an address where nothing is mapped"; mapped {
			where = " in " + f.Files[0]
		}
		// For abort(3), Sleep and other system functions, the caller is more informative.
		caller := slices.IndexFunc(f.Files, func(file string) bool { return !isSystemFile(file) })
		if caller > 0 || caller == 0 && !mapped {
			where += ", called from " + f.Files[caller]
		}
	}
	switch {
	case end.Interrupted:
		return "interrupted"
	case end.Hung:
		return "it hung" + where
	case end.Enough:
		return "it ran for the required time"
	case end.Fault != nil:
		return "killed by " + end.Fault.Killed + where
	case end.Killed != "":
		return "killed by " + end.Killed
	case end.Crashed():
		return fmt.Sprintf("ended with exit code %d, %s", end.Code,
			term.Either(onWindows, "as abort() ends programs", "as where a signal ended a command of a shell"))
	}
	return fmt.Sprint(exitWords, end.Code)
}

package logging

import (
	"log/slog"
	"strings"
	"testing"
)

func TestLevels(t *testing.T) {
	t.Parallel()
	say := func(level string, journal bool) string {
		var b strings.Builder
		log, err := New(&b, level, journal)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
			log.With("client", 7).Log(t.Context(), l, "word", "why", "a\nb")
		}
		return b.String()
	}
	if got, want := say("warn", true), "<4>msg=word client=7 why=\"a\\nb\"\n<3>msg=word client=7 why=\"a\\nb\"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := say("debug", true); strings.Count(got, "\n") != 4 || !strings.HasPrefix(got, "<7>") || !strings.Contains(got, "\n<6>") {
		t.Errorf("%q", got)
	}
	if got := say("error", false); !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "time=") {
		t.Errorf("%q", got)
	}
	if _, err := New(&strings.Builder{}, "loud", false); err == nil {
		t.Error("a level that is none")
	}
}

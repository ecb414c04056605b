package logging

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
)

// levels are the log levels by their names in the configuration.
var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn,
	"error": slog.LevelError}

// New makes a logger. With journal, each line begins with its priority as in sd-daemon(3), and has no time.
func New(to io.Writer, level string, journal bool) (*slog.Logger, error) {
	least, known := levels[level]
	if !known {
		return nil, fmt.Errorf("%q is none of debug, info, warn, error", level)
	}
	options := &slog.HandlerOptions{Level: least}
	if !journal {
		return slog.New(slog.NewTextHandler(to, options)), nil
	}
	options.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	return slog.New(slog.NewTextHandler(journalWriter{to}, options)), nil
}

// priorities are the priorities of sd-daemon(3), by the level with which slog begins a line.
var priorities = map[string]string{"level=DEBUG": "<7>", "level=INFO": "<6>", "level=WARN": "<4>", "level=ERROR": "<3>"}

// journalWriter writes lines with their priority in place of the level. Each call has one line.
type journalWriter struct{ to io.Writer }

func (w journalWriter) Write(line []byte) (int, error) {
	level, rest, _ := bytes.Cut(line, []byte(" "))
	_, err := w.to.Write(append([]byte(priorities[string(level)]), rest...))
	return len(line), err
}

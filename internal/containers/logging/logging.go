package logging

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
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
	if journal {
		options.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
				return slog.Attr{}
			}
			return a
		}
	}
	lines := &marked{to: to, journal: journal}
	return slog.New(&handler{slog.NewTextHandler(lines, options), lines}), nil
}

// marked writes complete lines, each with the priority of its record.
type marked struct {
	mu      sync.Mutex
	to      io.Writer
	journal bool
	level   slog.Level
	line    bytes.Buffer
}

func (m *marked) Write(p []byte) (int, error) {
	m.line.Reset()
	if m.journal {
		priority := 7
		switch {
		case m.level >= slog.LevelError:
			priority = 3
		case m.level >= slog.LevelWarn:
			priority = 4
		case m.level >= slog.LevelInfo:
			priority = 6
		}
		fmt.Fprintf(&m.line, "<%d>", priority)
	}
	m.line.Write(p)
	_, err := m.to.Write(m.line.Bytes())
	return len(p), err
}

type handler struct {
	slog.Handler
	lines *marked
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	h.lines.mu.Lock()
	defer h.lines.mu.Unlock()
	h.lines.level = r.Level
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.Handler.WithAttrs(attrs), h.lines}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.Handler.WithGroup(name), h.lines}
}

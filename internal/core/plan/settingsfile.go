package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
)

// settingsFile finds and reads the loader settings file.
type settingsFile struct {
	call
	files    *manifests
	rights   []search.Message   // messages about ignored variables
	set      *settings.Settings // in force; nil if none
	remember *File              // for the next calls; nil: no change
}

// place returns the first settings file that exists (SET-1, SET-7).
func (s *settingsFile) place() string {
	if s.m.settingsAt.known {
		return s.m.settingsAt.path
	}
	file := ""
	for _, path := range s.q.Platform.Settings(&s.q.Platform, s.f) {
		if s.f.Exists(path) && file == "" {
			file = path
		}
	}
	s.m.settingsAt = place{file, !s.f.Missing()}
	return file
}

// read reads the settings file (SET-9, SET-12 to SET-15). Unlike vkCreateInstance, the global functions fall back on
// the remembered settings.
func (s *settingsFile) read() {
	var before File
	global := !s.q.isInstance()
	if global {
		before = s.m.Remembered
	}
	s.carry(s.rights)
	asked := len(s.f.Needs())
	remembered := s.parseRemembered(before)
	set, from, outcome := s.load()
	if len(s.f.Needs()) > asked {
		return
	}
	after := File{}
	switch {
	case outcome == settings.In:
		s.set, after = set, from
		s.level()
		if !global || !set.Same(remembered) {
			s.find(diag.SettingsUsed, set.File, set.File, diag.Plain, "")
			s.log(diag.Info, "Using layer configurations found in loader settings from "+set.File)
			if !s.quiet {
				for _, line := range set.Dump() {
					s.log(diag.Debug, line)
				}
			}
		}
	case outcome == settings.Kept:
		s.set, after = remembered, before
	}
	if s.set != nil && (s.q.isInstance() || s.q.isExtensions() && !s.q.namesLayer()) { // saves a round
		for _, path := range s.set.Drivers {
			if search.IsManifestName(path) {
				s.f.File(path)
			}
		}
	}
	s.remember = nil
	if global && after != before {
		s.remember = &after
	}
}

// parseRemembered parses the settings of an earlier call, which also logged the messages about them.
func (s *settingsFile) parseRemembered(file File) *settings.Settings {
	if !file.Set {
		return nil
	}
	r := s.parse(1, file.Path, file.Content)
	if r.fault != nil || r.outcome != settings.In {
		return nil
	}
	return r.set
}

// parse returns the parse settings file; a text is parse once in a call.
func (s *settingsFile) parse(which int, path, content string) *readSettings {
	for i := range s.m.settings {
		if r := &s.m.settings[i]; r.known && r.path == path && r.content == content {
			return r
		}
	}
	r := &readSettings{path: path, content: content, known: s.f.HasExe()}
	if r.fault = s.m.scratch.Read(content); r.fault == nil {
		r.set, r.outcome, r.lines = settings.Read(&s.m.scratch, path, s.q.Platform.Style, s.exe)
	}
	if r.known {
		s.m.settings[which] = *r
	}
	return r
}

// listens reports whether a settings file that may be in force enables log lines (SET-77).
func (s *settingsFile) listens(path string) bool {
	if path != "" {
		if file, _ := s.f.File(path); file.Status == facts.FileRead {
			if r := s.parse(0, path, file.Content); r.fault == nil && r.set != nil &&
				(r.set.HasLevel || r.set.LogFile != "") {
				return true
			}
		}
	}
	set := s.parseRemembered(s.m.Remembered)
	return set != nil && set.HasLevel
}

// exe returns the program's path for comparison with the keys of settings files.
func (s *settingsFile) exe() facts.Exe {
	e := s.f.Exe()
	e.None = !e.Known && s.q.Platform.Pathless
	return e
}

// level adds steps for the file's log level (SET-77, SET-78) and log file.
func (s *settingsFile) level() {
	level := diag.Error | diag.Warn
	if s.set.HasLevel {
		level = s.set.Level
		s.steps = append(s.steps, Step{Kind: StepLevel, Flags: level})
	}
	if s.set.LogFile != "" && s.q.isInstance() {
		s.steps = append(s.steps, Step{Kind: StepLogFile, Flags: level, Text: s.set.LogFile})
	}
}

func (s *settingsFile) load() (*settings.Settings, File, settings.ReadResult) {
	path := s.place()
	if path == "" {
		s.say(diag.Info, diag.SettingsNone, "", "",
			"No valid vk_loader_settings.json file found, no loader settings will be active")
		return nil, File{}, settings.Kept
	}
	file, ok := s.files.read(path, false)
	if !ok {
		return nil, File{}, settings.Kept
	}
	r := s.parse(0, path, file.Content)
	if r.fault != nil {
		s.fault(path, r.fault)
		return nil, File{}, settings.None
	}
	for i := range r.lines {
		s.line(path, &r.lines[i])
	}
	return r.set, File{path, file.Content, true}, r.outcome
}

// exclusive reports whether the settings file replaces the layer search (SET-45).
func (s *settingsFile) exclusive() bool {
	return s.set != nil && s.set.ControlsLayers && !s.set.Merged()
}

// controlsLayers reports whether the settings file has a layer list.
func (s *settingsFile) controlsLayers() bool { return s.set != nil && s.set.ControlsLayers }

package settingsfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/tool/term"
)

// since are settings of newer validation layers, and the values of older ones that do the same.
var since = map[string]string{
	"validate_sync":           "enables=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
	"validate_best_practices": "enables=VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT",
	"printf_enable":           "enables=VK_VALIDATION_FEATURE_ENABLE_DEBUG_PRINTF_EXT",
	"gpuav_enable":            "enables=VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT",
	"validate_core":           "disables=VK_VALIDATION_FEATURE_DISABLE_CORE_CHECKS_EXT",
	"thread_safety":           "disables=VK_VALIDATION_FEATURE_DISABLE_THREAD_SAFETY_EXT",
}

// Unknown is the error of a setting that the layer does not have.
func (l *Layer) Unknown(key string) error {
	var keys []string
	for i := range l.Settings {
		keys = append(keys, l.Settings[i].Key)
	}
	if name, value, ok := strings.Cut(since[key], "="); ok {
		if s := l.Find(name); s != nil && slices.Contains(s.Values, value) {
			return fmt.Errorf("this version of %s has no setting %s; it has %s=%s", l.Name, key, name, value)
		}
	}
	if near := term.NearestName(key, keys); near != "" {
		return fmt.Errorf("%s has no setting %s; did you mean %s?", l.Name, key, near)
	}
	return fmt.Errorf("%s has no setting %s: see vkloader settings layer %s", l.Name, key, l.Name)
}

// Check tells whether a value is of the setting's type.
func (s *Setting) Check(value string) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%s=%s: "+format, append([]any{s.Key, value}, args...)...)
	}
	if strings.ContainsAny(value, "\n\r\x00#") {
		return wrong("a value has no line break and no #")
	}
	switch s.Type {
	case "BOOL", "BOOL_NUMERIC":
		if value != "true" && value != "false" {
			return wrong("it is true or false")
		}
	case "INT":
		n, err := strconv.ParseInt(value, 0, 64)
		if err != nil {
			return wrong("it is a whole number")
		}
		return s.within(float64(n), wrong)
	case "FLOAT":
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || n != n {
			return wrong("it is a number")
		}
		return s.within(n, wrong)
	case "ENUM":
		return s.oneOf(value, wrong)
	case "FLAGS":
		if value == "" {
			return nil
		}
		for _, word := range strings.Split(value, ",") {
			if err := s.oneOf(word, wrong); err != nil {
				return err
			}
		}
	case "FRAMES":
		if strings.Trim(value, "0123456789-,") != "" {
			return wrong("it is a list of frames such as 0-2,5")
		}
	}
	return nil
}

func (s *Setting) within(n float64, wrong func(string, ...any) error) error {
	switch {
	case s.Min != nil && n < *s.Min:
		return wrong("it is at least %v", *s.Min)
	case s.Max != nil && n > *s.Max:
		return wrong("it is at most %v", *s.Max)
	}
	return nil
}

func (s *Setting) oneOf(word string, wrong func(string, ...any) error) error {
	if len(s.Values) == 0 || slices.Contains(s.Values, word) {
		return nil
	}
	if near := term.NearestName(word, s.Values); near != "" {
		return wrong("there is no %s; did you mean %s?", word, near)
	}
	return wrong("there is no %s; there is %s", word, strings.Join(s.Values, ", "))
}

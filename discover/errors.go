package discover

import (
	"errors"

	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
)

// Errors, for errors.Is.
var (
	// ErrNoDriver means that a program gets no driver.
	ErrNoDriver = errors.New("no Vulkan driver")

	// ErrNoDevice means that a program gets no device, or none that meets a [Requirement].
	ErrNoDevice = errors.New("no Vulkan device")

	// ErrNoLoader means that a program gets no Vulkan loader.
	ErrNoLoader = errors.New("no Vulkan loader")

	// ErrNoProbe means that the child program that loads drivers is not installed.
	ErrNoProbe = errors.New("no probe")

	// ErrUnsupported means that a question cannot be answered for this kind of host.
	ErrUnsupported = decide.ErrUnsupported

	// ErrEndless means that a decision was stopped because it kept asking for more files and variables.
	ErrEndless = explain.ErrEndless
)

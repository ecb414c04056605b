package discover

import "errors"

// Errors, for errors.Is.
var (
	// ErrNoDriver is the error where a program gets no driver.
	ErrNoDriver = errors.New("no Vulkan driver")

	// ErrNoDevice is the error where a program gets no device, or none that meets a [Need].
	ErrNoDevice = errors.New("no Vulkan device")

	// ErrNoLoader is the error where a program gets no Vulkan loader.
	ErrNoLoader = errors.New("no Vulkan loader")

	// ErrNoProbe is the error where the child program that loads drivers is not installed.
	ErrNoProbe = errors.New("no probe")

	// ErrUnsupported is the error of a question that cannot be answered for this kind of host.
	ErrUnsupported = errors.New("not supported for this host")

	// ErrEndless is the error of a decision that is given up because it asks for more and more files and variables.
	ErrEndless = errors.New("no decision was reached")
)

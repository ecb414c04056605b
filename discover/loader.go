package discover

import (
	"context"
	"fmt"

	"vkloader/internal/decide/loaders"
)

// Loader is a file that is a Vulkan loader.
type Loader struct {
	Path string `json:"path"` // as the dynamic linker finds it
	File string `json:"file"` // without symbolic links
	// of the Vulkan headers it was made for, as 1.3.239; "": not known
	Version        string `json:"version,omitempty"`
	From           string `json:"version_from,omitempty"`    // what tells the version: name, package, or text
	Release        string `json:"release,omitempty"`         // of vkloader; "": it is another loader
	Package        string `json:"package,omitempty"`         // the package that owns the file
	PackageVersion string `json:"package_version,omitempty"` // its version
	System         string `json:"system,omitempty"`          // the distribution whose package it is
	// of the dynamic linker, by which the program gets it: path, rpath, cache, default, ...
	Rule string `json:"rule,omitempty"`

	found *loaders.Loader
}

// LoaderOf finds the loader that a program gets, by the rules of the dynamic linker (ld.so(8)) on the host. It reads
// the file of the loader, and the lists of the package manager; it loads nothing. Without a loader the error is
// [ErrNoLoader].
func LoaderOf(ctx context.Context, host *Host, program Program) (*Loader, error) {
	program.Loader = nil
	ctx = contextOr(ctx)
	source, done, err := host.machine().Source(ctx, program.subject())
	if err != nil {
		return nil, err
	}
	defer done()
	found := loaders.For(source, loaders.Linker(source), nil)
	if found == nil {
		return nil, fmt.Errorf("%w: the dynamic linker finds no %s", ErrNoLoader, loaders.Name)
	}
	return &Loader{Path: found.Path, File: found.File, Version: found.Version, From: found.From, Release: found.Release,
		Package:        found.Package,
		PackageVersion: found.PackageVersion, System: found.System, Rule: found.Rule, found: found}, ctx.Err()
}

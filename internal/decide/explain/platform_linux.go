package explain

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/machine"
)

// Platform returns this system's platform, with the directories of the loader that reads the facts.
func Platform(provider facts.Provider) search.Platform {
	if c, is := provider.(interface{ unchanged() facts.Provider }); is {
		return Platform(c.unchanged())
	}
	p := search.Linux()
	if source, is := provider.(*machine.Source); is && source.Loader != nil {
		if directory, extra := source.Loader.Configuration(); directory != "" {
			p.SysConfDir, p.ExtraSysConfDir = directory, extra
		}
	}
	return p
}

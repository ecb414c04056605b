package process

// fact is a difference, as values; say makes the sentence, here and nowhere else.
type fact interface{ say() string }

// plain is a difference of which there is no more to know.
type plain uint8

const (
	notMapped plain = iota
	unnamed
	noInstance
	closedAgain
)

var plainWords = [...]string{
	notMapped:   "it is not mapped: the process does not use Vulkan, or no longer uses it",
	unnamed:     "it is loaded, but no manifest found now names it: it came with the program, or the variables have changed",
	noInstance:  "it is not loaded: the process has no instance at this moment",
	closedAgain: "it is not loaded: it may have been closed again because it has no device",
}

func (p plain) say() string { return plainWords[p] }

// changed is what became of a file that is mapped.
type changed Change

var changeWords = map[Change]string{
	Gone:     "its file has been removed since; the process still uses the old one",
	Replaced: "its file has been replaced since, for example by an update; the process still uses the old one",
	Written:  "its file has been written to since the process began",
}

func (c changed) say() string { return changeWords[Change(c)] }

// outNow is what is loaded and would be left out now, and why.
type outNow string

func (o outNow) say() string { return "it is loaded, but would not be now: " + string(o) }

// inNow is what is not loaded and would be now, and why.
type inNow string

func (i inNow) say() string { return "it is not loaded, but would be now: " + string(i) }

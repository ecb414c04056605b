package facts

// readings is how much of which file was read in one call, whatever its names are, by the file's place in a short table:
// files may share one. A file that has many names is read by a few of them only. The spine counts in the same way
// (spine/core/read_budget.c), with the same numbers (spine/core/facts.h).
type readings [readPlaces]struct{ bytes, largest uint64 }

const (
	readPlaces = 64
	readLeast  = 1 << 20 // of each place; and a few times the largest of its files
	readSmall  = 1024    // up to here a file takes little more than its name in another one
)

// FileNumber makes one number of those by which a system knows a file.
func FileNumber(device, inode uint64) uint64 {
	return (inode ^ device<<32) * 0x9fb21c651e98df25
}

// bound counts a file that was read by one of its names, and gives it without its content where that is too often.
func (r *readings) bound(f File) File {
	bytes := uint64(len(f.Content))
	if f.Number == 0 || f.Status != FileRead || bytes <= readSmall {
		return f
	}
	place := &r[f.Number>>58]
	largest := max(place.largest, bytes)
	if place.bytes+bytes > readLeast+2*largest {
		return File{Status: FileTooOften}
	}
	place.bytes += bytes
	place.largest = largest
	return f
}

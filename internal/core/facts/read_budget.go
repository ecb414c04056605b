package facts

// readings counts the bytes that one call has read from each file, under any of its names, in a small hash table. Two
// files may share an entry, and a file with many names is then read under a few of them only. The spine counts in the
// same way (spine/core/read_budget.c), with the same numbers (spine/core/facts.h).
type readings [readPlaces]struct{ bytes, largest uint64 }

const (
	readPlaces = 64
	readLeast  = 1 << 20 // bytes allowed per entry, plus twice the largest of its files
	readSmall  = 1024    // bytes; smaller files are not counted
)

// FileNumber combines the device and inode numbers of a file into one number.
func FileNumber(device, inode uint64) uint64 {
	return (inode ^ device<<32) * 0x9fb21c651e98df25
}

// limit counts a file that was read. It returns the file without its content if too many bytes of it were read already.
func (r *readings) limit(f File) File {
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

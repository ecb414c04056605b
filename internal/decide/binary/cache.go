package binary

import (
	"bytes"
	"encoding/binary"
)

// cacheEntry is a line of the dynamic linker's cache.
type cacheEntry struct {
	name, path string
	flags      uint32
}

// Layout of the cache (ldconfig(8) of glibc 2.2 and later; an older table may stand before it).
const (
	cacheMagic      = "glibc-ld.so.cache1.1"
	cacheHeader     = 48
	cacheEntryLen   = 24
	maxCacheEntries = 1 << 20 // a cache with more entries counts as damaged
)

// parseCache reads the content of /etc/ld.so.cache, and leaves out damaged entries.
func parseCache(data []byte) []cacheEntry {
	at := bytes.Index(data, []byte(cacheMagic))
	if at < 0 || len(data)-at < cacheHeader {
		return nil
	}
	data = data[at:]
	order := binary.ByteOrder(binary.LittleEndian)
	if data[28]&3 == 3 { // 3: big-endian, 2: little-endian, 0: not stated
		order = binary.BigEndian
	}
	count := int(order.Uint32(data[20:]))
	if count > maxCacheEntries || cacheHeader+count*cacheEntryLen > len(data) {
		return nil
	}
	text := func(offset uint32) string {
		if uint64(offset) >= uint64(len(data)) {
			return ""
		}
		end := bytes.IndexByte(data[offset:], 0)
		if end < 0 {
			return ""
		}
		return string(data[offset : int(offset)+end])
	}
	entries := make([]cacheEntry, 0, count)
	for i := range count {
		e := data[cacheHeader+i*cacheEntryLen:]
		entries = append(entries, cacheEntry{text(order.Uint32(e[4:])), text(order.Uint32(e[8:])), order.Uint32(e)})
	}
	return entries
}

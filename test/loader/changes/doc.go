// Package changes holds nothing but tests: one process goes on calling the loader while manifests, libraries, links, mounts
// and variables change under it. A fresh process gives the expected answer.
package changes

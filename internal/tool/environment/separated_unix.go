//go:build unix

package environment

// separated describes the separator of path lists on Linux.
const separated = "colon-separated"

// Package elf reads what a shared library says of itself: class, machine, needed libraries, versions that it
// defines and wants of others, and the functions it exports. It reads the ELF file as bytes and never loads it.
package elf

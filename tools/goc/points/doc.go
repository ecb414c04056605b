// Package points computes what every pointer, slice, map and closure of a program may point to. From that it finds, and
// rejects, two kinds of programs that would behave differently in C: those that change package variables, which are
// constant data there, and those that read and change a variable in one statement, where go/ssa and Go's compiler use
// different orders.
//
// The analysis is inclusion-based. Every place in the source that allocates memory is one object, a value has a set of
// objects, and each instruction says which sets include which. The analysis ignores the order of instructions, does not
// distinguish the calls of a function, and gives each object one content. A value of a type has only objects that its type
// can refer to.
package points

// Package points finds what every pointer, slice, map and closure of a program may lead to, and with that it refuses two
// kinds of programs that would mean something else in C: those that change package variables, which are constant data
// there, and those that read a variable and change it in one statement, whose order go/ssa and Go's compiler do not share.
//
// The analysis is inclusion-based: every place of the source that makes memory is one object, a value holds a set of
// objects, and each instruction says which sets include which. It knows neither the order of instructions nor which
// call a function runs for, and one object has one content; types keep apart what a value of a type can never hold.
package points

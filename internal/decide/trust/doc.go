// Package trust holds the rule for a privileged process, which is root's, has capabilities, or is elevated (GEN-5): it
// loads, runs, offers and mounts only files that root alone can change. Each directory on the path of a file, each
// link on it, and the file itself must belong to root and be writable by root alone. In a sticky directory such as
// /tmp, only directories of root's are accepted: a file or a link there may be another user's second name for one of
// root's files, and any user can take a free name.
//
// In a process without privileges every function here returns nil, so callers need no check:
//
//   - Path judges one file or directory of this machine, In one below another root. Call them before a file is offered,
//     mounted, or opened as a library or program.
//   - Every child that package spawn starts is judged before: the program with its libraries, and for a trial, or a
//     program that a person chose, everything that its loader would load. A start needs no other call.
//
// Each returns an *Error, whose text names the user and the file. Refusal makes the sentence for people from it. A
// caller that can go on without the file leaves it out and shows the sentence; the others return the error.
//
// Homes is the rule for HOME and its siblings: a privileged process uses a home only if it is root's. The command line
// applies it once, to the variables of the whole process.
//
// The result stays true after the check, because root alone can write to the directories on the path. The rule does
// not cover three cases: a file that another user opened for writing before it became root's and still has open, a
// disk with root's files that another user brought, and a file server that states wrong owners.
package trust

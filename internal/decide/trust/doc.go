// Package trust holds the one rule for a privileged process: it loads, runs, offers and mounts only files that no other user can
// change. A process is privileged if it is root's, has capabilities, or is elevated (GEN-5). Each directory on the path of a file,
// each link on it, and the file itself belong to root and are writable by root alone. A sticky directory such as /tmp does not
// protect a file or a link in it, nor a name that is free; it does protect a directory of root's.
//
// In a process without privileges every function here returns nil, so callers need no check:
//
//   - Path judges one file or directory of this machine, In one below another root. Call them before a file is offered,
//     mounted, or opened as a library or program.
//   - Trial judges everything that a child with these variables would load: the loader, the drivers and layers that it selects,
//     and their libraries. Package probe calls Trial before it starts a child, so a trial needs no other call.
//   - Program judges a program and its libraries. Call it before a program is started.
//
// Each returns an *Error, whose text names the user and the file. Refusal makes the sentence for people from it. A caller that can
// go on without the file leaves it out and shows the sentence; the others return the error.
//
// Homes is the rule for HOME and its siblings: a privileged process uses a home only if it is root's. The command line
// applies it once, to the variables of the whole process.
//
// The answer stays true after the check, because root alone can write to the directories on the path. Not covered are files that
// another user still has open for writing from a time before they became root's, disks with root's files that another user
// brought, and file servers that lie about owners.
package trust

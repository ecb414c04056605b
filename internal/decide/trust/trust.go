package trust

import (
	"errors"
	"fmt"
	"os/user"
	"strconv"
)

// Error names a file that a user other than root can change.
type Error struct {
	File string // the file, or the directory on its path
	Who  string // a user's name, "everybody", or a group in words
	User string // the name or number to give to --as-user; "": no single user

	outside bool // this process's user namespace has no user for --as-user
}

// beyond is the advice for a process whose user namespace has one user.
const beyond = "run this outside of the user namespace"

func (e *Error) Error() string { return e.Who + " can change " + e.File }

// Refusal returns the sentence about a file that is not used because of an *Error. verb is a participle, such as tried,
// run or offered. For any other error it returns "".
func Refusal(verb string, err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return ""
	}
	if e.outside {
		return fmt.Sprintf("not %s as root: %v; %s", verb, e, beyond)
	}
	if e.User == "" {
		return fmt.Sprintf("not %s as root: %v; run this as an ordinary user, or add --as-user USER", verb, e)
	}
	return fmt.Sprintf("not %s as root: %v; run this as that user, or add --as-user %s", verb, e, e.User)
}

// Refused returns an error that wraps err and has the sentence of Refusal as its text. An error that is no *Error is
// returned unchanged.
func Refused(verb string, err error) error {
	if text := Refusal(verb, err); text != "" {
		return &refused{text, err}
	}
	return err
}

// refused is an error with another text.
type refused struct {
	text string
	err  error
}

func (r *refused) Error() string { return r.text }
func (r *refused) Unwrap() error { return r.err }

// userError returns the error of a file that belongs to a user.
func userError(file string, uid uint32) *Error {
	number := strconv.FormatUint(uint64(uid), 10)
	switch {
	case uid == overflow && Alone():
		return &Error{File: file, Who: "a user outside of this user namespace", outside: true}
	case uid == overflow:
		return &Error{File: file, Who: "user " + number + ", who may be anybody,"}
	}
	if u, err := user.LookupId(number); err == nil {
		return &Error{File: file, Who: u.Username, User: u.Username}
	}
	return &Error{File: file, Who: "user " + number, User: number}
}

// groupError returns the error of a file that a group may write.
func groupError(file string, gid uint32) *Error {
	number := strconv.FormatUint(uint64(gid), 10)
	if g, err := user.LookupGroupId(number); err == nil {
		number = g.Name
	}
	return &Error{File: file, Who: "a member of group " + number}
}

// overflow is the number that the kernel shows for users that a user namespace does not have.
const overflow = 65534

// Package ui is the page of the tool in a browser: "vkloader ui". It asks the tool's own commands, shows their answers,
// and makes changes by carrying out command lines; it decides nothing.
//
// # A page
//
// A page is one Go file and one template, pages/NAME.html. The file has a Page: its name, which is its address (#/NAME),
// its title, and the function that gathers what the template shows. Page.Data gets a Request: the part of the address
// after the name (Rest), the query, and the Tool. Request.Tool.Run carries out a command line of the tool in this process,
// and Ran.Decode reads its JSON. The list in pages.go names every page, in the order of the navigation. The template
// defines "page"; "finding" and others that pages share are in pages/frame.html. A page changes nothing: whatever somebody
// tries out on it is in its address, so that the browser's Back works. A form with data-go leads to the address that is
// made of its fields.
//
// # A change
//
// A change is one Go type with a method Plan, and a line in the list in changes.go. Plan gets the fields of the form, and
// gives the command line that makes the change, and the files with what will be in them. It writes nothing. A form with
// data-change="NAME" on a page shows the plan first. The rest is done once for all changes: CSRF and --read-only (package
// guard), that root changes system files only, that the files are still as they were shown, apply, and undo.
//
// # Text of files
//
// html/template escapes what a file says. What the template gives then goes through one filter, which replaces characters
// that control or hide. Names that come back in a form are written with {{ref}}, and read with Request.Refs.
package ui

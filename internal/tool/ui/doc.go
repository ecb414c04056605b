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
// # A process
//
// The table in routes.go lists every request with its kind. What loads drivers and layers is a part in the list starts in start.go:
// its Data runs in a child of the server, "vkloader ui --child", which a form with data-start asks for by POST. The server refuses
// every other start of a process (OnlyAsked). given.go refuses variables that load code, and those of an address that name files.
//
// # A change
//
// A change is one Go type with a method Plan, and a line in the list in changes.go. Plan gets the fields of the form, and
// returns the command line that makes the change, and the files with their new content. It writes nothing. A form with
// data-change="NAME" on a page shows the plan first. The rest is done once for all changes: the secret (package guard), --read-only,
// the rule that root changes system files only, a comparison of the files with the plan, the command line, and undo.
//
// # Text of files
//
// html/template escapes what a file says. What the template gives then goes through one filter, which replaces characters
// that control or hide. Names that come back in a form are written with {{ref}}, and read with Request.Refs.
package ui

// Package ui is the tool's page in a browser: "vkloader ui". It runs the tool's own commands and shows their results. A
// change runs the command line that the page shows. The package makes no decision.
//
// # A page
//
// A page is one Go file and one template, pages/NAME.html. The file has a Page: its name, which is its address
// (#/NAME), its title, and the function that collects the template's data. Page.Data receives a Request: the part of
// the address after the name (Rest), the query, and the Tool. Request.Tool.Run runs a command line of the tool in this
// process, and Ran.Decode reads its JSON. The list in pages.go names every page in the order of the navigation. The
// template has the page's name; shared templates such as "finding" are in pages/frame.html. A page changes nothing: its
// whole state is in its address, so that the browser's Back works. A form with data-go leads to the address made of its
// fields.
//
// # A process
//
// The table in server.go lists every request with its kind. A part that loads drivers and layers is in the list starts
// in start.go: its Data runs in a child of the server, "vkloader ui --child", which a form with data-start requests by
// POST. The server refuses every other start of a process (OnlyAsked). given.go refuses variables that load code. No
// address has variables: they are in a header of the page's requests.
//
// # A change
//
// A change is one function, and a line in the list in changes.go. The function makes the command line of the change
// from the fields of the form. The dry run of the command line gives the plan: the files with their new content. A
// child of the server runs the command lines of "fix" and "devices", which try drivers and layers. A form with
// data-change="NAME" on a page shows the plan first. The following steps are common to all changes: the secret
// (package guard), --read-only, the rule that root changes system files only, a comparison of the files with the plan,
// the change, and undo.
//
// # Text of files
//
// html/template escapes text from files. A filter then replaces control and invisible characters in the template's
// output. Names that come back in a form are written with {{ref}}, and read with Request.Refs.
package ui

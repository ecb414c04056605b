// Package settingsplace knows which settings files loaders try, in order, and by which mark the tool knows its own. It also
// gives a child of the tool other settings than those in force, with an environment that names another place.
//
// It writes no file of the user. Of settings it knows that mark, and which one decides where the loader's log goes.
package settingsplace

// Package settingsfile finds, reads and writes the loader settings file for the tool: with a mark that says who wrote
// it, an expiry that the tool honours and loaders do not know, and never in place of another program's file unless told
// to. What the file's settings mean is the business of packages settings and plan.
//
// It keeps rules about the order of layers: one layer nearer to the program than another. It writes them as a list of layers
// that changes nothing but the order, and checks that with the decision itself before anything is written.
package settingsfile

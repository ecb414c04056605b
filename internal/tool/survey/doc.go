// Package survey describes the drivers, layers and devices of a program: the decision of the library, and the findings
// of child processes. The package itself loads no driver.
//
// An Explanation is the answer of "vkloader explain", which the page of the tool reads as well. Fixes are the changes
// that put a driver or layer in or out.
//
// A Chain is drawn from the program to its devices, as SVG. All text of the SVG is in a font of
// fixed width, so no text leaves its box in any viewer. A long text is shortened, and the box's title has the whole
// text. Drawing reads no file; the same Chain gives the same bytes.
package survey

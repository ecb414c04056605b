// Package dispatch tests names and handles: the results of look-ups, the destinations of calls, and bad handles.
package dispatch

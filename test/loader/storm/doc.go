// Package storm tests many threads that create, use and destroy instances, devices, messengers and surfaces at once, on the plain build
// and on the builds with sanitizers.
package storm

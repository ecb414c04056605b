// Package storm holds nothing but a test: many threads that live whole lives of instances, devices, messengers and
// surfaces at once, on the plain build and on the builds with sanitizers.
package storm

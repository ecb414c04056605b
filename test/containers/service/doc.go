// Package service tests the driver service as a process: how it starts, what its commands say, and how it ends.
package service

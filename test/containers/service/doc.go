// Package service tests the process of the driver service: its start, its commands and its end.
package service

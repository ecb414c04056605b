// Package client asks the driver service for the drivers of its machine as the library does
// (spine/service/linux/client.c), so that the tool can show the library's answer. It opens no library.
package client

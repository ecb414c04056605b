// Package client asks the driver service for the drivers of its machine in the way that the library does
// (spine/service/linux/client.c), so that the tool can show what the library gets. It opens no library.
package client

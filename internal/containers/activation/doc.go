// Package activation implements the protocol by which systemd, or a compatible program, starts a service: sockets that
// are already open (sd_listen_fds(3)), and a notification when the service is ready (sd_notify(3)).
package activation

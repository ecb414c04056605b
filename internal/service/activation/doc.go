// Package activation is how a service is started by systemd, or by anything that does the same: sockets that are open
// already (sd_listen_fds(3)), and a word when it is ready (sd_notify(3)).
package activation

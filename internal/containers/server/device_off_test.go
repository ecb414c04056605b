package server

import (
	"errors"
	"testing"

	"vkloader/internal/containers/config"
	"vkloader/internal/containers/protocol"
)

// The service opens device nodes only if the configuration allows it: a sandbox may keep the client from them on purpose.
//
// holds: PRO-039 FLS-010
func TestOpenDeviceOff(t *testing.T) {
	t.Parallel()
	directory := service(t, nil, func(o *Options) { o.OpenDevice = config.Default().OpenDevice })
	c := dial(t, directory)
	var got struct{ Features uint64 }
	if ask(t, c, protocol.Request{Method: protocol.Features}, &got); got.Features&protocol.FeatureOpenDevice != 0 {
		t.Errorf("features %#x", got.Features)
	}
	for _, socket := range []string{Socket, TrustedSocket} {
		_, err := dialTo(t, directory, socket).Ask(protocol.Request{Method: protocol.OpenDevice, Path: pointer("class/drm/renderD128")}, nil)
		if !errors.Is(err, protocol.ErrUnsupported) && (err == nil || err.Error() != protocol.ErrUnsupported.Error()) {
			t.Errorf("%s: %v", socket, err)
		}
	}
}

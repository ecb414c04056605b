package protocol

import (
	"encoding/json"
	"strings"
	"testing"
)

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"get","name":"0-libvulkan_fake.so"}`))
	f.Add([]byte(`{"id":1,"method":"open_file","file":-3}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		r, err := ParseRequest(frame)
		if err != nil {
			return
		}
		if r.ID == nil || r.Method == Get && (len(*r.Name) > maxName || strings.Contains(*r.Name, "\x00")) {
			t.Errorf("%q is a request", frame)
		}
	})
}

// holds: FLS-010 FLS-011 PRO-002 PRO-005
func TestEncode(t *testing.T) {
	t.Parallel()
	for want, make := range map[string]func() ([]byte, error){
		`{"id":7,"ok":{"features":458759}}`: func() ([]byte, error) {
			return Encode(7, map[string]uint64{"features": AllFeatures}, nil)
		},
		`{"id":18446744073709551615,"ok":{},"fds":["lib"]}`: func() ([]byte, error) { return Encode(1<<64-1, struct{}{}, nil, "lib") },
		`{"id":0,"error":{"code":4,"name":"NOT_FOUND"}}`:    func() ([]byte, error) { return Encode(0, "x", ErrNotFound, "lib") },
	} {
		if got, err := make(); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	if _, err := Encode(1, strings.Repeat("x", maxFrame), nil); err == nil {
		t.Error("an answer that fits into no datagram")
	}
	if r, err := ParseRequest([]byte(`{"id":1,"method":"get","name":"a","later":true}`)); err != nil || *r.Name != "a" {
		t.Errorf("%+v, %v: members that come later do no harm", r, err)
	}
	if _, err := json.Marshal(Request{Method: Get}); err != nil {
		t.Error(err)
	}
}

package display

import (
	"bytes"
	"io"
	"net"
	"strconv"
	"testing"
)

// serve answers one client of an X server that wants a cookie, and returns its display.
func serve(t *testing.T, cookie, offered string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		defer client.Close()
		var setup [12]byte
		if _, err := io.ReadFull(client, setup[:]); err != nil {
			return
		}
		rest := make([]byte, (int(setup[6])+3)/4*4+(int(setup[8])+3)/4*4)
		if _, err := io.ReadFull(client, rest); err != nil {
			return
		}
		if !bytes.Contains(rest, []byte(cookie)) {
			_, _ = client.Write([]byte{0, 0, 11, 0, 0, 0, 0, 0})
			return
		}
		_, _ = client.Write([]byte{1, 0, 11, 0, 0, 0, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8})
		var query [8]byte
		if _, err := io.ReadFull(client, query[:]); err != nil || query[0] != 98 {
			return
		}
		name := make([]byte, 4*int(query[2])-8)
		if _, err := io.ReadFull(client, name); err != nil {
			return
		}
		answer := make([]byte, 32)
		answer[0] = 1
		if string(name[:query[4]]) == offered {
			answer[8] = 1
		}
		_, _ = client.Write(answer)
	}()
	return "127.0.0.1:" + strconv.Itoa(listener.Addr().(*net.TCPAddr).Port-6000) + ".0"
}

// entry is an entry of an Xauthority file.
func entry(fields ...string) []byte {
	text := []byte{1, 0}
	for _, field := range fields {
		text = append(append(text, byte(len(field)>>8), byte(len(field))), field...)
	}
	return text
}

func TestOffers(t *testing.T) {
	t.Parallel()
	const secret = "0123456789abcdef"
	for offered, want := range map[string]bool{"DRI3": true, "DRI2": false} {
		shown := serve(t, secret, offered)
		number := shown[len("127.0.0.1:") : len(shown)-2]
		authority := append(entry("host", "0", "MIT-MAGIC-COOKIE-1", "other"), entry("host", number, "MIT-MAGIC-COOKIE-1", secret)...)
		if has, err := Offers(t.Context(), shown, authority, "DRI3"); has != want || err != nil {
			t.Errorf("%s: %v, %v", offered, has, err)
		}
	}
	for _, authority := range [][]byte{nil, {1}, {1, 0, 0, 9}, entry("host", "", "XDM-AUTHORIZATION-1", secret)} {
		if has, err := Offers(t.Context(), serve(t, secret, "DRI3"), authority, "DRI3"); has || err == nil {
			t.Errorf("%q: the server that refuses was asked: %v", authority, has)
		}
	}
	for _, shown := range []string{"", ":", "nonsense", ":70000", "/private/tmp/launch:0", ":9999999999"} {
		if has, err := Offers(t.Context(), shown, nil, "DRI3"); has || err == nil {
			t.Errorf("%q: %v", shown, has)
		}
	}
}

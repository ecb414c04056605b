package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func TestHide(t *testing.T) {
	t.Parallel()
	p := NewPrivate(Person{"alice", []string{"/home/alice", "/data/people/a.l"}}, []Person{{"bob", []string{"/srv/bob"}}, {"root", []string{"/root"}}, {"ubuntu", []string{"/home/ubuntu"}}},
		[]string{"den.example.org"})
	for text, want := range map[string]string{
		"/home/alice/.config/vulkan":          "~/.config/vulkan",
		"/home/alice":                         "~",
		"/home/alice.":                        "~.",
		`"/home/alice","/home/alice/x"`:       `"~","~/x"`,
		"/home//alice//x:/home/alice":         "~//x:~",
		"/home/alice2/x":                      "/home/somebody/x",
		"/data/people/a.l/x /data/people/axl": "~/x /data/people/axl",
		"/srv/bob/y":                          "/home/user2/y",
		"/srv/bobby":                          "/srv/bobby",
		"/root/.config":                       "/home/user3/.config",
		"Ubuntu 24.04 /home/ubuntu/x":         "Ubuntu 24.04 /home/user4/x",
		"/rootfs /opt/root":                   "/rootfs /opt/root",
		"Alice alice's malice alice":          "user1 user1's malice user1",
		"alice alice alice":                   "user1 user1 user1",
		"VK_LAYER_alice_x":                    "VK_LAYER_user1_x",
		"den.example.org den DEN eden":        "machine machine machine eden",
		"/home/carol/a /home/user2/b":         "/home/somebody/a /home/user2/b",
	} {
		if got := p.Hide(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if again := p.Hide(p.Hide(text)); again != want {
			t.Errorf("%q: a second time it becomes %q", text, again)
		}
	}
	nobody := NewPrivate(Person{"root", []string{"/root"}}, nil, []string{"localhost", ""})
	if got := nobody.Hide("root /root/x /usr localhost"); got != "root ~/x /usr localhost" {
		t.Errorf("got %q", got)
	}
	odd := NewPrivate(Person{"o", []string{`/home/a"b & c`, "/", "relative", "/home"}}, nil, nil)
	if got := odd.Hide(`{"x":"/home/a\"b \u0026 c/y"} /home/a"b & c /home / relative`); got != `{"x":"~/y"} ~ /home / relative` {
		t.Errorf("got %q", got)
	}
}

// The archive's bytes do not depend on the order of the parts, and the parts can be read back.
func TestArchiveIsTheSame(t *testing.T) {
	t.Parallel()
	parts := []Part{{Name: "b.txt", Text: []byte("two")}, {Name: "a/" + strings.Repeat("long/", 40) + "ü.json", Text: []byte("{}")}, {Name: "a.txt"}}
	var first, second bytes.Buffer
	if err := Write(&first, parts); err != nil {
		t.Fatal(err)
	}
	if err := Write(&second, []Part{parts[2], parts[0], parts[1]}); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("another order gives other bytes (%v)", err)
	}
	zip, err := gzip.NewReader(&first)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(zip)
	for _, want := range []Part{parts[2], parts[1], parts[0]} {
		header, err := archive.Next()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		if err != nil || header.Name != Directory+"/"+want.Name || !bytes.Equal(text, want.Text) || header.Mode != 0o644 || header.Uid != 0 ||
			header.Uname != "" || header.ModTime.Unix() != 0 {
			t.Errorf("%+v %q, %v", header, text, err)
		}
	}
	if _, err := archive.Next(); err != io.EOF {
		t.Errorf("more: %v", err)
	}
	for _, bad := range []string{"", "../x", "/x", "a//b", "a/../../b"} {
		if err := Write(io.Discard, []Part{{Name: bad}}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if err := Write(io.Discard, []Part{{Name: "a"}, {Name: "a"}}); err == nil {
		t.Error("two of one name are taken")
	}
}

// Without removes the named parts, and a misspelled name is an error.
func TestWithout(t *testing.T) {
	t.Parallel()
	parts := []Part{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	if left, err := Without(parts, []string{"b", "c"}); err != nil || len(left) != 1 || left[0].Name != "a" || parts[1].Name != "b" {
		t.Errorf("%v, %v", left, err)
	}
	for _, names := range [][]string{{"d"}, {"a", "a"}} {
		if _, err := Without(parts, names); err == nil {
			t.Errorf("%q is taken", names)
		}
	}
}

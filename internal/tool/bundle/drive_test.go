package bundle

import "testing"

// Windows home directories are hidden in any letter case, with doubled backslashes and with slashes, and also those of
// unlisted people.
func TestHideOnDrives(t *testing.T) {
	t.Parallel()
	p := NewPrivate(Person{"Alice", []string{`C:\Users\Alice`}}, []Person{{"bob b", []string{`C:\Users\bob b`}}}, []string{"DEN"})
	for text, want := range map[string]string{
		`C:\Users\Alice\AppData\x.json`: `~\AppData\x.json`,
		`"c:\\users\\alice\\x"`:         `"~\\x"`,
		`C:/Users/alice/x`:              `~/x`,
		`C:\Users\Alice2\x`:             `C:\Users\somebody\x`,
		`C:\Users\bob b\x`:              `C:/Users/user2\x`,
		`"D:\\Users\\carol\\x"`:         `"D:\\Users\\somebody\\x"`,
		`C:\Users\Public\x`:             `C:\Users\Public\x`,
		`C:\Windows\System32`:           `C:\Windows\System32`,
		`den\Alice`:                     `machine\user1`,
	} {
		if got := p.Hide(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if again := p.Hide(p.Hide(text)); again != want {
			t.Errorf("%q: a second time it becomes %q", text, again)
		}
	}
	drive := NewPrivate(Person{"x y", []string{`C:\`, `C:\Users`}}, nil, nil)
	if got := drive.Hide(`C:\Users\ C:\a`); got != `C:\Users\ C:\a` {
		t.Errorf("%q", got)
	}
}

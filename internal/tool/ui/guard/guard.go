package guard

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
	"sync"
)

// Names of what a request carries.
const (
	TokenHeader = "Vkloader-Token" // of the request that exchanges the token
	CSRFHeader  = "Vkloader-Csrf"  // of every change; answers carry it, too
	SessionPath = "/session"       // where the token is exchanged
)

// maxBody is how long the body of a request may be.
const maxBody = 1 << 20

// policy is the Content-Security-Policy of every answer: nothing inline, and nothing from elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Guard is the secrets of one server.
type Guard struct {
	ReadOnly bool   // refuse every change
	Used     func() // is called when the token was used; nil: nobody

	name, session, csrf string // of the cookie; its value; what every change carries

	lock  sync.Mutex
	token string // "": it was used
}

// New makes new secrets.
func New(readOnly bool) *Guard {
	return &Guard{ReadOnly: readOnly, name: "vkloader-" + rand.Text()[:8], session: rand.Text(), csrf: rand.Text(), token: rand.Text()}
}

// Token is what the address that is printed ends with; "" when it was used.
func (g *Guard) Token() string {
	g.lock.Lock()
	defer g.lock.Unlock()
	return g.token
}

// Wrap answers what is refused, and passes the rest on. Without a session that is what open is true for.
func (g *Guard) Wrap(next http.Handler, open func(path string) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		isOpen := reads && open(r.URL.Path)
		switch {
		case !local(r.Host):
			refuse(w, http.StatusForbidden, "this address is not of this machine")
		case !reads && r.Method != http.MethodPost:
			refuse(w, http.StatusMethodNotAllowed, "GET and POST only")
		case !sameOrigin(r, reads, isOpen):
			refuse(w, http.StatusForbidden, "another page has sent this request")
		case isOpen:
			next.ServeHTTP(w, r)
		case r.Method == http.MethodPost && r.URL.Path == SessionPath:
			g.exchange(w, r)
		case !g.known(r):
			refuse(w, http.StatusUnauthorized, "no session: open the address that vkloader ui printed")
		case !reads && !equal(r.Header.Get(CSRFHeader), g.csrf):
			refuse(w, http.StatusForbidden, "the request does not come from this page")
		case !reads && g.ReadOnly:
			refuse(w, http.StatusForbidden, "vkloader ui was started with --read-only")
		default:
			head.Set(CSRFHeader, g.csrf)
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			next.ServeHTTP(w, r)
		}
	})
}

func refuse(w http.ResponseWriter, status int, why string) { http.Error(w, why, status) }

// exchange gives the cookie for the token, once.
func (g *Guard) exchange(w http.ResponseWriter, r *http.Request) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.token == "" || !equal(r.Header.Get(TokenHeader), g.token) {
		refuse(w, http.StatusForbidden, "this address was used already, or is of another vkloader ui")
		return
	}
	g.token = ""
	if g.Used != nil {
		g.Used()
	}
	http.SetCookie(w, &http.Cookie{Name: g.name, Value: g.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}

// known tells whether a request has the cookie.
func (g *Guard) known(r *http.Request) bool {
	cookie, err := r.Cookie(g.name)
	return err == nil && equal(cookie.Value, g.session)
}

func equal(a, b string) bool { return b != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// local tells whether a request names this machine by an address of the loopback interface. The port may be another one
// where it is forwarded.
func local(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if name == "localhost" {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// sameOrigin tells whether the page itself sends a request. A browser says so in Origin with each change, and in
// Sec-Fetch-Site with every request; open says that the answer has nothing that others must not see.
func sameOrigin(r *http.Request, reads, open bool) bool {
	if origin := r.Header.Get("Origin"); origin != "http://"+r.Host && (origin != "" || !reads) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return open && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

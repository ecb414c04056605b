package guard

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Names of headers.
const (
	TokenHeader  = "Vkloader-Token"  // for the exchange of the token
	SecretHeader = "Vkloader-Secret" // for every other route that is not open
)

// Limits of one request.
const (
	maxBody  = 1 << 20
	bodyTime = 10 * time.Second // for the body to arrive
)

// policy is the Content-Security-Policy of every answer. It allows no inline code and no other origin.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Guard holds the secrets of one server. It uses no cookie, because browsers send cookies to every port of a host.
type Guard struct {
	Used    func() // called after the use of a token; may be nil
	Renewal string // the way to get another token, for messages

	secret string

	lock  sync.Mutex
	token string // "": used
}

// New returns a Guard with new secrets.
func New() *Guard {
	g := &Guard{secret: rand.Text()}
	g.Token()
	return g
}

// Token makes a new token and invalidates the earlier one. The token can be exchanged for the secret once.
func (g *Guard) Token() string {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.token = rand.Text()
	return g.token
}

// Outer sets the headers of every answer and refuses requests from other pages.
func (g *Guard) Outer(next http.Handler) http.Handler {
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
		switch {
		case !local(r.Host):
			refuse(w, http.StatusForbidden, "this address does not belong to this machine")
		case !reads && r.Method != http.MethodPost:
			refuse(w, http.StatusMethodNotAllowed, "GET and POST only")
		case !sameOrigin(r, reads):
			refuse(w, http.StatusForbidden, "another page has sent this request")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// Secret answers only requests with the secret.
func (g *Guard) Secret(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !fromPage(r):
			refuse(w, http.StatusForbidden, "another page has sent this request")
		case !equal(r.Header.Get(SecretHeader), g.secret):
			refuse(w, http.StatusUnauthorized, "this tab has no session: "+g.Renewal)
		default:
			noteSecret(r.Context())
			if r.Method == http.MethodPost {
				within(w, r)
			}
			next(w, r)
		}
	}
}

// within limits and reads the body of a request. After that, the end of the connection cancels the request's context.
func within(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	_ = r.ParseForm()
	_ = control.SetReadDeadline(time.Time{})
}

// refuse answers with a reason and closes the connection.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Connection", "close")
	http.Error(w, why, status)
}

// Exchange answers a valid token with the secret, once.
func (g *Guard) Exchange(w http.ResponseWriter, r *http.Request) {
	if !fromPage(r) {
		refuse(w, http.StatusForbidden, "another page has sent this request")
		return
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.token == "" || !equal(r.Header.Get(TokenHeader), g.token) {
		refuse(w, http.StatusForbidden, "used already: "+g.Renewal)
		return
	}
	g.token = ""
	if g.Used != nil {
		g.Used()
	}
	noteSecret(r.Context())
	fmt.Fprint(w, g.secret)
}

func equal(a, b string) bool { return b != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// local reports whether a request's host is a loopback address of this machine. The port may differ because of port
// forwarding.
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

// sameOrigin reports whether a request cannot come from another page. A browser names the page in Origin with each
// POST. Links on other pages may lead to an open route.
func sameOrigin(r *http.Request, reads bool) bool {
	if origin := r.Header.Get("Origin"); origin != "http://"+r.Host && (origin != "" || !reads) {
		return false
	}
	if fromPage(r) {
		return true
	}
	into := r.Header.Get("Sec-Fetch-Dest")
	return reads && (into == "" || into == "document") &&
		(r.Header.Get("Sec-Fetch-Mode") == "navigate" || r.Header.Get("Sec-Fetch-Site") == "none")
}

// fromPage reports whether the browser attributes a request to this server's page. Clients without Sec-Fetch-Site are
// not current browsers, and need the secret as well.
func fromPage(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin"
}

// MaxConnections is the maximum number of simultaneous connections.
const MaxConnections = 128

// Connections limits the connections of a server. At the limit, a new connection replaces the oldest one without the
// secret, so that strangers can neither fill the memory nor exclude the user.
type Connections struct {
	lock sync.Mutex
	open []connection // oldest first
}

// connection is an accepted connection.
type connection struct {
	net.Conn
	known bool // it has shown the secret
}

// Note records a new connection and forgets a closed one, for http.Server.
func (c *Connections) Note(conn net.Conn, state http.ConnState) {
	c.lock.Lock()
	defer c.lock.Unlock()
	switch state {
	case http.StateNew:
		c.open = append(c.open, connection{Conn: conn})
		if len(c.open) > MaxConnections {
			oldest := slices.IndexFunc(c.open, func(o connection) bool { return !o.known })
			c.open[oldest].Close()
			c.open = slices.Delete(c.open, oldest, oldest+1)
		}
	case http.StateClosed:
		c.open = slices.DeleteFunc(c.open, func(o connection) bool { return o.Conn == conn })
	}
}

// secretKey is the context key of the function that records that a request's connection has shown the secret.
type secretKey struct{}

// Context lets a request's context record that its connection has shown the secret, for http.Server.
func (c *Connections) Context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, secretKey{}, func() {
		c.lock.Lock()
		defer c.lock.Unlock()
		if at := slices.IndexFunc(c.open, func(o connection) bool { return o.Conn == conn }); at >= 0 {
			c.open[at].known = true
		}
	})
}

func noteSecret(ctx context.Context) {
	if note, is := ctx.Value(secretKey{}).(func()); is {
		note()
	}
}

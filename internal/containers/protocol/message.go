package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"
)

// Limits of a datagram (PRO-002, PRO-006). A larger one ends the connection.
const (
	maxFrame = 64 << 10
	maxFiles = 4
	maxName  = 64
	maxPath  = 4096
)

// Methods (PRO-005).
const (
	Features       = "get_supported_features"
	Get            = "get"
	ManifestFS     = "connect_manifest_fs"
	DeviceFS       = "connect_device_fs"
	ExecGrant      = "get_exec_grant"
	OpenDevice     = "open_device"
	Inspect        = "inspect"
	MachineDrivers = "machine_drivers"
	OpenFile       = "open_file"
)

// Bits of the answer of Features (FLS-010, PRO-005).
const (
	FeatureGet            = 1 << 0
	FeatureDeviceFS       = 1 << 1
	FeatureManifestFS     = 1 << 2
	FeatureOpenDevice     = 1 << 16
	FeatureInspect        = 1 << 17
	FeatureMachineDrivers = 1 << 18

	AllFeatures = FeatureGet | FeatureDeviceFS | FeatureManifestFS | FeatureOpenDevice | FeatureInspect |
		FeatureMachineDrivers
)

// WaitForIdle is the option of ManifestFS that delays the reply until nothing is pending (FLS-012). Other bits are
// ignored.
const WaitForIdle = 1

// Request is a client's request. Its method determines which arguments count; all of these are required, except
// Options.
type Request struct {
	ID      *uint64 `json:"id"`
	Method  string  `json:"method"`
	Name    *string `json:"name,omitempty"`    // Get
	Options uint64  `json:"options,omitempty"` // ManifestFS
	Path    *string `json:"path,omitempty"`    // OpenDevice
	Machine *string `json:"machine,omitempty"` // MachineDrivers
	File    *int    `json:"file,omitempty"`    // OpenFile
}

// errArguments is the error of a request that lacks an argument of its method.
var errArguments = errors.New("an argument is missing, too long, or holds a zero byte")

// ParseRequest reads a datagram. Any error in it ends the connection: the protocol is closed (FLS-013).
func ParseRequest(frame []byte) (*Request, error) {
	r := &Request{}
	if err := json.Unmarshal(frame, r); err != nil {
		return nil, fmt.Errorf("no request: %w", err)
	}
	if r.ID == nil {
		return nil, errors.New("no request: it has no id")
	}
	good := true
	switch r.Method {
	case Features, ManifestFS, DeviceFS, ExecGrant, Inspect:
	case Get:
		good = fits(r.Name, maxName)
	case OpenDevice:
		good = fits(r.Path, maxPath)
	case MachineDrivers:
		good = fits(r.Machine, maxName)
	case OpenFile:
		good = r.File != nil
	default:
		return nil, fmt.Errorf("no such method: %.64q", r.Method)
	}
	if !good {
		return nil, fmt.Errorf("%s: %w", r.Method, errArguments)
	}
	return r, nil
}

// fits reports whether a text is present, is not too long, and holds no zero byte (PRO-006).
func fits(text *string, most int) bool {
	return text != nil && len(*text) <= most && !strings.Contains(*text, "\x00")
}

// Error is the reason why a request failed.
type Error struct {
	Code uint32 `json:"code"`
	Name string `json:"name"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Name, e.Code) }

// Errors of all methods (PRO-019). ExecGrant has other numbers (PRO-047).
var (
	ErrInternal         = &Error{1, "INTERNAL"}
	ErrInvalidArguments = &Error{2, "INVALID_ARGUMENTS"}
	ErrUnsupported      = &Error{3, "UNSUPPORTED"}
	ErrNotFound         = &Error{4, "NOT_FOUND"}
	ErrAccessDenied     = &Error{5, "ACCESS_DENIED"}

	ErrSoftwareNotAllowed = &Error{1, "LAVAPIPE_ICD_NOT_ALLOWED"}
	ErrNoExecGrant        = &Error{2, "FAILED_TO_OBTAIN_RESOURCE"}
)

// refusal is an error with the Error that stands for it.
type refusal struct {
	as *Error
	error
}

func (r *refusal) Unwrap() error { return r.error }

// Refuse returns an error for which ErrorOf returns as.
func Refuse(as *Error, err error) error { return &refusal{as, err} }

// ErrorOf returns the client's version of a system error: the details are only in the log (FLS-109).
func ErrorOf(err error) *Error {
	var r *refusal
	switch {
	case errors.As(err, &r):
		return r.as
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return ErrNotFound
	// A path that leads out of its directory, or through a refused link, is reported as forbidden.
	case errors.Is(err, fs.ErrPermission), errors.Is(err, unix.EXDEV), errors.Is(err, unix.ELOOP):
		return ErrAccessDenied
	}
	return ErrInternal
}

// Reply is the service's reply: OK or Error, and a name for each attached descriptor.
type Reply struct {
	ID    uint64          `json:"id"`
	OK    json.RawMessage `json:"ok,omitempty"`
	Error *Error          `json:"error,omitempty"`
	FDs   []string        `json:"fds,omitempty"`
}

// Encode returns the datagram of a reply: err alone if there is an error, otherwise ok and the names of the
// descriptors.
func Encode(id uint64, ok any, err *Error, fds ...string) ([]byte, error) {
	r := Reply{ID: id, Error: err}
	if err == nil {
		text, failed := json.Marshal(ok)
		if failed != nil {
			return nil, failed
		}
		r.OK, r.FDs = text, fds
	}
	frame, failed := json.Marshal(r)
	if failed == nil && len(frame) > maxFrame {
		failed = fmt.Errorf("an answer of %d bytes does not fit into a datagram", len(frame))
	}
	return frame, failed
}

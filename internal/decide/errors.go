package decide

import "errors"

// ErrUnsupported means that a question cannot be answered for this kind of host.
var ErrUnsupported = errors.New("not supported for this host")

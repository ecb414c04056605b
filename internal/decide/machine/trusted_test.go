package machine_test

import _ "vkloader/internal/decide/trust" // judges the programs that the tests start as root
